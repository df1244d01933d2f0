"""Between nodes on a line: cubics that agree with values and slopes at both ends of their interval."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gated_xtfc.types import Array, Index

Four = tuple[Array, Array, Array, Array]


@dataclass(frozen=True)
class Hermite:
    places: Array  # (k,) increasing

    def intervals(self, points: Array) -> Index:
        """The interval each point (n,) falls into."""
        return np.clip(np.searchsorted(self.places, points, side="right") - 1, 0, self.places.size - 2)

    def rows(self, points: Array) -> Array:
        """What multiplies values and slopes of the nodes, (n, 2 k): value 0, slope 0, value 1, slope 1, ..."""
        return self._rows(points[:, 0], value)

    def slope_rows(self, points: Array) -> Array:
        """The same for the derivative in s."""
        return self._rows(points[:, 0], slope)

    def _rows(self, points: Array, polynomials: Callable[[Array, Array], Four]) -> Array:
        cell = self.intervals(points)
        width = self.places[cell + 1] - self.places[cell]
        found = np.zeros((points.size, 2 * self.places.size))
        line = np.arange(points.size)
        for offset, factor in enumerate(polynomials((points - self.places[cell]) / width, width)):
            found[line, 2 * cell + offset] = factor
        return found


def value(t: Array, width: Array) -> Four:
    rest = 1.0 - t
    return (1.0 + 2.0 * t) * rest**2, width * t * rest**2, t**2 * (3.0 - 2.0 * t), -width * t**2 * rest


def slope(t: Array, width: Array) -> Four:
    rest = 1.0 - t
    return -6.0 * t * rest / width, rest * (1.0 - 3.0 * t), 6.0 * t * rest / width, t * (3.0 * t - 2.0)
