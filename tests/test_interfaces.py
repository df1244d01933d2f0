"""Conservative form, prescribed jumps and point sources: what joins two pieces of a domain."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gated_xtfc as gx
from gated_xtfc.language.parser import parse_equation

X = np.linspace(0, 1, 301)[1::2]  # not at the places of jumps
ENDS = ["u(0) = 0", "u(1) = 1"]
STEP = "where(x < 0.5, 1, 2)"


def solved(equation: Any, conditions: list[str], **more: Any) -> gx.Solution:
    solution = gx.solve(gx.Problem(equation, {"x": (0, 1)}, conditions, **more))
    assert solution.converged, solution.message
    return solution


@pytest.mark.parametrize(
    "inside",
    [
        "k*x^2", "sin(3*x)*u", "u^3", "u*u'", "exp(u)/(1+x)", "tanh(x*u')", "sqrt(1+u^2)", "(1+x)^u", "log(2+u)*cos(u)",
        "atan(u)-asin(u/2)+acos(x/2)", "erf(x*u)+sinh(x)*cosh(u)", "-x/(2+u)^2", "tan(x)+log10(2+x)", "ln(cosh(u))",
    ],
)  # fmt: skip
def test_a_prime_after_a_parenthesis_is_the_total_derivative(inside: str) -> None:
    # along u = sin(2x + 0.3)/2, by central differences
    def state(x: float) -> dict[Any, float]:
        return {("u", (j,)): 0.5 * 2.0**j * math.sin(2 * x + 0.3 + j * math.pi / 2) for j in range(5)}

    plain, primed = (parse_equation(f"{text} + u = 0", {"u"}, ("k",)) for text in (f"({inside})", f"({inside})'"))
    x, step = 0.4, 1e-5
    values = [float(plain.value({"x": at, "k": 0.7}, state(at))) - state(at)["u", (0,)] for at in (x + step, x - step)]
    found = float(primed.value({"x": x, "k": 0.7}, state(x))) - state(x)["u", (0,)]
    assert found == pytest.approx((values[0] - values[1]) / (2 * step), rel=1e-7, abs=1e-7)


@pytest.mark.parametrize(
    ("equation", "conditions", "exact"),
    [
        ("((1 + x)*u')' = 0", ["u(0) = 0", "u(1) = log(2)"], np.log1p),
        ("(x^2*u')'/x^2 + u^5 = 0", ["u'(0) = 0", "u(1) = sqrt(3)/2"], lambda x: 1 / np.sqrt(1 + x * x / 3)),
        ("(u*u')' = 0", ["u(0) = 1", "u(1) = 2"], lambda x: np.sqrt(1 + 3 * x)),
        (f"({STEP}*u')' = 0", ENDS, lambda x: np.where(x < 0.5, 4 * x, 1 + 2 * x) / 3),
        (f"({STEP}*u')' = 0", ["u(0) = 0", "u'(1) = 1"], lambda x: np.where(x < 0.5, 2 * x, 0.5 + x)),
        ("(|x - 0.5|*u' + u')' = 0", ENDS,
         lambda x: 0.5 + np.sign(x - 0.5) * np.log1p(abs(x - 0.5)) / (2 * math.log(1.5))),
        ("u'' = delta(x - 0.3)", ["u(0) = 0", "u(1) = 0"], lambda x: -np.where(x < 0.3, 0.7 * x, 0.3 * (1 - x))),
        ("-u'' + u = 2*delta(2*x - 0.6)", ["u(0) = 0", "u(1) = 0"],
         lambda x: np.where(x < 0.3, np.sinh(x) * np.sinh(0.7), np.sinh(0.3) * np.sinh(1 - x)) / np.sinh(1)),
        ("u' = -u + delta(x - 0.5)", ["u(0) = 0"], lambda x: np.where(x > 0.5, np.exp(0.5 - x), 0.0)),
        ("u'' = 0", [*ENDS, "jump(u, 0.5) = 1"], lambda x: np.where(x > 0.5, 1.0, 0.0)),
        ("u'' = 0", [*ENDS, "jump(3*u', 0.25) = 1.5"], lambda x: 0.625 * x + 0.5 * np.maximum(x - 0.25, 0)),
        (f"({STEP}*u')' = 3*delta(x - 0.5)", ENDS, lambda x: np.where(x < 0.5, x, 5 * x - 2) / 3),
        (f"({STEP}*u')' = 0", [*ENDS, f"jump({STEP}*u', 0.5) = 3"], lambda x: np.where(x < 0.5, x, 5 * x - 2) / 3),
    ],
)  # fmt: skip
def test_pieces_are_joined_as_they_are_stated(
    equation: str, conditions: list[str], exact: Callable[[Any], Any]
) -> None:
    assert np.abs(solved(equation, conditions)(X) - exact(X)).max() < 1e-9


def test_the_flux_is_continuous_where_its_factor_jumps() -> None:
    wall = solved("(k*where(x < 0.3, 1, 50)*u')' = -10*exp(-x)", ENDS, k=2)
    sides = [2 * k * wall(0.3 + s * 1e-7, 1) for k, s in ((1, -1), (50, 1))]
    assert sides[0] == pytest.approx(sides[1], rel=1e-5)


def test_a_nonlinear_equation_takes_a_point_source() -> None:
    solution = solved("u'' = u^3 + q*delta(x - 0.5)", ["u(0) = 0", "u(1) = 0"], q=4)
    assert solution(0.5 + 1e-9, 1) - solution(0.5 - 1e-9, 1) == pytest.approx(4.0, abs=1e-6)


def test_jumps_follow_the_parameters() -> None:
    problem = gx.Problem("u'' = 0", {"x": (0, 1)}, [*ENDS, "jump(u, a) = q"], a=0.5, q=1.0)
    assert gx.solve(problem(a=0.2, q=2.0))(0.3) == pytest.approx(0.3 * -1.0 + 2.0)


def test_a_point_source_on_the_whole_line() -> None:
    line = {"x": (-math.inf, math.inf)}
    kernel = gx.solve(gx.Problem("u'' = u - 2*delta(x - 1)", line, ["u(-inf) = 0", "u(inf) = 0"]))
    assert kernel.converged
    assert kernel(3.0) == pytest.approx(math.exp(-2.0), abs=1e-8)


@pytest.mark.parametrize(
    ("equation", "conditions", "says"),
    [
        ("u'' = u*delta(x - 0.5)", ENDS, "depends on the solution"),
        (f"{STEP}*u'' = delta(x - 0.5)", ENDS, "write the equation in conservative form"),
        ("u'' = delta(x - 3)", ENDS, "is at 3, which is not inside of the domain"),
        ("u'' = delta(x^2 - 0.1)", ENDS, "of the coordinate less a place"),
        ("u'' = delta(x - 0.5", ENDS, "never closed"),
        ("u'' = 1", [*ENDS, "jump(v, 0.5) = 1"], "must be on a field"),
        ("u'' = 1", [*ENDS, "jump(u'', 0.5) = 1"], "below 2"),
        ("u'' = 1", [*ENDS, "jump(u, 2) = 1"], "not inside"),
        ("u'' = 1", [*ENDS, "jump(u) = 1"], "write it like jump"),
        ("u'' = 1", [*ENDS, "jump(0*u, 0.5) = 1"], "the factor zero"),
        ("(max(u, 0.5))' = u''", ENDS, "jumps or has a kink"),
    ],
)
def test_what_cannot_be_joined_is_refused(equation: str, conditions: list[str], says: str) -> None:
    with pytest.raises(gx.InputError, match=says):
        gx.solve(gx.Problem(equation, {"x": (0, 1)}, conditions))


def test_delta_may_be_a_parameter() -> None:
    assert gx.Problem("delta*u'' = 1", {"x": (0, 1)}, ENDS, delta=2.0).jumps == ()
