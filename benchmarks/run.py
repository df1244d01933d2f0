"""All benchmarks, written to docs/benchmarks.md and, as pictures, to docs/scoreboard.md. Nothing is asserted.

With names (`python benchmarks/run.py accuracy speed`) only those are run, and their sections of the file are replaced.
"""

import single_thread  # noqa: F401

# isort: split
import sys
from datetime import date
from pathlib import Path

import accuracy
import adversary
import attack
import batch
import branches
import calibration
import collected
import face
import faults
import fronts
import growth
import inverse
import meta_published
import native
import nonlinear
import nonlinear_speed
import plane
import plane_peers
import plane_solvers
import reach
import reliability
import scoreboard
import spectra
import speed
import startup
import statements
import studio
import sweep
import testset
from measure import Record, machine

PICTURES = "scoreboard"  # a page of its own
REPORT = Path(__file__).parent.parent / "docs" / "benchmarks.md"
TITLES = {
    "accuracy": "Accuracy: the two problems of the paper",
    "testset": "The linear problems of the classical test set",
    "reliability": "Reliability of the error estimate",
    "adversary": "A hostile battery",
    "faults": "Killed at any instant",
    "speed": "Speed against scipy.integrate.solve_bvp",
    "face": "solve_bvp, ours and SciPy's, called alike",
    "native": "Native speed",
    "statements": "Conditions of every kind, unknown constants, many fields",
    "batch": "Batches",
    "collected": "Collections of other people's problems",
    "nonlinear": "Nonlinear equations and systems",
    "nonlinear_speed": "Nonlinear problems, side by side with scipy.integrate.solve_bvp",
    "reach": "How far Newton's method reaches, and long initial value problems",
    "spectra": "Eigenvalues",
    "branches": "Folds, branch points, several solutions",
    "inverse": "Unknown parameters from data",
    "calibration": "Unknown parameters, where they are hard to tell",
    "plane": "Problems on a rectangle",
    "plane_solvers": "The plane, coefficients that vary along both axes",
    "plane_peers": "The plane, side by side with finite elements and the fast sine transform",
    "fronts": "Fronts that travel",
    "growth": "Growth with the number of waves",
    "startup": "Start-up",
    "studio": "The studio",
    "attack": "The studio under attack",
    "sweep": "Sweeps and learned gates",
    "meta_published": "The paper's meta-learner",
}


def sections(names: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    records: list[Record] = []
    if {"accuracy", "reliability", "speed"} & set(names):
        found["accuracy"], more = accuracy.measure()
        records += more
    if {"testset", "reliability", "speed"} & set(names):
        found["testset"], more = testset.measure()
        records += more
    for name, measure in (
        ("reliability", lambda: reliability.measure(records)),
        ("adversary", adversary.section),
        ("faults", faults.section),
        ("speed", lambda: speed.measure(records)),
        ("face", face.measure),
        ("native", native.measure),
        ("statements", statements.measure),
        ("batch", batch.measure),
        ("collected", collected.measure),
        ("nonlinear", nonlinear.measure),
        ("nonlinear_speed", nonlinear_speed.measure),
        ("reach", reach.measure),
        ("spectra", spectra.measure),
        ("branches", branches.measure),
        ("inverse", inverse.measure),
        ("calibration", calibration.measure),
        ("plane", plane.measure),
        ("plane_solvers", plane_solvers.measure),
        ("plane_peers", plane_peers.measure),
        ("fronts", fronts.measure),
        ("growth", growth.measure),
        ("startup", startup.measure),
        ("studio", studio.measure),
        ("attack", attack.measure),
        ("sweep", sweep.measure),
        ("meta_published", meta_published.measure),
    ):
        if name in names:
            try:
                found[name] = measure()
            except Exception as failure:  # one broken benchmark must not cost the others
                found[name] = f"Failed: {type(failure).__name__}: {failure}"
    return {name: found[name] for name in TITLES if name in names}


def kept() -> dict[str, str]:
    """The sections that the report has already, by name."""
    parts = REPORT.read_text().split("\n## ")[1:] if REPORT.exists() else []
    texts = {title: text.strip() for title, _, text in (part.partition("\n") for part in parts)}
    return {name: texts[title] for name, title in TITLES.items() if title in texts}


def main(names: list[str]) -> None:
    unknown = set(names) - {*TITLES, PICTURES}
    if unknown:
        raise SystemExit(f"no benchmark named {', '.join(sorted(unknown))}; there are {', '.join((*TITLES, PICTURES))}")
    if not names or PICTURES in names:
        scoreboard.write()
    if names == [PICTURES]:
        return
    found = sections(names or list(TITLES))
    made = f"Measured on {machine()}, {date.today():%Y-%m-%d}"
    texts = kept() | {name: f"Alone: `python benchmarks/{name}.py`. {made}.\n\n{text}" for name, text in found.items()}
    parts = [
        "# Benchmarks",
        "Written by `python benchmarks/run.py` (`make bench`); with names it replaces those sections alone. Times are "
        "medians of repeats on one thread and differ from machine to machine; the ratios are measured in the same run. "
        "Every case is listed, the losses too.",
    ]
    parts += [f"## {TITLES[name]}\n\n{texts[name]}" for name in TITLES if name in texts]
    REPORT.parent.mkdir(exist_ok=True)
    REPORT.write_text("\n\n".join(parts) + "\n")
    print("\n\n".join(found.values()))
    print(f"written to {REPORT.relative_to(REPORT.parent.parent)}")


if __name__ == "__main__":
    main(sys.argv[1:])
