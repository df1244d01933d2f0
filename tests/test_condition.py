"""Conditions are linear functionals with a value, read off the text exactly."""

import math
import pickle

import numpy as np
import pytest

from gated_xtfc.errors import InputError
from gated_xtfc.problem.condition import Integral, Term, check_independent
from gated_xtfc.problem.condition_reader import ConditionReader
from gated_xtfc.problem.domain import Axis

AXIS = Axis("x", 0.0, 1.0)


def condition(text, order=2, axis=AXIS, **parameters):
    return ConditionReader(axis, {"u": order}, {name: float(value) for name, value in parameters.items()}).read(text)


@pytest.mark.parametrize(
    ("text", "terms", "value"),
    [
        ("u(0) = 0", [("u", 0, 0.0, 1.0)], 0.0),
        ("u'(1) = 2", [("u", 1, 1.0, 1.0)], 2.0),
        ("u_x(1) = 2", [("u", 1, 1.0, 1.0)], 2.0),
        ("2 = u(0.25)", [("u", 0, 0.25, -1.0)], -2.0),
        ("u(0) + 3*u'(0) = 1", [("u", 0, 0.0, 1.0), ("u", 1, 0.0, 3.0)], 1.0),
        ("u(0) = u(1)", [("u", 0, 0.0, 1.0), ("u", 0, 1.0, -1.0)], 0.0),
        ("u(0)/2 - (u(1) - 1)*4 = 3*(2 - u(0))", [("u", 0, 0.0, 3.5), ("u", 0, 1.0, -4.0)], 2.0),
        ("u(0) + u(1) + u(0) = 1 + u(1)", [("u", 0, 0.0, 2.0)], 1.0),
        ("u(0.1 + 0.2 - 0.3) = 1", [("u", 0, 0.0, 1.0)], 1.0),
    ],
)
def test_terms_and_value_are_read_off(text, terms, value):
    read = condition(text)
    assert read.terms == tuple(Term(*term) for term in terms)
    assert read.integrals == ()
    assert read.value == value
    assert math.copysign(1.0, read.value) > 0 or read.value != 0
    assert read.text == text


def test_points_weights_and_values_are_expressions_in_the_parameters():
    read = condition("a*u(b/2) = sin(pi/(2*a))", a=3.0, b=1.5)
    assert read.terms == (Term("u", 0, 0.75, 3.0),)
    assert read.value == pytest.approx(0.5)


def test_an_end_reached_by_rounding_is_the_end():
    read = condition("u(0.1 + 0.2) = 0", axis=Axis("x", 0.0, 0.3))
    assert read.terms[0].point == 0.3


def test_integrals_carry_their_coefficients():
    read = condition("2*integral(x*u + nu*u') + u(0) = 1 - integral(u)", nu=5.0)
    assert read.terms == (Term("u", 0, 0.0, 1.0),)
    assert [integral.weight for integral in read.integrals] == [2.0, 1.0]
    x = np.array([0.0, 0.5, 1.0])
    first = read.integrals[0].coefficients(x)
    np.testing.assert_array_equal(first[("u", 0)], x)
    assert first[("u", 1)] == 5.0
    assert read.integrals[1].coefficients(x) == {("u", 0): 1.0}
    assert read.integrals[0].integrand.text == "x*u+nu*u'"


def test_equal_integrals_are_merged():
    read = condition("integral(u) + 3*integral( u ) = 1")
    assert [type(integral) for integral in read.integrals] == [Integral]
    assert read.integrals[0].weight == 4.0


def test_an_integrand_may_be_singular_at_an_end():
    assert condition("integral(u/sqrt(x)) = 1").integrals[0].weight == 1.0


def test_conditions_pickle():
    read = condition("integral(x*u) + u(0) = nu", nu=2.0)
    assert pickle.loads(pickle.dumps(read)) == read


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("u(0)", "no '='"),
        ("u(0) = 1 = 2", "2 '=' signs"),
        ("u(0) == 1", "single '='"),
        ("1 = 1", "no field in it"),
        ("0*u(0) = 1", "every factor is zero"),
        ("u(0) = u(0)", "every factor is zero"),
        ("u = 0", "must say where"),
        ("u(x) = 0", "has no value in the condition"),
        ("u(u(0)) = 0", "must be a number"),
        ("u(0, 1) = 0", "one point"),
        ("u(2) = 0", "point 2 is outside the domain"),
        ("u(-1e-9) = 0", "outside the domain"),
        ("u(1/nu) = 0", "outside the domain"),
        ("integral(1) = 1", "must have a field"),
        ("integral(u + 1) = 1", "put the rest into the value"),
        ("integral(u(0)) = 1", "write u instead"),
        ("integral(integral(u)) = 1", "not inside another"),
        ("integral(u'') = 1", "derivatives up to 1"),
        ("integral(u = 1", "never closed"),
        ("integral = 1", "is a function"),
        ("u''(0) = 1", "derivatives up to 1"),
        ("u'''''(0) = 1", "at most order 4"),
        ("v(0) = 1", "unknown function 'v'"),
        ("u(0) = foo", "unknown name 'foo'"),
        ("u(0) = 1/nu", "not a finite number"),
        ("u(0)/nu = 1", "not a finite number"),
        ("u(0) = 9**9**9", "not a finite number"),
        ("u(0) = ", "nothing"),
        ("", "is empty"),
        ("+".join(f"u({k}/2000)" for k in range(2000)) + " = 1", "too many different points"),
        (7, "must be a text"),
    ],
)
def test_a_condition_that_cannot_be_used_says_why(text, says):
    with pytest.raises(InputError, match=says):
        condition(text, nu=0.0)


@pytest.mark.parametrize(
    "texts",
    [
        ["u(0) = 1", "u(1) = 1"],
        ["u(0) = 1", "u'(0) = 1"],
        ["u(0) = u(1)", "u'(0) = u'(1)"],
        ["u(0) + u(1) = 1", "u(0) - u(1) = 1"],
        ["integral(u) = 1", "integral(x*u) = 1"],
        ["1e-9*u(0) = 1", "u(1) + u(0) = 0"],
    ],
)
def test_independent_conditions_pass(texts):
    check_independent([condition(text) for text in texts])


@pytest.mark.parametrize(
    ("texts", "says"),
    [
        (["u(0) = 1", "u(0) = 2"], '"u\\(0\\) = 2" contradicts "u\\(0\\) = 1"'),
        (["u(0) = 1", "u(0) = 1"], "says nothing beyond"),
        (["u(0) = 0", "-3*u(0) = 0"], "says nothing beyond"),
        (["u(0) + u(1) = 1", "u(0) = 1", "u(1) = 0"], "says nothing beyond .* and "),
        (["u(0) + u(1) = 1", "u(0) = 1", "u'(0) = 3", "u(1) = 5"], "contradicts"),
        (["integral(u) = 1", "2*integral(u) = 3"], "contradicts"),
    ],
)
def test_dependent_and_contradictory_conditions_are_told_apart(texts, says):
    with pytest.raises(InputError, match=says):
        check_independent([condition(text) for text in texts])
