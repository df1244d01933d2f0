"""Every exact solution of the zoo satisfies its own equation and conditions, checked in 50-digit arithmetic."""

import math
import pickle
from collections.abc import Callable

import mpmath
import numpy as np
import pytest

from gated_xtfc import InputError, solve, zoo
from gated_xtfc.linearise import Operator
from gated_xtfc.problem import Problem
from gated_xtfc.zoo.family import Family
from gated_xtfc.zoo.random_layers import KINDS, draw

mp = mpmath.mp.clone()
mp.dps = 50
WORDS = {name: getattr(mp, name) for name in ("sin", "cos", "exp", "sqrt", "erf", "pi")}
WORDS |= {"where": lambda chosen, a, b: a if chosen else b, "min": min, "max": max}
MEMBERS = [(name, value) for name in zoo.NAMES for value in zoo.family(name).values]
SEEDS = range(28)


def precise_airy(eps: float) -> Callable:
    """The solution of eps u'' = x u with u(-1) = u(1) = 1, straight from its definition: 50 digits need no scaling."""
    stretch = mp.cbrt(1 / mp.mpf(eps))
    (ai_left, bi_left), (ai_right, bi_right) = ((mp.airyai(z), mp.airybi(z)) for z in (-stretch, stretch))
    determinant = ai_left * bi_right - ai_right * bi_left
    a, b = (bi_right - bi_left) / determinant, (ai_left - ai_right) / determinant
    return lambda x: a * mp.airyai(stretch * x) + b * mp.airybi(stretch * x)


def precise(family: Family, problem: Problem) -> Callable:
    """The exact solution as a function of 50-digit numbers."""
    if family.name == "airy":
        return precise_airy(problem.parameters["eps"])
    # these texts are our own; doubles in them stay the doubles they are
    code = compile(family.exact, family.name, "eval")
    values = {name: mp.mpf(value) for name, value in problem.parameters.items()}
    return lambda x: eval(code, {**WORDS, **values, "x": x})


def check(family: Family, problem: Problem) -> None:
    exact, operator = precise(family, problem), Operator.of(problem)
    left, right = family.domain
    points = family.points(24, **problem.parameters)
    x = np.array([point for point in points if left < point < right and point != 0.5])
    derivatives = np.array([[float(mp.diff(exact, mp.mpf(p), k)) for p in x] for k in range(operator.order + 1)])
    coefficients, source = operator(x)
    terms = np.array(coefficients) * derivatives
    size = np.abs(terms).sum(axis=0) + np.abs(source)
    assert np.abs(terms.sum(axis=0) - source).max() <= 1e-11 * size.max()
    # and point by point, up to where the terms drown in the 50 digits
    assert (np.abs(terms.sum(axis=0) - source) <= 1e-6 * size + 1e-20 * size.max()).all()

    for condition in problem.conditions:
        parts = [term.weight * mp.diff(exact, mp.mpf(term.point), term.order) for term in condition.terms]
        for integral in condition.integrals:
            assert integral.coefficients(0.5) == {("u", 0): 1.0}
            location, thickness = family.layers(**problem.parameters)[0]
            splits = sorted({left, right, *(min(max(location + s * thickness, left), right) for s in (-60, -9, 9, 60))})
            parts.append(integral.weight * mp.quad(exact, splits))
        scale = max([1.0, abs(condition.value), *(abs(part) for part in parts)])
        assert abs(sum(parts) - condition.value) <= 1e-13 * scale

    values = problem.exact(points)
    reference = np.array([float(exact(mp.mpf(point))) for point in points])
    assert np.abs(values - reference).max() <= 2e-12 * max(1.0, np.abs(reference).max())


@pytest.mark.parametrize(
    ("name", "value"), MEMBERS, ids=lambda part: f"{part:.0e}" if isinstance(part, float) else part
)
def test_exact_solution_satisfies_its_equation_and_conditions(name, value):
    family = zoo.family(name)
    check(family, family.problem(**{family.small: value}))


