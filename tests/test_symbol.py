"""The modes of the operator tell where layers can stand and how thick they are."""

import numpy as np
import pytest

from gated_xtfc import Problem
from gated_xtfc.operator import symbol
from gated_xtfc.operator.linearise import Operator

EPSILONS = [1e-3, 1e-4, 1e-8, 1e-12]


def operator_of(equation, domain=(0, 1), order=2, **parameters):
    conditions = ["u({}) = 0", "u'({}) = 0", "u''({}) = 0", "u'''({}) = 0"][:order]
    return Operator(Problem(equation, {"x": domain}, [c.format(domain[0]) for c in conditions], **parameters))


def end_layer(operator, side):
    """Thickness at the left end (side 1) or at the right one (side -1), and whether the decay quickens."""
    axis = operator.problem.axes[0]
    place = axis.left if side > 0 else axis.right
    x = np.clip(symbol.approach(place, side, axis.length), axis.left, axis.right)
    return symbol.layer_thickness(symbol.modes(operator.evaluate((x,)).by_order), side, axis.length, place)


def along(operator):
    return lambda x: operator.evaluate((x,))


def roots_at(*coefficients):
    """Modes of the symbol with these coefficients a_0, a_1, ... at one point, sorted."""
    return np.sort_complex(symbol.modes([[[np.array([float(a)]) for a in coefficients]]])[0])


def test_modes_of_first_order():
    np.testing.assert_allclose(roots_at(3.0, 2.0), [-1.5])


def test_modes_of_second_order_do_not_cancel():
    np.testing.assert_allclose(roots_at(1.0, 1e12, 1.0), [-1e12, -1e-12], rtol=1e-15)
    np.testing.assert_allclose(roots_at(1.0, -1e12, 1.0), [1e-12, 1e12], rtol=1e-15)
    np.testing.assert_allclose(roots_at(4.0, 0.0, 1.0), [-2j, 2j])
    np.testing.assert_allclose(roots_at(0.0, 0.0, 1.0), [0.0, 0.0])


def test_modes_of_higher_order():
    np.testing.assert_allclose(roots_at(-6.0, 11.0, -6.0, 1.0), [1.0, 2.0, 3.0], rtol=1e-10)
    np.testing.assert_allclose(roots_at(64.0, 0.0, -20.0, 0.0, 1.0), [-4.0, -2.0, 2.0, 4.0], rtol=1e-10)


@pytest.mark.parametrize("coefficients", [(1.0, 1.0, 0.0), (0.0, 0.0, 0.0), (1.0, 0.0), (1.0, 0.0, 0.0, 0.0, 0.0)])
def test_modes_of_a_vanishing_lead_are_large_and_finite(coefficients):
    roots = roots_at(*coefficients)
    assert np.isfinite(roots).all()


@pytest.mark.parametrize("eps", [*EPSILONS, 1e-30, 1e-58])
def test_an_outflow_layer_at_the_left_end_is_as_thick_as_eps(eps):
    thickness, _ = end_layer(operator_of("eps*u'' + u' = 0", eps=eps), 1)
    assert thickness == pytest.approx(eps, rel=0.02)
    assert end_layer(operator_of("eps*u'' + u' = 0", eps=eps), -1)[0] == np.inf


@pytest.mark.parametrize("eps", EPSILONS)
def test_an_outflow_layer_at_the_right_end_is_as_thick_as_eps(eps):
    operator = operator_of("eps*u'' - u' = 0", eps=eps)
    assert end_layer(operator, -1)[0] == pytest.approx(eps, rel=0.02)
    assert end_layer(operator, 1)[0] == np.inf


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("eps", EPSILONS)
def test_a_reaction_layer_is_as_thick_as_the_root_of_eps_at_both_ends(eps, side):
    thickness, quickens = end_layer(operator_of("eps*u'' - u = 0", eps=eps), side)
    assert thickness == pytest.approx(np.sqrt(eps), rel=0.02)
    assert not quickens


@pytest.mark.parametrize("eps", EPSILONS)
@pytest.mark.parametrize(
    ("equation", "domain", "side"),
    [("eps*u'' + x*u' = 0", (0, 1), 1), ("eps*u'' + (x - 1)*u' = 0", (0, 1), -1), ("eps*u'' + x*u' = 0", (-1, 0), -1)],
)
def test_a_turning_point_at_an_end_makes_a_layer_as_thick_as_the_root_of_eps(equation, domain, side, eps):
    thickness, quickens = end_layer(operator_of(equation, domain, eps=eps), side)
    assert thickness == pytest.approx(np.sqrt(eps), rel=0.02)
    assert quickens


