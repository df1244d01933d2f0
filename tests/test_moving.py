"""Fronts that travel: sites that follow them, steps that do not know how thin they are, errors that are owned up to."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy.special import erfc, log_ndtr

import gated_xtfc as gx
from gated_xtfc.discretise.moving.coordinate import MovingCoordinate
from gated_xtfc.discretise.moving.sites import sites
from gated_xtfc.solution.evolution import EvolutionSolution
from gated_xtfc.solver.moving.density import chosen
from gated_xtfc.solver.moving.equations import Equations
from gated_xtfc.solver.moving.first_layer import carried, profile
from gated_xtfc.solver.moving.layout import laid_out
from gated_xtfc.solver.moving.radau import METHOD, radau
from gated_xtfc.solver.moving.smoothing import SECOND
from gated_xtfc.solver.moving.step import INSIDE
from gated_xtfc.solver.moving.system import MovingSystem, weak_values

STRIP = {"x": (0, 1), "t": (0, 1)}
GATES = np.array([[0.2, 0.6, 1.0], [1e-3, 1e-5, 1e-2]])
COORDINATE = MovingCoordinate(0.0, 1.0, 0.1, np.array([0.5, 0.35, 0.25]))


def solved(problem: gx.Problem, tol: float, **options: Any) -> EvolutionSolution:
    found = gx.solve(problem, tol, **options)
    assert isinstance(found, EvolutionSolution)
    return found


def front(eps: float) -> gx.Problem:
    wave = "0.6 - 0.5*tanh((x - 0.2 - 0.6*t)/(4*eps))"
    at = {name: wave.replace("x -", f"{name} -") for name in ("0", "1")}
    conditions = [f"u(x, 0) = {wave.replace('*t)', '*0)')}", f"u(0, t) = {at['0']}", f"u(1, t) = {at['1']}"]
    return gx.Problem("u_t + u*u_x = eps*u_xx", STRIP, conditions, wave, eps=eps)


def largest_growth(equation: str, ends: list[str], gates: np.ndarray) -> float:
    """The largest real part of the eigenvalues of the equations at the sites."""
    problem = gx.Problem(equation, STRIP, ["u(x, 0) = 0", *ends])
    equations = Equations(problem)
    system = MovingSystem(equations, sites(40, 10), weak_values(equations, ["u_xx" in equation]))
    grading = np.full(gates.shape[1], 0.5)
    layout, frame = laid_out(system, MovingCoordinate(0.0, 1.0, 0.1, grading), gates, 2.5, 4000)
    own, n = layout.system, layout.sites.size
    zero = np.zeros((1, n))
    penalties = own.penalties(frame, 0.0, zero)
    band, reach = own.jacobian(frame, 0.0, zero, None, penalties), own.packing.band
    matrix = np.zeros((n, n))
    for row in range(n):
        for column in range(max(0, row - reach), min(n, row + reach + 1)):
            matrix[row, column] = band[2 * reach + row - column, column]
    return float(np.linalg.eigvals(matrix).real.max())


def test_sites_stay_in_the_left_half_plane() -> None:
    for gates in (np.zeros((2, 0)), np.array([[0.4], [1e-3]])):
        # within the time in which all is carried out, one, nothing grows: uniform sites have rates of 12 to 92
        assert largest_growth("u_t + u_x = 0", ["u(0, t) = 0"], gates) < 0.1
        assert largest_growth("u_t + u_x = 1e-3*u_xx", ["u(0, t) = 0", "u(1, t) = 0"], gates) < 0.1
        assert largest_growth("u_t = u_xx", ["u(0, t) = 0", "u(1, t) = 0"], gates) < -9.8  # -pi^2


@pytest.mark.parametrize("eps", ["1e-1", "1e-2", "1e-4", "1e-5", "1e-7"])
def test_ends_hold_values_that_are_carried_out_without_growth(eps: str) -> None:
    ends = ["u(0, t) = 0", "u(1, t) = 0"]
    assert largest_growth(f"u_t + u_x = {eps}*u_xx", ends, np.zeros((2, 0))) < 0.0


def test_values_at_ends_are_those_of_the_conditions_from_the_first_step_on() -> None:
    # the start bends at the ends, where nothing may change: u_xx = -2 pushes against the conditions
    conditions = ["u(x, 0) = x*(1 - x)", "u(0, t) = 0", "u(1, t) = 0"]
    solution = solved(gx.Problem("u_t = u_xx", {"x": (0, 1), "t": (0, 0.1)}, conditions), 1e-6)
    for piece in solution.record.pieces:
        ends = piece.at(np.array([0.0, 1.0]), piece.start + piece.length)[0]
        assert np.abs(ends).max() < 0.1 * solution.tol * solution.scales[0]


def test_sites_move_with_the_gates_as_the_derivatives_say() -> None:
    own = sites(120, 10)
    pins = COORDINATE.pins(GATES)
    frame = COORDINATE.frame(GATES[None], own.eta, pins)
    for k in range(6):
        shift = np.zeros((2, 3))
        shift[k // 3, k % 3] = 1e-4 * GATES[1, k % 3]
        ahead, back = (COORDINATE.frame((GATES + s * shift)[None], own.eta, pins).x[0] for s in (1, -1))
        slope = (ahead - back) / (2.0 * shift.max())
        assert np.abs(slope - frame.motion[0, k]).max() < 1e-6 * np.abs(slope).max()


def test_a_gate_keeps_its_site_wherever_it_goes() -> None:
    pins = COORDINATE.pins(GATES)
    assert pins is not None
    moved = GATES + np.array([[0.1, 0.05, 0.0], [0.0, 1e-5, 0.0]])
    for gates in (GATES, moved):
        np.testing.assert_allclose(COORDINATE.eta(gates[0, :2], gates, pins), pins.eta[:2], atol=1e-12)


def test_differences_are_of_their_order() -> None:
    errors = []
    for n in (24, 48):
        own = sites(n, 10)
        first, _ = own.derivatives(np.sin(9.0 * own.eta))
        errors.append(np.abs(first - 9.0 * np.cos(9.0 * own.eta)).max())
    assert np.log2(errors[0] / errors[1]) > 8.5


def test_radau_is_exact_for_polynomials_of_its_order_and_damps_what_is_stiff() -> None:
    for stages in (3, 5):
        method = radau(stages)
        matrix = np.linalg.inv(method.inverse)
        for power in range(1, 2 * stages):
            assert matrix[-1] @ method.nodes ** (power - 1) == pytest.approx(1.0 / power, abs=1e-13)
        for power in range(1, stages + 1):  # a front multiplies what is wrong here by its way over its thickness
            slopes = power * method.nodes ** (power - 1)
            assert np.abs(method.inverse @ method.nodes**power - slopes).max() < 5e-15
            assert abs(method.error @ method.nodes**power + (power == 1)) < 1e-15
        blocks = method.from_stages @ method.inverse @ method.to_stages
        assert blocks[0, 0] == pytest.approx(method.real)
        assert np.abs(np.triu(blocks, 2)).max() < 1e-10
        assert abs(1.0 + (-1e9 * np.linalg.solve(np.eye(stages) + 1e9 * matrix, matrix.sum(axis=1)))[-1]) < 1e-6


@pytest.mark.parametrize("stiff", [0.0, -0.3, -3.0, -30.0, -1e3, -1e6])
def test_the_error_inside_a_step_is_seen_where_it_is_largest(stiff: float) -> None:
    # u' = z (u - g) + g' with g = t^6 in one step of length one, by what its polynomial misses the equation there
    theta, powers = np.linspace(0.0, 1.0, 2001), np.arange(1, METHOD.stages + 1)
    nodes = METHOD.nodes
    right = 6.0 * nodes**5 - stiff * nodes**6
    changes = np.linalg.solve(METHOD.inverse - stiff * np.eye(METHOD.stages), right)
    coefficients = METHOD.dense.T @ changes
    true = np.abs(theta[:, None] ** powers @ coefficients - theta**6).max()
    at = METHOD.looked
    missed = (powers * at ** (powers - 1)) @ coefficients - 6.0 * at**5
    missed -= stiff * (at**powers @ coefficients - at**6)
    assert 1.0 <= INSIDE * abs(missed / (METHOD.real - stiff)) / true < 1.25


def test_a_steady_motion_keeps_its_rate_to_the_last_digit() -> None:
    moved = METHOD.nodes[:, None] * np.array([0.1, -0.07, 3.0])
    rates = METHOD.rates(METHOD.inverse, moved)
    assert np.abs(rates / moved[-1] - 1.0).max() <= 2.0 * np.finfo(float).eps


def test_steps_grow_like_the_logarithm_of_the_thickness() -> None:
    steps = [solved(front(10.0**-k), tol).steps for k in (2, 4, 6, 7, 8) for tol in (1e-4, 1e-6)]
    assert max(steps) <= 2 * min(steps) + 4  # 1e6 times thinner


def test_what_differences_add_on_a_long_way_is_foreseen() -> None:
    # before the first step there are as many sites as the whole way needs: few more are asked for on it
    for eps in (1e-6, 1e-7):
        solution = solved(front(eps), 1e-6)
        assert solution.converged
        first, last = solution.record.pieces[0].sites.size, solution.sites
        assert last <= 1.2 * first


def test_a_front_takes_as_many_steps_at_a_hundredth_of_its_thickness() -> None:
    found = [solved(front(eps), 1e-6) for eps in (1e-3, 1e-5)]
    for solution in found:
        true = solution.true_error()
        assert solution.status == "converged"
        assert true is not None
        assert true <= solution.error <= 1e-6
    assert found[1].steps < 2 * found[0].steps
    (path,) = found[1].fronts
    assert path.x[-1] == pytest.approx(0.8, abs=1e-6)


def test_a_front_is_where_it_should_be_to_the_last_digits() -> None:
    solution = solved(front(1e-7), 1e-8)
    true = solution.true_error()
    assert solution.status == "converged"
    assert true is not None
    assert true <= 2.0 * solution.error <= 2e-8  # a displacement of 1e-14


def test_a_shock_forms_out_of_a_sine() -> None:
    conditions = ["u(x, 0) = -sin(pi*x)", "u(-1, t) = 0", "u(1, t) = 0"]
    domain = {"x": (-1, 1), "t": (0, 1)}
    solution = solved(gx.Problem("u_t + u*u_x = eps*u_xx", domain, conditions, eps=0.01 / np.pi), 1e-6)
    # by Cole and Hopf's integral, to 30 digits
    assert solution(0.5, 1.0) == pytest.approx(-0.376181395748, abs=solution.error)
    assert solution(0.01, 1.0) == pytest.approx(-0.594256167589, abs=solution.error)


def test_a_front_that_arrives_at_an_end_is_resolved_there_before_its_error_shows() -> None:
    """Richards' equation: exp(10 h) obeys a linear one."""
    domain, first = {"x": (0, 1), "t": (0, 0.06)}, "-1 + 0.5*(1 - tanh((x - 0.1)/0.03))"
    wet, dry = (first.replace("x -", f"{end} -") for end in "01")
    wetting = gx.Problem(
        "3*h_t = h_xx + 10*h_x*(h_x - 1)", domain, [f"h(x, 0) = {first}", f"h(0, t) = {wet}", f"h(1, t) = {dry}"]
    )
    linear = gx.Problem(
        "3*w_t = w_xx - 10*w_x",
        domain,
        [f"w(x, 0) = exp(10*({first}))", f"w(0, t) = exp(10*({wet}))", f"w(1, t) = exp(10*({dry}))"],
    )
    solution, other = solved(wetting, 1e-6), solved(linear, 1e-11)
    x = solution.places(0.06)
    assert solution.converged
    assert len(solution.history) == 1  # the march was not given up for one with more sites everywhere
    assert np.abs(solution(x, 0.06) - 0.1 * np.log(other(x, 0.06))).max() <= solution.error


