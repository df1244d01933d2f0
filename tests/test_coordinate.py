"""The gated coordinate: smooth, increasing, invertible, and exact right inside the thinnest layer."""

import numpy as np
import pytest

from differences import slope
from gated_xtfc.gates import Block, Layer
from gated_xtfc.gates.coordinate import Coordinate

OUTFLOW = Layer(1.0, 1e-3)
TURNING = Layer(0.3, 1e-2, 0.17)
PLAIN = Coordinate(0.0, 1.0, 1 / 7)
LAYERED = Coordinate(0.0, 1.0, 1 / 7, (TURNING, OUTFLOW))
BLOCKED = LAYERED.with_block(4.0, 13.0, 2.0)
COMPOSED = BLOCKED.with_block(-1.0, 8.0, 3.0).with_block(20.0, 29.0, 1.7)
THIN = Coordinate(-1.0, 2.0, 0.3, (Layer(-1.0, 1e-9), Layer(0.75, 1e-14), Layer(2.0, 1e-12)))
EVERY = {"plain": PLAIN, "layered": LAYERED, "blocked": BLOCKED, "composed": COMPOSED, "thin": THIN}


@pytest.fixture(params=EVERY)
def coordinate(request):
    return EVERY[request.param]


@pytest.mark.parametrize("order", [1, 2, 3, 4])
@pytest.mark.parametrize("layer", [OUTFLOW, TURNING, Layer(0.0, 1e-30, 0.5)], ids=lambda layer: f"{layer.thickness:g}")
def test_every_derivative_of_a_layer_is_the_complex_step_of_the_one_before(layer, order):
    offset = layer.thickness * np.concatenate([-np.logspace(3, -3, 40), [0.0], np.logspace(-3, 3, 40)])
    tiny = 1e-25 * layer.thickness
    # about zero, where x itself holds every digit of the distance
    centred = Layer(0.0, layer.thickness, layer.grading)
    found = centred.jets(offset, order)[order]
    expected = centred.jets(offset + 1j * tiny, order - 1)[order - 1].imag / tiny
    assert np.all(np.abs(found - expected) <= 1e-13 * np.abs(found).max())


@pytest.mark.parametrize("order", [1, 2, 3, 4])
@pytest.mark.parametrize("block", [Block(2.0, 9.0), Block(-3.0, 1.0, 1.3), Block(0.0, 40.0, 5.0, 3.0)])
def test_every_derivative_of_a_block_is_the_difference_of_the_one_before(block, order):
    t = np.linspace(-20.0, 60.0, 301)
    found = block.jets(t, order)[order]
    expected = slope(lambda at: block.jets(at, order - 1)[order - 1], t, 0.05)
    assert np.abs(found - expected).max() <= 1e-11 * block.factor


@pytest.mark.parametrize("order", [1, 2, 3, 4])
@pytest.mark.parametrize("name", ["plain", "layered", "blocked", "composed"])
def test_every_derivative_of_a_composition_is_the_difference_of_the_one_before(name, order):
    coordinate = EVERY[name]
    x = coordinate.inverse(np.linspace(0.0, coordinate.length, 201))
    density = coordinate.jets(x, 1)[1]
    found = coordinate.jets(x, order)[order]
    expected = slope(lambda at: coordinate.jets(at, order - 1)[order - 1], x, 0.02 / density)
    # measured at the local kernel width, where every derivative is of size one
    assert np.max(np.abs(found - expected) / density**order) <= 1e-9


def test_jets_of_lower_order_are_the_first_of_those_of_higher_order(coordinate):
    x = coordinate.inverse(np.linspace(0.0, coordinate.length, 101))
    every = coordinate.jets(x, 4)
    for order in range(4):
        jets = coordinate.jets(x, order)
        assert len(jets) == order + 1
        assert all(np.array_equal(a, b) for a, b in zip(jets, every, strict=False))


def test_the_coordinate_starts_at_zero_and_ends_at_its_length(coordinate):
    assert coordinate(np.array([coordinate.left]))[0] == 0.0
    assert coordinate(np.array([coordinate.right]))[0] == coordinate.length > 0


def test_the_coordinate_increases(coordinate):
    x = np.unique(coordinate.inverse(np.linspace(0.0, coordinate.length, 20_001)))
    assert (coordinate.jets(x, 1)[1] > 0).all()
    assert (np.diff(coordinate(x)) > 0).all()


def test_the_inverse_comes_back_to_the_place_it_was_asked_for(coordinate):
    at = np.linspace(0.0, coordinate.length, 1001)
    x = coordinate.inverse(at)
    assert (np.diff(x) >= 0).all()
    assert x.min() >= coordinate.left
    assert x.max() <= coordinate.right
    # no closer than the numbers x lie to each other
    grain = np.spacing(np.abs(x)) * coordinate.jets(x, 1)[1]
    assert (np.abs(coordinate(x) - at) <= 1e-6 + grain).all()


