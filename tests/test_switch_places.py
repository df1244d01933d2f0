"""Where a text does not say to the last digit at which place it switches, the estimate counts it."""

import numpy as np
import pytest

from gated_xtfc import Problem, solve
from gated_xtfc.solver.interval.switch_places import uncertainties

LINE = {"x": (0, 1)}
ENDS = ["u(0) = 0", "u(1) = 0"]


def comb(waves, level, height):
    """u'' = height inside the windows of a sine above a level, by hand."""
    number = 2 * np.pi * waves
    start, stop = np.arcsin(level) / number, (np.pi - np.arcsin(level)) / number
    windows = [(start + j / waves, stop + j / waves) for j in range(waves)]

    def twice(x):
        return height * sum(0.5 * (np.clip(x, a, b) - a) ** 2 + (b - a) * np.maximum(x - b, 0.0) for a, b in windows)

    return lambda x: twice(x) - x * twice(np.array(1.0))


@pytest.mark.parametrize("waves", [1, 7, 40])
@pytest.mark.parametrize("above", [1e-2, 1e-6, 1e-9])
@pytest.mark.parametrize("tol", [1e-4, 1e-8, 1e-12])
def test_windows_of_a_sine_are_as_wide_as_rounding_lets_them(waves, above, tol):
    level = 1 - above
    problem = Problem(f"u'' = where(sin(2*pi*{waves}*x) > {level!r}, 1, 0)", LINE, ENDS)
    solution, x = solve(problem, tol), np.linspace(0, 1, 201)
    exact = comb(waves, level, 1.0)(x)
    error = np.abs(solution(x) - exact).max() / np.abs(exact).max()
    assert error <= max(solution.error, 2e-15)
    assert error <= tol or not solution.converged
    assert solution.status in ("converged", "rounding")


def test_a_place_that_is_written_down_is_certain():
    problem = Problem("u'' = where(x > 0.3, 1, 0)*abs(x - 0.7)", LINE, ENDS)
    assert not uncertainties(problem, np.array([0.3, 0.7])).any()


@pytest.mark.parametrize(
    "text",
    ["u'' = where(x^2 > 0.3, 1, 0)", "u'' = sign(exp(x) - 1.7)", "where(x^3 > 0.2, 2, 1)*u'' + u = 1"],
)
def test_the_true_place_is_within_what_is_said(text):
    true = {"x^2": np.sqrt(np.longdouble(0.3)), "exp": np.log(np.longdouble(1.7)), "x^3": np.cbrt(np.longdouble(0.2))}
    solution = solve(Problem(text, LINE, ENDS), 1e-10)
    (place,) = solution.breaks
    apart = uncertainties(solution.problem, np.array([place]))[0]
    exact = next(value for key, value in true.items() if key in text)
    assert abs(np.longdouble(place) - exact) <= apart < 1e-14


def test_a_jump_in_a_coefficient_counts_as_well():
    """A wall that is as wide as rounding lets it: u is small behind it, and as uncertain as its width."""
    wall = "where(sin(pi*x) > 1 - 1e-9, 1e9, 0)"
    solution = solve(Problem(f"u'' = {wall}*u", LINE, ["u(0) = 1", "u(1) = 0"]), 1e-12)
    assert solution.status == "rounding"
    half = float(2 * np.arcsin(np.sqrt((1 - (1 - 1e-9)) / 2)) / np.pi)
    rate = np.sqrt(1e9)
    # even and odd about the middle: u = 1/2 (1 - slope) at 1/2
    left = 0.5 - half
    slopes = [rate * np.tanh(rate * half), rate / np.tanh(rate * half)]
    even, odd = (0.5 / (1 + slope * left) for slope in slopes)
    exact = float(even + odd)
    assert abs(solution(left) - exact) <= solution.error
    assert solution.error < 1e-5
