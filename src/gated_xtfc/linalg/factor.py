"""What a factorised least squares problem can be asked."""

from typing import Protocol

import numpy as np

from gated_xtfc.types import Array


class Factor(Protocol):
    """A matrix (m, n), with conditions on its coefficients or without, factorised once."""

    @property
    def rank(self) -> int:
        """Directions that the rows determine."""

    def solve(self, target: Array) -> Array:
        """Coefficients (n, r) that fit the targets (m, r) best, and meet the conditions."""

    def homogeneous(self, target: Array) -> Array:
        """The same with the values of all conditions zero."""

    def times(self, coefficients: Array) -> Array:
        """The matrix times coefficients (n, r)."""

    def left_times(self, rows: Array) -> Array:
        """Rows (p, m) times the matrix, (p, n)."""

    def adjoint(self, features: Array) -> Array:
        """features (p, n) @ the linear part of `solve`: what each row does to each feature, (p, m)."""


def require_finite(*arrays: Array) -> None:
    """Before LAPACK sees them: it would say on standard error what it thinks of NaN, or never come to an end."""
    if not all(np.isfinite(array).all() for array in arrays):
        raise np.linalg.LinAlgError("the matrices are not finite")