def test_the_kernel_width_is_the_thickness_at_a_layer_and_grows_with_the_grading_away_from_it():
    layer = Layer(0.5, 1e-8, 0.25)
    coordinate = Coordinate(0.0, 1.0, 1e6, (layer,))
    width = 1.0 / coordinate.jets(np.array([0.5, 0.5 + 1e-3, 0.5 - 1e-4]), 1)[1]
    np.testing.assert_allclose(width, [1e-8, 0.25e-3, 0.25e-4], rtol=1e-6)


def test_a_layer_finds_the_places_of_its_stretch():
    layer = Layer(0.25, 1e-5)
    stretch = np.linspace(-12.0, 12.0, 101)
    np.testing.assert_allclose(layer.jets(layer.place(stretch), 0)[0], stretch, atol=1e-10)


@pytest.mark.parametrize("order", [0, 1, 2, 3, 4])
def test_distances_inside_a_layer_as_thin_as_the_numbers_are_exact(order):
    offset = np.spacing(0.75) * np.arange(-2000, 2001)
    there = Layer(0.75, 1e-14).jets(0.75 + offset, order)[order]
    at_zero = Layer(0.0, 1e-14).jets(offset, order)[order]
    assert np.array_equal(there, at_zero)


def test_a_layer_as_thin_as_the_numbers_takes_its_place_in_the_coordinate():
    layer = Layer(0.75, 1e-14)
    coordinate = Coordinate(0.0, 1.0, 1 / 7, (layer,))
    x = 0.75 + np.spacing(0.75) * np.arange(-500, 501)
    found = coordinate(x) - coordinate(np.array([0.75]))[0]
    expected = layer.jets(x, 0)[0] + (x - 0.75) / coordinate.width
    assert np.abs(found - expected).max() <= 4 * np.spacing(coordinate.length)


@pytest.mark.parametrize("factor", [0.3, 1.3, 2.0])
@pytest.mark.parametrize("name", ["plain", "layered", "thin"])
def test_refining_multiplies_the_coordinate_by_the_factor(name, factor):
    coordinate = EVERY[name]
    refined = coordinate.refined(factor)
    x = coordinate.inverse(np.linspace(0.0, coordinate.length, 501))
    for order in range(5):
        before, after = coordinate.jets(x, order)[order], refined.jets(x, order)[order]
        size = np.abs(coordinate.jets(x, 1)[1]) ** order * max(1.0, coordinate.length)
        assert (np.abs(after - factor * before) <= 1e-14 * factor * size).all()


def test_refining_multiplies_the_length_and_keeps_the_transitions_of_blocks():
    refined = COMPOSED.refined(1.5)
    assert [b.transition for b in refined.blocks] == [b.transition for b in COMPOSED.blocks]
    # a transition shifts what lies behind it by a part of its own length, and no more
    assert abs(refined.length - 1.5 * COMPOSED.length) <= 2.0 * sum(b.factor * b.transition for b in COMPOSED.blocks)


def test_refining_a_block_multiplies_its_density_by_the_factor():
    coordinate = Coordinate(0.0, 1.0, 1 / 100).with_block(30.0, 60.0, 2.0)
    x = np.array([0.05, 0.45, 0.95])
    np.testing.assert_allclose(coordinate.refined(1.7).jets(x, 1)[1], 1.7 * coordinate.jets(x, 1)[1], rtol=1e-3)


def test_a_block_multiplies_the_density_inside_and_leaves_it_alone_outside():
    plain = Coordinate(0.0, 1.0, 1 / 200)
    blocked = plain.with_block(80.0, 120.0, 2.5)
    ratio = blocked.jets(np.array([0.1, 0.5, 0.9]), 1)[1] / plain.jets(np.array([0.1, 0.5, 0.9]), 1)[1]
    np.testing.assert_allclose(ratio, [1.0, 2.5, 1.0], rtol=2e-4)
    assert blocked.length == pytest.approx(plain.length + 1.5 * 40.0, rel=1e-9)


def test_a_block_knows_its_span_in_x():
    (block,) = LAYERED.with_block(4.0, 13.0, 2.0).blocks
    np.testing.assert_allclose(LAYERED(np.array([block.left_x, block.right_x])), [4.0, 13.0], atol=1e-6)


def test_a_block_upon_a_block_stands_where_the_current_coordinate_says():
    first = Coordinate(0.0, 1.0, 1 / 200).with_block(-4.0, 40.0, 2.0)
    second = first.with_block(150.0, 190.0, 3.0)
    middle = first.inverse(np.array([170.0]))
    assert second.jets(middle, 1)[1][0] / first.jets(middle, 1)[1][0] == pytest.approx(3.0, rel=1e-3)


def test_gates_describe_themselves():
    assert Layer(0.5, 1e-4).describe() == "layer at 0.5, thickness 0.0001"
    assert LAYERED.with_block(4.0, 13.0, 2.0).blocks[0].describe().endswith("density x 2")
