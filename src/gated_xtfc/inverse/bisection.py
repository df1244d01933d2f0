"""One unknown: the unit scale is bisected wherever the posterior may live and the interpolation is not good enough.

Between nodes predictions are cubics in s (values and slopes agree at both ends). An interval is left alone only when
the data exclude it by more than interpolation error and speed of the prediction allow, and only by sensors whose
prediction is resolved there: so the first look is as fine as the data ask for, wherever aliases may hide.
"""

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from gated_xtfc.gauss_legendre import on_intervals
from gated_xtfc.inverse.interpolation import Hermite
from gated_xtfc.inverse.journal import Journal
from gated_xtfc.inverse.measure import Marginal, Measure, normalised
from gated_xtfc.inverse.node import Node, Target, stacked
from gated_xtfc.inverse.resolution import SensorResolution
from gated_xtfc.types import Array, Index, Mask

FIRST = 17  # nodes of the first look
MOST = 1500  # nodes in all
EXCLUDED = 25.0  # log posterior below its maximum at which a place is given up
ENOUGH = 0.01  # interpolation error, in standard deviations of the noise and over all sensors together
FINE = 0.1  # cells of the quadrature, in posterior widths
SHORTEST = 2.0**-14
MUCH = 4  # parts of a cell that is coarser than so many times that; otherwise halves
GAUSS = 4
MOST_CELLS = 20_000

Interval = tuple[float, float]


@dataclass(frozen=True)
class Cells:
    """Pieces of the unit scale that the posterior may live on, each small beside its width unless it is open."""

    left: Array  # (c,)
    right: Array  # (c,)
    unresolved: Mask  # (c,) whether a sensor's prediction is not resolved there
    scale: Array  # (n,) one over the standard deviations at the best place
    best: float  # largest log posterior seen
    whole: bool  # whether all that is not fine enough was divided, cells that are open too


@dataclass(frozen=True)
class Sight:
    """What the sensors see of the intervals between nodes, in standard deviations of the noise."""

    open: Mask  # (k,) whether a sensor's prediction is not resolved
    weights: Array  # (k, n) one over the standard deviations, zero for sensors that do not resolve
    missed: Array  # (k,) interpolation error of all sensors that do

    @classmethod
    def of(cls, known: SensorResolution, scale: Array) -> "Sight":
        unresolved = known.open(scale)
        weights = scale * ~unresolved
        return cls(np.asarray(unresolved.any(axis=1)), weights, _lengths(np.minimum(known.miss, 1e300) * weights))


@dataclass
class Bisection:
    """The nodes so far, by their place on the unit scale; None where the problem could not be solved."""

    journal: Journal
    target: Target
    nodes: dict[float, Node | None] = field(default_factory=dict)
    resolutions: dict[Interval, SensorResolution] = field(default_factory=dict)
    last: Cells | None = None  # those of the nodes as they are in the end

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
                self.last = cells
                return True
            for a, c in wanted:
                if len(self.nodes) > MOST or self.journal.late:
                    return False
                self._solve(0.5 * (a + c))
                self._compare(a, 0.5 * (a + c), c)
        return False

    def _solve(self, place: float) -> None:
        self.nodes[place] = self.journal.solve(np.array([place]))

    def _compare(self, a: float, b: float, c: float) -> None:
        """What the node at b says of the cubics from a to b and from b to c."""
        found = SensorResolution.of(self.nodes[a], self.nodes[b], self.nodes[c])
        self.resolutions[a, b] = self.resolutions[b, c] = found

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
        if not inside.any():
            return False
        return bool(
            cells.unresolved[inside].any() or np.linalg.norm(cells.scale * self.resolutions[interval].miss) > ENOUGH
        )

    def _interpolated(self) -> tuple[Hermite, Array]:
        """Cubics through all nodes, and what they interpolate."""
        solved = self.solved
        return Hermite(np.array([float(node.place[0]) for node in solved])), stacked(solved)

    def cells(self, whole: bool = False) -> Cells:
        """Divided until they are as fine as the posterior asks for; those that are open only for the `whole`."""
        hermite, values = self._interpolated()
        pairs = [(a, b) for a, b in self.intervals if self.nodes[a] is not None and self.nodes[b] is not None]
        parts = np.full(len(pairs), 4)
        starts, stops = np.array(pairs).T
        left, right = _divided(starts, stops, parts)
        owner = np.repeat(np.arange(len(pairs)), parts)
        known = SensorResolution.stacked([self.resolutions[pair] for pair in pairs])
        best, scale, divided = -np.inf, self.target.weights(self.solved[0].prediction), True
        sight = Sight.of(known, scale)
        while True:
            middle = 0.5 * (left + right)[:, None]
            prediction, slopes = hermite.with_slopes_at(middle, values)
            residual = self.target.y - prediction
            log_prior = self.target.log_prior(middle)
            here = self.target.noise.log_likelihood(residual) + log_prior
            if here.max() > best:
                best, weights = float(here.max()), self.target.weights(prediction[int(np.argmax(here))])
                if not np.array_equal(weights, scale):  # they are the same wherever the noise is known
                    scale, sight = weights, Sight.of(known, weights)
            open_cells = sight.open[owner]
            counted, length = sight.weights[owner], right - left
            speed, size = _lengths(slopes * counted), _lengths(residual * counted)
            # nowhere in the cell can the residual be smaller than this part of it, or of what is resolved of it
            reach = 0.75 * speed * length + sight.missed[owner]
            part = np.maximum(0.0, 1.0 - reach / np.maximum(size, 1e-300))[:, None]
            possible = self.target.noise.log_likelihood(residual * part * (counted > 0.0)) + log_prior
            kept = possible > best - EXCLUDED
            widths = _lengths(slopes * scale) * length
            coarse = kept & (widths > FINE)
            if not whole and (coarse & open_cells).any():
                coarse &= ~open_cells
                divided = False
            if not coarse.any() or kept.sum() > MOST_CELLS:
                return Cells(left[kept], right[kept], open_cells[kept], scale, best, divided)
            parts = np.where(coarse, np.where(widths > MUCH * FINE, MUCH, 2), 1)[kept]
            left, right = _divided(left[kept], right[kept], parts)
            owner = np.repeat(owner[kept], parts)

    def measure(self) -> Measure:
        """The posterior by Gauss-Legendre rules on the cells."""
        cells = self.last if self.last is not None and self.last.whole else self.cells(whole=True)
        hermite, values = self._interpolated()

        def log_posterior(points: Array) -> Array:
            return self.target.log_likelihood(hermite.at(points, values)) + self.target.log_prior(points)

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
        hermite, _ = self._interpolated()
        # between two modes no node is needed: the cubic across is not asked for anything
        cell = np.unique(np.searchsorted(hermite.places[1:-1], measure.points[:, 0], side="right"))
        kept = np.union1d(cell, cell + 1)
        return Hermite(hermite.places[kept]), [self.solved[k] for k in kept.tolist()]


def _lengths(rows: Array) -> Array:
    """Of every row, (k,)."""
    found: Array = np.sqrt(np.einsum("kn,kn->k", rows, rows))
    return found


def _divided(left: Array, right: Array, parts: Index) -> tuple[Array, Array]:
    """Every cell in as many parts of equal length: where these begin and end."""
    which = np.repeat(np.arange(parts.size), parts)
    number = np.arange(which.size) - np.repeat(np.cumsum(parts) - parts, parts)
    step = ((right - left) / parts)[which]
    begin, end = left[which] + number * step, left[which] + (number + 1) * step
    end[np.cumsum(parts) - 1] = right
    return begin, end
