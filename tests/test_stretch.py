"""Layers that are carried along a parameter keep their shape, their elements, and what lies between them."""

import numpy as np
import pytest

from gated_xtfc import Problem, solve
from gated_xtfc.discretise.partition import Partition
from gated_xtfc.gates import Layer
from gated_xtfc.solver.interval.element_layout import halfway, halved, merged
from gated_xtfc.solver.interval.stretch import Stretch

LAYERS = [Layer(0.0, 1e-3), Layer(0.4, 1e-3), Layer(0.401, 1e-3)]
STRETCH = Stretch.of((0.0, 1.0), LAYERS, [0.1] * 3)


def test_bends_that_are_close_together_are_one_layer():
    np.testing.assert_allclose(STRETCH.centres, [0.0, 0.4005])


def test_a_layer_keeps_its_shape():
    away = np.linspace(-1e-4, 1e-4, 11)
    place, slope = STRETCH.back(0.4005 + away)
    np.testing.assert_allclose(place - 0.4005, 10.0 * away, atol=1e-12)
    np.testing.assert_allclose(slope, 10.0)


def test_ends_and_what_is_half_way_between_layers_stay_in_their_place():
    x = np.array([0.0, 0.20025, 1.0])
    np.testing.assert_allclose(STRETCH.back(x)[0], x, atol=1e-12)


def test_the_map_is_increasing_and_its_slope_is_its_own():
    x = np.linspace(0.0, 1.0, 20001)[1:-1]
    place, slope = STRETCH.back(x)
    assert (np.diff(place) > 0.0).all()
    step = 1e-9
    secant = (STRETCH.back(x + step)[0] - STRETCH.back(x - step)[0]) / (2.0 * step)
    smooth = np.abs(secant / slope - 1.0) < 1e-3
    assert smooth.mean() > 0.999  # but for the edges of cores


def test_elements_are_carried_to_where_the_map_has_them():
    cuts = np.array([0.0, 0.001, 0.01, 0.20025, 0.39, 0.4005, 0.41, 0.7, 1.0])
    before = Partition(np.zeros(8), cuts[:-1], np.diff(cuts))
    after = STRETCH.carried(before)
    starts, stops = after.anchor + after.offset, after.anchor + after.offset + after.length
    np.testing.assert_allclose(STRETCH.back(starts)[0], cuts[:-1], atol=1e-12)
    np.testing.assert_allclose(stops[:-1], starts[1:], atol=1e-15)
    np.testing.assert_allclose((starts[0], stops[-1]), (0.0, 1.0), rtol=0, atol=2e-16)


def test_elements_are_divided_along_the_stretch_of_a_layer():
    elements = Partition(np.zeros(2), np.array([0.0, 1e-6]), np.array([1e-6, 1.0 - 1e-6]))
    near, far = halfway(elements, [Layer(0.0, 1e-7)])
    assert 0.2 < near < 0.5
    assert 1e-4 < far < 1e-2
    both = halved(elements, np.array([False, True]), np.array([near, far]))
    np.testing.assert_allclose(both.length, [1e-6, far * (1.0 - 1e-6), (1.0 - far) * (1.0 - 1e-6)])


def test_only_elements_that_add_little_are_merged():
    elements = Partition(np.zeros(4), np.arange(4.0), np.ones(4))
    found = merged(elements, np.array([1e-9, 1e-9, 1e-2, 1e-9]), 1e-3, 11)
    np.testing.assert_allclose(found.length, [2.0, 1.0, 1.0])
    np.testing.assert_allclose(found.offset, [0.0, 2.0, 3.0])


@pytest.mark.parametrize("eps", [1e-2, 1e-4])
def test_members_on_the_way_are_those_that_are_read_anew(eps):
    problem = Problem("eps*u'' + u*u' - u = 0", {"x": (0, 1)}, ["u(0) = -7/6", "u(1) = 3/2"], eps=0.3)
    quick, plain = problem.on_the_way(eps=eps), problem(eps=eps)
    assert dict(quick.parameters) == dict(plain.parameters)
    x = np.linspace(0, 1, 51)
    np.testing.assert_array_equal(solve(quick, 1e-6)(x), solve(plain, 1e-6)(x))


def test_a_parameter_in_a_condition_is_read_anew():
    problem = Problem("u'' = u^2", {"x": (0, 1)}, ["u(0) = a", "u(1) = 1"], a=0.5)
    assert problem.on_the_way(a=0.25).conditions[0].value == 0.25
