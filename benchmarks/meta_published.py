"""The paper's meta-learner: coverage of its bands on held-out optima, and its bounded search against the global one.

`python benchmarks/meta_published.py --optima FILE` reads optima that `python -m gated_xtfc.apps.meta_optima` made;
without it a smaller data set is computed first. `--values N` compares the searches at fewer values of nu;
`--records DIR` takes the searches of a full run of `gated-xtfc paper --out DIR`.
"""

import single_thread  # noqa: F401

# isort: split
import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from gated_xtfc.paper.meta import coverage, learned, told, unseen
from gated_xtfc.paper.optima import OptimaFile, Sweep, compute, searched
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


def measure(path: str | None = None, values: int = VALUES, records: str | None = None) -> str:
    file = stored(path)
    sweep, found = file.sweep, file.optima
    about = (
        f"{len(found)} of {sweep.count} optima for nu in [{sweep.low:g}, {sweep.high:g}], {sweep.centres} centres a "
        f"block; {sum(one.seconds for one in found):.0f} s of one core. At {np.mean([one.bound for one in found]):.0%} "
        "of them the transition is at 5 nu and the scale has no effect."
    )
    covered = coverage(found, sweep)
    bands = table(
        ("95 % band of", "holds", "in the transformed space", "median width, of the global box"),
        [
            (name, f"{covered[name]:.1%}", f"{covered[f'{name}_transformed']:.1%}", f"{covered[f'{name}_width']:.0%}")
            for name in ("split", "scale")
        ],
    )
    runs = found_by(file, values, records)
    rows, ratios = summed(runs)
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
        f"Trained on {covered['trained']}, tested on {covered['held_out']} held-out optima:\n\n{bands}",
        f"Search in the global box / in the box of the meta-learner, at {len(runs)} values of nu that were not trained "
        f"on:\n\n{table(header, rows)}",
        summary,
    ])  # fmt: skip


def found_by(file: OptimaFile, values: int, records: str | None) -> list[dict[str, Any]]:
    """Both searches at each nu: from the records of `gated-xtfc paper --out DIR`, or made now."""
    if records is not None:
        paths = sorted(Path(records).glob("records/full/meta/search-*.json"))[:values]
        return [json.loads(path.read_text())["result"] for path in paths]
    model, wide = learned(file.optima, file.sweep), file.sweep.settings()
    return [
        {"nu": nu, "global": told(searched(wide, nu)), "bounded": told(searched(model.bounded(wide, nu), nu))}
        for nu in unseen(file.sweep, values)
    ]


def summed(runs: list[dict[str, Any]]) -> tuple[list[tuple[str, ...]], dict[str, np.ndarray]]:
    rows, ratios = [], {name: [] for name in QUANTITIES}
    for run in runs:
        both = run["global"], run["bounded"]
        for title, name in QUANTITIES.items():
            ratios[title].append(both[1][name] / both[0][name])
        forms = {"evaluations": "", "solves": "", "seconds": ".1f", "value": ".2e", "split": ".4f", "scale": ".1f"}
        shown = (" / ".join(format(one[name], form) for one in both) for name, form in forms.items())
        rows.append((f"{run['nu']:.3g}", *shown))
    return rows, {name: np.array(ratio) for name, ratio in ratios.items()}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--optima", metavar="FILE", help="optima made before")
    parser.add_argument("--records", metavar="DIR", help="what a full run of gated-xtfc paper wrote: no search anew")
    parser.add_argument("--values", type=int, default=VALUES, metavar="N", help="values of nu for the searches")
    given = parser.parse_args()
    print(measure(given.optima, given.values, given.records))
