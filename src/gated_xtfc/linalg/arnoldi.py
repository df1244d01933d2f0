"""The largest eigenvalues of an operator that is known by its products: Arnoldi's method with a block of vectors.

A block finds an eigenvalue as often as it is there, up to the size of the block; one vector would find it once. The
space grows until the eigenvalues wanted have settled; nothing is restarted.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eig, qr

from gated_xtfc.linalg.factor import require_finite
from gated_xtfc.types import Array, Complex

BLOCK = 6
SETTLED = 1e-13  # residual of a pair, relative to the largest eigenvalue
DENSE = 240  # below this size the whole matrix is cheaper
Numbers = NDArray[Any]  # real or complex ones
GOLDEN = 0.6180339887498949


@dataclass(frozen=True, eq=False)
class Eigenpairs:
    """Eigenvalues with their vectors as columns, the largest first."""

    values: Complex  # (k,)
    vectors: Complex  # (n, k)


def dense_pairs(matrix: Array | Complex) -> tuple[Eigenpairs, Eigenpairs]:
    """All eigenvalues of a matrix, with right and with left vectors, z^H T = value z^H."""
    require_finite(matrix.real, matrix.imag)
    values, left, right = eig(matrix, left=True, right=True, check_finite=False)
    order = np.argsort(-np.abs(values))
    return Eigenpairs(values[order], right[:, order]), Eigenpairs(values[order], left[:, order])


def largest_pairs(
    apply: Callable[[Numbers], Numbers], size: int, count: int, most: int, complex_numbers: bool = False
) -> Eigenpairs:
    """At least `count` eigenvalues, or as many as have settled in a space of `most` dimensions."""
    kind: Any = np.complex128 if complex_numbers else np.float64
    most = min(most, size)
    block = min(BLOCK, size)
    basis: Numbers = np.zeros((size, most + block), dtype=kind)
    small: Numbers = np.zeros((most + block, most), dtype=kind)
    basis[:, :block] = qr(_start(size, block), mode="economic")[0]
    done, known, looked = 0, block, 2 * count + 2 * block
    while True:
        stop = min(known, most)
        new = apply(basis[:, done:stop])
        for _ in range(2):  # once leaves rounding that adds up
            part = basis[:, :known].conj().T @ new
            new = new - basis[:, :known] @ part
            small[:known, done:stop] += part
        require_finite(new.real, new.imag)
        q, r, order = qr(new, mode="economic", pivoting=True)
        kept = int(np.count_nonzero(np.abs(np.diag(r)) > 1e-14 * max(1e-300, float(np.abs(small).max()))))
        kept = min(kept, basis.shape[1] - known, size - known)
        back = np.empty_like(r)
        back[:, order] = r
        small[known : known + kept, done:stop] = back[:kept]
        basis[:, known : known + kept] = q[:, :kept]
        done, known = stop, known + kept
        ended = done >= most or done >= known
        if done < looked and not ended:
            continue
        looked = int(1.3 * done)
        values, inner = np.linalg.eig(small[:done, :done])
        by_size = np.argsort(-np.abs(values))
        values, inner = values[by_size], inner[:, by_size]
        remains = np.linalg.norm(small[done:known, :done] @ inner, axis=0)
        settled = remains <= SETTLED * np.abs(values[:1])
        if ended or settled[:count].all():
            good = settled if settled.any() else np.ones_like(settled)
            first = int(np.argmin(good)) if not good.all() else good.size
            keep = max(first, 1)
            return Eigenpairs(values[:keep].astype(complex), (basis[:, :done] @ inner[:, :keep]).astype(complex))


def _start(size: int, block: int) -> Array:
    """Vectors that favour nothing: multiples of the golden section, modulo one."""
    i, j = np.arange(1, size + 1, dtype=float)[:, None], np.arange(1, block + 1, dtype=float)
    values: Array = np.modf(GOLDEN * i * np.sqrt(j * (j + 1.0)))[0] - 0.5
    return values
