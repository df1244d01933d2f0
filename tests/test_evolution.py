"""Statements of equations that evolve: what is read, and what is refused in one sentence."""

from typing import Any

import numpy as np
import pytest

import gated_xtfc as gx
from gated_xtfc.problem.file import from_mapping

STRIP = {"x": (0, 1), "t": (0, 1)}
START, ENDS = "u(x, 0) = sin(pi*x)", ["u(0, t) = 0", "u(1, t) = 0"]


def refused(equation: Any, conditions: list[str], domain: Any = STRIP, **more: Any) -> str:
    with pytest.raises(gx.InputError) as told:
        gx.Problem(equation, domain, conditions, **more)
    sentence = str(told.value)
    assert "\n" not in sentence
    return sentence


def test_a_first_derivative_makes_a_coordinate_time_whatever_its_name_and_place() -> None:
    for domain, start, ends in (
        (STRIP, "u(x, 0) = 0", ["u(0, t) = 0", "u(1, t) = t"]),
        ({"t": (0, 1), "x": (0, 1)}, "u(0, x) = 0", ["u(t, 0) = 0", "u(t, 1) = t"]),
    ):
        evolution = gx.Problem("u_t = u_xx", domain, [start, *ends]).evolution
        assert evolution is not None
        assert (evolution.time.name, evolution.space.name) == ("t", "x")
    named = gx.Problem("u_x - eps*u_yy = 0", {"x": (0, 2), "y": (0, 1)}, ["u(0, y) = 1", "u = 1 on boundary"], eps=0.1)
    assert named.evolution is not None
    assert named.evolution.time.right == 2.0


def test_what_is_elliptic_stays_a_rectangle() -> None:
    assert gx.Problem("u_xx + u_tt = 1", STRIP, ["u = 0 on boundary"]).evolution is None
    upwind = gx.Problem("u_t - eps*(u_xx + u_tt) = 1", STRIP, ["u = 0 on boundary"], eps=0.1)
    assert upwind.evolution is None


def test_functions_and_mappings_state_the_same() -> None:
    text = gx.Problem("u_t = k*u_xx", STRIP, [START, *ENDS], k=0.1)
    function = gx.Problem(lambda x, t, u, k: u.t - k * u.xx, STRIP, [START, *ENDS], k=0.1)
    assert gx.solve(function, 1e-6)(0.3, 0.7) == pytest.approx(gx.solve(text, 1e-6)(0.3, 0.7), abs=1e-12)
    assert from_mapping(text.to_dict()) == text
    other = text(k=0.2).evolution
    assert other is not None
    assert text.evolution is not None
    assert other.orders == text.evolution.orders


def test_values_at_the_start_that_miss_a_condition_are_a_warning() -> None:
    assert gx.Problem("u_t = u_xx", STRIP, [START, *ENDS]).warnings == ()
    (warning,) = gx.Problem("u_t = u_xx", STRIP, [START, "u(0, t) = 1", "u(1, t) = 0"]).warnings
    assert "u(0, t) = 1" in warning


