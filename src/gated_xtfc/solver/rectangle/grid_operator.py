"""The one equation of a rectangle on a grid: sum over (i, j) of a_ij d^(i+j)u/dx^i dy^j = source.

Separable operators are solved at once. Any other, divided by a weight w, is brought as near as possible to
p(x) d_xx + q(x) d_x + r(y) d_yy + s(y) d_y + c(x) + d(y), whose inverse is then its preconditioner.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gated_xtfc.discretise.axis_grid import AxisGrid
from gated_xtfc.linalg.sylvester import Sylvester
from gated_xtfc.operator.linearise import Linearisation
from gated_xtfc.types import Array, Orders


@dataclass(frozen=True)
class GridOperator:
    """Coefficients in the shapes they have, and the source."""

    coefficients: dict[Orders, Array]  # each of a shape that broadcasts to (n, m)
    source: Array  # (n, m)

    @classmethod
    def of(cls, linear: Linearisation) -> "GridOperator":
        return cls(linear.coefficients[0][0], linear.source[0])

    def applied(self, along_x: Sequence[Array], along_y: Sequence[Array], u: Array) -> Array:
        """The operator on values u; the matrices of the derivatives, by order, are (n, values) and (m, values)."""
        total: Array = np.zeros(self.source.shape)
        for (i, j), a in self.coefficients.items():
            total = total + a * (along_x[i] @ u @ along_y[j].T)
        return total

    def scale(self, slope_x: Array, slope_y: Array) -> Array:
        """The operator's size on a kernel as wide as the local ones, (n, m)."""
        total: Array = np.zeros(self.source.shape)
        for (i, j), a in self.coefficients.items():
            total = total + np.abs(a) * slope_x[:, None] ** i * slope_y**j
        return total


@dataclass(frozen=True, eq=False)
class Separable:
    """along_x[i] (n, 1) and along_y[j] (1, m) multiply derivatives of that order, in the equation divided by weight."""

    along_x: list[Array]
    along_y: list[Array]
    weight: Array | None  # (n, m), None for one
    exact: bool  # whether it is the operator itself

    @classmethod
    def near(cls, linear: GridOperator) -> "Separable":
        """The operator itself where it is separable, otherwise one near it."""
        zero = np.zeros((1, 1))
        a = {o: linear.coefficients.get(o, zero) for o in ((2, 0), (1, 0), (0, 2), (0, 1), (0, 0))}
        alone = a[2, 0].shape[1] == a[1, 0].shape[1] == a[0, 2].shape[0] == a[0, 1].shape[0] == min(a[0, 0].shape) == 1
        if alone and (1, 1) not in linear.coefficients:
            # of a constant each axis gets half, which keeps both regular
            part = 0.5 if a[0, 0].size == 1 else 1.0
            of_x = part * a[0, 0] if a[0, 0].shape[1] == 1 else zero
            of_y = part * a[0, 0] if a[0, 0].shape[0] == 1 else zero
            return cls([of_x, a[1, 0], a[2, 0]], [of_y, a[0, 1], a[0, 2]], None, True)
        full = {o: np.broadcast_to(factor, linear.source.shape) for o, factor in a.items()}
        p, r, weight = _separated(full[2, 0], full[0, 2])
        rest = full[0, 0] / weight
        half = 0.5 * rest.mean()
        of_x, of_y = rest.mean(axis=1, keepdims=True) - half, rest.mean(axis=0, keepdims=True) - half
        q, s = (full[1, 0] / weight).mean(axis=1, keepdims=True), (full[0, 1] / weight).mean(axis=0, keepdims=True)
        return cls([of_x, q, p], [of_y, s, r], weight, False)

    def on(self, x: AxisGrid, y: AxisGrid) -> Sylvester:
        """Factorised, on values at the inner sites with all conditions zero."""
        a = sum((f * d for f, d in zip(self.along_x, x.inner_derivatives, strict=True)), np.zeros((x.inner.size,) * 2))
        b = sum(
            (f.T * d for f, d in zip(self.along_y, y.inner_derivatives, strict=True)), np.zeros((y.inner.size,) * 2)
        )
        return Sylvester.of(a, b, self.weight)


def _separated(a: Array, b: Array) -> tuple[Array, Array, Array]:
    """p (n, 1), r (1, m) and w with a ~ w p and b ~ w r: exact when log(a/b) is a sum of parts in x and in y."""
    floor = 1e-30 * max(float(np.abs(a).max()), float(np.abs(b).max()), 1e-300)
    first, second = (np.log(np.maximum(np.abs(c), floor)) for c in (a, b))
    ratio = first - second
    of_x = ratio.mean(axis=1, keepdims=True)
    of_y = ratio.mean(axis=0, keepdims=True) - ratio.mean()
    weight = np.where(a + b < 0, -1.0, 1.0) * np.exp(0.5 * (first + second - of_x + of_y))
    return np.exp(of_x), np.exp(-of_y), weight
