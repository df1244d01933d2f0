"""Kernels and their derivatives: closed forms against differences, windows against whole sums, points on their own."""

from fractions import Fraction

import numpy as np
import pytest

from differences import slope
from gated_xtfc.discretise.gaussian import MARGIN, Gaussian, Piecewise, rounded_to_20_bits
from gated_xtfc.discretise.kernel_window import dense_from_windows
from gated_xtfc.gates import Layer
from gated_xtfc.gates.coordinate import Coordinate

LEFT = Coordinate(-1.0, 0.25, 0.2, (Layer(-1.0, 1e-3), Layer(0.25, 0.01)))
RIGHT = Coordinate(0.25, 2.0, 0.1, (Layer(2.0, 1e-4),)).with_block(3.0, 12.0, 2.0)
ONE = Gaussian.on(Coordinate(0.0, 1.0, 1 / 7, (Layer(1.0, 1e-4),)).with_block(2.0, 8.0, 2.0), 1.5)
PIECES = Piecewise((Gaussian.on(LEFT, 1.5), Gaussian.on(RIGHT, 2.0)))


def inside(coordinate, count=101):
    return coordinate.inverse(np.linspace(0.3, coordinate.length - 0.3, count))


def whole(basis, x):
    """Every kernel at every point, straight from the definition, (n, size)."""
    centres = basis.spacing * np.arange(-basis.beyond, basis.size - basis.beyond)
    return np.exp(-0.5 * (basis.coordinate(x)[:, None] - centres) ** 2)


def derivatives(basis, x, order):
    view = basis.window(x, order)
    return dense_from_windows(view.first, view.derivative(order), basis.size)


@pytest.mark.parametrize("order", [1, 2, 3, 4])
@pytest.mark.parametrize("basis", [ONE, *PIECES.bases], ids=["one", "left", "right"])
def test_every_derivative_of_a_kernel_is_the_difference_of_the_one_before(basis, order):
    x = inside(basis.coordinate)
    density = basis.coordinate.jets(x, 1)[1]
    found = derivatives(basis, x, order)
    expected = slope(lambda at: derivatives(basis, at, order - 1), x, 0.02 / density)
    assert (np.abs(found - expected) / density[:, None] ** order).max() <= 1e-9


@pytest.mark.parametrize("order", [0, 1, 2, 3, 4])
def test_an_operator_is_the_sum_of_its_derivatives(order):
    x = inside(ONE.coordinate)
    coefficients = list(np.random.default_rng(order).normal(size=(order + 1, x.size)))
    view = ONE.window(x, order)
    parts = [a[:, None] * view.derivative(j) for j, a in enumerate(coefficients)]
    size = sum(np.abs(part) for part in parts)
    found = view.operator(coefficients)
    assert (np.abs(found - sum(parts)) <= 1e-13 * size.max(axis=1, keepdims=True)).all()


def test_an_operator_takes_plain_numbers_for_coefficients():
    view = ONE.window(inside(ONE.coordinate), 2)
    np.testing.assert_allclose(view.operator([0.0, 0.0, 1.0]), view.derivative(2))


@pytest.mark.parametrize("basis", [ONE, *PIECES.bases], ids=["one", "left", "right"])
def test_a_window_holds_all_of_the_sum_that_counts(basis):
    x = basis.coordinate.inverse(np.linspace(0.0, basis.coordinate.length, 201))
    windowed = derivatives(basis, x, 0)
    everything = whole(basis, x)
    assert basis.window_size < basis.size
    assert np.abs(windowed - everything).max() <= 1e-14
    weights = np.random.default_rng(0).normal(size=basis.size)
    found = Piecewise((basis,)).evaluate(x, 0, weights)
    assert (np.abs(found - everything @ weights) <= 1e-14 * (everything @ np.abs(weights))).all()


def test_kernels_left_out_of_a_window_are_below_rounding():
    x = ONE.coordinate.inverse(np.linspace(0.0, ONE.coordinate.length, 201))
    left_out = whole(ONE, x)[derivatives(ONE, x, 0) == 0.0]
    assert left_out.max() <= np.finfo(float).eps / 100


