"""Derivatives of a solution come with an estimate of their own."""

import numpy as np
import pytest

from gated_xtfc import Problem, solve

LINE = {"x": (0, 1)}
# equation, conditions, the solution and its derivatives
CASES = {
    "layer": (
        "u' - nu*u'' = 0",
        ["u(0) = exp(-1/nu)", "u(1) = 1"],
        [lambda x, nu, j=j: np.exp((x - 1) / nu) / nu**j for j in range(3)],
    ),
    "two layers": (
        "-nu^2*u'' + u = 1",
        ["u(0) = 0", "u(1) = 0"],
        [
            lambda x, nu: 1 - (np.exp(-x / nu) + np.exp((x - 1) / nu)) / (1 + np.exp(-1 / nu)),
            lambda x, nu: -(-np.exp(-x / nu) + np.exp((x - 1) / nu)) / nu / (1 + np.exp(-1 / nu)),
            lambda x, nu: -(np.exp(-x / nu) + np.exp((x - 1) / nu)) / nu**2 / (1 + np.exp(-1 / nu)),
        ],
    ),
    "waves": (
        "nu^2*u'' + u = 0",
        ["u(0) = 0", "u'(0) = 1/nu"],
        [
            lambda x, nu: np.sin(x / nu),
            lambda x, nu: np.cos(x / nu) / nu,
            lambda x, nu: -np.sin(x / nu) / nu**2,
        ],
    ),
}


@pytest.mark.parametrize("tol", [1e-3, 1e-6, 1e-9])
@pytest.mark.parametrize("nu", [0.1, 1e-2, 1e-3])
@pytest.mark.parametrize("name", CASES)
def test_the_error_of_a_derivative_is_estimated(name, nu, tol):
    equation, conditions, exact = CASES[name]
    solution = solve(Problem(equation, LINE, conditions, nu=nu), tol)
    x = np.union1d(solution.points(2001), np.linspace(0, 1, 2001))
    assert set(solution.errors) == {0, 1, 2}
    assert solution.errors[0] == solution.error
    for order, function in enumerate(exact):
        true = function(x, nu)
        error = np.abs(solution(x, order) - true).max() / np.abs(true).max()
        assert error <= solution.errors[order]
        assert solution.errors[order] <= 1e4 * max(error, solution.error)


def test_on_a_rectangle_there_is_one_for_every_derivative():
    square = {"x": (0, 1), "y": (0, 1)}
    exact = "sin(pi*x)*sin(2*pi*y)"
    problem = Problem(f"u_xx + u_yy = -5*pi^2*{exact}", square, ["u = 0 on boundary"], exact)
    solution = solve(problem, 1e-6)
    x, y = np.random.default_rng(0).random((2, 500))
    assert set(solution.errors) >= {(0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2)}
    for (i, j), estimate in solution.errors.items():
        true = np.pi**i * np.sin(np.pi * (x + i / 2)) * (2 * np.pi) ** j * np.sin(np.pi * (2 * y + j / 2))
        assert np.abs(solution(x, y, (i, j)) - true).max() <= estimate * np.abs(true).max()


def test_a_derivative_that_is_anything_is_said_to_be():
    # sqrt(x), whose slope at zero is infinite
    problem = Problem("2*x*u'' + u' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"])
    solution = solve(problem, 1e-8)
    assert solution.converged
    assert solution.errors[1] > 1
