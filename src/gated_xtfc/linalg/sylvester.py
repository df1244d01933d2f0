"""A X + X B' = F by the real Schur forms of A and B.

Schur forms are stable where eigenvectors are not: the operators of convection are far from normal.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack, schur

from gated_xtfc.linalg.factor import require_finite
from gated_xtfc.types import Array

BLOCK = 64  # below this size LAPACK's own substitution is as fast as products of blocks


@dataclass(frozen=True, eq=False)
class Sylvester:
    """Both matrices factorised; the right side may be divided by a weight first."""

    weight: Array | None  # (n, m) by which the right side is divided first; None for one
    left: tuple[Array, Array]  # Schur form and vectors of A
    right: tuple[Array, Array]

    @classmethod
    def of(cls, a: Array, b: Array, weight: Array | None = None) -> "Sylvester":
        """Factorises both; equal ones once."""
        require_finite(a, b)
        left = schur(a, check_finite=False)
        same = a.shape == b.shape and np.array_equal(a, b)
        return cls(weight, left, left if same else schur(b, check_finite=False))

    def solve(self, f: Array) -> Array:
        """X for the right side F, (n, m)."""
        (s, u), (t, v) = self.left, self.right
        right = u.T @ (f if self.weight is None else f / self.weight) @ v
        result: Array = u @ _substituted(s, t, right) @ v.T
        return result


def _substituted(s: Array, t: Array, f: Array) -> Array:
    """S X + X T' = F for quasi-triangular S and T: the larger side is halved, so that most of it is products."""
    n, m = f.shape
    if max(n, m) <= BLOCK:
        x, scale, _ = lapack.dtrsyl(s, t, f, tranb="T")
        solved: Array = x / scale
        return solved
    if n >= m:
        k = _split(s)
        low = _substituted(s[k:, k:], t, f[k:])
        return np.vstack([_substituted(s[:k, :k], t, f[:k] - s[:k, k:] @ low), low])
    k = _split(t)
    # in X T' the last columns come first, as the last rows do in S X
    last = _substituted(s, t[k:, k:], f[:, k:])
    return np.hstack([_substituted(s, t[:k, :k], f[:, :k] - last @ t[:k, k:].T), last])


def _split(t: Array) -> int:
    """Halfway, but not through a pair of complex eigenvalues."""
    k = int(t.shape[0]) // 2
    return k + 1 if t[k, k - 1] != 0.0 else k
