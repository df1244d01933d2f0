"""Conditions that are not linear, that hold unknown constants, or that are Python functions."""

import numpy as np
import pytest
from scipy.optimize import brentq

import gated_xtfc as gx
from gated_xtfc.errors import InputError
from gated_xtfc.problem.condition_reader import ConditionReader
from gated_xtfc.problem.domain import Axis
from gated_xtfc.problem.nonlinear_condition import NonlinearCondition, sight_of
from gated_xtfc.problem.transform import Translation
from gated_xtfc.solver.adapt import Limits
from gated_xtfc.solver.interval.discretisation import IntervalDiscretisation
from gated_xtfc.solver.interval.sensitivity import sensitivities
from gated_xtfc.solver.strategy import Settings, attempt

LINE = {"x": (0, 1)}
X = np.linspace(0.0, 1.0, 201)


def radiating(tol=1e-8, conditions=("u(0) = 1", "u'(1) = -sigma*(u(1)^4 - 1)"), equation="u'' = u"):
    return gx.solve(gx.Problem(equation, LINE, list(conditions), sigma=0.5), tol=tol)


def radiated(x):
    """cosh + b sinh, with b from the condition."""

    def left(b):
        return np.sinh(1) + b * np.cosh(1) + 0.5 * ((np.cosh(1) + b * np.sinh(1)) ** 4 - 1)

    return np.cosh(x) + brentq(left, -2, 0, xtol=1e-15) * np.sinh(x)


def test_a_radiating_end_is_within_its_estimate_of_the_exact_solution():
    solution = radiating()
    assert solution.converged
    assert np.abs(solution(X) - radiated(X)).max() <= solution.error


@pytest.mark.parametrize("tol", [1e-3, 1e-8])
def test_a_nonlinear_condition_holds_to_rounding_whatever_the_tolerance(tol):
    solution = radiating(tol)
    assert abs(solution(1.0, 1) + 0.5 * (solution(1.0) ** 4 - 1)) <= 1e-13
    assert solution(0.0) == 1.0


def test_functions_and_texts_state_the_same_conditions():
    functions = (lambda u: u(0) - 1, lambda u, sigma: u.x(1) + sigma * (u(1) ** 4 - 1))
    np.testing.assert_array_equal(radiating(conditions=functions)(X), radiating()(X))


def test_a_function_that_is_linear_keeps_the_problem_linear():
    problem = gx.Problem("u'' = u", LINE, [lambda u: u(0) - 1, lambda u: u.x(1) + 2 * u(1)])
    assert problem.linear
    assert gx.solve(problem).history[0].steps == 1


def test_a_product_of_values_is_met_though_it_is_flat_about_zero():
    solution = gx.solve(gx.Problem("u'' = 0", LINE, ["u(0)*u'(0) = 1", "u(1) = 3"]))
    assert solution.converged
    assert abs(solution(0.0) * solution(0.0, 1) - 1) <= 1e-14


def test_a_constant_in_conditions_alone_is_found():
    solution = gx.solve(gx.Problem("u'' = u", LINE, ["u(0) = 0", "u(1) = 1", "u'(1) = Q"], unknown=["Q"]))
    assert solution.problem.linear
    assert solution.constants["Q"] == pytest.approx(1 / np.tanh(1), rel=1e-12)


def test_a_constant_in_equation_and_condition_is_found_in_one_step():
    conditions = ["T(0) = 0", "T(1) = 1", "T'(1) = -2*Q/Ste"]
    solution = gx.solve(gx.Problem("T'' = Q", LINE, conditions, unknown=["Q"], Ste=2))
    assert solution.problem.linear
    assert solution.history[0].steps == 1
    assert solution.constants["Q"] == pytest.approx(-2 / 3, rel=1e-12)


