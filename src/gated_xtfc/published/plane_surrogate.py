"""What the published method hands back on a rectangle: it evaluates like a solution and certifies nothing."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from gated_xtfc.baselines.surrogate import Facts
from gated_xtfc.errors import InputError
from gated_xtfc.published.bubbles import HIGHEST, Bubbles
from gated_xtfc.published.rectangle import Rectangle
from gated_xtfc.types import Array, Orders


@dataclass(frozen=True, eq=False)
class PlaneSurrogate:
    name: str
    rectangle: Rectangle
    features: Bubbles
    weights: Array  # (neurons,)
    points: int  # training points
    seconds: float
    settings: Facts  # what would be needed to do it again, ready for JSON
    details: Facts = field(default_factory=dict)  # what happened: numbers, and arrays for figures
    status: str = "surrogate"

    @property
    def neurons(self) -> int:
        return self.features.size

    def __call__(self, x: ArrayLike, y: ArrayLike, orders: Orders = (0, 0)) -> float | Array:
        """u, or its derivative by x and y of these orders, at (x, y), which broadcast: a float for two numbers."""
        if sum(orders) > HIGHEST or min(orders) < 0:
            raise InputError(f"derivatives of orders {orders} were asked for: together they may be 0 to {HIGHEST}")
        values = self._at(*self._inside(x, y), orders)
        return float(values) if values.ndim == 0 else values

    def residual(self, x: ArrayLike, y: ArrayLike) -> float | Array:
        """left side - right side of the equation at (x, y), which broadcast."""
        a, b = self._inside(x, y)
        values = self._residual(a, b, lambda orders: self._at(a, b, orders))
        return float(values) if values.ndim == 0 else values

    def on_grid(self, x: Array, y: Array, orders: Orders = (0, 0)) -> Array:
        """The values of a call on the tensor grid of x (nx,) and y (ny,), (nx, ny), by one matrix product."""
        values = self.features.on_grid(x, y, orders, self.weights)
        return values if self.rectangle.lift is None else values + self.rectangle.lift(x[:, None], y, orders)

    def grid_residual(self, x: Array, y: Array) -> Array:
        """The residual on a tensor grid, (nx, ny)."""
        return self._residual(x[:, None], y, lambda orders: self.on_grid(x, y, orders))

    def _residual(self, x: Array, y: Array, derivative: Callable[[Orders], Array]) -> Array:
        coefficients, source = self.rectangle.operator(x, y)
        found = -source
        for orders, values in coefficients.items():
            found = found + values * derivative(orders)
        return found

    def _at(self, x: Array, y: Array, orders: Orders) -> Array:
        full_x, full_y = np.broadcast_arrays(x, y)
        values = self.features.at(full_x.ravel(), full_y.ravel(), orders, self.weights).reshape(full_x.shape)
        return values if self.rectangle.lift is None else values + self.rectangle.lift(full_x, full_y, orders)

    def _inside(self, x: ArrayLike, y: ArrayLike) -> tuple[Array, Array]:
        points = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
        for axis, one in zip(self.rectangle.axes, points, strict=True):
            outside = ~((one >= axis.left) & (one <= axis.right))  # so that a NaN is refused too
            if np.any(outside):
                worst = one[outside].flat[0]
                raise InputError(f"{axis.name} = {worst:.6g} is outside the domain [{axis.left:.6g}, {axis.right:.6g}]")
        return points
