"""Values at other places: constant and proportional delays, both ways, outside of the domain, and at fixed points."""

from math import factorial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gated_xtfc as gx

Exact = Any


def error(solution: Any, exact: Exact) -> float:
    (axis,) = solution.problem.axes
    x = np.linspace(axis.left, axis.right, 1001)
    return float(np.abs(solution(x) - exact(x)).max() / np.abs(exact(x)).max())


def by_steps(x: np.ndarray) -> np.ndarray:
    """u' = -u(x - 1), u = 1 up to zero: a polynomial more in every window."""
    windows = range(int(np.ceil(x.max())) + 1)
    return sum((-1.0) ** k * np.maximum(x - k + 1.0, 0.0) ** k / factorial(k) * (x > k - 1) for k in windows)


def pantograph(x: np.ndarray) -> np.ndarray:
    """u' = -u + u(x/2)/2, u(0) = 1, by its power series."""
    total, factor = np.ones_like(x), 1.0
    for n in range(80):
        factor *= (-1.0 + 0.5 * 0.5**n) / (n + 1)
        total = total + factor * x ** (n + 1)
    return total


BEFORE, AFTER = "u = sin(x) on x < 0", "u(x) = sin(x) for x > 3"


@pytest.mark.parametrize(
    ("equation", "domain", "conditions", "exact"),
    [
        ("u' = -u(x - 1)", (0, 5), ["u(0) = 1", "u = 1 on x < 0"], by_steps),
        ("u' = -u + u(x/2)/2", (0, 4), ["u(0) = 1"], pantograph),
        ("u'' + u(x - 1) + u = sin(x - 1)", (0, 3), ["u(0) = 0", "u(3) = sin(3)", BEFORE], np.sin),
        ("u'' = u(x + 1)*u - sin(x)*(1 + sin(x + 1))", (0, 3), ["u(0) = 0", "u(3) = sin(3)", AFTER], np.sin),
        ("u' = -u'(x - 1)/2 + exp(x) + exp(x - 1)/2", (0, 3), ["u(0) = 1", "u = exp(x) on x < 0"], np.exp),
        ("u' = u(pi - x)", (0, np.pi), ["u(0) = 1"], lambda x: np.cos(x) - np.sin(x)),
        ("u'' = u(0.5)", (0, 1), ["u(0) = 0", "u(1) = 9"], np.sin),
    ],
)
def test_solutions_with_delays_are_within_their_estimates(
    equation: str, domain: tuple[float, float], conditions: list[str], exact: Exact
) -> None:
    found = gx.solve(gx.Problem(equation, {"x": domain}, conditions))
    assert found.status == "converged"
    if "u(0.5)" in equation:
        assert found(0.5) == pytest.approx(found(0.3, 2), abs=1e-8)
    else:
        assert error(found, exact) <= found.error


def test_growing_errors_that_the_solution_does_not_show_are_in_the_estimate() -> None:
    problem = gx.Problem("u' = 2*u(x - 1) + cos(x) - 2*sin(x - 1)", {"x": (0, 30)}, ["u(0) = 0", "u = sin(x) on x < 0"])
    found = gx.solve(problem, tol=1e-6)
    assert found.status != "converged"
    assert 1e-6 < error(found, np.sin) < found.error


def test_members_and_saved_solutions_keep_their_delays(tmp_path: Path) -> None:
    problem = gx.Problem("u' = -u(x - tau)", {"x": (0, 2)}, ["u(0) = 1", "u = 1 on x < 0"], tau=1)
    found = gx.solve(problem(tau=0.5))
    found.save(tmp_path / "delayed.gx")
    loaded = gx.load(tmp_path / "delayed.gx")
    x = np.linspace(0.01, 1.99, 50)
    assert found(0.4) == pytest.approx(0.6, abs=1e-10)
    assert np.abs(loaded.residual(x)).max() < 1e-7


@pytest.mark.parametrize(
    ("equation", "conditions", "sentence"),
    [
        ("u' = -u(x - 1)", ["u(0) = 1"], r"u\(x - 1\) reaches x = -1, outside of the domain"),
        ("u' = u(2*x)", ["u(0) = 1"], "on x > 1"),
        ("u' = u(1/x)", ["u(0) = 1"], "not a finite number"),
        ("u' = u(x - v)", ["u(0) = 1"], "unknown name 'v'"),
    ],
)
def test_what_reaches_outside_is_answered_in_a_sentence(equation: str, conditions: list[str], sentence: str) -> None:
    with pytest.raises(gx.InputError, match=sentence):
        gx.solve(gx.Problem(equation, {"x": (0, 1)}, conditions))


def test_what_knows_no_delays_says_so() -> None:
    problem = gx.Problem(
        "u'' + lam*u(x - 0.1) = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0", "u = 0 on x < 0"], unknown="lam"
    )
    with pytest.raises(gx.InputError, match="value at another place"):
        gx.eigen(problem)
