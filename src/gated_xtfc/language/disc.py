"""A text on discs of the complex plane around places of the axis: how far it is smooth, proved.

On the disc |z| <= reach around m, a text is

    f(m + z) = centre + slope z + rest(z),    |rest(z)| <= rest,    |f| >= least,

and every operation takes such bounds to bounds (Taylor models of first order, with rounding inside the rest). A text
that is bounded on a disc varies there on the scale of the disc's radius and on no smaller one: its n-th derivative is
at most n! bound / reach^n. A needle of width w, whatever it is made of, grows beyond all bounds on discs much wider
than w. With two coordinates the discs are pairs of discs, one for each, and there are two slopes.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gated_xtfc.language.disc_bends import bend_on
from gated_xtfc.language.functions import COMPOSED, FUNCTIONS
from gated_xtfc.types import Array, Number

ROUNDING = 4.0 * np.finfo(float).eps
FUNCTION_ROUNDING = 16.0 * np.finfo(float).eps


@dataclass(frozen=True)
class Disc:
    """Bounds on the discs of all cells, (n,) each; `slopes` one for each coordinate, `reaches` their radii."""

    centre: Array
    slopes: tuple[Array, ...]
    rest: Array
    reaches: tuple[Array, ...]
    floor: Array | None = None  # a lower bound of |f| that is better than |centre| - radius

    @cached_property
    def linear(self) -> Array:
        """How far the linear part moves."""
        total: Array = np.abs(self.slopes[0]) * self.reaches[0]
        for slope, reach in zip(self.slopes[1:], self.reaches[1:], strict=True):
            total = total + np.abs(slope) * reach
        return total

    @cached_property
    def radius(self) -> Array:
        """A bound of |f - centre|."""
        return self.linear + self.rest

    @cached_property
    def least(self) -> Array:
        """A lower bound of |f|."""
        plain = np.fmax(np.abs(self.centre) - self.radius, 0.0)
        return plain if self.floor is None else np.fmax(plain, self.floor)

    def plus(self, other: "Disc | float") -> "Disc":
        if not isinstance(other, Disc):
            centre = self.centre + other
            floor = None if self.floor is None else self.floor - abs(other)
            return self._with(centre, self.slopes, self.rest + ROUNDING * np.abs(centre), floor)
        centre = self.centre + other.centre
        slopes = tuple(a + b for a, b in zip(self.slopes, other.slopes, strict=True))
        floor = None
        if self.floor is not None or other.floor is not None:
            floor = np.fmax(self.least - other._most, other.least - self._most)
        return self._with(centre, slopes, self.rest + other.rest + ROUNDING * np.abs(centre), floor, tidy=True)

    def minus(self, other: "Disc | float") -> "Disc":
        return self.plus(other.negated() if isinstance(other, Disc) else -other)

    def negated(self) -> "Disc":
        return Disc(-self.centre, tuple(-slope for slope in self.slopes), self.rest, self.reaches, self.floor)

    def times(self, other: "Disc | float") -> "Disc":
        if not isinstance(other, Disc):
            size = abs(other)
            centre = self.centre * other
            rest = self.rest * size + ROUNDING * np.abs(centre)
            floor = None if self.floor is None else self.floor * size
            return self._with(centre, tuple(slope * other for slope in self.slopes), rest, floor, tidy=True)
        a, b = self.centre, other.centre
        slopes = tuple(a * q + b * p for p, q in zip(self.slopes, other.slopes, strict=True))
        size_a, size_b, linear_a, linear_b = np.abs(a), np.abs(b), self.linear, other.linear
        rest = size_a * other.rest + size_b * self.rest
        rest = rest + (linear_a + self.rest) * (linear_b + other.rest)
        rest = rest + ROUNDING * (size_a * (size_b + linear_b) + size_b * linear_a)
        floor = None if self.floor is None and other.floor is None else self.least * other.least
        return self._with(a * b, slopes, rest, floor)

    def inverted(self) -> "Disc":
        least = self.least
        value = 1.0 / self.centre
        return self._composed(value, -value * value, 2.0 / least**3, 1.0 / least, 1.0 / self._most)

    def over(self, other: "Disc | float") -> "Disc":
        if not isinstance(other, Disc):
            if other == 0.0:
                return self.times(np.inf)
            found = self.times(1.0 / other)
            return Disc(self.centre / other, found.slopes, found.rest, self.reaches, found.floor)
        found = self.times(other.inverted())
        return Disc(self.centre / other.centre, found.slopes, found.rest, self.reaches, found.floor)

    def power(self, exponent: "Disc | float") -> "Disc":
        if isinstance(exponent, Disc):
            return self.applied("log").times(exponent).applied("exp")
        if exponent == 0.0:
            return self.constant(1.0)
        if exponent == 1.0:
            return self
        c = self.centre
        value: Array = np.power(c, exponent)
        slope: Array = exponent * np.power(c, exponent - 1.0)
        whole = float(exponent).is_integer()
        most = self._most
        if whole and exponent > 0.0:
            bend = abs(exponent * (exponent - 1.0)) * np.power(most, exponent - 2.0)
            floor = None if self.floor is None else np.power(self.least, exponent)
            return self._composed(value, slope, bend, np.power(most, exponent), floor)
        least = self.least
        inside = least > 0.0 if whole else (c > self.radius)  # a branch has no cut on a disc right of zero
        ends = np.fmax(np.power(least, exponent - 2.0), np.power(most, exponent - 2.0))
        bend = np.where(inside, abs(exponent * (exponent - 1.0)) * ends, np.inf)
        size = np.where(inside, np.fmax(np.power(least, exponent), np.power(most, exponent)), np.inf)
        return self._composed(value, slope, bend, size)

    def applied(self, name: str) -> "Disc":
        function, derivative = FUNCTIONS.get(name) or COMPOSED[name]
        value = _array(function(self.centre))
        size, floor = None, None
        if name == "exp":
            size, floor = np.exp(self.centre + self.radius), np.exp(self.centre - self.radius)
        elif name == "cosh":
            away = np.fmax(np.abs(self.centre) - self.radius, 0.0)
            size, floor = np.cosh(self._most), np.sinh(away)
        elif name == "sinh":
            size, floor = np.cosh(self._most), np.sinh(np.fmax(np.abs(self.centre) - self.radius, 0.0))
        slope = _array(derivative(self.centre, value))
        if name == "tanh":  # 1 - tanh^2 would be known to rounding of one
            slope = 1.0 / np.cosh(np.minimum(np.abs(self.centre), 350.0)) ** 2
        bend = (
            size if size is not None else bend_on(name, self.centre, self.radius)
        )  # of exp, sinh and cosh: no derivative is larger
        return self._composed(value, slope, bend, size, floor)

    def chosen(self, take: Array, other: "Disc") -> "Disc":
        """This where `take` is positive, the other where it is not: a branch is continued beyond its place."""
        own = take > 0
        floors = None
        if self.floor is not None or other.floor is not None:
            floors = np.where(own, self.least, other.least)
        return Disc(
            np.where(own, self.centre, other.centre),
            tuple(np.where(own, p, q) for p, q in zip(self.slopes, other.slopes, strict=True)),
            np.where(own, self.rest, other.rest),
            self.reaches,
            floors,
        )

    @property
    def side(self) -> Array:
        """The sign at the centre, 0 where it has no value: whether it holds all over the cell is asked elsewhere."""
        return np.where(self.centre > 0.0, 1.0, np.where(self.centre < 0.0, -1.0, 0.0))

    def smaller(self, other: "Disc | float") -> "Disc":
        other = other if isinstance(other, Disc) else self.constant(other)
        return self.chosen(np.where(self.centre <= other.centre, 1.0, -1.0), other)

    def larger(self, other: "Disc | float") -> "Disc":
        other = other if isinstance(other, Disc) else self.constant(other)
        return self.chosen(np.where(self.centre >= other.centre, 1.0, -1.0), other)

    def constant(self, value: Number) -> "Disc":
        """A number on all discs, or one for each."""
        zero = np.zeros_like(self.centre)
        return Disc(zero + value, (zero,) * len(self.slopes), zero, self.reaches)

    @cached_property
    def _most(self) -> Array:
        return np.abs(self.centre) + self.radius

    def _with(
        self, centre: Array, slopes: tuple[Array, ...], rest: Array, floor: Array | None, tidy: bool = False
    ) -> "Disc":
        found = Disc(centre, slopes, rest, self.reaches, floor)
        if not tidy:
            return found
        return Disc(centre, slopes, rest + ROUNDING * found.linear, self.reaches, floor)

    def _composed(
        self, value: Array, slope: Array, bend: Array, size: Array | None = None, floor: Array | None = None
    ) -> "Disc":
        """g(self) from g and g' at the centre, and bounds of |g''| and, where at hand, of |g| over the whole disc."""
        radius = self.radius
        size_of_slope = np.abs(slope)
        rest = size_of_slope * (self.rest + FUNCTION_ROUNDING * radius) + (0.5 * radius * radius) * bend
        rest = rest + FUNCTION_ROUNDING * np.abs(value)
        slopes = tuple(slope * own for own in self.slopes)
        if not np.isfinite(rest).all():  # a constant stays one, whatever its derivative
            rest = np.where(radius == 0.0, FUNCTION_ROUNDING * np.abs(value), rest)
            slopes = tuple(np.where(own == 0.0, 0.0, product) for own, product in zip(self.slopes, slopes, strict=True))
        found = Disc(value, slopes, rest, self.reaches, floor)
        if size is None or (found.radius <= size).all():
            return found
        # a bound of |g| alone may be the better one: without a slope, all is rest
        bounded = (size + np.abs(value)) * (1.0 + FUNCTION_ROUNDING)
        better = ~(found.radius <= bounded) & (radius > 0.0)
        slopes = tuple(np.where(better, 0.0, own) for own in slopes)
        return Disc(value, slopes, np.where(better, bounded, rest), self.reaches, floor)


def _array(values: Number) -> Array:
    """What a function of the language makes of an array is one, or a number for all of it."""
    return np.asarray(values, dtype=float)
