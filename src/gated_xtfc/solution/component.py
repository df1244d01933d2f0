"""A function on the domain of a solution: numbers in, numbers out; arrays in, arrays out; outside, an error."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import ArrayLike

from gated_xtfc.errors import InputError
from gated_xtfc.types import Array


@dataclass(frozen=True)
class Component:
    """`function(points, order)` on left .. right, for orders up to `highest`."""

    left: float
    right: float
    highest: int
    function: Callable[[Array, int], Array]

    @overload
    def __call__(self, x: float, order: int = 0) -> float: ...
    @overload
    def __call__(self, x: ArrayLike, order: int = 0) -> Array: ...
    def __call__(self, x: ArrayLike, order: int = 0) -> float | Array:
        if not (isinstance(order, int | np.integer) and 0 <= order <= self.highest):
            raise InputError(f"derivative order {order!r} was asked for: orders 0 to {self.highest} are available")
        try:
            points = np.asarray(x, dtype=float)
        except (TypeError, ValueError):
            raise InputError(f"x must be a number or an array of numbers, not {type(x).__name__}") from None
        # written so that a NaN is refused too
        outside = ~((points >= self.left) & (points <= self.right))
        if np.any(outside):
            worst = points[outside].flat[0]
            raise InputError(f"x = {worst:.6g} is outside the domain [{self.left:.6g}, {self.right:.6g}]")
        values = self.function(points.ravel(), int(order))
        if points.ndim == 0:
            return float(values[0]) if values.ndim == 1 else values[:, 0]
        shaped: Array = values.reshape(values.shape[:-1] + points.shape)
        return shaped
