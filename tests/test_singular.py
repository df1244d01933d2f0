"""Equations that are singular at an end or inside, as they stand in books: regular solutions, powers, and refusals."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import special

import gated_xtfc as gx
from gated_xtfc.operator.linearise import Operator
from gated_xtfc.operator.singular import exponents

Exact = Callable[[Any], Any]
UNIT = (0, 1)


def solved(equation: Any, ends: tuple[Any, Any], conditions: list[str], **more: Any) -> gx.Solution:
    return gx.solve(gx.Problem(equation, {"x": ends}, conditions, **more))


def sinh_over_x(x: Any) -> Any:
    return np.where(x == 0, 2.0, np.sinh(2 * x) / np.where(x == 0, 1.0, x)) / math.sinh(2.0)


@pytest.mark.parametrize(
    ("equation", "ends", "conditions", "exact"),
    [
        ("u'' + 2/x*u' + u^5 = 0", UNIT, ["u'(0) = 0", "u(1) = sqrt(3)/2"], lambda x: 1 / np.sqrt(1 + x * x / 3)),
        ("x*u'' + 2*u' + x*u^5 = 0", UNIT, ["u'(0) = 0", "u(1) = sqrt(3)/2"], lambda x: 1 / np.sqrt(1 + x * x / 3)),
        ("u'' + 2/x*u' + u^5 = 0", UNIT, ["u'(0) = 0", "u(0) = 1"], lambda x: 1 / np.sqrt(1 + x * x / 3)),
        ("u'' + u'/x + u = 0", (0, 10), ["u'(0) = 0", "u(0) = 1"], special.j0),
        ("x^2*u'' + x*u' + (x^2 - 1)*u = 0", (0, 10), ["u(0) = 0", "u(10) = 1"],
         lambda x: special.j1(x) / special.j1(10)),
        ("u'' + 2/x*u' = 4*u", UNIT, ["u'(0) = 0", "u(1) = 1"], sinh_over_x),
        ("(1 - x^2)*u'' - 2*x*u' + 6*u = 0", (-1, 1), ["u(-1) = 1", "u(1) = 1"], lambda x: (3 * x * x - 1) / 2),
        ("(1 - x^2)*u'' - 2*x*u' - u = -x", UNIT, ["u(0) = 0", "u(1) = 1/3"], lambda x: x / 3),
        ("(x - 0.5)*u'' + 2*u' + (x - 0.5)*u = 0", UNIT, ["u(0) = 2*sin(0.5)", "u(1) = 2*sin(0.5)"],
         lambda x: np.sinc((x - 0.5) / np.pi)),
        ("u'' + 2/(x - 0.5)*u' + u = 0", UNIT, ["u(0) = 2*sin(0.5)", "u(1) = 2*sin(0.5)"],
         lambda x: np.sinc((x - 0.5) / np.pi)),
        (lambda x, u: u.xx + 2 / x * u.x + u**5, UNIT, ["u'(0) = 0", "u(1) = sqrt(3)/2"],
         lambda x: 1 / np.sqrt(1 + x * x / 3)),
        ("x*u' + u = 2*x", UNIT, ["u(1) = 1"], lambda x: x),
    ],
)  # fmt: skip
def test_a_regular_solution_takes_no_more_kernels_than_if_nothing_were_singular(
    equation: Any, ends: tuple[Any, Any], conditions: list[str], exact: Exact
) -> None:
    solution = solved(equation, ends, conditions)
    assert solution.converged, solution.message
    assert solution.neurons < 60
    x = np.append(solution.points(300), np.linspace(*ends, 200))
    assert np.abs(solution(x) - exact(x)).max() < 1e-10
    step = 1e-4
    inner = np.linspace(ends[0] + step, ends[1] - step, 50)
    slope = (exact(inner + step) - exact(inner - step)) / (2 * step)
    assert np.abs(solution(inner, 1) - slope).max() < 1e-6


def test_derivatives_are_right_up_to_the_singular_end() -> None:
    star = solved("u'' + 2/x*u' + u^5 = 0", UNIT, ["u'(0) = 0", "u(1) = sqrt(3)/2"])
    assert abs(star(0.0, 1)) < 1e-14
    assert star(0.0, 2) == pytest.approx(-1 / 3, abs=1e-8)


@pytest.mark.parametrize(
    ("equation", "conditions", "exact"),
    [
        ("2*x*u'' + u' = 0", ["u(0) = 0", "u(1) = 1"], np.sqrt),
        ("u'' = 1/x", ["u(0) = 0", "u(1) = 0"], lambda x: x * np.log(np.maximum(x, 1e-300))),
        ("x^2*u'' + x*u' - u/9 = 0", ["u(0) = 0", "u(1) = 1"], np.cbrt),
        ("u'' - 0.5/x*u' = 0", ["u(0) = 0", "u(1) = 1"], lambda x: x**1.5),
    ],
)
def test_powers_of_the_distance_are_resolved_as_far_as_the_tolerance_asks(
    equation: str, conditions: list[str], exact: Exact
) -> None:
    solution = solved(equation, UNIT, conditions)
    assert solution.converged, solution.message
    assert "not smooth at x = 0" in solution.message
    x = np.append(solution.points(500), np.logspace(-40, 0, 400))
    assert np.abs(solution(x) - exact(x)).max() <= solution.error <= 1e-8


@pytest.mark.parametrize(
    ("equation", "conditions", "says"),
    [
        ("u'' + 2/x*u' = 0", ["u(0) = 0", "u(1) = 1"], "powers 0 and -1"),
        ("u'' + u'/x = 1", ["u(0) = 0", "u(1) = 1"], "singular at x = 0"),
        ("u'' + 2/(x - 0.5)*u' + u = 0", ["u(0) = 1", "u(1) = 2"], "singular at x = 0.5"),
        ("u'' = 1/x^2", ["u(0) = 0", "u(1) = 0"], "singular at x = 0"),
        ("x^2*u' = 1 - u", ["u(1) = 0"], "singular at x = 0"),
    ],
)
def test_what_no_bounded_solution_meets_is_told_with_the_place(equation: str, conditions: list[str], says: str) -> None:
    solution = solved(equation, UNIT, conditions)
    assert not solution.converged
    assert says in solution.message


@pytest.mark.parametrize("equation", ["x^2*u'' - x/2*u' + u/2 = 0", "x^2*u'' - 3*x/2*u' + u = 0", "x^2*u'' + u = 0"])
def test_two_solutions_that_vanish_at_the_end_leave_it_open_which(equation: str) -> None:
    assert solved(equation, UNIT, ["u(0) = 0", "u(1) = 1"]).status == "nearly singular"


def test_exponents_are_those_of_the_indicial_equation() -> None:
    problem = gx.Problem("x^2*u'' + p*x*u' + q*u = 0", {"x": UNIT}, ["u(0) = 0", "u(1) = 1"], p=0.5, q=-1.5)
    found = exponents(lambda x: Operator(problem).evaluate((x,)), 0.0, 1, 1.0)
    assert found == pytest.approx((1.5, -1.0))


def test_a_system_is_singular_like_its_equation() -> None:
    star = solved(["u' = v", "v' = -2/x*v - u^5"], UNIT, ["v(0) = 0", "u(1) = sqrt(3)/2"])
    assert star.converged
    assert star["u"](0.0) == pytest.approx(1.0, abs=1e-10)


def test_an_atom_without_an_end() -> None:
    # Thomas and Fermi: the values at 1, 5 and 10 are from the literature
    atom = solved("y'' = y^1.5/sqrt(x)", (0, math.inf), ["y(0) = 1", "y(inf) = 0"])
    assert atom.converged, atom.message
    assert atom(np.array([1.0, 5.0, 10.0])) == pytest.approx([0.424008052081, 0.0788077793, 0.024314292989], abs=1e-8)


def test_a_vortex_without_an_end() -> None:
    vortex = solved("u'' + u'/x - u/x^2 + u*(1 - u^2) = 0", (0, math.inf), ["u(0) = 0", "u(inf) = 1"])
    assert vortex.converged, vortex.message
    assert vortex(0.0, 1) == pytest.approx(0.5831894959, abs=1e-8)


def test_a_thin_layer_beside_a_singular_end() -> None:
    pellet = solved("u'' + 2/x*u' = phi^2*u", UNIT, ["u'(0) = 0", "u(1) = 1"], phi=1e4)
    assert pellet.converged
    assert pellet(1 - 1e-4) == pytest.approx(math.exp(-1.0) / (1 - 1e-4), abs=1e-9)


def test_the_residual_is_finite_at_the_singular_end() -> None:
    star = solved("u'' + 2/x*u' + u^5 = 0", UNIT, ["u'(0) = 0", "u(1) = sqrt(3)/2"])
    assert np.isfinite(star.scaled_residual(np.array([0.0, 0.5, 1.0]))).all()


def test_a_root_at_an_end_that_is_not_zero_is_resolved_as_one_at_zero_is() -> None:
    found = gx.solve(gx.Problem("(1 - x)*u'' - u'/2 = -1", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0"]))
    x = 1.0 - np.geomspace(1e-12, 1.0, 200)
    exact = 2.0 * (np.sqrt(1.0 - x) - (1.0 - x))
    assert found.status == "converged"
    assert np.abs(found(x) - exact).max() <= found.error


def test_a_power_that_begins_inside_of_the_domain_is_found_at_zero_as_elsewhere() -> None:
    here = gx.solve(gx.Problem("u'' = abs(x)^0.7", {"x": (-0.3, 0.7)}, ["u(-0.3) = 0", "u(0.7) = 0"]), tol=1e-6)
    assert here.status == "converged"


@pytest.mark.parametrize("tol", [1e-4, 1e-8])
@pytest.mark.parametrize("eps", [1e-2, 0.3, 1.0])
@pytest.mark.parametrize("source", ["0", "u^2"])
def test_a_slope_that_a_singular_end_has_no_room_for_is_told_of(source: str, eps: float, tol: float) -> None:
    """At x = 0 the equation says u' = u + source: kernels alone can meet another slope, within their own width."""
    conditions = ["u'(0) = 0", "u(1) = 1"]
    solution = gx.solve(gx.Problem(f"eps*x*u'' + u' - u = {source}", {"x": UNIT}, conditions, eps=eps), tol)
    assert not solution.converged
    assert """"u'(0) = 0" contradicts the value""" in solution.message
    assert f"estimated error {solution.error:.1e}" in solution.message
    assert f"the powers 0 and {1 - 1 / eps:.3g} of" in solution.message


