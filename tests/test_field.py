"""Dual numbers: exact derivatives, exact knowledge of linearity, silence beyond the range of double precision."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gated_xtfc.errors import InputError
from gated_xtfc.language.dual import Dual, maximum, minimum, select, unknown
from gated_xtfc.language.field import Field
from gated_xtfc.language.functions import FUNCTIONS

U, DU = ("u", (0,)), ("u", (1,))
POINTS = np.array([0.11, 0.35, 0.62, 0.93])
SMOOTH = sorted(set(FUNCTIONS) - {"abs", "sign", "erf"})


def numpy_function(name):
    return getattr(np, {"asin": "arcsin", "acos": "arccos", "atan": "arctan"}.get(name, name))


@pytest.mark.parametrize("name", SMOOTH)
def test_slopes_equal_the_complex_step(name):
    result = unknown("x", POINTS).apply(name)
    step = np.imag(numpy_function(name)(POINTS + 1e-30j)) / 1e-30
    np.testing.assert_allclose(result.value, numpy_function(name)(POINTS), rtol=1e-15)
    np.testing.assert_allclose(result.partials["x"], step, rtol=1e-14)


def test_the_slope_of_erf_equals_a_difference_quotient():
    h = 1e-6
    slope = unknown("x", POINTS).apply("erf").partials["x"]
    difference = (FUNCTIONS["erf"][0](POINTS + h) - FUNCTIONS["erf"][0](POINTS - h)) / (2 * h)
    np.testing.assert_allclose(slope, difference, rtol=1e-8)


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_a_float_gives_the_same_as_an_array_and_stays_a_float(name):
    as_float, as_array = unknown("x", 0.35).apply(name), unknown("x", np.array([0.35])).apply(name)
    assert type(as_float.value) is float
    assert type(as_float.partials["x"]) is float
    assert as_float.value == pytest.approx(as_array.value[0], rel=1e-15)
    assert as_float.partials["x"] == pytest.approx(np.ravel(as_array.partials["x"])[0], rel=1e-14)


FORMULAS = [
    lambda a, b: a * b + a / b - b / a,
    lambda a, b: (a - b) * (2 - a) / (1 + b * b),
    lambda a, b: a**b + 2**a + b**2.5,
    lambda a, b: a**-1 - (-b) ** 3,
    lambda a, b: np.exp(a * b) * np.tanh(b - a) + np.sqrt(a),
    lambda a, b: np.array([2.0, 3.0, 4.0, 5.0]) * a - np.array([1.0, 2.0, 3.0, 4.0]) / b,
    lambda a, b: np.array([2.0, 3.0, 0.5, 5.0]) ** a - np.square(b) + np.positive(a),
    lambda a, b: a ** np.array([2.0, 3.0, 0.5, 0.0]) - b,
]


@pytest.mark.parametrize("formula", FORMULAS)
def test_both_partials_of_a_formula_equal_the_complex_step(formula):
    a, b = POINTS, POINTS[::-1] + 0.5
    result = formula(unknown("x", a), unknown(U, b))
    np.testing.assert_allclose(result.value, formula(a, b), rtol=1e-14)
    np.testing.assert_allclose(result.partials["x"], np.imag(formula(a + 1e-30j, b)) / 1e-30, rtol=1e-12)
    np.testing.assert_allclose(result.partials[U], np.imag(formula(a, b + 1e-30j)) / 1e-30, rtol=1e-12)


def test_a_linear_combination_keeps_scalar_coefficients_scalar():
    u, du = unknown(U), unknown(DU)
    result = 3.0 * du - u / 2.0 + POINTS - POINTS * u
    assert result.partials[DU] == 3.0
    assert type(result.partials[DU]) is float
    np.testing.assert_array_equal(result.partials[U], -0.5 - POINTS)
    np.testing.assert_array_equal(result.value, POINTS)
    assert not result.nonlinear


LINEAR = [
    lambda x, u, v: x * u + np.sin(x) * v,
    lambda x, u, v: u / x - v,
    lambda x, u, v: -(u + v) * x**2 / np.exp(x),
    lambda x, u, v: u**1 + v**0,
    lambda x, u, v: np.where(x < 0.5, u, v),
    lambda x, u, v: select(x < 0.5, u, 2.0),
    lambda x, u, v: maximum(x, 0.3) * u + abs(x) * v,
]
CURVED = [
    lambda x, u, v: u * v,
    lambda x, u, v: u * u,
    lambda x, u, v: u**2,
    lambda x, u, v: u**-1,
    lambda x, u, v: u**x,
    lambda x, u, v: x**u,
    lambda x, u, v: 2**u,
    lambda x, u, v: x / u,
    lambda x, u, v: 1 / u,
    lambda x, u, v: v / u,
    lambda x, u, v: np.sin(u),
    lambda x, u, v: abs(u),
    lambda x, u, v: np.sign(u),
    lambda x, u, v: np.maximum(u, 0.0),
    lambda x, u, v: minimum(0.0, u),
    lambda x, u, v: select(u < 0.5, 1.0, 2.0, by_field=True),
    lambda x, u, v: np.where(x < 0.5, select(u < 0.5, 1.0, 2.0, by_field=True), 3.0),
    lambda x, u, v: x * (u * v) - u,
    lambda x, u, v: np.where(x < 0.5, u * u, v),
]


@pytest.mark.parametrize("value", [0.0, 0.7, POINTS])
@pytest.mark.parametrize("formula", LINEAR)
def test_what_is_linear_in_the_fields_is_not_curved(formula, value):
    assert not formula(unknown("x", POINTS), unknown(U, value), unknown(DU, value)).nonlinear


@pytest.mark.parametrize("value", [0.0, 0.7, POINTS])
@pytest.mark.parametrize("formula", CURVED)
def test_what_is_not_linear_in_the_fields_is_curved(formula, value):
    assert formula(unknown("x", POINTS), unknown(U, value), unknown(DU, value)).nonlinear


def test_coordinates_do_not_make_anything_curved():
    x = unknown("x", POINTS)
    assert not (np.sin(x) * x**x / (1 + x)).nonlinear


def test_the_branch_not_taken_leaves_no_nan():
    x = unknown("x", np.array([-1.0, 0.0, 4.0]))
    result = np.where(x > 0, np.sqrt(x), 0.0)
    np.testing.assert_array_equal(result.value, [0.0, 0.0, 2.0])
    np.testing.assert_array_equal(result.partials["x"], [0.0, 0.0, 0.25])


def test_minimum_and_maximum_differentiate_the_active_argument():
    x = unknown("x", np.array([-1.0, 2.0]))
    np.testing.assert_array_equal(np.maximum(x, 0.0).partials["x"], [0.0, 1.0])
    np.testing.assert_array_equal(np.minimum(x, x * x).partials["x"], [1.0, 1.0])
    assert maximum(unknown("x", 3.0), 1.0).partials["x"] == 1.0
    assert np.isnan(minimum(1.0, float("nan")))
    assert np.isnan(maximum(float("nan"), 1.0))


@pytest.mark.parametrize("value", [0.0, np.array([0.0, -1.0])])
def test_leaving_the_range_gives_inf_or_nan_in_silence(value):
    x = unknown("x", value)
    for result in (1 / x, x / 0, x / x, x**-1, x**0.5, np.log(x), np.sqrt(x), np.exp(1e6 + x), 0.0**x, (x - 1) ** 0.5):
        numbers = np.concatenate([np.ravel(result.value), np.ravel(result.partials["x"])])
        assert not np.isfinite(numbers).all()


def test_comparisons_compare_values():
    x = unknown("x", POINTS)
    np.testing.assert_array_equal(x < 0.5, POINTS < 0.5)
    np.testing.assert_array_equal(x > 0.5, POINTS > 0.5)
    assert (x >= POINTS).all()
    assert (POINTS <= x).all()
    assert (x == POINTS).all()
    assert not (POINTS != x).any()


def test_what_numpy_function_is_not_known_is_refused():
    with pytest.raises(TypeError):
        np.arctan2(unknown("x", POINTS), 1.0)
    with pytest.raises(TypeError):
        np.concatenate([unknown("x", POINTS)])


@given(st.floats(-3, 3), st.floats(-3, 3))
def test_the_product_rule_holds(a, b):
    x = Dual(a, {"x": 1.0, "y": 2.0}) * Dual(b, {"x": 3.0})
    assert x.partials == {"x": b + 3.0 * a, "y": 2.0 * b}


def test_a_field_hands_out_its_derivatives_and_remembers_which():
    state = {("u", (k,)): unknown(("u", (k,)), float(k)) for k in range(5)}
    u = Field("u", state)
    assert (u.x - u).partials == {("u", (1,)): 1.0, ("u", (0,)): -1.0}
    assert u.requested == {(0,), (1,)}
    assert u.xxxx.value == u.dx(4).value == 4.0
    assert u.requested == {(0,), (1,), (4,)}
    assert Field("u", state, ("t",)).tt.value == 2.0


def test_a_field_has_no_other_derivatives():
    u = Field("u", {("u", (0,)): 0.0})
    with pytest.raises(AttributeError, match="no 'y'"):
        _ = u.y
    with pytest.raises(InputError, match="orders 0 to 4"):
        _ = u.xxxxx
