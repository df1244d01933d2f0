"""What the text itself knows: sharp features of coefficients and sources, found where an argument passes or nears zero.

An argument a(x) of a function marks a feature where it passes zero, of thickness 1/|a'|; of a quotient or a root where
it comes close to zero without reaching it, of thickness sqrt(2 |a| / |a''|), the distance of the complex root.
Comparisons, abs, sign, min and max break the domain where they switch. No sampling of the values themselves would
see a needle. All candidates are refined together: a text of many terms is read a few times, not a few times a term.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from gated_xtfc.language.field import Dual
from gated_xtfc.language.program import Watch
from gated_xtfc.operator.linearise import Operator
from gated_xtfc.types import Array, Index

SAMPLES = np.linspace(0.0, 1.0, 97)
ALGEBRAIC = 1e-6  # thickness of the end of a root, as a part of the domain: its error no longer counts there
MANY = 8  # zeros of one argument beyond which it counts as a wave
SWITCHES = frozenset({"compare", "abs", "sign", "min", "max"})
WAVES = frozenset({"sin", "cos"})
POLES = frozenset({"div", "sqrt", "log", "log10", "root"})
# Functions whose singularities in the complex plane are poles or branch points at the distance of the thickness.
POLE_FUNCTIONS = {"tanh": 0.5 * np.pi, "atan": 1.0, "arctan": 1.0}


@dataclass(frozen=True)
class Feature:
    location: float
    thickness: float
    pole: bool = False  # whether the thickness is the distance of a complex pole


@dataclass(frozen=True)
class Reading:
    features: tuple[Feature, ...]
    breaks: tuple[float, ...]
    poles: tuple[float, ...]  # where a divisor passes or touches zero
    waves: tuple[tuple[Array, Array], ...]  # sampled x and wave number |a'|


@dataclass(frozen=True)
class Argument:
    operation: str
    value: Array
    slope: Array


def read(operator: Operator, left: float, right: float) -> Reading:
    """Features of the texts between left and right."""
    x = left + (right - left) * SAMPLES
    x[-1] = right
    seen = _arguments(operator, x)
    waves, looked = [], []
    for number, argument in enumerate(seen):
        swings = np.count_nonzero(np.diff(np.sign(argument.value)))
        if argument.operation in WAVES or (argument.operation not in SWITCHES and swings > MANY):
            waves.append((x, np.abs(argument.slope)))  # a feature everywhere is a wave
        else:
            looked.append(number)
    features: list[Feature] = []
    breaks: list[float] = []
    poles: list[float] = []
    for number, place, slope in _crossings(operator, x, seen, looked):
        operation = seen[number].operation
        if operation in SWITCHES:
            breaks.append(place)
        elif operation in POLES:
            poles.append(place)
            if place in (left, right):
                features.append(Feature(place, ALGEBRAIC * (right - left), True))
        elif slope != 0.0:
            reach = POLE_FUNCTIONS.get(operation)
            features.append(Feature(place, (reach or 1.0) / abs(slope), reach is not None))
    for number, place, depth, bend in _turns(operator, x, seen, looked):
        pole = seen[number].operation in POLES
        if not bend > 0.0 or not (pole or depth < 30.0):
            continue
        # for poles the distance of the complex root, otherwise the distance over which the argument changes by one
        thickness = float(np.sqrt(2.0 * (depth if pole else 1.0) / bend))
        if pole and thickness <= 4.0 * np.spacing(abs(place)):
            poles.append(place)  # a divisor that touches zero
        else:
            features.append(Feature(place, thickness, pole))
    features.extend(_beyond(seen, looked, left, right))
    inner = tuple(sorted({place for place in breaks if left < place < right}))
    found = tuple(f for f in features if np.isfinite(f.thickness) and f.thickness > 0)
    return Reading(found, inner, tuple(sorted(set(poles))), tuple(waves))


def _arguments(operator: Operator, x: Array) -> list[Argument]:
    """The arguments that depend on x alone, in the order in which the texts are evaluated."""
    name = operator.problem.axis.name
    found: list[Argument] = []

    def keep(operation: str, operand: Any) -> None:
        if isinstance(operand, Dual) and name in operand.partials and not operand.fielded:
            zero = np.zeros_like(x)
            found.append(Argument(operation, zero + operand.value, zero + operand.partials[name]))

    watch = listening(keep)
    with np.errstate(all="ignore"):
        seed = Dual(x, {name: 1.0})
        operator.residuals(seed, watch=watch)
        for condition in operator.problem.conditions:
            for integral in condition.integrals:
                integral.linearised(seed, watch)
    return found


def listening(keep: Callable[[str, Any], None]) -> Watch:
    """Hands every argument that can mark a feature to `keep`, with the name of the operation it goes into."""

    def watch(operation: str, operands: tuple[Any, ...]) -> None:
        if operation == "div":
            keep("div", operands[1])
        elif operation == "tan" and isinstance(operands[0], Dual):
            keep("div", operands[0].apply("cos"))
        elif operation == "pow":
            exponent = operands[1]
            whole = not isinstance(exponent, Dual) and float(exponent) >= 0 and float(exponent).is_integer()
            keep("pow" if whole else "root", operands[0])
            keep("exp", exponent)
        elif operation in ("compare", "min", "max"):
            for other in operands[1:]:
                keep(operation, operands[0] - other)
        else:
            keep(operation, operands[0])

    return watch


def _at(operator: Operator, numbers: Index, places: Array) -> tuple[Array, Array]:
    """Value and slope of argument numbers[k] at places[k]."""
    seen = _arguments(operator, places)
    k = np.arange(places.size)
    return (
        np.array([seen[n].value[i] for n, i in zip(numbers, k, strict=True)]),
        np.array([seen[n].slope[i] for n, i in zip(numbers, k, strict=True)]),
    )


def closer(
    place: Array, value: Array, slope: Array, low: Array, high: Array, at_low: Array
) -> tuple[Array, Array, Array]:
    """One Newton step towards a zero between low and high, halving where it would leave them; and the new ends."""
    below = np.sign(value) == at_low
    low, high = np.where(below, place, low), np.where(below, high, place)
    with np.errstate(all="ignore"):
        step = place - value / slope
    following = np.where((step > low) & (step < high), step, 0.5 * (low + high))
    return np.where((value == 0.0) | ~np.isfinite(value), place, following), low, high


def _crossings(
    operator: Operator, x: Array, seen: list[Argument], looked: list[int]
) -> Iterator[tuple[int, float, float]]:
    """Where arguments pass zero, to the last bit where they are linear, with their slopes there."""
    numbers, lows, highs, signs = [], [], [], []
    for number in looked:
        value, sign = seen[number].value, np.sign(seen[number].value)
        zero = np.flatnonzero(value == 0.0)
        if zero.size <= x.size // 4:  # zero on a whole interval marks no place
            yield from ((number, float(x[i]), float(seen[number].slope[i])) for i in zero)
        for i in np.flatnonzero(sign[1:] * sign[:-1] < 0):
            numbers.append(number)
            lows.append(x[i])
            highs.append(x[i + 1])
            signs.append(sign[i])
    if not numbers:
        return
    who, low, high, at_low = np.array(numbers), np.array(lows), np.array(highs), np.array(signs)
    place = 0.5 * (low + high)
    for _ in range(60):
        value, slope = _at(operator, who, place)
        following, low, high = closer(place, value, slope, low, high, at_low)
        settled = np.abs(following - place) <= 2.0 * np.spacing(np.abs(place))
        place = following
        if settled.all():
            break
    _, slope = _at(operator, who, place)
    yield from zip(numbers, place.tolist(), slope.tolist(), strict=True)


def _turns(
    operator: Operator, x: Array, seen: list[Argument], looked: list[int]
) -> Iterator[tuple[int, float, float, float]]:
    """Where arguments come close to zero and turn back: the place, how close, and the second derivative there."""
    numbers, lows, highs = [], [], []
    for number in looked:
        if seen[number].operation in SWITCHES:
            continue
        sign, rise = np.sign(seen[number].value), np.sign(seen[number].slope)
        inward = sign * rise
        spots = np.flatnonzero((inward[:-1] < 0) & (inward[1:] > 0) & (sign[:-1] * sign[1:] > 0))
        exact = np.flatnonzero(rise == 0.0)
        if exact.size > x.size // 4:
            continue
        for i, j in [*zip(spots, spots + 1, strict=True), *zip(exact, exact, strict=True)]:
            numbers.append(number)
            lows.append(x[i])
            highs.append(x[j])
    if not numbers:
        return
    who, low, high = np.array(numbers), np.array(lows), np.array(highs)
    for _ in range(60):
        place: Array = 0.5 * (low + high)
        value, slope = _at(operator, who, place)
        before = np.sign(value) * slope < 0
        low, high = np.where(before, place, low), np.where(before, high, place)
        low, high = np.where(slope == 0.0, place, low), np.where(slope == 0.0, place, high)
        if np.all(high - low <= 2.0 * np.spacing(np.abs(place))):
            break
    place = 0.5 * (low + high)
    depth = np.abs(_at(operator, who, place)[0])
    reach = np.full_like(place, x[1] - x[0])
    bend = np.zeros_like(place)
    for _ in range(3):
        slopes = _at(operator, np.tile(who, 2), np.concatenate([place + reach, place - reach]))[1]
        bend = np.abs(slopes[: place.size] - slopes[place.size :]) / (2.0 * reach)
        pole = np.array([seen[number].operation in POLES for number in numbers])
        with np.errstate(all="ignore"):
            thickness = np.sqrt(2.0 * np.where(pole, depth, 1.0) / bend)
        reach = np.where((thickness > 0) & np.isfinite(thickness), np.minimum(reach, 0.1 * thickness), reach)
    yield from zip(numbers, place.tolist(), depth.tolist(), bend.tolist(), strict=True)


def _beyond(seen: list[Argument], looked: list[int], left: float, right: float) -> Iterator[Feature]:
    """Divisors and roots that would pass zero just outside an end, at the distance |a / a'|."""
    for number in looked:
        argument = seen[number]
        if argument.operation not in POLES:
            continue
        for end, i, side in ((left, 0, 1.0), (right, -1, -1.0)):
            value, slope = float(argument.value[i]), float(argument.slope[i])
            if value != 0.0 and slope != 0.0 and 0.0 < side * value / slope < right - left:
                yield Feature(end, side * value / slope, True)
