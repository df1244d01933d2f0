"""Where the error comes from kernels become denser, and where it does not they stay as they are.

The shares of the error are made up here: what one place may add to it is a tenth of the tolerance.
"""

import numpy as np
import pytest

from gated_xtfc.gates import Layer
from gated_xtfc.gates.coordinate import AxisCoordinates, Coordinate
from gated_xtfc.solver.rectangle.discretisation import _sharper
from gated_xtfc.solver.refine import PieceShares, density_factor, refine

TOL = 1e-8
LINE = Coordinate(0.0, 1.0, 1 / 80)  # 80 kernel widths
LAYERED = Coordinate(0.0, 1.0, 1 / 40, (Layer(0.3, 1e-4),))
COORDINATES = pytest.mark.parametrize("coordinate", [LINE, LAYERED], ids=["plain", "with a layer"])


def shared(coordinate: Coordinate, *unresolved: tuple[float, float], size: float = TOL) -> PieceShares:
    """Gaps half a width long, of which those inside the given parts of the coordinate add `size` to the error."""
    ends = np.linspace(0.0, coordinate.length, round(2 * coordinate.length) + 1)
    middle = 0.5 * (ends[1:] + ends[:-1])
    bad = np.zeros(middle.size, dtype=bool)
    for left, right in unresolved:
        bad |= (middle >= left) & (middle <= right)
    return PieceShares(ends[:-1], ends[1:], np.where(bad, size, 1e-6 * TOL))


def rise(before: Coordinate, after: Coordinate, at: np.ndarray) -> np.ndarray:
    """How much denser kernels became at places of the old coordinate."""
    x = before.inverse(at)
    return after.jets(x, 1)[1] / before.jets(x, 1)[1]


def refined(coordinate: Coordinate, *unresolved: tuple[float, float], size: float = TOL) -> Coordinate:
    ((after,),) = refine(((coordinate,),), [[shared(coordinate, *unresolved, size=size)]], TOL)
    return after


@COORDINATES
@pytest.mark.parametrize("place", [15.0, 30.2, 41.7])
def test_around_one_place_kernels_become_half_as_dense_again_and_far_away_they_stay(
    coordinate: Coordinate, place: float
) -> None:
    after = refined(coordinate, (place - 0.3, place + 0.3))
    # a soft block is only half open at its own edge: without padding it would do next to nothing
    assert rise(coordinate, after, np.array([place]))[0] >= 1.5
    away = np.concatenate([np.linspace(0, place - 15, 30), np.linspace(place + 15, coordinate.length, 30)])
    away = away[(away > 0) & (away < coordinate.length)]
    assert np.abs(rise(coordinate, after, away) - 1.0).max() <= 0.02


@COORDINATES
def test_inside_a_long_part_kernels_become_twice_as_dense(coordinate: Coordinate) -> None:
    after = refined(coordinate, (15.0, 30.0))
    inside = rise(coordinate, after, np.linspace(17.0, 28.0, 30))
    assert inside.min() >= 1.8
    assert inside.max() <= 2.0 + 1e-9


@COORDINATES
@pytest.mark.parametrize("gap", [1.0, 5.0, 5.5, 7.0, 9.0, 14.0])
def test_nowhere_do_kernels_become_more_than_twice_as_dense_in_one_round(coordinate: Coordinate, gap: float) -> None:
    after = refined(coordinate, (12.0, 16.0), (16.0 + gap, 20.0 + gap))
    assert rise(coordinate, after, np.linspace(0.0, coordinate.length, 400)).max() <= 2.05


@COORDINATES
def test_between_two_parts_that_are_far_apart_kernels_stay(coordinate: Coordinate) -> None:
    after = refined(coordinate, (8.0, 9.0), (38.0, 39.0))
    assert rise(coordinate, after, np.array([23.5]))[0] <= 1.02


