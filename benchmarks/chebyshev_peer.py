"""Global Chebyshev collocation on the linear problems, as Chebfun does it at its core: one dense matrix of size n.

u'' + p u' + q u = g at the Chebyshev points, with both end values in the place of the first and the last equation.
"""

from collections.abc import Callable

import numpy as np
from scipy.linalg import solve

import peer


def matrices(n: int) -> tuple[np.ndarray, np.ndarray]:
    """The points on [-1, 1], descending, and the matrix of differentiation; its diagonal by negative sums."""
    angle = np.pi * np.arange(n) / (n - 1)
    z = np.cos(angle)
    # differences by the product formula, which loses no digits where points crowd
    apart = 2 * np.sin(0.5 * (angle[:, None] + angle)) * np.sin(0.5 * (angle - angle[:, None]))
    np.fill_diagonal(apart, 1.0)
    weight = (-1.0) ** np.arange(n)
    weight[[0, -1]] *= 2
    matrix = weight[:, None] / weight / apart
    np.fill_diagonal(matrix, 0.0)
    np.fill_diagonal(matrix, -matrix.sum(axis=1))
    return z, matrix


def collocate(system: peer.System, n: int) -> Callable[[np.ndarray], np.ndarray]:
    """The polynomial of degree n - 1 that solves the problem at n points, as a function."""
    left, right = system.ends
    half = 0.5 * (right - left)
    z, first = matrices(n)
    x = left + half * (1 + z)
    p, q, g = (one(x) if callable(one) else np.full(n, one) for one in (system.p, system.q, system.g))
    first = first / half
    matrix = first @ first + p[:, None] * first
    matrix[np.diag_indices(n)] += q
    target = np.array(g, dtype=float)
    for row, value in ((0, system.values[1]), (-1, system.values[0])):
        matrix[row] = 0.0
        matrix[row, row] = 1.0
        target[row] = value
    u = solve(matrix, target)
    weight = (-1.0) ** np.arange(n)
    weight[[0, -1]] /= 2

    def some(at: np.ndarray) -> np.ndarray:
        """Barycentric interpolation."""
        distance = at[:, None] - x
        hit = distance == 0.0
        shares = weight / np.where(hit, 1.0, distance)
        values = (shares @ u) / shares.sum(axis=1)
        rows = hit.any(axis=1)
        values[rows] = u[hit[rows].argmax(axis=1)]
        return values

    return lambda at: np.concatenate([some(at[k : k + 2000]) for k in range(0, at.size, 2000)])
