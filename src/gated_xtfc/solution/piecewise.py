"""A function as Chebyshev polynomials on panels, as short as the function needs: what gives derivatives of anything.

Panels begin one kernel width long in the gated coordinate and are halved where the last coefficients do not vanish.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.polynomial import chebyshev

from gated_xtfc.types import Array

DEGREE = 16
VANISHING = 1e-13  # last coefficients, beside the largest of the panel and a thousandth of the largest of all
HALVINGS = 30  # of a panel: kinks are enclosed, not resolved
MOST = 4000  # panels that may be halved at a time: more is noise
NODES = chebyshev.chebpts1(DEGREE + 1)
TO_COEFFICIENTS: Array = np.asarray(np.linalg.inv(chebyshev.chebvander(NODES, DEGREE)), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class PiecewisePolynomial:
    """Coefficients (panels, degree + 1) between edges (panels + 1,), increasing."""

    edges: Array
    coefficients: Array

    @classmethod
    def of(cls, function: Callable[[Array], Array], edges: Array) -> "PiecewisePolynomial":
        """Through the values of a function between edges."""
        left, right, largest = edges[:-1], edges[1:], 0.0
        kept: list[tuple[Array, Array, Array]] = []
        for depth in range(HALVINGS + 1):
            half = 0.5 * (right - left)[:, None]
            x = np.minimum(np.maximum(left[:, None] + half * (1.0 + NODES), left[:, None]), right[:, None])
            found = function(x.ravel()).reshape(x.shape) @ TO_COEFFICIENTS.T
            size = np.abs(found).max(axis=1)
            largest = max(largest, float(size.max()))
            # nodes stand where floating-point numbers are, so values are known as well as these tell them apart
            blur = np.spacing(np.maximum(np.abs(left), np.abs(right))) / half[:, 0]
            smooth = np.abs(found[:, -3:]).max(axis=1) <= np.maximum(
                VANISHING * np.maximum(size, 1e-3 * largest), 8.0 * blur * size
            )
            middle = 0.5 * (left + right)
            smooth |= (middle <= left) | (middle >= right) | (depth == HALVINGS) | ~np.isfinite(size)
            smooth |= np.count_nonzero(~smooth) > MOST
            kept.append((left[smooth], right[smooth], found[smooth]))
            rough = ~smooth
            if not rough.any():
                break
            left, right = np.concatenate([left[rough], middle[rough]]), np.concatenate([middle[rough], right[rough]])
        lefts, rights, coefficients = (np.concatenate(column) for column in zip(*kept, strict=True))
        order = np.argsort(lefts)
        return cls(np.append(lefts[order], rights[order][-1]), coefficients[order])

    def derivative(self, x: Array, order: int) -> Array:
        """The order-th derivative at points of the domain, (n,)."""
        panel = np.clip(np.searchsorted(self.edges, x, side="right") - 1, 0, self.edges.size - 2)
        left, half = self.edges[panel], 0.5 * (self.edges[panel + 1] - self.edges[panel])
        inside = (x - left) / half - 1.0
        coefficients = chebyshev.chebder(self.coefficients, order, axis=1)[panel] / half[:, None] ** order
        return np.asarray(chebyshev.chebval(inside, coefficients.T, tensor=False), dtype=np.float64)
