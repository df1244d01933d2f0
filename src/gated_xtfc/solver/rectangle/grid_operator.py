"""The one equation of a rectangle on a grid: sum over (i, j) of a_ij d^(i+j)u/dx^i dy^j = source.

Separable operators are solved at once. Any other, divided by a weight w, is brought near to
p(x) d_xx + q(x) d_x + r(y) d_yy + s(y) d_y + c(x) + d(y), whose inverse is then its preconditioner.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gated_xtfc.discretise.axis_grid import AxisGrid
from gated_xtfc.linalg.sylvester import Sylvester
from gated_xtfc.operator.linearise import Linearisation
from gated_xtfc.types import Array, Orders

X: tuple[Orders, ...] = (1, 0), (2, 0)  # the derivatives along each axis
Y: tuple[Orders, ...] = (0, 1), (0, 2)
SITES = 2.0  # a width, about


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

    @classmethod
    def of(cls, linear: GridOperator) -> "Separable | None":
        """The operator itself, where it is separable."""
        a = linear.coefficients
        across = [a[o].shape[1] for o in ((2, 0), (1, 0)) if o in a] + [
            a[o].shape[0] for o in ((0, 2), (0, 1)) if o in a
        ]
        zero = np.zeros((1, 1))
        own = a.get((0, 0), zero)
        if (1, 1) in a or any(size > 1 for size in across) or min(own.shape) > 1:
            return None
        # of a constant each axis gets half, which keeps both regular
        part = 0.5 if own.size == 1 else 1.0
        of_x, of_y = (part * own if own.shape[k] == 1 else zero for k in (1, 0))
        return cls([of_x, *(a.get(o, zero) for o in X)], [of_y, *(a.get(o, zero) for o in Y)], None)

    @classmethod
    def near(cls, linear: GridOperator, slope_x: Array, slope_y: Array) -> "Separable":
        """One near it, for kernels with these slopes of their coordinate.

        The weight makes separable what counts on the scale of neighbouring sites: diffusion, or convection where that
        is stronger.
        """
        sizes = [
            GridOperator({o: linear.coefficients[o] for o in own if o in linear.coefficients}, linear.source).scale(
                SITES * slope_x, SITES * slope_y
            )
            for own in (X, Y)
        ]
        signs = np.where(sum(linear.coefficients.get(o, 0.0) for o in (X[-1], Y[-1])) < 0, -1.0, 1.0)
        weight = signs * _weight(*sizes)
        a = {o: linear.coefficients.get(o, np.zeros((1, 1))) / weight for o in (*X, *Y, (0, 0))}
        rest = a[0, 0]
        half = 0.5 * rest.mean()
        of_x, of_y = rest.mean(axis=1, keepdims=True) - half, rest.mean(axis=0, keepdims=True) - half
        along_x = [of_x, *(a[o].mean(axis=1, keepdims=True) for o in X)]
        return cls(along_x, [of_y, *(a[o].mean(axis=0, keepdims=True) for o in Y)], weight)

    def on(self, x: AxisGrid, y: AxisGrid) -> Sylvester:
        """Factorised, on values at the inner sites with all conditions zero."""
        a = sum((f * d for f, d in zip(self.along_x, x.inner_derivatives, strict=True)), np.zeros((x.inner.size,) * 2))
        b = sum(
            (f.T * d for f, d in zip(self.along_y, y.inner_derivatives, strict=True)), np.zeros((y.inner.size,) * 2)
        )
        return Sylvester.of(a, b, self.weight)


def _weight(x: Array, y: Array) -> Array:
    """w for which x/w depends on x alone, and y/w on y alone, as nearly as that can be."""
    floor = 1e-30 * max(float(x.max()), float(y.max()), 1e-300)
    first, second = np.log(np.maximum(x, floor)), np.log(np.maximum(y, floor))
    ratio = first - second
    of_x = ratio.mean(axis=1, keepdims=True)
    of_y = ratio.mean(axis=0, keepdims=True) - ratio.mean()
    weight: Array = np.exp(0.5 * (first + second - of_x + of_y))
    return weight