@COORDINATES
@pytest.mark.parametrize(("part", "everywhere"), [(0.35, False), (0.6, True)])
def test_where_more_than_half_is_unresolved_everything_becomes_denser(
    coordinate: Coordinate, part: float, everywhere: bool
) -> None:
    after = refined(coordinate, (5.0, 5.0 + part * coordinate.length))
    assert (after.blocks == ()) is everywhere
    assert bool(rise(coordinate, after, np.array([coordinate.length - 1.0]))[0] >= 1.2) is everywhere


@COORDINATES
@pytest.mark.parametrize(("size", "resolved"), [(0.03, True), (0.3, False)])
def test_what_adds_less_than_a_tenth_of_the_tolerance_is_left_alone(
    coordinate: Coordinate, size: float, resolved: bool
) -> None:
    much, little = shared(coordinate, (10.0, 12.0)), shared(coordinate, (36.0, 38.0), size=size * TOL)
    shares = PieceShares(much.left, much.right, np.maximum(much.share, little.share))
    ((after,),) = refine(((coordinate,),), [[shares]], TOL)
    assert bool(rise(coordinate, after, np.array([37.0]))[0] <= 1.02) is resolved


def test_where_nothing_stands_out_the_largest_half_of_what_is_left_is_refined() -> None:
    small = 0.01 * TOL
    much, little = shared(LINE, (10.0, 12.0), size=small), shared(LINE, (36.0, 38.0), size=0.3 * small)
    shares = PieceShares(much.left, much.right, np.maximum(much.share, little.share))
    ((after,),) = refine(((LINE,),), [[shares]], TOL)
    first, second = rise(LINE, after, np.array([11.0, 37.0]))
    assert first >= 1.5
    assert second <= 1.02


def test_an_axis_that_resolves_its_part_stays_as_it_is() -> None:
    coordinates: tuple[AxisCoordinates, ...] = ((LINE,), (LAYERED,))
    x, y = refine(coordinates, [[shared(LINE, (10.0, 12.0))], [shared(LAYERED)]], TOL)
    assert x != (LINE,)
    assert y == (LAYERED,)


@pytest.mark.parametrize(("error", "factor"), [(1e-8, 9 / 8), (1e-6, 1.5), (1e-5, 1.8), (1e-3, 3.0)])
def test_everything_becomes_as_much_denser_as_spectral_convergence_asks_for(error: float, factor: float) -> None:
    # an error e becomes e^q with kernels q times as dense: here it is to become 1e-9
    assert density_factor(error, 1e-9) == pytest.approx(min(max(factor, 1.3), 2.0))


@pytest.mark.parametrize("end", [0, 1])
def test_at_the_end_of_an_axis_kernels_become_several_times_narrower_at_once(end: int) -> None:
    # what is unresolved there is often a corner's, which has no scale: doubling would take too many rounds
    before = Coordinate(0.0, 1.0, 1 / 40)
    part = (0.0, 1.0) if end == 0 else (before.length - 1.0, before.length)
    ((after,),) = refine(((before,),), [[shared(before, part)]], TOL, _sharper)
    x = np.array([before.left, before.right])
    grown = after.jets(x, 1)[1] / before.jets(x, 1)[1]
    assert 4.0 <= grown[end] <= 8.0
    assert grown[1 - end] <= 1.5


def test_away_from_its_ends_an_axis_gets_blocks() -> None:
    before = Coordinate(0.0, 1.0, 1 / 80)
    ((after,),) = refine(((before,),), [[shared(before, (30.0, 31.0))]], TOL, _sharper)
    assert after.layers == ()
    assert len(after.blocks) == 1


def test_a_long_part_at_an_end_is_not_a_corner_s() -> None:
    before = Coordinate(0.0, 1.0, 1 / 80)
    ((after,),) = refine(((before,),), [[shared(before, (0.0, 20.0))]], TOL, _sharper)
    assert after.layers == ()
    assert len(after.blocks) == 1
