"""Domains without ends: solved on windows that are cut off, whose error is part of the estimate."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gated_xtfc as gx
from gated_xtfc.apps.cli import main
from gated_xtfc.problem.file import from_mapping
from gated_xtfc.problem.transform import Truncation
from gated_xtfc.solution.interval import IntervalSolution
from gated_xtfc.solver.unbounded import _missing

HALF, LINE = {"x": (0, math.inf)}, {"x": (-math.inf, math.inf)}
DECAY = ["u(0) = 1", "u(inf) = 0"]


def solved(equation: Any, domain: Any, conditions: list[str], *, guess: Any = None, **more: Any) -> IntervalSolution:
    solution = gx.solve(gx.Problem(equation, domain, conditions, **more), guess=guess)
    assert solution.converged, solution.message
    assert isinstance(solution, IntervalSolution)
    return solution


@pytest.mark.parametrize(
    ("equation", "exact", "conditions"),
    [
        ("u'' = u", "exp(-x)", DECAY),
        ("u'' = 1e-6*u", "exp(-x/1000)", DECAY),
        ("eps*u'' + u' = 0", "exp(-x/eps)", DECAY),
        ("u' = -u", "exp(-x)", ["u(0) = 1"]),
        ("u'' - u = 2/(1+x)^3 - 1/(1+x)", "1/(1+x)", DECAY),
        ("u'' = 6*(1+x)^(-4)", "(1+x)^(-2)", DECAY),
        ("u'' - u = 2e-5/(1+x)^3 - 1e-5/(1+x)", "exp(-x) + 1e-5/(1+x)", ["u(0) = 1 + 1e-5", "u(inf) = 0"]),
        ("u'' - u = exp(-(x - 800)^2)*(4*(x - 800)^2 - 3)", "exp(-(x - 800)^2)", ["u(0) = 0", "u(inf) = 0"]),
        ("u'' - u = -x", "x + exp(-x)", ["u(0) = 1", "u'(inf) = 1"]),
    ],
)
def test_the_error_beyond_the_window_is_within_the_estimate_too(
    equation: str, exact: str, conditions: list[str]
) -> None:
    more = {"eps": 1e-3} if "eps" in equation else {}
    solution = solved(equation, HALF, conditions, exact=exact, **more)
    assert solution.problem.exact is not None
    x = np.concatenate([solution.points(500), solution.window[0].right * np.logspace(0, 3, 50)])
    error = np.abs(solution(x) - solution.problem.exact(x)) / np.maximum(solution.scale, np.abs(solution(x)))
    assert error.max() <= solution.error <= 1e-8


def test_the_plate_in_a_flow() -> None:
    flow = solved("f''' + f*f''/2 = 0", HALF, ["f(0) = 0", "f'(0) = 0", "f'(inf) = 1"])
    assert flow(0.0, 2) == pytest.approx(0.33205733621519630, abs=1e-8)
    assert flow(math.inf, 1) == pytest.approx(1.0, abs=1e-14)
    assert flow(math.inf) == math.inf
    assert flow(math.inf, 2) == 0.0


def test_a_wedge_in_a_flow() -> None:
    flow = solved("f''' + f*f'' + b*(1 - f'^2) = 0", HALF, ["f(0) = 0", "f'(0) = 0", "f'(inf) = 1"], b=1)
    assert flow(0.0, 2) == pytest.approx(1.2325876568, abs=1e-8)


def test_a_rotating_disk() -> None:
    equations = ["H' = -2*F", "F'' = F^2 - G^2 + H*F'", "G'' = 2*F*G + H*G'"]
    ends = ["H(0) = 0", "F(0) = 0", "G(0) = 1", "F(inf) = 0", "G(inf) = 0"]
    disk = solved(equations, HALF, ends)
    assert disk["F"](0.0, 1) == pytest.approx(0.510232618867, abs=1e-8)
    assert disk["G"](0.0, 1) == pytest.approx(-0.615922014399, abs=1e-8)
    assert disk["H"](math.inf) == pytest.approx(-0.88447411, abs=1e-7)


def test_a_bistable_wave_and_its_speed() -> None:
    wave = solved(
        "u'' + c*u' + u*(1-u)*(u-a) = 0", LINE, ["u(-inf) = 1", "u(inf) = 0", "u(0) = 1/2"], unknown=["c"], a=0.25
    )
    assert wave.constants["c"] == pytest.approx((1 - 2 * 0.25) / math.sqrt(2), abs=1e-9)
    x = np.linspace(-30, 30, 61)
    assert np.abs(wave(x) - 1 / (1 + np.exp(x / math.sqrt(2)))).max() < 1e-8


def test_a_shock_wave_and_its_speed() -> None:
    wave = solved("u'' = (u - c)*u'", LINE, ["u(-inf) = 1", "u(inf) = 0", "u(0) = 1/2"], unknown=["c"])
    assert wave.constants["c"] == pytest.approx(0.5, abs=1e-9)
    assert wave(3.0) == pytest.approx(0.5 * (1 - math.tanh(0.75)), abs=1e-8)


@pytest.mark.parametrize(("guess", "level"), [("exp(-x^2/2)", 1.0), ("(1 - 2*x^2)*exp(-x^2/2)", 5.0)])
def test_levels_of_an_oscillator(guess: str, level: float) -> None:
    ends = ["u(-inf) = 0", "u(inf) = 0", "u(0) = 1"]
    state = solved("-u'' + x^2*u = lam*u", LINE, ends, unknown=["lam"], guess={"u": guess, "lam": level + 0.2})
    assert state.constants["lam"] == pytest.approx(level, abs=1e-8)


@pytest.mark.parametrize(
    ("equation", "conditions"),
    [
        ("u'' = 0", DECAY),
        ("u'' = u/(1+x)^2/4", DECAY),  # like x^-0.2
        ("u'' = 0.11/(1+x)^2*u", DECAY),
        ("u'' + u = 0", DECAY),
        ("u' = u", ["u(0) = 1"]),
        ("u'' = u", ["u(0) = 0", "u(1) = 1"]),
    ],
)
def test_a_far_field_that_does_not_fall_is_told(equation: str, conditions: list[str]) -> None:
    solution = gx.solve(gx.Problem(equation, HALF, conditions), max_neurons=3000)
    assert not solution.converged
    assert "cut off to" in solution.message
    assert solution.error == math.inf


def test_a_wave_that_nothing_holds_in_place_is_no_solution() -> None:
    assert not gx.solve(gx.Problem("u'' = u*u'", LINE, ["u(-inf) = 1", "u(inf) = -1"])).converged


@pytest.mark.parametrize("power", [0.3, 1.0, 2.5])
def test_what_is_missing_is_found_from_two_changes(power: float) -> None:
    reaches = np.array([3.0, 6.0, 30.0])
    missing = 7.0 * reaches**-power
    told, found = _missing(missing[0] - missing[1], missing[1] - missing[2], 2.0, 5.0)
    assert found == pytest.approx(power, rel=1e-6)
    assert told >= 0.999 * missing[2]


def test_units_do_not_matter() -> None:
    one = solved("u'' = u - u^3", HALF, DECAY)
    other = solved("u'' = 2^60*(u - u^3)", HALF, DECAY)
    assert other.window[0].right == one.window[0].right * 2.0**-30
    assert other(2.0**-30) == pytest.approx(one(1.0), abs=1e-9)


def test_a_truncated_problem_asks_at_the_cut_for_what_was_asked_for_at_infinity() -> None:
    problem = gx.Problem("u'' = a*u", LINE, ["u(-inf) = 0", "u'(inf) = 1"], a=1)
    cut = problem.transformed(Truncation(-3.0, 5.0))
    assert [term.point for condition in cut.conditions for term in condition.terms] == [-3.0, 5.0]
    assert (cut.axes[0].left, cut.axes[0].right) == (-3.0, 5.0)
    assert cut(a=2).axes == cut.axes


def test_a_solution_without_ends_is_saved_written_and_drawn(tmp_path: Path) -> None:
    solution = solved("u'' = u - u^3", HALF, DECAY)
    solution.save(tmp_path / "tail.npz")
    again = gx.load(tmp_path / "tail.npz")
    assert isinstance(again, IntervalSolution)
    x = np.array([0.0, 1.0, 30.0, 1e9, math.inf])
    assert np.array_equal(again(x), solution(x))
    assert again.window == solution.window
    solution.plot(tmp_path / "tail.png")
    solution.to_csv(tmp_path / "tail.csv")
    assert np.isfinite(np.loadtxt(tmp_path / "tail.csv", delimiter=",", skiprows=1)).all()


def test_infinity_has_the_same_spellings_everywhere(capsys: pytest.CaptureFixture[str]) -> None:
    for end in ("inf", "+inf", "Infinity", "oo", "∞", math.inf):
        problem = from_mapping({"equation": "u'' = u", "domain": {"x": [0, end]}, "conditions": ["u(0)=1", "u(∞)=0"]})
        assert problem.axes[0].right == math.inf
        assert from_mapping(problem.to_dict()).axes == problem.axes
    words = ["--equation", "u'' = u", "--domain", "x=0:inf", "--condition", "u(0) = 1", "--condition", "u(inf) = 0"]
    assert main(["solve", *words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["status"] == "converged"


def test_measurements_are_not_fitted_on_a_domain_without_ends() -> None:
    problem = gx.Problem("u'' = a*u", HALF, DECAY, a=1)
    with pytest.raises(gx.InputError, match="finite ends only"):
        gx.infer(problem, ([0.5, 1.0], [0.6, 0.4]), {"a": (0.1, 10)}, noise=0.1)


def test_a_sweep_takes_a_family_without_ends() -> None:
    table = gx.sweep(gx.Problem("u'' = a*u", HALF, DECAY, a=1), {"a": [1.0, 4.0]}, quantities=["u'(0)", "integral(u)"])
    assert np.allclose(table["u'(0)"], [-1.0, -2.0], atol=1e-7)
    assert np.allclose(table["integral(u)"], [1.0, 0.5], atol=1e-6)


def test_conditions_at_infinity_may_be_nonlinear() -> None:
    tail = solved("u'' = u - 1", HALF, ["u(0) = 0", "u(inf)^2 + u'(inf) = 1"], guess="1 - exp(-x)")
    assert tail(1.0) == pytest.approx(1 - math.exp(-1.0), abs=1e-8)


def test_an_integral_runs_over_the_whole_line() -> None:
    ends = ["u(-inf) = 0", "u(inf) = 0", "integral(u^2) = 1"]
    state = solved("-u'' + x^2*u = lam*u", LINE, ends, unknown=["lam"], guess="exp(-x^2/2)")
    assert abs(state(0.0)) == pytest.approx(math.pi**-0.25, abs=1e-8)
    assert state.constants["lam"] == pytest.approx(1.0, abs=1e-8)
    assert (state * state).integral() == pytest.approx(1.0, abs=1e-8)
