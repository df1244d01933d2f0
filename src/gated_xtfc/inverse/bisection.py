"""One unknown: the unit scale is bisected wherever the posterior may live and the interpolation is not good enough.

Between nodes predictions are cubics in s (values and slopes agree at both ends). Nothing with weight can hide: an
interval is left alone only when the data exclude it by more than interpolation error and speed of the prediction allow.
"""

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from gated_xtfc.gauss_legendre import on_intervals
from gated_xtfc.inverse.interpolation import Hermite
from gated_xtfc.inverse.journal import Journal
from gated_xtfc.inverse.measure import Marginal, Measure, normalised
from gated_xtfc.inverse.node import Node, Target, stacked
from gated_xtfc.types import Array

FIRST = 17  # nodes of the first look
MOST = 400  # nodes in all
EXCLUDED = 25.0  # log posterior below its maximum at which a place is given up
ENOUGH = 0.01  # interpolation error, in standard deviations of the noise and over all sensors together
ORDER = 8.0  # what halving an interval is trusted to gain, of the sixteen that it will
FINE = 0.1  # cells of the quadrature, in posterior widths
SHORTEST = 2.0**-14
GAUSS = 4
MOST_CELLS = 20_000

Interval = tuple[float, float]


@dataclass(frozen=True)
class Cells:
    """Pieces of the unit scale that the posterior may live on, each small beside its width."""

    left: Array  # (c,)
    right: Array  # (c,)
    best: float  # largest log posterior seen
    scale: Array  # (n,) one over the standard deviations there


