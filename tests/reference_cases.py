"""The linear problems of the classical test set, with their reference values."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gated_xtfc import Problem

FILE = Path(__file__).parent / "data" / "bvp_linear.json"


@dataclass(frozen=True)
class Case:
    label: str
    problem: Problem
    x: np.ndarray  # (n,)
    values: np.ndarray  # (n,)

    def error(self, found: np.ndarray) -> float:
        """Largest error at the reference points, relative to max(1, max|u|)."""
        return float(np.abs(found - self.values).max() / max(1.0, np.abs(self.values).max()))


def linear() -> Iterator[Case]:
    for entry in json.loads(FILE.read_text(encoding="utf-8")):
        (equation,) = entry["equations"]
        for case in entry["cases"]:
            problem = Problem(equation, entry["domain"], entry["conditions"], eps=case["eps"])
            label = f"problem {entry['id']}, eps = {case['eps']:g}"
            yield Case(label, problem, np.array(entry["x"]), np.array(case["values"]["u"]))
