"""Between nodes: what multiplies their values and slopes to give the prediction, or the field, at another place.

prediction(s) = sum_k r_k(s) v_k,    v = value 0, slopes 0, value 1, slopes 1, ...
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from scipy.linalg import block_diag, solve_triangular

from gated_xtfc.inverse.measure import moments
from gated_xtfc.monomials import exponents
from gated_xtfc.types import Array, Index


class Interpolation(Protocol):
    @property
    def places(self) -> Array:
        """The nodes, (k,) or (k, p)."""

    def at(self, points: Array, values: Array) -> Array:
        """At points (n, p), what has these values and slopes (k (1 + p), m) at the nodes: (n, m)."""

    def moments(self, points: Array, weights: Array) -> tuple[Array, Array]:
        """Mean (k (1 + p),) and covariance of the r_k over weighted points (n, p)."""


@dataclass(frozen=True)
class Hermite:
    """One unknown: cubics that agree with values and slopes at both ends of their interval."""

    places: Array  # (k,) increasing

    def _intervals(self, points: Array) -> Index:
        """The interval each point (n,) falls into."""
        found: Index = np.searchsorted(self.places[1:-1], points, side="right")
        return found

    def rows(self, points: Array) -> Array:
        """What multiplies values and slopes of the nodes, (n, 2 k): value 0, slope 0, value 1, slope 1, ..."""
        cell, factors = self._factors(points[:, 0])
        found = np.zeros((cell.size, 2 * self.places.size))
        for offset, factor in enumerate(factors[:, 0].T):
            found[np.arange(cell.size), 2 * cell + offset] = factor
        return found

    def at(self, points: Array, values: Array) -> Array:
        """As all interpolations: no more than four of a row count."""
        cell, factors = self._factors(points[:, 0])
        found: Array = np.einsum("ci,cim->cm", factors[:, 0], _by_interval(values)[cell])
        return found

    def moments(self, points: Array, weights: Array) -> tuple[Array, Array]:
        return moments(self.rows(points), weights)

    def slopes_at(self, points: Array, values: Array) -> Array:
        """The derivative of the same in s."""
        return self.with_slopes_at(points, values)[1]

    def with_slopes_at(self, points: Array, values: Array) -> tuple[Array, Array]:
        """Both."""
        cell, factors = self._factors(points[:, 0])
        found = factors @ _by_interval(values)[cell]
        return found[:, 0], found[:, 1]

    def _factors(self, points: Array) -> tuple[Index, Array]:
        """Intervals, and what multiplies the four numbers at their ends: for the value and for its slope, (n, 2, 4)."""
        cell = self._intervals(points)
        width = (self.places[1:] - self.places[:-1])[cell]
        t = (points - self.places[cell]) / width
        rest, found = 1.0 - t, np.empty((cell.size, 2, 4))
        found[:, 0, 0] = (1.0 + 2.0 * t) * rest**2
        found[:, 0, 1] = width * t * rest**2
        found[:, 0, 2] = t**2 * (3.0 - 2.0 * t)
        found[:, 0, 3] = -width * t**2 * rest
        found[:, 1, 2] = 6.0 * t * rest / width
        found[:, 1, 0] = -found[:, 1, 2]
        found[:, 1, 1] = rest * (1.0 - 3.0 * t)
        found[:, 1, 3] = t * (3.0 * t - 2.0)
        return cell, found


def _by_interval(values: Array) -> Array:
    """Values and slopes (2 k, m) of neighbouring nodes, (k - 1, 4, m)."""
    pairs = values.reshape(-1, 2, values.shape[1])
    return np.concatenate([pairs[:-1], pairs[1:]], axis=1)


@dataclass(frozen=True)
class Polynomial:
    """Several unknowns, around one mode: fitted in coordinates that make the posterior round.

    s = centre + spread z,    f(s) = sum_(|k| <= degree) c_k He_k(z),    c by least squares
    """

    centre: Array  # (p,)
    spread: Array  # (p, p) lower triangular
    degree: int
    places: Array  # (k, p) nodes

    @cached_property
    def _powers(self) -> Index:
        return exponents(self.centre.size, self.degree)

    def rounded(self, points: Array) -> Array:
        """z of points (n, p)."""
        z: Array = solve_triangular(self.spread, (points - self.centre).T, lower=True).T
        return z

    @cached_property
    def _inverse(self) -> Array:
        """Coefficients from values and slopes of the nodes, (coefficients, k (1 + p))."""
        z = self.rounded(self.places)
        factors = _factors(z, self.degree)
        values = _products([factors[i][0] for i in range(z.shape[1])], self._powers)
        # d/ds = spread^-T d/dz: the slopes are fitted in z, where they are as large as the values
        stacked = np.empty((z.shape[0], 1 + z.shape[1], values.shape[1]))
        stacked[:, 0] = values
        for i in range(z.shape[1]):
            chosen = [factors[j][1 if i == j else 0] for j in range(z.shape[1])]
            stacked[:, 1 + i] = _products(chosen, self._powers)
        found = np.linalg.pinv(stacked.reshape(-1, values.shape[1])).reshape(-1, z.shape[0], 1 + z.shape[1])
        # what comes in are slopes in s
        found[:, :, 1:] = found[:, :, 1:] @ self.spread.T
        return np.ascontiguousarray(found.reshape(values.shape[1], -1))

    def coefficients(self, values: Array) -> Array:
        """Of what has these values and slopes (k (1 + p), m) at the nodes, (coefficients, m)."""
        found: Array = self._inverse @ values
        return found

    def features(self, points: Array) -> Array:
        """What multiplies the coefficients, (n, coefficients)."""
        factors = _factors(self.rounded(points), self.degree)
        return _products([one[0] for one in factors], self._powers)

    def at(self, points: Array, values: Array) -> Array:
        found: Array = self.features(points) @ self.coefficients(values)
        return found

    def moments(self, points: Array, weights: Array) -> tuple[Array, Array]:
        mean, covariance = moments(self.features(points), weights)
        return mean @ self._inverse, self._inverse.T @ covariance @ self._inverse


@dataclass(frozen=True)
class Patchwork:
    """Several unknowns, all modes: each point belongs to the polynomial of the nearest mode."""

    patches: tuple[Polynomial, ...]

    @property
    def places(self) -> Array:
        return np.concatenate([patch.places for patch in self.patches])

    def owner(self, points: Array) -> Index:
        """The patch that each point (n, p) belongs to."""
        distances = np.stack([np.linalg.norm(patch.rounded(points), axis=1) for patch in self.patches])
        nearest: Index = np.argmin(distances, axis=0)
        return nearest

    def at(self, points: Array, values: Array) -> Array:
        owner, found = self.owner(points), np.empty((points.shape[0], values.shape[1]))
        for i, (patch, own) in enumerate(zip(self.patches, self._split(values), strict=True)):
            found[owner == i] = patch.at(points[owner == i], own)
        return found

    def moments(self, points: Array, weights: Array) -> tuple[Array, Array]:
        # the r_k of two patches are never both there: what they have in common is the mass of each alone
        owner, mass, means, spreads = self.owner(points), list[float](), list[Array](), list[Array]()
        for i, patch in enumerate(self.patches):
            here = owner == i
            mass.append(float(weights[here].sum()))
            mean, covariance = patch.moments(points[here], weights[here] / max(mass[-1], 1e-300))
            means.append(mean)
            spreads.append(mass[-1] * (covariance + np.outer(mean, mean)))
        mean = np.concatenate([part * own for part, own in zip(mass, means, strict=True)])
        return mean, block_diag(*spreads) - np.outer(mean, mean)

    def _split(self, values: Array) -> list[Array]:
        """Values and slopes of the nodes by patch."""
        return np.split(values, np.cumsum([patch.places.size + len(patch.places) for patch in self.patches])[:-1])


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