@pytest.mark.parametrize("order", [0, 1, 2])
@pytest.mark.parametrize("pieces", [Piecewise((ONE,)), PIECES], ids=["one piece", "two pieces"])
def test_a_value_does_not_depend_on_the_company_of_its_point(pieces, order):
    rng = np.random.default_rng(1)
    free, switch = rng.normal(size=(2, pieces.size))
    x = rng.permutation(pieces.inverse(np.linspace(0.0, pieces.length, 333)))
    together = pieces.evaluate(x, order, free, switch)
    alone = np.concatenate([pieces.evaluate(x[i : i + 1], order, free, switch) for i in range(x.size)])
    assert np.array_equal(together, alone)
    assert np.array_equal(together[::3], pieces.evaluate(x[::3], order, free, switch))


def test_several_weights_add_up():
    free, switch = np.random.default_rng(2).normal(size=(2, PIECES.size))
    x = PIECES.inverse(np.linspace(0.0, PIECES.length, 50))
    found = PIECES.evaluate(x, 1, free, switch)
    assert np.array_equal(found, PIECES.evaluate(x, 1, free) + PIECES.evaluate(x, 1, switch))


@pytest.mark.parametrize("number", [1 / 3, 0.1, 2 / 3, 0.571428571, 1e-7, 123.456, np.pi])
def test_multiples_of_a_short_number_are_exact(number):
    spacing = rounded_to_20_bits(number)
    assert abs(spacing / number - 1.0) <= 2.0**-20
    for count in (3, 777, 12_345, 1_000_003, 2**32 - 1):
        assert Fraction(spacing * count) == Fraction(spacing) * count


def test_spacings_of_a_basis_are_short():
    for basis in (ONE, *PIECES.bases):
        assert basis.spacing == rounded_to_20_bits(basis.spacing)


@pytest.mark.parametrize("density", [1.0, 1.5, 2.0, 2.5])
def test_centres_run_from_beyond_one_end_to_beyond_the_other(density):
    basis = Gaussian.on(ONE.coordinate, density)
    length = basis.coordinate.length
    assert basis.spacing <= (1.0 + 1e-6) / density
    assert basis.beyond * basis.spacing == pytest.approx(MARGIN, abs=0.5 / density)
    last_inside = (basis.size - 1 - 2 * basis.beyond) * basis.spacing
    assert last_inside == pytest.approx(length, rel=1e-6)


def test_the_dense_matrix_of_all_pieces_has_their_blocks_side_by_side():
    x = np.array([-0.7, 0.2, 0.3, 1.9])
    matrix = PIECES.matrix(x, 1)
    first = PIECES.bases[0].size
    assert matrix.shape == (4, PIECES.size)
    assert np.array_equal(matrix[:2, :first], derivatives(PIECES.bases[0], x[:2], 1))
    assert np.array_equal(matrix[2:, first:], derivatives(PIECES.bases[1], x[2:], 1))
    assert not matrix[:2, first:].any()
    assert not matrix[2:, :first].any()


def test_a_point_on_a_break_belongs_to_the_piece_on_its_right():
    left, right = PIECES.split(np.array([0.25, np.nextafter(0.25, 0.0)]))
    assert right.tolist() == [0]
    assert left.tolist() == [1]


def test_the_coordinate_of_all_pieces_is_continuous_and_has_an_inverse():
    at = np.linspace(0.0, PIECES.length, 501)
    x = PIECES.inverse(at)
    assert np.abs(PIECES.coordinate(x) - at).max() <= 1e-6
    around = PIECES.coordinate(np.array([np.nextafter(0.25, 0.0), 0.25]))
    assert around[1] - around[0] == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_allclose(PIECES.slope(x), PIECES.window(x, 1).jets[1])


@pytest.mark.parametrize("order", [0, 1, 2, 3])
def test_one_piece_can_be_seen_from_its_very_end(order):
    for p in (0, 1):
        row = PIECES.piece_row(p, 0.25, order)
        mine = slice(PIECES.offsets[p], PIECES.offsets[p] + PIECES.bases[p].size)
        assert np.array_equal(row[mine], derivatives(PIECES.bases[p], np.array([0.25]), order)[0])
        assert np.count_nonzero(row) == np.count_nonzero(row[mine])
