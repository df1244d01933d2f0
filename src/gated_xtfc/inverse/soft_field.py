"""The field where the equation may be wrong: what data and equation say of it together, averaged over the posterior."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.interpolate import PchipInterpolator

from gated_xtfc.inverse.discrepancy import Mix, Seen, Softness
from gated_xtfc.inverse.distribution import Distribution
from gated_xtfc.inverse.explore import DRAWS, unsolved
from gated_xtfc.inverse.measure import Marginal, bincount, normalised
from gated_xtfc.inverse.nodes import Fields, Node
from gated_xtfc.types import Array

NAME = "discrepancy"
FIELDS = 960  # draws of a field
COUNTED = 1e-4  # weight of a pair of standard deviations that is still carried along


@dataclass(frozen=True)
class Surface:
    """The log likelihood with noise and discrepancy integrated out, at places solved for it."""

    softness: Softness
    mix: Mix

    def __call__(self, points: Array) -> Array:
        """(k,) for places (k, p); -inf where the problem cannot be solved."""
        found = np.full(points.shape[0], -np.inf)
        for k, node in enumerate(self.softness.forward(place) for place in points):
            if node is not None:
                found[k] = normalised(self.softness.seen(node).log_likelihoods(self.mix) + self.mix.log_prior)[1]
        return found + self.softness.target.log_prior(points)


@dataclass(frozen=True)
class Member:
    """One of the family with all its pairs of standard deviations."""

    node: Node
    seen: Seen
    response: Array  # (n, rows) of the sensors, in units of the noise
    weights: Array  # (g,) of the pairs


@dataclass(frozen=True)
class SoftField:
    surface: Surface
    places: Array  # (members, p)
    seed: int

    @cached_property
    def members(self) -> list[Member]:
        softness, mix = self.surface.softness, self.surface.mix
        found = []
        for node in (softness.forward(place) for place in self.places):
            if node is not None:
                seen = softness.seen(node)
                weights, _ = normalised(seen.log_likelihoods(mix) + mix.log_prior)
                found.append(Member(node, seen, softness.at_sensors(node), weights))
        if not found:
            raise unsolved(softness.forward)
        return found

    @property
    def member(self) -> Fields:
        return self.members[len(self.members) // 2].node.fields

    def slopes(self, x: Array, field: int, order: int, count: int) -> Array:
        fields = len(self.surface.softness.forward.problem.fields)
        return np.stack([one.node.fields.at(x, field, order, fields)[:, 1:] for one in self.members[:count]])

    def standard_deviations(self, count: int = DRAWS) -> dict[str, Array]:
        """Draws of the discrepancy, and of the noise where that is unknown."""
        random, mix = np.random.default_rng(self.seed), self.surface.mix
        pairs = self._pairs(count, random)
        chosen = np.concatenate(pairs)
        found = {NAME: self._blurred(mix.tau, chosen, random)}
        scatter = self.surface.softness.target.noise.scatters[0]
        if scatter.sigma is None:
            found[scatter.name] = self._blurred(mix.sigma, chosen, random)
        return found

    def distributions(self) -> dict[str, Distribution]:
        """Of the discrepancy, and of the noise where that is unknown."""
        mix, weights = self.surface.mix, np.mean([member.weights for member in self.members], axis=0)
        found = {NAME: _distribution(mix.tau, weights)}
        scatter = self.surface.softness.target.noise.scatters[0]
        return found if scatter.sigma is not None else {**found, scatter.name: _distribution(mix.sigma, weights)}

    def _pairs(self, count: int, random: np.random.Generator) -> list[Array]:
        """For every member as many pairs as it has draws."""
        sizes = np.full(len(self.members), count // len(self.members))
        sizes[: count - int(sizes.sum())] += 1
        return [
            random.choice(member.weights.size, size=size, p=member.weights)
            for member, size in zip(self.members, sizes, strict=True)
        ]

    @staticmethod
    def _blurred(values: Array, chosen: Array, random: np.random.Generator) -> Array:
        """A grid stands for the cells around its points."""
        levels = np.unique(values)
        step = np.log(levels[1] / levels[0])
        found: Array = np.clip(
            values[chosen] * np.exp(step * (random.random(chosen.size) - 0.5)), levels[0], levels[-1]
        )
        return found

    def moments(self, x: Array, field: int, order: int) -> tuple[Array, Array]:
        means, seconds = [], []
        for member in self.members:
            base, response = self._at(member, x, field, order)
            kept = np.flatnonzero(member.weights > COUNTED * member.weights.max())
            weights = member.weights[kept] / member.weights[kept].sum()
            cross = (response @ member.response.T) @ member.seen.basis  # (n, sensors)
            own = np.einsum("ij,ij->i", response, response)
            sigma, tau = self.surface.mix.sigma[kept], self.surface.mix.tau[kept]
            factors = tau[:, None] ** 2 / (sigma[:, None] ** 2 + tau[:, None] ** 2 * member.seen.extent)
            mean = base[:, None] + cross @ (factors * member.seen.residual).T  # (n, pairs)
            variance = tau**2 * own[:, None] - cross**2 @ (factors * tau[:, None] ** 2).T
            means.append(mean @ weights)
            seconds.append((np.maximum(variance, 0.0) + mean**2) @ weights)
        mean = np.mean(means, axis=0)
        return mean, np.sqrt(np.maximum(np.mean(seconds, axis=0) - mean**2, 0.0))

    def draws(self, x: Array, field: int, order: int) -> Array:
        """A draw of everything, moved by what its data would have told (Matheron's rule)."""
        random, found = np.random.default_rng(self.seed), []
        for member, chosen in zip(self.members, self._pairs(FIELDS, random), strict=True):
            base, response = self._at(member, x, field, order)
            sigma, tau = self.surface.mix.sigma[chosen][:, None], self.surface.mix.tau[chosen][:, None]
            errors = random.standard_normal((chosen.size, member.response.shape[1]))
            noise = sigma * random.standard_normal((chosen.size, member.seen.extent.size))
            surprise = member.seen.residual - (tau * errors @ member.response.T + noise) @ member.seen.basis
            gain = tau**2 / (sigma**2 + tau**2 * member.seen.extent) * surprise
            cross = (response @ member.response.T) @ member.seen.basis
            found.append(base + tau * errors @ response.T + gain @ cross.T)
        return np.concatenate(found)

    def _at(self, member: Member, x: Array, field: int, order: int) -> tuple[Array, Array]:
        softness, fields = self.surface.softness, member.node.fields
        base = fields.at(x, field, order, len(softness.forward.problem.fields))[:, 0]
        return base, softness.response(member.node.found, fields, x, field, order)


def _distribution(values: Array, weights: Array) -> Distribution:
    """From weights on an even grid of logarithms: mass between its points by a monotone cubic."""
    levels, which = np.unique(values, return_inverse=True)
    masses = bincount(which, weights, levels.size)
    logs = np.log(levels)
    step = logs[1] - logs[0]
    edges = np.concatenate([[logs[0]], logs[:-1] + 0.5 * step, [logs[-1]]])
    mass = PchipInterpolator(edges, np.concatenate([[0.0], np.cumsum(masses)]))
    fine = np.linspace(logs[0], logs[-1], 8 * logs.size + 1)
    curve = Marginal(np.exp(fine), np.maximum(mass(fine, 1), 0.0) / np.exp(fine), np.clip(mass(fine), 0.0, 1.0))
    mean = float(masses @ levels)
    return Distribution(mean, float(np.sqrt(masses @ (levels - mean) ** 2)), curve, True)
