"""Second derivatives in time, third and fourth ones in space: each against an exact solution, as it was stated."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gated_xtfc as gx

UNIT = {"x": (0, 1), "t": (0, 1)}
STRING = ["u(x, 0) = sin(pi*x)", "u_t(x, 0) = 0", "u(0, t) = 0", "u(1, t) = 0"]
STANDING = "sin(pi*x)*cos(pi*t)"
PLANE = "sin(3*(x + t))"
CLAMPED, CANTILEVER = 4.730040744862704, 1.875104068711961  # roots of cosh(k)*cos(k) = 1 and -1


def moving(exact: str, *derivatives: str, second: bool = True) -> list[str]:
    """Values of PLANE at the start and conditions at both ends from these derivatives."""
    known = {"u": "sin(3*(x + t))", "u_x": "3*cos(3*(x + t))", "u_xx": "-9*sin(3*(x + t))",
             "u_xxx": "-27*cos(3*(x + t))"}  # fmt: skip
    begin = ["u(x, 0) = sin(3*x)", *(["u_t(x, 0) = 3*cos(3*x)"] if second else [])]
    return begin + [f"{name}({at}, t) = {known[name].replace('x', str(at))}" for name in derivatives for at in (0, 1)]


def joined(order: int) -> list[str]:
    names = ["u" + "_" * bool(k) + "x" * k for k in range(order)]
    return [f"{name}(0, t) = {name}(1, t)" for name in names]


def mode(k: float, sign: int) -> str:
    """A mode of a beam that is clamped at x = 0."""
    part = (math.cosh(k) + sign * math.cos(k)) / (math.sinh(k) + sign * math.sin(k))
    if sign > 0:
        part = (math.sinh(k) - math.sin(k)) / (math.cosh(k) + math.cos(k))
    return f"(cosh({k!r}*x) - cos({k!r}*x) - {part!r}*(sinh({k!r}*x) - sin({k!r}*x)))"


SOLITON = "0.5/cosh((x - t)/2)^2"
SOLITON_X = "-0.5*tanh((x - t)/2)/cosh((x - t)/2)^2"
HELD, FREE = mode(CLAMPED, -1), mode(CANTILEVER, 1)
DAMPED = "exp(-1.5*t)*cos(sqrt(pi^2 - 2.25)*t)*sin(pi*x)"
CASES: dict[str, tuple[Any, dict[str, Any], list[str], str]] = {
    "string": ("u_tt = u_xx", UNIT, STRING, STANDING),
    "function": (lambda u: u.tt - u.xx, UNIT, STRING, STANDING),
    "boundary": ("u_tt = u_xx", UNIT, [*STRING[:2], "u = 0 on boundary"], STANDING),
    "values that move": ("u_tt = u_xx", UNIT, moving(PLANE, "u"), PLANE),
    "slopes that move": ("u_tt = u_xx", UNIT, moving(PLANE, "u_x"), PLANE),
    "periodic": (
        "u_tt = u_xx", UNIT, ["u(x, 0) = sin(2*pi*x)", "u_t(x, 0) = 2*pi*cos(2*pi*x)", *joined(2)],
        "sin(2*pi*(x + t))",
    ),
    "driven from rest": (
        "u_tt = u_xx", {"x": (0, 1), "t": (0, 0.9)},
        ["u(x, 0) = 0", "u_t(x, 0) = 0", "u(0, t) = (1 - cos(5*t))^5", "u(1, t) = 0"],
        "where(t < x, 0, (1 - cos(5*(t - x)))^5)",
    ),
    "telegraph": (
        "u_tt + 3*u_t = u_xx", UNIT, [STRING[0], "u_t(x, 0) = -1.5*sin(pi*x)", *STRING[2:]], DAMPED,
    ),
    "damped inside": ("u_tt = u_xx + 0.1*u_xxt + 2.7*cos(3*(x + t))", UNIT, moving(PLANE, "u"), PLANE),
    "kink of sine-Gordon": (
        "u_tt = u_xx - sin(u)", {"x": (-6, 6), "t": (0, 2)},
        ["u(x, 0) = 4*atan(exp(x/0.8))", "u_t(x, 0) = -3*exp(x/0.8)/(1 + exp(2.5*x))",
         "u(-6, t) = 4*atan(exp((-6 - 0.6*t)/0.8))", "u(6, t) = 4*atan(exp((6 - 0.6*t)/0.8))"],
        "4*atan(exp((x - 0.6*t)/0.8))",
    ),
    "hinged beam": (
        "u_tt = -u_xxxx", {"x": (0, 1), "t": (0, 0.4)}, [*STRING, "u_xx = 0 on boundary"], "sin(pi*x)*cos(pi^2*t)",
    ),
    "clamped beam": (
        "u_tt = -u_xxxx", {"x": (0, 1), "t": (0, 0.2)},
        [f"u(x, 0) = {HELD}", "u_t(x, 0) = 0", "u = 0 on boundary", "u_x = 0 on boundary"],
        f"{HELD}*cos({CLAMPED**2!r}*t)",
    ),
    "cantilever": (
        "u_tt + u_xxxx = 0", UNIT,
        [f"u(x, 0) = {FREE}", "u_t(x, 0) = 0", "u(0, t) = 0", "u_x(0, t) = 0", "u_xx(1, t) = 0", "u_xxx(1, t) = 0"],
        f"{FREE}*cos({CANTILEVER**2!r}*t)",
    ),
    "beam damped inside": (
        "u_tt = -u_xxxx - 0.01*u_xxxxt + (72*sin(3*(x + t)) + 2.43*cos(3*(x + t)))", UNIT,
        moving(PLANE, "u", "u_x"), PLANE,
    ),
    "fourth order": (
        "u_t = (1 + u^2)*u_xx - 0.01*u_xxxx + 3*cos(3*(x + t)) + 9*(1 + sin(3*(x + t))^2)*sin(3*(x + t))"
        " + 0.81*sin(3*(x + t))", UNIT, moving(PLANE, "u_x", "u_xxx", second=False), PLANE,
    ),
    "third order, periodic": (
        "u_t + 0.01*u_xxx = 0", UNIT, ["u(x, 0) = sin(2*pi*x)", *joined(3)], "sin(2*pi*x + 0.08*pi^3*t)",
    ),
    "soliton of Korteweg and de Vries": (
        "u_t + 6*u*u_x + u_xxx = 0", {"x": (-5, 5), "t": (0, 2)},
        [f"u(x, 0) = {SOLITON.replace('- t', '- 0')}", f"u(-5, t) = {SOLITON.replace('x', '(-5)')}",
         f"u(5, t) = {SOLITON.replace('x', '5')}", f"u_x(5, t) = {SOLITON_X.replace('x', '5')}"],
        SOLITON,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_higher_derivatives_lead_to_the_exact_solution(name: str) -> None:
    equation, domain, conditions, exact = CASES[name]
    solution = gx.solve(gx.Problem(equation, domain, conditions, exact), 1e-6)
    true = solution.true_error()
    assert true is not None
    assert true <= 3.0 * solution.error
    assert solution.converged, solution.message
    assert true <= 1e-6


def test_fields_of_a_system_have_their_own_orders() -> None:
    conditions = [
        "u(x, 0) = sin(pi*x)", "u_t(x, 0) = 0", "v(x, 0) = 0", "u = 0 on boundary", "v = 0 on boundary",
        "u_xx = 0 on boundary",
    ]  # fmt: skip
    exact = {"u": "sin(pi*x)*cos(pi^2*t)", "v": "sin(pi*x)*sin(t)"}
    equations = ["u_tt = -u_xxxx", "v_t = v_xx + u_t + sin(pi*x)*(cos(t) + pi^2*sin(t) + pi^2*sin(pi^2*t))"]
    solution = gx.solve(gx.Problem(equations, {"x": (0, 1), "t": (0, 0.4)}, conditions, exact), 1e-6)
    true = solution.true_error()
    assert true is not None
    assert true <= solution.error <= 1e-6
    with pytest.raises(gx.InputError, match="say which field"):
        solution(0.5, 0.1)


def test_an_elliptic_equation_with_a_side_called_t_stays_one() -> None:
    assert gx.Problem("u_xx + u_tt = 1", UNIT, ["u = 0 on boundary"]).evolution is None


def test_a_statement_stays_as_it_was_made(tmp_path: Path) -> None:
    problem = gx.Problem("u_tt = -u_xxxx", UNIT, [*STRING, "u_xx = 0 on boundary"])
    assert problem.texts == ("u_tt = -u_xxxx",)
    assert problem.to_dict()["equation"] == "u_tt = -u_xxxx"
    assert problem.fields[0] == "u"
    assert set(problem.auxiliary) == {"u_t", "u_xx"}
    assert "u_xx =" not in problem._repr_html_().replace("u_xx = 0", "")
    solution = gx.solve(problem, rtol={"u": 1e-5})
    solution.save(tmp_path / "beam.npz")
    other = gx.load(tmp_path / "beam.npz")
    assert isinstance(other, gx.EvolutionSolution)
    assert other.problem == problem
    x = np.linspace(0.0, 1.0, 7)
    np.testing.assert_array_equal(other(x, 0.3), solution(x, 0.3))
    np.testing.assert_allclose(solution(x, 0.3, (0, 1)), solution["u_t"](x, 0.3), atol=1e-3)
    np.testing.assert_allclose(solution(x, 0.3, 2), solution["u_xx"](x, 0.3), atol=1e-3)
