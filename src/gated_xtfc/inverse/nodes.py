"""Solved members of the family: the field with what each parameter does to it, and what the sensors see of both."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from gated_xtfc.discretise.chart import Chart
from gated_xtfc.solver.interval.fit import IntervalFit
from gated_xtfc.types import Array


@dataclass(frozen=True)
class Fields:
    """A solution and what each parameter does to it, as kernel weights."""

    chart: Chart
    weights: Array  # (1 + parameters, columns): u, then du/ds for every parameter, s on the unit scale
    # parameters that move a place: number, solutions on both sides, their distance on the unit scale
    sides: tuple[tuple[int, "Fields", "Fields", float], ...] = ()

    def at(self, x: Array, field: int, order: int, fields: int) -> Array:
        """u^(order) and its sensitivities at x, (n, 1 + parameters)."""
        found: Array = self.chart.basis.matrix(self.chart.inward(x), order) @ self.weights[:, field::fields].T
        for i, below, above, width in self.sides:
            low, high = (side.at(x, field, order, fields)[:, 0] for side in (below, above))
            found[:, 1 + i] = (high - low) / width
        return found


@dataclass(frozen=True)
class Node:
    """One solved member of the family."""

    place: Array  # (parameters,) on the unit scales
    prediction: Array  # (observations,)
    slopes: Array  # (observations, parameters) d prediction / d place
    fields: Fields
    error: float  # of the prediction, in standard deviations of the noise: the certificate's estimate
    found: IntervalFit = field(repr=False, compare=False)


def stacked(nodes: Sequence[Node]) -> Array:
    """Predictions and slopes of nodes as columns of data, (k (1 + p), n)."""
    return np.concatenate([np.vstack([node.prediction, node.slopes.T]) for node in nodes])
