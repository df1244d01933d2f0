"""The coordinate of one smooth piece of an axis before anything is solved: gates read off the operator and the text.

The operator is looked at along lines of the axis, of which an interval has one; so are the texts.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from gated_xtfc.core import compiled
from gated_xtfc.errors import InputError
from gated_xtfc.gates import Block, Gate, Layer
from gated_xtfc.gates.coordinate import Coordinate
from gated_xtfc.gates.text import Reading
from gated_xtfc.operator import symbol
from gated_xtfc.operator.linearise import Linearisation, Operator
from gated_xtfc.operator.polynomials import NOTHING, Packed
from gated_xtfc.operator.singular import exponents, singular_inside, zeros_of_lead
from gated_xtfc.operator.symbol import LineOperator
from gated_xtfc.problem.domain import Axis
from gated_xtfc.types import Array

SAMPLES = np.linspace(0.0, 1.0, 65)
WIDTHS = 7.0  # kernel widths across a piece without features
# Kernel width at a gate, as a part of the layer's thickness, and grading:
EXPONENTIAL = (0.6, 0.35)
TURNING = (0.6, 0.17)  # Gaussian-like: it keeps its scale over several thicknesses
FEATURE = (0.4, 0.17)
# Of a gate that serves thicker layers as well: nothing is over where an exponential of its own thickness is.
SEVERAL, ALIKE = 0.25, 1.3
# With both equal the complex pole meets the branch point of the asinh: the feature becomes powers of 1/cosh.
POLE = (0.18, 0.18)
# Kernel width along a feature that follows no axis, as a part of its thickness.
SKEW, SKEW_POLE = 0.6, 0.25
WAVE = 2.0  # radians a kernel width resolves comfortably
WIDE = 64.0  # spacings of floating-point numbers: between fewer there is no room for a needle that counts
MOST_ORDER = 4  # that the compiled core reads modes of
DENSEST = 1e5  # factor of density that no prediction exceeds: a mode that is faster still belongs to a singular point


@dataclass(frozen=True)
class OperatorLine:
    """The operator of an interval along its one line."""

    operator: Operator

    def __call__(self, x: Array) -> Linearisation:
        return self.operator.evaluate((x,))

    def gates(self, x: Array, ends: tuple[float, float]) -> tuple[list[Layer], Array | None] | None:
        """What `_of_operator` finds, by the compiled core: layers, and the wave number at x where there are waves.

        It serves equations up to fourth order, linear or linearised about polynomials; None for others, and where
        something is out of the ordinary, such as a singular point.
        """
        operator = self.operator
        about, orders = _packed(operator.about), operator.orders
        few = min(orders) >= 1 and max(orders) <= MOST_ORDER and sum(orders) <= compiled.MOST_STATES
        programs = operator.programs if few and about is not None else None
        if programs is None or about is None or operator.problem.unknown or compiled.predict is None:
            return None
        found, wave = np.empty(6 + 2 * compiled.MOST_TURNING), np.empty(x.size)
        own = tuple([(code.codes, code.numbers, values) for code, values in programs])
        if not compiled.predict(orders, own, *ends, x, symbol.DISTANCES, found, wave, *about):
            return None
        left, left_quickens, right, right_quickens, peak, count, *turning = found.tolist()
        layers = [end_gate(ends[0], left, left_quickens > 0.0), end_gate(ends[1], right, right_quickens > 0.0)]
        if count:
            pairs = zip(turning[: 2 * int(count) : 2], turning[1::2], strict=False)
            layers += [gate(place, thickness, TURNING) for place, thickness in pairs]
        return layers, wave if peak > 0.0 else None


def _packed(about: Any) -> Packed | None:
    """What equations are linearised about, for the compiled core; None where it does not know such functions."""
    if about is None:
        return NOTHING
    return about.packed() if hasattr(about, "packed") else None


def predicted(
    axis: Axis,
    ends: tuple[float, float],
    lines: Sequence[LineOperator],
    readings: Sequence[Reading],
    given: Sequence[Gate] | None,
    seen: Iterable[Layer],
    refuse: Callable[[Array], object],
) -> Coordinate:
    """The coordinate between two ends, each an end of the axis or a break.

    `lines` have the operator along this axis, `readings` what its texts show. `given` gates take the place of the
    predicted ones; layers in `seen`, which a solution has shown, join them. `refuse` is called with the points at which
    an operator is not finite everywhere, and may raise.
    """
    left, right = ends
    length = right - left
    x = sampled(left, right, left == axis.left, right == axis.right)
    width = length / WIDTHS
    layers: list[Layer] = []
    wave: Array | None = None
    singular: tuple[float, ...] = ()
    # on a break a function may be infinite from one side: the pieces are asked apart
    inner = [end for end in ends if end not in (axis.left, axis.right)]
    poles = [place for reading in readings for place in reading.poles if place not in inner]
    for line in lines:
        found, number, places = _of_operator(line, x, ends, refuse, poles)
        layers += found
        singular += places
        if number is not None:
            wave = number if wave is None else np.maximum(wave, number)
    for reading in readings:
        layers += layers_of_text(reading, left, right)
        if reading.waves or reading.skews:
            wave = _waves(reading, x, np.zeros_like(x) if wave is None else wave)
    layers += [layer for layer in seen if left <= layer.location <= right]
    layers = [layer for layer in layers if layer.thickness < width]
    if given is not None:
        layers = [gate for gate in given if isinstance(gate, Layer) and left <= gate.location <= right]
    coordinate = Coordinate(left, right, width, merge(layers), singular=tuple(sorted(set(singular))))
    for block in () if given is None else given:
        if isinstance(block, Block) and block.left_x < right and block.right_x > left:
            span = coordinate(np.clip(np.array([block.left_x, block.right_x]), left, right))
            coordinate = coordinate.with_block(float(span[0]), float(span[1]), block.factor)
    return coordinate if wave is None else resolving_waves(x, wave, coordinate)


@lru_cache(64)
def sampled(left: float, right: float, from_end: bool, to_end: bool) -> Array:
    """Where the operator is looked at between two places; on a break, where coefficients jump, just inside of it."""
    length = right - left
    x = left + length * SAMPLES
    x[0] = left if from_end else left + 1e-9 * length
    x[-1] = right if to_end else right - 1e-9 * length
    x.setflags(write=False)
    return x


def _of_operator(
    line: LineOperator,
    x: Array,
    ends: tuple[float, float],
    refuse: Callable[[Array], object],
    poles: Sequence[float],
) -> tuple[list[Layer], Array | None, tuple[float, ...]]:
    """Gates that the modes of one line ask for, its wave number at x where it has waves, and its singular points.

    `poles` are places at which a coefficient may be infinite.
    """
    quick = line.gates(x, ends) if isinstance(line, OperatorLine) and not poles else None
    if quick is not None:
        return *quick, ()
    left, right = ends
    length = right - left
    # one call for the samples and for the approaches to both ends
    probes = np.concatenate([x, symbol.approach(left, 1, length), symbol.approach(right, -1, length)])
    probes = np.minimum(np.maximum(probes, x[0]), x[-1])
    linear = line(probes)
    if not linear.finite:
        refuse(probes)
        return [], np.zeros_like(x), ()
    every = linear.by_order
    roots = symbol.modes(every)
    count, step = x.size, symbol.DISTANCES.size
    coefficients = [[[a[:count] for a in jets] for jets in fields] for fields in every]
    from_left, from_right = roots[count : count + step], roots[count + step :]
    layers = [
        end_gate(left, *symbol.layer_thickness(from_left, 1, length, left)),
        end_gate(right, *symbol.layer_thickness(from_right, -1, length, right)),
    ]
    places = {*zeros_of_lead(line, x, coefficients), *(place for place in poles if left < place < right)}
    inside = singular_inside(line, sorted(places), left, right)
    at_ends = [end for end, near in ((left, from_left), (right, from_right)) if symbol.is_singular(near, end, length)]
    singular = tuple({*at_ends, *inside, *(place for place in poles if place in ends)})
    for place in symbol.turning_points(line, x, coefficients):
        reach = 2.0 * min(place - float(x[0]), float(x[-1]) - place)
        layers.append(gate(place, symbol.layer_at(line, place, reach), TURNING))
    layers += [gate(place, distance, POLE) for place, distance in symbol.near_zeros_of_lead(line, x, coefficients)]
    wave = symbol.wave_number(roots[:count])
    for place in singular:  # less than a wave between here and there is a power of the distance
        wave = np.where(np.abs(roots[:count]).max(axis=1) * np.abs(x - place) < WAVE, 0.0, wave)
    return layers, wave, singular


def layers_of_text(reading: Reading, left: float, right: float) -> list[Layer]:
    """Gates for the features of the text between two places."""
    layers = []
    for feature in reading.features:
        # one that stands on a break, but for rounding, belongs to the pieces on both sides
        near = WIDE * float(np.spacing(abs(feature.location)))
        place = next((end for end in (left, right) if abs(feature.location - end) <= near), feature.location)
        if left <= place <= right:
            at_end = place in (left, right)
            shape = POLE if feature.pole else EXPONENTIAL if at_end else FEATURE
            layers.append(gate(place, feature.thickness, shape))
    return layers


def _waves(reading: Reading, x: Array, wave: Array) -> Array:
    """The wave number at x with what the text adds to it."""
    for at, number in reading.waves:
        wave = np.maximum(wave, np.interp(x, at, number))
    for skew in reading.skews:
        inside = (x >= skew.left - skew.thickness) & (x <= skew.right + skew.thickness)
        narrow = (SKEW_POLE if skew.pole else SKEW) * skew.thickness
        wave = np.where(inside, np.maximum(wave, WAVE / narrow), wave)
    return wave


def distinct_breaks(breaks: tuple[float, ...], left: float, right: float) -> list[float]:
    """Breaks without those that differ from another one, or from an end, by rounding alone."""
    kept = [left]
    least = 1e-12 * (right - left)
    for place in breaks:
        gap = max(least, 64.0 * float(np.spacing(abs(place))))
        if place - kept[-1] > gap and right - place > gap:
            kept.append(place)
    return kept[1:]


def end_gate(location: float, thickness: float, quickens: bool) -> Layer:
    """The gate at an end; `quickens` says that the layer decays like a Gaussian rather than an exponential."""
    return gate(location, thickness, TURNING if quickens else EXPONENTIAL)


def gate(location: float, thickness: float, shape: tuple[float, float]) -> Layer:
    """The gate for a layer of that thickness, but no thinner than the numbers there can tell apart."""
    return Layer(location, max(shape[0] * thickness, thinnest_resolvable(location)), shape[1])


def thinnest_resolvable(location: float) -> float:
    """Four times the spacing of floating-point numbers there: narrower kernels would have sites at equal numbers."""
    return 4.0 * math.ulp(math.nextafter(abs(location), 0.0))


def merge(layers: list[Layer]) -> tuple[Layer, ...]:
    """Drops gates that a thinner one resolves anyway: its kernels are no wider than `grading` times the distance."""
    if len(layers) < 2:
        return tuple(layers)
    kept: list[Layer] = []
    for layer in sorted(layers, key=lambda layer: (layer.thickness, layer.grading)):
        for i, other in enumerate(kept):
            distance = abs(other.location - layer.location)
            if max(other.thickness, other.grading * distance) <= 1.2 * layer.thickness:
                if layer.thickness < 3.0 * other.thickness and layer.grading < other.grading:
                    kept[i] = Layer(other.location, other.thickness, layer.grading)
                elif layer.thickness > ALIKE * other.thickness and other.grading > SEVERAL:
                    kept[i] = Layer(other.location, other.thickness, SEVERAL)
                break
        else:
            kept.append(layer)
    return tuple(sorted(kept, key=lambda layer: layer.location))


def resolving_waves(x: Array, wave: Array, coordinate: Coordinate) -> Coordinate:
    """Denser where the modes or the source oscillate: everywhere, or on soft blocks."""
    if wave.max() * coordinate.width <= WAVE:
        return coordinate
    need = np.minimum(wave / (WAVE * coordinate.jets(x, 1)[1]), DENSEST)
    if need.max() <= 1.0:
        return coordinate
    if np.mean(need > 0.4 * need.max()) > 0.7:
        return replace(coordinate, width=coordinate.width / float(need.max()))
    inside = np.concatenate([[False], need > 1.0, [False]])
    starts, stops = np.flatnonzero(inside[1:] & ~inside[:-1]), np.flatnonzero(~inside[1:] & inside[:-1]) - 1
    for a, b in zip(starts, stops, strict=True):
        span = coordinate(np.array([x[max(int(a) - 1, 0)], x[min(int(b) + 1, x.size - 1)]]))
        coordinate = coordinate.with_block(float(span[0]), float(span[1]), float(need[a : b + 1].max()))
    return coordinate


def refuse_undecided(axis: Axis, undecided: tuple[tuple[float, float], ...]) -> None:
    """What could hide a needle, and is too much to look through, is not taken for smooth."""
    for start, end in undecided:
        if end - start > WIDE * float(np.spacing(max(abs(start), abs(end)))):
            raise InputError(
                f"the equation changes too fast between {axis.name} = {start:.6g} and {end:.6g} to show that nothing "
                "is hidden there: smooth it, or leave that part out of the domain"
            )


def refuse_poles(operator: Operator, poles: tuple[float, ...]) -> None:
    """Inside of the domain a source must be finite, and an operator singular only as powers of the distance are."""
    (axis,) = operator.problem.axes
    for place in poles:
        if not axis.left < place < axis.right:
            continue
        reach = 1e-3 * (axis.right - axis.left) * np.array([1.0, 1e-2, 1e-4])
        x = np.concatenate([place - reach, place + reach])
        x = x[(x > axis.left) & (x < axis.right)]
        linear = operator.evaluate((x,))
        close, away = np.abs(x - place) < 2.0 * reach[2], np.abs(x - place) > 0.5 * reach[0]
        coefficients = [a for fields in linear.by_order for jets in fields for a in jets]
        source, operators = (any(_grows(a, close, away) for a in some) for some in (linear.source, coefficients))
        sides = operators and [exponents(lambda x: operator.evaluate((x,)), place, s, reach[0]) for s in (-1, 1)]
        if (source and not operators) or (sides and None in sides):
            raise InputError(
                f"the equation is singular at {axis.name} = {place:.6g}, where a divisor passes zero: "
                "leave that point out of the domain"
            )


def _grows(what: Array, close: Array, away: Array) -> bool:
    """Whether something is much larger close to a place than away from it."""
    size = np.abs(what)
    return bool(close.any() and away.any() and size[close].max() > 20.0 * max(float(size[away].max()), 1e-300))