@dataclass
class Bisection:
    """The nodes so far, by their place on the unit scale; None where the problem could not be solved."""

    journal: Journal
    target: Target
    nodes: dict[float, Node | None] = field(default_factory=dict)
    misses: dict[Interval, Array] = field(default_factory=dict)  # interpolation error of an interval

    @property
    def solved(self) -> list[Node]:
        return [node for _, node in sorted(self.nodes.items()) if node is not None]

    @property
    def intervals(self) -> list[Interval]:
        return list(pairwise(sorted(self.nodes)))

    def explore(self) -> bool:
        """Until the posterior is known; whether it is."""
        first = np.linspace(0.0, 1.0, FIRST).tolist()
        for place in first:
            self._solve(place)
        for a, b, c in zip(first[0::2], first[1::2], first[2::2], strict=False):
            self._compare(a, b, c)
        while len(self.solved) > 1:
            cells = self.cells()
            wanted = [interval for interval in self.intervals if self._poor(interval, cells)]
            if not wanted:
                return True
            if len(self.nodes) + len(wanted) > MOST:
                return False
            for a, c in wanted:
                self._solve(0.5 * (a + c))
                self._compare(a, 0.5 * (a + c), c)
        return False

    def _solve(self, place: float) -> None:
        self.nodes[place] = self.journal.solve(np.array([place]))

    def _compare(self, a: float, b: float, c: float) -> None:
        """How well the cubic from a to c meets the node at b."""
        left, middle, right = self.nodes[a], self.nodes[b], self.nodes[c]
        miss = np.full(self.target.y.size, np.inf)
        if left is not None and middle is not None and right is not None:
            row = Hermite(np.array([a, c])).rows(np.array([[b]]))
            miss = np.abs((row @ stacked([left, right]))[0] - middle.prediction) / ORDER
        self.misses[a, b] = self.misses[b, c] = miss

    def _poor(self, interval: Interval, cells: Cells) -> bool:
        a, b = interval
        if b - a < SHORTEST:
            return False
        left, right = self.nodes[a], self.nodes[b]
        if left is None or right is None:
            # the edge of what can be solved matters only where the posterior reaches it
            known = left or right
            return known is not None and b - a > 2.0**-9 and self.target.at(known) > cells.best - EXCLUDED
        inside = (cells.right > a) & (cells.left < b)
        return bool(inside.any()) and float(np.linalg.norm(cells.scale * self.misses[interval])) > ENOUGH

    def _interpolated(self) -> tuple[Hermite, Array]:
        """Cubics through all nodes, and what they interpolate."""
        solved = self.solved
        return Hermite(np.array([float(node.place[0]) for node in solved])), stacked(solved)

    def cells(self) -> Cells:
        """Cut in two until they are as fine as the posterior asks for."""
        hermite, values = self._interpolated()
        pairs = [(a, b) for a, b in self.intervals if self.nodes[a] is not None and self.nodes[b] is not None]
        edges = np.array([np.linspace(a, b, 5) for a, b in pairs])
        left, right = edges[:, :-1].ravel(), edges[:, 1:].ravel()
        misses = np.repeat(np.array([self.misses[pair] for pair in pairs]), 4, axis=0)
        best, scale = -np.inf, self.target.weights(self.solved[0].prediction)
        while True:
            middle = 0.5 * (left + right)[:, None]
            prediction = hermite.rows(middle) @ values
            residual = self.target.y - prediction
            log_prior = self.target.log_prior(middle)
            known = self.target.noise.log_likelihood(residual) + log_prior
            if known.max() > best:
                best, scale = float(known.max()), self.target.weights(prediction[int(np.argmax(known))])
            speed = np.linalg.norm((hermite.slope_rows(middle) @ values) * scale, axis=1)
            size = np.linalg.norm(residual * scale, axis=1)
            # nowhere in the cell can the residual be smaller than this part of it
            reach = 0.75 * speed * (right - left) + np.linalg.norm(np.minimum(misses, 1e300) * scale, axis=1)
            part = np.maximum(0.0, 1.0 - reach / np.maximum(size, 1e-300))
            possible = self.target.noise.log_likelihood(residual * part[:, None]) + log_prior
            kept = possible > best - EXCLUDED
            coarse = kept & (speed * (right - left) > FINE)
            if not coarse.any() or kept.sum() > MOST_CELLS:
                return Cells(left[kept], right[kept], best, scale)
            fine = kept & ~coarse
            left = np.concatenate([left[fine], left[coarse], middle[coarse, 0]])
            right = np.concatenate([right[fine], middle[coarse, 0], right[coarse]])
            misses = np.concatenate([misses[fine], misses[coarse], misses[coarse]])

    def measure(self) -> Measure:
        """The posterior by Gauss-Legendre rules on the cells."""
        cells, (hermite, values) = self.cells(), self._interpolated()

        def log_posterior(points: Array) -> Array:
            return self.target.log_likelihood(hermite.rows(points) @ values) + self.target.log_prior(points)

        order = np.argsort(cells.left)
        left, right = cells.left[order], cells.right[order]
        places, factors = on_intervals(left, right, GAUSS)
        points, sizes = places.reshape(-1, 1), factors.ravel()
        weights, evidence = normalised(log_posterior(points) + np.log(sizes))
        masses = weights.reshape(left.size, GAUSS).sum(axis=1)
        # a gap between kept cells is an interval without mass
        grid = np.stack([left, right], axis=1).ravel()
        total = np.stack([np.cumsum(masses) - masses, np.cumsum(masses)], axis=1).ravel()
        density = np.exp(log_posterior(grid[:, None]) - evidence)
        return Measure(points, weights, evidence, (Marginal(grid, density, total),))

    def around(self, measure: Measure) -> tuple[Hermite, list[Node]]:
        """The nodes between which the posterior lives, and the cubics through them."""
        low, high = float(measure.points.min()), float(measure.points.max())
        hermite, _ = self._interpolated()
        first = max(int(np.searchsorted(hermite.places, low, side="right")) - 1, 0)
        last = max(min(int(np.searchsorted(hermite.places, high, side="left")) + 1, hermite.places.size), first + 2)
        return Hermite(hermite.places[first:last]), self.solved[first:last]
