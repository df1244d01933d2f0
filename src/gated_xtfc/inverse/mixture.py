"""All modes together: every place belongs to the nearest mode, and each mode is integrated over what belongs to it.

Up to three unknowns the integrals are nested Gauss-Legendre rules; beyond, quasi-random points drawn from Student's t
around the mode, each with the weight that corrects for it; where too few of those count, an established sampler
takes over.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaincinv, gammaln, ndtri

from gated_xtfc.inverse.interpolation import Patchwork
from gated_xtfc.inverse.measure import RADIUS, Marginal, Measure, evenly, moments, nested, normalised, rotated
from gated_xtfc.inverse.node import stacked
from gated_xtfc.inverse.region import COUNTS, Region
from gated_xtfc.inverse.sampler import sample
from gated_xtfc.types import Array

NESTED = 3  # unknowns up to which quadrature is nested
PROPOSED = 2**15  # points beyond
RESAMPLED = 2**14  # points from which draws are taken where the integrals are nested
TAILS = 6.0  # degrees of freedom of the points beyond
PLENTY, EFFECTIVE = 0.2, 0.06  # part of them that should count, and that must
ROUNDS = 4  # of drawing them
WALKERS = 64  # of the sampler for each unknown

Shape = tuple[Array, Array]  # centre (p,) and spread (p, p), lower triangular


@dataclass(frozen=True)
class Mixture:
    """Explored regions, one around each mode, with their polynomials as one interpolation."""

    regions: tuple[Region, ...]
    patchwork: Patchwork
    coefficients: tuple[Array, ...]  # of the predictions, one for each region

    @classmethod
    def of(cls, regions: Sequence[Region]) -> "Mixture":
        patches = tuple(region.polynomial for region in regions)
        fitted = (patch.coefficients(stacked(region.nodes)) for patch, region in zip(patches, regions, strict=True))
        return cls(tuple(regions), Patchwork(patches), tuple(fitted))

    @property
    def unknowns(self) -> int:
        return self.regions[0].size

    def measure(self, random: np.random.Generator) -> Measure:
        if self.unknowns > NESTED:
            return self._by_importance(random)
        points, log_mass = [], []
        for i, region in enumerate(self.regions):
            grid = nested(region.centre, region.spread, COUNTS[self.unknowns])
            points.append(grid.points)
            log_mass.append(self._log_posterior(i, grid.points) + np.log(grid.sizes))
        weights, evidence = normalised(np.concatenate(log_mass))
        marginals = tuple(self._marginal(j, evidence) for j in range(self.unknowns))
        return Measure(np.concatenate(points), weights, evidence, marginals)

    def draws(self, measure: Measure, count: int, random: np.random.Generator) -> Array:
        """Places (count, p) with equal weights, in random order."""
        if self.unknowns > NESTED:
            points, weights = measure.points, measure.weights
        else:
            points, log_mass = self._proposed(RESAMPLED, random)
            weights, _ = normalised(log_mass)
        # evenly spaced levels with one random start repeat a point no more often than its weight asks for
        levels = (np.arange(count) + random.random()) / count
        chosen = np.minimum(np.searchsorted(np.cumsum(weights), levels), weights.size - 1)
        found: Array = points[random.permutation(chosen)]
        return found

    def _log_posterior(self, i: int, points: Array) -> Array:
        """As region i has it, -inf where a point belongs to another one."""
        known = self.regions[i].log_posterior(points, self.patchwork.patches[i], self.coefficients[i])
        if len(self.regions) > 1:
            known = np.where(self.patchwork.owner(points) == i, known, -np.inf)
        return known

    def _marginal(self, j: int, evidence: float) -> Marginal:
        """The density of one parameter, from rules that have it first."""
        parts = []
        for i, region in enumerate(self.regions):
            spread, order = rotated(region.spread, j)
            grid = nested(region.centre[order], spread, COUNTS[self.unknowns])
            points = np.empty_like(grid.points)
            points[:, order] = grid.points
            parts.append(grid.along_first(np.exp(self._log_posterior(i, points) - evidence) * grid.sizes))
        return Marginal.of_rules(*parts)

    def _proposed(
        self, count: int, random: np.random.Generator, shapes: Sequence[Shape] | None = None
    ) -> tuple[Array, Array]:
        """Quasi-random points around the modes, and the logarithm of the mass that each stands for."""
        p = self.unknowns
        points, log_mass = [], []
        for i, (centre, spread) in enumerate(shapes or self._shapes):
            levels = np.clip(evenly(count, p + 1, random.random(p + 1)), 1e-12, 1.0 - 1e-12)
            z = ndtri(levels[:, :p]) * np.sqrt(0.5 * TAILS / gammaincinv(0.5 * TAILS, levels[:, p:]))
            density = (
                gammaln(0.5 * (TAILS + p)) - gammaln(0.5 * TAILS) - 0.5 * p * np.log(TAILS * np.pi)
                - 0.5 * (TAILS + p) * np.log1p(np.sum(z**2, axis=1) / TAILS)
                - np.sum(np.log(np.diag(spread)))
            )  # fmt: skip
            here = centre + z @ spread.T
            # beyond its radius the polynomial is not to be believed
            near = np.abs(self.patchwork.patches[i].rounded(here)) <= RADIUS
            inside = np.all((here >= 0.0) & (here <= 1.0) & near, axis=1)
            points.append(here[inside])
            log_mass.append(self._log_posterior(i, here[inside]) - density[inside] - np.log(count))
        return np.concatenate(points), np.concatenate(log_mass)

    @property
    def _shapes(self) -> list[Shape]:
        return [(region.centre, region.spread) for region in self.regions]

    def _by_importance(self, random: np.random.Generator) -> Measure:
        """Points drawn again around what the ones before say of every mode, as long as too few of them count."""
        p, shapes = self.unknowns, self._shapes
        for _ in range(ROUNDS):
            points, log_mass = self._proposed(PROPOSED, random, shapes)
            weights, evidence = normalised(log_mass)
            counting = 1.0 / float(np.sum(weights**2))
            if counting > PLENTY * PROPOSED:
                break
            owner = self.patchwork.owner(points)
            shapes = [_reshaped(shape, points[owner == i], weights[owner == i]) for i, shape in enumerate(shapes)]
        if counting < EFFECTIVE * PROPOSED:

            def known(places: Array) -> Array:
                found: Array = np.max([self._log_posterior(i, places) for i in range(len(self.regions))], axis=0)
                return found

            points = sample(known, points[random.choice(weights.size, size=WALKERS * p, p=weights)], random)
            weights = np.full(points.shape[0], 1.0 / points.shape[0])
        marginals = (Marginal.of_points(points[:, j], weights, bounds=(0.0, 1.0)) for j in range(p))
        return Measure(points, weights, evidence, tuple(marginals))


def _reshaped(shape: Shape, points: Array, weights: Array) -> Shape:
    """Centre and spread of weighted points, where there are enough of them."""
    mass = float(weights.sum())
    if mass <= 0.0 or mass**2 / float(np.sum(weights**2)) < 10.0 * shape[0].size:
        return shape
    mean, covariance = moments(points, weights / mass)
    try:
        return mean, np.asarray(np.linalg.cholesky(covariance), dtype=np.float64)
    except np.linalg.LinAlgError:
        return shape
