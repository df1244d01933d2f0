"""A solution: a function, what it solves, how good it is. It never changes."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from gated_xtfc.discretise.chart import Chart
from gated_xtfc.errors import InputError, quoted
from gated_xtfc.gates import Gate
from gated_xtfc.language.dual import Dual
from gated_xtfc.operator.linearise import Jets, Operator, Points
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solution.component import Component
from gated_xtfc.solution.status import Status
from gated_xtfc.types import Array, Number, Orders


@dataclass(frozen=True)
class Round:
    """One fit on the way to a solution, as `solution.history` and `progress` have it.

    Attributes
    ----------
    neurons
        Kernels with a coefficient of their own.
    error, rounding
        The estimated error, and the part of it that is rounding.
    steps
        Of Newton's method; one where the equation is linear.
    value
        That of the continuation parameter, None where there was no continuation.
    """

    neurons: int
    error: float
    rounding: float
    steps: int = 1
    value: float | None = None


@dataclass(frozen=True, eq=False)
class Solution(ABC):
    """What `solve` returns: a function of the coordinates that knows how good it is.

    A solution is called with the coordinates, ``solution(x)`` on an interval and ``solution(x, y)`` on a rectangle;
    numbers give a number, arrays an array. A derivative is asked for by its order, ``solution(x, 1)``, or by one order
    for each coordinate, ``solution(x, y, (1, 0))``. ``solution["v"]`` is one field of a system.

    Attributes
    ----------
    problem
        What it solves.
    status, message
        "converged", or what went wrong, and one sentence on it.
    error
        The estimated maximal error, relative to `scale`, max(1, max|u|); `tol` is what was asked for.
    gates, breaks
        Where resolution went, and where coefficients jump; on a rectangle by axis.
    neurons, sites, rounds, seconds
        What it took; `history` has every round.
    constants
        The unknown constants of the problem by name.
    continuation
        The parameter that was followed to get there, None where there was no need.

    Examples
    --------
    >>> import gated_xtfc as gx
    >>> problem = gx.Problem("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=1e-4)
    >>> solution = gx.solve(problem, tol=1e-10)
    >>> solution.status, solution.error < 1e-10
    (<Status.CONVERGED: 'converged'>, True)
    >>> round(solution(0.9999), 6), round(solution(0.9999, 1), 2)
    (0.367879, 3678.79)
    """

    problem: Problem
    tol: float
    status: Status
    message: str
    error: float
    scales: tuple[float, ...]  # max(1, max|u|) of every field
    neurons: int
    sites: int
    seconds: float
    history: tuple[Round, ...]
    continuation: str | None

    def __repr__(self) -> str:
        return f"Solution({self.problem!r}: {self.status}, error {self.error:.1e}, {self.neurons} neurons)"

    @property
    def converged(self) -> bool:
        return self.status == Status.CONVERGED

    @property
    def scale(self) -> float:
        """max(1, max|u|) of the first field."""
        return self.scales[0]

    @property
    def rounds(self) -> int:
        return len(self.history)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is wrong with the statement, and could not be put right by solving it."""
        return self.problem.warnings

    @property
    def constants(self) -> Mapping[str, float]:
        """The unknown constants by name."""
        return MappingProxyType(dict(zip(self.problem.unknown, self._constants, strict=True)))

    @property
    @abstractmethod
    def gates(self) -> Sequence[Gate] | Mapping[str, Sequence[Gate]]:
        """Layers and blocks; on a rectangle those of each axis by its name."""

    @property
    @abstractmethod
    def breaks(self) -> Sequence[float] | Mapping[str, Sequence[float]]:
        """Inner places where a coefficient, the source or the data jump or have a kink; on a rectangle by axis."""

    @property
    @abstractmethod
    def charts(self) -> tuple[Chart, ...]:
        """The gated coordinate of every axis."""

    @property
    def _constants(self) -> tuple[float, ...]:
        return ()

    @abstractmethod
    def _field(self, f: int, points: Points, orders: Orders) -> Array:
        """A derivative of field number f at points, each (n,)."""

    @property
    @abstractmethod
    def _highest(self) -> Mapping[str, int]:
        """The highest order along one coordinate that each field can be asked for."""

    def __getitem__(self, name: str) -> Component:
        """One field by its name: solution["v"](x), solution["v"](x, 1)."""
        fields = self.problem.fields
        if name not in fields:
            raise InputError(f"there is no field {quoted(str(name))}: the fields are {', '.join(fields)}")
        f = fields.index(name)
        return self._component(lambda points, orders: self._field(f, points, orders), self._highest[name])

    @overload
    def __call__(self, x: float, /, *rest: float | Orders) -> float: ...
    @overload
    def __call__(self, x: ArrayLike, /, *rest: ArrayLike) -> Array: ...
    def __call__(self, x: Any, /, *rest: Any) -> float | Array:
        """The value, or a derivative, at places: a float for numbers, an array of the same shape for arrays."""
        if len(self.problem.fields) > 1:
            raise InputError(f"say which field: solution[{self.problem.fields[0]!r}](x)")
        found: float | Array = self[self.problem.fields[0]](x, *rest)
        return found

    @overload
    def residual(self, x: float, /, *rest: float) -> float: ...
    @overload
    def residual(self, x: ArrayLike, /, *rest: ArrayLike) -> Array: ...
    def residual(self, x: Any, /, *rest: Any) -> float | Array:
        """left side - right side of the equation; of a system, one row for each equation."""

        def values(points: Points, _: Orders) -> Array:
            found = self._residuals(points)
            return _rows([np.zeros_like(points[0]) + one.value for one in found])

        found: float | Array = self._component(values)(x, *rest)
        return found

    def scaled_residual(self, x: ArrayLike, /, *rest: ArrayLike) -> float | Array:
        """The residual divided by the size of the operator at the local kernel width: dimensionless."""

        def scaled(points: Points, _: Orders) -> Array:
            slopes = [chart.slope(x) for chart, x in zip(self.charts, points, strict=True)]
            rows = []
            for one in self._residuals(points):
                scale = np.zeros_like(points[0])
                partials: dict[Any, Number] = {**one.partials}
                for key, a in partials.items():
                    if len(key) == 2:  # of a field, not of an unknown constant
                        powers = (slope**order for slope, order in zip(slopes, key[1], strict=True))
                        scale = scale + np.abs(a) * np.prod(list(powers), axis=0)
                rows.append(one.value / scale)
            return _rows(rows)

        return self._component(scaled)(x, *rest)

    @abstractmethod
    def points(self, count: int = 1001) -> Array:
        """Places dense in the layers: x (n,) on an interval; on a rectangle x and y as rows, (2, n)."""

    @abstractmethod
    def true_error(self) -> float | None:
        """max|u - exact| / scale at places dense in the layers; None where the exact solution is not known."""

    def summary(self) -> dict[str, Any]:
        """The figures of this solution, ready for JSON."""
        gates, breaks = self.gates, self.breaks
        by_axis = isinstance(gates, Mapping)
        return {
            "status": str(self.status),
            "message": self.message,
            **({"warnings": list(self.warnings)} if by_axis else {}),
            "tol": self.tol,
            "error": self.error,
            "true_error": self.true_error(),
            "scale": self.scale if len(self.scales) == 1 else list(self.scales),
            "neurons": self.neurons,
            "sites": self.sites,
            "rounds": self.rounds,
            "gates": {name: [gate.describe() for gate in own] for name, own in gates.items()}
            if isinstance(gates, Mapping)
            else [gate.describe() for gate in gates],
            "breaks": {name: list(own) for name, own in breaks.items()}
            if isinstance(breaks, Mapping)
            else list(breaks),
            "seconds": self.seconds,
            "parameters": dict(self.problem.parameters),
            **({"constants": dict(self.constants)} if self.problem.unknown else {}),
        }

    @abstractmethod
    def to_csv(self, path: str | Path, points: int = 1001) -> None:
        """A table of the coordinates and of every field with its derivatives, at places dense in the layers."""

    def save(self, path: str | Path) -> None:
        """One file from which `load` gives back bit-equal values."""
        from gated_xtfc.solution.archive import write  # needed by few

        write(self, path)

    @staticmethod
    def load(path: str | Path) -> "Solution":
        """The solution that `save` wrote."""
        from gated_xtfc.solution.archive import load_solution

        return load_solution(path)

    def plot(self, path: str | Path) -> None:
        """The figure: the solution, its layers stretched open, kernel widths and gates, residual and error."""
        # Matplotlib takes longer to import than most equations to solve: only here, and only when asked for.
        from gated_xtfc.plots import plot

        plot(self, path)

    def _component(self, function: Callable[[Points, Orders], Array], highest: int = 0) -> Component:
        return Component(self.problem.axes, highest, function)

    def _axis_points(self, axis: int, count: int) -> Array:
        """Points of one axis from end to end, uniform in the gated coordinate, so dense in the layers."""
        if not (isinstance(count, int | np.integer) and count >= 2):
            raise InputError(f"{count!r} points were asked for: give a whole number of at least 2")
        ends = self.problem.axes[axis]
        x = self.charts[axis].points(int(count))
        x[0], x[-1] = ends.left, ends.right
        inside: Array = np.minimum(np.maximum(x, x[0]), x[-1])
        return inside

    def _residuals(self, points: Points) -> list[Dual]:
        """left - right of every equation as dual numbers, at points (n,)."""
        operator = Operator(self.problem)
        jets: Jets = [
            {orders: self._field(f, points, orders) for orders in own} for f, own in enumerate(operator.derivatives)
        ]
        return operator.residuals_at(points, jets, self._constants)


def _rows(values: list[Array]) -> Array:
    return values[0] if len(values) == 1 else np.stack(values)
