"""What holds layers at their sites: eta = M(xi), piecewise linear and rounded off, with M(xi_j) = eta_j at every gate.

Within a core of a few units of xi around a gate the slope stays what it was, so that a layer that travels stands still
among its sites; the slopes between the cores give way.

M(xi) = k_0 xi + sum_i (k_(i+1) - k_i) (R(xi - knot_i) - R(-knot_i)), R a ramp rounded off over ROUNDED units of xi.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gated_xtfc.types import Array

ROUNDED = 1.5
CORE = 8.0  # half-width of a core, in xi
SHARE = 0.4  # of the way to the next gate, at most
NEAR = 4.0  # a gate this close to an end is held by the end


def ramp(z: Array) -> tuple[Array, Array, Array]:
    """max(z, 0), rounded off, with its first two derivatives."""
    z = z / ROUNDED
    small = np.exp(-np.abs(z))
    first = np.where(z > 0.0, 1.0, small) / (1.0 + small)
    return ROUNDED * (np.maximum(z, 0.0) + np.log1p(small)), first, small / (1.0 + small) ** 2 / ROUNDED


@dataclass(frozen=True)
class Pins:
    """Where gates are held, and how far their cores reach."""

    eta: Array  # (g,)
    slope: float  # of eta inside the cores
    left: Array  # (g,), reach of each core in xi
    right: Array
    at_left_end: bool  # whether the first gate is held by the end itself
    at_right_end: bool

    @classmethod
    def at(cls, xi: Array, length: float) -> "Pins | None":
        """Pins for gates at xi (g,), in order, where they stand now; none where there is no gate."""
        if not xi.size:
            return None
        first, last = bool(xi[0] < NEAR), bool(xi[-1] > length - NEAR)
        bounds = np.concatenate([[-np.inf if first else 0.0], xi, [np.inf if last else length]])
        gaps = np.diff(bounds)
        left, right = np.minimum(CORE, SHARE * gaps[:-1]), np.minimum(CORE, SHARE * gaps[1:])
        return cls(xi / length, 1.0 / length, left, right, first, last)

    @property
    def reach(self) -> Array:
        """Of both sides of every core, (2g,)."""
        found: Array = np.stack([-self.left, self.right], axis=1).ravel()
        return found


class Bent(NamedTuple):
    """M over some stages s: its slopes and knots, and how they follow the gates (place, thickness), d = 2g."""

    slopes: Array  # (s, 2g + 1)
    knots: Array  # (s, 2g)
    slopes_by_gate: Array  # (s, 2g + 1, d)
    knots_by_gate: Array  # (s, 2g, d)

    def __call__(self, xi: Array) -> tuple[Array, Array, Array]:
        """eta and its first two derivatives at xi (s, n)."""
        value, first, second = ramp(xi[:, :, None] - self.knots[:, None, :])
        steps = np.diff(self.slopes, axis=1)[:, :, None]
        start = ramp(-self.knots)[0][:, None, :]
        k = self.slopes[:, :1]
        return k * xi + ((value - start) @ steps)[..., 0], k + (first @ steps)[..., 0], (second @ steps)[..., 0]

    def by_gate(self, xi: Array) -> Array:
        """d eta / d gate at fixed xi (s, n): (s, d, n)."""
        ramps, first = _from_zero(xi, self.knots)
        moved = (first * np.diff(self.slopes, axis=1)[:, None, :]) @ self.knots_by_gate
        turned = _basis(xi, ramps) @ self.slopes_by_gate
        found: Array = (moved + turned).transpose(0, 2, 1)
        return found


def _from_zero(xi: Array, knots: Array) -> tuple[Array, Array]:
    """R(xi - knot) - R(-knot), and its derivative by the knot: (s, n, 2g)."""
    value, slope, _ = ramp(xi[:, :, None] - knots[:, None, :])
    start, at_start, _ = ramp(-knots)
    return value - start[:, None, :], at_start[:, None, :] - slope


def _basis(xi: Array, ramps: Array) -> Array:
    """d eta / d slope: (s, n, 2g + 1)."""
    whole = np.concatenate([xi[:, :, None], ramps], axis=2)
    whole[:, :, :-1] -= ramps
    return whole


def bent(pins: Pins, xi: Array, length: Array, xi_by_gate: Array, length_by_gate: Array) -> Bent:
    """M for gates at xi (s, g) and ends at length (s,), whose derivatives by the gates are (s, g, d) and (s, d)."""
    count, g = xi.shape
    twice = np.repeat(np.arange(g), 2)
    knots, knots_by_gate = xi[:, twice] + pins.reach, xi_by_gate[:, twice]
    points = np.concatenate([xi, length[:, None]], axis=1)
    points_by_gate = np.concatenate([xi_by_gate, length_by_gate[:, None]], axis=1)
    ramps, by_knot = _from_zero(points, knots)
    basis = _basis(points, ramps)
    matrix = basis[:, :, 0::2].copy()
    target = np.append(pins.eta, 1.0) - pins.slope * basis[:, :, 1::2].sum(axis=2)
    # no room between a gate and its end: there the slope is that of the core, and the end holds the gate
    held = [(0, 0)] * pins.at_left_end + [(g - 1, g)] * (pins.at_right_end and not (g == 1 and pins.at_left_end))
    for row, column in held:
        matrix[:, row] = 0.0
        matrix[:, row, column] = 1.0
        target[:, row] = pins.slope
    slopes = np.full((count, 2 * g + 1), pins.slope)
    slopes[:, 0::2] = np.linalg.solve(matrix, target[..., None])[..., 0]
    first = _basis_slope(points, knots) @ slopes[..., None]
    change = first * points_by_gate + (by_knot * np.diff(slopes, axis=1)[:, None, :]) @ knots_by_gate
    for row, _ in held:
        change[:, row] = 0.0
    slopes_by_gate = np.zeros((count, 2 * g + 1, points_by_gate.shape[2]))
    slopes_by_gate[:, 0::2] = -np.linalg.solve(matrix, change)
    return Bent(slopes, knots, slopes_by_gate, knots_by_gate)


def _basis_slope(xi: Array, knots: Array) -> Array:
    """d^2 eta / (d slope d xi): (s, n, 2g + 1)."""
    first = ramp(xi[:, :, None] - knots[:, None, :])[1]
    whole = np.concatenate([np.ones((*xi.shape, 1)), first], axis=2)
    whole[:, :, :-1] -= first
    return whole
