"""Physics soft: the equation holds up to an error of unknown size, and data and equation are fitted together.

    L u = f + tau w,    w independent from one kernel width to the next, relative to the operator's size there

Seen from the sensors this is noise with covariance tau^2 G G', G the response of the sensors to the rows of the
equation, from the factorisation of the solve. Rows of data and rows of physics are stacked, each with its precision, as
in the paper; but the precision of the physics, 1/tau^2, is inferred with the rest.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import lapack

from gated_xtfc.discretise.kernel_window import dense_from_windows
from gated_xtfc.inverse.measure import normalised
from gated_xtfc.inverse.node import Fields, Node, Target
from gated_xtfc.inverse.noise import Scatter
from gated_xtfc.inverse.observations import Observations
from gated_xtfc.linalg.banded import Banded
from gated_xtfc.linalg.dense import Dense
from gated_xtfc.solver.interval.fit import IntervalFit
from gated_xtfc.types import Array, Index

LEAST, MOST = 1e-5, 1.0  # of tau, for a field as large as the spread of the data
TAUS = 61


@dataclass(frozen=True)
class DeviationGrid:
    """Pairs of standard deviations, of the noise and of the equation, each as likely as the others beforehand."""

    sigma: Array  # (g,) factors of the noise's own standard deviations
    tau: Array  # (g,)

    @classmethod
    def of(cls, scatter: Scatter) -> "DeviationGrid":
        taus = np.geomspace(LEAST, MOST, TAUS)
        if scatter.sigma is not None:
            return cls(np.ones(TAUS), taus)
        # fine enough for the width of its posterior, which is one over the root of twice the number of data
        count = int(np.clip(np.log(scatter.high / scatter.low) * np.sqrt(2.0 * scatter.size), 81, 2001))
        sigmas = np.geomspace(scatter.low, scatter.high, count)
        sigma, tau = np.meshgrid(sigmas, taus, indexing="ij")
        return cls(sigma.ravel(), tau.ravel())


@dataclass(frozen=True)
class SoftLikelihood:
    """The likelihood of one member for every pair of deviations: diagonal in the eigenvectors of G G'."""

    residual: Array  # (n,) data less prediction, in the eigenvectors
    eigenvalues: Array  # (n,) of G G'
    eigenvectors: Array  # (n, n) over the sensors, in units of the noise
    log_scale: float  # sum of the logarithms of the noise's own standard deviations

    def variances(self, sigma: Array, tau: Array) -> Array:
        """(g, n) of the residual, for pairs of deviations (g,)."""
        found: Array = sigma[:, None] ** 2 + tau[:, None] ** 2 * self.eigenvalues
        return found

    def log_likelihoods(self, grid: DeviationGrid) -> Array:
        """(g,) for every pair."""
        variance = self.variances(grid.sigma, grid.tau)
        energy = self.residual**2 / variance + np.log(variance)
        found: Array = -0.5 * energy.sum(axis=1) - self.log_scale - 0.5 * self.residual.size * np.log(2.0 * np.pi)
        return found

    def marginal(self, grid: DeviationGrid) -> tuple[Array, float]:
        """What each pair weighs under the data, (g,), and the log likelihood with the pairs integrated out."""
        return normalised(self.log_likelihoods(grid) - np.log(grid.sigma.size))