def test_conditions_that_only_constants_tell_apart_are_met_by_the_constants():
    conditions = ["u(0) = a", "u'(0) = b", "a^2 + b^2 = 2", "u(1) = e"]
    solution = gx.solve(gx.Problem("u'' = u", LINE, conditions, unknown=["a", "b"]))
    assert solution.converged
    assert dict(solution.constants) == pytest.approx({"a": 1.0, "b": 1.0}, rel=1e-10)
    twice = ["u(0) = 2", "u(0)*u(1) = Q", "Q^2 + u(1) = 3"]
    solution = gx.solve(gx.Problem("u'' = u", LINE, twice, unknown=["Q"]))
    assert solution.converged
    assert solution(1.0) == pytest.approx(0.75, rel=1e-12)


@pytest.mark.parametrize("eps", [1.0, 1e-4, 1e-9])
def test_conditions_with_constants_hold_across_layers_and_long_bands(eps):
    # u = p - q exp(-x/eps): u(0)*u(1) = Q, u(0) = 2, Q = u(1) + 1 give p and q
    conditions = ["u(0)*u(1) = Q", "u(0) = 2", "Q = u(1) + 1"]
    solution = gx.solve(gx.Problem("eps*u'' + u' = cos(40*x)", LINE, conditions, unknown=["Q"], eps=eps))
    assert solution.converged
    assert solution.constants["Q"] == pytest.approx(2.0, rel=1e-12)
    assert solution(1.0) == pytest.approx(1.0, rel=1e-13)


def test_a_translated_problem_has_the_same_solution():
    conditions = ["u(0) = 1", "eps*u'(1) = u(1)^2 - 2*integral(x*u^2)"]
    problem = gx.Problem("eps*u'' - u' = 0", LINE, conditions, eps=0.1)
    moved = gx.solve(problem.transformed(Translation((1.0,))))
    assert moved.converged
    np.testing.assert_allclose(moved(X - 1.0), gx.solve(problem)(X), atol=1e-11)


def test_an_eigenfunction_may_be_normalised_by_the_integral_of_its_square():
    conditions = ["u(0) = 0", "u(1) = 0", "integral(u^2) = 1"]
    solution = gx.solve(gx.Problem("u'' + lam*u = 0", LINE, conditions, unknown=["lam"]), guess="4*x*(1 - x)")
    assert solution.converged
    assert solution(0.5) == pytest.approx(np.sqrt(2), rel=1e-10)
    assert solution.constants["lam"] == pytest.approx(np.pi**2, rel=1e-10)


def test_a_needle_under_the_integral_of_a_nonlinear_condition_is_seen():
    needle = "integral(exp(-((x - 0.3)/1e-6)^2)*u^2)/1e-6 = sqrt(pi)"  # u(0.3)^2 = 1, but for 1e-12
    solution = gx.solve(gx.Problem("u'' = 0", LINE, ["u(0) = 0", needle]), guess="2*x")
    assert solution.converged
    assert solution(0.3) == pytest.approx(1.0, rel=1e-8)


def test_the_linearised_condition_is_tangent_to_its_law():
    text = "u(0)*u'(1) + integral(c*x*u^2) = exp(u(1)) - c^2"
    condition = ConditionReader(Axis("x", 0.0, 1.0), {"u": 2}, {}, ("c",)).read(text)
    assert isinstance(condition, NonlinearCondition)
    nodes, weights = np.polynomial.legendre.leggauss(12)
    quadrature = 0.5 * (nodes + 1), 0.5 * weights

    def seen(t):
        def evaluate(name, x, order):
            return [np.exp(-x) + t * np.sin(x), -np.exp(-x) + t * np.cos(x)][order]

        return sight_of([condition], evaluate, quadrature, {"c": 0.3 + 2 * t})

    linear = condition.about(seen(0.0))

    def functional(sight):
        total = sum(term.weight * sight.at[term.field, term.order, term.point] for term in linear.terms)
        total += sum(w * sight.constants[name] for name, w in linear.constants)
        for integral in linear.linearised:
            for key, factor in integral.factors.items():
                total += integral.weight * weights @ (0.5 * factor * sight.along[key])
        return total - linear.value

    assert functional(seen(0.0)) == pytest.approx(condition.residual(seen(0.0)), abs=1e-14)
    slope = (condition.residual(seen(1e-6)) - condition.residual(seen(-1e-6))) / 2e-6
    assert functional(seen(1.0)) - functional(seen(0.0)) == pytest.approx(slope, rel=1e-8)


