"""The problems of the classical test set, with reference values of every field."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gated_xtfc import Problem, Solution

DATA = Path(__file__).parent / "data"


@dataclass(frozen=True)
class Case:
    label: str
    problem: Problem
    x: np.ndarray  # (n,)
    values: dict[str, np.ndarray]  # by field, (n,) each
    accuracy: float  # of the values

    def error(self, solution: Solution) -> float:
        """Largest error of any field at the reference points, relative to its max(1, max|u|)."""
        return max(
            float(np.abs(solution[field](self.x) - values).max() / max(1.0, np.abs(values).max()))
            for field, values in self.values.items()
        )


def linear() -> Iterator[Case]:
    return _cases("bvp_linear.json")


def nonlinear() -> Iterator[Case]:
    return _cases("bvp_nonlinear.json")


def _cases(file: str) -> Iterator[Case]:
    for entry in json.loads((DATA / file).read_text(encoding="utf-8")):
        for case in entry["cases"]:
            problem = Problem(entry["equations"], entry["domain"], entry["conditions"], eps=case["eps"])
            values = {field: np.array(found) for field, found in case["values"].items()}
            label = f"problem {entry['id']}, eps = {case['eps']:.3g}"
            yield Case(label, problem, np.array(entry["x"]), values, case["accuracy"])
