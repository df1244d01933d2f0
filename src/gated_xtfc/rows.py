"""Physics as rows: matrix @ weights = target, each row divided by the operator's size at the local kernel scale.

scale(x) = sum_j |a_j(x)| xi'(x)^j
"""

from dataclasses import dataclass

import numpy as np

from gated_xtfc.arrays import Array, Index
from gated_xtfc.bases import Pieces, View, pull_back
from gated_xtfc.linearise import Operator


@dataclass(frozen=True)
class Rows:
    x: Array  # (m,)
    view: View
    inner: list[Array]  # scaled coefficients of the operator in the coordinate, each (m,)
    values: Array  # (m, window) scaled operator on the kernels seen
    target: Array  # (m,) scaled

    @property
    def first(self) -> Index:
        """(m,) first kernel of each row."""
        return self.view.first

    @property
    def xi(self) -> Array:
        return self.view.jets[0]

    def __getitem__(self, index: Index) -> "Rows":
        inner = [b[index] for b in self.inner]
        return Rows(self.x[index], self.view[index], inner, self.values[index], self.target[index])

    def gather(self, weights: Array) -> Array:
        """The weights that each row sees, (m, window)."""
        padded = np.concatenate([weights, np.zeros(self.values.shape[1])])
        result: Array = padded[self.view.columns()]
        return result

    def slide(self) -> Array:
        """How each entry changes when the point moves in the coordinate and the coefficients stay, (m, window)."""
        return self.view.inner_operator([np.zeros_like(self.x), *self.inner])


def physics(pieces: Pieces, operator: Operator, x: Array) -> Rows:
    """Rows of the equation at x."""
    coefficients, source = operator(x)
    view = pieces.see(x, operator.order)
    scale = row_scale(coefficients, view.jets[1])
    inner = pull_back(view.jets, [a / scale for a in coefficients])
    return Rows(x, view, inner, view.inner_operator(inner), source / scale)


def row_scale(coefficients: list[Array], slope: Array) -> Array:
    """The size of the operator on a kernel as wide as the local ones, (m,)."""
    scale = np.abs(coefficients[0])
    power = slope
    for a in coefficients[1:]:
        scale = scale + np.abs(a) * power
        power = power * slope
    return scale
