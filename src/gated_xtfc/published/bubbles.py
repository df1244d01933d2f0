"""Gaussians that vanish on the sides of a rectangle: G(x, y) phi_i(x, y), G = (x-a)(b-x)(y-c)(d-y)/(lengths^2).

Each is a function of x times one of y, f_i(x) = (x-a)(b-x)/(b-a)^2 exp(-m_i^2 (x-x_i)^2), though not on a grid of
centres: a tensor grid of points costs two matrices of one axis each.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from gated_xtfc.problem.domain import Axis
from gated_xtfc.types import Array, Orders

HIGHEST = 2
CHUNK = 4_000_000  # entries of a matrix of features at a time


@dataclass(frozen=True, eq=False)
class Bubbles:
    axes: tuple[Axis, Axis]
    centres: Array  # (2, m)
    slopes: Array  # (m,)

    @property
    def size(self) -> int:
        return self.slopes.size

    def factors(self, side: int, points: Array) -> list[Array]:
        """f_i and its first two derivatives along one axis, each (n, m)."""
        axis, square = self.axes[side], self.slopes**2
        away = points[:, None] - self.centres[side]
        low, high = (points - axis.left)[:, None] / axis.length, (axis.right - points)[:, None] / axis.length
        value, slope, bend = low * high, (high - low) / axis.length, -2.0 / axis.length**2
        bell = np.exp(-square * away * away)
        first = -2.0 * square * away
        second = first * first - 2.0 * square
        return [value * bell, (slope + value * first) * bell, (bend + 2.0 * slope * first + value * second) * bell]

    def rows(self, x: Array, y: Array, coefficients: Mapping[Orders, Array | float]) -> Array:
        """The operator with these coefficients, which broadcast to (nx, ny), of every feature: (nx ny, m)."""
        along_x, along_y = self.factors(0, x), self.factors(1, y)
        found = np.zeros((x.size, y.size, self.size))
        for (p, q), values in coefficients.items():
            term = along_x[p][:, None, :] * along_y[q]
            term *= np.broadcast_to(values, (x.size, y.size))[:, :, None]
            found += term
        return found.reshape(-1, self.size)

    def on_grid(self, x: Array, y: Array, orders: Orders, weights: Array) -> Array:
        """The sum of c_i f_i, or a derivative of it, on a tensor grid, (nx, ny)."""
        return (self.factors(0, x)[orders[0]] * weights) @ self.factors(1, y)[orders[1]].T

    def at(self, x: Array, y: Array, orders: Orders, weights: Array) -> Array:
        """The sum of c_i f_i, or a derivative of it, at points, (n,)."""
        step = max(1, CHUNK // max(1, self.size))
        found = np.empty(x.size)
        for start in range(0, x.size, step):
            part = slice(start, start + step)
            found[part] = (self.factors(0, x[part])[orders[0]] * self.factors(1, y[part])[orders[1]]) @ weights
        return found
