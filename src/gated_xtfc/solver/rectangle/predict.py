"""Gates for both axes before anything is solved: read off the operator on lines across, the text, and the sides' data.

On a line along x the operator is a_20 d_xx + a_10 d_x + a_00, whose modes make exponential layers where the flow leaves
and reaction layers at both ends. Where the flow runs along a side instead, a_01 u_y changes over the length of
the rectangle: a_20 d_xx - |a_01|/length makes the parabolic layers, as thick as the root of the diffusion.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from gated_xtfc.gates import Block, Gate, Layer
from gated_xtfc.gates.coordinate import Coordinate
from gated_xtfc.gates.plane_text import PlaneReading, of_equation, of_side, read
from gated_xtfc.gates.predict import (
    EXPONENTIAL,
    FEATURE,
    POLE,
    SAMPLES,
    TURNING,
    WAVE,
    WIDTHS,
    apart,
    end_gate,
    gate,
    merge,
    waved,
)
from gated_xtfc.operator import linearise, symbol
from gated_xtfc.operator.linearise import Operator
from gated_xtfc.operator.plane_operator import PlaneOperator
from gated_xtfc.solver.rectangle.corners import corner_layers
from gated_xtfc.types import Array

LINES = np.array([0.0, 0.07, 0.21, 0.38, 0.5, 0.67, 0.83, 0.94, 1.0])  # irregular, so that no wave is missed
MOST_LINES = 40
# Kernel width along a feature that follows no axis, as a part of its thickness.
SKEW, SKEW_POLE = 0.6, 0.25
Coordinates = tuple[Coordinate, ...]


@dataclass(frozen=True)
class LineOperator(Operator):
    """The operator along one axis, where the other coordinate is fixed; `drift` is what flow across adds to a_0."""

    plane: PlaneOperator | None = None
    axis: int = 0
    fixed: float = 0.0
    across: float = 0.0  # one over the length across, or zero to leave the flow across out

    def evaluate(self, x: Array) -> linearise.Linear:
        assert self.plane is not None
        at = np.array([self.fixed])
        linear = self.plane(*((x, at) if self.axis == 0 else (at, x)))
        found = {o: np.broadcast_to(a, linear.source.shape).ravel() for o, a in linear.coefficients.items()}
        zero = np.zeros_like(x)
        jets = [found.get(self._orders(j), zero) for j in range(3)]
        flow = found.get(self._orders(1)[::-1], zero)
        jets[0] = jets[0] - np.sign(jets[2]) * np.abs(flow) * self.across
        return linearise.Linear([[jets]], [linear.source.ravel()], [[]])

    def _orders(self, j: int) -> tuple[int, int]:
        return (j, 0) if self.axis == 0 else (0, j)


def predict(
    operator: PlaneOperator,
    tol: float,
    given: Sequence[Iterable[Gate] | None] = (None, None),
    seen: Sequence[Iterable[Layer]] = ((), ()),
) -> tuple[Coordinates, Coordinates]:
    """The first coordinates of both axes; given gates stand in for the predicted ones, `seen` ones join them."""
    lines = [axis.left + axis.length * LINES for axis in operator.problem.axes]
    readings = _read(operator, lines)
    layers = [list(part) for part in seen]

    def coordinates() -> tuple[Coordinates, Coordinates]:
        parts = [_coordinates(operator, k, readings[k], lines[1 - k], given[k], tuple(layers[k])) for k in (0, 1)]
        return parts[0], parts[1]

    found = coordinates()
    more = corner_layers(operator, found, tol)
    if not any(more):
        return found
    for part, corners in zip(layers, more, strict=True):
        part += corners
    return coordinates()


def _read(operator: PlaneOperator, lines: Sequence[Array]) -> list[list[PlaneReading]]:
    """What the texts say along each axis."""
    readings: list[list[PlaneReading]] = [[], []]
    if operator.problem.equation.is_text:
        first = [read(of_equation(operator, axis, lines[1 - axis])) for axis in (0, 1)]
        for axis in (0, 1):
            # along the lines on which the other axis has something to show
            other = first[1 - axis]
            places = [*other.turns, *(f.location for f in other.features), *_middles(other)]
            more = np.array(sorted(set(places))[:MOST_LINES])
            readings[axis] = [first[axis]] + ([read(of_equation(operator, axis, more))] if more.size else [])
    for side in operator.problem.sides:
        if not side.homogeneous:
            readings[1 - side.place[0]].append(read(of_side(side)))
    return readings


def _middles(reading: PlaneReading) -> list[float]:
    return [0.5 * (skew.left + skew.right) for skew in reading.skews]


def _coordinates(
    operator: PlaneOperator,
    axis: int,
    readings: list[PlaneReading],
    lines: Array,
    given: Iterable[Gate] | None,
    seen: tuple[Layer, ...],
) -> Coordinates:
    here = operator.problem.axes[axis]
    breaks = apart(tuple(sorted({place for r in readings for place in r.breaks})), here.left, here.right)
    gates = None if given is None else tuple(given)
    ends = [here.left, *breaks, here.right]
    return tuple(_piece(operator, axis, readings, lines, gates, seen, a, b) for a, b in pairwise(ends))


def _piece(
    operator: PlaneOperator,
    axis: int,
    readings: list[PlaneReading],
    lines: Array,
    given: tuple[Gate, ...] | None,
    seen: tuple[Layer, ...],
    left: float,
    right: float,
) -> Coordinate:
    length = right - left
    x = left + length * SAMPLES
    x[0], x[-1] = left + 1e-9 * length, right - 1e-9 * length
    width = length / WIDTHS
    layers = [layer for layer in seen if left <= layer.location <= right]
    wave = np.zeros_like(x)
    for line in _lines(operator, axis, lines, x):
        found, waves = _symbol(line, x, left, right)
        layers += found
        wave = np.maximum(wave, waves)
    for reading in readings:
        for feature in reading.features:
            if left <= feature.location <= right:
                at_end = feature.location in (left, right)
                shape = POLE if feature.pole else EXPONENTIAL if at_end else FEATURE
                layers.append(gate(feature.location, feature.thickness, shape))
        for at, number in reading.waves:
            wave = np.maximum(wave, np.interp(x, at, number))
        for skew in reading.skews:
            inside = (x >= skew.left - skew.thickness) & (x <= skew.right + skew.thickness)
            narrow = (SKEW_POLE if skew.pole else SKEW) * skew.thickness
            wave = np.where(inside, np.maximum(wave, WAVE / narrow), wave)
    if given is None:
        kept = merge([layer for layer in layers if layer.thickness < width])
    else:
        kept = merge([g for g in given if isinstance(g, Layer) and left <= g.location <= right])
    coordinate = Coordinate(left, right, width, kept)
    for block in () if given is None else given:
        if isinstance(block, Block) and block.left_x < right and block.right_x > left:
            span = coordinate(np.clip(np.array([block.left_x, block.right_x]), left, right))
            coordinate = coordinate.with_block(float(span[0]), float(span[1]), block.factor)
    return waved(x, wave, coordinate)


def _lines(operator: PlaneOperator, axis: int, lines: Array, x: Array) -> list[LineOperator]:
    """Lines on which the operator differs, each with and without the flow across it."""
    linear = operator(*((x, lines) if axis == 0 else (lines, x)))
    varies = any(a.shape[1 - axis] > 1 for a in linear.coefficients.values())
    across = 1.0 / operator.problem.axes[1 - axis].length
    flows = ((0, 1) if axis == 0 else (1, 0)) in linear.coefficients
    return [
        LineOperator(operator.problem, plane=operator, axis=axis, fixed=float(fixed), across=part)
        for fixed in (lines if varies else lines[:1])
        for part in ((0.0, across) if flows else (0.0,))
    ]


def _symbol(line: LineOperator, x: Array, left: float, right: float) -> tuple[list[Layer], Array]:
    """Gates that the modes of one line ask for, and its wave number at x."""
    length = right - left
    probes = np.concatenate([x, symbol.approach(left, 1, length), symbol.approach(right, -1, length)])
    every = line.evaluate(np.clip(probes, x[0], x[-1])).coefficients
    if not all(np.isfinite(a).all() for a in every[0][0]):
        return [], np.zeros_like(x)
    roots = symbol.modes(every)
    count, step = x.size, symbol.DISTANCES.size
    coefficients = [[[a[:count] for a in every[0][0]]]]
    layers = [
        end_gate(left, *symbol.thickness(roots[count : count + step], 1, length)),
        end_gate(right, *symbol.thickness(roots[count + step :], -1, length)),
    ]
    for place in symbol.turning_points(line, x, coefficients):
        reach = 2.0 * min(place - left, right - place)
        layers.append(gate(place, symbol.layer_at(line, place, reach), TURNING))
    layers += [gate(place, distance, POLE) for place, distance in symbol.weak_points(line, x, coefficients)]
    return layers, symbol.wave_number(roots[:count])