@pytest.mark.parametrize("eps", EPSILONS)
def test_a_turning_point_inside_is_found_with_the_thickness_of_the_root_of_eps(eps):
    operator = operator_of("eps*u'' + (x - 0.3)*u' = 0", eps=eps)
    x = np.linspace(0.0, 1.0, 65)
    (place,) = symbol.turning_points(along(operator), x, operator.evaluate((x,)).by_order)
    assert place == pytest.approx(0.3, abs=1e-15)
    assert symbol.layer_at(along(operator), place, 0.5) == pytest.approx(np.sqrt(eps), rel=0.02)


def test_a_turning_point_on_a_sample_is_found_once():
    operator = operator_of("1e-4*u'' + (x - 0.5)*u' = 0")
    x = np.linspace(0.0, 1.0, 65)
    assert symbol.turning_points(along(operator), x, operator.evaluate((x,)).by_order) == [0.5]


def test_a_point_from_which_the_flow_leaves_on_both_sides_makes_no_layer():
    operator = operator_of("1e-4*u'' - (x - 0.3)*u' = 0")
    x = np.linspace(0.0, 1.0, 65)
    assert symbol.turning_points(along(operator), x, operator.evaluate((x,)).by_order) == []


def test_the_sign_of_the_leading_coefficient_decides_which_way_the_flow_goes():
    operator = operator_of("-1e-4*u'' - (x - 0.3)*u' = 0")
    x = np.linspace(0.0, 1.0, 65)
    assert symbol.turning_points(along(operator), x, operator.evaluate((x,)).by_order) == pytest.approx([0.3])


@pytest.mark.parametrize("eps", EPSILONS)
def test_layers_of_third_and_fourth_order_come_from_their_fastest_mode(eps):
    third = operator_of("eps*u''' + u'' = 1", order=3, eps=eps)
    assert end_layer(third, 1)[0] == pytest.approx(eps, rel=0.02)
    assert end_layer(third, -1)[0] > 0.9
    fourth = operator_of("eps*u'''' - u'' = 1", order=4, eps=eps)
    for side in (1, -1):
        assert end_layer(fourth, side)[0] == pytest.approx(np.sqrt(eps), rel=0.02)


def test_a_first_order_relaxation_layer_stands_where_the_flow_enters():
    operator = operator_of("eps*u' + u = 0", order=1, eps=1e-6)
    assert end_layer(operator, 1)[0] == pytest.approx(1e-6, rel=0.02)
    assert end_layer(operator, -1)[0] == np.inf


def test_what_is_thicker_than_a_tenth_of_the_piece_is_no_layer():
    operator = operator_of("eps*u'' - u = 0", eps=0.02)
    assert end_layer(operator, 1)[0] == end_layer(operator, -1)[0] == np.inf


def test_an_oscillation_is_a_wave_and_not_a_layer():
    operator = operator_of("eps**2*u'' + u = 0", eps=1e-3)
    x = np.linspace(0.0, 1.0, 9)
    np.testing.assert_allclose(symbol.wave_number(symbol.modes(operator.evaluate((x,)).by_order)), 1e3)
    assert end_layer(operator, 1)[0] == end_layer(operator, -1)[0] == np.inf


def test_a_layer_is_not_a_wave():
    operator = operator_of("eps**2*u'' - u = 0", eps=1e-3)
    assert not symbol.wave_number(symbol.modes(operator.evaluate((np.linspace(0.0, 1.0, 9),)).by_order)).any()


@pytest.mark.parametrize("distance", [1e-2, 1e-4])
def test_a_leading_coefficient_that_nears_zero_is_a_weak_point_at_the_distance_of_its_complex_zero(distance):
    operator = operator_of("((x - 0.3)**2 + d**2)*u'' + u = 0", d=distance)
    x = np.linspace(0.0, 1.0, 65)
    ((place, found),) = symbol.near_zeros_of_lead(along(operator), x, operator.evaluate((x,)).by_order)
    assert place == pytest.approx(0.3, abs=0.1 * distance)
    assert found == pytest.approx(distance, rel=0.1)
