"""Where evolutions end and what happens on the way: events, rest, leaps in time, and fields that follow at once."""

from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import solve_banded
from scipy.special import erfc

import gated_xtfc as gx
from gated_xtfc.solution.evolution import EvolutionSolution

ENDLESS = {"x": (0, 1), "t": (0, "inf")}
STRIP = {"x": (0, 1), "t": (0, 1)}
COOLING = ["u(x, 0) = sin(pi*x)", "u = 0 on boundary"]


def solved(problem: gx.Problem, tol: float, stop: str | None = None) -> EvolutionSolution:
    found = gx.solve(problem, tol, stop=stop)
    assert isinstance(found, EvolutionSolution)
    assert found.converged
    return found


def warmed(x: np.ndarray, t: float) -> np.ndarray:
    """A rod whose left end is at one from the time zero on."""
    width = np.sqrt(4.0 * t)
    found: np.ndarray = sum(erfc((2 * k + x) / width) for k in range(7))
    found = found - sum(erfc((2 * k - x) / width) for k in range(1, 7))
    return found


def test_a_value_at_an_end_that_leaps_in_time_is_spread_as_diffusion_does() -> None:
    conditions = ["u(x, 0) = 0", "u(0, t) = where(t < 0.3, 0, where(t < 0.6, 1, 0))", "u(1, t) = 0"]
    solution = solved(gx.Problem("u_t = u_xx", STRIP, conditions), 1e-6)
    x = np.linspace(0.0, 1.0, 201)
    assert solution.message.count("a leap at t") == 2
    assert not solution(x, 0.2999).any()
    assert np.abs(solution(x, 0.31) - warmed(x, 0.01)).max() <= 1e-6
    assert np.abs(solution(x, 0.8) - warmed(x, 0.5) + warmed(x, 0.2)).max() <= 1e-6


def test_no_step_goes_across_a_time_at_which_a_source_switches() -> None:
    problem = gx.Problem("u_t = u_xx + where(t < 0.4, 0, pi^2*sin(pi*x))", STRIP, ["u(x, 0) = 0", "u = 0 on boundary"])
    solution = solved(problem, 1e-7)
    assert np.abs(solution.times - 0.4).min() < 1e-12
    x = np.linspace(0.0, 1.0, 51)
    exact = (1.0 - np.exp(-(np.pi**2) * 0.2)) * np.sin(np.pi * x)
    assert np.abs(solution(x, 0.6) - exact).max() <= 1e-7


def test_a_front_that_leaves_through_an_end_in_a_moment_is_no_leap_there() -> None:
    """The value asked for there changes by 1e-10 while the time passes a break, which is more than a leap may be."""
    wave = "0.55 - 0.35*tanh(0.175*(X - 0.7 - 0.55*T)/3e-5)"
    first, left, right = (wave.replace("X", x).replace("T", t) for x, t in (("x", "0"), ("0", "t"), ("1", "t")))
    whole = wave.replace("X", "x").replace("T", "t")
    conditions = [f"u(x, 0) = {first}", f"u(0, t) = {left}", f"u(1, t) = {right}"]
    solution = solved(gx.Problem("u_t + u*u_x = 3e-5*u_xx", STRIP, conditions, whole), 2e-8)
    assert "leap" not in solution.message
    error = solution.true_error()
    assert error is not None
    assert error <= 2e-8


def test_a_leap_in_time_that_nothing_spreads_ends_the_solution_there() -> None:
    conditions = ["u(x, 0) = 0", "u(0, t) = where(t < 0.5, 0, 1)"]
    found = gx.solve(gx.Problem("u_t + u_x = 0", STRIP, conditions), 1e-4)
    assert isinstance(found, EvolutionSolution)
    assert found.status == "stopped"
    assert found.reached == pytest.approx(0.5)
    assert "nothing spreads it" in found.message


def test_time_without_end_ends_when_nothing_moves_any_more(tmp_path: Path) -> None:
    solution = solved(gx.Problem("u_t = u_xx", ENDLESS, ["u(x, 0) = x^2", "u(0, t) = 0", "u(1, t) = 1"]), 1e-6)
    x = np.linspace(0.0, 1.0, 51)
    assert solution.steady
    assert np.abs(solution(x, np.inf) - x).max() <= 1e-6
    solution.save(tmp_path / "rest.npz")
    back = gx.load(tmp_path / "rest.npz")
    assert isinstance(back, EvolutionSolution)
    np.testing.assert_array_equal(back(x, 1e9), solution(x, np.inf))


