"""Chebyshev polynomials on the domain: T_n^(j) = 2^(j-1) (j-1)! n C^(j)_(n-j), Gegenbauer's C by its recurrence."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from gated_xtfc.baselines.features import Block, Coefficients, absent, columns_of
from gated_xtfc.types import Array


@dataclass(frozen=True)
class Chebyshev:
    left: float
    right: float
    first: int  # lowest degree: 2 inside a constrained expression, which removes straight lines
    size: int

    def blocks(self, x: Array, coefficients: Coefficients) -> Iterator[Block]:
        # both distances, so that the ends are exact
        half = 0.5 * (self.right - self.left)
        z = ((x - self.left) - (self.right - x)) / (2.0 * half)
        values = np.zeros((x.size, self.size), order="F")
        for j, a in enumerate(coefficients):
            if not absent(a):
                factor = np.asarray(a) / half**j
                for column, polynomial in enumerate(_polynomials(z, j, self.first, self.size)):
                    values[:, column] += factor * polynomial
        for columns in columns_of(self.size):
            yield slice(0, x.size), columns, values[:, columns]


def _polynomials(z: Array, order: int, first: int, count: int) -> Iterator[Array]:
    """The derivatives T_n^(order)(z) for `count` degrees n from `first` on."""
    before, now = np.zeros_like(z), np.ones_like(z)  # C_(-1), C_0 (order 0: T_0)
    for n in range(first + count):
        if order == 0:
            if n >= first:
                yield now
            before, now = now, z if n == 0 else 2.0 * z * now - before
            continue
        k = n - order  # degree of the Gegenbauer polynomial
        if n >= first:
            yield 2.0 ** (order - 1) * math.factorial(order - 1) * n * now if k >= 0 else np.zeros_like(z)
        if k >= 0:
            before, now = now, (2.0 * (k + order) * z * now - (k + 2 * order - 1) * before) / (k + 1)


def lobatto(left: float, right: float, count: int) -> Array:
    """The extremes of the polynomial of degree count - 1, ends included, ascending."""
    s = 0.5 - 0.5 * np.cos(np.pi * np.arange(count) / (count - 1))
    s[-1] = 1.0
    points: Array = np.minimum(left + (right - left) * s, right)
    return points