@pytest.mark.parametrize("thickness", [1.0, 0.3, 0.1, 0.05])
def test_a_layer_within_the_last_gaps_shows_in_the_remainder(thickness: float) -> None:
    own = sites(120, 10)
    between = np.linspace(0.0, 6.0, 400) / own.intervals

    def layer(eta: np.ndarray) -> np.ndarray:
        return np.exp(-eta * own.intervals / thickness)

    off = np.abs(own.interpolated(layer(own.eta), between, 11) - layer(between)).max()
    assert off <= 2.0 * np.abs(own.remainder(layer(own.eta)))[:6].min()
    assert off <= 2.0 * np.abs(own.remainder(layer(own.eta)[::-1]))[-6:].min()  # at the other end too


def test_smooth_values_leave_the_remainder_at_the_ends_as_small_as_inside() -> None:
    own = sites(120, 10)
    smooth = np.abs(own.remainder(np.sin(40.0 * own.eta)))
    assert smooth[[0, -1]].max() <= 2.0 * smooth[10:-10].max()


def test_a_pulse_that_comes_in_again_at_the_other_end_of_a_period_is_resolved_there() -> None:
    """Where it came in, it was a layer within the last gap, with an error six times the estimate."""
    angle, eps = "(2*pi*(X - (-0.97)*T))", 3e-4
    sharp = 1.0 / (40.0 * eps)
    wave = f"exp({sharp}*(cos{angle} - 1))"
    source = f"{eps}*({sharp}*cos{angle} - {sharp}^2*sin{angle}^2)*(2*pi)^2*{wave}"
    start, whole, source = (
        text.replace("X", "x").replace("T", time) for text, time in ((wave, "0"), (wave, "t"), (source, "t"))
    )
    ends = [f"u(x, 0) = {start}", "u(0, t) = u(1, t)", "u_x(0, t) = u_x(1, t)"]
    problem = gx.Problem(f"u_t - 0.97*u_x = {eps}*u_xx + {source}", {"x": (0, 1), "t": (0, 1)}, ends, whole)
    for tol in (2e-4, 3e-5):
        solution = solved(problem, tol)
        error = solution.true_error()
        assert solution.converged
        assert error is not None
        assert error <= solution.error