def test_what_is_driven_for_ever_does_not_come_to_rest() -> None:
    problem = gx.Problem("u_t = u_xx + sin(t)", {"x": (0, 1), "t": (0, 30)}, ["u(x, 0) = 0", "u = 0 on boundary"])
    solution = solved(problem, 1e-4, stop="steady")
    assert solution.reached == 30.0
    assert not solution.steady


def test_a_front_that_stands_still_is_at_rest_though_rounding_shifts_it() -> None:
    conditions = ["u(x, 0) = -sin(pi*x/2)", "u(-1, t) = 1", "u(1, t) = -1"]
    problem = gx.Problem("u_t + u*u_x = eps*u_xx", {"x": (-1, 1), "t": (0, "inf")}, conditions, eps=1e-2)
    solution = solved(problem, 1e-5)
    x = np.linspace(-0.2, 0.2, 41)
    assert solution.steady
    assert np.abs(solution(x, np.inf) + np.tanh(x / 0.02)).max() <= 1e-5


def test_an_event_ends_the_solution_when_it_happens() -> None:
    solution = solved(gx.Problem("u_t = u_xx", ENDLESS, COOLING), 1e-7, stop="max(u) = 0.5")
    assert solution.reached == pytest.approx(np.log(2.0) / np.pi**2, abs=1e-7)
    with pytest.raises(gx.InputError, match="outside the domain"):
        solution(0.5, 1.0)


def test_crossings_are_the_times_of_values_slopes_integrals_and_extremes() -> None:
    solution = solved(gx.Problem("u_t = u_xx", STRIP, COOLING), 1e-9)
    rate = np.pi**2
    for event, t in (
        ("u(0.5) = 0.1", np.log(10.0) / rate),
        ("u_x(0) = pi/2", np.log(2.0) / rate),
        ("integral(u^2) = 0.1", np.log(5.0) / (2.0 * rate)),
        ("min(u - 1) = -3/4*max(u) - 0.5", np.log(1.5) / rate),
        ("max(u) = 2", None),
    ):
        found = solution.crossings(event)
        assert found.size == (0 if t is None else 1)
        assert t is None or found[0] == pytest.approx(t, abs=1e-8)


@pytest.mark.parametrize(
    ("event", "says"),
    [
        ("max(u)", "is no equation"),
        ("2 = 3", "has no field in it"),
        ("v(0.5) = 1", "unknown function"),
        ("u(3) = 1", "is outside"),
        ("u_xxx(0) = 1", "up to 2"),
    ],
)
def test_events_that_cannot_be_read_are_refused_in_one_sentence(event: str, says: str) -> None:
    with pytest.raises(gx.InputError, match=says):
        gx.solve(gx.Problem("u_t = u_xx", STRIP, COOLING), 1e-3, stop=event)


