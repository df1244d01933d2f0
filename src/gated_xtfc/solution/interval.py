"""Solutions on an interval: sums of kernels, or polynomials on elements."""

from __future__ import annotations  # help() shows types as they are written here

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from gated_xtfc.discretise.chart import Chart
from gated_xtfc.discretise.element_sum import ElementSum
from gated_xtfc.discretise.kernel_sum import KernelSum
from gated_xtfc.errors import InputError
from gated_xtfc.gates import Block, Layer
from gated_xtfc.language.dual import Dual
from gated_xtfc.operator.linearise import Points
from gated_xtfc.problem.domain import Axis
from gated_xtfc.solution.base import Solution
from gated_xtfc.solution.component import Component
from gated_xtfc.solution.far_field import INSIDE, FarField
from gated_xtfc.solution.frames import Grid
from gated_xtfc.types import Array, Orders

BESIDE = 1e-9  # of the window: how close to a singular point the equation is looked at
COMPARED = 10_000  # points at which the exact solution is compared, and as many again uniform in the coordinate


@dataclass(frozen=True, eq=False, repr=False)
class IntervalSolution(Solution):
    """A solution on an interval. `function` has its kernels or elements, `values` the unknown constants."""

    function: KernelSum | ElementSum
    values: tuple[float, ...] = ()  # unknown constants, in the order of problem.unknown

    def __getattr__(self, name: str) -> Any:
        """The message where it was left open: it is finished when it is read."""
        if name != "message" or not self.__dict__.get("_open"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        told, more = self.__dict__["_open"]
        with np.errstate(all="ignore"):
            return self.__dict__.setdefault("message", f"{told}{more(self)}")

    def left_open(self, more: Callable[[IntervalSolution], str]) -> IntervalSolution:
        """Itself, with a message that goes on with what takes time to find out.

        Parameters
        ----------
        more
            Finds that out, from the solution, when the message is read.
        """
        self.__dict__["_open"] = self.__dict__.pop("message"), more
        return self

    def __getstate__(self) -> dict[str, Any]:
        """With the whole message."""
        return {**self.__dict__, "message": self.message, "_open": None}

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

    @property
    def window(self) -> tuple[Axis, ...]:
        return (self.function.chart.window(self.problem.axes[0]),)

    def _residuals(self, points: Points) -> list[Dual]:
        (x,), (window,) = points, self.window
        for piece in self.function.chart.coordinates:
            for place in piece.singular:  # there the equation has no value, right beside it has one
                gap = max(BESIDE * window.length, 8.0 * float(np.spacing(abs(place))))
                x = np.where(x == place, place + (gap if place + gap <= window.right else -gap), x)
        if self.problem.deviations is None:
            return super()._residuals((x,))
        return replace(self, problem=self.problem.with_delays(self.field_at))._residuals((x,))

    def field_at(self, field: str, x: Array, order: int) -> Array:
        """A derivative of a field at places, as an array (n,).

        Parameters
        ----------
        field
            Its name.
        x
            Places in the domain, (n,).
        order
            That of the derivative.
        """
        return self._field(self.problem.fields.index(field), (x,), (order,))

    def _field(self, f: int, points: Points, orders: Orders) -> Array:
        values, (x,), (order,) = self.function(f, points[0], orders[0]), points, orders
        if self.problem.domain.finite:
            return values
        (window,) = self.window
        for beyond, far in zip((x < window.left, x > window.right), self.far_fields[f], strict=True):
            values = np.where(beyond, far(x, order), values)
        return values

    @cached_property
    def far_fields(self) -> list[tuple[FarField, FarField]]:
        """Every field beyond the left and the right end of the window."""
        (window,) = self.window
        return [
            (self._far_field(f, order, window.left, 1.0), self._far_field(f, order, window.right, -1.0))
            for f, order in enumerate(self.problem.order.values())
        ]

    def _far_field(self, f: int, order: int, end: float, inwards: float) -> FarField:
        # a derivative that has a value at infinity is the last that does not vanish there
        name, beyond = self.problem.fields[f], -inwards * np.inf
        asked = [c.terms[0] for c in self.problem.conditions if len(c.terms) == 1 and c.terms[0].point == beyond]
        last = min([order - 1, *(term.order for term in asked if term.field == name)])
        derivatives = [float(self.function(f, np.array([end]), j)[0]) for j in range(last + 1)]
        x = end + inwards * self.window[0].length * np.array(INSIDE)
        size = float(np.abs(self.function(f, self.points(), 0)).max())
        return FarField.beyond(end, derivatives, x, self.function(f, x, 0), size)

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

    def sensitivity(self, parameter: str, field: str | None = None) -> Component:
        # the solver stands above solutions: imported where it is asked for
        from gated_xtfc.solver.interval.sensitivity import of_solution

        name = field if field is not None or len(self.problem.fields) > 1 else self.problem.fields[0]
        if name not in self.problem.fields:
            listed = ", ".join(repr(one) for one in self.problem.fields)
            raise InputError(f"say which field the sensitivity is wanted of: {listed}")
        function, errors = of_solution(self, parameter)
        f = self.problem.fields.index(name)

        def values(points: Points, orders: Orders) -> Array:
            return function(f, points[0], orders[0])

        return Component(self.problem.axes, self.problem.order[name], values, (function.chart,), errors[f])

    def points(self, count: int = 1001) -> Array:
        return self._axis_points(0, count)

    def true_error(self) -> float | None:
        (window,) = self.window
        x = np.concatenate([self.points(COMPARED), np.linspace(window.left, window.right, COMPARED)])
        scales = dict(zip(self.problem.fields, self.scales, strict=True))
        errors = [
            float(np.abs(self[name](x) - exact(x)).max()) / scales[name] for name, exact in self.problem.exacts.items()
        ]
        return max(errors, default=None)

    def _grid(self, points: int | None) -> Grid:
        """Every field with its derivatives up to the order of the equations."""
        x = self.points(1001 if points is None else points)
        fields = {
            name + "'" * order: self[name](x, order)
            for name, highest in self.problem.order.items()
            for order in range(highest + 1)
        }
        return {self.problem.axes[0].name: x}, fields
