"""Domains that end at an unknown constant: free boundaries and unknown periods."""

import pickle

import numpy as np
import pytest

import gated_xtfc as gx

QUARTER = gx.Problem("u'' + u = 0", {"x": (0, "L")}, ["u(0) = 1", "u'(0) = 0", "u(L) = 0"], unknown=["L"])
CIRCLING = ["u(0) = u(T)", "u'(0) = u'(T)", "u'(0) = 0"]
PERIOD = 6.6632868593231301896996820305  # of van der Pol's equation with mu = 1


def test_the_solution_answers_in_the_coordinate_of_the_user():
    solution = gx.solve(QUARTER)
    (axis,) = solution.problem.axes
    assert axis.left == 0.0
    assert axis.right == solution.constants["L"] == pytest.approx(np.pi / 2, rel=1e-12)
    x = np.linspace(axis.left, axis.right, 101)
    assert np.abs(solution(x) - np.cos(x)).max() <= solution.error
    assert np.abs(solution(x, 1) + np.sin(x)).max() <= 1e-11
    assert np.abs(solution.residual(x)).max() <= 1e-10


@pytest.mark.parametrize("eps", [1.0, 1e-2, 1e-6])
def test_a_layer_at_a_free_end_is_resolved(eps):
    # u = 1 - exp(-x/eps) on [0, L], its integral 2: L = 2 + eps but for exp(-L/eps)
    conditions = ["u(0) = 0", "eps*u'(0) = 1", "integral(u) = 2"]
    solution = gx.solve(gx.Problem("eps*u'' + u' = 0", {"x": (0, "L")}, conditions, unknown=["L"], eps=eps))
    assert solution.converged
    length = solution.constants["L"]
    assert length - eps + eps * np.exp(-length / eps) == pytest.approx(2.0, rel=1e-8)
    x = solution.points(300)
    assert np.abs(solution(x) + np.expm1(-x / eps)).max() <= 1e-8


def test_the_estimate_counts_that_the_ends_are_not_known_exactly():
    conditions = ["u(0) = 0", "u(L) = 1", "u'(0) = 4/sinh(4)"]
    problem = gx.Problem("u'' = 16*u", {"x": (0, "L")}, conditions, unknown=["L"])
    for tol in (1e-3, 1e-6):
        solution = gx.solve(problem, tol=tol, guess={"L": 0.8})
        x = np.linspace(0, solution.problem.axes[0].right, 50)
        assert np.abs(solution(x) - np.sinh(4 * x) / np.sinh(4)).max() <= solution.error <= tol


def test_an_unknown_period_is_found():
    problem = gx.Problem("u'' - mu*(1 - u^2)*u' + u = 0", {"t": (0, "T")}, CIRCLING, unknown=["T"], mu=1)
    solution = gx.solve(problem, guess={"u": "2*cos(2*pi*t/6.5)", "T": 6.5})
    assert solution.converged
    assert solution.constants["T"] == pytest.approx(PERIOD, rel=1e-8)


def test_a_period_that_goes_to_zero_is_named_in_the_message():
    problem = gx.Problem("u'' - mu*(1 - u^2)*u' + u = 0", {"t": (0, "T")}, CIRCLING, unknown=["T"], mu=1)
    solution = gx.solve(problem)
    assert not solution.converged
    assert "length goes to zero" in solution.message
    assert "guess for T" in solution.message


def test_functions_as_equation_and_condition_know_the_unknown_end():
    conditions = ["u(1) = 0", lambda u: u.r(1) - 1, lambda u, R: u.r(R)]
    solution = gx.solve(gx.Problem(lambda r, u: u.rr + u.r / r + 1, {"r": (1, "R")}, conditions, unknown=["R"]))
    assert solution.constants["R"] == pytest.approx(np.sqrt(3), rel=1e-11)
    text = gx.Problem("u'' + u'/r + 1 = 0", {"r": (1, "R")}, ["u(1) = 0", "u'(1) = 1", "u'(R) = 0"], unknown=["R"])
    assert gx.solve(text).constants["R"] == pytest.approx(np.sqrt(3), rel=1e-11)


def test_both_ends_may_move_and_conditions_stand_at_parts_of_the_domain():
    middle = ["u(-L) = 0", "u(0) = 1", "u(L/2) = cos(pi/4)"]
    problem = gx.Problem("u'' + u = 0", {"x": ("-L", "L")}, middle, unknown=["L"])
    assert gx.solve(problem).constants["L"] == pytest.approx(np.pi / 2, rel=1e-10)
    shifted = ["u(a) = 1", "u'(a) = 0", "u(a + L) = 0", "a = 2"]
    problem = gx.Problem("u'' + u = 0", {"x": ("a", "a + L")}, shifted, unknown=["a", "L"])
    solution = gx.solve(problem)
    assert solution(2.5) == pytest.approx(np.cos(0.5), rel=1e-10)


def test_members_files_and_pickles_keep_the_free_end(tmp_path):
    conditions = ["u(0) = 1", "u'(0) = 0", "u(L) = 0"]
    problem = gx.Problem("u'' + k^2*u = 0", {"x": (0, "L")}, conditions, unknown=["L"], k=1)
    solution = gx.solve(problem)
    solution.save(tmp_path / "free.npz")
    x = np.linspace(0, 1.5, 20)
    for again in (gx.load(tmp_path / "free.npz"), pickle.loads(pickle.dumps(solution))):
        np.testing.assert_array_equal(again(x), solution(x))
        assert again.problem == solution.problem
    other = gx.solve(solution.problem(k=2), guess=solution)
    assert other.constants["L"] == pytest.approx(np.pi / 4, rel=1e-10)
    assert gx.solve(solution.problem, guess=solution).history[0].steps <= 3
    assert gx.Problem.from_dict(solution.problem.to_dict()) == problem


@pytest.mark.parametrize(
    ("domain", "conditions", "options", "words"),
    [
        ({"x": (0, "L")}, ["u(0) = 1", "u(0.5) = 1", "u(L) = 0"], {}, "moves within the domain"),
        ({"x": (0, "L")}, ["u(0) = 1", "u(2*L) = 1", "u(L) = 0"], {}, "outside the domain"),
        ({"x": ("L", "2*M")}, ["u(L) = 1", "u'(L) = 1"], {}, "'M'"),
        ({"x": (0, "L")}, ["u(0) = 1", "u'(0) = 0", "u(L) = 0"], {"guess": {"L": -1}}, "domain is empty"),
        ({"x": (0, "L")}, ["u(0) = 1", "u'(0) = 0", "u(L) = 0"], {"gates": [gx.Layer(0.5, 0.1)]}, "ends are known"),
        ({"x": (0, 1)}, ["u(0) = 1", "u'(0) = 0", "u(L) = 0"], {}, "must be a number"),
    ],
)
def test_what_a_free_end_cannot_have_is_refused_in_one_sentence(domain, conditions, options, words):
    with pytest.raises(gx.InputError, match=words) as error:
        gx.solve(gx.Problem("u'' + u = 0", domain, conditions, unknown=["L"]), **options)
    assert "\n" not in str(error.value)


def test_two_ends_that_nothing_tells_apart_are_refused():
    with pytest.raises(gx.InputError, match="unknown length"):
        gx.Problem("u'' + u = 0", {"x": ("a", "b")}, ["u(a) = 1", "u(b) = 0"] * 2, unknown=["a", "b"])