@pytest.mark.parametrize(
    ("equation", "conditions"),
    [
        ("u'' + 2/x*u' + u^5 = 0", ["u'(0) = 0.5", "u(1) = sqrt(3)/2"]),
        ("x*u'' + u' - x*u = 0", ["u'(0) = 1", "u(1) = 1"]),
        ("x*u''' + u'' = 1", ["u''(0) = 0", "u(0) = 0", "u(1) = 1"]),
        ("(1 - x^2)*u'' - 2*x*u' + 6*u = 0", ["u'(1) = 0", "u(0) = 1"]),
    ],
)
def test_other_values_than_those_that_a_singular_end_forces_are_not_met(equation: str, conditions: list[str]) -> None:
    solution = solved(equation, UNIT, conditions)
    assert not solution.converged
    assert "contradicts the value" in solution.message


@pytest.mark.parametrize("eps", [1e-2, 0.3, 1.0])
def test_the_value_that_a_singular_end_forces_may_be_stated(eps: float) -> None:
    solution = solved("eps*x*u'' + u' - u = 0", UNIT, ["u'(0) = u(0)", "u(1) = 1"], eps=eps)
    terms = np.cumprod([1.0, *(1.0 / (n * (1.0 + eps * (n - 1))) for n in range(1, 40))])
    x = np.linspace(0.0, 1.0, 101)
    assert solution.converged, solution.message
    assert np.abs(solution(x) - np.polyval(terms[::-1], x) / terms.sum()).max() <= solution.error
