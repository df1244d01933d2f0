"""Single-layer features phi(m_i (x - alpha_i) + b_i): phi(z) = exp(-z^2), then without b, or tanh(z).

phi^(j) = p_j phi with p_(j+1) = -2 z p_j - 2 j p_(j-1) for the Gaussian; a polynomial in t = tanh z for the other.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.polynomial import Polynomial

from gated_xtfc.baselines.features import Block, Coefficients, absent, columns_of, weighted
from gated_xtfc.types import Array

REACH = 12.0  # exp(-144) and all that multiplies it is forty digits below rounding


@dataclass(frozen=True, eq=False)
class Gaussians:
    centres: Array  # (size,) ascending, or not: then blocks cover more rows
    slopes: Array  # (size,) m = 1/(sqrt(2) width)

    @property
    def size(self) -> int:
        return self.centres.size

    def blocks(self, x: Array, coefficients: Coefficients) -> Iterator[Block]:
        for columns in columns_of(self.size):
            centres, slopes = self.centres[columns], self.slopes[columns]
            reach = REACH / np.abs(slopes)
            first, last = np.searchsorted(x, [np.min(centres - reach), np.max(centres + reach)])
            if first == last:
                continue
            rows = slice(int(first), int(last))
            own = [a[rows] if isinstance(a, np.ndarray) else a for a in coefficients]
            yield rows, columns, _gaussian((x[rows, None] - centres) * slopes, slopes, own)


def _gaussian(z: Array, slopes: Array, coefficients: Coefficients) -> Array:
    if len(coefficients) == 3 and not absent(coefficients[2]):
        # order two, the common case, with few passes over memory:
        # a0 - 2 a1 (m z) + a2 (4 (m z)^2 - 2 m^2)
        a0, a1, a2 = (weighted(a) for a in coefficients)
        y = z * slopes
        total = (4.0 * a2) * y
        total -= 2.0 * a1
        total *= y
        total -= (2.0 * a2) * (slopes * slopes)
        if not absent(coefficients[0]):
            total += a0
    else:
        total = np.zeros_like(z)
        before, now, power = np.zeros_like(z), np.ones_like(z), np.ones_like(slopes)
        for j, a in enumerate(coefficients):
            if not absent(a):
                total += weighted(a) * (now * power)
            before, now = now, -2.0 * (z * now + j * before)
            power = power * slopes
    np.multiply(z, z, out=z)
    np.negative(z, out=z)
    np.exp(z, out=z)
    total *= z
    return total


@dataclass(frozen=True, eq=False)
class Sigmoids:
    """The functions tanh(m_i (x - alpha_i) + b_i)."""

    centres: Array
    slopes: Array
    offsets: Array

    @property
    def size(self) -> int:
        return self.centres.size

    def blocks(self, x: Array, coefficients: Coefficients) -> Iterator[Block]:
        for columns in columns_of(self.size):
            slopes = self.slopes[columns]
            t = np.tanh((x[:, None] - self.centres[columns]) * slopes + self.offsets[columns])
            total, now, power = np.zeros_like(t), Polynomial([0.0, 1.0]), np.ones_like(slopes)
            for a in coefficients:
                if not absent(a):
                    total += weighted(a) * (now(t) * power)
                now, power = now.deriv() * Polynomial([1.0, 0.0, -1.0]), power * slopes
            yield slice(0, x.size), columns, total
