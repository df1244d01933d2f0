"""The cases of the tables: the two problems of the paper and the linear part of the classical test set.

A case is a problem with points and reference values there; errors are relative to max(1, max|u|), as `tol` is.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import gated_xtfc as gx
import peer
from gated_xtfc import zoo

TESTSET = Path(__file__).parent.parent / "tests" / "data" / "bvp_linear.json"


@dataclass(frozen=True)
class Case:
    group: str
    label: str
    small: float
    problem: gx.Problem
    tol: float
    x: np.ndarray  # (n,)
    reference: np.ndarray  # (n,)
    system: Callable[[float], peer.System]  # the same problem for solve_bvp

    @property
    def scale(self) -> float:
        return max(1.0, float(np.abs(self.reference).max()))

    def error(self, values: np.ndarray) -> float:
        """Largest error at the points, relative to max(1, max|u|)."""
        return float(np.abs(values - self.reference).max()) / self.scale


def paper_case(family: str, nu: float, tol: float, system: Callable[[float], peer.System]) -> Case:
    """20,000 points, half of them inside the layers."""
    member = zoo.family(family)
    problem, x = member.problem(nu=nu), member.points(20_000, nu=nu)
    return Case(family, f"{family.replace('_', '-')}, nu = {nu:.0e}", nu, problem, tol, x, problem.exact(x), system)


def convection_diffusion() -> Iterator[Case]:
    for digits in range(1, 13):
        yield paper_case("convection_diffusion", 10.0**-digits, 1e-10, peer.convection_diffusion)


def twin_layers() -> Iterator[Case]:
    for digits in range(2, 9):
        yield paper_case("twin_layers", 10.0**-digits, 1e-10, peer.twin_layers)


def testset() -> Iterator[Case]:
    for entry in json.loads(TESTSET.read_text()):
        x = np.array(entry["x"])
        (equation,), conditions = entry["equations"], entry["conditions"]
        for case in entry["cases"]:
            problem = gx.Problem(equation, entry["domain"], conditions, eps=case["eps"])
            label = f"{entry['id']}, eps = {case['eps']:g}"
            reference = np.array(case["values"]["u"])
            system = peer.TESTSET[entry["id"]]
            yield Case(f"problem {entry['id']}", label, case["eps"], problem, 1e-8, x, reference, system)
