"""Folds, branch points and several solutions: what the literature lists, found or not, and how long it takes."""

import single_thread  # noqa: F401

# isort: split
from time import perf_counter, process_time
from typing import Any

import numpy as np

import gated_xtfc as gx
from measure import table

PI = np.pi
LINE, FIXED = {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0"]
BRATU = gx.Problem("u'' + k*exp(u) = 0", LINE, FIXED, k=1)
SYSTEM = gx.Problem(["u' = v", "v' = -k*exp(u)"], LINE, FIXED, k=1)
COLUMN = gx.Problem("u'' + k*sin(u) = 0", LINE, FIXED, k=5)
CUBIC = gx.Problem("u'' + k*(u - u^3) = 0", LINE, FIXED, k=5)
TRANSCRITICAL = gx.Problem("u'' + k*u - u^2 = 0", LINE, FIXED, k=5)
PELLET = gx.Problem(
    "u'' = phi^2*u*exp(g*b*(1 - u)/(1 + b*(1 - u)))", LINE, ["u'(0) = 0", "u(1) = 1"], phi=0.2, g=20, b=0.6
)
CARRIER = gx.Problem("eps*u'' + 2*(1 - x^2)*u + u^2 = 1", {"x": (-1, 1)}, ["u(-1) = 0", "u(1) = 0"], eps=1e-2)
SEARCHED = 120.0  # seconds for Carrier's problem


def followed(label: str, problem: gx.Problem, name: str, between: tuple[float, float], show: str, known: Any) -> tuple:
    """One row: special points with their distance from what is known, and the cost."""
    start = process_time()
    branch = gx.branch(problem, name, between, show=show, max_points=120)
    seconds = process_time() - start
    special = [*branch.folds, *branch.branch_points]
    found = sorted(point.parameter for point in special)
    expected = sorted(known)
    off = (
        max((min(abs(value - one) for one in found) / abs(value) for value in expected), default=0.0) if found else 1.0
    )
    errors = max(point.solution.error for point in branch.points)
    return (
        label,
        len(branch.folds),
        len(branch.branch_points),
        f"{len(found)} found, {len(expected)} known" if expected else f"{len(found)} found",
        f"{off:.1e}" if expected else ", ".join(f"{value:.9g}" for value in found),
        len(branch.reasons),
        len(branch),
        f"{errors:.0e}",
        f"{seconds:.2g}",
    )


def searched(label: str, problem: gx.Problem, listed: str, count: int | None, seconds: float) -> tuple:
    begun, start = process_time(), perf_counter()
    found = gx.solutions(problem, count, seconds)
    largest = max((solution.error for solution in found), default=0.0)
    return (
        label,
        len(found),
        listed,
        found.starts,
        f"{largest:.0e}",
        f"{process_time() - begun:.2g}",
        (f"{perf_counter() - start:.2g}"),
    )


def measure() -> str:
    rows = [
        followed("Bratu: the fold", BRATU, "k", (0.1, 4), "max(u)", [3.513830719125162]),
        followed("Bratu as a system", SYSTEM, "k", (0.5, 4), "max(u)", [3.513830719125162]),
        followed("Euler's column", COLUMN, "k", (5, 100), "u(0.3)", [PI**2, 4 * PI**2, 9 * PI**2]),
        followed("u'' + k (u - u^3)", CUBIC, "k", (5, 100), "u(0.3)", [PI**2, 4 * PI**2, 9 * PI**2]),
        followed("u'' + k u - u^2", TRANSCRITICAL, "k", (5, 60), "integral(u)", [PI**2, 4 * PI**2]),
        followed("pellet: two folds", PELLET, "phi", (0.05, 1), "u(0)", []),
    ]
    head = ("branch", "folds", "branch points", "special points", "off by, or where", "curves", "solutions",
            "largest error", "s")  # fmt: skip
    several = [
        searched("Bratu, k = 1", BRATU, "2", 2, 30),
        searched("pellet, phi = 0.2", PELLET, "3", 3, 30),
        searched("u'' + 100 (u - u^3)", CUBIC(k=100), "7", 7, 30),
        searched("Carrier, eps = 1e-2", CARRIER, "at least 10", None, SEARCHED),
        searched("Carrier, eps = 1e-3", CARRIER(eps=1e-3), "many", None, SEARCHED),
    ]
    there = ("problem", "found", "in the literature", "starts", "largest error", "s of the processor", "s")
    return "\n\n".join(
        [
            "`gx.branch` at tol 1e-8. Special points are folds and branch points. They are off by so much, relative to "
            "values with a closed form (Bratu's fold: 3.513830719125162). Seconds are those of the processor.",
            table(head, rows),
            f"`gx.solutions` at tol 1e-8, until as many are found as the literature lists, or for {SEARCHED:g} s:",
            table(there, several),
        ]
    )


if __name__ == "__main__":
    print(measure())
