"""Nonlinear problems and systems stated wrongly: one clear sentence each, naming what was given."""

import numpy as np
import pytest

import gated_xtfc as gx
from gated_xtfc import InputError, Problem

LINE = {"x": (0, 1)}
ENDS = ["u(0) = 0", "u(1) = 0"]
PAIR = ["u' = v", "v' = u**2"]


def sentence(error: pytest.ExceptionInfo) -> str:
    text = str(error.value)
    assert "\n" not in text
    assert len(text) < 400
    return text


@pytest.mark.parametrize(
    ("equations", "conditions", "words"),
    [
        (["u' = v", "v' = u", "u' = 2*v"], ENDS, ("3 equations", "u, v")),
        (["u' = u**2", "u' = -u"], ENDS, ("2 equations", "u")),
        (["u' = v'"], ENDS, ("1 equation", "u, v", "each field")),
        (["u' = v"], ENDS, ("'v'",)),
        (["u' = v", "v = u**2"], ENDS, ("1 too many",)),
        (["u' = v", "3 = 2"], ENDS, ()),
        ([], ENDS, ("equation",)),
        (["u' = v", "v' = u**2", "w' = u"], ENDS, ("3 conditions", "2 given", "1 missing")),
        (PAIR, ["u(0) = 0"], ("2 conditions", "1 given")),
        (PAIR, [*ENDS, "v(0) = 1"], ("1 too many",)),
        (PAIR, ["u(0) = 0", "w(1) = 1"], ("'w'",)),
        (PAIR, ["u(0) = 0", "u'(1) = 1"], ("u'(1) = 1", "order 1")),
        ("u**2 = x", ["u(0) = 0"], ("no derivative",)),
        ([*PAIR, 3], ENDS, ("3", "int")),
    ],
)
def test_system_that_does_not_fit_is_refused(equations, conditions, words):
    with pytest.raises(InputError) as error:
        Problem(equations, LINE, conditions)
    for word in words:
        assert word in sentence(error)


@pytest.mark.parametrize(
    ("unknown", "conditions", "parameters", "words"),
    [
        (["lam"], ENDS, {}, ("3 conditions", "2 given", "1 missing", "lam")),
        (["lam"], [*ENDS, "u'(0) = 1", "u'(1) = 1"], {}, ("3 conditions", "4 given", "1 too many")),
        (["lam"], [*ENDS, "u'(0) = 1"], {"lam": 2.0}, ("lam", "value")),
        (["lam", "mu"], [*ENDS, "u'(0) = 1", "u'(1) = 1"], {}, ("mu", "no equation")),
        ([], ENDS, {}, ("lam", "value")),
        ([3], [*ENDS, "u'(0) = 1"], {}, ("3", "int")),
        (7, [*ENDS, "u'(0) = 1"], {}, ("7",)),
        (["u"], [*ENDS, "u'(0) = 1"], {"lam": 2.0}, ("u",)),
        (["x"], [*ENDS, "u'(0) = 1"], {"lam": 2.0}, ("x",)),
        (["pi"], [*ENDS, "u'(0) = 1"], {"lam": 2.0}, ("pi", "meaning")),
        (["lam", "lam"], [*ENDS, "u'(0) = 1", "u'(1) = 1"], {}, ("lam", "twice")),
    ],
)
def test_unknown_constant_that_does_not_fit_is_refused(unknown, conditions, parameters, words):
    with pytest.raises(InputError) as error:  # one condition too few is right for `eigen`, and not for `solve`
        gx.solve(Problem("u'' + lam*u = 0", LINE, conditions, unknown=unknown, **parameters))
    for word in words:
        assert word in sentence(error)


SCALAR = Problem("eps*u'' + u*u' - u = 0", LINE, ["u(0) = -1", "u(1) = 1"], eps=0.1)
SYSTEM = Problem(PAIR, LINE, ["u(0) = 1", "v(1) = 0"])


@pytest.mark.parametrize(
    ("guess", "words"),
    [
        ("1/0", ("1/0", "finite")),
        ("log(x - 1/2)", ("u", "not finite", "x = ")),
        (float("nan"), ("u", "not finite")),
        (float("inf"), ("u", "not finite")),
        (lambda x: np.where(x > 0.5, np.nan, x), ("u", "not finite")),
        ({"u": "sqrt(-1 - x)"}, ("u", "not finite")),
        ({"v": "1"}, ('"v"', "known are u")),
        ("u", ("'u'",)),
        ("k*x", ("'k'",)),
        ("x +", ("x +",)),
        ("", ()),
        ([1, 2], ("list",)),
        (np.zeros(4), ("ndarray",)),
        (1 + 2j, ("complex",)),
        ({"u": None}, ("NoneType",)),
        (lambda x: np.ones(3), ("guess",)),
        (lambda x: "a", ("guess",)),
        (lambda: 1, ("guess",)),
    ],
)
def test_guess_that_does_not_fit_is_refused(guess, words):
    with pytest.raises(InputError) as error:
        gx.solve(SCALAR, guess=guess)
    for word in words:
        assert word in sentence(error)


def test_guess_of_a_system_is_given_by_field():
    with pytest.raises(InputError, match="by field"):
        gx.solve(SYSTEM, guess="x")
    with pytest.raises(InputError, match='"w"'):
        gx.solve(SYSTEM, guess={"u": "x", "w": "x"})


@pytest.mark.parametrize("name", ["nu", "x", "u", "", 3])
def test_continuation_in_what_is_no_parameter_is_refused(name):
    with pytest.raises(InputError) as error:
        gx.solve(SCALAR, continuation=name)
    assert "continuation" in sentence(error)
    assert "eps" in str(error.value)


def test_continuation_is_refused_before_the_work_and_for_linear_problems_too():
    with pytest.raises(InputError, match="continuation"):
        gx.solve(Problem("u'' = 1", LINE, ENDS), continuation="eps")


@pytest.mark.parametrize(
    "budget", [{"max_neurons": 10}, {"max_rounds": 0}, {"max_steps": 0}, {"max_rounds": 2.5}, {"max_neurons": "many"}]
)
def test_budget_that_is_none_is_refused(budget):
    with pytest.raises(InputError) as error:
        gx.solve(SCALAR, **budget)
    assert next(iter(budget)) in sentence(error)


def test_exact_solution_of_a_system_is_given_by_field():
    with pytest.raises(InputError, match="by field"):
        Problem(PAIR, LINE, ["u(0) = 1", "v(1) = 0"], exact="x")
    with pytest.raises(InputError, match='"w"'):
        Problem(PAIR, LINE, ["u(0) = 1", "v(1) = 0"], exact={"w": "x"})


def test_equation_that_is_not_regular_at_the_first_guess_is_refused_with_a_way_out():
    with pytest.raises(InputError) as error:
        gx.solve(Problem("u'' = log(u)", LINE, ["u(0) = 1", "u(1) = -1"]))
    assert "guess" in sentence(error)
