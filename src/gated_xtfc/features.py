"""What the text itself knows: sharp features of coefficients and sources, found where an argument passes or
nears zero.

An argument a(x) of a function marks a feature where it passes zero, of thickness 1/|a'|; of a quotient or a
root where it comes close to zero without reaching it, of thickness sqrt(2 |a| / |a''|), the distance of the
complex root. Comparisons, abs, sign, min and max break the domain where they switch. No sampling of the values
themselves would see a needle.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from gated_xtfc.arrays import Array
from gated_xtfc.field import Dual
from gated_xtfc.linearise import Operator

SAMPLES = np.linspace(0.0, 1.0, 97)
ALGEBRAIC = 1e-6
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
    poles: tuple[float, ...]  # where a divisor passes zero
    waves: tuple[tuple[Array, Array], ...]  # sampled x and wave number |a'|


@dataclass(frozen=True)
class Argument:
    operation: str
    value: Array
    slope: Array


def read(operator: Operator, left: float, right: float) -> Reading:
    """Features of the equation's text between left and right."""
    x = left + (right - left) * SAMPLES
    x[-1] = right
    seen = _arguments(operator, x)
    features: list[Feature] = []
    breaks: list[float] = []
    poles: list[float] = []
    waves = []
    for number, argument in enumerate(seen):
        if argument.operation in WAVES:
            waves.append((x, np.abs(argument.slope)))
            continue
        if argument.operation not in SWITCHES and np.count_nonzero(np.diff(np.sign(argument.value))) > MANY:
            waves.append((x, np.abs(argument.slope)))  # a feature everywhere is a wave
            continue
        probe = _Probe(operator, number)
        for place in _crossings(probe, x, argument.value):
            if argument.operation in SWITCHES:
                breaks.append(place)
            elif argument.operation in POLES:
                poles.append(place)
                if place in (left, right):
                    # a root or logarithm that ends here: algebraic, so graded down to where its error no longer counts
                    features.append(Feature(place, ALGEBRAIC * (right - left), True))
            else:
                slope = abs(probe(place)[1])
                reach = POLE_FUNCTIONS.get(argument.operation)
                features.append(Feature(place, (reach or 1.0) / slope if slope > 0 else np.inf, reach is not None))
        if argument.operation not in SWITCHES:
            features.extend(_approaches(probe, x, argument))
    inner = sorted({b for b in breaks if left < b < right})
    found = tuple(f for f in features if np.isfinite(f.thickness) and f.thickness > 0)
    return Reading(found, tuple(inner), tuple(sorted(set(poles))), tuple(waves))


class _Probe:
    """One argument of the text as a function of x: value and slope."""

    def __init__(self, operator: Operator, number: int) -> None:
        self.operator, self.number = operator, number

    def __call__(self, x: float) -> tuple[float, float]:
        argument = _arguments(self.operator, np.array([x]))[self.number]
        return float(argument.value[0]), float(argument.slope[0])


def _arguments(operator: Operator, x: Array) -> list[Argument]:
    """The arguments that depend on x alone, in the order in which the text is evaluated."""
    name = operator.problem.axis.name
    found: list[Argument] = []

    def keep(operation: str, operand: Any) -> None:
        if isinstance(operand, Dual) and name in operand.partials and not operand.fielded:
            zero = np.zeros_like(x)
            found.append(Argument(operation, zero + operand.value, zero + operand.partials[name]))

    def watch(operation: str, operands: tuple[Any, ...]) -> None:
        if operation == "div":
            keep("div", operands[1])
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

    with np.errstate(all="ignore"):
        operator.residuals(Dual(x, {name: 1.0}), watch=watch)
    return found


def _crossings(probe: _Probe, x: Array, value: Array) -> list[float]:
    """Where the argument passes zero, to the last bit where it is linear."""
    zero = value == 0.0
    if np.count_nonzero(zero) > SAMPLES.size // 4:
        return []  # zero on a whole interval marks no place
    found = [float(place) for place in x[zero]]
    sign = np.sign(value)
    for i in np.flatnonzero(sign[1:] * sign[:-1] < 0):
        found.append(_root(lambda at: probe(at), float(x[i]), float(x[i + 1]), float(value[i])))
    return found


def _root(function: Any, low: float, high: float, at_low: float) -> float:
    """A sign change between low and high: Newton inside a shrinking bracket, to a few units in the last place."""
    place = 0.5 * (low + high)
    for _ in range(100):
        value, slope = function(place)
        if value == 0.0 or not np.isfinite(value):
            return place
        if (value > 0) == (at_low > 0):
            low = place
        else:
            high = place
        step = place - value / slope if slope != 0 and np.isfinite(slope) else np.nan
        following = float(step) if low < step < high else 0.5 * (low + high)
        if abs(following - place) <= 2.0 * np.spacing(abs(place)):
            return following
        place = following
    return place


def _approaches(probe: _Probe, x: Array, argument: Argument) -> list[Feature]:
    """Where the argument comes close to zero and turns back."""
    value, slope = argument.value, argument.slope
    inward = np.sign(value) * np.sign(slope)
    turns = np.flatnonzero((inward[:-1] < 0) & (inward[1:] > 0) & (value[:-1] * value[1:] > 0))
    spots = [(float(x[i]), float(x[i + 1]), float(slope[i])) for i in turns]
    step = float(x[1] - x[0])
    # a turn exactly on a sample
    spots += [(float(x[i]), float(x[i]), 0.0) for i in np.flatnonzero(slope == 0.0)]
    found = []
    for low, high, at_low in spots:
        place = (
            low if low == high else _root(lambda at: (probe(at)[1], _bend(probe, at, 0.01 * step)), low, high, at_low)
        )
        depth = abs(probe(place)[0])
        reach = step
        thickness = np.inf
        for _ in range(3):
            bend = abs(_bend(probe, place, reach))
            # for poles the distance of the complex root, otherwise the distance over which the argument changes by one
            size = depth if argument.operation in POLES else 1.0
            thickness = float(np.sqrt(2.0 * size / bend)) if bend > 0 else np.inf
            reach = min(reach, 0.1 * thickness) if thickness > 0 else reach
        if argument.operation in POLES or depth < 30.0:
            found.append(Feature(place, thickness, argument.operation in POLES))
    return found


def _bend(probe: _Probe, at: float, reach: float) -> float:
    return (probe(at + reach)[1] - probe(at - reach)[1]) / (2.0 * reach)
