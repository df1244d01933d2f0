"""Several unknowns: around each mode, predictions as a polynomial in the parameters, and the posterior by quadrature.

Nodes are drawn from the posterior itself as far as it is known; the degree rises until new nodes are predicted to
within a small part of the noise. Coordinates follow the moments of the posterior.
"""

from dataclasses import dataclass, field

import numpy as np

from gated_xtfc.inverse.interpolation import Polynomial
from gated_xtfc.inverse.journal import Journal
from gated_xtfc.inverse.measure import moments, nested, normalised
from gated_xtfc.inverse.modes import Mode
from gated_xtfc.inverse.node import Node, Target, stacked
from gated_xtfc.monomials import exponents
from gated_xtfc.types import Array

ENOUGH = 0.03  # interpolation error of a new node, in standard deviations of the noise and over all sensors together
FIRST, LAST = 2, 8  # degree
SURPLUS = 1.6  # values and slopes for every coefficient
COUNTS = {1: 64, 2: 40, 3: 22}  # points of the quadrature a parameter
MOST = {1: 80, 2: 120, 3: 200}  # nodes
BLIND = 0.5  # part of the information about an axis below which slopes are not believed
WITHIN = 4.5  # log posterior below its maximum, at the end of such an axis
HALVINGS = 8  # of such an axis
WIDER = 2.3  # how much wider than the posterior every other node is drawn


@dataclass
class Region:
    """The surroundings of one mode as far as they are explored: nodes, and coordinates in which they are round."""

    journal: Journal
    target: Target
    scale: Array  # (n,) one over the standard deviations of the noise
    centre: Array
    spread: Array
    nodes: list[Node] = field(default_factory=list)
    failed: list[Array] = field(default_factory=list)

    @classmethod
    def around(cls, mode: Mode, journal: Journal, target: Target) -> "Region":
        best = mode.node.prediction
        spread = np.linalg.cholesky(np.linalg.inv(mode.information))
        found = cls(journal, target.focused(best), target.weights(best), mode.node.place, spread, [mode.node])
        found._narrow(mode)
        return found

    @property
    def size(self) -> int:
        return int(self.centre.size)

    @property
    def degree(self) -> int:
        """The highest that the nodes can carry."""
        known = len(self.nodes) * (1 + self.size) / SURPLUS
        fitting = [d for d in range(FIRST, LAST + 1) if len(exponents(self.size, d)) <= known]
        return max(fitting, default=1)

    @property
    def polynomial(self) -> Polynomial:
        places = np.array([node.place for node in self.nodes])
        return Polynomial(self.centre, self.spread, self.degree, places)

    def explore(self, random: np.random.Generator) -> bool:
        """Until new nodes bring nothing new; whether they do not."""
        batch = 2 + 2 * self.size
        most = MOST.get(self.size, 60 * self.size)
        self._solve(self.centre + 1.5 * random.standard_normal((batch, self.size)) @ self.spread.T)
        while len(self.nodes) > 1:
            if self.journal.late:
                return False
            polynomial = self.polynomial
            drawn = self._draws(polynomial, batch, random)
            before = stacked(self.nodes)
            fresh = self._solve(drawn)
            if fresh:
                guessed = polynomial.at(np.array([node.place for node in fresh]), before)
                away = np.array([node.prediction for node in fresh]) - guessed
                misses = np.linalg.norm(away * self.scale, axis=1)
                if np.median(misses) < ENOUGH and misses.max() < 5.0 * ENOUGH and polynomial.degree >= FIRST:
                    return True
            if len(self.nodes) + len(self.failed) > most:
                return False
        return False

    def _narrow(self, mode: Mode) -> None:
        """Where slopes vanish at the mode they say nothing of its width: it is found by going there."""
        values, vectors = np.linalg.eigh(mode.information)
        axes = vectors / np.sqrt(values)
        slopes = (mode.node.slopes * self.scale[:, None]) @ axes
        for k in np.flatnonzero(np.sum(slopes**2, axis=0) < BLIND).tolist():
            for _ in range(HALVINGS):
                sides = self._solve(self.centre + np.outer([-1.0, 1.0], axes[:, k]))
                if any(self.target.at(node) > mode.height - WITHIN for node in sides) or self.journal.late:
                    break
                axes[:, k] *= 0.5
                # a polynomial through what is this far away would bend to it
                self.nodes, self.failed = [mode.node], []
        self.spread = np.linalg.cholesky(axes @ axes.T)

    def solved(self, place: Array) -> Node | None:
        """One more member of the family, which predictions are made of from now on."""
        node = self.journal.solve(place)
        if node is None:
            self.failed.append(place)
        else:
            self.nodes.append(node)
        return node

    def _solve(self, places: Array) -> list[Node]:
        return [node for node in map(self.solved, np.clip(places, 0.0, 1.0)) if node is not None]

    def _draws(self, polynomial: Polynomial, count: int, random: np.random.Generator) -> Array:
        """Half of them from the posterior, half of them further out; the coordinates move along."""
        grid = nested(self.centre, self.spread, {1: 40, 2: 24, 3: 14}.get(self.size, 5))
        weights, _ = normalised(self.log_posterior(grid.points, polynomial) + np.log(grid.sizes))
        mean, covariance = moments(grid.points, weights)
        try:
            spread = np.linalg.cholesky(covariance + 1e-9 * np.diag(np.diag(covariance)))
        except np.linalg.LinAlgError:
            spread = self.spread
        # too few effective points make no covariance
        if 1.0 / np.sum(weights**2) > 3.0 * self.size:
            self.centre, self.spread = mean, np.asarray(spread, dtype=np.float64)
        chosen: Array = grid.points[random.choice(weights.size, size=count, p=weights)]
        chosen = chosen + 0.3 * random.standard_normal(chosen.shape) @ self.spread.T
        chosen[::2] = mean + WIDER * (chosen[::2] - mean)
        return chosen

    def log_posterior(self, points: Array, polynomial: Polynomial, coefficients: Array | None = None) -> Array:
        """-inf where the nearest node could not be solved; who asks often gives the coefficients."""
        if coefficients is None:
            coefficients = polynomial.coefficients(stacked(self.nodes))
        known = self.target.log_likelihood(polynomial.features(points) @ coefficients)
        known = known + self.target.log_prior(points)
        if self.failed:
            z = polynomial.rounded(points)
            good, bad = (polynomial.rounded(np.array(p)) for p in ([n.place for n in self.nodes], self.failed))
            known = np.where(_nearest(z, bad) < _nearest(z, good), -np.inf, known)
        return known


def _nearest(points: Array, others: Array) -> Array:
    found: Array = np.min(np.linalg.norm(points[:, None, :] - others[None, :, :], axis=2), axis=1)
    return found