@pytest.mark.parametrize("seed", SEEDS)
def test_random_problem_is_solved_by_its_exact_solution(seed):
    family = draw(np.random.default_rng(seed))
    check(family, family.problem())


def true_error(family: Family, problem: Problem, solution: Callable) -> float:
    points = family.points(2000, **problem.parameters)
    exact = problem.exact(points)
    return float(np.abs(solution(points) - exact).max() / max(1.0, np.abs(exact).max()))


@pytest.mark.parametrize(("name", "value"), MEMBERS, ids=[f"{name}-{value:.0e}" for name, value in MEMBERS])
def test_every_member_is_solved_to_tolerance_and_knows_it(name, value):
    family = zoo.family(name)
    problem = family.problem(**{family.small: value})
    solution = solve(problem, tol=1e-8)
    error = true_error(family, problem, solution)
    assert solution.status == "converged", solution.message
    assert error <= 1e-8
    assert error <= 3 * solution.error


@pytest.mark.parametrize("seed", SEEDS)
def test_random_problem_is_solved_or_says_why_not(seed):
    family = draw(np.random.default_rng(seed))
    problem = family.problem()
    solution = solve(problem, tol=1e-8)
    error = true_error(family, problem, solution)
    assert error <= 3 * solution.error
    # a needle in u'' = f costs digits: its curvature, 1/width^2, is only known to rounding
    assert solution.status == "converged" or (solution.status == "rounding" and "needle" in family.name)


def test_random_problems_cover_every_kind_and_repeat_with_their_seed():
    families = [draw(np.random.default_rng(seed)) for seed in SEEDS]
    assert {family.name.removesuffix(", Robin") for family in families} == set(KINDS)
    assert any(family.name.endswith("Robin") for family in families)
    assert draw(np.random.default_rng(7)).equation == draw(np.random.default_rng(7)).equation


@pytest.mark.parametrize("name", zoo.NAMES)
def test_family_describes_itself(name):
    family = zoo.family(name)
    assert family.name == name
    assert family.look
    assert "\n" not in family.look
    smallest, largest = family.span
    assert 0 < smallest < largest <= 1
    points = family.points(1000)
    assert points.shape == (1000,) or not family.layers(**family.settings())
    assert family.domain == (points[0], points[-1])
    assert (np.diff(points) >= 0).all()


@pytest.mark.parametrize("name", zoo.NAMES)
def test_member_changes_its_exact_solution_with_its_parameters(name):
    family = zoo.family(name)
    mild, sharp = (
        family.problem(**{family.small: family.values[0]}),
        family.problem(**{family.small: family.values[-1]}),
    )
    points = family.points(101, **sharp.parameters)
    moved = mild(**{family.small: family.values[-1]})
    assert moved == sharp
    assert np.array_equal(moved.exact(points), sharp.exact(points))
    assert not np.array_equal(mild.exact(points), sharp.exact(points))


@pytest.mark.parametrize("name", zoo.NAMES)
def test_member_pickles(name):
    problem = zoo.problem(name)
    assert pickle.loads(pickle.dumps(problem)) == problem


def test_half_of_the_points_lie_inside_the_layer():
    points = zoo.family("convection_diffusion").points(20_000, nu=1e-12)
    assert points.size == 20_000
    assert (points >= 1 - 20e-12).sum() >= 10_000
    assert np.unique(points[points > 1 - 20e-12]).size > 1000


def test_unknown_family_is_refused_with_the_names_there_are():
    with pytest.raises(InputError, match="airy"):
        zoo.family("aeiry")


def test_small_parameter_is_in_range_by_default():
    for name in zoo.NAMES:
        family = zoo.family(name)
        smallest, largest = family.span
        assert smallest <= family.settings()[family.small] <= largest
        assert math.isfinite(float(family.problem().exact(family.domain[0])))