def test_values_that_leap_become_the_front_that_they_should() -> None:
    conditions = ["u(x, 0) = where(x < 0.3, 1, 0)", "u(0, t) = 1", "u(1, t) = 0"]
    solution = solved(gx.Problem("u_t = eps*u_xx", STRIP, conditions, eps=1e-3), 1e-5)
    x = np.linspace(0.05, 0.6, 50)
    exact = 0.5 * erfc((x - 0.3) / np.sqrt(4e-3 * 0.5))
    assert "smoothed over a first time" in solution.message
    assert np.abs(solution(x, 0.5) - exact).max() <= solution.error


@pytest.mark.parametrize("eps", [1e-4, 1e-6])
def test_a_leap_becomes_a_front_however_thin(eps: float) -> None:
    conditions = ["u(x, 0) = where(x < 0.3, 1, 0)", "u(0, t) = 1", "u(1, t) = 0"]
    solution = solved(gx.Problem("u_t + u*u_x = eps*u_xx", STRIP, conditions, eps=eps), 1e-6)
    x = solution.places(1.0)
    y, width = x - 0.3, np.sqrt(2.0 * eps)
    gap = log_ndtr(y / width) - log_ndtr((1.0 - y) / width) + (y - 0.5) / (2.0 * eps)
    exact = 1.0 / (1.0 + np.exp(np.clip(gap, -700.0, 700.0)))
    assert solution.status == "converged"
    assert np.abs(solution(x, 1.0) - exact).max() <= solution.error


