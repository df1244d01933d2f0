"""Calculus on solutions: integrals, roots, extremes, derivatives, arithmetic, expressions and sensitivities."""

import numpy as np
import pytest

import gated_xtfc as gx

NU = 1e-6
LAYER = gx.solve(gx.Problem("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=NU), tol=1e-10)
WAVE = gx.solve(gx.Problem("u'' + u = 0", {"x": (0, 20)}, ["u(0) = 0", "u'(0) = 1"]), tol=1e-11)
BRATU = gx.solve(gx.Problem(["u' = v", "v' = -k*exp(u)"], {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0"], k=1), tol=1e-11)
X = np.linspace(0.0, 20.0, 501)


def test_integral_of_a_layer_is_all_there():
    assert LAYER.integral() == pytest.approx(NU, rel=1e-7)
    assert LAYER.derivative().integral(0.5, 1.0) == pytest.approx(1.0, rel=1e-10)
    assert LAYER.evaluate("nu*u'^2").integral() == pytest.approx(0.5, rel=1e-10)


@pytest.mark.parametrize(("left", "right"), [(0.0, 20.0), (3.0, 4.5), (12.0, 2.0), (7.0, 7.0)])
def test_integral_is_the_difference_of_the_primitive(left, right):
    assert WAVE.integral(left, right) == pytest.approx(np.cos(left) - np.cos(right), abs=1e-10)


def test_integral_of_a_kink_is_to_rounding():
    assert abs(WAVE).integral(0.0, 6 * np.pi) == pytest.approx(12.0, abs=1e-10)


def test_roots_are_the_crossings_and_the_ends():
    np.testing.assert_allclose(WAVE.roots(), np.pi * np.arange(7), atol=1e-10)
    np.testing.assert_allclose(LAYER.roots(0.5), [1.0 + NU * np.log(0.5)], atol=1e-10 * NU + 3e-16)


def test_roots_are_touchings_too():
    np.testing.assert_allclose(WAVE.roots(1.0), np.pi * (0.5 + 2.0 * np.arange(3)), atol=1e-9)
    np.testing.assert_allclose((WAVE * WAVE).roots(0.0), np.pi * np.arange(7), atol=1e-4)


def test_a_stretch_that_cannot_be_told_from_the_value_has_no_root():
    assert LAYER.roots(0.0).size == 0
    assert (WAVE - WAVE).roots(0.0).size == 0


def test_roots_of_a_value_that_is_not_taken_are_none():
    assert WAVE.roots(1.5).size == 0


def test_extremes_have_their_places():
    value, at = WAVE.maximum()
    assert value == pytest.approx(1.0, abs=1e-10)
    assert min(abs(at - np.pi * (0.5 + 2 * k)) for k in range(3)) < 1e-8
    low, at = LAYER.derivative().minimum()
    assert low == pytest.approx(0.0, abs=1e-4)
    assert LAYER.maximum() == (1.0, 1.0)


def test_derivative_is_the_function_that_a_call_gives():
    slope = WAVE.derivative()
    np.testing.assert_array_equal(slope(X), WAVE(X, 1))
    np.testing.assert_array_equal(slope.derivative()(X), WAVE(X, 2))


def test_arithmetic_is_that_of_values_and_keeps_within_the_error():
    made = (2.0 * WAVE + 3.0) * WAVE.derivative() / (4.0 - WAVE) - WAVE**2
    expected = (2 * np.sin(X) + 3) * np.cos(X) / (4 - np.sin(X)) - np.sin(X) ** 2
    assert np.abs(made(X) - expected).max() <= made.error
    assert made.error < 1e-9
    np.testing.assert_allclose((1.0 - WAVE)(X, 1), -np.cos(X), atol=1e-9)


def test_derivatives_of_products_are_those_of_leibniz():
    square = WAVE * WAVE
    np.testing.assert_allclose(square(X, 1), np.sin(2 * X), atol=1e-9)
    np.testing.assert_allclose(square(X, 2), 2 * np.cos(2 * X), atol=1e-8)


def test_pythagoras_holds_for_two_functions():
    one = WAVE**2 + WAVE.derivative() ** 2
    assert one.maximum().value - one.minimum().value < 1e-10


def test_expressions_know_fields_parameters_and_the_coordinate():
    made = BRATU.evaluate("u' + x*k*v")
    x = np.linspace(0.0, 1.0, 51)
    np.testing.assert_allclose(made(x), BRATU["v"](x) * (1.0 + x), atol=1e-9)
    assert BRATU["u"].maximum().at == pytest.approx(0.5, abs=1e-8)


def test_sensitivity_of_a_layer_is_within_its_error():
    slope = LAYER.sensitivity("nu")
    x = LAYER.points(500)
    exact = (1.0 - x) / NU**2 * np.exp((x - 1.0) / NU)
    assert np.abs(slope(x) - exact).max() <= slope.error
    assert slope.error <= 1e-7 * exact.max()


def test_sensitivity_of_a_nonlinear_system_is_that_of_differences():
    slope = BRATU.sensitivity("k", "u")(0.5)
    high, low = (gx.solve(BRATU.problem(k=1 + h), tol=1e-12)["u"](0.5) for h in (1e-3, -1e-3))
    assert slope == pytest.approx((high - low) / 2e-3, rel=1e-5)


def test_bad_questions_are_answered_in_one_sentence():
    other = gx.solve(gx.Problem("u' = 1", {"x": (0, 2)}, ["u(0) = 0"]))
    square = gx.solve(gx.Problem("u_xx + u_yy = 1", {"x": (0, 1), "y": (0, 1)}, ["u = 0 on boundary"]), tol=1e-4)
    for question, told in (
        (lambda: BRATU.integral(), "say which field"),
        (lambda: WAVE.integral(0.0, 30.0), "outside the domain"),
        (lambda: WAVE.roots("a"), "finite number"),
        (lambda: WAVE.derivative(3), "orders 0 to 2"),
        (lambda: WAVE + "u", "functions and numbers"),
        (lambda: WAVE + other, "different domains"),
        (lambda: WAVE.evaluate("u''' + 1"), "which the solution has not"),
        (lambda: WAVE.evaluate("v"), "unknown name 'v'"),
        (lambda: WAVE.sensitivity("k"), "has no parameter"),
        (lambda: BRATU.sensitivity("k"), "which field"),
        (lambda: square.integral(), "on an interval only"),
        (lambda: square.sensitivity("k"), "on an interval only"),
    ):
        with pytest.raises(gx.InputError, match=told):
            question()


def test_a_parameter_that_moves_an_end_has_no_sensitivity():
    problem = gx.Problem("u'' = 1", {"x": (0, "b")}, ["u(0) = 0", "u(b) = 0"], b=1)
    with pytest.raises(gx.InputError, match="moves an end"):
        gx.solve(problem).sensitivity("b")
