"""The function behind a solution on a rectangle: values at the sites of both axes, and the sides met exactly.

T(x, y), the kernels' sum through the values, is the free function of the constrained expression, axis by axis:
u_1 = T + sum_k s_k(x) (b_k(y) - L_k[T](y)), then u = u_1 + sum_l t_l(y) (c_l(x) - M_l[u_1](x)). The conditions hold for
all values; for those of a solution the differences are what the kernels leave unresolved of the data.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gated_xtfc.discretise.axis_grid import AxisGrid
from gated_xtfc.discretise.chart import Chart
from gated_xtfc.problem.side import Side
from gated_xtfc.types import Array, Orders

CHUNK = 4_000_000  # numbers held at a time


@dataclass(frozen=True, eq=False)
class TensorFunction:
    """A function of two coordinates, called with those of the user; the sides and the grids are translated."""

    sides: tuple[Side, ...]
    x: AxisGrid
    y: AxisGrid
    values: Array  # (n, m) at the sites

    origins: tuple[float, float] = (0.0, 0.0)  # of the coordinates that sides and grids live in

    @cached_property
    def charts(self) -> tuple[Chart, Chart]:
        """The gated coordinates of both axes."""
        return Chart(self.x.basis, self.origins[0]), Chart(self.y.basis, self.origins[1])

    def grid(self, x: Array, y: Array, orders: Orders = (0, 0)) -> Array:
        """Derivatives on the tensor grid of x (n,) and y (m,): (n, m)."""
        x, y = (chart.translated(points) for chart, points in zip(self.charts, (x, y), strict=True))
        rows_x, rows_y = self.x.rows(x, orders[0]), self.y.rows(y, orders[1])
        (switch_x, missed_x), (switch_y, missed_y) = self._parts(rows_x, rows_y, x, y, orders)
        values: Array = rows_x @ self.values @ rows_y.T + switch_x @ missed_x + missed_y.T @ switch_y.T
        return values

    def at(self, x: Array, y: Array, orders: Orders = (0, 0)) -> Array:
        """Derivatives at points (n,): as a grid where the points lie on few lines, one by one otherwise."""
        lines_x, place_x = np.unique(x, return_inverse=True)
        lines_y, place_y = np.unique(y, return_inverse=True)
        if lines_x.size * lines_y.size <= 4 * x.size:
            values: Array = self.grid(lines_x, lines_y, orders)[place_x, place_y]
            return values
        result = np.empty(x.size)
        step = max(1, CHUNK // (self.x.size + self.y.size))
        for start in range(0, x.size, step):
            part = slice(start, start + step)
            result[part] = self._scattered(x[part], y[part], orders)
        return result

    def _scattered(self, x: Array, y: Array, orders: Orders) -> Array:
        x, y = (chart.translated(points) for chart, points in zip(self.charts, (x, y), strict=True))
        rows_x, rows_y = self.x.rows(x, orders[0]), self.y.rows(y, orders[1])
        (switch_x, missed_x), (switch_y, missed_y) = self._parts(rows_x, rows_y, x, y, orders)
        free = ((rows_x @ self.values) * rows_y).sum(axis=1)
        values: Array = free + (switch_x.T * missed_x).sum(axis=0) + (switch_y.T * missed_y).sum(axis=0)
        return values

    def _parts(
        self, rows_x: Array, rows_y: Array, x: Array, y: Array, orders: Orders
    ) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
        """Of each axis: its switching functions, (n, 2), and what is missed on the two sides that bound it, (2, m)."""
        switch_x, switch_y = rows_x @ self.x.switch, rows_y @ self.y.switch
        data_x = np.stack([_data(side, self.y, y, orders[1]) for side in self.sides[:2]])
        data_y = np.stack([_data(side, self.x, x, orders[0]) for side in self.sides[2:]])
        missed_x = data_x - self.x.functionals[:2] @ self.values @ rows_y.T
        missed_y = data_y - self.y.functionals[:2] @ self.values.T @ rows_x.T - self._corners @ switch_x.T
        return (switch_x, missed_x), (switch_y, missed_y)

    @cached_property
    def _corners(self) -> Array:
        """M_l of what L_k misses, (2, 2): sides of y down, sides of x across."""
        free = self.x.functionals[:2] @ self.values @ self.y.functionals[:2].T
        result = np.empty((2, 2))
        for k, across in enumerate(self.sides[:2]):
            for m, along in enumerate(self.sides[2:]):
                value, slope = across.jet(along.position)
                wanted = along.weights[0] * value + (along.weights[1] * slope if along.weights[1] else 0.0)
                result[m, k] = wanted - free[k, m]
        return result


def _data(side: Side, grid: AxisGrid, t: Array, order: int) -> Array:
    """Data of a side or a derivative of them; from the second on it is that of the kernels through them."""
    if order == 0 or side.homogeneous:
        return side.data(t) if order == 0 else np.zeros_like(t)
    return side.slope(t) if order == 1 else grid.rows(t, order) @ side.data(grid.sites)