def test_the_first_layer_of_a_leap_is_known_to_the_second_order() -> None:
    z = np.linspace(-5.0, 5.0, 101)
    change = carried(-1.0, lambda share: 0.5 - share, 0.0, inside=True)  # from 1 to 0, in a frame that goes along
    away = carried(1.0, np.ones_like, 0.0, inside=False)
    gaps = []
    for tau in (1e-3, 1e-4):
        s = 2.0 * np.sqrt(tau)
        x = s * z + 0.5 * tau
        left = -0.5 * x + 0.25 * tau + log_ndtr((tau - x) / np.sqrt(2.0 * tau))
        burgers = 1.0 / (1.0 + np.exp(log_ndtr(x / np.sqrt(2.0 * tau)) - left))
        inner = np.abs(1.0 - profile(z, True) + s * change(z) - burgers).max()
        x = s * (z + 5.0)
        wall = 0.5 * (erfc((x - tau) / s) + np.exp(x) * erfc((x + tau) / s))
        gaps.append((inner, np.abs(profile(x / s, False) + s * away(x / s) - wall).max()))
        assert max(gaps[-1]) < SECOND * tau
    assert np.all(np.array(gaps[0]) > 9.0 * np.array(gaps[1]))


def test_a_leap_spreads_on_a_slope_of_the_diffusion() -> None:
    # with y = log(x) it is u_t = u_yy - u_y
    conditions = ["u(x, 0) = where(x < 1, 1, 0)", "u(0.5, t) = 1", "u(2, t) = 0"]
    solution = solved(gx.Problem("u_t = x^2*u_xx", {"x": (0.5, 2), "t": (0, 0.002)}, conditions), 1e-7)
    assert solution.status == "converged"
    for piece in solution.record.pieces[1:]:
        t = piece.start + piece.length
        x = solution.places(t)
        exact = 0.5 * erfc((np.log(x) - t) / np.sqrt(4.0 * t))
        assert np.abs(solution(x, t) - exact).max() <= solution.error


