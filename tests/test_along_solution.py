"""What a text does where the solution takes it: switches and needles in the field are seen, or nothing is believed."""

import numpy as np
import pytest
from scipy.special import erf

from gated_xtfc import Problem, solve

LINE = {"x": (0, 1)}


def test_a_kink_in_the_field_breaks_the_interval_where_the_solution_passes_it():
    # sin as long as u is positive, sinh behind: the other solution of this problem is negative throughout
    problem = Problem("u'' + abs(u) = 0", {"x": (0, 4)}, ["u(0) = 0", "u(4) = -2"])
    solution = solve(problem, 1e-8, guess=1)
    assert solution.converged, solution.message
    assert solution.breaks == pytest.approx([np.pi], abs=1e-8)
    x = np.linspace(0, 4, 401)
    size = 2 / np.sinh(4 - np.pi)
    exact = np.where(x < np.pi, size * np.sin(x), -size * np.sinh(x - np.pi))
    assert np.abs(solution(x) - exact).max() <= 1e-8 * solution.scale
    assert solution.neurons < 100


def test_the_larger_of_two_breaks_where_they_meet():
    # u' = 1 until u = 1/2, then u' = 2 u
    solution = solve(Problem("u' = max(1, 2*u)", LINE, ["u(0) = 0"]), 1e-8)
    assert solution.converged, solution.message
    x = np.linspace(0, 1, 301)
    exact = np.where(x < 0.5, x, 0.5 * np.exp(2 * np.maximum(x - 0.5, 0.0)))
    assert np.abs(solution(x) - exact).max() <= 1e-8 * solution.scale


@pytest.mark.parametrize("place", [0.1234, 0.3217, 0.81])
@pytest.mark.parametrize("width", [1e-3, 1e-5])
def test_a_needle_in_the_field_is_not_stepped_over(place, width):
    # the solution lingers where the factor is large; without it u = x
    problem = Problem("u'*(1 + 0.3/w*exp(-((u - c)/w)^2)) = 1", LINE, ["u(0) = 0"], w=width, c=place)
    solution = solve(problem, 1e-6)
    u = np.linspace(0, 1, 2001)
    x = u + 0.3 * 0.5 * np.sqrt(np.pi) * (erf((u - place) / width) + erf(place / width))
    inside = x <= 1.0
    right = np.abs(solution(x[inside]) - u[inside]).max() <= 1e-5
    assert right or not solution.converged


def test_features_that_kernels_resolve_ask_for_nothing_more():
    problem = Problem("eps*u'' = tanh(u) - 0.5", LINE, ["u(0) = 0", "u(1) = 0"], eps=1e-2)
    solution = solve(problem, 1e-8)
    assert solution.converged
    assert solution.breaks == ()
    assert solution.neurons < 100


@pytest.mark.parametrize("beyond", [6e-4, 1e-5])
def test_a_kink_beside_an_end_is_not_stepped_over(beyond):
    # straight up to u = c, steep behind; hardly anything of the interval lies behind
    level, place, rate = 0.6, 1.0, 300.0
    end, top = place + beyond, level + level / rate * np.sinh(rate * beyond)
    ends = ["u(0) = 0", f"u({end!r}) = {float(top)!r}"]
    problem = Problem("u'' = k^2*max(u - c, 0)", {"x": (0, end)}, ends, k=rate, c=level)
    solution = solve(problem, 1e-8)
    x = np.linspace(0, end, 501)
    exact = np.where(x < place, level * x, level + level / rate * np.sinh(rate * np.maximum(x - place, 0)))
    assert solution.converged
    assert np.abs(solution(x) - exact).max() <= max(solution.error, 1e-14) * solution.scale
