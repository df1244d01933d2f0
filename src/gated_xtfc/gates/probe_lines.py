"""Arguments of functions along lines: where they pass zero, and where they come near it and turn back.

An interval is one line; a rectangle is looked at along several lines of each axis. All candidates are refined together:
a text of many terms is evaluated a few times, not a few times a term.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gated_xtfc.language.dual import Dual, Operand
from gated_xtfc.language.program import Watch
from gated_xtfc.types import Array, Index

ROUNDS = 220  # every fourth one halves: enough for the last bit, whatever the argument
SWITCHES = frozenset({"compare", "abs", "sign", "min", "max"})
POLES = frozenset({"div", "sqrt", "log", "log10", "root"})
FIELD = "a field"  # partial derivatives by this name show that one is in an argument
NEAR_ENOUGH = 1e-6  # of the thickness of a feature; switches and poles are found to the last bit

# Runs texts at points t of the lines with numbers `which`; the coordinate is a dual number, so slopes come along.
Run = Callable[[Array, Index, Watch], object]


@dataclass(frozen=True)
class Argument:
    """An argument along all lines, (lines, samples)."""

    operation: str
    value: Array
    slope: Array
    by_field: Array | float = 0.0  # its derivative by the fields, where texts are read along a solution


@dataclass(frozen=True)
class ProbeLines:
    """The lines along one axis on which texts are read."""

    name: str  # of the coordinate
    left: float
    right: float
    count: int
    run: Run

    def arguments(self, t: Array, which: Index) -> list[Argument]:
        """Every argument that depends on the axis alone, in the order of evaluation, (n,) each."""
        found: list[Argument] = []
        zero = np.zeros_like(t)

        def keep(operation: str, operand: Operand) -> None:
            if isinstance(operand, Dual) and self.name in operand.partials and not operand.has_field:
                slope, by_field = operand.partials[self.name], operand.partials.get(FIELD, 0.0)
                found.append(Argument(operation, zero + operand.value, zero + slope, zero + by_field))

        with np.errstate(all="ignore"):
            self.run(t, which, argument_watch(keep))
        return found

    def sampled(self, x: Array) -> dict[int, Argument]:
        """The arguments at samples x of every line, by their number; of those that are alike, one."""
        shape = self.count, x.size
        places = x if self.count == 1 else np.tile(x, self.count)
        every = self.arguments(places, np.arange(places.size) // x.size)
        # long texts repeat themselves
        once = {(a.operation, a.value.tobytes()): number for number, a in reversed([*enumerate(every)])}
        return {
            n: Argument(every[n].operation, every[n].value.reshape(shape), every[n].slope.reshape(shape))
            for n in sorted(once.values())
        }

    def at(self, numbers: Index, which: Index, places: Array) -> tuple[Array, Array]:
        """Value and slope of argument numbers[k] at places[k] of its line."""
        seen = self.arguments(places, which)
        value, slope = np.empty(places.size), np.empty(places.size)
        for n in {*numbers.tolist()}:
            own = numbers == n
            value[own], slope[own] = seen[n].value[own], seen[n].slope[own]
        return value, slope


def argument_watch(keep: Callable[[str, Operand], None]) -> Watch:
    """Hands every argument that can mark a feature to `keep`, with the name of the operation it goes into."""

    def watch(operation: str, operands: tuple[Operand, ...]) -> None:
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


def crossings(lines: ProbeLines, x: Array, looked: dict[int, Argument]) -> list[tuple[int, int, float, float]]:
    """Where arguments pass zero, to the last bit where they are linear: number, line, place, and the slope there."""
    found: list[tuple[int, int, float, float]] = []
    spots = []
    for number, argument in looked.items():
        zero, sign = argument.value == 0.0, np.sign(argument.value)
        for line, i in np.argwhere(zero).tolist():
            if np.count_nonzero(zero[line]) <= x.size // 4:  # zero on a whole interval marks no place
                found.append((number, line, float(x[i]), float(argument.slope[line, i])))
        spots += [(number, line, i) for line, i in np.argwhere(sign[:, 1:] * sign[:, :-1] < 0).tolist()]
    if not spots:
        return found
    who, which, cell = np.array(spots).T
    low, high = x[cell], x[cell + 1]
    at_low = np.array([np.sign(looked[n].value[line, i]) for n, line, i in spots])
    exact = np.array([looked[n].operation in SWITCHES | POLES for n, _, _ in spots])
    enough = np.where(exact, 0.0, NEAR_ENOUGH)
    place = bracketed_zeros(lambda x: lines.at(who, which, x), low, high, at_low, enough)
    _, slope = lines.at(who, which, place)
    return found + list(zip(who.tolist(), which.tolist(), place.tolist(), slope.tolist(), strict=True))


def bracketed_zeros(
    at: Callable[[Array], tuple[Array, Array]], low: Array, high: Array, sign_at_low: Array, enough: Array | float = 0.0
) -> Array:
    """Where functions pass zero between low and high, to the last bit, or to a value of at most `enough`.

    `at` gives values and slopes. Newton's steps, halving where they would leave the bracket.
    """
    place: Array = 0.5 * (low + high)
    for _ in range(ROUNDS):
        value, slope = at(place)
        below = np.sign(value) == sign_at_low
        low, high = np.where(below, place, low), np.where(below, high, place)
        with np.errstate(all="ignore"):
            step = place - value / slope
        following = np.where((step > low) & (step < high), step, 0.5 * (low + high))
        # a step that is no longer needed may lead anywhere, and one below the last bit out of the bracket
        there = (np.abs(step - place) <= np.spacing(np.abs(place))) & np.isfinite(slope)
        following = np.where((np.abs(value) <= enough) | ~np.isfinite(value) | there, place, following)
        settled = np.abs(following - place) <= 2.0 * np.spacing(np.abs(place))
        place = following
        if settled.all():
            break
    return place


def turning_places(
    lines: ProbeLines, x: Array, looked: dict[int, Argument]
) -> list[tuple[int, int, float, float, float]]:
    """Where arguments come near to zero and turn back: number, line, place, how near, second derivative there."""
    spots = [spot for number, argument in looked.items() for spot in _turns(number, argument)]
    if not spots:
        return []
    who, which, first, last = np.array(spots).T
    low, high = x[first], x[last]
    rate_low = np.array([looked[n].slope[line, i] for n, line, i, _ in spots])
    rate_high = np.array([looked[n].slope[line, j] for n, line, _, j in spots])
    place: Array = np.where(rate_high == 0.0, high, low)
    rate = np.where(rate_high == 0.0, rate_high, rate_low)
    pole = np.array([looked[n].operation in POLES for n in who.tolist()])
    moved_low = np.full(place.size, -1)  # which end of the bracket moved last; none yet
    for number in range(ROUNDS):
        # The slope of a parabola is straight: one secant finds its zero. An end that stays where it is has its slope
        # halved, so that secants come from both sides; every fourth step halves the bracket, whatever the argument.
        with np.errstate(all="ignore"):
            secant = low - rate_low * (high - low) / (rate_high - rate_low)
        inside = (secant > low) & (secant < high) & (number % 4 != 3)
        following = np.where(rate_high == 0.0, high, np.where(inside, secant, 0.5 * (low + high)))
        value, slope = lines.at(who, which, following)
        before = np.sign(slope) * np.sign(rate_low) > 0  # their product may overflow
        stays = np.where(before == moved_low, 0.5, 1.0)
        low, rate_low = np.where(before, following, low), np.where(before, slope, stays * rate_low)
        high, rate_high = np.where(before, high, following), np.where(before, stays * rate_high, slope)
        moved_low = before.astype(int)
        settled = (slope == 0.0) | (high - low <= 2.0 * np.spacing(np.abs(following)))
        # slope / bend from the place sought, whose thickness is sqrt(2 depth / bend)
        step, depth = np.abs(following - place), np.where(pole, np.abs(value), 1.0)
        with np.errstate(all="ignore"):
            settled |= slope**2 * step < NEAR_ENOUGH**2 * 2.0 * depth * np.abs(slope - rate)
        place, rate = following, slope
        if settled.all():
            break
    depth = np.abs(lines.at(who, which, place)[0])
    reach, bend = np.full_like(place, x[1] - x[0]), np.zeros_like(place)
    for _ in range(3):
        there = np.concatenate([place + reach, place - reach])
        rates = lines.at(np.tile(who, 2), np.tile(which, 2), there)[1]
        with np.errstate(all="ignore"):
            bend = np.abs(rates[: place.size] - rates[place.size :]) / (2.0 * reach)
            thickness = np.sqrt(2.0 * np.where(pole, depth, 1.0) / bend)
        nearer = (thickness > 0) & (0.1 * thickness < reach)
        if not nearer.any():
            break
        reach = np.where(nearer, 0.1 * thickness, reach)
    columns = who.tolist(), which.tolist(), place.tolist(), depth.tolist(), bend.tolist()
    return list(zip(*columns, strict=True))


def _turns(number: int, argument: Argument) -> list[tuple[int, int, int, int]]:
    """Number, line, and the samples between which an argument turns, or one sample twice where it turns just there."""
    sign, rise = np.sign(argument.value), np.sign(argument.slope)
    inward = sign * rise
    between = np.argwhere((inward[:, :-1] < 0) & (inward[:, 1:] > 0) & (sign[:, :-1] * sign[:, 1:] > 0))
    spots = [(number, line, i, i + 1) for line, i in between.tolist()]
    flat = rise == 0.0
    if flat.any():  # just at a sample: inward before it, outward behind it, as far as there are samples
        flat[:, 1:] &= inward[:, :-1] < 0
        flat[:, :-1] &= inward[:, 1:] > 0
        spots += [(number, line, i, i) for line, i in np.argwhere(flat).tolist()]
    return spots
