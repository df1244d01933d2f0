"""Dense least squares in complex numbers, as `Dense` does it in real ones: QR with column pivoting."""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import qr, solve_triangular

from gated_xtfc.linalg.dense import RANK
from gated_xtfc.linalg.factor import require_finite
from gated_xtfc.types import Complex, Index


@dataclass(frozen=True, eq=False)
class ComplexDense:
    """The orthogonal factorisation of a complex matrix, (m, n)."""

    unitary: Complex  # (m, rank)
    triangle: Complex  # (rank, rank)
    order: Index  # columns of the triangle among those of the matrix
    norms: Complex  # (n,) column lengths divided out

    @classmethod
    def of(cls, matrix: Complex) -> "ComplexDense":
        require_finite(matrix.real, matrix.imag)
        norms = np.linalg.norm(matrix, axis=0)
        norms[norms == 0.0] = 1.0
        q, r, order = qr(matrix / norms, mode="economic", pivoting=True, check_finite=False)
        diagonal = np.abs(np.diag(r))
        rank = int(np.count_nonzero(diagonal > RANK * diagonal[0]))
        return cls(q[:, :rank], r[:rank, :rank], order[:rank], norms)

    def homogeneous(self, target: Complex) -> Complex:
        """Coefficients (n, r) that fit the targets (m, r)."""
        found = np.zeros((self.norms.size, target.shape[1]), dtype=complex)
        found[self.order] = solve_triangular(self.triangle, self.unitary.conj().T @ target, check_finite=False)
        scaled: Complex = found / self.norms[:, None]
        return scaled

    def adjoint(self, features: Complex) -> Complex:
        """features (p, n) @ pseudo-inverse, (p, m)."""
        chosen = (features / self.norms)[:, self.order]
        inner = solve_triangular(self.triangle, chosen.T, trans="T", check_finite=False).T
        result: Complex = inner @ self.unitary.conj().T
        return result
