"""Nonlinear equations: the classical test set without a guess, several solutions of one problem, failure as a value."""

import dataclasses
import math
import pickle

import numpy as np
import pytest

import gated_xtfc as gx
from gated_xtfc.zoo.nonlinear import angle, branch
from reference_cases import Case, nonlinear

CASES = list(nonlinear())
X = np.linspace(0.0, 1.0, 401)


def shock(eps: float, equation: str = "eps*u'' + u*u' - u = 0") -> gx.Problem:
    return gx.Problem(equation, {"x": (0, 1)}, ["u(0) = -7/6", "u(1) = 3/2"], eps=eps)


def bratu(eps: float) -> gx.Problem:
    return gx.Problem("u'' + eps*exp(u) = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0"], eps=eps)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.label)
def test_reference_case_is_solved_without_a_guess_and_knows_its_error(case: Case):
    solution = gx.solve(case.problem, tol=1e-8)
    assert solution.status == "converged", solution.message
    error = case.error(solution)
    assert error <= max(1e-7, 3 * case.accuracy)
    # the reference's own error is no error of the solution
    assert error <= 3 * (solution.error + case.accuracy)
    assert solution.error <= 1e-8


def test_every_case_of_the_test_set_is_there():
    assert len(CASES) == 48
    assert not any(case.problem.linear for case in CASES)


def test_conditions_hold_to_the_last_bits():
    solution = gx.solve(shock(1e-3))
    assert abs(solution(0.0) + 7 / 6) <= 1e-14
    assert abs(solution(1.0) - 3 / 2) <= 1e-14


def test_equation_may_be_a_function():
    def drag(x, u, eps):
        return eps * u.xx + u * u.x - u

    written, called = gx.solve(shock(0.05)), gx.solve(shock(0.05, equation=drag))
    assert called.converged
    assert np.abs(written(X) - called(X)).max() <= 2e-8


def test_solution_does_not_depend_on_how_the_equation_is_written():
    one, other = gx.solve(shock(0.02)), gx.solve(shock(0.02, "u''  = (u - (u*u')) / eps"))
    assert one.converged
    assert other.converged
    assert np.abs(one(X) - other(X)).max() <= 2e-8


def test_mirrored_problem_has_the_mirrored_solution():
    one = gx.solve(shock(0.01))
    mirrored = gx.Problem("eps*u'' - u*u' - u = 0", {"x": (0, 1)}, ["u(1) = -7/6", "u(0) = 3/2"], eps=0.01)
    assert np.abs(one(X) - gx.solve(mirrored)(1 - X)).max() <= 2e-8


@pytest.mark.parametrize(
    "guess", ["3*sin(pi*x)", lambda x: 5 * np.sin(np.pi * x), {"u": "12*x*(1-x)"}], ids=["text", "function", "by field"]
)
def test_high_guess_leads_to_the_upper_solution_of_bratu(guess):
    solution = gx.solve(bratu(3.5), guess=guess)
    assert solution.converged
    error = np.abs(solution(X) - branch(X, angle(3.5, upper=True))).max()
    assert error <= 1e-8
    assert error <= 3 * solution.error * solution.scale


@pytest.mark.parametrize("guess", [None, 0, "0", 0.3], ids=str)
def test_low_guess_leads_to_the_lower_solution_of_bratu(guess):
    solution = gx.solve(bratu(3.5), guess=guess)
    assert solution.converged
    assert np.abs(solution(X) - branch(X, angle(3.5))).max() <= 1e-8


def test_solution_as_guess_keeps_to_its_branch():
    upper = gx.solve(bratu(2.0), guess="4*sin(pi*x)")
    for eps in (1.5, 1.0, 0.5):
        upper = gx.solve(bratu(eps), guess=upper)
        assert upper.converged
        assert np.abs(upper(X) - branch(X, angle(eps, upper=True))).max() <= 1e-8 * upper.scale


def test_solution_as_guess_saves_the_continuation():
    """The layer of the guess is in its gates: it must not be lost on the way into Newton's method."""
    first = gx.solve(shock(1e-4))
    again = gx.solve(shock(1e-4), guess=first)
    assert first.continuation == "eps"
    assert again.converged
    assert again.continuation is None


