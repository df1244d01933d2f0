"""A function on the domain of a solution: numbers in, numbers out; arrays in, arrays out; outside, an error."""

from __future__ import annotations  # help() shows types as they are written here

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from gated_xtfc.errors import InputError
from gated_xtfc.operator.linearise import Points
from gated_xtfc.problem.domain import Axis
from gated_xtfc.types import Array, Orders


@dataclass(frozen=True)
class Component:
    """One field, or a quantity made of it, as a function of the coordinates.

    Call it with one value or array for each coordinate; they broadcast. The order of a derivative may follow: a number
    with one coordinate, ``v(x, 1)``, otherwise one number for each, ``u(x, y, (1, 0))``.
    """

    axes: tuple[Axis, ...]
    highest: int  # order of a derivative along one coordinate
    function: Callable[[Points, Orders], Array]  # at points (n,), giving (n,) or several rows of them

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
            return float(values[0]) if values.ndim == 1 else values[:, 0]
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


def checked_places(axis: Axis, given: ArrayLike) -> Array:
    """Places on an axis as an array; refuses what is no number, and what is outside."""
    try:
        points = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"{axis.name} must be a number or an array of numbers, not {type(given).__name__}") from None
    # written so that a NaN is refused too
    outside = ~((points >= axis.left) & (points <= axis.right))
    if np.any(outside):
        worst = points[outside].flat[0]
        raise InputError(f"{axis.name} = {worst:.6g} is outside the domain [{axis.left:.6g}, {axis.right:.6g}]")
    return points
