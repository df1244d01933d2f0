"""The gated coordinate with gates that travel: xi(x; t) = (x - a)/w + sum_j asinh(b_j (x - x_j)/d_j)/b_j, eta = M(xi).

Gates are an array (2, g), places x_j and thicknesses d_j, in the order of their places; several stages in time are
(s, 2, g). Sites have fixed eta. Near a gate a place is known by its distance from it, x = x_j + d_j sinh(b_j s)/b_j, so
that thin layers keep their digits.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gated_xtfc.core import compiled
from gated_xtfc.discretise.moving.pins import Bent, Pins, bent
from gated_xtfc.types import Array, Index

Raw = tuple[Array, Array, Array, Array]

SETTLED = 3e-6  # of an inversion by Halley's method, in xi: its next step would be of the order of rounding
MOST = 40  # steps of it


@dataclass(frozen=True)
class Frame:
    """Where the sites are at some stages s."""

    x: Array  # (s, n)
    slope: Array  # eta_x
    bend: Array  # eta_xx
    motion: Array  # dx / d gate at fixed eta, (s, 2g, n)
    slopes: Array  # of eta over xi, (s, 2g + 1); at the ends and between cores they give way
    anchor: Index  # the gate from which each site is measured, (n,)
    sigma: Array  # its distance in units of the gate, (s, n)

    @classmethod
    def empty(cls, stages: int, n: int, gates: int, pinned: bool, anchor: Index) -> "Frame":
        """Arrays to be filled."""
        x, slope, bend, sigma = np.empty((4, stages, n))
        motion, slopes = np.empty((stages, 2 * gates, n)), np.empty((stages, 2 * gates * pinned + 1))
        return cls(x, slope, bend, motion, slopes, anchor, sigma)

    def stage(self, k: int) -> "Frame":
        """One stage of them."""
        own = [k]
        return Frame(
            self.x[own], self.slope[own], self.bend[own], self.motion[own], self.slopes[own], self.anchor,
            self.sigma[own],
        )  # fmt: skip

    @property
    def arrays(self) -> tuple[Array, ...]:
        """As the compiled core reads and writes them."""
        return self.x, self.slope, self.bend, self.motion, self.slopes, self.sigma

    @property
    def regular(self) -> bool:
        """Whether sites are in order."""
        return bool(np.isfinite(self.x).all() and (self.slopes > 0.0).all() and (self.slope > 0.0).all())


@dataclass(frozen=True, eq=False)
class MovingCoordinate:
    """The ends, the width far from all gates, and the grading of every gate: what stays the same in a layout."""

    left: float
    right: float
    width: float
    grading: Array  # (g,)

    def _raw(self, gates: Array) -> Raw:
        """Scaled distances of the ends from the gates, and xi of the right end: (s, g), (s, g), (s,), (s, d)."""
        places, thickness = gates[:, 0], gates[:, 1]
        a, b = (self.grading * (end - places) / thickness for end in (self.left, self.right))
        length = (self.right - self.left) / self.width + ((np.arcsinh(b) - np.arcsinh(a)) / self.grading).sum(axis=1)
        at_a, at_b = 1.0 / np.hypot(1.0, a), 1.0 / np.hypot(1.0, b)
        by_place = (at_a - at_b) / thickness
        by_thickness = (a * at_a - b * at_b) / (self.grading * thickness)
        return a, at_a, length, np.concatenate([by_place, by_thickness], axis=1)

    def length(self, gates: Array) -> float:
        """xi at the right end, gates (2, g): how many kernel widths there are."""
        return float(self._raw(gates[None])[2][0])

    def at_gates(self, gates: Array, raw: Raw | None = None) -> tuple[Array, Array]:
        """xi at the gates, (s, g), and its derivatives by the gates, (s, g, d)."""
        places, thickness = gates[:, 0], gates[:, 1]
        a, at_a, _, _ = self._raw(gates) if raw is None else raw
        y = self.grading * (places[:, :, None] - places[:, None, :]) / thickness[:, None, :]
        near = 1.0 / np.hypot(1.0, y)
        xi = (places - self.left) / self.width
        xi = xi + ((np.arcsinh(y) - np.arcsinh(a)[:, None, :]) / self.grading).sum(axis=2)
        own = np.eye(places.shape[1])
        others = near * (1.0 - own) / thickness[:, None, :]  # what a gate and its own place have in common cancels
        along = 1.0 / self.width + others.sum(axis=2)
        by_place = (at_a / thickness)[:, None, :] - others + own * along[:, :, None]
        by_thickness = ((a * at_a)[:, None, :] - y * near) / (self.grading * thickness)[:, None, :]
        return xi, np.concatenate([by_place, by_thickness], axis=2)

    def pins(self, gates: Array) -> Pins | None:
        """Pins that hold the gates (2, g) where they are now."""
        return Pins.at(self.at_gates(gates[None])[0][0], self.length(gates))

    def _bent(self, gates: Array, pins: Pins | None, raw: Raw | None = None) -> Bent:
        raw = self._raw(gates) if raw is None else raw
        _, _, length, length_by_gate = raw
        if pins is None:
            count, both = length.size, length_by_gate.shape[1]
            slopes = 1.0 / length[:, None]
            by_gate = -length_by_gate[:, None, :] / (length**2)[:, None, None]
            return Bent(slopes, np.zeros((count, 0)), by_gate, np.zeros((count, 0, both)))
        xi, xi_by_gate = self.at_gates(gates, raw)
        return bent(pins, xi, length, xi_by_gate, length_by_gate)

    def frame(self, gates: Array, eta: Array, pins: Pins | None, start: Frame | None = None) -> Frame:
        """The sites eta (n,) for gates (s, 2, g); `start` is a frame nearby, from which the inversion begins."""
        count, g = gates.shape[0], gates.shape[2]
        if g == 0:
            return self._uniform(count, eta)
        if start is None:
            anchor, one = self._start(gates[0], pins, eta)
            sigma = np.broadcast_to(one, (count, eta.size))
        else:
            anchor = start.anchor
            sigma = np.broadcast_to(start.sigma[-1:], (count, eta.size)) if len(start.sigma) != count else start.sigma
        if compiled.moving_sites is not None and g <= compiled.MOST_GATES:
            found = Frame.empty(count, eta.size, g, pins is not None, anchor)
            found.sigma[:] = sigma
            gates = np.ascontiguousarray(gates)
            compiled.moving_sites(self.packed(pins), eta, gates, anchor, found.arrays, count)
            return found
        return self._frame(gates, eta, pins, anchor, sigma)

    def packed(self, pins: Pins | None) -> tuple[Array, ...]:
        """All that it is made of, as the compiled core reads it."""
        numbers = [self.left, self.right, self.width]
        if pins is None:
            return np.array([*numbers, 0.0, 0.0, 0.0, 0.0]), self.grading, np.zeros(0), np.zeros(0)
        numbers += [pins.slope, 1.0, float(pins.at_left_end), float(pins.at_right_end)]
        return np.array(numbers), self.grading, pins.eta, pins.reach

    def _frame(self, gates: Array, eta: Array, pins: Pins | None, anchor: Index, sigma: Array) -> Frame:
        """The twin in NumPy of what the compiled core does."""
        places, thickness = gates[:, 0], gates[:, 1]
        raw = self._raw(gates)
        a, at_a, _, _ = raw
        curve = self._bent(gates, pins, raw)
        own, beta = self.grading[anchor], self.grading[None, :, None]
        d, d_own = thickness[:, :, None], thickness[:, anchor]
        offset = (places[:, anchor][:, None, :] - places[:, :, None]) / d * beta
        ratio = (d_own / own)[:, None, :] / d * beta
        base = (places[:, anchor] - self.left) / self.width - (np.arcsinh(a) / self.grading).sum(axis=1)[:, None]
        last = np.inf
        for _ in range(MOST):
            sinh = np.sinh(own * sigma)
            y = offset + ratio * sinh[:, None, :]
            xi = base + d_own * sinh / (own * self.width) + (np.arcsinh(y) / beta).sum(axis=1)
            near = 1.0 / np.hypot(1.0, y)
            slope, bend = 1.0 / self.width + (near / d).sum(axis=1), -(beta * y * near**3 / d**2).sum(axis=1)
            value, first, second = curve(xi)
            root = np.hypot(1.0, sinh)
            eta_x, x_by = first * slope, d_own * root
            step = (value - eta) / (eta_x * x_by)
            turn = 0.5 * step * ((second * slope**2 + first * bend) / eta_x * x_by + own * sinh / root)
            step = np.clip(step, -3.0, 3.0) / (1.0 - np.clip(turn, -0.5, 0.5))
            sigma = sigma - step
            size = float(np.abs(step).max())
            if size < SETTLED or (size < 10.0 * SETTLED and size >= 0.5 * last) or not np.isfinite(size):
                break
            last = size
        sinh = np.sinh(own * sigma)
        y = offset + ratio * sinh[:, None, :]
        near = 1.0 / np.hypot(1.0, y)
        xi = base + d_own * sinh / (own * self.width) + (np.arcsinh(y) / beta).sum(axis=1)
        slope, bend = 1.0 / self.width + (near / d).sum(axis=1), -(beta * y * near**3 / d**2).sum(axis=1)
        x = places[:, anchor] + d_own * sinh / own
        x[:, 0], x[:, -1] = self.left, self.right
        # xi by the gates at a fixed distance from the own gate, in its thicknesses: what is large has cancelled there
        mine = np.arange(self.count)[:, None] == anchor
        away = np.where(mine, 0.0, near / d)
        along, out = 1.0 / self.width + away.sum(axis=1), sinh / own
        xi_by_place = at_a[:, :, None] / d - away + mine * along[:, None]
        xi_by_thickness = ((a * at_a)[:, :, None] - np.where(mine, 0.0, y * near)) / (beta * d)
        xi_by_thickness = xi_by_thickness + mine * (out * along)[:, None]
        _, first, second = curve(xi)
        by_gate = first[:, None] * np.concatenate([xi_by_place, xi_by_thickness], axis=1) + curve.by_gate(xi)
        eta_x = first * slope
        rigid = np.concatenate([np.broadcast_to(mine, away.shape), mine * out[:, None]], axis=1)
        motion = rigid - by_gate / eta_x[:, None]
        motion[:, :, [0, -1]] = 0.0
        return Frame(x, eta_x, second * slope**2 + first * bend, motion, curve.slopes, anchor, sigma)

    def eta(self, x: Array, gates: Array, pins: Pins | None) -> Array:
        """eta at places x (n,) for gates (2, g)."""
        if gates.shape[1] == 0:
            return np.clip((x - self.left) / (self.right - self.left), 0.0, 1.0)
        if compiled.moving_eta is not None and gates.shape[1] <= compiled.MOST_GATES:
            eta = np.empty(x.shape)
            compiled.moving_eta(self.packed(pins), np.ascontiguousarray(gates), np.ascontiguousarray(x), eta)
        else:
            eta = self._bent(gates[None], pins)(self._xi(x, gates)[None])[0][0]
        found: Array = np.clip(eta, 0.0, 1.0)
        return found

    def slope(self, x: Array, gates: Array, pins: Pins | None) -> Array:
        """eta_x at places x (n,)."""
        if gates.shape[1] == 0:
            return np.full(x.shape, 1.0 / (self.right - self.left))
        y = self.grading[:, None] * (x - gates[0][:, None]) / gates[1][:, None]
        slope = 1.0 / self.width + (1.0 / (np.hypot(1.0, y) * gates[1][:, None])).sum(axis=0)
        found: Array = self._bent(gates[None], pins)(self._xi(x, gates)[None])[1][0] * slope
        return found

    def _xi(self, x: Array, gates: Array) -> Array:
        beta, d = self.grading[:, None], gates[1][:, None]
        here = np.arcsinh(beta * (x - gates[0][:, None]) / d) - np.arcsinh(beta * (self.left - gates[0][:, None]) / d)
        found: Array = (x - self.left) / self.width + (here / beta).sum(axis=0)
        return found

    def _uniform(self, count: int, eta: Array) -> Frame:
        length = self.right - self.left
        x = np.broadcast_to(self.left + length * eta, (count, eta.size)).copy()
        x[:, -1] = self.right
        zero, anchor = np.zeros_like(x), np.zeros(eta.size, dtype=np.intp)
        slopes = np.full((count, 1), self.width / length)
        return Frame(x, zero + 1.0 / length, zero, np.zeros((count, 0, eta.size)), slopes, anchor, zero)

    def _start(self, gates: Array, pins: Pins | None, eta: Array) -> tuple[Index, Array]:
        """Anchors, and sigma to begin with, from a table of eta over x."""
        places, thickness = gates
        spread = np.linspace(-30.0, 30.0, 241)[:, None]
        table = [np.linspace(self.left, self.right, 101), (places + thickness / self.grading * np.sinh(spread)).ravel()]
        x = np.unique(np.clip(np.concatenate(table), self.left, self.right))
        guess = np.interp(eta, self.eta(x, gates, pins), x)
        away = guess - places[:, None]
        anchor = np.argmin(np.hypot(thickness[:, None], self.grading[:, None] * away), axis=0)
        own = self.grading[anchor]
        return anchor, np.arcsinh(own * away[anchor, np.arange(eta.size)] / thickness[anchor]) / own

    @cached_property
    def count(self) -> int:
        return int(self.grading.size)
