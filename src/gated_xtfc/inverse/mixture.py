"""All modes together: every place belongs to the nearest mode, and each mode is integrated over what belongs to it.

Up to three unknowns the integrals are nested Gauss-Legendre rules; beyond, quasi-random points drawn from Student's t
around the mode, each with the weight that corrects for it; where too few of those count, an established sampler
takes over.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaincinv, gammaln, ndtri

from gated_xtfc.inverse.measure import Marginal, Measure, bincount, normalised, series_marginal
from gated_xtfc.inverse.polynomial import Polynomial
from gated_xtfc.inverse.quadrature import RADIUS, evenly, nested, rotated
from gated_xtfc.inverse.region import COUNTS, Region
from gated_xtfc.inverse.sampler import sample
from gated_xtfc.types import Array, Index

NESTED = 3  # unknowns up to which quadrature is nested
DRAWS = 2**15
RESAMPLED = 2**14  # points from which draws are taken where the integrals are nested
TAILS = 6.0  # degrees of freedom of the points beyond
EFFECTIVE = 0.02  # part of them that must count


@dataclass(frozen=True)
class Patchwork:
    """The polynomials of all modes as one interpolation: each point is seen by the nearest."""

    patches: tuple[Polynomial, ...]

    @property
    def places(self) -> Array:
        return np.concatenate([patch.places for patch in self.patches])

    def owner(self, points: Array) -> Index:
        distances = np.stack([np.linalg.norm(patch.rounded(points), axis=1) for patch in self.patches])
        nearest: Index = np.argmin(distances, axis=0)
        return nearest

    def rows(self, points: Array) -> Array:
        """What multiplies values and slopes of the nodes, (n, k (1 + p))."""
        if len(self.patches) == 1:
            return self.patches[0].rows(points)
        owner = self.owner(points)
        parts = [np.where((owner == i)[:, None], patch.rows(points), 0.0) for i, patch in enumerate(self.patches)]
        return np.hstack(parts)


def mixture(regions: Sequence[Region], random: np.random.Generator) -> tuple[Patchwork, Measure]:
    patchwork = Patchwork(tuple(region.polynomial for region in regions))
    p = regions[0].size
    if p > NESTED:
        return patchwork, _drawn(regions, patchwork, random)
    points, log_mass = [], []
    for i, (region, patch) in enumerate(zip(regions, patchwork.patches, strict=True)):
        grid = nested(region.centre, region.spread, COUNTS[p])
        points.append(grid.points)
        log_mass.append(_owned(region, patch, patchwork, i, grid.points) + np.log(grid.sizes))
    weights, evidence = normalised(np.concatenate(log_mass))
    marginals = tuple(_marginal(regions, patchwork, j, evidence) for j in range(p))
    return patchwork, Measure(np.concatenate(points), weights, evidence, marginals)


def _owned(region: Region, patch: Polynomial, patchwork: Patchwork, i: int, points: Array) -> Array:
    known = region.log_posterior(points, patch)
    if len(patchwork.patches) > 1:
        known = np.where(patchwork.owner(points) == i, known, -np.inf)
    return known


def _marginal(regions: Sequence[Region], patchwork: Patchwork, j: int, evidence: float) -> Marginal:
    """The density of one parameter, from rules that have it first."""
    parts = []
    for i, (region, patch) in enumerate(zip(regions, patchwork.patches, strict=True)):
        spread, order = rotated(region.spread, j)
        grid = nested(region.centre[order], spread, COUNTS[region.size])
        points = np.empty_like(grid.points)
        points[:, order] = grid.points
        mass = np.exp(_owned(region, patch, patchwork, i, points) - evidence) * grid.sizes
        parts.append((grid.ends, bincount(grid.first, mass, grid.count)))
    return series_marginal(*parts)


def _proposed(
    regions: Sequence[Region], patchwork: Patchwork, count: int, random: np.random.Generator
) -> tuple[Array, Array]:
    """Quasi-random points around the modes, and the logarithm of the mass that each stands for."""
    p = regions[0].size
    points, log_mass = [], []
    for i, (region, patch) in enumerate(zip(regions, patchwork.patches, strict=True)):
        levels = np.clip(evenly(count, p + 1, random.random(p + 1)), 1e-12, 1.0 - 1e-12)
        z = ndtri(levels[:, :p]) * np.sqrt(0.5 * TAILS / gammaincinv(0.5 * TAILS, levels[:, p:]))
        density = (
            gammaln(0.5 * (TAILS + p)) - gammaln(0.5 * TAILS) - 0.5 * p * np.log(TAILS * np.pi)
            - 0.5 * (TAILS + p) * np.log1p(np.sum(z**2, axis=1) / TAILS)
            - np.sum(np.log(np.diag(region.spread)))
        )  # fmt: skip
        here = region.centre + z @ region.spread.T
        # beyond its radius the polynomial is not to be believed
        inside = np.all((here >= 0.0) & (here <= 1.0) & (np.abs(z) <= RADIUS), axis=1)
        points.append(here[inside])
        log_mass.append(_owned(region, patch, patchwork, i, here[inside]) - density[inside] - np.log(count))
    return np.concatenate(points), np.concatenate(log_mass)


def draws(
    regions: Sequence[Region], patchwork: Patchwork, measure: Measure, count: int, random: np.random.Generator
) -> Array:
    """Places (count, p) with equal weights, in random order."""
    if regions[0].size > NESTED:
        points, weights = measure.points, measure.weights
    else:
        points, log_mass = _proposed(regions, patchwork, RESAMPLED, random)
        weights, _ = normalised(log_mass)
    # evenly spaced levels with one random start repeat a point no more often than its weight asks for
    levels = (np.arange(count) + random.random()) / count
    chosen = np.minimum(np.searchsorted(np.cumsum(weights), levels), weights.size - 1)
    found: Array = points[random.permutation(chosen)]
    return found


def _drawn(regions: Sequence[Region], patchwork: Patchwork, random: np.random.Generator) -> Measure:
    points, log_mass = _proposed(regions, patchwork, DRAWS, random)
    weights, evidence = normalised(log_mass)
    p = points.shape[1]
    if 1.0 / np.sum(weights**2) < EFFECTIVE * points.shape[0]:
        pairs = list(zip(regions, patchwork.patches, strict=True))

        def known(places: Array) -> Array:
            found: Array = np.max([_owned(*pair, patchwork, i, places) for i, pair in enumerate(pairs)], axis=0)
            return found

        points = sample(known, points[random.choice(weights.size, size=8 * p, p=weights)], random)
        weights = np.full(points.shape[0], 1.0 / points.shape[0])
    return Measure(points, weights, evidence, tuple(Marginal.of_points(points[:, j], weights) for j in range(p)))