@dataclass(frozen=True)
class EquationResponse:
    """What independent errors of the equation do to a field, from the factorisation that solved it, A = Q T.

    kernels(x) A^+ = (kernels(x) T^-1) Q', and Q turns independent errors into independent errors: kernels(x) T^-1 has
    the same covariance and is all that is asked for. T is kept rather than its inverse, whose entries are some 1e12
    times as large as what they add up to.
    """

    pivots: Index  # (q,) kernels that the conditions have taken out
    couple: Array  # (q, n) what a unit of each other kernel, the free ones, takes from those
    order: Index  # (r,) which of the free kernels each column of T belongs to; n and above are unknown constants
    norms: Array  # (r,) lengths of the columns divided out of T
    band: Array  # (r, reach) every row of T from the first column of its block on
    block: int  # rows of a block
    unit: float  # size of the errors

    @classmethod
    def of(cls, found: IntervalFit, unit: float) -> "EquationResponse":
        """Of a solution whose rows have independent errors of this size."""
        factor, frame = found.factor, found.factor_trial
        if isinstance(factor, Banded):
            band = np.zeros((factor.norms.size, max(step.reach for step in factor.steps)))
            for step in factor.steps:
                band[step.start : step.start + step.width, : step.reach] = np.triu(step.factor[: step.width])
            order, norms, block = np.arange(factor.norms.size), factor.norms, factor.steps[0].width
        else:
            if not isinstance(factor, Dense):
                # beside the band stand dense columns or conditions: the triangle is full in any case
                frame = found.layout.trial
                rows = dense_from_windows(found.rows.first, found.rows.values, found.layout.functionals.size)
                factor = Dense.of(np.hstack([frame.reduce(rows), found.rows.constant_columns]))
            order, block = factor.order[: factor.rank], factor.rank
            band, norms = np.triu(factor.factor[:block, :block]), factor.norms[order]
        return cls(frame.pivots, frame.couple, order, norms, band, block, unit)

    def __call__(self, kernels: Array) -> Array:
        """What errors do to sums of kernels (m, columns), (m, r)."""
        reduced = np.delete(kernels, self.pivots, axis=1) - kernels[:, self.pivots] @ self.couple
        (size, reach), inside = self.band.shape, self.order < reduced.shape[1]
        pending = np.zeros((size + reach, kernels.shape[0]))
        pending[np.flatnonzero(inside)] = (reduced[:, self.order[inside]] / self.norms[inside]).T
        for start in range(0, size, self.block):
            stop = min(start + self.block, size)
            rows = self.band[start:stop]
            pending[start:stop], _ = lapack.dtrtrs(rows[:, : stop - start], pending[start:stop], trans=1)
            pending[stop : start + reach] -= rows[:, stop - start :].T @ pending[start:stop]
        found: Array = self.unit * pending[:size].T
        return found


@dataclass(frozen=True)
class SoftEquation:
    """The target of a soft equation: data, noise and priors, and the unit of the equation's error."""

    target: Target
    observations: Observations
    spread: float  # of the data

    @cached_property
    def grid(self) -> DeviationGrid:
        return DeviationGrid.of(self.target.noise.scatters[0])

    @property
    def sigma(self) -> Array:
        """(n,) standard deviations; ones where the noise is unknown."""
        return np.concatenate(
            [np.ones(one.size) if one.sigma is None else one.sigma for one in self.target.noise.scatters]
        )

    def response(self, node: Node) -> EquationResponse:
        """Of the fields to errors for tau = 1: one unit a kernel width, however many sites there are in it."""
        assert node.found is not None
        density = node.found.sites / node.found.basis.length
        return EquationResponse.of(node.found, self.spread * float(np.sqrt(density)))

    def at_sensors(self, node: Node, response: EquationResponse) -> Array:
        """The same of the sensors, (n, r), in units of the noise."""
        series = self.observations.series
        assert isinstance(node.fields, Fields)
        parts = [response(node.fields.kernels(one.x, one.field, one.order)) for one in series]
        found: Array = np.vstack(parts) / self.sigma[:, None]
        return found

    def likelihood(self, node: Node) -> SoftLikelihood:
        response = self.at_sensors(node, self.response(node))
        eigenvalues, eigenvectors = np.linalg.eigh(response @ response.T)
        residual = eigenvectors.T @ ((self.target.y - node.prediction) / self.sigma)
        return SoftLikelihood(residual, np.maximum(eigenvalues, 0.0), eigenvectors, float(np.log(self.sigma).sum()))
