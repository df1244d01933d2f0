"""Integrals in equations, and integrals with limits."""

import numpy as np
import pytest

import gated_xtfc as gx

LINE = {"x": (0, 1)}
X = np.linspace(0.0, 1.0, 101)


def test_an_integral_over_the_domain_is_a_constant_that_the_solution_fixes():
    solution = gx.solve(gx.Problem("u'' = integral(u^2, 0, 1)", LINE, ["u(0) = 1", "u(1) = 1"]))
    assert solution.converged
    c = solution.constants["integral_1"]
    assert c == pytest.approx(1 - c / 6 + c**2 / 120, rel=1e-12)  # u = 1 + c x (x - 1)/2
    assert np.abs(solution(X) - 1 - c * X * (X - 1) / 2).max() <= solution.error * solution.scale


@pytest.mark.parametrize("written", ["integral(x*u)", "integral(x*u, 0, 1)", "integral(x*u, 0.0, 2/b)"])
def test_a_linear_integral_equation_is_solved_in_one_step(written):
    conditions, more = ["u(0) = 0", "u(1) = 0"], {"b": 2} if "b" in written else {}
    problem = gx.Problem(f"u'' + x*{written} = 1", LINE, conditions, **more)
    assert problem.linear
    solution = gx.solve(problem)
    # u = x (x - 1)/2 - c (x^3 - x)/6, c its moment
    c = (1 / 8 - 1 / 6) / (1 + (1 / 5 - 1 / 3) / 6)
    assert np.abs(solution(X) - X * (X - 1) / 2 + c * (X**3 - X) / 6).max() <= 1e-10


def test_an_integral_up_to_the_coordinate_is_a_field_of_its_own():
    solution = gx.solve(gx.Problem("u' = 1 - integral(u, 0, x)", LINE, ["u(0) = 0"]))
    assert np.abs(solution(X) - np.sin(X)).max() <= 1e-12
    backward = gx.solve(gx.Problem("u' = -1 + integral(u, x, 1)", LINE, ["u(1) = 0"]))
    assert np.abs(backward(X) - np.sin(1 - X)).max() <= 1e-12


def test_a_separable_kernel_is_a_product_with_an_integral():
    # u' = u integral over t < x of exp(x - t) u(t), made to have the solution exp(x)
    equation = "u' = exp(x)*integral(exp(-x)*u, 0, x) + (1 - x)*exp(x)"
    assert np.abs(gx.solve(gx.Problem(equation, LINE, ["u(0) = 1"]))(X) - np.exp(X)).max() <= 1e-11


def test_limits_cut_an_integral_off_in_a_condition():
    solution = gx.solve(gx.Problem("u'' = 0", LINE, ["u(0) = 0", "integral(u, 0, h) = 1"], h=0.5))
    assert solution.problem.linear
    assert solution(1.0) == pytest.approx(8.0, rel=1e-11)
    squares = gx.Problem("u'' = 0", LINE, ["u(0) = 0", "integral(u^2, 0.25, 0.5) = 1"])
    slope = gx.solve(squares, guess="4*x")(1.0)
    assert slope**2 * (0.5**3 - 0.25**3) / 3 == pytest.approx(1.0, rel=1e-11)


def test_limits_may_be_those_of_an_unknown_domain():
    conditions = ["u(0) = 0", "u'(0) = 1", "integral(u, 0, L) = 2"]
    solution = gx.solve(gx.Problem("u'' = 0", {"x": (0, "L")}, conditions, unknown=["L"]))
    assert solution.constants["L"] == pytest.approx(2.0, rel=1e-12)


def test_a_file_keeps_the_statement_as_it_was_written(tmp_path):
    problem = gx.Problem("u' = k - integral(u, 0, x)", LINE, ["u(0) = 0"], k=1)
    assert problem.to_dict()["equation"] == "u' = k - integral(u, 0, x)"
    solution = gx.solve(problem(k=2))
    solution.save(tmp_path / "integral.npz")
    np.testing.assert_array_equal(gx.load(tmp_path / "integral.npz")(X), solution(X))
    assert np.abs(solution(X) - 2 * np.sin(X)).max() <= 1e-11


@pytest.mark.parametrize(
    ("equation", "words"),
    [
        ("u'' = integral(u, 0, 2*x)", "moves with x"),
        ("u'' = integral(u, 0)", "two limits"),
        ("u'' = integral(u, 0, 1, 2)", "two limits"),
        ("u'' = integral(integral(u), 0, x)", "inside another one"),
        ("u'' = integral(u", "never closed"),
        ("u'' = integral(u, 0, 3)", "in the domain"),
        ("u'' = integral(u, 1, 0)", "smaller one first"),
        ("u'' = integral(u, x, x)", "leave it out"),
        ("u'' = integral(u, 0, y)", "'y'"),
    ],
)
def test_an_integral_that_cannot_be_read_is_refused_in_one_sentence(equation, words):
    with pytest.raises(gx.InputError, match=words) as error:
        gx.Problem(equation, LINE, ["u(0) = 0", "u(1) = 1"])
    assert "\n" not in str(error.value)


def test_conditions_are_counted_without_those_made_for_integrals():
    with pytest.raises(gx.InputError, match="2 conditions, but 1 given"):
        gx.Problem("u'' = integral(u, 0, x) + integral(u)", LINE, ["u(0) = 0"])


@pytest.mark.parametrize(
    ("equation", "exact"),
    [
        ("u = x + x*integral(x*u, 0, 1)", "1.5*x"),
        ("u = exp(x) - x*integral(x*u, 0, 1)", "exp(x) - 0.75*x"),
        ("u = 1 + x*integral(u, 0, 0.5)", "1 + 4*x/7"),
        ("u = x/2 + x*integral(u^2)", "(3 - sqrt(3))/2*x"),
    ],
)
def test_an_equation_of_integrals_alone_needs_no_conditions(equation: str, exact: str) -> None:
    solution = gx.solve(gx.Problem(equation, {"x": (0, 1)}, [], exact=exact))
    assert solution.converged
    assert (solution.true_error() or 0.0) <= 1e-8
