"""A surrogate evaluates like a solution but certifies nothing: what a baseline hands back."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from gated_xtfc.operator.linearise import Jets, Operator
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solution.component import Component
from gated_xtfc.types import Array

Facts = Mapping[str, Any]  # by name
TEST_POINTS = 20_000  # the paper's test grid, uniform


@dataclass(frozen=True, eq=False)
class Surrogate:
    name: str
    problem: Problem  # with one field
    evaluate: Callable[[Array, int], Array]  # (points (n,), order) -> (n,)
    neurons: int
    points: int  # training points
    seconds: float
    settings: Facts  # what would be needed to do it again, ready for JSON
    details: Facts = field(default_factory=dict)  # what happened: numbers, and arrays for figures
    status: str = "surrogate"

    @overload
    def __call__(self, x: float, order: int = 0) -> float: ...
    @overload
    def __call__(self, x: ArrayLike, order: int = 0) -> Array: ...
    def __call__(self, x: ArrayLike, order: int = 0) -> float | Array:
        """u^(order) at x: a float for a number, an array of the same shape for an array."""
        return self._component(self.problem.order[self.problem.fields[0]], self.evaluate)(x, order)

    def residual(self, x: ArrayLike) -> float | Array:
        """The left side of the equation less its right side at x."""
        return self._component(0, lambda points, _: self._residual(points))(x)

    def max_error(self, x: ArrayLike | None = None) -> float | None:
        """max|u - exact| at x, by default at 20,000 uniform points; None where the exact solution is not known."""
        errors = self._errors(x)
        return None if errors is None else float(errors.max())

    def mean_error(self, x: ArrayLike | None = None) -> float | None:
        """The mean error, on the same points as `max_error`."""
        errors = self._errors(x)
        return None if errors is None else float(errors.mean())

    def _errors(self, x: ArrayLike | None) -> Array | None:
        exact = self.problem.exact
        if exact is None:
            return None
        (axis,) = self.problem.axes
        points = np.linspace(axis.left, axis.right, TEST_POINTS) if x is None else np.asarray(x, dtype=float).ravel()
        errors: Array = np.abs(self(points) - exact(points))
        return errors

    def _residual(self, points: Array) -> Array:
        order = self.problem.order[self.problem.fields[0]]
        jets: Jets = [{(j,): self.evaluate(points, j) for j in range(order + 1)}]
        residual = Operator(self.problem).residuals((points,), jets)[0]
        values: Array = np.zeros_like(points) + residual.value
        return values

    def _component(self, highest: int, function: Callable[[Array, int], Array]) -> Component:
        return Component(self.problem.axes, highest, lambda points, orders: function(points[0], orders[0]))