def test_only_what_evolves_can_be_stopped_and_only_time_is_endless() -> None:
    with pytest.raises(gx.InputError, match="this problem does not"):
        gx.solve(gx.Problem("u'' = 1", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0"]), stop="steady")
    for domain in ({"x": (0, "inf"), "t": (0, 1)}, {"x": (0, 1), "t": ("-inf", 1)}):
        with pytest.raises(gx.InputError, match="for the end of the time"):
            gx.Problem("u_t = u_xx", domain, COOLING)


def test_a_condition_for_a_field_that_follows_at_once_leaves_its_own_equation_in_force() -> None:
    # u_t = (2u)_xx: at the ends v = 2u still holds, and u_t = v_xx does not
    problem = gx.Problem(
        ["u_t = v_xx", "v = 2*u"], {"x": (0, 1), "t": (0, 0.1)},
        ["u(x, 0) = cos(pi*x)", "v_x(0, t) = 0", "v_x(1, t) = 0"], {"u": "exp(-2*pi^2*t)*cos(pi*x)"},
    )  # fmt: skip
    solution = solved(problem, 1e-7)
    true = solution.true_error()
    assert true is not None
    assert true <= 1e-7
    # the porous medium, u_t = (u^2)_xx, by a similarity solution: u = (c - x^2/(12 t^(2/3))) t^(-1/3)
    exact = "(2 - x^2/(12*t^(2/3)))*t^(-1/3)"
    start = f"u(x, 1) = {exact.replace('t', '1')}"
    medium = gx.Problem(
        ["u_t = v_xx", "v = u^2"], {"x": (0, 1), "t": (1, 2)},
        [start, *(f"v({x}, t) = ({exact.replace('x', x)})^2" for x in "01")], {"u": exact},
    )  # fmt: skip
    found = solved(medium, 1e-6).true_error()
    assert found is not None
    assert found <= 1e-6


def test_where_an_equation_switches_in_space_the_estimate_knows() -> None:
    # at rest u'' = 0 on the left half and -1 on the right one
    problem = gx.Problem("u_t = u_xx + where(x < 0.5, 0, 1)", ENDLESS, ["u(x, 0) = 0", "u = 0 on boundary"])
    solution = solved(problem, 1e-2)
    x = np.linspace(0.0, 1.0, 101)
    exact = 0.125 * x - 0.5 * np.maximum(x - 0.5, 0.0) ** 2
    assert np.abs(solution(x, np.inf) - exact).max() <= solution.error * solution.scales[0]


def test_a_switch_within_what_smoothed_the_last_one_does_not_turn_time_back() -> None:
    leaps = "where(t < 0.5, 0, 1) + where(t < 0.50000000001, 0, 1)"
    problem = gx.Problem("u_t = u_xx", {"x": (0, 1), "t": (0, 1)}, ["u(x, 0) = 0", f"u(0, t) = {leaps}", "u(1, t) = 0"])
    solution = gx.solve(problem, 1e-4)
    assert isinstance(solution, EvolutionSolution)
    starts = np.array([piece.start for piece in solution.record.pieces])
    assert solution.reached == 1.0
    assert np.all(np.diff(starts) > 0.0)


@pytest.mark.parametrize(("level", "above", "below", "diffusion"), [(0.5, 1.0, 0.0, 0.01), (0.3, 2.0, 0.5, 0.1)])
def test_where_an_equation_switches_by_its_field_the_estimate_counts_what_sites_miss(
    level: float, above: float, below: float, diffusion: float
) -> None:
    stated = ["u(x, 0) = 0.8*sin(pi*x)", "u(0, t) = 0", "u(1, t) = 0"]
    equation = f"u_t = {diffusion}*u_xx + where(u > {level}, {above}, {below})"
    solution = gx.solve(gx.Problem(equation, {"x": (0, 1), "t": (0, 0.3)}, stated), 1e-3)
    # implicit differences, with the switch spread over one of their intervals
    x, step = np.linspace(0, 1, 801), 2e-4
    ratio = diffusion * step / x[1] ** 2
    band = np.full((3, x.size), -ratio)
    band[1] = 1 + 2 * ratio
    band[0, 1], band[2, -2], band[1, [0, -1]] = 0.0, 0.0, 1.0
    u = 0.8 * np.sin(np.pi * x)
    for _ in range(1500):
        share = np.clip((u - level) / np.maximum(np.abs(np.gradient(u)), 1e-12) + 0.5, 0.0, 1.0)
        right = u + step * (below + (above - below) * share)
        right[[0, -1]] = 0.0
        u = solve_banded((1, 1), band, right)
    missed = float(np.abs(solution(x, 0.3) - u).max()) / solution.scale
    assert missed <= solution.error + 3 * step


def test_values_that_miss_a_condition_by_less_than_the_tolerance_are_bent_to_it() -> None:
    # 1/cosh(15) is 6e-7, and what disperses spreads no difference: it is a part of the error, as long as it may be
    equations = ["u_t = -0.5*v_xx - (u^2 + v^2)*v", "v_t = 0.5*u_xx + (u^2 + v^2)*u"]
    stated = ["u(x, 0) = 1/cosh(x)", "v(x, 0) = 0", "u = 0 on boundary", "v = 0 on boundary"]
    soliton = gx.Problem(equations, {"x": (-15, 15), "t": (0, 1)}, stated)
    solution = gx.solve(soliton, 1e-5)
    x = np.linspace(-15, 15, 301)
    assert solution.converged
    assert np.abs(solution["u"](x, 1.0) - np.cos(0.5) / np.cosh(x)).max() <= solution.error
    assert solution.error > 6e-7
    assert "bent to meet conditions: u by 6.1e-07 at x = -15" in solution.message
    with pytest.raises(gx.InputError, match=r"by 6\.1e-07 at the start"):
        gx.solve(soliton, 1e-6)
