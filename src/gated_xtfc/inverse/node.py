"""Members of the family that were solved, and how well they explain the data.

A node is one member: its fields with what each parameter does to them, and what the sensors see of both. The target is
the log posterior, as far as predictions and places are enough to know it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Union

import numpy as np

from gated_xtfc.discretise.chart import Chart
from gated_xtfc.discretise.element_sum import ElementSum
from gated_xtfc.inverse.noise import Noise
from gated_xtfc.inverse.priors import Prior
from gated_xtfc.solver.interval.fit import IntervalFit
from gated_xtfc.types import Array

if TYPE_CHECKING:
    from gated_xtfc.inverse.evolving import TravellingFields

AnyFields = Union["Fields", "ElementFields", "TravellingFields"]


@dataclass(frozen=True)
class CentralDifference:
    """A parameter that moves a place, such as a jump: the solutions on both sides stand in for its sensitivity."""

    parameter: int
    below: "AnyFields"
    above: "AnyFields"
    width: float  # their distance on the unit scale

    def at(self, x: Array, field: int, order: int) -> Array:
        """d u^(order) / d place at x, (n,)."""
        low, high = (side.at(x, field, order)[:, 0] for side in (self.below, self.above))
        slope: Array = (high - low) / self.width
        return slope


@dataclass(frozen=True)
class Fields:
    """The fields of one member and what each parameter does to them, as kernel weights."""

    chart: Chart
    weights: Array  # (1 + parameters, columns): u, then du/ds for every parameter, s on the unit scale
    differences: tuple[CentralDifference, ...] = ()

    def at(self, x: Array, field: int, order: int) -> Array:
        """u^(order) and its sensitivities at x, (n, 1 + parameters)."""
        kernels = self.chart.basis.matrix(self.chart.translated(x), order)
        found: Array = kernels @ self.weights[:, field :: self.count].T
        for one in self.differences:
            found[:, 1 + one.parameter] = one.at(x, field, order)
        return found

    def kernels(self, x: Array, field: int, order: int) -> Array:
        """What each weight adds to u^(order) at x, (n, columns)."""
        found = np.zeros((x.size, self.weights.shape[1]))
        found[:, field :: self.count] = self.chart.basis.matrix(self.chart.translated(x), order)
        return found

    @property
    def count(self) -> int:
        """Fields of the problem; their weights alternate."""
        return int(self.weights.shape[1] // self.chart.basis.size)


@dataclass(frozen=True)
class ElementFields:
    """The same on elements: u, then du/ds for every parameter, all on the same ones."""

    function: ElementSum  # fields, then what each parameter does to them, as if these were further fields
    count: int  # fields of the problem

    @classmethod
    def of(cls, function: ElementSum, slopes: Array) -> "ElementFields":
        """From the fields and the coefficients of their slopes, (parameters, K, F, p + 1)."""
        coefficients = np.concatenate([function.coefficients, *slopes], axis=1)
        orders = function.orders * (1 + len(slopes))
        found = ElementSum(function.coordinates, function.elements, orders, coefficients)
        found.freeze()
        return cls(found, len(function.orders))

    @property
    def chart(self) -> Chart:
        """The gated coordinate."""
        return self.function.chart

    @property
    def parts(self) -> tuple[ElementSum, Array]:
        """What it was made of."""
        every, count = self.function.coefficients, self.count
        alone = replace(self.function, orders=self.function.orders[:count], coefficients=every[:, :count])
        return alone, np.stack([every[:, k : k + count] for k in range(count, every.shape[1], count)])

    def at(self, x: Array, field: int, order: int) -> Array:
        """u^(order) and its sensitivities at x, (n, 1 + parameters)."""
        columns = range(field, len(self.function.orders), self.count)
        return np.stack([self.function(k, x, order) for k in columns], axis=1)


@dataclass(frozen=True)
class Node:
    """One solved member of the family."""

    place: Array  # (parameters,) on the unit scales
    prediction: Array  # (observations,)
    slopes: Array  # (observations, parameters) d prediction / d place
    fields: "AnyFields"
    error: float  # of the prediction, in standard deviations of the noise: the certificate's estimate
    found: IntervalFit | None = field(repr=False, compare=False)  # of a problem that was solved with kernels

    @cached_property
    def columns(self) -> Array:
        """Prediction and slopes, (1 + parameters, observations)."""
        return np.vstack([self.prediction, self.slopes.T])


def stacked(nodes: Sequence[Node]) -> Array:
    """Predictions and slopes of nodes as columns of data, (k (1 + p), n)."""
    return np.concatenate([node.columns for node in nodes])


@dataclass(frozen=True)
class Target:
    """The log posterior, not normalised, from predictions and places."""

    y: Array  # (n,)
    noise: Noise
    priors: Mapping[str, Prior]

    def log_prior(self, points: Array) -> Array:
        """On the unit scales, (k,) for points (k, p)."""
        densities = [prior.log_density_on_scale(points[:, i]) for i, prior in enumerate(self.priors.values())]
        total: Array = np.sum(densities, axis=0)
        return total

    def log_likelihood(self, predictions: Array) -> Array:
        """(k,) for predictions (k, n)."""
        return self.noise.log_likelihood(self.y - predictions)

    def at(self, node: Node) -> float:
        """The log posterior at a node."""
        prior = self.log_prior(node.place[None, :])
        return float(self.log_likelihood(node.prediction[None, :])[0] + prior[0])

    def weights(self, prediction: Array) -> Array:
        """(n,) square roots of the precisions at this prediction."""
        found: Array = np.sqrt(self.noise.precision(self.y - prediction))
        return found

    def focused(self, prediction: Array) -> "Target":
        """With unknown scales of Student's t integrated around what this prediction suggests."""
        return replace(self, noise=self.noise.focused(self.y - prediction))