def test_continuation_reports_its_path():
    path = []
    solution = gx.solve(shock(1e-4), continuation="eps", progress=path.append)
    assert solution.converged
    assert solution.continuation == "eps"
    values = [entry.value for entry in solution.history]
    assert values == sorted(values, reverse=True)
    assert values[0] >= 0.1  # where the member is easy
    assert values[-1] == 1e-4
    assert len(set(values)) > 2
    # the attempt without continuation is told of as well, and so is every round of the last member
    told = dict.fromkeys(entry.value for entry in path if entry.value is not None)
    assert list(told) == sorted(set(values), reverse=True)
    assert all(entry.steps >= 1 and entry.neurons > 0 for entry in solution.history)


def test_continuation_that_is_not_needed_is_not_done():
    solution = gx.solve(bratu(1.0), continuation="eps")
    assert solution.converged
    assert solution.continuation is None
    assert all(entry.value is None for entry in solution.history)


@pytest.mark.parametrize("continuation", [None, "eps"])
def test_problem_without_a_solution_gives_a_value_that_says_so(continuation):
    solution = gx.solve(bratu(4.0), continuation=continuation)
    assert not solution.converged
    assert solution.message
    assert math.isinf(solution.error)
    assert np.isfinite(solution(X)).all()
    assert solution(0.0) == pytest.approx(0.0, abs=1e-12)
    assert solution(1.0) == pytest.approx(0.0, abs=1e-12)


def test_what_was_reached_is_attached():
    solution = gx.solve(bratu(4.0), continuation="eps")
    reached = solution.problem.parameters["eps"]
    assert solution.status == "stopped"
    assert 3.4 < reached < 3.5138307191
    assert f"{reached:.3g}" in solution.message
    # near the fold the solution is as ill-conditioned as can be
    assert np.abs(solution(X) - branch(X, angle(reached))).max() <= 1e-2


@pytest.mark.parametrize(
    ("equation", "right", "value"),
    [("u'' = 1 + u'**2", 4, 0), ("u'' = -100*exp(u)", 1, 0), ("u'' = 1/u", 1, 1), ("u'' = u**3*1e6", 1, 1)],
)
def test_hard_or_impossible_problem_raises_nothing(equation, right, value):
    problem = gx.Problem(equation, {"x": (0, right)}, [f"u(0) = {value}", f"u({right}) = {value}"])
    solution = gx.solve(problem)
    assert solution.converged or solution.message
    assert np.isfinite(solution(right * X)).all()


def test_budget_of_rounds_is_kept():
    solution = gx.solve(bratu(3.5), tol=1e-13, max_rounds=1)
    assert solution.rounds == 1


def test_budget_of_neurons_is_kept():
    full = gx.solve(shock(1e-3))
    solution = gx.solve(shock(1e-3), max_neurons=60)
    assert full.neurons > 60
    assert not solution.converged
    assert solution.neurons <= 60
    assert np.isfinite(solution(X)).all()


def test_budget_of_steps_is_kept():
    solution = gx.solve(shock(1e-4), max_steps=30)
    assert not solution.converged
    assert sum(entry.steps for entry in solution.history) <= 30
    assert np.isfinite(solution(X)).all()


