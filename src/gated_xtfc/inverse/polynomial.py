"""Around a mode: polynomials fitted to values and slopes at nodes, in coordinates that make the posterior round.

s = centre + spread z,    f(s) = sum_(|k| <= degree) c_k He_k(z),    c by least squares
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import solve_triangular

from gated_xtfc.monomials import exponents
from gated_xtfc.types import Array, Index


@dataclass(frozen=True)
class Polynomial:
    centre: Array  # (p,)
    spread: Array  # (p, p) lower triangular
    degree: int
    places: Array  # (k, p) nodes

    @cached_property
    def powers(self) -> Index:
        return exponents(self.centre.size, self.degree)

    def rounded(self, points: Array) -> Array:
        """z of points (n, p)."""
        z: Array = solve_triangular(self.spread, (points - self.centre).T, lower=True).T
        return z

    @cached_property
    def inverse(self) -> Array:
        """Coefficients from values and slopes of the nodes, (coefficients, k (1 + p))."""
        z = self.rounded(self.places)
        factors = _factors(z, self.degree)
        values = _products([factors[i][0] for i in range(z.shape[1])], self.powers)
        # d/ds = spread^-T d/dz: the slopes are fitted in z, where they are as large as the values
        stacked = np.empty((z.shape[0], 1 + z.shape[1], values.shape[1]))
        stacked[:, 0] = values
        for i in range(z.shape[1]):
            chosen = [factors[j][1 if i == j else 0] for j in range(z.shape[1])]
            stacked[:, 1 + i] = _products(chosen, self.powers)
        found = np.linalg.pinv(stacked.reshape(-1, values.shape[1])).reshape(-1, z.shape[0], 1 + z.shape[1])
        # what comes in are slopes in s
        found[:, :, 1:] = found[:, :, 1:] @ self.spread.T
        return np.ascontiguousarray(found.reshape(values.shape[1], -1))

    def features(self, points: Array) -> Array:
        factors = _factors(self.rounded(points), self.degree)
        return _products([one[0] for one in factors], self.powers)

    def rows(self, points: Array) -> Array:
        """What multiplies values and slopes of the nodes, (n, k (1 + p))."""
        found: Array = self.features(points) @ self.inverse
        return found


def _factors(z: Array, degree: int) -> list[tuple[Array, Array]]:
    """For each coordinate the normalised Hermite polynomials and their derivatives, (n, degree + 1) each."""
    found = []
    for i in range(z.shape[1]):
        values = np.ones((z.shape[0], degree + 1))
        if degree:
            values[:, 1] = z[:, i]
        for k in range(1, degree):
            values[:, k + 1] = (z[:, i] * values[:, k] - np.sqrt(k) * values[:, k - 1]) / np.sqrt(k + 1.0)
        slopes = np.zeros_like(values)
        slopes[:, 1:] = np.sqrt(np.arange(1, degree + 1)) * values[:, :-1]
        found.append((values, slopes))
    return found


def _products(factors: list[Array], powers: Index) -> Array:
    result = factors[0][:, powers[:, 0]]
    for i, one in enumerate(factors[1:], start=1):
        result = result * one[:, powers[:, i]]
    return result
