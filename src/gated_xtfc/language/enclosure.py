"""Intervals that hold every value of a text over a cell, rounded outward: the ends of many cells at once, (n,) each.

The natural extension: every operation takes intervals to the interval of its results. What it loses, because it does
not know that two operands move together, is won back by dividing the cell.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import pi

import numpy as np

from gated_xtfc.language.functions import COMPOSED, FUNCTIONS
from gated_xtfc.types import Array

EVERYTHING = np.inf
# Libraries compute elementary functions to a few units of the last place, not to half of one.
FUNCTION_ERROR = 8.0 * np.finfo(float).eps
EVEN = frozenset({"cosh", "abs", "log cosh"})  # rising with the size of the argument
SMALLEST = {"exp": 0.0, "sqrt": 0.0, "cosh": 1.0, "abs": 0.0}
LARGEST = {"tanh": 1.0, "sin": 1.0, "cos": 1.0, "erf": 1.0}


@dataclass(frozen=True)
class Interval:
    """From low to high on every cell, (n,) each."""

    low: Array
    high: Array

    def plus(self, other: "Interval | float") -> "Interval":
        low, high = _ends(other)
        return _outward(self.low + low, self.high + high)

    def minus(self, other: "Interval | float") -> "Interval":
        low, high = _ends(other)
        return _outward(self.low - high, self.high - low)

    def negated(self) -> "Interval":
        return Interval(-self.high, -self.low)

    def times(self, other: "Interval | float") -> "Interval":
        low, high = _ends(other)
        products = np.stack([self.low * low, self.low * high, self.high * low, self.high * high])
        # 0 * inf: the end of a factor that is zero meets values that are finite, however large
        products[np.isnan(products)] = 0.0
        return _outward(products.min(axis=0), products.max(axis=0))

    def inverted(self) -> "Interval":
        found = _outward(1.0 / self.high, 1.0 / self.low)
        around = (self.low < 0.0) & (self.high > 0.0)
        low = np.where(around | (self.high == 0.0), -EVERYTHING, found.low)
        high = np.where(around | (self.low == 0.0), EVERYTHING, found.high)
        touching = (self.low == 0.0) & (self.high == 0.0)
        return Interval(np.where(touching, -EVERYTHING, low), np.where(touching, EVERYTHING, high))

    def over(self, other: "Interval | float") -> "Interval":
        if isinstance(other, Interval):
            return self.times(other.inverted())
        first, second = self.low / other, self.high / other
        return _outward(np.minimum(first, second), np.maximum(first, second))

    def power(self, exponent: "Interval | float") -> "Interval":
        if isinstance(exponent, Interval):
            return self.applied("log").times(exponent).applied("exp")
        low, high = self.low, self.high
        if float(exponent).is_integer():
            if exponent % 2 == 0:
                size = self.applied("abs")
                low, high = size.low, size.high
            if exponent < 0 and exponent % 2 != 0:
                return self.inverted().power(-exponent)
        else:  # beside the real powers there are none: what is below zero has no value
            low, high = np.maximum(low, 0.0), np.maximum(high, 0.0)
        first, second = np.power(low, exponent), np.power(high, exponent)
        found = _outward(np.minimum(first, second), np.maximum(first, second), FUNCTION_ERROR)
        positive = (low >= 0.0) if exponent % 2 != 1 else np.zeros(low.shape, dtype=bool)
        return Interval(np.where(positive, np.maximum(found.low, 0.0), found.low), found.high)

    def applied(self, name: str) -> "Interval":
        low, high = self.low, self.high
        function: Callable[[Array], Array] = (FUNCTIONS.get(name) or COMPOSED[name])[0]  # type: ignore[assignment]
        if name in ("sin", "cos"):
            return _wave(low, high, function, 0.5 * pi if name == "sin" else 0.0)
        if name == "tan":
            found = _outward(function(low), function(high), FUNCTION_ERROR)
            # beyond a pole: a slip of rounding in counting them only widens the interval
            beyond = np.floor(low / pi + 0.5 - 1e-9) != np.floor(high / pi + 0.5 + 1e-9)
            return Interval(np.where(beyond, -EVERYTHING, found.low), np.where(beyond, EVERYTHING, found.high))
        if name in ("acos", "arccos"):
            low, high = np.clip(high, -1.0, 1.0), np.clip(low, -1.0, 1.0)
        elif name in ("asin", "arcsin"):
            low, high = np.clip(low, -1.0, 1.0), np.clip(high, -1.0, 1.0)
        elif name in ("log", "log10", "sqrt"):
            low, high = np.maximum(low, 0.0), np.maximum(high, 0.0)
        elif name in EVEN:
            size = np.maximum(np.abs(low), np.abs(high))
            least = np.where((low <= 0.0) & (high >= 0.0), 0.0, np.minimum(np.abs(low), np.abs(high)))
            low, high = least, size
        if name == "log cosh":  # a difference of numbers of size one
            return Interval(
                np.maximum(function(low) - FUNCTION_ERROR, 0.0),
                function(high) * (1.0 + FUNCTION_ERROR) + FUNCTION_ERROR,
            )
        found = _outward(function(low), function(high), 0.0 if name in ("abs", "sign") else FUNCTION_ERROR)
        return found._within(SMALLEST.get(name), LARGEST.get(name))

    def chosen(self, take: Array, other: "Interval") -> "Interval":
        """This where `take` is positive, the other where it is negative, both where it is zero."""
        low = np.where(take > 0, self.low, np.where(take < 0, other.low, np.minimum(self.low, other.low)))
        high = np.where(take > 0, self.high, np.where(take < 0, other.high, np.maximum(self.high, other.high)))
        return Interval(low, high)

    @property
    def side(self) -> Array:
        """1 above zero, -1 below it, 0 where it may be either."""
        return np.where(self.low > 0.0, 1.0, np.where(self.high < 0.0, -1.0, 0.0))

    def smaller(self, other: "Interval | float") -> "Interval":
        low, high = _ends(other)
        return Interval(np.minimum(self.low, low), np.minimum(self.high, high))

    def larger(self, other: "Interval | float") -> "Interval":
        low, high = _ends(other)
        return Interval(np.maximum(self.low, low), np.maximum(self.high, high))

    def constant(self, value: float) -> "Interval":
        """A number on all cells."""
        return Interval(np.full_like(self.low, value), np.full_like(self.high, value))

    def _within(self, least: float | None, most: float | None) -> "Interval":
        low = self.low if least is None else np.maximum(self.low, least)
        return self if least is most is None else Interval(
            low if most is None else np.maximum(low, -most), self.high if most is None else np.minimum(self.high, most)
        )  # fmt: skip


def _ends(other: Interval | float) -> tuple[Array | float, Array | float]:
    return (other.low, other.high) if isinstance(other, Interval) else (other, other)


def _outward(low: Array, high: Array, error: float = 0.0) -> Interval:
    """One number further out at both ends, and by a relative error; what has no value may be anything."""
    if error:
        low, high = low * (1.0 - error * np.sign(low)), high * (1.0 + error * np.sign(high))  # infinity stays
    low, high = np.nextafter(low, -EVERYTHING), np.nextafter(high, EVERYTHING)
    return Interval(np.where(np.isnan(low), -EVERYTHING, low), np.where(np.isnan(high), EVERYTHING, high))


def _wave(low: Array, high: Array, function: Callable[[Array], Array], crest: float) -> Interval:
    """A sine or cosine, whose crests are at `crest` + 2 pi n and whose troughs half a turn further."""
    first, second = function(low), function(high)
    found = _outward(np.minimum(first, second), np.maximum(first, second), FUNCTION_ERROR)
    # places of crests are known to rounding of the argument: one too many only widens the interval
    slack = 4.0 * np.finfo(float).eps * np.maximum(np.abs(low), np.abs(high)) + 1e-15
    tops = np.floor((high + slack - crest) / (2.0 * pi)) >= np.ceil((low - slack - crest) / (2.0 * pi))
    troughs = np.floor((high + slack - crest - pi) / (2.0 * pi)) >= np.ceil((low - slack - crest - pi) / (2.0 * pi))
    anything = ~np.isfinite(low) | ~np.isfinite(high)
    least = np.where(troughs | anything, -1.0, np.maximum(found.low, -1.0))
    most = np.where(tops | anything, 1.0, np.minimum(found.high, 1.0))
    return Interval(least, most)