def test_linear_equation_needs_one_step():
    problem = gx.Problem("eps*u'' + u' = 1", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0"], eps=1e-3)
    solution = gx.solve(problem)
    assert problem.linear
    assert [entry.steps for entry in solution.history] == [1]
    assert solution.continuation is None


def test_linear_equation_takes_no_notice_of_a_guess():
    problem = gx.Problem("eps*u'' + u' = 1", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0"], eps=1e-3)
    assert np.array_equal(gx.solve(problem)(X), gx.solve(problem, guess="100*x")(X))


def test_newton_steps_are_counted():
    solution = gx.solve(bratu(3.0))
    assert not solution.problem.linear
    assert sum(entry.steps for entry in solution.history) > 1


def test_same_problem_gives_the_same_bits():
    one, other = gx.solve(shock(1e-3)), gx.solve(shock(1e-3))
    assert np.array_equal(one(X), other(X))


def test_solution_is_frozen():
    solution = gx.solve(bratu(1.0))
    with pytest.raises(dataclasses.FrozenInstanceError):
        solution.status = "converged"
    with pytest.raises(ValueError, match="read-only"):
        solution.function.coefficients[0] = 1.0


@pytest.mark.parametrize("solution", [gx.solve(shock(1e-3)), gx.solve(bratu(4.0), continuation="eps")], ids=str)
def test_solution_comes_back_from_its_file_and_from_pickle(solution, tmp_path):
    solution.save(tmp_path / "solution.npz")
    for again in (gx.load(tmp_path / "solution.npz"), pickle.loads(pickle.dumps(solution))):
        assert np.array_equal(again(X), solution(X))
        assert again.history == solution.history
        assert again.status == solution.status
        assert again.continuation == "eps"
        assert again.problem == solution.problem


def test_residual_is_small_where_the_solution_is_good():
    solution = gx.solve(shock(1e-3))
    assert np.abs(solution.scaled_residual(solution.points(500))).max() <= 1e-8


def test_a_guess_may_be_values_on_a_mesh():
    x = np.linspace(0, 1, 21)
    bratu = gx.Problem(["u' = v", "v' = -k*exp(u)"], {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0"], k=1)
    expected = 4.0914672
    by_field = {"u": (x, 16 * x * (1 - x)), "v": (x, 16 - 32 * x)}
    rows = (x, [16 * x * (1 - x), 16 - 32 * x])
    for guess in (by_field, rows):
        assert gx.solve(bratu, guess=guess)["u"](0.5) == pytest.approx(expected, abs=1e-6)
    one = gx.Problem("u'' = -k*exp(u)", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0"], k=1)
    assert gx.solve(one, guess=(x, 16 * x * (1 - x)))(0.5) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(
    ("guess", "words"),
    [
        (([0, 1], [1, 2, 3]), "shapes"),
        (([0, 1], ["a", "b"]), "numbers"),
        (([1, 0], [1, 2]), "increase"),
        (([0, 1], [0, np.nan]), "finite"),
        (([0, 1], [[0, 1], [2, 3]]), "2 rows"),
        ([0, 1], "list"),
    ],
)
def test_a_mesh_that_cannot_be_used_is_refused(guess, words):
    with pytest.raises(gx.InputError, match=words):
        gx.solve(gx.Problem("u'' = -exp(u)", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0"]), guess=guess)


def test_a_guess_that_does_not_lead_to_the_solution_handed_over_is_said() -> None:
    spike = gx.Problem("eps^2*u'' - u + u^2 = 0", {"x": (-1, 1)}, ["u'(-1) = 0", "u'(1) = 0"], eps=0.02)
    # where the spike stands is not determined by double precision, so Newton's method cannot keep it
    found = gx.solve(spike, guess="1.5/cosh(x/0.04)^2")
    assert abs(found(0.0) - 1.5) < 1e-6 or "the guess did not lead" in found.message
    half = gx.Problem("eps^2*u'' - u + u^2 = 0", {"x": (0, 1)}, ["u'(0) = 0", "u'(1) = 0"], eps=0.02)
    kept = gx.solve(half, guess="1.5/cosh(x/0.04)^2")
    assert abs(kept(0.0) - 1.5) < 1e-7
    assert "began at the guess" in kept.message


@pytest.mark.parametrize(("eps", "tol"), [(1e-2, 1e-6), (1e-3, 1e-3), (1e-4, 1e-8)])
def test_the_gates_of_a_shock_stand_where_it_stands(eps, tol):
    ends = ["u(0) = -7/6", "u(1) = 3/2"]
    solution = gx.solve(gx.Problem("eps*u'' + u*u' - u = 0", {"x": (0, 1)}, ends, eps=eps), tol=tol)
    assert solution.converged
    assert solution.gates
    assert all(abs(gate.location - 1 / 3) <= 5 * eps and gate.thickness <= 2 * eps for gate in solution.gates)


@pytest.mark.parametrize(
    ("eps", "tol"),
    [(6.2e-4, 1e-3), (6.8e-5, 1e-3), (2.8e-5, 1e-3), (1.8e-5, 1e-4), (5.478180827445258e-08, 1e-6), (1e-8, 1e-3)],
)
def test_corners_that_the_equation_does_not_have_are_not_handed_over(eps, tol):
    # between two corners that it has, one the other way round, within a few elements, hardly adds to a linear estimate
    conditions = ["u(0) = 1 + eps*log(cosh(-0.745/eps))", "u(1) = 1 + eps*log(cosh(0.255/eps))"]
    found = gx.solve(gx.Problem("eps*u'' + (u')**2 - 1 = 0", {"x": (0, 1)}, conditions, eps=eps), tol)
    x = np.unique(
        np.clip(np.append(np.linspace(0, 1, 501), 0.745 + np.outer([-1, 1], np.geomspace(1e-10, 0.2, 200))), 0, 1)
    )
    exact = 1 + eps * (np.logaddexp((x - 0.745) / eps, (0.745 - x) / eps) - np.log(2))
    assert found.converged
    assert np.abs(found(x) - exact).max() <= found.error * np.abs(exact).max()
