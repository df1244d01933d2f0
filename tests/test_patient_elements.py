"""Elements with all digits: thin features at tight tolerances, and conditions that stand close together."""

from fractions import Fraction

import numpy as np
import pytest

import gated_xtfc as gx
from gated_xtfc.discretise.element_basis import tables
from gated_xtfc.discretise.element_sum import ElementSum
from gated_xtfc.discretise.partition import Partition
from gated_xtfc.linalg.twofold import Twofold, exact_product, exact_sum, from_fractions, twofold
from gated_xtfc.solution.interval import IntervalSolution
from gated_xtfc.solver.interval.element_layout import CHECKS, SITES
from gated_xtfc.solver.interval.exact_residual import exact_tables
from gated_xtfc.solver.interval.node_places import balanced, cut_at

UNIT = {"x": (0, 1)}


def random_numbers(seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    return random.standard_normal(50) * 10.0 ** random.integers(-20, 20, 50)


def exactly(values: Twofold) -> list[Fraction]:
    return [Fraction(high) + Fraction(low) for high, low in zip(values.high.tolist(), values.low.tolist(), strict=True)]


def test_sums_and_products_of_two_numbers_lose_nothing() -> None:
    a, b = random_numbers(0), random_numbers(1)
    sums, products = Twofold(*exact_sum(a, b)), Twofold(*exact_product(a, b))
    pairs = [(Fraction(x), Fraction(y)) for x, y in zip(a.tolist(), b.tolist(), strict=True)]
    assert exactly(sums) == [x + y for x, y in pairs]
    assert exactly(products) == [x * y for x, y in pairs]


def test_pairs_keep_thirty_digits_where_numbers_cancel() -> None:
    third = from_fractions(np.array([Fraction(1, 3)]))
    left = third.times(twofold(np.array([3.0]))).plus(twofold(np.array([-1.0])))
    assert abs(exactly(left)[0]) < 1e-31


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_tables_of_many_digits_are_those_of_the_elements(order: int) -> None:
    own = tables(16, order)
    for exact, sites, checks in zip(exact_tables(16, order), own.at_sites, own.at_checks, strict=True):
        scale = 1e-13 * np.abs(exact.high).max()
        assert np.abs(exact.high[SITES] - sites).max() < scale
        assert np.abs(exact.high[CHECKS] - checks).max() < scale


def test_elements_end_at_the_places_of_conditions_and_neighbours_are_of_like_length() -> None:
    whole = Partition(np.array([0.0, 1.0]), np.array([0.0, -0.5]), np.array([0.5, 0.5]))
    found = balanced(cut_at(whole, [1e-9]))
    assert 1e-9 in found.anchor + found.offset
    assert found.length.sum() == pytest.approx(1.0, abs=1e-15)
    ratio = found.length[1:] / found.length[:-1]
    assert np.maximum(ratio, 1 / ratio).max() <= 100.0


@pytest.mark.parametrize("width", [1e-5, 1e-7])
@pytest.mark.parametrize("place", [0.6, 0.12345])
def test_a_thin_needle_costs_no_digits(width: float, place: float) -> None:
    problem = gx.Problem(f"u'' = exp(-abs(x - {place!r})/w)/w", UNIT, ["u(0) = 0", "u(1) = 0"], w=width)
    solution = gx.solve(problem, tol=1e-12)
    x = np.array([0.0, 0.03, place - width, place, place + 3 * width, 0.9, 1.0])

    def bend(x: np.ndarray) -> np.ndarray:
        return np.abs(x - place) + width * np.exp(-np.abs(x - place) / width)

    exact = bend(x) - (1 - x) * bend(np.array(0.0)) - x * bend(np.array(1.0))
    assert solution.status == "converged"
    assert np.abs(solution(x) - exact).max() <= 1e-14


@pytest.mark.parametrize("value", [0.0, 1.0])
@pytest.mark.parametrize("gap", [2.0**-30, 2.0**-45])
def test_conditions_close_together_determine_a_solution(gap: float, value: float) -> None:
    problem = gx.Problem("u'' = 1", UNIT, ["u(0) = 0", f"u({gap!r}) = {value!r}"])
    solution = gx.solve(problem, tol=1e-11)
    x = np.linspace(0.0, 1.0, 9)
    exact = 0.5 * x**2 + (value / gap - 0.5 * gap) * x
    assert solution.status == "converged"
    assert np.abs(solution(x) - exact).max() <= 1e-13 * np.abs(exact).max()


def test_a_thin_layer_in_an_equation_of_fourth_order_is_solved_to_what_double_precision_leaves() -> None:
    step = "tanh((x - 0.4)/w)"
    source = f"(1 - {step}^2)*(16*{step} - 24*{step}^3)/w^4"
    ends = {end: float(np.tanh((end - 0.4) / 1e-3)) for end in (0.0, 1.0)}
    conditions = [f"u({end!r}) = {value!r}" for end, value in ends.items()] + ["u''(0) = 0", "u''(1) = 0"]
    solution = gx.solve(gx.Problem(f"u'''' = {source}", UNIT, conditions, w=1e-3), tol=1e-4)
    x = 0.4 + 1e-3 * np.linspace(-5.0, 5.0, 41)
    assert solution.status == "converged", solution.message
    assert np.abs(solution(x) - np.tanh((x - 0.4) / 1e-3)).max() <= max(solution.error, 1e-12)
    assert isinstance(solution, IntervalSolution)
    assert isinstance(solution.function, ElementSum)


@pytest.mark.parametrize("n", [4, 9])
def test_a_solution_that_vanishes_does_not_hide_a_singular_operator(n: int) -> None:
    problem = gx.Problem(["u' = v", f"v' = -({n}*pi)^2*u"], UNIT, ["u(0) = 0", "u(1) = 0"])
    assert gx.solve(problem, tol=1e-4).status != "converged"


def test_conditions_that_depend_on_one_another_are_refused_still() -> None:
    problem = gx.Problem("u'' = 1", UNIT, ["u'(0.25) = 0", "u(0) - u(0.5) = 1"])
    assert gx.solve(problem).status != "converged"
