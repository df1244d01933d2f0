"""A solution: kernels with their weights, what they solve, how good they are. It never changes.

u(x) = g(x) + sum_k s_k(x) (b_k - L_k[g]): the conditions hold to the last bit.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from gated_xtfc.arrays import Array
from gated_xtfc.bases import Pieces
from gated_xtfc.certificate import Certificate
from gated_xtfc.errors import InputError
from gated_xtfc.fit import Fit
from gated_xtfc.gates import Gate
from gated_xtfc.linearise import Operator
from gated_xtfc.problem import Problem
from gated_xtfc.rows import row_scale


@dataclass(frozen=True)
class Round:
    """One fit on the way: its neurons, its estimated error and the part of it that is rounding."""

    neurons: int
    error: float
    rounding: float


@dataclass(frozen=True, eq=False)
class Solution:
    problem: Problem
    tol: float
    status: str
    message: str
    error: float  # estimated max error, relative to `scale`
    scale: float  # max(1, max|u|)
    neurons: int
    sites: int
    seconds: float
    history: tuple[Round, ...]
    pieces: Pieces
    free: Array  # (size,) kernel weights of the free function
    switch: Array  # (size,) kernel weights of the switching part

    @classmethod
    def of(
        cls,
        problem: Problem,
        found: Fit,
        certificate: Certificate,
        tol: float,
        status: str,
        message: str,
        history: tuple[Round, ...],
        seconds: float,
    ) -> "Solution":
        found.free.setflags(write=False)
        found.switch.setflags(write=False)
        neurons, sites = found.trial.free.size, found.rows.x.size
        error, scale = certificate.error, certificate.scale
        pieces, free, switch = found.pieces, found.free, found.switch
        return cls(problem, tol, status, message, error, scale, neurons, sites, seconds, history, pieces, free, switch)

    @property
    def converged(self) -> bool:
        return self.status == "converged"

    @property
    def rounds(self) -> int:
        return len(self.history)

    @property
    def gates(self) -> tuple[Gate, ...]:
        """Layers and blocks of all pieces, from left to right."""
        found: list[Gate] = []
        for basis in self.pieces.bases:
            found += [*basis.coordinate.layers, *basis.coordinate.blocks]
        return tuple(found)

    @property
    def breaks(self) -> tuple[float, ...]:
        """Interior points where a coefficient or the source jumps or has a kink."""
        return tuple(float(x) for x in self.pieces.breaks)

    @overload
    def __call__(self, x: float, order: int = 0) -> float: ...
    @overload
    def __call__(self, x: ArrayLike, order: int = 0) -> Array: ...
    def __call__(self, x: ArrayLike, order: int = 0) -> float | Array:
        """u^(order) at x: a float for a number, an array of the same shape for an array."""
        highest = self._operator.order
        if not (isinstance(order, int) and 0 <= order <= highest):
            raise InputError(f"derivative order {order!r} was asked for: orders 0 to {highest} are available")
        return self._at(x, lambda points: self._evaluate(points, order))

    def residual(self, x: ArrayLike) -> float | Array:
        """left side - right side of the equation at x."""
        return self._at(x, self._residual)

    def scaled_residual(self, x: ArrayLike) -> float | Array:
        """The residual divided by the size of the operator at the local kernel width: dimensionless."""
        return self._at(x, lambda points: self._residual(points) / self._row_scale(points))

    def coordinate(self, x: ArrayLike) -> float | Array:
        """The gated coordinate xi(x), in which every layer is a few units wide."""
        return self._at(x, self.pieces.coordinate)

    def width(self, x: ArrayLike) -> float | Array:
        """The local kernel width in x."""
        return self._at(x, lambda points: 1.0 / self.pieces.slope(points))

    def points(self, count: int = 1001) -> Array:
        """Points from end to end, uniform in the gated coordinate, so dense in the layers."""
        x = self.pieces.inverse(np.linspace(0.0, self.pieces.length, count))
        x[0], x[-1] = self.pieces.left, self.pieces.right
        return x

    def true_error(self) -> float | None:
        """max|u - exact| / scale on 20,000 points, half of them uniform in the coordinate; None without `exact`."""
        exact = self.problem.exact
        if exact is None:
            return None
        x = np.concatenate([self.points(10_000), np.linspace(self.pieces.left, self.pieces.right, 10_000)])
        return float(np.abs(self._evaluate(x, 0) - exact(x)).max()) / self.scale

    def summary(self) -> dict[str, Any]:
        """The figures of this solution, ready for JSON."""
        return {
            "status": self.status,
            "message": self.message,
            "tol": self.tol,
            "error": self.error,
            "true_error": self.true_error(),
            "scale": self.scale,
            "neurons": self.neurons,
            "sites": self.sites,
            "rounds": self.rounds,
            "gates": [gate.describe() for gate in self.gates],
            "breaks": list(self.breaks),
            "seconds": self.seconds,
            "parameters": dict(self.problem.parameters),
        }

    def to_csv(self, path: str | Path, points: int = 1001) -> None:
        """x, u and its derivatives up to the order of the equation, at points dense in the layers."""
        from gated_xtfc.archive import write_csv

        write_csv(self, path, points)

    def save(self, path: str | Path) -> None:
        """One file from which `load` gives back bit-equal values."""
        from gated_xtfc.archive import write

        write(self, path)

    @staticmethod
    def load(path: str | Path) -> "Solution":
        from gated_xtfc.archive import load

        return load(path)

    def plot(self, path: str | Path) -> None:
        """The figure: solution, layers stretched open, kernel width and gates, residual and error."""
        # Matplotlib takes longer to import than most equations to solve: only here, and only when asked for.
        from gated_xtfc.plots import plot

        plot(self, path)

    @property
    def _operator(self) -> Operator:
        return Operator.of(self.problem)

    def _at(self, x: ArrayLike, function: Any) -> float | Array:
        points = np.asarray(x, dtype=float)
        left, right = self.pieces.left, self.pieces.right
        # written so that a NaN is refused too
        outside = ~((points >= left) & (points <= right))
        if np.any(outside):
            worst = points[outside].flat[0]
            raise InputError(f"x = {worst:.6g} is outside the domain [{left:.6g}, {right:.6g}]")
        if points.ndim == 0:
            return float(function(points.reshape(1))[0])
        result: Array = function(points.ravel()).reshape(points.shape)
        return result

    def _evaluate(self, points: Array, order: int) -> Array:
        return self.pieces.evaluate(points, order, self.free, self.switch)

    def _residual(self, points: Array) -> Array:
        coefficients, source = self._operator.evaluate(points)
        terms = [a * self._evaluate(points, j) for j, a in enumerate(coefficients)]
        return sum(terms, -source)

    def _row_scale(self, points: Array) -> Array:
        return row_scale(self._operator.evaluate(points)[0], self.pieces.slope(points))