@pytest.mark.parametrize(
    ("equation", "conditions", "says"),
    [
        ("u_t = -u_xx", [START, *ENDS], "runs backwards"),
        ("u_t = (u - 0.5)*u_xx", [START, *ENDS], "ill-posed"),
        ("0*u_t = u_xx", [START, *ENDS], "is zero everywhere"),
        ("u_tt = u_xx", [START, *ENDS], "u_t has no value at t = 0: add a condition such as u_t(x, 0) = 0"),
        ("u_t + u_t^3 = u_xx", [START, *ENDS], "not linear in u_t"),
        ("sin(u_t) = u_xx", [START, *ENDS], "not linear in u_t"),
        ("1e-9*u_t + (1e-9*u_t)^2 = u_xx", [START, *ENDS], "not linear in u_t"),
        ("u_xx + u = 0", [START, *ENDS], "has no derivative in t"),
        ("u_t = u_xx + log(x - 0.5)", [START, *ENDS], "cannot be computed at x"),
        (["u_tt = v_xx", "v_t = u_xx"], [START, *ENDS, "v(x, 0) = 0"], "u_t has no value"),
        ("u_t = u_xx + u_xt", [START, *ENDS], "space and time at once"),
        ("u_t = -u_xxxx", [START, *ENDS], "u is of order 4 in x and takes two different conditions at each end"),
        ("u_t = -u_xxxx", [START, *ENDS, *ENDS], "two different conditions at each end"),
        ("u_t = u_xxxx", [START, *ENDS, "u_xx = 0 on boundary"], "the finest waves grow the fastest"),
        ("u_t = u_xxxxx", [START, *ENDS], "equations that evolve can have order 4"),
        ("u_t + u_xxx = 0", [START, *ENDS], "two different conditions at one end and one at the other"),
        ("u_t + u_xxx = 0", [START, *ENDS, "u_x(0, t) = 0"], "asks for two conditions at x = 1 and one at x = 0"),
        ("u_t + u_xxx = 0", [START, "u(0, t) = u(1, t)"], "join the two ends by 3 conditions"),
        ("u_tt = u_xx + u_xxtt", [START, *ENDS], "u_xxtt"),
        ("u_tt = u_xx + u_xt", [START, *ENDS, "u_t(x, 0) = 0"], "supported where u is periodic"),
        ("u_t = -u_xxxx", [START, *ENDS, *ENDS[:1], "u_x(1, t) = 0"], "two different conditions at each end"),
        (
            ["u_tt = v - u_xx", "v_tt = v_xx"],
            [START, *ENDS, "u_t(x, 0) = 0", "v(x, 0) = 0", "v_t(x, 0) = 0", "v = 0 on boundary"],
            "ill-posed",
        ),
        ("u_t = u_xx", ENDS, "u has no value at t = 0"),
        ("u_t = u_xx", ["u(x, 1) = 0", *ENDS], "where the solution ends"),
        ("u_t = u_xx", [START, "u(x, 0) = 0", *ENDS], "give one of them"),
        ("u_t = u_xx", [START, "u(0, t) = 0"], "no condition at x = 1"),
        ("u_t = u_xx", [START, *ENDS, "u_x(1, t) = 0"], "one too many at x = 1"),
        ("u_t + u_x = 0", [START, *ENDS], "at the end where it flows in"),
        ("u_t + (1 + t)*u_x = u", [START, "u(1, t) = 0"], "give it a condition at x = 0, where it flows in"),
        (["u_t + u_x = v", "v_t = v_x"], [START, "v(x, 0) = 0", *ENDS[:1], "v(0, t) = 0"], "v flows out at x = 0"),
        (["u_t = v_x", "v_t = u_x"], [START, "v(x, 0) = 0", ENDS[0]], "1 of the waves of u, v comes in at x = 1"),
        (["u_t = v_x", "v_t = u_x"], [START, "v(x, 0) = 0", *ENDS, "v(1, t) = 0"], "one too many at x = 1: 1 of"),
        (["u_t = v_x", "v_t = -u_x"], [START, "v(x, 0) = 0", ENDS[0], "v(1, t) = 0"], "complex eigenvalues"),
        ("u_t = u_xx", [START, "u(0, t) = u(1, t)"], "join the two ends by 2 conditions"),
        ("u_t = u_xx", [START, "u_t(0, t) = 0", "u(1, t) = 0"], "no other derivative"),
        ("u_t = u_xx", ["u(x, 0)^2 = 1", *ENDS], "must give the field as a function"),
        ("u_t = u_xx", ["u(x, 0) = 1/x", *ENDS], "is not finite at x = 0"),
        ("u_t = u_xx", [START, "u(0.5, t) = 0", "u(1, t) = 0"], "is not a side"),
    ],
)
def test_what_cannot_be_solved_is_said_in_one_sentence(equation: Any, conditions: list[str], says: str) -> None:
    assert says in refused(equation, conditions)


@pytest.mark.parametrize(
    ("equation", "conditions", "latest", "says"),
    [
        ("u_t = (0.5 - t)*u_xx", [START, *ENDS], 0.6, "ill-posed"),
        ("u_t = (1.5 - u)*u_xx + 50", [START, *ENDS], 0.1, "ill-posed"),
        ("u_t + cos(4*t)*u_x = 0", ["u(x, 0) = sin(pi*x)^4", "u(0, t) = 0"], 0.45, "give it a condition at x = 1"),
    ],
)
def test_what_turns_ill_posed_on_its_way_ends_there_and_says_so(
    equation: str, conditions: list[str], latest: float, says: str
) -> None:
    solution = gx.solve(gx.Problem(equation, STRIP, conditions), 1e-5)
    assert isinstance(solution, gx.EvolutionSolution)
    assert solution.status == "stopped"
    assert solution.reached < latest
    assert says in solution.message


