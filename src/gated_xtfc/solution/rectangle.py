"""Solutions on a rectangle: tensor products of the kernels of both axes."""

from __future__ import annotations  # help() shows types as they are written here

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from gated_xtfc.discretise.chart import Chart
from gated_xtfc.discretise.tensor_function import TensorFunction
from gated_xtfc.gates import Block, Layer
from gated_xtfc.operator.linearise import Points
from gated_xtfc.problem.domain import derivative_name
from gated_xtfc.solution.base import Solution
from gated_xtfc.solution.frames import Grid
from gated_xtfc.solution.places import checked_places
from gated_xtfc.types import Array, Orders

HIGHEST = 4  # order of a derivative along one coordinate
COMPARED = 400  # points on each axis at which the exact solution is compared, half of them uniform in the coordinate
WRITTEN: tuple[Orders, ...] = ((0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2))


@dataclass(frozen=True, eq=False, repr=False)
class RectangleSolution(Solution):
    """A solution on a rectangle. `function` has its kernels and the values at the sites."""

    function: TensorFunction

    @property
    def charts(self) -> tuple[Chart, ...]:
        return self.function.charts

    @property
    def gates(self) -> Mapping[str, tuple[Layer | Block, ...]]:
        return MappingProxyType({axis.name: c.gates for axis, c in zip(self.problem.axes, self.charts, strict=True)})

    @property
    def breaks(self) -> Mapping[str, tuple[float, ...]]:
        return MappingProxyType({axis.name: c.breaks for axis, c in zip(self.problem.axes, self.charts, strict=True)})

    @property
    def _highest(self) -> dict[str, int]:
        return dict.fromkeys(self.problem.fields, HIGHEST)

    @property
    def _sharpest(self) -> Sequence[float]:
        # made of values at the sites, which crowd at the ends
        return [float(1.0 / np.diff(grid.sites).clip(min=1e-300).min()) for grid in (self.function.x, self.function.y)]

    def _field(self, f: int, points: Points, orders: Orders) -> Array:
        return self.function.at(points[0], points[1], orders)

    def coordinates(self, x: ArrayLike, y: ArrayLike) -> tuple[Array, Array]:
        """The gated coordinates of x and of y, in which every layer is a few units wide.

        Parameters
        ----------
        x, y
            Places along each axis, numbers or arrays.
        """
        first, second = (self._along(k, given, lambda c, v: c.coordinate(v)) for k, given in enumerate((x, y)))
        return first, second

    def widths(self, x: ArrayLike, y: ArrayLike) -> tuple[Array, Array]:
        """The kernel widths along x and along y.

        Parameters
        ----------
        x, y
            Places along each axis, numbers or arrays.
        """
        first, second = (self._along(k, given, lambda c, v: 1.0 / c.slope(v)) for k, given in enumerate((x, y)))
        return first, second

    def _along(self, k: int, given: ArrayLike, function: Callable[[Chart, Array], Array]) -> Array:
        points = checked_places(self.problem.axes[k], given)
        return function(self.charts[k], points.ravel()).reshape(points.shape)

    def grid(self, count: int = 101) -> tuple[Array, Array]:
        """Places on both axes, uniform in the gated coordinates, ends included.

        Parameters
        ----------
        count
            How many on each axis.

        Returns
        -------
        tuple of arrays
            x of shape (n, 1) and y of shape (1, n), which broadcast to the grid.
        """
        return self._axis_points(0, count)[:, None], self._axis_points(1, count)[None, :]

    def points(self, count: int = 1001) -> Array:
        side = int(np.ceil(np.sqrt(count)))
        return np.stack([one.ravel() for one in np.broadcast_arrays(*self.grid(side))])

    def true_error(self) -> float | None:
        exact = self.problem.exact
        if exact is None:
            return None
        x, y = (
            np.unique(
                np.concatenate([self._axis_points(k, COMPARED // 2), np.linspace(a.left, a.right, COMPARED // 2)])
            )
            for k, a in enumerate(self.problem.axes)
        )
        return float(np.abs(self.function.grid(x, y) - exact(x[:, None], y[None, :])).max()) / self.scale

    def _grid(self, points: int | None) -> Grid:
        """u and its derivatives up to the second order."""
        axes, field = self.problem.axes, self.problem.fields[0]
        x, y = (one.ravel() for one in self.grid(101 if points is None else points))
        fields = {derivative_name(field, orders, axes): self.function.grid(x, y, orders) for orders in WRITTEN}
        return {axes[0].name: x, axes[1].name: y}, fields
