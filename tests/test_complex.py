"""Complex problems: `i` in a text, real and imaginary parts inside, complex numbers out."""

import pickle

import numpy as np
import pytest

import gated_xtfc as gx
from gated_xtfc.language.parser import parse
from gated_xtfc.problem.complex_parts import split_expression

LINE = {"x": (0, 1)}
X = np.linspace(0, 1, 21)


def test_complex_values_at_the_ends_make_a_complex_solution() -> None:
    solution = gx.solve(gx.Problem("u'' = u", LINE, ["u(0) = 1 + i", "u(1) = 0"]))
    assert solution.converged
    np.testing.assert_allclose(solution(X), (1 + 1j) * np.sinh(1 - X) / np.sinh(1), atol=1e-10)
    assert isinstance(solution(0.5), complex)
    np.testing.assert_allclose(solution(X, 1), -(1 + 1j) * np.cosh(1 - X) / np.sinh(1), atol=1e-9)


def test_a_nonlinear_equation_turns_in_the_plane() -> None:
    solution = gx.solve(gx.Problem("u' = i*u^2", LINE, ["u(0) = 1"]))
    np.testing.assert_allclose(solution(X), 1 / (1 - 1j * X), atol=1e-8)


def test_the_skin_effect_decays_on_the_half_line() -> None:
    solution = gx.solve(gx.Problem("E'' = i*ω E", {"z": (0, np.inf)}, ["E(0) = 1", "E(inf) = 0"], ω=2))
    np.testing.assert_allclose(solution(X), np.exp(-(1 + 1j) * X), atol=1e-8)


def test_an_eigenvalue_may_be_complex() -> None:
    ends = ["u(-1) = 0", "u(1) = 0", "u'(-1) = 1"]
    problem = gx.Problem("u'' - a^2*u - i*a*R*(1 - y^2 - c)*u = 0", {"y": (-1, 1)}, ends, unknown=["c"], a=1, R=10)
    solution = gx.solve(problem, guess={"u": "1 - y^2 + 0.1*i*y", "c": 0.8 - 0.3j})
    assert abs(solution.constants["c"] - (0.870529626284819 - 0.3584994743002813j)) < 1e-9
    again = gx.solve(pickle.loads(pickle.dumps(problem)), guess=solution)
    assert abs(again.constants["c"] - solution.constants["c"]) < 1e-9
    assert set(solution.summary()["constants"]) == {"c_re", "c_im"}  # what a JSON file can hold
    assert problem.to_dict()["unknown"] == ["c"]


@pytest.mark.parametrize(
    "text",
    [
        "i*x + 2",
        "(1 + i*x)*(2 - 3*i)",
        "(1 + i)/(x - 2*i) - 1/(3*i)",
        "exp(i*a*x)*x",
        "exp((1 + i)*x)^2",
        "sin(x + i) - cos(i*x)*sinh(x + 2*i) + cosh(1 - i*x)",
        "abs(x + i)^3 + abs(x)",
        "(x + i)^3 - (x - i)^(-2)",
        "2^(i*x)",
        "e^(-6*i*a)",
        "where(x < 0.5, i*x, 1)",
        "x/(a*x)/2 - a/(2 + x*i)",
    ],
)
def test_parts_of_an_expression_are_those_of_complex_arithmetic(text: str) -> None:
    re, im = split_expression(text, "x", ["a"])
    names = {name: getattr(np, name) for name in ("exp", "sin", "cos", "sinh", "cosh", "abs", "where", "e")}
    for x in (0.3, 0.7):
        known = eval(text.replace("^", "**"), {"i": 1j, "x": x, "a": 1.3, **names})
        found = complex(parse(re).value({"x": x, "a": 1.3}), parse(im).value({"x": x, "a": 1.3}))
        assert abs(found - known) < 1e-13 * max(1, abs(known))


def test_a_parameter_or_a_field_named_i_is_what_it_says() -> None:
    assert gx.Problem("u'' = i*u", LINE, ["u(0) = 1", "u(1) = 0"], i=2).fields == ("u",)
    assert gx.Problem("i' = -i", LINE, ["i(0) = 1"]).fields == ("i",)


@pytest.mark.parametrize(
    ("equation", "says"),
    [
        ("u'' = i*tan(u)", "tan(...) of a complex number"),
        ("u'' = i*u^x", "whole powers"),
        ("u'' = i*sqrt(u^2)", "sqrt(...) of a complex number"),
        ("u'' = i + min(u, 1)", "only real ones have an order"),
    ],
)
def test_what_is_not_known_of_complex_numbers_is_refused(equation: str, says: str) -> None:
    with pytest.raises(gx.InputError) as error:
        gx.Problem(equation, LINE, ["u(0) = 1", "u(1) = 0"])
    assert says in str(error.value)
