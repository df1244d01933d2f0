"""A solution on a rectangle: a surface, what it solves, how good it is. It never changes."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gated_xtfc.discretise.pieces import Pieces
from gated_xtfc.discretise.tensor_function import Surface
from gated_xtfc.errors import InputError
from gated_xtfc.gates import Gate
from gated_xtfc.language.plane_vocabulary import Orders
from gated_xtfc.operator.plane_operator import PlaneOperator
from gated_xtfc.problem.plane_problem import PlaneProblem
from gated_xtfc.solution.interval import Round
from gated_xtfc.types import Array

HIGHEST = 4  # order of a derivative in one coordinate
COMPARED = 400  # points on each axis at which the exact solution is compared, half of them uniform in the coordinate


@dataclass(frozen=True, eq=False)
class PlaneSolution:
    problem: PlaneProblem
    tol: float
    status: str
    message: str
    error: float  # estimated max error, relative to the scale
    scale: float  # max(1, max|u|)
    neurons: int
    sites: int
    seconds: float
    history: tuple[Round, ...]
    surface: Surface
    continuation: str | None = None  # the parameter that was followed

    def __repr__(self) -> str:
        return f"PlaneSolution({self.problem!r}: {self.status}, error {self.error:.1e}, {self.neurons} neurons)"

    @property
    def converged(self) -> bool:
        return self.status == "converged"

    @property
    def rounds(self) -> int:
        return len(self.history)

    @property
    def constants(self) -> Mapping[str, float]:
        """A rectangle has no unknown constants."""
        return MappingProxyType({})

    @property
    def warnings(self) -> tuple[str, ...]:
        return self.problem.warnings

    @property
    def gates(self) -> Mapping[str, tuple[Gate, ...]]:
        """Layers and blocks of each axis, by its name."""
        found: dict[str, tuple[Gate, ...]] = {}
        for axis, pieces in zip(self.problem.axes, self._pieces, strict=True):
            gates: list[Gate] = []
            for basis in pieces.bases:
                gates += [*basis.coordinate.layers, *basis.coordinate.blocks]
            found[axis.name] = tuple(gates)
        return MappingProxyType(found)

    @property
    def breaks(self) -> Mapping[str, tuple[float, ...]]:
        """Places on each axis where a coefficient, the source or the data jump or have a kink."""
        pieces = zip(self.problem.axes, self._pieces, strict=True)
        return MappingProxyType({axis.name: tuple(part.breaks.tolist()) for axis, part in pieces})

    def __call__(self, x: ArrayLike, y: ArrayLike, orders: Orders = (0, 0)) -> float | Array:
        """d^(i+j)u/dx^i dy^j at (x, y), which broadcast, for orders (i, j): a float where both are numbers."""
        whole = isinstance(orders, tuple) and len(orders) == 2 and all(isinstance(o, int | np.integer) for o in orders)
        if not whole or not all(0 <= order <= HIGHEST for order in orders):
            raise InputError(
                f"derivative orders {orders!r} were asked for: give one for each coordinate, such as (1, 0), "
                f"from 0 to {HIGHEST}"
            )
        return self._shaped(x, y, lambda a, b: self.surface.at(a, b, (int(orders[0]), int(orders[1]))))

    def residual(self, x: ArrayLike, y: ArrayLike) -> float | Array:
        """left side - right side of the equation at (x, y)."""
        return self._shaped(x, y, self._residual)

    def scaled_residual(self, x: ArrayLike, y: ArrayLike) -> float | Array:
        """The residual divided by the size of the operator at the local kernel widths: dimensionless."""
        return self._shaped(x, y, lambda a, b: self._residual(a, b) / self._row_scale(a, b))

    def coordinates(self, x: ArrayLike, y: ArrayLike) -> tuple[Array, Array]:
        """The gated coordinates of x and of y, in which every layer is a few units wide."""
        a, b = self._inside(x, y)
        parts = [p.coordinate(v.ravel()).reshape(v.shape) for p, v in zip(self._pieces, (a, b), strict=True)]
        return parts[0], parts[1]

    def widths(self, x: ArrayLike, y: ArrayLike) -> tuple[Array, Array]:
        """The kernel widths along x and along y."""
        a, b = self._inside(x, y)
        parts = [1.0 / p.slope(v.ravel()).reshape(v.shape) for p, v in zip(self._pieces, (a, b), strict=True)]
        return parts[0], parts[1]

    def grid(self, count: int = 101) -> tuple[Array, Array]:
        """`count` points on each axis, uniform in the gated coordinate, ends included: x (n, 1) and y (1, n)."""
        if not (isinstance(count, int | np.integer) and count >= 2):
            raise InputError(f"{count!r} points were asked for: give a whole number of at least 2")
        x, y = (self._points(axis, int(count)) for axis in (0, 1))
        return x[:, None], y[None, :]

    def true_error(self) -> float | None:
        """max|u - exact| / scale on a grid of 400 x 400 points, dense in the layers; None without `exact`."""
        exact = self.problem.exact
        if exact is None:
            return None
        places = []
        for axis, where in enumerate(self.problem.axes):
            even = np.linspace(where.left, where.right, COMPARED // 2)
            places.append(np.unique(np.concatenate([self._points(axis, COMPARED // 2), even])))
        x, y = places[0][:, None], places[1][None, :]
        return float(np.abs(self.surface.grid(places[0], places[1]) - exact(x, y)).max()) / self.scale

    def summary(self) -> dict[str, Any]:
        """The figures of this solution, ready for JSON."""
        return {
            "status": self.status,
            "message": self.message,
            "warnings": list(self.warnings),
            "tol": self.tol,
            "error": self.error,
            "true_error": self.true_error(),
            "scale": self.scale,
            "neurons": self.neurons,
            "sites": self.sites,
            "rounds": self.rounds,
            "gates": {name: [gate.describe() for gate in gates] for name, gates in self.gates.items()},
            "breaks": {name: list(places) for name, places in self.breaks.items()},
            "seconds": self.seconds,
            "parameters": dict(self.problem.parameters),
        }

    def to_csv(self, path: str | Path, points: int = 101) -> None:
        """x, y, u and its derivatives up to the second order on a grid that is dense in the layers."""
        from gated_xtfc.solution.rectangle_archive import write_csv

        write_csv(self, path, points)

    def save(self, path: str | Path) -> None:
        """One file from which `load` gives back bit-equal values."""
        from gated_xtfc.solution.rectangle_archive import pack

        with Path(path).open("wb") as file:
            pack(self, file)

    def plot(self, path: str | Path) -> None:
        """The figure: the solution over the plane and with its layers opened, kernel widths, residual."""
        # Matplotlib takes longer to import than most equations to solve: only here, and only when asked for.
        from gated_xtfc.plots import plot

        plot(self, path)

    @property
    def _pieces(self) -> tuple[Pieces, Pieces]:
        return self.surface.x.pieces, self.surface.y.pieces

    def _points(self, axis: int, count: int) -> Array:
        where, pieces = self.problem.axes[axis], self._pieces[axis]
        points = pieces.inverse(np.linspace(0.0, pieces.length, count))
        points[0], points[-1] = where.left, where.right
        inside: Array = np.clip(points, where.left, where.right)
        return inside

    def _jets(self, x: Array, y: Array) -> dict[Orders, Array]:
        return {orders: self.surface.at(x, y, orders) for orders in PlaneOperator(self.problem).asked}

    def _residual(self, x: Array, y: Array) -> Array:
        found = PlaneOperator(self.problem).residual(x, y, self._jets(x, y))
        values: Array = np.zeros_like(x) + getattr(found, "value", found)
        return values

    def _row_scale(self, x: Array, y: Array) -> Array:
        found = PlaneOperator(self.problem).residual(x, y, self._jets(x, y) if not self.problem.linear else None)
        along = [pieces.slope(points) for pieces, points in zip(self._pieces, (x, y), strict=True)]
        total: Array = np.zeros_like(x)
        for (_, (i, j)), a in found.partials.items():
            total = total + np.abs(a) * along[0] ** i * along[1] ** j
        return total

    def _inside(self, x: ArrayLike, y: ArrayLike) -> tuple[Array, Array]:
        arrays = []
        for axis, given in zip(self.problem.axes, (x, y), strict=True):
            try:
                points = np.asarray(given, dtype=float)
            except (TypeError, ValueError):
                raise InputError(
                    f"{axis.name} must be a number or an array of numbers, not {type(given).__name__}"
                ) from None
            # written so that a NaN is refused too
            outside = ~((points >= axis.left) & (points <= axis.right))
            if np.any(outside):
                worst = points[outside].flat[0]
                raise InputError(f"{axis.name} = {worst:.6g} is outside the domain [{axis.left:.6g}, {axis.right:.6g}]")
            arrays.append(points)
        return arrays[0], arrays[1]

    def _shaped(self, x: ArrayLike, y: ArrayLike, function: Any) -> float | Array:
        a, b = self._inside(x, y)
        try:
            shape = np.broadcast_shapes(a.shape, b.shape)
        except ValueError:
            raise InputError(f"arrays of the shapes {a.shape} and {b.shape} do not go together") from None
        points = [np.broadcast_to(v, shape).ravel() for v in (a, b)]
        values: Array = function(points[0], points[1])
        return float(values[0]) if shape == () else values.reshape(shape)
