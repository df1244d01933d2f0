"""The one equation of a rectangle on a grid: sum over (i, j) of a_ij d^(i+j)u/dx^i dy^j = source."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gated_xtfc.operator.linearise import Linear
from gated_xtfc.types import Array, Orders


@dataclass(frozen=True)
class GridOperator:
    """Coefficients in the shapes they have, and the source."""

    coefficients: dict[Orders, Array]  # each of a shape that broadcasts to (n, m)
    source: Array  # (n, m)

    @classmethod
    def of(cls, linear: Linear) -> "GridOperator":
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
