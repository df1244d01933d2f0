"""Layers that are carried along a parameter keep their shape, their elements, and what lies between them."""

import numpy as np
import pytest

from gated_xtfc import Problem, solve
from gated_xtfc.core import compiled
from gated_xtfc.discretise.partition import Partition
from gated_xtfc.gates import Layer
from gated_xtfc.solver.interval.division import by_arrays, divided
from gated_xtfc.solver.interval.element_layout import halfway, halved, merged
from gated_xtfc.solver.interval.stretch import Stretch

LAYERS = [Layer(0.0, 1e-3), Layer(0.4, 1e-3), Layer(0.401, 1e-3)]
STRETCH = Stretch.of((0.0, 1.0), LAYERS, [0.1] * 3)


def test_bends_that_are_close_together_are_one_layer():
    np.testing.assert_allclose(STRETCH.centres, [0.0, 0.4005])


def carried(places):
    """Where places have moved to, and both ends of what lies between them."""
    cuts = np.unique([0.0, *places, 1.0])
    after = STRETCH.carried(Partition(np.zeros(cuts.size - 1), cuts[:-1], np.diff(cuts)))
    starts, stops = after.anchor + after.offset, after.anchor + after.offset + after.length
    return cuts, starts, stops


def test_a_layer_keeps_its_shape():
    away = np.linspace(-1e-3, 1e-3, 11)
    _, starts, _ = carried(0.4005 + away)
    np.testing.assert_allclose(starts[1:] - 0.4005, 0.1 * away, atol=1e-12)


def test_ends_and_what_is_half_way_between_layers_stay_in_their_place():
    _, starts, stops = carried([0.20025, 0.35])
    np.testing.assert_allclose(starts[1], 0.20025, atol=1e-12)
    np.testing.assert_allclose((starts[0], stops[-1]), (0.0, 1.0), rtol=0, atol=2e-16)


def test_elements_that_are_carried_lie_side_by_side_in_the_same_order():
    _, starts, stops = carried(np.random.default_rng(0).uniform(0.0, 1.0, 200))
    np.testing.assert_allclose(stops[:-1], starts[1:], atol=1e-15)
    assert (stops > starts).all()


def test_elements_are_divided_along_the_stretch_of_a_layer():
    elements = Partition(np.zeros(2), np.array([0.0, 1e-6]), np.array([1e-6, 1.0 - 1e-6]))
    near, far = halfway(elements, [Layer(0.0, 1e-7)])
    assert 0.2 < near < 0.5
    assert 1e-4 < far < 1e-2
    both = halved(elements, np.array([False, True]), np.array([near, far]))
    np.testing.assert_allclose(both.length, [1e-6, far * (1.0 - 1e-6), (1.0 - far) * (1.0 - 1e-6)])


def drawn(seed):
    """Elements, what each adds to the error, and layers."""
    dice = np.random.default_rng(seed)
    length = 10.0 ** dice.uniform(-4, 0, int(dice.integers(1, 40)))
    ends = np.concatenate([[0.0], np.cumsum(length)])
    layers = [Layer(dice.uniform(0, ends[-1]), 10.0 ** dice.uniform(-4, -1), dice.uniform(0.1, 0.4)) for _ in range(3)]
    anchor = np.array([0.0, *(layer.location for layer in layers)])[dice.integers(0, 4, length.size)]
    elements = Partition(anchor, ends[:-1] - anchor, length)
    return elements, 10.0 ** dice.uniform(-3, 5, length.size), layers[: int(dice.integers(0, 4))]


@pytest.mark.skipif(compiled.divide is None, reason="no compiler was at hand")
def test_elements_are_divided_alike_by_the_core_and_its_twin():
    for seed in range(200):
        elements, excess, layers = drawn(seed)
        fast, slow = divided(elements, excess, layers, 2.0**11), by_arrays(elements, excess, layers, 2.0**11)
        np.testing.assert_array_equal(fast.anchor, slow.anchor)
        np.testing.assert_allclose(fast.offset, slow.offset, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(fast.length, slow.length, rtol=1e-8)
        assert np.isclose(fast.length.sum(), elements.length.sum(), rtol=1e-12)


@pytest.mark.skipif(compiled.divide is None, reason="no compiler was at hand")
def test_what_does_not_fit_is_not_divided():
    with pytest.raises(ValueError, match="do not fit together"):
        compiled.divide(*[np.zeros(2)] * 7, 8.0, 2.0, np.zeros(16))


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