def test_a_gate_finds_a_layer_in_a_domain_1e10_times_as_wide() -> None:
    thickness, place = 1e-10, 0.2
    x = np.unique(
        np.concatenate([np.linspace(0.0, 1.0, 50), place + thickness * np.sinh(np.linspace(-23.0, 23.0, 401))])
    )
    wanted = 1.0 / np.hypot(thickness, 0.3 * (x[(x >= 0.0) & (x <= 1.0)] - place))
    choice = chosen(x[(x >= 0.0) & (x <= 1.0)], wanted, (0.0, 1.0), np.zeros((2, 0)))
    assert choice.gates.shape == (2, 1)
    assert abs(choice.gates[0, 0] - place) < 0.1 * thickness


def test_a_front_a_thousand_times_thinner_needs_one_march_and_few_more_sites() -> None:
    thick, thin = (solved(front(eps), 1e-6) for eps in (1e-5, 1e-8))
    for solution in (thick, thin):
        error = solution.true_error()
        assert error is not None
        assert solution.status == "converged"
        assert error <= solution.error
        assert len(solution.history) == 1
    assert thin.sites < 5 * thick.sites


def test_what_rounding_shifts_is_in_the_estimate() -> None:
    solution = solved(front(1e-8), 1e-8)
    error = solution.true_error()
    assert error is not None
    assert error <= solution.error
    assert solution.status == "rounding"


def winding(size: float, rate: float, swing: float, middle: float, thick: float, eps: float) -> gx.Problem:
    """A front on a path that bends back and forth, by a source."""
    z = f"tanh((x - ({middle!r} + {swing!r}*sin({rate!r}*t)))/{thick!r})"
    source = (
        f"(1 - {z}^2)/{thick!r}*(-{size!r}*{swing * rate!r}*cos({rate!r}*t) + {size!r}^2*{z} "
        f"+ 2*eps*{size!r}*{z}/{thick!r})"
    )
    whole = f"{size!r}*{z}"
    first, left, right = (whole.replace(*one) for one in (("*t)", "*0)"), ("(x -", "(0 -"), ("(x -", "(1 -")))
    conditions = [f"u(x, 0) = {first}", f"u(0, t) = {left}", f"u(1, t) = {right}"]
    return gx.Problem(f"u_t + u*u_x - eps*u_xx = {source}", STRIP, conditions, whole, eps=eps)


@pytest.mark.parametrize("tol", [3e-5, 8e-7, 3e-8])
def test_gates_that_do_not_quite_follow_a_front_leave_no_error_that_nobody_sees(tol: float) -> None:
    solution = solved(winding(0.51, 4.8, 0.29, 0.42, 9.3e-4, 3.7e-4), tol)
    error = solution.true_error()
    assert solution.converged
    assert error is not None
    assert error <= 0.6 * solution.error  # with room: what nobody sees comes and goes with the steps


