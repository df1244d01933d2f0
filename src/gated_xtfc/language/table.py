"""A table of values as a function: straight lines or a cubic spline between its knots.

Between knots it is a polynomial; at a knot where two of them do not join smoothly the solver breaks the domain.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gated_xtfc.errors import InputError
from gated_xtfc.language.disc import Disc
from gated_xtfc.language.dual import Dual, Operand
from gated_xtfc.language.enclosure import Interval
from gated_xtfc.types import Array, Index, Number

KINDS = ("linear", "spline")
SMOOTH = 1e-13  # of the range of the values: what the joint of two polynomials may miss, over the length of a piece
SLACK = 1e-9  # of the span: how far beyond it an argument may be by rounding


@dataclass(frozen=True)
class TableFunction:
    """Values y at increasing knots x, and how they are joined."""

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    kind: str = "linear"

    def __call__(self, at: Operand) -> Operand:
        """What a Python function gets for it."""
        return self.applied(at if isinstance(at, Dual) else np.asarray(at, dtype=float))

    def applied(self, a: Operand, order: int = 0) -> Operand:
        """The derivative of that order at a; beyond its range it stays what it is at the end."""
        if not isinstance(a, Dual):
            return self._value(a, order)
        return a.chained(self._value(a.value, order), self._value(a.value, order + 1))

    @cached_property
    def breaks(self) -> tuple[float, ...]:
        """Knots at which it is not smooth."""
        pieces = self._pieces
        size = max(np.ptp(self.y), SMOOTH * float(np.abs(self.y).max()))
        length = np.diff(self.x)
        beside = np.minimum(length[:-1], length[1:])
        rough = np.zeros(beside.size, dtype=bool)
        joints = _derivatives(pieces[:, :-1], length[:-1])
        for order, (before, after) in enumerate(
            zip(joints, _derivatives(pieces[:, 1:], 0.0 * length[1:]), strict=True)
        ):
            rough |= np.abs(after - before) * beside**order > SMOOTH * size
        return tuple(np.array(self.x)[1:-1][rough].tolist())

    def to_dict(self) -> dict[str, object]:
        """As a problem file has it."""
        return {"x": list(self.x), "y": list(self.y), "kind": self.kind}

    @property
    def range(self) -> tuple[float, float]:
        """From where to where it has values."""
        return self.x[0], self.x[-1]

    def require_inside(self, values: Array, by: str = "") -> None:
        """Refuses arguments that lie outside of its range; `by` says where they come from."""
        left, right = self.range
        slack = SLACK * (right - left)
        outside = values[(values < left - slack) | (values > right + slack)]
        if outside.size:
            raise InputError(
                f"the table '{self.name}' is asked{by} for its value at {outside.flat[0]:.6g}, outside its range "
                f"from {left:.6g} to {right:.6g}: extend the table"
            )

    @cached_property
    def knots(self) -> Array:
        return np.array(self.x)

    @cached_property
    def _pieces(self) -> Array:
        """Coefficients in the distance from the left knot of each piece, (degree + 1, pieces)."""
        x, y = np.array(self.x), np.array(self.y)
        if self.kind == "linear":
            return np.stack([y[:-1], np.diff(y) / np.diff(x)])
        from scipy.interpolate import CubicSpline  # costs more to load than most problems cost to solve

        found: Array = CubicSpline(x, y).c[::-1]
        return found

    def coefficients(self, order: int) -> Array:
        """Those of a derivative in the distance from the left knot of each piece, (terms, pieces)."""
        found = self._pieces
        for _ in range(order):
            found = np.arange(1.0, len(found))[:, None] * found[1:] if len(found) > 1 else 0.0 * found
        return found

    def _piece(self, t: Number) -> Index:
        found: Index = np.clip(np.searchsorted(self.knots, t, side="right") - 1, 0, len(self.x) - 2)
        return found

    def _value(self, t: Number, order: int) -> Number:
        inside = np.clip(t, *self.range)
        piece = self._piece(inside)
        distance = inside - self.knots[piece]
        value = _horner(self.coefficients(order)[:, piece], distance)
        if order and np.any(inside != t):
            value = np.where(inside == t, value, 0.0)
        return float(value) if isinstance(t, float) else value

    def on_disc(self, a: Disc, order: int) -> Disc:
        """Over discs: the polynomial at the centre, continued beyond its piece as branches are."""
        piece = self._piece(a.centre)
        local, coefficients = a.plus(a.constant(-1.0 * self.knots[piece])), self.coefficients(order)[:, piece]
        found = a.constant(coefficients[-1])
        for factor in coefficients[-2::-1]:
            found = found.times(local).plus(a.constant(factor))
        return found

    def on_interval(self, a: Interval, order: int) -> Interval:
        """Over cells: all values of the pieces that a cell reaches into."""
        first, last = self._piece(a.low), self._piece(a.high)
        low, high = self._bounds(order)
        left, right = self.range
        inside = (a.low >= left) & (a.high <= right)
        least = [low[i : j + 1].min() if ok else -np.inf for i, j, ok in zip(first, last, inside, strict=True)]
        most = [high[i : j + 1].max() if ok else np.inf for i, j, ok in zip(first, last, inside, strict=True)]
        # on one piece its polynomial says more than its extremes
        within = Interval(np.zeros_like(a.low), np.maximum(a.high - self.knots[first], 0.0))
        within = Interval(np.maximum(a.low - self.knots[first], 0.0), within.high)
        coefficients = self.coefficients(order)[:, first]
        found = Interval(coefficients[-1], coefficients[-1])
        for factor in coefficients[-2::-1]:
            found = found.times(within).plus(Interval(factor, factor))
        alone = (first == last) & inside
        return Interval(np.where(alone, found.low, least), np.where(alone, found.high, most))

    def _bounds(self, order: int) -> tuple[Array, Array]:
        """Bounds of every piece."""
        coefficients, length = self.coefficients(order), np.diff(self.knots)
        terms = coefficients[1:] * length ** np.arange(1.0, len(coefficients))[:, None]
        room = 1e-14 * np.abs(coefficients).max(initial=0.0)
        low = coefficients[0] + np.minimum(terms, 0.0).sum(axis=0) - room
        high = coefficients[0] + np.maximum(terms, 0.0).sum(axis=0) + room
        return low, high


@dataclass(frozen=True)
class GuardedTable:
    """A table that refuses what lies outside of it."""

    table: TableFunction
    with_fields: bool  # whether arguments that depend on fields are looked at as well

    breaks = ()

    def __call__(self, at: Operand) -> Operand:
        return self.applied(at)

    def applied(self, a: Operand, order: int = 0) -> Operand:
        if self.with_fields or not (isinstance(a, Dual) and a.has_field):
            by = " by its solution" if self.with_fields else ""
            self.table.require_inside(np.asarray(a.value if isinstance(a, Dual) else a, dtype=float), by)
        return self.table.applied(a, order)


def _horner(coefficients: Array, t: Number) -> Array:
    found: Array = coefficients[-1] + np.zeros_like(t)
    for factor in coefficients[-2::-1]:
        found = found * t + factor
    return found


def _derivatives(pieces: Array, t: Array) -> list[Array]:
    """Value and derivatives over the factorials, of every piece at a distance from its left knot."""
    found, rows = [], list(pieces)
    while rows:
        value = rows[-1]
        for factor in rows[-2::-1]:
            value = value * t + factor
        found.append(value)
        rows = [(k + 1.0) / len(found) * row for k, row in enumerate(rows[1:])]
    return found
