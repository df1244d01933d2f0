"""The field under the posterior: interpolated between the nodes, for every x with the same weights as at the sensors.

u(x; s) = sum_k r_k(s) u_k(x):   mean = E[r] u(x),   variance = u(x)' Cov[r] u(x)
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from gated_xtfc.inverse.measure import Measure
from gated_xtfc.inverse.nodes import Fields
from gated_xtfc.types import Array


class Interpolation(Protocol):
    @property
    def places(self) -> Array: ...

    def rows(self, points: Array) -> Array: ...


class FieldModel(Protocol):
    @property
    def member(self) -> Fields:
        """A solution that stands for all: where its layers are, theirs are."""

    def moments(self, x: Array, field: int, order: int) -> tuple[Array, Array]:
        """Mean and standard deviation of u^(order) at x, (n,) each."""

    def draws(self, x: Array, field: int, order: int) -> Array:
        """u^(order) at x for draws from the posterior, (draws, n)."""

    def slopes(self, x: Array, field: int, order: int, count: int) -> Array:
        """d u^(order)(x) / d place at up to `count` draws, (draws, n, p)."""


@dataclass(frozen=True)
class Interpolated:
    interpolation: Interpolation
    nodes: tuple[Fields, ...]
    measure: Measure
    drawn: Array  # (draws, p) places
    fields: int  # of the problem

    @property
    def member(self) -> Fields:
        mean = self.measure.weights @ self.measure.points
        return self.nodes[
            int(np.argmin(np.linalg.norm(self.interpolation.places.reshape(-1, mean.size) - mean, axis=1)))
        ]

    def values(self, x: Array, field: int, order: int) -> Array:
        """Fields and slopes of all nodes at x, (k (1 + p), n)."""
        return np.concatenate([node.at(x, field, order, self.fields).T for node in self.nodes])

    @cached_property
    def _weights(self) -> tuple[Array, Array]:
        rows = self.interpolation.rows(self.measure.points)
        mean = self.measure.weights @ rows
        away = rows - mean
        return mean, (away * self.measure.weights[:, None]).T @ away

    def moments(self, x: Array, field: int, order: int) -> tuple[Array, Array]:
        values = self.values(x, field, order)
        mean, covariance = self._weights
        variance = np.einsum("kn,kn->n", values, covariance @ values)
        return mean @ values, np.sqrt(np.maximum(variance, 0.0))

    def draws(self, x: Array, field: int, order: int) -> Array:
        found: Array = self.interpolation.rows(self.drawn) @ self.values(x, field, order)
        return found

    def slopes(self, x: Array, field: int, order: int, count: int) -> Array:
        """By differences of the interpolation."""
        values, places = self.values(x, field, order), self.drawn[:count]
        low, high = self.measure.points.min(axis=0), self.measure.points.max(axis=0)
        found = np.zeros((places.shape[0], x.size, places.shape[1]))
        for i in range(places.shape[1]):
            below, above = places.copy(), places.copy()
            step = 1e-4 * max(high[i] - low[i], 1e-12)
            below[:, i] = np.maximum(below[:, i] - step, low[i])
            above[:, i] = np.minimum(above[:, i] + step, high[i])
            width = (above[:, i] - below[:, i])[:, None]
            found[:, :, i] = (self.interpolation.rows(above) - self.interpolation.rows(below)) @ values / width
        return found
