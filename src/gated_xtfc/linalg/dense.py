"""Dense least squares by QR with column pivoting: matrix P = Q R, directions below rounding left out."""

from dataclasses import dataclass

import numpy as np

from gated_xtfc import lapack
from gated_xtfc.types import Array, Index

RANK = 1e-15


@dataclass(frozen=True)
class Dense:
    """The orthogonal factorisation of a small matrix."""

    matrix: Array  # (m, n)
    factor: Array  # (m, n) R above, reflectors below
    tau: Array
    order: Index  # column i of the factor is column order[i] of the matrix
    norms: Array  # (n,) column lengths divided out
    rank: int

    @classmethod
    def of(cls, matrix: Array) -> "Dense":
        scaled = np.array(matrix, order="F")
        norms = np.sqrt(np.einsum("ij,ij->j", scaled, scaled))
        norms[norms == 0.0] = 1.0
        scaled /= norms
        work = max(64, 32 * (matrix.shape[1] + 1))
        factor, order, tau, _, _ = lapack.dgeqp3(scaled, lwork=work, overwrite_a=1)
        diagonal = np.abs(np.diag(factor))
        rank = int(np.count_nonzero(diagonal > RANK * diagonal[0])) if diagonal.size else 0
        return cls(matrix, factor, tau, (order - 1).astype(np.intp), norms, rank)

    def solve(self, target: Array) -> Array:
        """Coefficients (n, r) that fit the targets (m, r)."""
        rotated, _, _ = lapack.dormqr("L", "T", self.factor, self.tau, target, max(64, 32 * target.shape[1]))
        found = np.zeros((self.norms.size, target.shape[1]))
        if self.rank:
            inner, _ = lapack.dtrtrs(self.factor[: self.rank, : self.rank], rotated[: self.rank])
            found[self.order[: self.rank]] = inner
        return found / self.norms[:, None]

    def homogeneous(self, target: Array) -> Array:
        """As `solve`, for there are no conditions beside the rows."""
        return self.solve(target)

    def times(self, coefficients: Array) -> Array:
        product: Array = self.matrix @ coefficients
        return product

    def left_times(self, rows: Array) -> Array:
        product: Array = rows @ self.matrix
        return product

    def adjoint(self, features: Array) -> Array:
        """features @ pseudo-inverse: what each row's residual does to each feature, (p, m)."""
        scaled = (features / self.norms)[:, self.order[: self.rank]].T
        padded = np.zeros((self.factor.shape[0], features.shape[0]), order="F")
        if self.rank:
            padded[: self.rank], _ = lapack.dtrtrs(self.factor[: self.rank, : self.rank], scaled, trans=1)
        seen, _, _ = lapack.dormqr(
            "L", "N", self.factor, self.tau, padded, max(64, 32 * features.shape[0]), overwrite_c=1
        )
        transposed: Array = seen.T
        return transposed
