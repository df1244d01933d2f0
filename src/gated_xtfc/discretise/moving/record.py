"""A function of x and t in pieces: over each step in time polynomials at sites that move along polynomials."""

from bisect import bisect_right
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from gated_xtfc.discretise.moving.coordinate import MovingCoordinate
from gated_xtfc.discretise.moving.pins import Pins
from gated_xtfc.discretise.moving.sites import Sites
from gated_xtfc.types import Array

NEAREST = 13  # sites through which values between them go


@dataclass(frozen=True, eq=False)
class Piece:
    """One step: u and the gates at its start, and their coefficients of powers 1, 2, ... of (t - start)/length."""

    start: float
    length: float
    coordinate: MovingCoordinate
    pins: Pins | None
    sites: Sites
    values: Array  # (s + 1, m, n)
    gates: Array  # (s + 1, 2, g)

    def gates_at(self, t: float) -> Array:
        """Places and thicknesses, (2, g)."""
        return _sum(self.gates, (t - self.start) / self.length)

    def at(self, x: Array, t: float, order: int = 0, rate: int = 0) -> Array:
        """u, a derivative in x, or with `rate` one the derivative in t, at places (n,) and one time: (m, n)."""
        gates, theta = self.gates_at(t), (t - self.start) / self.length
        values = _sum(self.values, theta)
        eta = self.coordinate.eta(x, gates, self.pins)
        if order or rate:
            frame = self.coordinate.frame(gates[None], self.sites.eta, self.pins)
            first, second = self.sites.derivatives(values)
            slope = frame.slope[0]
            if rate:  # the sites move: what they see of the slope is no change in time
                moved = np.einsum("d,dn->n", _rate(self.gates, theta).ravel() / self.length, frame.motion[0])
                values = _rate(self.values, theta) / self.length - slope * first * moved
            else:
                values = slope * first if order == 1 else slope**2 * second + frame.bend[0] * first
        return self.sites.interpolated(values, eta, NEAREST)

    @property
    def widest(self) -> float:
        """In eta, the largest distance between sites."""
        return float(np.diff(self.sites.eta).max())

    def cut(self, t: float) -> "Piece":
        """The part of it up to a time."""
        part = (t - self.start) / self.length
        powers = part ** np.arange(len(self.values))
        values, gates = (c * powers.reshape(-1, *(1,) * (c.ndim - 1)) for c in (self.values, self.gates))
        return replace(self, length=t - self.start, values=values, gates=gates)

    def lines(self, t: float, eta: Array) -> tuple[Array, Array]:
        """Places of eta (n,) inside (0, 1), and the slope of eta over x there, (n,) each."""
        frame = self.coordinate.frame(self.gates_at(t)[None], np.concatenate([[0.0], eta, [1.0]]), self.pins)
        return frame.x[0, 1:-1], frame.slope[0, 1:-1]

    def places(self, t: float, count: int) -> Array:
        """Places uniform in the coordinate, ends included, (count,)."""
        eta = np.linspace(0.0, 1.0, count)
        found: Array = self.coordinate.frame(self.gates_at(t)[None], eta, self.pins).x[0]
        return found


def _sum(coefficients: Array, theta: float) -> Array:
    found: Array = coefficients[-1]
    for one in coefficients[-2::-1]:
        found = one + theta * found
    return found


def _rate(coefficients: Array, theta: float) -> Array:
    """The derivative of the polynomial."""
    powers = np.arange(1, len(coefficients)).reshape(-1, *(1,) * (coefficients.ndim - 1))
    return _sum(powers * coefficients[1:], theta)


@dataclass(frozen=True, eq=False)
class TimeRecord:
    """The pieces in the order of time."""

    pieces: tuple[Piece, ...]

    @cached_property
    def starts(self) -> list[float]:
        return [piece.start for piece in self.pieces]

    @property
    def times(self) -> Array:
        """The ends of all steps, the start included."""
        last = self.pieces[-1]
        return np.array([*self.starts, last.start + last.length])

    def number(self, t: float) -> int:
        """Of the piece that holds a time."""
        return max(0, min(len(self.pieces) - 1, bisect_right(self.starts, t) - 1))

    def piece(self, t: float) -> Piece:
        return self.pieces[self.number(t)]

    def at(self, x: Array, t: Array, order: int = 0, rate: int = 0) -> Array:
        """u or a derivative at places and times (n,) each: (m, n)."""
        found = np.empty((self.pieces[0].values.shape[1], x.size))
        times, which = np.unique(t, return_inverse=True)
        for k, one in enumerate(times):
            own = which == k
            found[:, own] = self.piece(float(one)).at(x[own], float(one), order, rate)
        return found
