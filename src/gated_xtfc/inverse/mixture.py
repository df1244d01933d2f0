"""All modes together: every place belongs to the nearest mode, and each mode is integrated over what belongs to it.

Up to three unknowns the integrals are nested Gauss-Legendre rules; beyond, and where a bent posterior is too thin for
them, quasi-random points drawn from Student's t around the mode, each with the weight that corrects for it; where too
few of those count, an established sampler takes over.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaincinv, gammaln, ndtri

from gated_xtfc.errors import InputError
from gated_xtfc.inverse.interpolation import Patchwork
from gated_xtfc.inverse.measure import RADIUS, Marginal, Measure, evenly, moments, nested, normalised, rotated
from gated_xtfc.inverse.node import Node, stacked
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

FARTHEST = 200  # of the draws: every such part is one of those that are looked at, from the farthest on
FAITHFUL = 0.2  # error of a prediction, in standard deviations of the noise and over all sensors together
UNEVEN = 1e-3  # of the mass, in which nested rules may disagree

Shape = tuple[Array, Array]  # centre (p,) and spread (p, p), lower triangular


@dataclass(frozen=True)
class MixtureIntegral:
    measure: Measure
    drawn: Array  # (draws, p) places with equal weights, in random order
    sound: bool  # whether the posterior is resolved
    bent: bool  # whether it reaches where nested rules do not


@dataclass(frozen=True)
class Mixture:
    """Explored regions, one around each mode, with their polynomials as one interpolation."""

    regions: tuple[Region, ...]
    patchwork: Patchwork
    nodes: tuple[Node, ...]  # that they were fitted to, region by region
    coefficients: tuple[Array, ...]  # of the predictions, one for each region

    @classmethod
    def of(cls, regions: Sequence[Region]) -> "Mixture":
        patches = tuple(region.polynomial for region in regions)
        fitted = (patch.coefficients(stacked(region.nodes)) for patch, region in zip(patches, regions, strict=True))
        nodes = tuple(node for region in regions for node in region.nodes)
        return cls(tuple(regions), Patchwork(patches), nodes, tuple(fitted))

    @property
    def unknowns(self) -> int:
        return self.regions[0].size

    def integrated(self, draws: int, random: np.random.Generator) -> MixtureIntegral:
        if self.unknowns > NESTED:
            return self._by_importance(draws, random)
        points, log_mass = [], []
        for i, region in enumerate(self.regions):
            grid = nested(region.centre, region.spread, COUNTS[self.unknowns])
            points.append(grid.points)
            log_mass.append(self._log_posterior(i, grid.points) + np.log(grid.sizes))
        weights, evidence = normalised(np.concatenate(log_mass))
        parts = [self._parts(j, evidence) for j in range(self.unknowns)]
        # rules in another order have other points: where they do not agree, the posterior is thinner than both
        masses = [sum(float(mass.sum()) for _, mass in part) for part in parts]
        if max(abs(mass - 1.0) for mass in masses) > UNEVEN:
            try:
                return self._by_importance(draws, random)
            except InputError:
                sound = False  # without the sampler the rules are all there is
        else:
            sound = True
        marginals = tuple(Marginal.of_rules(*part) for part in parts)
        measure = Measure(np.concatenate(points), weights, evidence, marginals)
        proposed, log_mass_proposed = self._proposed(RESAMPLED, random)
        return MixtureIntegral(
            measure, _resampled(proposed, normalised(log_mass_proposed)[0], draws, random), sound, bent=False
        )

    def verified(self, drawn: Array) -> bool:
        """Whether members at some of these draws, half of them the farthest, are as predicted; they become nodes."""
        owner = self.patchwork.owner(drawn)
        distances = [np.linalg.norm(patch.rounded(drawn), axis=1) for patch in self.patchwork.patches]
        count = 1 + self.unknowns
        farthest = np.argsort(-np.choose(owner, distances))[:: max(drawn.shape[0] // FARTHEST, 1)][:count]
        misses = []
        for k in [*farthest.tolist(), *range(count)]:
            i = int(owner[k])
            node = self.regions[i].solved(drawn[k])
            if node is not None:
                features = self.patchwork.patches[i].features(drawn[k][None, :])
                away = node.prediction - (features @ self.coefficients[i])[0]
                misses.append(float(np.linalg.norm(away * self.regions[i].scale)))
        return not misses or max(misses) < FAITHFUL

    def _log_posterior(self, i: int, points: Array) -> Array:
        """As region i has it, -inf where a point belongs to another one."""
        known = self.regions[i].log_posterior(points, self.patchwork.patches[i], self.coefficients[i])
        if len(self.regions) > 1:
            known = np.where(self.patchwork.owner(points) == i, known, -np.inf)
        return known

    def _parts(self, j: int, evidence: float) -> list[tuple[tuple[float, float], Array]]:
        """What `Marginal.of_rules` takes for one parameter, from rules that have it first."""
        parts = []
        for i, region in enumerate(self.regions):
            spread, order = rotated(region.spread, j)
            grid = nested(region.centre[order], spread, COUNTS[self.unknowns])
            points = np.empty_like(grid.points)
            points[:, order] = grid.points
            parts.append(grid.along_first(np.exp(self._log_posterior(i, points) - evidence) * grid.sizes))
        return parts

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

    def _by_importance(self, draws: int, random: np.random.Generator) -> MixtureIntegral:
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
                owner, found = self.patchwork.owner(places), np.empty(places.shape[0])
                for i in np.unique(owner).tolist():
                    found[owner == i] = self._log_posterior(i, places[owner == i])
                return found

            points = sample(known, points[random.choice(weights.size, size=WALKERS * p, p=weights)], random)
            weights = np.full(points.shape[0], 1.0 / points.shape[0])
        marginals = (Marginal.of_points(points[:, j], weights, bounds=(0.0, 1.0)) for j in range(p))
        measure = Measure(points, weights, evidence, tuple(marginals))
        return MixtureIntegral(measure, _resampled(points, weights, draws, random), True, bent=True)


def _resampled(points: Array, weights: Array, count: int, random: np.random.Generator) -> Array:
    """Places (count, p) with equal weights, in random order."""
    # evenly spaced levels with one random start repeat a point no more often than its weight asks for
    levels = (np.arange(count) + random.random()) / count
    chosen = np.minimum(np.searchsorted(np.cumsum(weights), levels), weights.size - 1)
    found: Array = points[random.permutation(chosen)]
    return found


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
