"""A solution: a function with the problem that it solves and an estimate of its error. It never changes."""

from __future__ import annotations  # help() shows types as they are written here

import math
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike

from gated_xtfc.discretise.chart import Chart
from gated_xtfc.errors import InputError, quoted
from gated_xtfc.gates import Gate
from gated_xtfc.language.dual import Dual
from gated_xtfc.language.parser import parse
from gated_xtfc.operator.linearise import Jets, Operator, Points
from gated_xtfc.problem.domain import Axis
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solution.calculus import Calculus, composed
from gated_xtfc.solution.component import Component, of_curve
from gated_xtfc.solution.curve import Curve
from gated_xtfc.solution.frames import Grid
from gated_xtfc.solution.gridded import Gridded
from gated_xtfc.solution.round import Round
from gated_xtfc.solution.status import Status
from gated_xtfc.types import Array, Number, Orders

if TYPE_CHECKING:  # imported when asked for
    from matplotlib.axes import Axes

SHOWN = 501  # places at which derivatives are measured
EPSILON = float(np.finfo(float).eps)


@dataclass(frozen=True, eq=False)
class Solution(Calculus, Gridded):
    """What `solve` returns: a function of the coordinates, with an estimate of its own error.

    It is called with places, ``solution(x)`` on an interval and ``solution(x, y)`` on a rectangle. Numbers give a
    number, arrays an array. The order of a derivative comes last: ``solution(x, 1)`` on an interval, one order for each
    coordinate, ``solution(x, y, (1, 0))``, on a rectangle. ``solution["v"]`` is one field of a system. A solution never
    changes.

    Attributes
    ----------
    problem
        The problem that it solves.
    tol
        The error that was asked for.
    status, message
        How the solve ended, a `Status`, and one sentence on it; `converged` is short for status "converged".
    error
        The estimated largest error anywhere, relative to `scales`.
    errors
        The same for derivatives, by the order with which they are asked for: `errors[1]` is that of ``solution(x, 1)``,
        relative to its own largest size.
    scales
        What the error of every field is relative to: its largest size, unless rtol or atol say otherwise; `scale` is
        that of the first.
    gates, breaks
        Where kernels are narrow, and where coefficients jump; on a rectangle by the name of the axis.
    constants
        The unknown constants of the problem by name.
    neurons, sites, seconds
        Kernels with a coefficient of their own, points at which the equation is asked to hold (on a rectangle with
        those on its sides), and the time taken.
    history
        A `Round` for every fit on the way; `rounds` is their number.
    continuation
        The parameter that was followed from an easier member of the family, or "homotopy" where it was followed from a
        problem with larger highest derivatives; None where there was no need.
    warnings
        What is wrong with the statement itself, such as conditions that contradict each other at a corner.

    Examples
    --------
    >>> import gated_xtfc as gx
    >>> problem = gx.Problem("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=1e-4)
    >>> solution = gx.solve(problem, tol=1e-10)
    >>> print(solution.status, solution.error <= 1e-10)
    converged True
    >>> print(f"{solution(0.9999):.6f}, {solution(0.9999, 1):.2f}")  # value and derivative
    0.367879, 3678.79
    >>> x = solution.points(200)  # dense where the layer is
    >>> solution(x).shape, bool((x > 0.99).mean() > 0.3)
    ((200,), True)

    A system has several fields:

    >>> system = ["u' = v", "eps*v' = u - sin(x)"]
    >>> layers = gx.solve(gx.Problem(system, {"x": (0, 1)}, ["u(0) = 1", "u(1) = 0"], eps=1e-6))
    >>> print(f"{layers['u'](0.5):.4f} {layers['v'](0.5):.4f}")
    0.4794 0.8776
    """

    problem: Problem
    tol: float
    status: Status
    message: str
    error: float
    scales: tuple[float, ...]  # what the error of every field is relative to
    neurons: int
    sites: int
    seconds: float
    history: tuple[Round, ...]
    continuation: str | None

    def __repr__(self) -> str:
        return f"Solution({self.problem!r}: {self.status}, error {self.error:.1e}, {self.neurons} neurons)"

    @property
    def converged(self) -> bool:
        """Whether the status is "converged"."""
        return self.status == Status.CONVERGED

    @property
    def scale(self) -> float:
        """What the error of the first field is relative to."""
        return self.scales[0]

    @property
    def rounds(self) -> int:
        """The number of entries of `history`."""
        return len(self.history)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is wrong with the statement itself, such as conditions that contradict each other at a corner."""
        return self.problem.warnings

    @property
    def window(self) -> tuple[Axis, ...]:
        """The part of the domain that was solved on: all of it, unless an infinite end was cut off."""
        return self.problem.axes

    @property
    def unknown_values(self) -> Mapping[str, float]:
        """The unknown constants by the names of `problem.unknown`: those of a complex problem in two parts each."""
        return MappingProxyType(dict(zip(self.problem.unknown, self._constants, strict=True)))

    @property
    def constants(self) -> Mapping[str, Any]:
        """The unknown constants by name."""
        found: dict[str, Any] = dict(self.unknown_values)
        for name, (real, imaginary) in self.problem.complex_pairs.items():
            if real in found:
                found[name] = complex(found.pop(real), found.pop(imaginary))
        return MappingProxyType(found)

    @property
    def errors(self) -> Mapping[Any, float]:
        """The estimated error of the solution and of its derivatives, each relative to its own largest size.

        An error that kernels make changes over their width, so a derivative has it divided by that width: where they
        are narrow, a derivative may be off by much more than the field. Keys are the orders that a call takes: numbers
        on an interval, one number for each coordinate on a rectangle.
        """
        slopes, sharpest = self._steepest, self._sharpest
        axes = [chart.points(SHOWN if len(slopes) == 1 else 101) for chart in self.charts]
        points = tuple(one.ravel() for one in np.meshgrid(*axes, indexing="ij"))
        found: dict[Any, float] = {}
        for orders in product(*(range(max(self._highest.values()) + 1) for _ in slopes)):
            part = self._relative_error(orders, slopes, sharpest)
            own = [
                part * scale / size
                for f, scale in enumerate(self.scales)
                if sum(orders) <= self._highest[self.problem.fields[f]]
                and (size := float(np.abs(self._field(f, points, orders)).max())) > 0.0
            ]
            if own:
                found[orders if len(orders) > 1 else orders[0]] = max(own)
        return MappingProxyType(found | {0 if len(slopes) == 1 else (0,) * len(slopes): self.error})

    def _relative_error(self, orders: Orders, slopes: Sequence[float], sharpest: Sequence[float]) -> float:
        """The estimated error of a derivative, relative to the scale of its field."""
        steepness = math.prod(slope**order for slope, order in zip(slopes, orders, strict=True))
        rounding = EPSILON * math.prod((4.0 * s) ** order for s, order in zip(sharpest, orders, strict=True))
        return self.error * 2.0 ** max(0, sum(orders) - 1) * steepness + rounding

    @property
    def _steepest(self) -> Sequence[float]:
        """Along each axis one over the width of the narrowest kernels."""
        return [float(chart.slope(chart.points(SHOWN)).max()) for chart in self.charts]

    @property
    def _sharpest(self) -> Sequence[float]:
        """Along each axis one over the distance in which rounding of what the solution is made of can change."""
        return self._steepest

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
        """One field of a system, as a function: solution["v"](x), solution["v"](x, 1).

        Raises
        ------
        InputError
            Where there is no field of that name.
        """
        fields, pair = self.problem.fields, self.problem.complex_pairs.get(name)
        if pair is not None and pair[0] in fields:
            real, imaginary = (self[part] for part in pair)
            both = lambda at, orders: real.function(at, orders) + 1j * imaginary.function(at, orders)  # noqa: E731
            return replace(real, function=both, error=math.hypot(real.error, imaginary.error))
        if name not in fields:
            raise InputError(f"there is no field {quoted(str(name))}: the fields are {', '.join(fields)}")
        f = fields.index(name)
        error = (self.error + EPSILON) * self.scales[f]
        return self._component(lambda points, orders: self._field(f, points, orders), self._highest[name], error)

    @overload
    def __call__(self, x: float, /, *rest: float | Orders) -> float: ...
    @overload
    def __call__(self, x: ArrayLike, /, *rest: ArrayLike) -> Array: ...
    def __call__(self, x: Any, /, *rest: Any) -> float | Array:
        """The value or a derivative at places of the domain.

        Parameters
        ----------
        x
            Places along the first coordinate, a number or an array.
        *rest
            On a rectangle the places along the second coordinate, which broadcast with the first. Then, where a
            derivative is wanted, its order: a number on an interval, one number for each coordinate on a rectangle.

        Returns
        -------
        float or array
            A float for numbers, an array of the shape of the places for arrays.

        Raises
        ------
        InputError
            For places outside the domain, for orders that are not available, and for a system, whose fields are called
            one by one.
        """
        found: float | Array = self._the_field()(x, *rest)
        return found

    def _the_field(self) -> Component:
        pairs = {part: name for name, parts in self.problem.complex_pairs.items() for part in parts}
        if pairs and len(self.problem.fields) == 2 + len(self.problem.auxiliary):
            return self[pairs[self.problem.fields[0]]]
        if len(self.problem.fields) > 1 + len(self.problem.auxiliary):
            raise InputError(f"say which field: solution[{self.problem.fields[0]!r}](x)")
        return self[self.problem.fields[0]]

    def evaluate(self, text: str) -> Component:
        """An expression in the fields, their derivatives, the coordinate, the parameters and the constants.

        Parameters
        ----------
        text
            Such as ``"u'^2 + x*u"``, in the language of equations.

        Returns
        -------
        Component
            A function of the coordinate, with integrals, roots, extremes, derivatives and arithmetic of its own.

        Raises
        ------
        InputError
            Where the text cannot be read, or asks for derivatives that the solution does not have.

        Examples
        --------
        >>> import gated_xtfc as gx
        >>> problem = gx.Problem("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=1e-4)
        >>> solution = gx.solve(problem, tol=1e-10)
        >>> print(f"{solution.evaluate('nu*u_x^2').integral():.8f}")  # all of it from the layer
        0.50000000
        """
        like = self[self.problem.fields[0]]._curve()  # refuses a rectangle
        names = {**self.problem.given, **dict.fromkeys(self.problem.unknown)}
        program = parse(text, self.problem.fields, names, self.problem.domain.coordinates)
        for field, (order,) in program.derivatives:
            if field not in self.problem.fields or order > self._highest[field]:
                raise InputError(f"{quoted(text)} asks for derivative {order} of {field}, which the solution has not")
        env: dict[str, Any] = {**self.problem.given, **self.unknown_values}
        slopes, sharpest = self._steepest, self._sharpest
        fields = {key: self.problem.fields.index(key[0]) for key in program.derivatives}
        errors: dict[Any, float] = {
            key: self._relative_error(key[1], slopes, sharpest) * self.scales[f] for key, f in fields.items()
        }

        def run(x: Array, seeded: bool) -> Any:
            values = {key: self._field(f, (x,), key[1]) for key, f in fields.items()}
            state = {key: Dual(u, {key: 1.0}) for key, u in values.items()} if seeded else values
            return program.run({**env, like.axis.name: x}, state)

        curve = composed(like, like.charts, lambda x: run(x, False) + np.zeros_like(x), lambda x: run(x, True), errors)
        return self._as_function(curve)

    @overload
    def residual(self, x: float, /, *rest: float) -> float: ...
    @overload
    def residual(self, x: ArrayLike, /, *rest: ArrayLike) -> Array: ...
    def residual(self, x: Any, /, *rest: Any) -> float | Array:
        """The left side of the equation less its right side.

        Parameters
        ----------
        x, *rest
            Places, one number or array for each coordinate.

        Returns
        -------
        float or array
            As for a call; of a system one row for each equation.
        """

        def values(points: Points, _: Orders) -> Array:
            found = self._residuals(points)
            return _rows([np.zeros_like(points[0]) + one.value for one in found])

        found: float | Array = self._component(values)(x, *rest)
        return found

    @overload
    def scaled_residual(self, x: float, /, *rest: float) -> float: ...
    @overload
    def scaled_residual(self, x: ArrayLike, /, *rest: ArrayLike) -> Array: ...
    def scaled_residual(self, x: Any, /, *rest: Any) -> float | Array:
        """The residual divided by the size of the operator on a kernel as wide as the local ones.

        It has the dimension of the solution, so layers and the places between them can be compared.

        Parameters
        ----------
        x, *rest
            Places, one number or array for each coordinate.

        Returns
        -------
        float or array
            As for a call; of a system one row for each equation.
        """

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

        found: float | Array = self._component(scaled)(x, *rest)
        return found

    def sensitivity(self, parameter: str, field: str | None = None) -> Component:
        """How the solution changes with a parameter: du/dp, from the equations linearised about the solution.

        Parameters
        ----------
        parameter
            The name of a parameter of the problem; it may not move an end or a jump.
        field
            Of a system, the field that is asked for.

        Returns
        -------
        Component
            A function of the coordinate; its `error` is the difference from the same on a coarser layout.

        Raises
        ------
        InputError
            Where there is no such parameter or field, where the parameter moves a place, and on a rectangle.

        Examples
        --------
        >>> import gated_xtfc as gx
        >>> problem = gx.Problem("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=1e-2)
        >>> slope = gx.solve(problem, tol=1e-10).sensitivity("nu")
        >>> print(f"{slope(0.99):.6f}")  # of exp((x - 1)/nu): (1 - x)/nu^2 of it
        36.787944
        """
        raise InputError("sensitivities are known of solutions on an interval only")

    @abstractmethod
    def points(self, count: int = 1001) -> Array:
        """Places from end to end, uniform in the gated coordinate and so dense in the layers.

        Parameters
        ----------
        count
            How many; on a rectangle as many as the next square number.

        Returns
        -------
        array
            x, of shape (n,), on an interval; x and y as two rows, (2, n), on a rectangle, so that
            ``solution(*solution.points())`` works there.
        """

    @abstractmethod
    def true_error(self) -> float | None:
        """The largest error against the exact solution of the problem, at places dense in the layers.

        Returns
        -------
        float or None
            max|u - exact| / scale, over all fields; None where the problem has no exact solution.
        """

    def summary(self) -> dict[str, Any]:
        """The figures of this solution in plain numbers and texts, ready for JSON.

        Returns
        -------
        dict
            Status, message, errors, gates and costs by name.
        """
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
            **({"constants": dict(self.unknown_values)} if self.problem.unknown else {}),
        }

    def _grid(self, points: int | None) -> Grid:
        """Places along every axis, dense in the layers, and the fields over all of them; a space may add more."""
        count = (1001 if len(self.problem.axes) == 1 else 101) if points is None else points
        along = [self._axis_points(k, count) for k in range(len(self.problem.axes))]
        everywhere = np.meshgrid(*along, indexing="ij")
        places = {axis.name: one for axis, one in zip(self.problem.axes, along, strict=True)}
        return places, {name: np.asarray(self[name](*everywhere)) for name in self.problem.fields}

    def _about(self) -> dict[str, Any]:
        """What a table of the solution should not be without."""
        return {
            "equation": "; ".join(equation.text for equation in self.problem.equations),
            **self.problem.parameters,
            **{name: value for name, value in self.unknown_values.items() if name not in self.problem.parameters},
            "status": str(self.status),
            "error": self.error,
            "tol": self.tol,
        }

    def save(self, path: str | Path) -> None:
        """Write one file from which `load` gives back the same solution, equal to the last bit.

        Parameters
        ----------
        path
            The file to write, as a rule ending in .npz.

        Raises
        ------
        InputError
            Where the problem was made from a Python function, which cannot be written down.
        """
        from gated_xtfc.solution.archive import write  # needed by few

        write(self, path)

    @staticmethod
    def load(path: str | Path) -> Solution:
        """Read the solution that `save` wrote.

        Parameters
        ----------
        path
            The file to read.

        Raises
        ------
        InputError
            Where there is no such file, or it does not hold a solution.
        """
        from gated_xtfc.solution.archive import load_solution

        return load_solution(path)

    @overload
    def plot(self, path: str | Path) -> None: ...
    @overload
    def plot(
        self, path: None = None, *, ax: Axes | None = None, field: str | None = None, gated: bool = False
    ) -> Axes: ...
    def plot(
        self, path: str | Path | None = None, *, ax: Axes | None = None, field: str | None = None, gated: bool = False
    ) -> Axes | None:
        """Draw the solution: into axes of matplotlib, or a whole page into a file.

        Parameters
        ----------
        path
            The file for a page with the solution, its layers stretched open, kernel widths and gates, residual and
            error; its ending says which kind: .png, .svg, .pdf.
        ax
            Without a path, the axes to draw into; the current ones of pyplot unless given.
        field
            The one field to draw; all of a system unless given.
        gated
            Whether to draw along the gated coordinate, in which layers open up.

        Returns
        -------
        matplotlib.axes.Axes or None
            The axes; None where a file was written.
        """
        # Matplotlib takes longer to import than most equations to solve: only here, and only when asked for.
        if path is not None:
            from gated_xtfc.plots import plot

            plot(self, path)
            return None
        from gated_xtfc.plots.on_axes import solution_on_axes

        return solution_on_axes(self, ax, field, gated)

    def _repr_html_(self) -> str:
        """What a notebook shows: the verdict and the picture."""
        from gated_xtfc.plots.notebook import solution_html

        return solution_html(self)

    def _component(
        self, function: Callable[[Points, Orders], Array], highest: int = 0, error: float = 0.0
    ) -> Component:
        return Component(self.problem.axes, highest, function, self.charts, error)

    def _curve(self) -> Curve:
        return self._the_field()._curve()

    def _as_function(self, curve: Curve) -> Component:
        return of_curve(curve)

    def _axis_points(self, axis: int, count: int) -> Array:
        """Points of one axis from end to end, uniform in the gated coordinate, so dense in the layers."""
        if not (isinstance(count, int | np.integer) and count >= 2):
            raise InputError(f"{count!r} points were asked for: give a whole number of at least 2")
        x, ends = self.charts[axis].points(int(count)), self.window[axis]
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