def test_a_periodic_field_that_does_not_close_at_the_start_is_a_warning() -> None:
    joined = ["u(0, t) = u(1, t)", "u_x(0, t) = u_x(1, t)"]
    assert gx.Problem("u_t = u_xx", STRIP, ["u(x, 0) = sin(2*pi*x)", *joined]).warnings == ()
    (warning,) = gx.Problem("u_t = u_xx", STRIP, ["u(x, 0) = x", *joined]).warnings
    assert "u is periodic" in warning


def test_a_pole_at_the_start_is_not_taken_for_a_solution() -> None:
    solution = gx.solve(gx.Problem("u_t = u_xx", STRIP, ["u(x, 0) = 1/(x - 0.3)", *ENDS]), 1e-5)
    assert not solution.converged


@pytest.mark.parametrize("unit", [1e-12, 1.0, 1e12])
def test_fields_that_begin_at_rest_with_nothing_have_no_unit(unit: float) -> None:
    driven = gx.Problem(
        ["u_t = 0.01*u_xx - u + k^2*w", "w_t = 0.02*w_xx + sin(t)*cos(pi*x)/k"],
        STRIP,
        ["u(x, 0) = 0", "w(x, 0) = 0", "u_x(0, t) = 0", "u_x(1, t) + u(1, t) = 0", "w_x = 0 on boundary"],
        k=unit,
    )
    solution = gx.solve(driven, 1e-6)
    rate = 0.02 * np.pi**2
    growing = (rate * np.sin(1.0) - np.cos(1.0) + np.exp(-rate)) / (1.0 + rate**2)
    assert solution.converged
    assert abs(solution["w"](0.0, 1.0) * unit - growing) < 1e-6


def test_conditions_that_mix_fields_go_to_those_that_flow_in() -> None:
    waves = ["p(x, 0) = sin(pi*x)", "q(x, 0) = sin(pi*x)", "p(0, t) + q(0, t) = 0", "p(1, t) + q(1, t) = 0"]
    solution = gx.solve(gx.Problem(["p_t = p_x", "q_t = -q_x"], STRIP, waves), 1e-6)
    x = np.linspace(0, 1, 41)
    assert solution.converged
    assert np.abs(solution["p"](x, 1.0) - np.sin(np.pi * (x + 1.0))).max() < 1e-6
    assert np.abs(solution["q"](x, 0.3) - np.sin(np.pi * (x - 0.3))).max() < 1e-6


def test_time_runs_forwards() -> None:
    assert "reversed" in refused("u_t = u_xx", [START, *ENDS], {"x": (0, 1), "t": (1, 0)})


def _until(end: float, conditions: list[str]) -> gx.Problem:
    return gx.Problem("u_t = k*u_xx", {"x": (0, 1), "t": (0, end)}, conditions, k=1)


def test_functions_that_differ_are_no_earlier_part_of_one_another() -> None:
    def decay(factor: float, end: float) -> gx.Problem:
        return gx.Problem(lambda x, t, u: u.t - factor * u.xx, {"x": (0, 1), "t": (0, end)}, [START, *ENDS])

    early = gx.solve(decay(1.0, 0.1), 1e-5)
    assert gx.solve(decay(1.0, 0.2), 1e-4, guess=early).converged
    with pytest.raises(gx.InputError, match="no earlier part"):
        gx.solve(decay(2.0, 0.2), 1e-4, guess=early)


def test_options_that_mean_nothing_here_are_refused() -> None:
    problem = gx.Problem("u_t = k*u_xx", STRIP, [START, *ENDS], k=1)
    for options, says in (
        ({"gates": [gx.Layer(0.5, 1e-3)]}, "gates follow the solution"),
        ({"continuation": "k"}, "cannot be given where equations evolve"),
        ({"guess": "x"}, "takes no guess"),
        ({"guess": gx.solve(problem, 1e-4)}, "no earlier part"),
        ({"guess": gx.solve(_until(0.5, ["u(x, 0) = 0", *ENDS]), 1e-4)}, "no earlier part"),
        ({"guess": gx.solve(_until(0.5, [START, "u_x = 0 on boundary"]), 1e-4)}, "no earlier part"),
    ):
        with pytest.raises(gx.InputError, match=says):
            gx.solve(problem, 1e-4, **options)  # type: ignore[arg-type]


def test_values_that_leap_where_nothing_spreads_them_are_refused() -> None:
    problem = gx.Problem("u_t + u_x = 0", STRIP, ["u(x, 0) = where(x < 0.5, 1, 0)", "u(0, t) = 1"])
    with pytest.raises(gx.InputError, match="nothing spreads it"):
        gx.solve(problem, 1e-4)
