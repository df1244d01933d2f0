"""Names, functions and signs as the page has them."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import gated_xtfc as gx
from gated_xtfc.apps.cli import main
from gated_xtfc.language.parser import parse
from gated_xtfc.types import Array

UNIT, ENDS = {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"]
X = np.linspace(0.1, 0.9, 17)


def value(text: str) -> Array:
    found = parse(text).value({"x": X})
    assert isinstance(found, np.ndarray)
    return found


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("ln(x)", "log(x)"),
        ("ln(cosh(1000*x))", "log(cosh(1000*x))"),
        ("sgn(x - 0.5)", "sign(x - 0.5)"),
        ("heaviside(x - 0.5)", "where(x < 0.5, 0, 1)"),
        ("sec(x) + csc(x) + cot(x)", "1/cos(x) + 1/sin(x) + 1/tan(x)"),
        ("sech(x) + csch(x) + coth(x)", "1/cosh(x) + 1/sinh(x) + 1/tanh(x)"),
        ("2·x × x⋅π", "2*x*x*pi"),
        ("x² + x³", "x^2 + x^3"),
        ("where(x ≤ 0.5, 1, 2)", "where(x <= 0.5, 1, 2)"),
    ],
)
def test_what_is_printed_is_read(text: str, same: str) -> None:
    assert value(text) == pytest.approx(value(same), rel=1e-14)


def test_sech_does_not_overflow() -> None:
    assert (parse("sech(1e4*x)").value({"x": X}) >= 0.0).all()


@pytest.mark.parametrize("number", [Fraction(1, 10), Decimal("0.1"), np.float32(0.125), 1])
def test_a_parameter_is_any_real_number(number: object) -> None:
    problem = gx.Problem("eps*u'' + u' = 0", UNIT, ENDS, eps=number)  # type: ignore[arg-type]
    assert problem.parameters["eps"] == float(number)  # type: ignore[arg-type]


@pytest.mark.parametrize("number", [Decimal("NaN"), Decimal("Infinity"), "1/10", 1j, True])
def test_what_is_no_finite_real_number_is_refused(number: object) -> None:
    with pytest.raises(gx.InputError, match='the parameter "eps" must be a'):
        gx.Problem("eps*u'' + u' = 0", UNIT, ENDS, eps=number)  # type: ignore[arg-type]


def test_greek_letters_name_fields_coordinates_and_parameters() -> None:
    latin = gx.solve(gx.Problem("eps*u'' + u = cos(x)", UNIT, ENDS, eps=0.1))
    greek = gx.solve(gx.Problem("ε*φ'' + φ = cos(θ)", {"θ": (0, 1)}, ["φ(0) = 0", "φ(1) = 1"], ε=0.1))
    assert greek(0.5) == latin(0.5)
    assert gx.Problem("ϵ*u'' = 1", UNIT, ENDS, ε=0.1).parameters == {"ε": 0.1}


def test_greek_letters_go_through_the_command_line() -> None:
    words = ["--equation", "ε*u'' + u' = 0", "--domain", "x=0:1", "--condition", "u(0)=0", "--condition", "u(1)=1"]
    assert main(["solve", *words, "--set", "ε=0.1", "--json"]) == 0


def test_a_wrong_name_is_compared_with_the_parameters() -> None:
    with pytest.raises(gx.InputError, match=r"nu=\.\.\. \(given are mu\)"):
        gx.Problem("nu*u'' + u' = 0", UNIT, ENDS, mu=0.1)
    with pytest.raises(gx.InputError, match="did you mean the parameter 'alpha', in a product"):
        gx.Problem("alfa(x)*u'' + alpha*u' = 0", UNIT, ENDS, alpha=0.1)


def test_a_step_breaks_the_domain() -> None:
    solution = gx.solve(gx.Problem("u'' = heaviside(x - 1/3)", UNIT, ["u(0) = 0", "u(1) = 0"]))
    assert solution.breaks == (pytest.approx(1 / 3),)
    assert solution(1 / 3) == pytest.approx(-2 / 27, abs=1e-10)
    assert math.isclose(solution(0.0, 1), -2 / 9, abs_tol=1e-9)
