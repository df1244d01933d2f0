"""Radau IIA of any odd number of stages s: order 2s - 1, stiffly accurate, polynomials of degree s inside a step.

Stages U_i = u + Z_i obey Z = h A f(U). In the eigenvectors of A^-1 the Newton systems fall apart into one real one and
(s - 1)/2 complex ones.
"""

from dataclasses import dataclass
from decimal import Decimal, localcontext
from functools import cached_property, lru_cache

import numpy as np
from numpy.polynomial import legendre

from gated_xtfc.types import Array, Complex

Matrix = list[list[Decimal]]


@dataclass(frozen=True)
class Radau:
    """The coefficients of one method."""

    nodes: Array  # c, (s,), the last one is 1
    inverse: Array  # A^-1, (s, s)
    real: float  # the real eigenvalue of A^-1
    pairs: Complex  # of each complex pair the eigenvalue that multiplies W_1 + i W_2, ((s - 1)/2,)
    to_stages: Array  # T, (s, s): first the real eigenvector, then real and imaginary part of each pair
    from_stages: Array  # T^-1
    error: Array  # E, (s,): the embedded method of order s differs by (real/h - J)^-1 (f_0 + E Z / h)
    dense: Array  # P, (s, s): u(t + theta h) = u + sum_k theta^(k + 1) (Z^T P)_k

    @cached_property
    def looked(self) -> float:
        """theta where |theta prod(theta - c_i)| is largest: there the error inside a step is, and is looked for."""
        theta = np.linspace(0.0, 1.0, 201)
        return float(theta[np.argmax(np.abs(theta * np.prod(theta - self.nodes[:, None], axis=0)))])

    def rates(self, rows: Array, moved: Array) -> Array:
        """Slopes over theta of what moved by (s, k) at the stages, for rows of weights (s,) that turn nodes into one.

        Of a steady motion, over many thicknesses of a front, every last digit counts: it is not weighted.
        """
        found: Array = moved[-1] + rows @ (moved - self.nodes[:, None] * moved[-1])
        return found

    @property
    def stages(self) -> int:
        return int(self.nodes.size)

    @cached_property
    def packed(self) -> Array:
        """All of it, as the compiled core reads it."""
        pairs = np.stack([self.pairs.real, self.pairs.imag], axis=1)
        parts = self.nodes, self.inverse, self.to_stages, self.from_stages, self.error, self.dense, pairs
        return np.concatenate([[self.real, self.looked], *(part.ravel() for part in parts)])


@lru_cache(maxsize=8)
def radau(stages: int) -> Radau:
    """The method with an odd number of stages.

    A front that travels for a time t over its own thickness d multiplies what is wrong in these numbers by t/d: they
    are found with twice the digits and rounded once.
    """
    with localcontext(prec=40):
        nodes = _nodes(stages)
        powers = [[c**k for k in range(stages + 1)] for c in nodes]
        vandermonde = [row[:-1] for row in powers]
        by_values = _inverse(vandermonde)
        matrix = _product([[row[k] / k for k in range(1, stages + 1)] for row in powers], by_values)
        inverse = _inverse(matrix)
        dense = _inverse([row[1:] for row in powers])
        values, vectors = np.linalg.eig(_rounded(inverse))
        real = int(np.argmin(np.abs(values.imag)))
        mu = float(values[real].real)
        moments = [1 / Decimal(k) for k in range(1, stages + 1)]
        moments[0] -= 1 / Decimal(mu)
        embedded = _product([moments], by_values)[0]
        gap = [Decimal(mu) * (one - own) for one, own in zip(embedded, matrix[-1], strict=True)]
        error = _product([gap], inverse)
    upper = [k for k in np.argsort(values.imag) if values[k].imag > 1e-8]
    columns = [vectors[:, real].real]
    for k in upper:
        columns += [vectors[:, k].real, vectors[:, k].imag]
    to_stages = np.stack(columns, axis=1)
    return Radau(
        _rounded([nodes])[0], _rounded(inverse), mu, values[upper].conj(), to_stages, np.linalg.inv(to_stages),
        _rounded(error)[0], np.ascontiguousarray(_rounded(dense).T),
    )  # fmt: skip


def _nodes(stages: int) -> list[Decimal]:
    """The zeros of P_s - P_(s-1), from [-1, 1] to [0, 1]."""
    series = np.zeros(stages + 1)
    series[stages], series[stages - 1] = 1.0, -1.0
    found = []
    for root in np.sort(np.real(legendre.legroots(series)))[:-1]:
        x = Decimal(float(root))
        for _ in range(3):
            (last, here), (last_slope, slope) = (Decimal(1), x), (Decimal(0), Decimal(1))
            for k in range(1, stages):
                after = ((2 * k + 1) * x * here - k * last) / (k + 1)
                after_slope = ((2 * k + 1) * (here + x * slope) - k * last_slope) / (k + 1)
                last, here, last_slope, slope = here, after, slope, after_slope
            x -= (here - last) / (slope - last_slope)
        found.append((x + 1) / 2)
    return [*found, Decimal(1)]


def _product(one: Matrix, two: Matrix) -> Matrix:
    return [[sum((a * b for a, b in zip(row, column, strict=True)), Decimal(0)) for column in zip(*two, strict=True)]
            for row in one]  # fmt: skip


def _inverse(matrix: Matrix) -> Matrix:
    """By Gauss and Jordan, with pivots by rows."""
    n = len(matrix)
    rows = [[*row, *(Decimal(int(i == j)) for j in range(n))] for i, row in enumerate(matrix)]
    for k in range(n):
        best = max(range(k, n), key=lambda i: abs(rows[i][k]))
        rows[k], rows[best] = rows[best], rows[k]
        rows[k] = [one / rows[k][k] for one in rows[k]]
        for i in range(n):
            if i != k:
                rows[i] = [one - rows[i][k] * own for one, own in zip(rows[i], rows[k], strict=True)]
    return [row[n:] for row in rows]


def _rounded(matrix: Matrix) -> Array:
    return np.array([[float(one) for one in row] for row in matrix])


METHOD: Radau = radau(5)  # with which steps are taken
