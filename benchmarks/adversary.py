"""The battery of a hostile reader: does any case end as "converged" and wrong? `python benchmarks/adversary.py`.

`--count N` cases of each family (50), `--families "windows" ...` some of them, `--first N` the first number, `--resume
FILE` a file of JSON lines that is carried on, `--jobs N` processes (2), `--most N` cases of a family that are printed.

Errors are relative to max|u| of each field, as `tol` is.
"""

import single_thread  # noqa: F401

# isort: split
import argparse
import json
from dataclasses import asdict
from pathlib import Path

import numpy as np

from battery import FAMILIES
from battery.judge import OUTCOMES, Verdict
from battery.report import by_family, pasteable, solved_share
from battery.workers import verdicts

CASES = 200  # of each family, in the report
KEPT = Path(__file__).parent.parent / "out" / "adversary.jsonl"


def known(file: Path | None) -> list[Verdict]:
    if file is None or not file.exists():
        return []
    return [Verdict(**json.loads(line)) for line in file.read_text().splitlines() if line.endswith("}")]


def collect(names: list[tuple[str, int]], file: Path | None, jobs: int) -> list[Verdict]:
    """The verdicts on these cases; those in the file already are not asked for again."""
    wanted, found = set(names), known(file)
    done = {(one.family, one.seed) for one in found}
    kept = [one for one in found if (one.family, one.seed) in wanted]
    for verdict in verdicts([name for name in names if name not in done], jobs):
        kept.append(verdict)
        if file is not None:
            with file.open("a") as lines:
                lines.write(json.dumps(asdict(verdict)) + "\n")
    return kept


def measure(found: list[Verdict], most: int) -> str:
    parts = [by_family(found), solved_share(found)]
    for outcome in OUTCOMES[2:]:
        texts = pasteable(found, outcome, most)
        if texts:
            parts.append(f"{outcome}:\n{texts}")
    return "\n\n".join(parts)


def section() -> str:
    """For the report: some cases of each family, kept in out/ so that the run can be carried on."""
    KEPT.parent.mkdir(exist_ok=True)
    found = collect([(family, number) for number in range(CASES) for family in FAMILIES], KEPT, 2)
    silent = [one for one in found if one.outcome == "silent"]
    missed = sum(one.error > 3.0 * one.tol for one in silent if np.isfinite(one.error))
    told = (
        f"{len(found)} problems by name and number, tolerances from 1e-3 to 1e-12, 60 s each; errors are relative to "
        "max|u|. `silent`: reported as converged, and the error above three times the estimate or the tolerance; "
        "`low`: the estimate is too low by more than three where the status is another; `refused`: another status than "
        "converged, or one sentence. Families that have no solution, or many, are to be refused. A solution is "
        "`determined` where its componentwise condition, found by another discretisation, times a hundred roundings is "
        "below the tolerance, and so is a hundred times what noise in the evaluation of its text does; equations that "
        "are not linear with one field on an interval count as determined. Seconds are a processor's.\n\n"
    )
    ended = (
        f"{solved_share(found)} Silent: {len(silent)}, of which {missed} with an error above three times the tolerance."
    )
    listed = pasteable(found, "silent", 1)
    return told + by_family(found) + f"\n\n{ended}" + (f"\n\n```text\n{listed}\n```" if listed else "")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--families", nargs="*", choices=FAMILIES, default=list(FAMILIES), metavar="NAME")
    parser.add_argument("--resume", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--most", type=int, default=3)
    asked = parser.parse_args()
    names = [(family, asked.first + number) for number in range(asked.count) for family in asked.families]
    print(measure(collect(names, asked.resume, asked.jobs), asked.most))


if __name__ == "__main__":
    main()
