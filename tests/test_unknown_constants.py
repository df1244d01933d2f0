"""Unknown constants: eigenvalues of two classical problems, a free boundary, several constants at once."""

import pickle

import numpy as np
import pytest
from scipy.special import mathieu_a

import gated_xtfc as gx
from gated_xtfc import zoo

X = np.linspace(0.0, 1.0, 401)
MATHIEU = gx.Problem(
    "u'' + (lam - 2*q*cos(2*x))*u = 0", {"x": (0, "pi")}, ["u'(0) = 0", "u'(pi) = 0", "u(0) = 1"], unknown=["lam"], q=5
)
STRING = gx.Problem("u'' + lam*u = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0", "u'(0) = 1"], unknown=["lam"])


@pytest.mark.parametrize(
    ("guess", "number"), [("cos(x)", 1), ("cos(2*x)", 2), ("cos(3*x)", 3), ("cos(4*x)", 4)], ids=str
)
def test_guess_chooses_the_eigenvalue_of_mathieu(guess, number):
    solution = gx.solve(MATHIEU, tol=1e-11, guess=guess)
    assert solution.converged, solution.message
    assert solution.constants["lam"] == pytest.approx(mathieu_a(number, 5), abs=1e-10)


def test_eigenvalue_of_mathieu_is_found_without_a_guess():
    solution = gx.solve(MATHIEU)
    assert solution.converged
    known = np.array([mathieu_a(k, 5) for k in range(10)])
    assert np.abs(known - solution.constants["lam"]).min() <= 1e-10


@pytest.mark.parametrize("number", [1, 2, 3])
def test_guess_chooses_the_eigenvalue_of_the_string(number):
    solution = gx.solve(STRING, guess=f"sin({number}*pi*x)/{3 * number}")
    assert solution.converged
    assert solution.constants["lam"] == pytest.approx((number * np.pi) ** 2, rel=1e-10)
    wave = number * np.pi
    error = np.abs(solution(X) - np.sin(wave * X) / wave).max()
    assert error <= 1e-8
    assert error <= 3 * solution.error


def test_eigenvalue_of_a_weighted_problem():
    """(x u')' + lam u/x = 0 on [1, e]: u = sin(n pi log x), lam = (n pi)^2."""
    problem = gx.Problem(
        "x*u'' + u' + lam*u/x = 0", {"x": (1, "e")}, ["u(1) = 0", "u(e) = 0", "u'(1) = pi"], unknown=["lam"]
    )
    solution = gx.solve(problem)
    assert solution.converged
    assert solution.constants["lam"] == pytest.approx(np.pi**2, rel=1e-9)


def test_constant_may_be_fixed_by_an_integral():
    problem = gx.Problem("u'' + lam*u = 0", {"x": (0, 1)}, ["u(0)=0", "u(1)=0", "integral(u) = 2/pi"], unknown=["lam"])
    solution = gx.solve(problem, guess="sin(pi*x)")
    assert solution.converged
    assert solution.constants["lam"] == pytest.approx(np.pi**2, rel=1e-9)
    assert np.abs(solution(X) - np.sin(np.pi * X)).max() <= 1e-8


@pytest.mark.parametrize("a", [1e-3, 1.0, 30.0])
def test_free_boundary_is_found(a):
    family = zoo.family("free_boundary")
    solution = gx.solve(family.problem(a=a))
    assert solution.converged
    assert solution.constants["lam"] == pytest.approx(family.constants["lam"](a=a), rel=1e-9)
    assert solution.true_error() <= 1e-8


def test_constant_that_enters_linearly_needs_one_step():
    """u'' = c with three conditions is a linear problem, constant and all."""
    problem = gx.Problem("u'' = c", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0", "u'(0) = 1"], unknown=["c"])
    solution = gx.solve(problem)
    assert problem.linear
    assert [entry.steps for entry in solution.history] == [1]
    assert solution.constants["c"] == pytest.approx(-2)


def test_two_constants_at_once():
    problem = gx.Problem(
        "u'' = a + b*x", {"x": (0, 1)}, ["u(0) = 1", "u(1) = 0", "u'(0) = 0", "u'(1) = 0"], unknown=["a", "b"]
    )
    solution = gx.solve(problem)
    assert solution.converged
    assert dict(solution.constants) == pytest.approx({"a": -6, "b": 12})
    assert list(solution.constants) == ["a", "b"]


def test_constant_in_a_system():
    problem = gx.Problem(
        ["u' = v", "v' = -lam*u"], {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0", "v(0) = 1"], unknown=["lam"]
    )
    solution = gx.solve(problem)
    assert solution.converged
    assert solution.constants["lam"] == pytest.approx(np.pi**2, rel=1e-9)


def test_constant_beside_a_thin_layer():
    """eps u'' + u' = c, u(0) = 0, u(1) = 1, u'(1) = 1/2: outside the layer u' = c."""
    problem = gx.Problem(
        "eps*u'' + u' = c", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1", "u'(1) = 1/2"], unknown=["c"], eps=1e-6
    )
    solution = gx.solve(problem)
    assert solution.converged
    assert solution.constants["c"] == pytest.approx(0.5, abs=1e-8)


def test_solution_as_guess_carries_its_constants():
    third = gx.solve(STRING, guess="sin(3*pi*x)/9")
    again = gx.solve(STRING, guess=third)
    assert again.converged
    assert again.constants["lam"] == pytest.approx((3 * np.pi) ** 2, rel=1e-9)
    assert sum(entry.steps for entry in again.history) <= sum(entry.steps for entry in third.history)


def test_constants_come_back_from_file_and_pickle(tmp_path):
    solution = gx.solve(STRING)
    solution.save(tmp_path / "string.npz")
    for again in (gx.load(tmp_path / "string.npz"), pickle.loads(pickle.dumps(solution))):
        assert dict(again.constants) == dict(solution.constants)
        assert again.problem.unknown == ("lam",)
        assert np.array_equal(again(X), solution(X))


def test_constants_cannot_be_changed():
    solution = gx.solve(STRING)
    with pytest.raises(TypeError):
        solution.constants["lam"] = 1.0


def test_constants_are_in_the_summary():
    solution = gx.solve(STRING)
    assert solution.summary()["constants"] == dict(solution.constants)
    assert "constants" not in gx.solve(gx.Problem("u' = u", {"x": (0, 1)}, ["u(0) = 1"])).summary()


@pytest.mark.parametrize("guess", [{"lam": 90}, {"lam": "9*10"}, {"lam": np.int64(90)}, {"lam": "k^2*pi^2"}])
def test_a_constant_begins_at_the_number_under_its_name(guess):
    conditions = ["u(0) = 0", "u'(0) = k", "u(1) = 0"]
    problem = gx.Problem("u'' + lam*u = 0", {"x": (0, 1)}, conditions, unknown=["lam"], k=3)
    solution = gx.solve(problem, guess={"u": "sin(k*pi*x)/pi", **guess})
    assert solution.constants["lam"] == pytest.approx((3 * np.pi) ** 2, rel=1e-9)


@pytest.mark.parametrize(
    ("value", "words"), [("x", "'x'"), ("1 +", "nothing after"), (None, "number"), (np.inf, "finite")]
)
def test_a_start_that_is_no_number_is_refused(value, words):
    problem = gx.Problem("u'' + lam*u = 0", {"x": (0, 1)}, ["u(0) = 0", "u'(0) = 1", "u(1) = 0"], unknown=["lam"])
    with pytest.raises(gx.InputError, match=words):
        gx.solve(problem, guess={"lam": value})
