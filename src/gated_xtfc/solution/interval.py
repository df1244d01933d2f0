"""Solutions on an interval: sums of kernels, or polynomials on elements."""

from __future__ import annotations  # help() shows types as they are written here

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from gated_xtfc.discretise.chart import Chart
from gated_xtfc.discretise.element_sum import ElementSum
from gated_xtfc.discretise.kernel_sum import KernelSum
from gated_xtfc.gates import Block, Layer
from gated_xtfc.operator.linearise import Points
from gated_xtfc.solution.base import Solution
from gated_xtfc.solution.table import write_csv
from gated_xtfc.types import Array, Orders

COMPARED = 10_000  # points at which the exact solution is compared, and as many again uniform in the coordinate


@dataclass(frozen=True, eq=False, repr=False)
class IntervalSolution(Solution):
    """A solution on an interval. `function` has its kernels or elements, `values` the unknown constants."""

    function: KernelSum | ElementSum
    values: tuple[float, ...] = ()  # unknown constants, in the order of problem.unknown

    @property
    def charts(self) -> tuple[Chart, ...]:
        return (self.function.chart,)

    @property
    def gates(self) -> tuple[Layer | Block, ...]:
        return self.function.chart.gates

    @property
    def breaks(self) -> tuple[float, ...]:
        return self.function.chart.breaks

    @property
    def _constants(self) -> tuple[float, ...]:
        return self.values

    @property
    def _steepest(self) -> Sequence[float]:
        (own,) = super()._steepest
        return [max(own, self.function.steepest)] if isinstance(self.function, ElementSum) else [own]

    @property
    def _highest(self) -> dict[str, int]:
        return dict(self.problem.order)

    def _field(self, f: int, points: Points, orders: Orders) -> Array:
        return self.function(f, points[0], orders[0])

    @overload
    def coordinate(self, x: float) -> float: ...
    @overload
    def coordinate(self, x: ArrayLike) -> Array: ...
    def coordinate(self, x: Any) -> float | Array:
        """The gated coordinate xi(x), in which every layer is a few units wide.

        Parameters
        ----------
        x
            Places, a number or an array.
        """
        found: float | Array = self._component(lambda points, _: self.function.chart.coordinate(points[0]))(x)
        return found

    @overload
    def width(self, x: float) -> float: ...
    @overload
    def width(self, x: ArrayLike) -> Array: ...
    def width(self, x: Any) -> float | Array:
        """The local kernel width in x, which is 1/xi'(x).

        Parameters
        ----------
        x
            Places, a number or an array.
        """
        found: float | Array = self._component(lambda points, _: 1.0 / self.function.chart.slope(points[0]))(x)
        return found

    def points(self, count: int = 1001) -> Array:
        return self._axis_points(0, count)

    def true_error(self) -> float | None:
        (axis,) = self.problem.axes
        x = np.concatenate([self.points(COMPARED), np.linspace(axis.left, axis.right, COMPARED)])
        scales = dict(zip(self.problem.fields, self.scales, strict=True))
        errors = [
            float(np.abs(self[name](x) - exact(x)).max()) / scales[name] for name, exact in self.problem.exacts.items()
        ]
        return max(errors, default=None)

    def to_csv(self, path: str | Path, points: int = 1001) -> None:
        """Write x, and every field with its derivatives up to the order of the equations.

        Parameters
        ----------
        path
            The file to write.
        points
            How many places, dense in the layers.
        """
        x = self.points(points)
        header, columns = [self.problem.axes[0].name], [x]
        for field, order in self.problem.order.items():
            for j in range(order + 1):
                header.append(field + "'" * j)
                columns.append(self[field](x, j))
        write_csv(path, header, columns)
