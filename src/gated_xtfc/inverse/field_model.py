"""The field under the posterior: interpolated between the nodes, for every x with the same weights as at the sensors.

u(x; s) = sum_k r_k(s) u_k(x):   mean = E[r] u(x),   variance = u(x)' Cov[r] u(x)
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from gated_xtfc.discretise.chart import Chart
from gated_xtfc.inverse.evolving import TravellingFields
from gated_xtfc.inverse.interpolation import Interpolation
from gated_xtfc.inverse.measure import Measure
from gated_xtfc.inverse.node import AnyFields
from gated_xtfc.types import Array


class FieldModel(Protocol):
    """What a posterior knows of the field, without a further solve."""

    @property
    def chart(self) -> Chart:
        """The gated coordinate of one member that stands for all: where its layers are, theirs are."""

    def moments(self, x: Array, field: int, order: int) -> tuple[Array, Array]:
        """Mean and standard deviation of u^(order) at x, (n,) each."""

    def draws(self, x: Array, field: int, order: int) -> Array:
        """u^(order) at x for draws from the posterior, (draws, n)."""

    def slopes(self, x: Array, field: int, order: int, count: int) -> Array:
        """d u^(order)(x) / d place at up to `count` draws, (draws, n, p)."""


@dataclass(frozen=True)
class InterpolatedField:
    """The field where the equation is exact."""

    interpolation: Interpolation
    nodes: tuple[AnyFields, ...]
    measure: Measure
    drawn: Array  # (draws, p) places

    @property
    def chart(self) -> Chart:
        """That of the node nearest to the mean."""
        node = self.nearest
        assert not isinstance(node, TravellingFields)
        return node.chart

    @property
    def nearest(self) -> AnyFields:
        """The node nearest to the mean."""
        mean = self.measure.mean
        away = self.interpolation.places.reshape(-1, mean.size) - mean
        return self.nodes[int(np.argmin(np.linalg.norm(away, axis=1)))]

    def moments(self, x: Array, field: int, order: int) -> tuple[Array, Array]:
        values = self._values(x, field, order)
        mean, covariance = self._weights
        variance = np.einsum("kn,kn->n", values, covariance @ values)
        return mean @ values, np.sqrt(np.maximum(variance, 0.0))

    def draws(self, x: Array, field: int, order: int) -> Array:
        return self.interpolation.at(self.drawn, self._values(x, field, order))

    def slopes(self, x: Array, field: int, order: int, count: int) -> Array:
        """By differences of the interpolation."""
        values, places = self._values(x, field, order), self.drawn[:count]
        low, high = self.measure.points.min(axis=0), self.measure.points.max(axis=0)
        found = np.zeros((places.shape[0], x.shape[-1], places.shape[1]))
        for i in range(places.shape[1]):
            below, above = places.copy(), places.copy()
            step = 1e-4 * max(high[i] - low[i], 1e-12)
            below[:, i] = np.maximum(below[:, i] - step, low[i])
            above[:, i] = np.minimum(above[:, i] + step, high[i])
            width = (above[:, i] - below[:, i])[:, None]
            found[:, :, i] = (self.interpolation.at(above, values) - self.interpolation.at(below, values)) / width
        return found

    def _values(self, x: Array, field: int, order: int) -> Array:
        """Fields and slopes of all nodes at x, (k (1 + p), n)."""
        return np.concatenate([node.at(x, field, order).T for node in self.nodes])

    @cached_property
    def _weights(self) -> tuple[Array, Array]:
        """Mean and covariance of the nodes' weights r over the posterior."""
        return self.interpolation.moments(self.measure.points, self.measure.weights)
