"""Radau IIA of any odd number of stages s: order 2s - 1, stiffly accurate, polynomials of degree s inside a step.

Stages U_i = u + Z_i obey Z = h A f(U). In the eigenvectors of A^-1 the Newton systems fall apart into one real one and
(s - 1)/2 complex ones.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.polynomial import legendre

from gated_xtfc.types import Array, Complex


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
    def inside(self) -> float:
        """max |theta prod(theta - c_i)| over its slope at zero: the error inside a step, by that of the slope."""
        theta = np.linspace(0.0, 1.0, 201)
        product = theta * np.prod(theta - self.nodes[:, None], axis=0)
        return float(np.abs(product).max() / np.prod(self.nodes))

    @property
    def stages(self) -> int:
        return int(self.nodes.size)

    @cached_property
    def packed(self) -> Array:
        """All of it, as the compiled core reads it."""
        pairs = np.stack([self.pairs.real, self.pairs.imag], axis=1)
        parts = self.nodes, self.inverse, self.to_stages, self.from_stages, self.error, self.dense, pairs
        return np.concatenate([[self.real, self.inside], *(part.ravel() for part in parts)])


@lru_cache(maxsize=8)
def radau(stages: int) -> Radau:
    """The method with an odd number of stages."""
    # the nodes are the zeros of P_s - P_(s-1) in [-1, 1]
    series = np.zeros(stages + 1)
    series[stages], series[stages - 1] = 1.0, -1.0
    roots = np.sort(np.real(legendre.legroots(series)))
    slope = legendre.legder(series)
    for _ in range(3):
        inner = roots[:-1] - legendre.legval(roots[:-1], series) / legendre.legval(roots[:-1], slope)
        roots = np.append(inner, 1.0)
    nodes = 0.5 * (roots + 1.0)
    powers = np.arange(1, stages + 1)
    vandermonde = nodes[:, None] ** (powers - 1)
    matrix = (nodes[:, None] ** powers / powers) @ np.linalg.inv(vandermonde)
    inverse = np.linalg.inv(matrix)
    values, vectors = np.linalg.eig(inverse)
    real = int(np.argmin(np.abs(values.imag)))
    upper = [k for k in np.argsort(values.imag) if values[k].imag > 1e-8]
    columns = [vectors[:, real].real]
    for k in upper:
        columns += [vectors[:, k].real, vectors[:, k].imag]
    to_stages = np.stack(columns, axis=1)
    mu = float(values[real].real)
    moments = 1.0 / powers
    moments[0] -= 1.0 / mu
    embedded = np.linalg.solve(vandermonde.T, moments)
    dense = np.asarray(np.linalg.inv(nodes[:, None] ** powers).T, dtype=np.float64)
    return Radau(
        nodes, inverse, mu, values[upper].conj(), to_stages, np.linalg.inv(to_stages),
        mu * (embedded - matrix[-1]) @ inverse, dense,
    )  # fmt: skip
