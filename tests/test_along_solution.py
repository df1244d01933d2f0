"""What a text does where the solution takes it: switches and needles in the field are seen, or nothing is believed."""

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import erf

from gated_xtfc import Problem, solve
from gated_xtfc.gates.along_solution import dips_through, of_one_branch
from gated_xtfc.solver import attempts, bounded

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


def test_kernels_count_how_far_off_they_switch(monkeypatch):
    """A site on the wrong side of a break would hold the solution to the value switched by, wherever the break is."""
    monkeypatch.setattr(bounded, "begun_at_once", lambda *_: None)
    monkeypatch.setattr(attempts, "attempt_elements", lambda *_: None)
    level, end, top = 0.54735, 1.0830725038989493, 0.7928016746900993
    problem = Problem("u'' = k*max(u - c, 0)", {"x": (0, end)}, ["u(0) = 0", f"u({end!r}) = {top!r}"], k=342.0, c=level)
    slope, rate = 0.58563, np.sqrt(342.0)
    solution = solve(problem, 3e-5)
    x = np.linspace(0, end, 1001)
    place = level / slope
    exact = np.where(x < place, slope * x, level + slope / rate * np.sinh(rate * np.maximum(x - place, 0)))
    assert np.abs(solution(x) - exact).max() <= 3 * solution.error * solution.scale
    assert solution.converged


def grazed(width, above, push):
    """u' = (a bump)' + push where u > level, which the top of the bump passes by as little as it says."""
    centre, level = 0.4321, 1.0 - above

    def bump(x):
        return np.exp(-(((x - centre) / width) ** 2))

    first = centre - width * np.sqrt(-np.log(level))
    last = brentq(lambda x: bump(x) + push * (x - first) - level, centre, 1.0, xtol=1e-15)
    text = f"u' = -2*(x - {centre})/w^2*exp(-((x - {centre})/w)^2) + {push!r}*where(u > {level!r}, 1, 0)"
    problem = Problem(text, LINE, [f"u(0) = {float(bump(0.0))!r}"], w=width)
    return problem, lambda x: bump(x) + push * (np.clip(x, first, last) - first)


@pytest.mark.parametrize("above", [3e-4, 1e-6])
@pytest.mark.parametrize("tol", [1e-3, 1e-6])
@pytest.mark.parametrize("width", [0.2, 1e-3])
def test_a_switch_that_is_passed_and_passed_back_between_two_points_is_seen(above, tol, width):
    problem, exact = grazed(width, above, 1.5)
    solution = solve(problem, tol)
    x = np.linspace(0, 1, 1001)
    error = np.abs(solution(x) - exact(x)).max() / np.abs(exact(x)).max()
    assert not solution.converged or error <= 3 * solution.error


def test_how_deep_an_argument_dips_is_told_by_its_slopes():
    x = np.array([0.0, 1.0, 2.0, 3.0])
    parabola = (x - 1.4) ** 2 - 0.01  # passes zero twice between the second and the third
    assert dips_through(x, parabola, 2 * (x - 1.4), 0.0).tolist() == [False, True, False]
    higher = parabola + 0.3
    assert not dips_through(x, higher, 2 * (x - 1.4), 0.0).any()
    assert dips_through(x, higher, 2 * (x - 1.4), 0.5).tolist() == [False, True, False]


@pytest.mark.parametrize("seed", range(4))
def test_places_of_jumps_are_found_in_few_steps(seed):
    random = np.random.default_rng(seed)
    level, first, then = random.uniform(0.2, 0.8), random.uniform(0.3, 3.0), random.uniform(0.3, 3.0)
    place = (1 - level) / first
    end = place + 0.6 / then
    solution = solve(Problem("u' = -where(u > c, a, b)", {"x": (0, end)}, ["u(0) = 1"], c=level, a=first, b=then), 1e-8)
    x = np.linspace(0, end, 501)
    exact = np.where(x < place, 1 - first * x, level - then * (x - place))
    assert solution.converged
    assert np.abs(solution(x) - exact).max() <= 1e-8


@pytest.mark.parametrize(("level", "before", "behind"), [(0.41781, 0.53801, 2.7119), (0.24657, 0.55472, 2.1234)])
def test_newtons_method_begins_on_the_branches_that_breaks_ask_for(level, before, behind):
    # the slope grows fivefold: between a break and the place it should have had a solution is of neither branch
    place = (1.0 - level) / before
    end = place + 0.6 / behind
    problem = Problem("u' = -where(u > c, a, b)", {"x": (0, end)}, ["u(0) = 1"], a=before, b=behind, c=level)
    solution = solve(problem, 1e-4)
    assert solution.converged, solution.message
    x = np.linspace(0, end, 301)
    exact = np.where(x < place, 1.0 - before * x, level - behind * (x - place))
    assert np.abs(solution(x) - exact).max() <= 1e-4


def test_points_where_a_switch_stands_as_in_the_least_of_a_piece_take_the_place_of_none():
    problem = Problem("u' = where(u > 0, 1, 2)", LINE, ["u(0) = -0.4"])
    x = np.array([0.0, 0.1, 0.3, 0.45, 0.5, 0.6, 0.8, 1.0])
    jets = [{(0,): x - 0.4, (1,): np.ones_like(x)}]
    held = of_one_branch(problem, x, jets, (), np.array([0.55]))
    assert held is not None
    assert held.tolist() == [0, 1, 2, 2, 2, 5, 6, 7]
    assert of_one_branch(problem, x, jets, (), np.array([0.4])) is None
