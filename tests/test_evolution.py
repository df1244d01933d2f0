"""Statements of equations that evolve: what is read, and what is refused in one sentence."""

from typing import Any

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
        ("u_tt = u_xx", [START, *ENDS], "of second order in t"),
        (["u_tt = v_xx", "v_t = u_xx"], [START, *ENDS], "of second order in t"),
        ("u_t = u_xx + u_xt", [START, *ENDS], "space and time at once"),
        ("u_t = -u_xxxx", [START, *ENDS], "of order 4 in x"),
        ("u_t = u_xx", ENDS, "u has no value at t = 0"),
        ("u_t = u_xx", ["u(x, 1) = 0", *ENDS], "where the solution ends"),
        ("u_t = u_xx", [START, "u(x, 0) = 0", *ENDS], "give one of them"),
        ("u_t = u_xx", [START, "u(0, t) = 0"], "no condition at x = 1"),
        ("u_t = u_xx", [START, *ENDS, "u_x(1, t) = 0"], "one too many at x = 1"),
        ("u_t + u_x = 0", [START, *ENDS], "at the end where it flows in"),
        ("u_t + (1 + t)*u_x = u", [START, "u(1, t) = 0"], "give it a condition at x = 0, where it flows in"),
        ("u_t = u_xx", [START, "u(0, t) = u(1, t)"], "join the two ends by 2 conditions"),
        ("u_t = u_xx", [START, "u_t(0, t) = 0", "u(1, t) = 0"], "no other derivative"),
        ("u_t = u_xx", ["u(x, 0)^2 = 1", *ENDS], "must give the field as a function"),
        ("u_t = u_xx", ["u(x, 0) = 1/x", *ENDS], "is not finite at x = 0"),
        ("u_t = u_xx", [START, "u(0.5, t) = 0", "u(1, t) = 0"], "is not a side"),
    ],
)
def test_what_cannot_be_solved_is_said_in_one_sentence(equation: Any, conditions: list[str], says: str) -> None:
    assert says in refused(equation, conditions)


def test_time_runs_forwards() -> None:
    assert "reversed" in refused("u_t = u_xx", [START, *ENDS], {"x": (0, 1), "t": (1, 0)})


def test_options_that_mean_nothing_here_are_refused() -> None:
    problem = gx.Problem("u_t = k*u_xx", STRIP, [START, *ENDS], k=1)
    for options, says in (
        ({"gates": [gx.Layer(0.5, 1e-3)]}, "gates follow the solution"),
        ({"continuation": "k"}, "cannot be given where equations evolve"),
        ({"guess": "x"}, "takes no guess"),
        ({"guess": gx.solve(problem, 1e-4)}, "no earlier part"),
    ):
        with pytest.raises(gx.InputError, match=says):
            gx.solve(problem, 1e-4, **options)  # type: ignore[arg-type]


def test_values_that_leap_where_nothing_spreads_them_are_refused() -> None:
    problem = gx.Problem("u_t + u_x = 0", STRIP, ["u(x, 0) = where(x < 0.5, 1, 0)", "u(0, t) = 1"])
    with pytest.raises(gx.InputError, match="nothing spreads it"):
        gx.solve(problem, 1e-4)
