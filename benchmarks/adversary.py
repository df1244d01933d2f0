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

from battery import FAMILIES
from battery.judge import OUTCOMES, Verdict
from battery.report import by_family, pasteable
from battery.workers import verdicts


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
    parts = [by_family(found)]
    for outcome in OUTCOMES[2:]:
        texts = pasteable(found, outcome, most)
        if texts:
            parts.append(f"{outcome}:\n{texts}")
    return "\n\n".join(parts)


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
