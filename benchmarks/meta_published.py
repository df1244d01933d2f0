"""The paper's meta-learner: coverage of its bands on held-out optima, and its bounded search against the global one.

`python benchmarks/meta_published.py --optima FILE` reads optima that `python -m gated_xtfc.apps.meta_optima` made;
without it a smaller data set is computed first. `--values N` compares the searches at fewer values of nu.
"""

import single_thread  # noqa: F401

# isort: split
import argparse
import json
import tempfile
from pathlib import Path

import numpy as np

from gated_xtfc.paper.meta import coverage, learned, unseen
from gated_xtfc.paper.optima import OptimaFile, Sweep
from gated_xtfc.paper.optima_pool import compute, searched
from measure import table

SMALLER = Sweep(60, centres=200, tolerances=(1e-3, 1.0))
VALUES = 20
QUANTITIES = {"evaluations": "evaluations", "solves": "solves", "seconds": "seconds", "final J": "value"}


def stored(path: str | None) -> OptimaFile:
    if path is not None:
        with open(path, encoding="utf-8") as lines:
            head = json.loads(lines.readline())
        head.pop("schema", None)
        return OptimaFile(Path(path), Sweep.read(head))
    file = OptimaFile(Path(tempfile.mkdtemp()) / "optima.jsonl", SMALLER)
    compute(file)
    return file


def measure(path: str | None = None, values: int = VALUES) -> str:
    file = stored(path)
    sweep, found = file.sweep, file.optima
    about = (
        f"{len(found)} of {sweep.count} optima for nu in [{sweep.low:g}, {sweep.high:g}], {sweep.centres} centres a "
        f"block; {sum(one.seconds for one in found):.0f} s of one core. At {np.mean([one.bound for one in found]):.0%} "
        "of them the transition is at 5 nu and the scale has no effect."
    )
    told = coverage(found, sweep)
    bands = table(
        ("95 % band of", "holds", "in the transformed space", "median width, of the global box"),
        [
            (name, f"{told[name]:.1%}", f"{told[f'{name}_transformed']:.1%}", f"{told[f'{name}_width']:.0%}")
            for name in ("split", "scale")
        ],
    )
    rows, ratios = searches(file, values)
    header = ("nu", "evaluations", "solves", "seconds", "final J", "split", "scale")
    summary = table(
        ("bounded over global", "median", "smallest", "largest", "not above 1"),
        [
            (name, f"{np.median(ratio):.2f}", f"{ratio.min():.2g}", f"{ratio.max():.3g}", f"{(ratio <= 1.0).sum()}")
            for name, ratio in ratios.items()
        ],
    )
    return "\n\n".join([
        about,
        f"Trained on {told['trained']}, tested on {told['held_out']} held-out optima:\n\n{bands}",
        f"Search in the global box / in the box of the meta-learner, at {values} values of nu that were not trained on:"
        f"\n\n{table(header, rows)}",
        summary,
    ])  # fmt: skip


def searches(file: OptimaFile, values: int) -> tuple[list[tuple[str, ...]], dict[str, np.ndarray]]:
    model, wide = learned(file.optima, file.sweep), file.sweep.settings()
    rows, ratios = [], {name: [] for name in QUANTITIES}
    for nu in unseen(file.sweep, values):
        both = searched(wide, nu), searched(model.bounded(wide, nu), nu)
        counts = [
            {"evaluations": len(one.evaluations), "solves": one.solves, "seconds": one.seconds, "value": one.value}
            for one in both
        ]
        for title, name in QUANTITIES.items():
            ratios[title].append(counts[1][name] / counts[0][name])
        rows.append(
            (
                f"{nu:.3g}",
                *(" / ".join(f"{one[name]}" for one in counts) for name in ("evaluations", "solves")),
                " / ".join(f"{one['seconds']:.1f}" for one in counts),
                " / ".join(f"{one['value']:.2e}" for one in counts),
                " / ".join(f"{one.best.splits[0]:.4f}" for one in both),
                " / ".join(f"{one.best.scale:.1f}" for one in both),
            )
        )
    return rows, {name: np.array(ratio) for name, ratio in ratios.items()}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--optima", metavar="FILE", help="optima made before")
    parser.add_argument("--values", type=int, default=VALUES, metavar="N", help="values of nu for the searches")
    given = parser.parse_args()
    print(measure(given.optima, given.values))
