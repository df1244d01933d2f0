"""A linear problem on a rectangle as the published method needs it: sum a_pq(x, y) d^(p+q)u/dx^p dy^q = source."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from gated_xtfc.problem.domain import Axis
from gated_xtfc.published.bubbles import Orders
from gated_xtfc.types import Array


class Operator(Protocol):
    def __call__(self, x: Array, y: Array) -> tuple[Mapping[Orders, Array | float], Array]:
        """Coefficients and source at (x, y), which broadcast, and so do these."""
        ...


class Lift(Protocol):
    def __call__(self, x: Array, y: Array, orders: Orders) -> Array:
        """A function with the values asked for on the four sides, or a derivative of it, at (x, y), which broadcast."""
        ...


@dataclass(frozen=True, eq=False)
class Rectangle:
    axes: tuple[Axis, Axis]
    operator: Operator
    lift: Lift | None = None  # None: zero on the sides
