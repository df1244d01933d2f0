"""The nonlinear part of the classical test set: problems, reference values of every field, and the peer's form."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import gated_xtfc as gx
import nonlinear_peer

TESTSET = Path(__file__).parent.parent / "tests" / "data" / "bvp_nonlinear.json"


@dataclass(frozen=True)
class Case:
    label: str
    problem: gx.Problem
    x: np.ndarray  # (n,)
    values: dict[str, np.ndarray]  # of every field, (n,) each
    accuracy: float  # of the reference values
    system: nonlinear_peer.System

    @property
    def limit(self) -> float:
        """Largest error that counts as solved at tol = 1e-8."""
        return max(1e-7, 3 * self.accuracy)

    def error(self, evaluate: Callable[[str], np.ndarray]) -> float:
        """Largest error of any field at the points, relative to its max(1, max|u|)."""
        errors = [
            float(np.abs(evaluate(field) - values).max()) / max(1.0, float(np.abs(values).max()))
            for field, values in self.values.items()
        ]
        return max(errors) if np.isfinite(errors).all() else np.inf


def testset() -> Iterator[Case]:
    for entry in json.loads(TESTSET.read_text(encoding="utf-8")):
        x = np.array(entry["x"])
        for case in entry["cases"]:
            problem = gx.Problem(entry["equations"], entry["domain"], entry["conditions"], eps=case["eps"])
            values = {field: np.array(found) for field, found in case["values"].items()}
            system = nonlinear_peer.TESTSET[entry["id"]](case["eps"])
            yield Case(f"{entry['id']}, eps = {case['eps']:.3g}", problem, x, values, case["accuracy"], system)
