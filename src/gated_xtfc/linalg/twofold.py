"""Numbers as unevaluated sums of two floating-point numbers, some 32 digits: only what residuals need.

Sums and products of two numbers are exact as pairs (Knuth, Dekker); what is lost in the second part is lost.
"""

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from gated_xtfc.types import Array

SPLIT = 2.0**27 + 1.0  # halves the digits of a number


class Twofold(NamedTuple):
    """high + low, with low below the rounding of high."""

    high: Array
    low: Array

    def plus(self, other: "Twofold") -> "Twofold":
        total, lost = exact_sum(self.high, other.high)
        return normalised(total, lost + (self.low + other.low))

    def times(self, other: "Twofold") -> "Twofold":
        product, lost = exact_product(self.high, other.high)
        return normalised(product, lost + (self.high * other.low + self.low * other.high))

    def at(self, index: Any) -> "Twofold":
        """Some of them."""
        return Twofold(self.high[index], self.low[index])


def normalised(high: Array, low: Array) -> Twofold:
    """The same sum, with the first part as close to it as can be."""
    return Twofold(*exact_sum(high, low))


def exact_sum(a: Array, b: Array) -> tuple[Array, Array]:
    """The rounded sum, and what rounding took from it."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def exact_product(a: Array, b: Array) -> tuple[Array, Array]:
    """The rounded product, and what rounding took from it."""
    product = a * b
    (a1, a2), (b1, b2) = _halves(a), _halves(b)
    return product, ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2


def _halves(a: Array) -> tuple[Array, Array]:
    scaled = SPLIT * a
    upper = scaled - (scaled - a)
    return upper, a - upper


def twofold(values: Array) -> Twofold:
    """Numbers that are known as they are."""
    return Twofold(values, np.zeros_like(values))


def from_fractions(values: Any) -> Twofold:
    """An array of fractions to some 32 digits."""
    flat = np.ravel(values)
    high = np.array([float(value) for value in flat])
    low = np.array([float(value - Fraction(top)) for value, top in zip(flat, high.tolist(), strict=True)])
    shape = np.shape(values)
    return Twofold(high.reshape(shape), low.reshape(shape))
