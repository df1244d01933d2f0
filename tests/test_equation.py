"""The text language: what each expression means, and that a program computes exactly that."""

import pickle

import numpy as np
import pytest

from gated_xtfc.errors import InputError
from gated_xtfc.language.dual import Dual, unknown
from gated_xtfc.language.parser import parse, parse_condition, parse_equation
from gated_xtfc.problem.domain import Axis
from gated_xtfc.problem.equation import FunctionEquation, TextEquation

AXES = (Axis("x", 0.0, 1.0),)

X = 0.7

VALUES = {
    "1": 1.0,
    ".5": 0.5,
    "1.": 1.0,
    "1e-3": 1e-3,
    "2E+2": 200.0,
    "pi": np.pi,
    "e": np.e,
    "e**2": np.e**2,
    "-x**2": -(X**2),
    "-x^2": -(X**2),
    "2**-1": 0.5,
    "2^-x": 2**-X,
    "--x": X,
    "-+-x": X,
    "+x": X,
    "2**3**2": 512.0,
    "(2**3)**2": 64.0,
    "2*-x": -2 * X,
    "2**-x**2": 2 ** -(X**2),
    "1 - 2 - 3": -4.0,
    "12/2/3": 2.0,
    "2/3*x": 2 / 3 * X,
    "1 + 2*x**2/4": 1 + 2 * X**2 / 4,
    "(1 + x)*(1 - x)": (1 + X) * (1 - X),
    "sin(x) + cos(x) + tan(x)": np.sin(X) + np.cos(X) + np.tan(X),
    "asin(x) + arcsin(x)": 2 * np.arcsin(X),
    "acos(x) + arccos(x)": 2 * np.arccos(X),
    "atan(x) + arctan(x)": 2 * np.arctan(X),
    "sinh(x)*cosh(x)*tanh(x)": np.sinh(X) * np.cosh(X) * np.tanh(X),
    "exp(x) - log(x) - log10(x)": np.exp(X) - np.log(X) - np.log10(X),
    "sqrt(x) + abs(-x) + sign(-x)": np.sqrt(X) + X - 1,
    "erf(x)": 0.6778011938374184,
    "min(x, 2, 3)": X,
    "max(x, 2, 3*x)": 3 * X,
    "where(x < 0.5, 1, 2)": 2.0,
    "where(x >= 0.7, 1, 2)": 1.0,
    "where(x > 0, where(x <= 0.5, 1, 2), 3)": 2.0,
    "where(x + 1 < 2*x, sin(x), 2 - x)": 2 - X,
    " 1\t+\n x ": 1 + X,
    "x − 1": X - 1,
    "nu*x": 3 * X,
}


@pytest.mark.parametrize("text", VALUES)
def test_a_text_means_what_mathematics_says(text):
    program = parse(text)
    for x in (X, np.array([X, X])):
        np.testing.assert_allclose(program.run({"x": x, "nu": 3.0}), VALUES[text], rtol=1e-14)


@pytest.mark.parametrize("text", ["u'' + u' - u", "u_xx + u_x - u", "u’’ + u′ - u", "u″ + u_x - u", "u_x' + u' - u"])
def test_derivatives_are_written_with_primes_or_suffixes(text):
    program = parse(text)
    assert program.fields == {"u": 2}
    assert program.names == frozenset()
    state = {("u", (0,)): 1.0, ("u", (1,)): 10.0, ("u", (2,)): 100.0}
    assert program.run({}, state) == 109.0


def test_names_are_parameters_and_coordinates_but_not_constants_or_fields():
    program = parse_equation("nu*u'' + k_x*u = pi*x + e", parameters={"nu", "k_x"})
    assert program.names == {"nu", "k_x", "x"}
    assert program.fields == {"u": 2}


def test_the_suffix_follows_the_coordinate():
    assert parse_equation("u_tt = u_x", parameters={"u_x"}, coordinates=("t",)).fields == {"u": 2}


def test_an_equation_is_left_minus_right():
    assert parse_equation("3*x = 1 + x").run({"x": 2.0}) == 3.0
    assert parse_equation("0 = u' - 1").run({}, {("u", (1,)): 4.0}) == -3.0
    assert parse_equation("u' = 0").run({}, {("u", (1,)): 4.0}) == 4.0


def test_a_linear_equation_at_zero_gives_coefficients_and_source():
    x = np.linspace(0.0, 1.0, 5)
    state = {("u", (k,)): unknown(("u", (k,))) for k in range(3)}
    residual = parse_equation("eps*u'' + (2 + cos(pi*x))*u' - u = sin(x)").run({"eps": 0.5, "x": x}, state)
    assert isinstance(residual, Dual)
    assert not residual.nonlinear
    assert residual.partials[("u", (2,))] == 0.5
    assert residual.partials[("u", (0,))] == -1.0
    np.testing.assert_allclose(residual.partials[("u", (1,))], 2 + np.cos(np.pi * x), rtol=1e-15)
    np.testing.assert_allclose(residual.value, -np.sin(x), rtol=1e-15)


def test_a_jump_takes_scalar_branches_and_dual_ones():
    x = np.array([0.0, 1.0])
    np.testing.assert_array_equal(parse("where(x < 0.5, 1, 2)").run({"x": x}), [1.0, 2.0])
    jump = parse("where(x < 0.5, 1/x, u)", fields={"u"}).run(
        {"x": Dual(x, {"x": 1.0})}, {("u", (0,)): unknown(("u", (0,)))}
    )
    np.testing.assert_array_equal(jump.partials[("u", (0,))], [0.0, 1.0])


