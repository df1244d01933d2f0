"""A function on the domain of a solution: numbers in, numbers out; arrays in, arrays out; outside, an error."""

from __future__ import annotations  # help() shows types as they are written here

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from gated_xtfc.discretise.chart import Chart
from gated_xtfc.errors import InputError
from gated_xtfc.operator.linearise import Points
from gated_xtfc.problem.domain import Axis
from gated_xtfc.solution.calculus import Calculus
from gated_xtfc.solution.curve import Curve
from gated_xtfc.solution.places import checked_places
from gated_xtfc.types import Array, Orders


@dataclass(frozen=True, eq=False)
class Component(Calculus):
    """One field, or a quantity made of it, as a function of the coordinates.

    Call it with one value or array for each coordinate; they broadcast. The order of a derivative may follow: a number
    with one coordinate, ``v(x, 1)``, otherwise one number for each, ``u(x, y, (1, 0))``. On an interval it has
    integrals, roots, extremes, derivatives and arithmetic like a solution; `error` is estimated, in its own units.
    """

    axes: tuple[Axis, ...]
    highest: int  # order of a derivative along one coordinate
    function: Callable[[Points, Orders], Array]  # at points (n,), giving (n,) or several rows of them
    charts: tuple[Chart, ...] = ()  # whose gated coordinates resolve it
    error: float = 0.0

    @overload
    def __call__(self, x: float, /, *rest: float | Orders) -> float: ...
    @overload
    def __call__(self, x: ArrayLike, /, *rest: ArrayLike) -> Array: ...
    def __call__(self, x: ArrayLike, /, *rest: Any) -> float | Array:
        count = len(self.axes)
        places = (x, *rest[: count - 1])
        if len(places) < count or len(rest) > count:
            names = " and ".join(axis.name for axis in self.axes)
            raise InputError(f"give {names}, and the order of a derivative where one is wanted")
        orders = self._orders(rest[count - 1]) if len(rest) == count else (0,) * count
        points = [checked_places(axis, given) for axis, given in zip(self.axes, places, strict=True)]
        try:
            shape = np.broadcast_shapes(*(one.shape for one in points))
        except ValueError:
            shapes = " and ".join(str(one.shape) for one in points)
            raise InputError(f"arrays of the shapes {shapes} do not go together") from None
        values = self.function(tuple(np.broadcast_to(one, shape).ravel() for one in points), orders)
        if shape == ():
            return values[0].item() if values.ndim == 1 else values[:, 0]
        shaped: Array = values.reshape(values.shape[:-1] + shape)
        return shaped

    def _orders(self, given: Any) -> Orders:
        if len(self.axes) == 1:
            if not (isinstance(given, int | np.integer) and 0 <= given <= self.highest):
                raise InputError(f"derivative order {given!r} was asked for: orders 0 to {self.highest} are available")
            return (int(given),)
        whole = isinstance(given, tuple) and len(given) == len(self.axes)
        if not whole or not all(isinstance(o, int | np.integer) and 0 <= o <= self.highest for o in given):
            example = (1, *(0 for _ in self.axes[1:]))
            raise InputError(
                f"derivative orders {given!r} were asked for: give one for each coordinate, such as {example}, "
                f"from 0 to {self.highest}"
            )
        return tuple(int(o) for o in given)

    def _curve(self) -> Curve:
        if len(self.axes) > 1 or not self.charts:
            raise InputError("integrals, roots, extremes and arithmetic are known of solutions on an interval only")

        def function(x: Array, order: int) -> Array:
            return self.function((x,), (order,))

        return Curve(self.charts[0].window(self.axes[0]), self.charts, function, self.highest, self.error)

    def _as_function(self, curve: Curve) -> Component:
        return of_curve(curve)


def of_curve(curve: Curve) -> Component:
    """A curve as a function of the user's."""

    def function(points: Points, orders: Orders) -> Array:
        return curve.function(points[0], orders[0])

    return Component((curve.axis,), curve.highest, function, curve.charts, curve.error)
