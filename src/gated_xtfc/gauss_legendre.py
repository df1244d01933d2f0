"""Gauss-Legendre quadrature: int_a^b f(x) dx = sum_k w_k f(x_k), exact for polynomials up to degree 2 count - 1."""

from functools import cache

import numpy as np

from gated_xtfc.types import Array


@cache
def rule(count: int) -> tuple[Array, Array]:
    """Nodes and weights on -1 .. 1, each (count,)."""
    nodes, weights = np.polynomial.legendre.leggauss(count)
    for shared in (nodes, weights):
        shared.setflags(write=False)
    return nodes, weights


def on_intervals(left: Array, right: Array, count: int) -> tuple[Array, Array]:
    """Points and weights on the intervals between ends (n,), each (n, count)."""
    nodes, weights = rule(count)
    half = 0.5 * (right - left)[:, None]
    return left[:, None] + half * (1.0 + nodes), half * weights