def test_what_leaves_the_range_is_inf_or_nan_in_silence():
    x = np.array([-1.0, 0.0])
    for value in (x, 0.0):
        assert not np.isfinite(parse("1/x**2 + log(x) + x**0.5/0**x").run({"x": value})).all()
    assert np.isnan(parse("x**0.5").run({"x": -1.0}))
    assert parse("exp(1000*x)").run({"x": 1.0}) == np.inf


def test_the_watcher_sees_every_operation_that_can_be_sharp():
    seen = []
    x = Dual(np.array([0.1, 0.9]), {"x": 1.0})
    program = parse("exp(-((x - 0.3)/d)**2) + where(x < 0.5, 1, 2) + max(x, 0.2, 0.3)/x + u*sin(2*x)", {"u"})
    program.run({"x": x, "d": 0.1}, {("u", (0,)): 1.0}, lambda operation, operands: seen.append((operation, operands)))
    assert [operation for operation, _ in seen] == ["div", "pow", "exp", "compare", "max", "div", "sin"]
    (left, right), base = seen[3][1], seen[1][1][0]
    assert left is x
    assert right == 0.5
    np.testing.assert_allclose(base.partials["x"], 10.0)
    assert len(seen[4][1]) == 3


def test_a_program_needs_its_names():
    with pytest.raises(InputError, match="nu"):
        parse("nu*x").run({"x": 1.0})


def test_programs_compare_by_content_and_pickle():
    program = parse("sin(x)*u'' + nu")
    assert pickle.loads(pickle.dumps(program)) == program
    assert parse("x+1") == parse(" x + 1 ")
    assert parse("x+1") != parse("x+2")
    assert hash(parse("x+1")) == hash(parse("x + 1"))


def test_long_texts_are_ordinary():
    assert parse("+".join(["sin(x)"] * 2900)).run({"x": 0.5}) == pytest.approx(2900 * np.sin(0.5))
    assert parse("-" * 9000 + "x").run({"x": 1.0}) == 1.0
    assert parse("(" * 1000 + "x" + ")" * 1000).run({"x": 1.0}) == 1.0
    assert parse("x**" * 5000 + "x").run({"x": 1.0}) == 1.0


def test_a_condition_takes_fields_at_points():
    program = parse_condition("u(0) + 3*u_x(1/2) = u''(b)", {"u"}, {"b"})
    state = {("u", (0,), 0.0): 1.0, ("u", (1,), 0.5): 10.0, ("u", (2,), 2.0): 100.0}
    assert program.run({"b": 2.0}, state) == -69.0


def test_a_text_equation_is_bound_to_its_parameters():
    equation = TextEquation(parse_equation("nu*u' = x"), ("x",), {"nu": 2.0})
    assert equation.is_text
    assert equation.orders == {"u": 1}
    assert equation.residual((3.0,), {("u", (1,)): 5.0}) == 7.0


def test_a_function_is_an_equation_too():
    def steady(x, u, nu):
        return u.x - nu * u.xx + np.exp(x) * u

    equation = FunctionEquation(steady, AXES, {"nu": 2.0, "other": 1.0})
    assert equation.text == "steady"
    assert not equation.is_text
    assert equation.orders == {"u": 2}
    x = np.array([0.0, 1.0])
    residual = equation.residual((x,), {("u", (k,)): unknown(("u", (k,))) for k in range(3)})
    assert residual.partials[("u", (2,))] == -2.0
    np.testing.assert_allclose(residual.partials[("u", (0,))], np.exp(x))
    assert FunctionEquation(lambda u, k=3.0: u.xxx - k, AXES, {}).text == "<function>"


def test_text_and_function_give_the_same_residual():
    x = np.linspace(0.1, 1.0, 7)
    state = {("u", (k,)): unknown(("u", (k,)), 0.3) for k in range(3)}
    text = TextEquation(parse_equation("x**2*u'' + tanh(x/nu)*u' = sqrt(x)*u"), ("x",), {"nu": 0.1})
    function = FunctionEquation(
        lambda x, u, nu: x**2 * u.xx + np.tanh(x / nu) * u.x - np.sqrt(x) * u, AXES, {"nu": 0.1}
    )
    ours, theirs = text.residual((x,), state), function.residual((x,), state)
    np.testing.assert_allclose(ours.value, theirs.value, rtol=1e-14)
    assert ours.partials.keys() == theirs.partials.keys()
    for key in ours.partials:
        np.testing.assert_allclose(ours.partials[key], theirs.partials[key], rtol=1e-14)


def parameterless(x, u):
    import math

    return math.sin(u)


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (lambda x: x, "takes no field"),
        (lambda *fields: 0, "name its arguments"),
        (lambda x, u: 1.0, "in terms of its fields"),
        (lambda x, u: u.y, "no 'y'"),
        (lambda x, u: u.xxxxx, "orders 0 to 4"),
        (lambda x, u: undefined_name * u, "undefined_name"),  # noqa: F821
        (lambda x, integral: integral.x, "cannot name a field"),
        (parameterless, "NumPy functions"),
        (min, "name its arguments|cannot be found"),
    ],
)
def test_a_function_that_is_no_equation_says_why(function, says):
    with pytest.raises(InputError, match=says):
        FunctionEquation(function, AXES, {})
