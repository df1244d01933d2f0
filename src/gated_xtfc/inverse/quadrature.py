"""Integrals over a round posterior inside a box: Gauss-Legendre points, one parameter after the other.

    s = centre + spread z, spread lower triangular: given z_1 .. z_(i-1) the bounds of s_i are bounds of z_i

so that strong correlation costs nothing and a posterior cut off by a bound is integrated exactly up to it.
"""

from dataclasses import dataclass

import numpy as np

from gated_xtfc.gauss_legendre import on_intervals
from gated_xtfc.types import Array, Index

RADIUS = 6.0  # posterior widths


@dataclass(frozen=True)
class Nested:
    points: Array  # (n, p)
    sizes: Array  # (n,) what each point stands for
    first: Index  # (n,) which point of the first parameter it belongs to
    ends: tuple[float, float]  # of the first parameter
    count: int  # points a parameter


def nested(centre: Array, spread: Array, count: int, radius: float = RADIUS) -> Nested:
    points, sizes = np.zeros((1, 0)), np.ones(1)
    first = np.zeros(1, dtype=np.intp)
    ends = 0.0, 1.0
    for i in range(centre.size):
        # the earlier z are known: so is where this parameter is centred
        earlier = np.linalg.solve(spread[:i, :i], (points - centre[:i]).T).T if i else np.zeros((points.shape[0], 0))
        middle = centre[i] + earlier @ spread[i, :i]
        reach = radius * abs(spread[i, i])
        low, high = np.clip(middle - reach, 0.0, 1.0), np.clip(middle + reach, 0.0, 1.0)
        here, factors = on_intervals(low, high, count)
        points = np.column_stack([np.repeat(points, count, axis=0), here.ravel()])
        sizes = (sizes[:, None] * factors).ravel()
        if i == 0:
            ends, first = (float(low[0]), float(high[0])), np.arange(count)
        else:
            first = np.repeat(first, count)
    kept = sizes > 0.0
    return Nested(points[kept], sizes[kept], first[kept], ends, count)


def rotated(spread: Array, first: int) -> tuple[Array, Index]:
    """The triangular spread of the same covariance with one parameter put first, and the order of all."""
    order = np.array([first, *(i for i in range(spread.shape[0]) if i != first)])
    covariance = spread @ spread.T
    return np.linalg.cholesky(covariance[np.ix_(order, order)]), order


def evenly(count: int, p: int, shift: Array | float = 0.5) -> Array:
    """Points (count, p) spread evenly over the unit cube: multiples of powers of a generalised golden ratio."""
    golden = 2.0
    for _ in range(60):
        golden = (1.0 + golden) ** (1.0 / (p + 1))
    steps = golden ** -np.arange(1.0, p + 1.0)
    found: Array = (shift + np.arange(count)[:, None] * steps) % 1.0
    return found
