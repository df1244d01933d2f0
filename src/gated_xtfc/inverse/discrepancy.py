"""Physics soft: the equation holds up to an error of unknown size, and data and equation are fitted together.

    L u = f + tau w,    w independent from one kernel width to the next, relative to the operator's size there

Seen from the sensors this is noise with covariance tau^2 G G', G the response of the sensors to the rows of the
equation, from the factorisation of the solve. Rows of data and rows of physics are stacked, each with its precision, as
in the paper; but the precision of the physics, 1/tau^2, is inferred with the rest.
"""

from dataclasses import dataclass

import numpy as np

from gated_xtfc.inverse.forward_map import ForwardMap
from gated_xtfc.inverse.nodes import Fields, Node
from gated_xtfc.inverse.noise import Scatter
from gated_xtfc.inverse.target import Target
from gated_xtfc.solver.interval.fit import IntervalFit
from gated_xtfc.types import Array

LEAST, MOST = 1e-5, 1.0  # of tau, for a field as large as the spread of the data
TAUS = 61


@dataclass(frozen=True)
class Mix:
    """Standard deviations of noise and physics on a grid, with the prior mass of each pair."""

    sigma: Array  # (g,) factors of the noise's own standard deviations
    tau: Array  # (g,)
    log_prior: Array  # (g,)

    @classmethod
    def of(cls, scatter: Scatter) -> "Mix":
        taus = np.geomspace(LEAST, MOST, TAUS)
        if scatter.sigma is not None:
            return cls(np.ones(TAUS), taus, np.full(TAUS, -np.log(TAUS)))
        # fine enough for the width of its posterior, which is one over the root of twice the number of data
        count = int(np.clip(np.log(scatter.high / scatter.low) * np.sqrt(2.0 * scatter.size), 81, 2001))
        sigmas = np.geomspace(scatter.low, scatter.high, count)
        pairs = np.meshgrid(sigmas, taus, indexing="ij")
        return cls(pairs[0].ravel(), pairs[1].ravel(), np.full(count * TAUS, -np.log(count * TAUS)))


@dataclass(frozen=True)
class Seen:
    """A node with its equation made soft."""

    residual: Array  # (n,) in the basis below
    extent: Array  # (n,) eigenvalues of G G'
    basis: Array  # (n, n) of the sensors, in units of the noise
    log_scale: float  # sum of the logarithms of the noise's own standard deviations

    def log_likelihoods(self, mix: Mix) -> Array:
        """(g,) for every pair of standard deviations."""
        variance = mix.sigma[:, None] ** 2 + mix.tau[:, None] ** 2 * self.extent
        energy = self.residual**2 / variance + np.log(variance)
        found: Array = -0.5 * energy.sum(axis=1) - self.log_scale - 0.5 * self.residual.size * np.log(2.0 * np.pi)
        return found


@dataclass(frozen=True)
class Softness:
    forward: ForwardMap
    target: Target
    spread: float  # of the data

    @property
    def sigma(self) -> Array:
        """(n,) standard deviations; ones where the noise is unknown."""
        given = self.target.noise.scatters[0].sigma
        return np.ones(self.target.y.size) if given is None else self.given

    @property
    def given(self) -> Array:
        return np.concatenate([one.sigma for one in self.target.noise.scatters if one.sigma is not None])

    def response(self, found: IntervalFit, fields: Fields, x: Array, field: int, order: int) -> Array:
        """What independent errors of the equation do to u^(order) at x, (n, rows), for tau = 1."""
        count = len(self.forward.problem.fields)
        raw = np.zeros((x.size, found.layout.functionals.size))
        raw[:, field::count] = found.basis.matrix(fields.chart.inward(x), order)
        reduced = found.frame.reduce(raw)
        if found.constants.size:
            reduced = np.hstack([reduced, np.zeros((x.size, found.constants.size))])
        # one unit a kernel width, however many sites there are in it
        density = found.sites / found.basis.length
        weighed: Array = self.spread * np.sqrt(density) * found.factor.adjoint(reduced)
        return weighed

    def at_sensors(self, node: Node) -> Array:
        """(n, rows), in units of the noise."""
        parts = [
            self.response(node.found, node.fields, one.x, one.field, one.order)
            for one in self.forward.observations.series
        ]
        found: Array = np.vstack(parts) / self.sigma[:, None]
        return found

    def seen(self, node: Node) -> Seen:
        response = self.at_sensors(node)
        extent, basis = np.linalg.eigh(response @ response.T)
        residual = basis.T @ ((self.target.y - node.prediction) / self.sigma)
        return Seen(residual, np.maximum(extent, 0.0), basis, float(np.log(self.sigma).sum()))
