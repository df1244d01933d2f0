"""The field where the equation may be wrong: what data and equation say of it together, averaged over the posterior.

Everything that a member needs for this is computed once, when the posterior is inferred.
"""

from dataclasses import dataclass

import numpy as np

from gated_xtfc.discretise.chart import Chart
from gated_xtfc.inverse.discrepancy import DeviationGrid, EquationResponse, SoftEquation
from gated_xtfc.inverse.journal import Journal
from gated_xtfc.inverse.node import Fields, Node
from gated_xtfc.types import Array, Index

FIELDS = 960  # draws of a field
COUNTED = 1e-4  # weight of a pair of standard deviations that is still carried along


@dataclass(frozen=True)
class SoftMember:
    """One member of the family under all pairs of deviations."""

    fields: Fields
    response: EquationResponse  # of the fields to errors of the equation
    sensors: Array  # (n, r) the same of the sensors, in the eigenvectors of their covariance and in units of the noise
    eigenvalues: Array  # (n,) of that covariance
    residual: Array  # (n,) data less prediction, in the eigenvectors
    weights: Array  # (g,) of the pairs

    @classmethod
    def of(cls, node: Node, equation: SoftEquation) -> "SoftMember":
        assert isinstance(node.fields, Fields)
        likelihood, response = equation.likelihood(node), equation.response(node)
        sensors = likelihood.eigenvectors.T @ equation.at_sensors(node, response)
        weights, _ = likelihood.marginal(equation.grid)
        return cls(node.fields, response, sensors, likelihood.eigenvalues, likelihood.residual, weights)

    def at(self, x: Array, field: int, order: int) -> tuple[Array, Array, Array]:
        """u^(order) at x as the equation has it, (n,), its response (n, r), and that against the sensors (n, n)."""
        response = self.response(self.fields.kernels(x, field, order))
        return self.fields.at(x, field, order)[:, 0], response, response @ self.sensors.T

    def gains(self, sigma: Array, tau: Array) -> Array:
        """How much of a residual goes into the field, (g, n) for pairs of deviations (g,)."""
        found: Array = tau[:, None] ** 2 / (sigma[:, None] ** 2 + tau[:, None] ** 2 * self.eigenvalues)
        return found


@dataclass(frozen=True)
class SoftField:
    """A few members that stand for the posterior, each as likely as the others."""

    members: tuple[SoftMember, ...]
    grid: DeviationGrid
    seed: int

    @classmethod
    def solved(cls, places: Array, journal: Journal, equation: SoftEquation, seed: int) -> "SoftField":
        """The members at these places (k, p), as far as they can be solved."""
        nodes = [node for node in map(journal.solve, places) if node is not None]
        if not nodes:
            raise journal.unsolved()
        return cls(tuple(SoftMember.of(node, equation) for node in nodes), equation.grid, seed)

    @property
    def chart(self) -> Chart:
        """That of the middle member."""
        return self.members[len(self.members) // 2].fields.chart

    def moments(self, x: Array, field: int, order: int) -> tuple[Array, Array]:
        means, squares = [], []
        for member in self.members:
            base, response, cross = member.at(x, field, order)
            kept = np.flatnonzero(member.weights > COUNTED * member.weights.max())
            weights = member.weights[kept] / member.weights[kept].sum()
            sigma, tau = self.grid.sigma[kept], self.grid.tau[kept]
            gains = member.gains(sigma, tau)
            mean = base[:, None] + cross @ (gains * member.residual).T  # (n, pairs)
            own = np.einsum("ij,ij->i", response, response)
            variance = tau**2 * own[:, None] - cross**2 @ (gains * tau[:, None] ** 2).T
            means.append(mean @ weights)
            squares.append((np.maximum(variance, 0.0) + mean**2) @ weights)
        mean = np.mean(means, axis=0)
        return mean, np.sqrt(np.maximum(np.mean(squares, axis=0) - mean**2, 0.0))

    def draws(self, x: Array, field: int, order: int) -> Array:
        """A draw of everything, moved by what its data would have told (Matheron's rule)."""
        random, found = np.random.default_rng(self.seed), []
        for member, chosen in zip(self.members, self.pairs(FIELDS, random), strict=True):
            base, response, cross = member.at(x, field, order)
            sigma, tau = self.grid.sigma[chosen], self.grid.tau[chosen]
            errors = tau[:, None] * random.standard_normal((chosen.size, response.shape[1]))
            noise = sigma[:, None] * random.standard_normal((chosen.size, member.residual.size))
            surprise = member.residual - errors @ member.sensors.T - noise
            found.append(base + errors @ response.T + (member.gains(sigma, tau) * surprise) @ cross.T)
        return np.concatenate(found)

    def slopes(self, x: Array, field: int, order: int, count: int) -> Array:
        return np.stack([member.fields.at(x, field, order)[:, 1:] for member in self.members[:count]])

    def pairs(self, count: int, random: np.random.Generator) -> list[Index]:
        """`count` draws of pairs, shared evenly among the members: for each of them the numbers of its pairs."""
        sizes = np.full(len(self.members), count // len(self.members))
        sizes[: count - int(sizes.sum())] += 1
        return [
            random.choice(member.weights.size, size=size, p=member.weights)
            for member, size in zip(self.members, sizes, strict=True)
        ]