def test_an_error_that_is_carried_across_the_sites_is_remembered() -> None:
    # a pulse that goes round three times; it is most of the time far from the gates at the ends
    sharp, speed, eps = 60.0, -3.75, 4e-4
    wave = f"exp({sharp}*(cos(2*pi*(x - ({speed})*t)) - 1))"
    angle = f"(2*pi*(x - ({speed})*t))"
    source = f"eps*({sharp}*cos{angle} - {sharp}^2*sin{angle}^2)*(2*pi)^2*{wave}"
    conditions = [f"u(x, 0) = {wave.replace('*t', '*0')}", "u(0, t) = u(1, t)", "u_x(0, t) = u_x(1, t)"]
    problem = gx.Problem(f"u_t + ({speed})*u_x = eps*u_xx + {source}", STRIP, conditions, wave, eps=eps)
    solution = solved(problem, 3e-4)
    error = solution.true_error()
    assert error is not None
    assert error <= solution.error


def test_what_grows_ahead_of_a_pulled_front_is_in_the_estimate() -> None:
    eps, speed = 7e-3, 5.0 / np.sqrt(6.0)
    wave = f"(1 + exp((X - 0.2 - {speed!r}*T)/(sqrt(6)*eps)))^(-2)".replace("np.float64", "")
    start, left, right = (wave.replace("X", x).replace("T", t) for x, t in (("x", "0"), ("0", "t"), ("1", "t")))
    conditions = [f"u(x, 0) = {start}", f"u(0, t) = {left}", f"u(1, t) = {right}"]
    problem = gx.Problem("u_t = eps*u_xx + u*(1 - u)/eps", {"x": (0, 1), "t": (0, 0.29)}, conditions, eps=eps)
    solution = solved(problem, 1e-4)
    x = solution.places(0.29)
    exact = 1.0 / (1.0 + np.exp((x - 0.2 - speed * 0.29) / (np.sqrt(6.0) * eps))) ** 2
    assert np.abs(solution(x, 0.29) - exact).max() <= 3.0 * solution.error


EXACT = {
    "neumann": (
        "u_t = 0.1*u_xx", ["u_x(0, t) = 0", "u_x(1, t) = 0"], "exp(-0.1*pi^2*t)*cos(pi*x)",
    ),
    "periodic": (
        "u_t + u_x = 0.01*u_xx", ["u(0, t) = u(1, t)", "u_x(0, t) = u_x(1, t)"],
        "exp(-0.04*pi^2*t)*sin(2*pi*(x - t))",
    ),
    "nonlinear condition and mass": (
        "(1 + x*u)*u_t = u_xx + 9*exp(t)*sin(3*x) + (1 + x*u)*u", ["u_x(0, t) + u(0, t) = 5*exp(t)",
        "u_x(1, t)*u(1, t) = exp(2*t)*3*cos(3)*(sin(3) + 2)"], "exp(t)*(sin(3*x) + 2)",
    ),
    "advection": ("u_t + u_x = 0", ["u(0, t) = exp(-30*(0.3 + t)^2)"], "exp(-30*(x - 0.3 - t)^2)"),
}  # fmt: skip


@pytest.mark.parametrize("name", EXACT)
def test_conditions_of_every_kind_lead_to_the_exact_solution(name: str) -> None:
    equation, ends, exact = EXACT[name]
    start = f"u(x, 0) = {exact.replace('- t)', '- 0)').replace('*t)', '*0)').replace('(t)', '(0)')}"
    solution = solved(gx.Problem(equation, {"x": (0, 1), "t": (0, 0.5)}, [start, *ends], exact), 1e-7)
    true = solution.true_error()
    assert true is not None
    assert true <= 3.0 * solution.error
    assert solution.converged


