"""What a solve may take: kernels and time, on every way through it."""

import time

import numpy as np
import pytest

from gated_xtfc import InputError, Problem, solve

LINE = {"x": (0, 1)}
ENDS = ["u(0) = 0", "u(1) = 0"]
SQUARE = {"x": (0, 1), "y": (0, 1)}


def test_what_is_handed_over_when_nothing_was_found_keeps_to_the_budget_too():
    problem = Problem("u'' + 10*exp(u) = sin(1e5*x)", LINE, ENDS)
    solution = solve(problem, 1e-6, max_neurons=3_000, max_steps=20)
    assert not solution.converged
    assert solution.neurons <= 3_000


@pytest.mark.parametrize(
    "equation", ["u_xx + u_yy + 20*exp(u) = sin(1e5*x)", "u_xx + u_yy = exp(-((x - y - 0.1)/1e-5)^2)"]
)
def test_texts_that_ask_for_a_hundred_thousand_sites_along_a_side_keep_to_the_budget(equation):
    problem = Problem(equation, SQUARE, ["u = 0 on boundary"])
    solution = solve(problem, 1e-6, max_neurons=5_000, max_seconds=0.2)
    assert not solution.converged
    assert solution.neurons <= 5_000


@pytest.mark.parametrize("most", [1_000, 5_000])
def test_a_slanted_needle_that_the_kernels_allowed_cannot_see_is_not_taken_for_nothing(most):
    problem = Problem("u_xx + u_yy = exp(-((x - y - 0.1)/1e-5)^2)", SQUARE, ["u = 0 on boundary"])
    solution = solve(problem, 1e-6, max_neurons=most)
    assert solution.status == "max_neurons", solution.message
    assert solution.error >= 1.0


def test_an_iteration_that_time_cut_short_gets_no_other_diagnosis():
    # rotating flow: GMRES takes as long as it may, and what it leaves looks like a singular operator
    flow = "-1e-5*(u_xx + u_yy) + (y - 0.5)*u_x - (x - 0.5)*u_y = 1"
    solution = solve(Problem(flow, SQUARE, ["u = 0 on boundary"]), 1e-8, max_seconds=1.0)
    assert solution.status == "max_seconds", solution.message


@pytest.mark.parametrize(
    "problem",
    [
        Problem("eps*u'' + u*u' - u = 0", LINE, ["u(0) = -7/6", "u(1) = 3/2"], eps=1e-5),
        Problem("u'' = sqrt(abs(sin(40*x) - 0.3))", LINE, ENDS),
        Problem("-1e-3*(u_xx + u_yy) + (1 + y)*u_x + x*y*u_y = 1", SQUARE, ["u = 0 on boundary"]),
        Problem("1e-3*(u_xx + u_yy) - u - u^3 = -1", SQUARE, ["u = 0 on boundary"]),
    ],
    ids=["shock", "kinks", "flow on a square", "cubic on a square"],
)
def test_after_the_time_allowed_nothing_is_begun_and_it_says_so(problem):
    # so short that it is over before the first fit, on any machine
    solution = solve(problem, 1e-9, max_seconds=1e-9)
    assert solution.status in ("max_seconds", "stopped", "iteration"), solution.message
    assert not solution.converged
    assert np.isfinite(solution.problem.axes[0].length)


def test_the_best_so_far_is_handed_over_when_the_time_is_up():
    problem = Problem("u' - nu*u'' = 0", LINE, ["u(0) = 0", "u(1) = 1"], nu=1e-3)
    begun = time.perf_counter()

    def wait(_):
        time.sleep(max(0.0, 0.5 - (time.perf_counter() - begun)))

    solution = solve(problem, 1e-8, gates=[], max_seconds=0.4, progress=wait)
    assert solution.status == "max_seconds"
    assert "more time than max_seconds allows" in solution.message
    assert solution.rounds == 1


@pytest.mark.parametrize("given", [0, -1.0, True, "long", float("nan")])
def test_a_time_that_is_none_is_refused(given):
    with pytest.raises(InputError, match=r"max_seconds is .*: give a positive number such as 60"):
        solve(Problem("u'' = 1", LINE, ENDS), max_seconds=given)


def test_a_hundred_breaks_are_no_trouble():
    places = np.random.default_rng(0).random(100).tolist()
    problem = Problem("u'' = " + " + ".join(f"where(x > {place!r}, 1, 0)" for place in places), LINE, ENDS)
    solution = solve(problem, 1e-10)
    assert solution.converged
    x = np.linspace(0, 1, 101)
    raw = 0.5 * (np.maximum(x[:, None] - places, 0.0) ** 2).sum(axis=1)
    assert np.abs(solution(x) - (raw - raw[-1] * x)).max() <= 1e-10 * solution.scale
