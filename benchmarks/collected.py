"""Other people's problems: collections from manuals, test suites and textbooks, every case listed with its verdict.

benchmarks/collection/*.toml has the statements, as their sources write them, and what to compare with: expressions, or
first-order systems for an independent collocation (collection_reference.py). `python benchmarks/collected.py scipy`
runs some files alone, `--case NAME` the cases that have NAME in their title. (A benchmark of the name collections.py
would hide a module of Python's own.)
"""

import single_thread  # noqa: F401

# isort: split
import argparse
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

import gated_xtfc as gx
from collection_reference import Reference, collocated, evaluated, exact
from gated_xtfc.problem.file import Guidance, from_mapping
from measure import table

FOLDER = Path(__file__).parent / "collection"
TYPED = "typed"  # the file of problems for the first typing
TOL = 1e-8
LONGEST = 30.0  # seconds for a case
COMPARED = 801
STATEMENT = (
    "equation",
    "equations",
    "domain",
    "conditions",
    "parameters",
    "unknown",
    "guess",
    "continuation",
    "tables",
)
SOLVED, REFUSED, UNSOLVED, WRONG, BROKEN = "solved", "refused", "not solved", "**wrong**", "**exception**"


@dataclass(frozen=True)
class Case:
    """One problem of a collection."""

    collection: str
    source: str
    entry: Mapping[str, Any]

    @property
    def name(self) -> str:
        return str(self.entry["name"])

    @property
    def statement(self) -> dict[str, Any]:
        return {key: self.entry[key] for key in STATEMENT if key in self.entry}

    @property
    def names(self) -> dict[str, Any]:
        """Parameters for the expressions of the reference."""
        given = {**self.entry.get("parameters", {}), **self.entry.get("names", {})}
        return {name: float(value) for name, value in given.items()}

    def references(self) -> list[Reference]:
        """What to compare with; several where the problem has several solutions and the statement chooses none."""
        found = []
        only = "constants" in self.entry and not {"solution", "reference"} & set(self.entry)
        x = np.zeros(0) if only else self.points()
        for spec in [self.entry, *self.entry.get("also", [])]:
            if "solution" in spec:
                texts = spec["solution"] if isinstance(spec["solution"], dict) else {"u": spec["solution"]}
                found.append(exact(texts, x, self.names, spec.get("constants", {})))
            elif "constants" in spec and "reference" not in spec:
                found.append(exact({}, x, self.names, spec["constants"]))
            else:
                reference = spec["reference"]
                found.append(
                    collocated(reference if "span" in reference else {**reference, "span": self.ends()}, x, self.names)
                )
        return found

    def ends(self) -> list[float]:
        ((_, ends),) = self.entry["domain"].items()
        return [float(evaluated(str(end), self.names)) for end in ends]

    def points(self) -> np.ndarray:
        """Where to compare: equal points, and some that gather at both ends."""
        left, right = (
            [float(evaluated(str(end), self.names)) for end in self.entry["within"]]
            if "within" in self.entry
            else self.ends()
        )
        near = np.concatenate([[0.0], np.logspace(-9, -0.31, COMPARED // 4)])
        part = np.concatenate([np.linspace(0, 1, COMPARED // 2), near, 1 - near])
        return np.unique(np.clip(left + (right - left) * part, left, right))


@dataclass(frozen=True)
class Verdict:
    """How a case ended."""

    case: Case
    kind: str
    error: float = inf
    estimate: float = inf
    accuracy: float = 0.0  # of the reference
    seconds: float = 0.0
    message: str = ""


def cases(files: Sequence[str] = ()) -> Iterator[Case]:
    for path in sorted(FOLDER.glob("*.toml")):
        if files and path.stem not in files:
            continue
        with path.open("rb") as file:
            content = tomllib.load(file)
        for entry in content["problem"]:
            yield Case(path.stem, entry.get("source", content["source"]), entry)


def judged(case: Case) -> Verdict:
    """Solved as stated, and compared."""
    begun = process_time()
    try:
        statement = case.statement
        guidance = Guidance.stated(statement)
        problem = from_mapping(statement)
        solution = gx.solve(problem, TOL, guess=guidance.guess, continuation=guidance.continuation, max_seconds=LONGEST)
    except gx.InputError as refusal:
        return Verdict(case, REFUSED, seconds=process_time() - begun, message=str(refusal))
    except Exception as failure:  # a benchmark reports what went wrong and goes on
        return Verdict(case, BROKEN, seconds=process_time() - begun, message=f"{type(failure).__name__}: {failure}")
    seconds = process_time() - begun
    try:
        error, accuracy = min((_error(solution, one), one.accuracy) for one in case.references())
    except Exception as failure:
        return Verdict(case, BROKEN, seconds=seconds, message=f"reference: {type(failure).__name__}: {failure}")
    kind = UNSOLVED
    if solution.converged:
        kind = SOLVED if error <= max(TOL, 3 * accuracy) else WRONG
    return Verdict(case, kind, error, solution.error, accuracy, seconds, solution.message)


def _error(solution: gx.Solution, reference: Reference) -> float:
    """The largest error of any field or constant, relative to its size."""
    errors = []
    for name, values in reference.fields.items():
        names, known = (*solution.problem.complex_pairs, *solution.problem.fields), np.isfinite(values)
        field = solution[name if name in names else names[0]]
        gap = np.abs(np.asarray(field(reference.x[known])) - values[known])
        errors.append(float(gap.max()) / (float(np.abs(values[known]).max()) or 1.0))
    for name, value in reference.constants.items():
        errors.append(abs(solution.constants[name] - value) / max(abs(value), 1e-300))
    return max(errors)


def listed(verdicts: Sequence[Verdict]) -> str:
    rows = [
        (
            verdict.case.name,
            verdict.case.source if len(verdict.case.source) < 70 else verdict.case.source[:67] + "...",
            verdict.kind,
            f"{verdict.error:.1e}" if np.isfinite(verdict.error) else "",
            f"{verdict.estimate:.1e}" if np.isfinite(verdict.estimate) else "",
            f"{1e3 * verdict.seconds:.0f}",
            "" if verdict.kind == SOLVED else verdict.message.replace("|", "\\|")[:240],
        )
        for verdict in verdicts
    ]
    return table(("problem", "source", "verdict", "true error", "estimate", "CPU ms", "what it said"), rows)


def summary(verdicts: Sequence[Verdict]) -> str:
    counts = {kind: sum(one.kind == kind for one in verdicts) for kind in (SOLVED, REFUSED, UNSOLVED, WRONG, BROKEN)}
    parts = ", ".join(f"{kind} {count}" for kind, count in counts.items())
    total = len(verdicts)
    return f"{total} problems: {parts}. Solved: {100 * counts[SOLVED] / max(total, 1):.1f} %."


def measure(files: Sequence[str] = (), part: str = "") -> str:
    found = []
    for case in cases(files):
        if part.lower() in case.name.lower():
            found.append(judged(case))
    collected = [one for one in found if one.case.collection != TYPED]
    typed = [one for one in found if one.case.collection == TYPED]
    text = (
        f"Statements as their sources have them, tol = {TOL:g}, default settings. The error is the largest of any "
        "field or unknown constant, relative to its size, against a reference that is not ours: an expression, or "
        "collocation of high order after SciPy's solve_bvp. Solved means converged and within the tolerance (or three "
        "times what the reference knows); wrong means converged and not.\n\n"
    )
    text += f"{summary(collected)}\n\n{listed(collected)}" if collected else ""
    if typed:
        text += "\n\nFirst typing: problems written down as they stand on the page before any of them was run.\n\n"
        text += f"{summary(typed)}\n\n{listed(typed)}"
    return text


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--case", default="")
    options = parser.parse_args()
    print(measure(options.files, options.case))