def test_a_system_with_a_field_that_follows_at_once() -> None:
    # u_t = -u_xxxx, by v = u_xx
    conditions = ["u(x, 0) = sin(pi*x)", "u = 0 on boundary", "v = 0 on boundary"]
    exact = {"u": "exp(-pi^4*t)*sin(pi*x)"}
    problem = gx.Problem(["u_t = -v_xx", "v = u_xx"], {"x": (0, 1), "t": (0, 0.02)}, conditions, exact)
    solution = solved(problem, 1e-6)
    true = solution.true_error()
    assert true is not None
    assert true < 1e-6
    assert solution["v"](0.5, 0.01) == pytest.approx(-(np.pi**2) * np.exp(-(np.pi**4) * 0.01), rel=1e-5)


def test_derivatives_and_residual_belong_to_the_solution() -> None:
    solution = solved(front(1e-2), 1e-7)
    x, t = np.linspace(0.3, 0.6, 7), 0.4
    z = (x - 0.2 - 0.6 * t) / 0.04
    np.testing.assert_allclose(solution(x, t, 1), -12.5 / np.cosh(z) ** 2, atol=1e-4)
    np.testing.assert_allclose(solution(x, t, (0, 1)), 7.5 / np.cosh(z) ** 2, atol=1e-3)
    assert np.abs(solution.residual(x, t)).max() < 1e-3
    assert solution.errors[1, 0] < 1e-4
    with pytest.raises(gx.InputError, match="first one in time"):
        solution(x, t, (1, 1))
    with pytest.raises(gx.InputError, match="ask for the residual"):
        solution.scaled_residual(x, t)
    with pytest.raises(gx.InputError, match="outside the domain"):
        solution(0.5, 2.0)


def test_what_is_saved_comes_back_to_the_last_bit_and_goes_on(tmp_path: Path) -> None:
    problem = front(1e-3)
    statement = problem.to_dict()
    early = gx.Problem.from_dict({**statement, "domain": {"x": [0, 1], "t": [0, 0.4]}})
    first = solved(early, 1e-5)
    first.save(tmp_path / "front.npz")
    back = gx.load(tmp_path / "front.npz")
    assert isinstance(back, EvolutionSolution)
    x = np.linspace(0.0, 1.0, 101)
    np.testing.assert_array_equal(back(x, 0.3), first(x, 0.3))
    assert len(back.fronts) == len(first.fronts)
    whole = solved(problem, 1e-4, guess=back)
    true = whole.true_error()
    assert whole.converged
    assert whole.reached == 1.0
    assert true is not None
    assert true < 1e-4


def test_a_solution_that_blows_up_is_followed_as_far_as_it_goes() -> None:
    conditions = ["u(x, 0) = 10*sin(pi*x)", "u = 0 on boundary"]
    solution = solved(gx.Problem("u_t = u_xx + u^3", STRIP, conditions), 1e-4, max_steps=200)
    assert solution.status == "stopped"
    assert 0.0 < solution.reached < 0.02
    assert solution(0.5, solution.reached) > 10.0


def test_time_and_steps_are_limited_and_told() -> None:
    told: list[float | None] = []
    short = solved(front(1e-3), 1e-6, max_steps=3, progress=lambda step: told.append(step.value))
    assert short.status == "stopped"
    assert short.steps == 3
    assert told[-1] == short.reached
    assert solved(front(1e-3), 1e-6, max_seconds=1e-6).status == "max_seconds"


def test_pictures_and_films_are_written(tmp_path: Path) -> None:
    solution = solved(front(1e-2), 1e-3)
    solution.plot(tmp_path / "page.png")
    solution.animate(tmp_path / "film.gif", frames=3)
    assert len(solution.plot(ax=Figure().subplots()).lines) == 7
    solution.to_csv(tmp_path / "values.csv", 11)
    assert (tmp_path / "page.png").stat().st_size > 10_000
    assert (tmp_path / "film.gif").read_bytes()[:3] == b"GIF"
    assert (tmp_path / "values.csv").read_text().splitlines()[0] == "t,x,u,u_x"
    with pytest.raises(gx.InputError, match=r"should end in \.gif"):
        solution.animate(tmp_path / "film.avi")