def test_sensitivities_see_parameters_in_nonlinear_conditions():
    from gated_xtfc.problem.transform import Translation

    problem = gx.Problem("u'' = u", LINE, ["u(0) = 1", "u'(1) = -sigma*(u(1)^4 - 1)"], sigma=0.5)
    space = IntervalDiscretisation.to(problem, 1e-10)
    found = attempt(space, None, None, Settings(1e-10, Limits(10_000, 14, 100, 1e9))).adapted.found
    (weights,) = sensitivities(problem, found, ["sigma"], Translation((0.0,)))
    slope = found.basis.evaluate(np.array([0.7]), 0, weights)[0]
    above, below = (gx.solve(problem(sigma=0.5 + h), tol=1e-11)(0.7) for h in (1e-4, -1e-4))
    assert slope == pytest.approx((above - below) / 2e-4, rel=1e-6)


@pytest.mark.parametrize(
    ("conditions", "unknown", "words"),
    [
        (["u(0) = 0", lambda v: v(0)], [], '"v"'),
        (["u(0) = 0", lambda u: [u(0)]], [], "one number"),
        (["u(0) = 0", lambda u: u.xx(0) * u(0)], [], "derivative 2 of u"),
        (["u(0) = 0", lambda u: u(2) ** 2 - 1], [], "outside the domain"),
        (["u(0) = 0", "u(2)^2 = 1"], [], "outside the domain"),
        (["u(0) = 0", "u''(1)^2 = 1"], [], "derivative 2 of u"),
        (["u(0) = a", "u(1) = a", "2*u(0) = 2*a"], ["a"], "says nothing beyond"),
        (["u(0) = 0", "u(1) = 1", "u'(0) = 1"], ["a"], "occurs in no equation and no condition"),
        (["u(0) = 0", 3], [], "3"),
    ],
)
def test_a_condition_that_cannot_be_used_is_refused_in_one_sentence(conditions, unknown, words):
    with pytest.raises(InputError, match=words) as error:
        gx.solve(gx.Problem("u'' = u", LINE, conditions, unknown=unknown))
    assert "\n" not in str(error.value)


def test_functions_as_conditions_are_refused_on_a_rectangle():
    with pytest.raises(InputError, match="must be texts"):
        gx.Problem("u_xx + u_yy = 1", {"x": (0, 1), "y": (0, 1)}, ["u = 0 on boundary", lambda u: u])


def test_a_condition_without_a_solution_is_not_found():
    solution = gx.solve(gx.Problem("u'' = 0", LINE, ["u(0)^2 = -1", "u(1) = 1"]))
    assert not solution.converged
    assert solution.error >= 1.0


def test_a_problem_with_functions_as_conditions_cannot_be_written_down():
    with pytest.raises(InputError, match="cannot be written down"):
        gx.Problem("u'' = u", LINE, ["u(0) = 1", lambda u: u(1)]).to_dict()


def test_all_conditions_may_be_nonlinear():
    solution = gx.solve(gx.Problem("u'' = u^2", {"x": (0, 1)}, ["exp(u(0)) = 2", "sin(u(1)) = 0.5"]))
    assert solution.converged
    assert solution(0.0) == pytest.approx(np.log(2.0), abs=1e-12)
    assert np.sin(solution(1.0)) == pytest.approx(0.5, abs=1e-12)


def test_a_function_needs_no_more_kernels_than_a_text_where_its_source_is_rounding():
    conditions = ["u(0) = 1", "u'(1) = -0.5*(u(1)^4 - 1)"]
    text = gx.solve(gx.Problem("u'' - u = 0", {"x": (0, 1)}, conditions))
    function = gx.solve(gx.Problem(lambda x, u: u.xx - u, {"x": (0, 1)}, conditions))
    assert text.converged
    assert function.converged
    assert function.neurons == text.neurons
