"""The exact solutions of the zoo's families on a rectangle: each satisfies its own equation and conditions."""

import re

import mpmath
import numpy as np
import pytest
from scipy.linalg import solve_sylvester

from gated_xtfc import zoo
from gated_xtfc.errors import InputError
from gated_xtfc.problem.problem import Problem
from gated_xtfc.zoo.rectangle import poisson_peak as exact
from gated_xtfc.zoo.rectangle import sine_series as series

mp = mpmath.mp.clone()
mp.dps = 60
WORDS = {name: getattr(mp, name) for name in ("exp", "sqrt", "pi")} | {"arctan": mp.atan}
TEXTS = [name for name in zoo.RECTANGLE_NAMES if name != "poisson_peak"]
MEMBERS = [(name, value) for name in TEXTS for value in zoo.family(name).values]


def precise(text, settings):
    """A text of our own as a function of 60-digit numbers; doubles in it stay the doubles they are."""
    code, values = compile(text, "zoo", "eval"), {name: mp.mpf(value) for name, value in settings.items()}
    return lambda **names: eval(code, {**WORDS, **values, **names})  # the parser's ** and / are Python's


@pytest.mark.parametrize(("name", "value"), MEMBERS)
def test_exact_solution_satisfies_its_equation(name, value):
    family = zoo.family(name)
    settings = family.settings(**{family.small: value})
    solution = precise(family.exact, settings)
    left, right = (precise(side, settings) for side in family.equation.split(" = "))
    x, y = family.grid(40, **{family.small: value})
    random = np.random.default_rng(7)
    for a, b in zip(random.choice(x, 6), random.choice(y, 6), strict=True):
        place = {"x": mp.mpf(a), "y": mp.mpf(b)}
        jet = {
            f"u{'_' if p + q else ''}{'x' * p}{'y' * q}": mp.diff(
                lambda s, t: solution(x=s, y=t), (place["x"], place["y"]), (p, q)
            )
            for p, q in ((0, 0), (1, 0), (0, 1), (2, 0), (0, 2))
        }
        terms = [jet[key] for key in jet] + [right(**place)]
        assert abs(left(**place, **jet) - right(**place)) <= mp.mpf(10) ** -12 * (1 + max(abs(term) for term in terms))


@pytest.mark.parametrize(("name", "value"), MEMBERS)
def test_exact_solution_satisfies_its_conditions(name, value):
    family = zoo.family(name)
    settings = family.settings(**{family.small: value})
    solution = precise(family.exact, settings)
    (data,) = (
        precise(re.fullmatch(r"u = (.*) on boundary", condition)[1], settings) for condition in family.conditions
    )
    for t in (mp.mpf(0), mp.mpf("0.3"), mp.mpf(1)):
        for place in (
            {"x": mp.mpf(0), "y": t},
            {"x": mp.mpf(1), "y": t},
            {"x": t, "y": mp.mpf(0)},
            {"x": t, "y": mp.mpf(1)},
        ):
            assert abs(solution(**place) - data(**place)) < mp.mpf(10) ** -40


@pytest.mark.parametrize(
    ("name", "value"), [(name, v) for name in zoo.RECTANGLE_NAMES for v in zoo.family(name).values]
)
def test_every_member_is_a_problem_with_a_finite_exact_solution(name, value):
    family = zoo.family(name)
    problem = family.problem(**{family.small: value})
    x, y = family.grid(30, **{family.small: value})
    values = problem.exact(x[:, None], y)
    assert isinstance(problem, Problem)
    assert problem.linear
    assert values.shape == (30, 30)
    assert np.isfinite(values).all()


def chebyshev_poisson(nu, degree=60):
    """An independent solution for a wide source: collocation in Chebyshev points, x descending."""
    t = np.cos(np.pi * np.arange(degree + 1) / degree)
    weight = np.where(np.isin(np.arange(degree + 1), (0, degree)), 2.0, 1.0) * (-1.0) ** np.arange(degree + 1)
    apart = t[:, None] - t + np.eye(degree + 1)
    first = np.outer(weight, 1 / weight) / apart
    first -= np.diag(first.sum(axis=1))
    second = 4 * (first @ first)[1:-1, 1:-1]
    x = (1 + t[1:-1]) / 2
    bell = np.exp(-((x - 0.5) ** 2) / (2 * nu**2)) / (np.sqrt(2 * np.pi) * nu)
    return x, solve_sylvester(second, second.T, np.outer(bell, bell))


def test_a_source_that_the_walls_cut_off_agrees_with_chebyshev_collocation():
    x, u = chebyshev_poisson(0.1)
    assert np.abs(u - exact(x[:, None], x, 0.1)).max() < 1e-12


@pytest.mark.parametrize("nu", [0.03, 1e-2, 3e-3])
def test_few_modes_and_exponential_integrals_agree_with_the_whole_series(nu):
    x = np.linspace(0, 1, 33)
    assert np.abs(exact(x[:, None], x, nu) - series(x[:, None], x, nu)).max() < 3e-15


@pytest.mark.parametrize("nu", [1e-2, 1e-4])
def test_the_peak_satisfies_poissons_equation(nu):
    """Second differences in the radius, away from the walls' small and smooth part: within 20 widths."""
    h = 0.02 * nu
    for r in np.array([0.3, 1.0, 2.5]) * nu:
        x, y = 0.5 + r * 0.6, 0.5 + r * 0.8
        star = exact(x + h, y, nu) + exact(x - h, y, nu) + exact(x, y + h, nu) + exact(x, y - h, nu)
        source = np.exp(-(r**2) / (2 * nu**2)) / (2 * np.pi * nu**2)
        assert (star - 4 * exact(x, y, nu)) / h**2 == pytest.approx(source, rel=1e-3, abs=1e-4 / nu**2)


@pytest.mark.parametrize("nu", [0.1, 1e-2, 1e-4])
def test_grids_and_single_points_agree_and_the_sides_are_zero(nu):
    x = np.linspace(0, 1, 21)
    table = exact(x[:, None], x, nu)
    pairs = np.random.default_rng(1).integers(21, size=(2, 9))
    assert np.abs(exact(x[pairs[0]], x[pairs[1]], nu) - table[pairs[0], pairs[1]]).max() < 1e-15
    assert np.array_equal(exact(*np.meshgrid(x, x, indexing="ij"), nu), table)
    assert exact(0.5, 0.5, nu) == pytest.approx(table.min(), abs=1e-15)
    assert max(np.abs(table[[0, -1]]).max(), np.abs(table[:, [0, -1]]).max()) < 1e-15


def test_grids_are_dense_in_the_layers():
    x, y = zoo.family("outflow_layers").grid(100, eps=1e-4)
    assert np.count_nonzero(x > 1 - 1e-3) >= 50
    assert np.count_nonzero(y > 1 - 1e-3) >= 50
    assert (x[0], x[-1]) == (0.0, 1.0)


def test_points_of_an_interval_are_refused_with_the_way_to_a_grid():
    with pytest.raises(InputError, match=r"x and y: take its grid"):
        zoo.family("peak").points(10)


def test_an_unknown_family_is_refused():
    with pytest.raises(InputError, match="poisson_peak"):
        zoo.family("circle")
