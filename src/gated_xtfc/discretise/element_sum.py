"""The functions behind a solution on elements: a polynomial in each, joined as smoothly as the order asks for."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from gated_xtfc.core import compiled
from gated_xtfc.discretise.chart import Chart
from gated_xtfc.discretise.element_basis import hermite_monomials, shape_functions
from gated_xtfc.discretise.gaussian import Gaussian, Piecewise
from gated_xtfc.discretise.partition import Partition
from gated_xtfc.gates.coordinate import AxisCoordinates
from gated_xtfc.operator.polynomials import Packed
from gated_xtfc.types import Array, Orders

CHART = 1.5  # kernels a width, had there been kernels: no number of the solution depends on it


@dataclass(frozen=True, eq=False)
class ElementSum:
    """Called with the number of a field, points, and the order of a derivative, as a sum of kernels is."""

    made_for: AxisCoordinates  # the gated coordinates that the elements followed at first
    elements: Partition
    orders: tuple[int, ...]  # of every field
    coefficients: Array  # (K, F, p + 1), of the shape functions
    asked: Callable[[], AxisCoordinates] | None = None  # those that the solution asks for, where they are others

    @cached_property
    def coordinates(self) -> AxisCoordinates:
        """The gated coordinates that the elements follow; no number of the solution depends on them."""
        if self.asked is None:
            return self.made_for
        with np.errstate(all="ignore"):
            return self.asked()

    def __getstate__(self) -> dict[str, Any]:
        """With coordinates in the place of what finds them."""
        return {**self.__dict__, "made_for": self.coordinates, "asked": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Unpickled arrays would be writable."""
        self.__dict__.update(state)
        self.freeze()

    def freeze(self) -> None:
        """Makes all arrays read-only."""
        for values in (*self.elements, self.coefficients):
            values.setflags(write=False)

    def stretched(self, left: float, length: float) -> "ElementSum":
        """The same on an axis from `left` on, from that of 0 to 1: factors of shape functions know no length."""

        def there(pieces: AxisCoordinates) -> AxisCoordinates:
            return tuple(one.stretched(length).moved(left) for one in pieces)

        (anchor, offset, own), asked = self.elements, self.asked
        found = replace(
            self,
            made_for=there(self.made_for),
            elements=Partition(left + length * anchor, length * offset, length * own),
            asked=None if asked is None else lambda: there(asked()),
        )
        found.freeze()
        return found

    @property
    def degree(self) -> int:
        return int(self.coefficients.shape[2]) - 1

    @cached_property
    def chart(self) -> Chart:
        """The gated coordinate."""
        return Chart(Piecewise(tuple(Gaussian.on(coordinate, CHART) for coordinate in self.coordinates)))

    @property
    def steepest(self) -> float:
        """One over the distance in which polynomials on the shortest element can change."""
        return self.degree / float(self.elements.length.min())

    @cached_property
    def cuts(self) -> Array:
        """Where one element ends and the next begins, (K - 1,)."""
        found: Array = (self.elements.anchor + self.elements.offset)[1:]
        return found

    def __call__(self, field: int, x: Array, order: int) -> Array:
        return self.within(field, x, order)

    def within(self, field: int, x: Array, order: int) -> Array:
        """The same: elements live in the user's coordinate."""
        anchor, offset, length = self.elements
        own = self.orders[field]
        if compiled.evaluate is not None and order <= own:
            found = np.empty(x.size)
            self._evaluated(field, order, x, found)
            return found
        at = np.searchsorted(self.cuts, x, side="right")
        inside = np.clip(((x - anchor[at]) - offset[at]) / length[at], 0.0, 1.0)
        shapes = shape_functions(inside, self.degree, own, order)[order]
        values: Array = np.einsum("nc,nc->n", shapes, self.coefficients[at, field])
        return values if order == 0 else values / length[at] ** order

    def jets(self, x: Array) -> Array:
        """Every field and its derivatives up to its order, (terms, n)."""
        if compiled.evaluate is None:
            pairs = [(f, j) for f, order in enumerate(self.orders) for j in range(order + 1)]
            return np.stack([self.within(f, x, j) for f, j in pairs])
        found = np.empty((sum(self.orders) + len(self.orders), x.size))
        self._evaluated(-1, 0, x, found)
        return found

    def _evaluated(self, field: int, order: int, x: Array, found: Array) -> None:
        """By the compiled core: one derivative of a field, or all of all fields where its number is negative."""
        assert compiled.evaluate is not None
        known = packed_hermite(self.orders), self.cuts, *self.elements, self.coefficients
        compiled.evaluate(self.degree, self.orders, field, order, order, *known, np.ascontiguousarray(x), found)


@dataclass(frozen=True, eq=False)
class AboutElements:
    """A solution on elements as what equations are linearised about."""

    function: ElementSum

    def __call__(self, f: int, points: tuple[Array, ...], orders: Orders) -> Array:
        return self.function(f, points[0], orders[0])

    def packed(self) -> Packed:
        """The same for the compiled core."""
        own = self.function
        return own.degree, 0.0, 1.0, packed_hermite(own.orders), own.cuts, *own.elements, own.coefficients


@lru_cache
def packed_hermite(orders: tuple[int, ...]) -> Array:
    """What the functions of the ends are made of, for all derivatives of all fields."""
    return np.concatenate([hermite_monomials(order, j).ravel() for order in orders for j in range(order + 1)])
