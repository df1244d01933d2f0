"""A solution: kernels with their weights, what they solve, how good they are. It never changes.

u(x) = g(x) + sum_k s_k(x) (b_k - L_k[g]): the conditions hold to the last bit.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from gated_xtfc.discretise.pieces import Pieces
from gated_xtfc.discretise.rows import row_scale
from gated_xtfc.errors import InputError, quoted
from gated_xtfc.gates import Gate
from gated_xtfc.operator.linearise import Jets, Operator
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solution.component import Component
from gated_xtfc.types import Array


@dataclass(frozen=True)
class Round:
    """One fit on the way: its neurons, its estimated error, the part of it that is rounding, Newton's steps.

    `value` is the value of the continuation parameter, None where there was no continuation.
    """

    neurons: int
    error: float
    rounding: float
    steps: int = 1
    value: float | None = None


@dataclass(frozen=True, eq=False)
class Solution:
    problem: Problem
    tol: float
    status: str
    message: str
    error: float  # estimated max error of every field, relative to its scale
    scales: tuple[float, ...]  # max(1, max|u|) of every field
    neurons: int
    sites: int
    seconds: float
    history: tuple[Round, ...]
    pieces: Pieces
    free: Array  # (kernels fields,) weights of the free functions
    switch: Array  # (kernels fields,) weights of the switching part
    values: tuple[float, ...] = ()  # unknown constants, in the order of problem.unknown
    continuation: str | None = None  # the parameter that was followed
    origin: float = 0.0  # the kernels live in x - origin

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Unpickled arrays would be writable."""
        self.__dict__.update(state)
        for weights in (self.free, self.switch):
            weights.setflags(write=False)

    def __repr__(self) -> str:
        return f"Solution({self.problem!r}: {self.status}, error {self.error:.1e}, {self.neurons} neurons)"

    @property
    def converged(self) -> bool:
        return self.status == "converged"

    @property
    def scale(self) -> float:
        """max(1, max|u|) of the first field."""
        return self.scales[0]

    @property
    def rounds(self) -> int:
        return len(self.history)

    @property
    def constants(self) -> Mapping[str, float]:
        """The unknown constants by name."""
        return MappingProxyType(dict(zip(self.problem.unknown, self.values, strict=True)))

    @property
    def gates(self) -> tuple[Gate, ...]:
        """Layers and blocks of all pieces, from left to right."""
        found: list[Gate] = []
        for basis in self.pieces.bases:
            found += [layer.moved(self.origin) for layer in basis.coordinate.layers]
            found += [block.moved(self.origin) for block in basis.coordinate.blocks]
        return tuple(found)

    @property
    def breaks(self) -> tuple[float, ...]:
        """Interior points where a coefficient or the source jumps or has a kink."""
        return tuple(float(x) + self.origin for x in self.pieces.breaks)

    def __getitem__(self, name: str) -> Component:
        """One field by its name: solution["v"](x), solution["v"](x, 1)."""
        fields = self.problem.fields
        if name not in fields:
            raise InputError(f"there is no field {quoted(str(name))}: the fields are {', '.join(fields)}")
        f, count = fields.index(name), len(fields)
        free, switch = self.free[f::count], self.switch[f::count]
        pieces, origin = self.pieces, self.origin
        return self._component(
            self.problem.order[name], lambda x, order: pieces.evaluate(x - origin, order, free, switch)
        )

    @overload
    def __call__(self, x: float, order: int = 0) -> float: ...
    @overload
    def __call__(self, x: ArrayLike, order: int = 0) -> Array: ...
    def __call__(self, x: ArrayLike, order: int = 0) -> float | Array:
        """u^(order) at x: a float for a number, an array of the same shape for an array."""
        if len(self.problem.fields) > 1:
            raise InputError(f"say which field: solution[{self.problem.fields[0]!r}](x)")
        return self[self.problem.fields[0]](x, order)

    def residual(self, x: ArrayLike) -> float | Array:
        """left side - right side of the equation at x; of a system, one row for each equation."""
        return self._component(0, lambda points, _: self._residuals(points, self._jets(points)))(x)

    def scaled_residual(self, x: ArrayLike) -> float | Array:
        """The residual divided by the size of the operator at the local kernel width: dimensionless."""

        def scaled(points: Array, _: int) -> Array:
            jets = self._jets(points)
            return self._residuals(points, jets) / self._row_scales(points, jets)

        return self._component(0, scaled)(x)

    def coordinate(self, x: ArrayLike) -> float | Array:
        """The gated coordinate xi(x), in which every layer is a few units wide."""
        return self._component(0, lambda points, _: self.pieces.coordinate(points - self.origin))(x)

    def width(self, x: ArrayLike) -> float | Array:
        """The local kernel width in x."""
        return self._component(0, lambda points, _: 1.0 / self.pieces.slope(points - self.origin))(x)

    def points(self, count: int = 1001) -> Array:
        """Points from end to end, uniform in the gated coordinate, so dense in the layers."""
        if not (isinstance(count, int | np.integer) and count >= 2):
            raise InputError(f"{count!r} points were asked for: give a whole number of at least 2")
        x = self.pieces.inverse(np.linspace(0.0, self.pieces.length, count)) + self.origin
        x[0], x[-1] = self.problem.axis.left, self.problem.axis.right
        inside: Array = np.minimum(np.maximum(x, x[0]), x[-1])
        return inside

    def true_error(self) -> float | None:
        """max|u - exact| / scale on 20,000 points, half of them uniform in the coordinate; None without `exact`."""
        x = np.concatenate([self.points(10_000), np.linspace(self.problem.axis.left, self.problem.axis.right, 10_000)])
        scales = dict(zip(self.problem.fields, self.scales, strict=True))
        errors = [
            float(np.abs(self[name](x) - exact(x)).max()) / scales[name] for name, exact in self.problem.exacts.items()
        ]
        return max(errors, default=None)

    def summary(self) -> dict[str, Any]:
        """The figures of this solution, ready for JSON."""
        return {
            "status": self.status,
            "message": self.message,
            "tol": self.tol,
            "error": self.error,
            "true_error": self.true_error(),
            "scale": self.scale if len(self.scales) == 1 else list(self.scales),
            "neurons": self.neurons,
            "sites": self.sites,
            "rounds": self.rounds,
            "gates": [gate.describe() for gate in self.gates],
            "breaks": list(self.breaks),
            "seconds": self.seconds,
            "parameters": dict(self.problem.parameters),
            **({"constants": dict(self.constants)} if self.values else {}),
        }

    def to_csv(self, path: str | Path, points: int = 1001) -> None:
        """x, and every field with its derivatives up to the order of the equations, at points dense in the layers."""
        from gated_xtfc.solution.archive import write_csv

        write_csv(self, path, points)

    def save(self, path: str | Path) -> None:
        """One file from which `load` gives back bit-equal values."""
        from gated_xtfc.solution.archive import write

        write(self, path)

    @staticmethod
    def load(path: str | Path) -> "Solution":
        from gated_xtfc.solution.archive import load

        return load(path)

    def plot(self, path: str | Path) -> None:
        """The figure: solution, layers stretched open, kernel width and gates, residual and error."""
        # Matplotlib takes longer to import than most equations to solve: only here, and only when asked for.
        from gated_xtfc.plots import plot

        plot(self, path)

    def _component(self, highest: int, function: Callable[[Array, int], Array]) -> Component:
        return Component(self.problem.axis.left, self.problem.axis.right, highest, function)

    def _jets(self, points: Array) -> Jets:
        return [[self[name](points, j) for j in range(order + 1)] for name, order in self.problem.order.items()]

    def _residuals(self, points: Array, jets: Jets) -> Array:
        found = Operator(self.problem).residuals(points, jets, self.values)
        values = [np.zeros_like(points) + getattr(residual, "value", residual) for residual in found]
        return values[0] if len(values) == 1 else np.stack(values)

    def _row_scales(self, points: Array, jets: Jets) -> Array:
        linear = Operator(self.problem).at(points, jets, self.values)
        scales = [row_scale(fields, self.pieces.slope(points - self.origin)) for fields in linear.coefficients]
        return scales[0] if len(scales) == 1 else np.stack(scales)
