"""All benchmarks, printed and written to docs/benchmarks.md: `python benchmarks/run.py`. Nothing is asserted.

With names (`python benchmarks/run.py accuracy speed`) only those are run and printed, and no file is written.
"""

import single_thread  # noqa: F401

# isort: split
import sys
from pathlib import Path
from time import perf_counter

import accuracy
import growth
import inverse
import nonlinear
import nonlinear_speed
import plane
import plane_peers
import reliability
import speed
import startup
import studio
import sweep
import testset
from measure import Record, machine

REPORT = Path(__file__).parent.parent / "docs" / "benchmarks.md"
TITLES = {
    "accuracy": "Accuracy: the two problems of the paper",
    "testset": "The linear problems of the classical test set",
    "reliability": "Reliability of the error estimate",
    "speed": "Speed against scipy.integrate.solve_bvp",
    "nonlinear": "Nonlinear equations and systems",
    "nonlinear_speed": "Nonlinear problems, side by side with scipy.integrate.solve_bvp",
    "inverse": "Unknown parameters from data",
    "plane": "Problems on a rectangle",
    "plane_peers": "The plane, side by side with finite elements and the fast sine transform",
    "growth": "Growth with the number of waves",
    "startup": "Start-up",
    "studio": "The studio",
    "sweep": "Sweeps and learned gates",
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
        ("speed", lambda: speed.measure(records)),
        ("nonlinear", nonlinear.measure),
        ("nonlinear_speed", nonlinear_speed.measure),
        ("inverse", inverse.measure),
        ("plane", plane.measure),
        ("plane_peers", plane_peers.measure),
        ("growth", growth.measure),
        ("startup", startup.measure),
        ("studio", studio.measure),
        ("sweep", sweep.measure),
    ):
        if name in names:
            try:
                found[name] = measure()
            except Exception as failure:  # one broken benchmark must not cost the others
                found[name] = f"Failed: {type(failure).__name__}: {failure}"
    return {name: found[name] for name in TITLES if name in names}


def main(names: list[str]) -> None:
    unknown = set(names) - set(TITLES)
    if unknown:
        raise SystemExit(f"no benchmark named {', '.join(sorted(unknown))}; there are {', '.join(TITLES)}")
    start = perf_counter()
    texts = sections(names or list(TITLES))
    parts = [
        "# Benchmarks",
        "Written by `python benchmarks/run.py` (`make bench`). Times are medians of repeats on one thread and differ "
        "from machine to machine; the ratios are measured in the same run. Every case is listed, the losses too.",
        f"Machine: {machine()}.",
    ]
    for name, text in texts.items():
        parts.append(f"## {TITLES[name]}\n\nAlone: `python benchmarks/{name}.py`.\n\n{text}")
    parts.append(f"The whole run took {perf_counter() - start:.0f} s.")
    report = "\n\n".join(parts) + "\n"
    print(report)
    if not names:
        REPORT.parent.mkdir(exist_ok=True)
        REPORT.write_text(report)
        print(f"written to {REPORT.relative_to(REPORT.parent.parent)}")


if __name__ == "__main__":
    main(sys.argv[1:])
