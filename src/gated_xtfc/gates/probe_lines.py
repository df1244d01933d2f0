"""Arguments of functions along a bundle of lines: where they pass zero, and where they come near it and turn back."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gated_xtfc.gates.text import POLES, SWITCHES, closer, listening
from gated_xtfc.language.dual import Dual
from gated_xtfc.language.program import Watch
from gated_xtfc.types import Array, Index

ROUNDS = 40
CLOSE = 1e-6  # an argument this close to zero has passed it, as far as a feature is concerned
EXACT = 1e-9  # of a sample's distance: how well a place is known where an argument turns

# Runs texts at points t on the lines numbered `which`, with t as a dual number that is seeded by its name.
Run = Callable[[Array, Index, Watch], Any]


@dataclass(frozen=True)
class Sampled:
    """An argument along all lines, (lines, samples)."""

    operation: str
    value: Array
    slope: Array


@dataclass(frozen=True)
class Bundle:
    """The lines along one axis on which texts are read."""

    name: str
    left: float
    right: float
    lines: int
    run: Run

    def arguments(self, t: Array, which: Index) -> list[tuple[str, Array, Array]]:
        """(operation, value, slope) of every argument that depends on the axis, in the order of evaluation."""
        found: list[tuple[str, Array, Array]] = []
        zero = np.zeros_like(t)

        def keep(operation: str, operand: Any) -> None:
            if isinstance(operand, Dual) and self.name in operand.partials and not operand.fielded:
                found.append((operation, zero + operand.value, zero + operand.partials[self.name]))

        with np.errstate(all="ignore"):
            self.run(t, which, listening(keep))
        return found


def _at(bundle: Bundle, numbers: Index, which: Index, places: Array) -> tuple[Array, Array]:
    """Value and slope of argument numbers[k] at places[k] of its line."""
    seen = bundle.arguments(places, which)
    k = range(places.size)
    values = np.array([seen[n][1][i] for n, i in zip(numbers, k, strict=True)])
    return values, np.array([seen[n][2][i] for n, i in zip(numbers, k, strict=True)])


def crossings(bundle: Bundle, x: Array, looked: dict[int, Sampled]) -> list[tuple[int, int, float, float]]:
    """Where arguments pass zero: number, line, place, and the slope there."""
    found: list[tuple[int, int, float, float]] = []
    spots = []
    for number, sampled in looked.items():
        zero, sign = sampled.value == 0.0, np.sign(sampled.value)
        for line, i in np.argwhere(zero).tolist():
            if np.count_nonzero(zero[line]) <= x.size // 4:  # zero on a whole interval marks no place
                found.append((number, line, float(x[i]), float(sampled.slope[line, i])))
        spots += [(number, line, i) for line, i in np.argwhere(sign[:, 1:] * sign[:, :-1] < 0).tolist()]
    if not spots:
        return found
    who, which, cell = np.array(spots).T
    low, high = x[cell], x[cell + 1]
    at_low = np.array([np.sign(looked[n].value[line, i]) for n, line, i in spots])
    place = 0.5 * (low + high)
    slope = np.zeros_like(place)
    feature = np.array([looked[n].operation not in SWITCHES for n in who.tolist()])
    for _ in range(ROUNDS):
        value, slope = _at(bundle, who, which, place)
        following, low, high = closer(place, value, slope, low, high, at_low)
        # the place of a feature need be known to a part of its thickness 1/|slope|, that of a break to the last bit
        settled = (np.abs(following - place) <= 2.0 * np.spacing(np.abs(place))) | (feature & (np.abs(value) <= CLOSE))
        place = following
        if settled.all():
            break
    return found + list(zip(who.tolist(), which.tolist(), place.tolist(), slope.tolist(), strict=True))


def turning_places(bundle: Bundle, x: Array, looked: dict[int, Sampled]) -> list[tuple[int, int, float, float, float]]:
    """Where arguments come near to zero and turn back: number, line, place, how near, second derivative there."""
    spots = []
    for number, sampled in looked.items():
        if sampled.operation in SWITCHES:
            continue
        value, slope = sampled.value, sampled.slope
        inward = np.sign(value) * np.sign(slope)
        flat = slope[:, 1:] == 0.0
        turning = (inward[:, :-1] < 0) & (inward[:, 1:] >= 0) & (flat | (value[:, :-1] * value[:, 1:] > 0))
        spots += [(number, line, i) for line, i in np.argwhere(turning).tolist()]
    if not spots:
        return []
    who, which, cell = np.array(spots).T
    low, high = x[cell], x[cell + 1]
    rate_low = np.array([looked[n].slope[line, i] for n, line, i in spots])
    rate_high = np.array([looked[n].slope[line, i + 1] for n, line, i in spots])
    place = np.where(rate_high == 0.0, high, low)
    for number in range(ROUNDS):
        # the slope of a parabola is straight: one secant finds its zero, halving is for the others
        with np.errstate(all="ignore"):
            secant = low - rate_low * (high - low) / (rate_high - rate_low)
        inside = (secant > low) & (secant < high) & (number % 3 != 2)
        following = np.where(rate_high == 0.0, high, np.where(inside, secant, 0.5 * (low + high)))
        _, slope = _at(bundle, who, which, following)
        before = slope * rate_low > 0
        low, rate_low = np.where(before, following, low), np.where(before, slope, rate_low)
        high, rate_high = np.where(before, high, following), np.where(before, rate_high, slope)
        settled = (slope == 0.0) | (np.abs(following - place) <= EXACT * np.abs(x[1] - x[0]))
        place = following
        if settled.all():
            break
    depth = np.abs(_at(bundle, who, which, place)[0])
    pole = np.array([looked[n].operation in POLES for n in who.tolist()])
    reach, bend = np.full_like(place, x[1] - x[0]), np.zeros_like(place)
    for _ in range(3):
        there = np.concatenate([place + reach, place - reach])
        rates = _at(bundle, np.tile(who, 2), np.tile(which, 2), there)[1]
        bend = np.abs(rates[: place.size] - rates[place.size :]) / (2.0 * reach)
        with np.errstate(all="ignore"):
            thickness = np.sqrt(2.0 * np.where(pole, depth, 1.0) / bend)
        reach = np.where((thickness > 0) & np.isfinite(thickness), np.minimum(reach, 0.1 * thickness), reach)
    columns = who.tolist(), which.tolist(), place.tolist(), depth.tolist(), bend.tolist()
    return list(zip(*columns, strict=True))
