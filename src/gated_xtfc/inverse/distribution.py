"""The posterior of one number, parameter or noise: density and mass on a grid, mean and standard deviation."""

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import PchipInterpolator
from scipy.special import gammaincc

from gated_xtfc.inverse.measure import Marginal, Measure
from gated_xtfc.inverse.noise import Scatter
from gated_xtfc.inverse.peaks import Interval, densest
from gated_xtfc.inverse.priors import Prior
from gated_xtfc.types import Array

AT_BOUND = 0.1  # density at a bound over the largest one at which a posterior runs into the bound
ENERGIES = 40  # classes of the misfit over which an unknown noise is averaged


@dataclass(frozen=True)
class Distribution:
    """The posterior of one number.

    Attributes
    ----------
    mean, std
        Its moments.
    curve
        Density and mass below, on a grid.
    logarithmic
        Whether it is best drawn over its logarithm.
    """

    mean: float
    std: float
    curve: Marginal
    logarithmic: bool

    def interval(self, level: float) -> Interval:
        """The interval that holds it with this probability: with equal tails, or from a bound where it runs into one.

        A bound belongs to it where the density there is higher than at the other end: of all values those are the
        last to be left out, and the truth may well be the bound itself.
        """
        curve, density = self.curve, self._density_on_scale
        below, above = curve.quantile(1.0 - level), curve.quantile(level)
        other_low, other_high = np.interp([below, above], curve.grid, density).tolist()
        least = AT_BOUND * float(density.max())
        from_low, to_high = density[0] > max(other_high, least), density[-1] > max(other_low, least)
        if from_low and not to_high:
            return float(curve.grid[0]), above
        if to_high and not from_low:
            return below, float(curve.grid[-1])
        return curve.quantile(0.5 - 0.5 * level), curve.quantile(0.5 + 0.5 * level)

    def highest_density(self, level: float) -> tuple[Interval, ...]:
        """The smallest set that holds it with this probability: one interval, or one around each mode."""
        return densest(self.curve, level, self.logarithmic)

    @property
    def _density_on_scale(self) -> Array:
        """Of the logarithm where that is the scale."""
        return self.curve.density * self.curve.grid if self.logarithmic else self.curve.density


def of_parameter(i: int, prior: Prior, measure: Measure) -> Distribution:
    values = prior.place(measure.points[:, i])
    mean = float(measure.weights @ values)
    std = float(np.sqrt(measure.weights @ (values - mean) ** 2))
    unit = measure.marginals[i]
    curve = Marginal(prior.place(unit.grid), unit.density / prior.slope(unit.grid), unit.total)
    return Distribution(mean, std, curve, prior.logarithmic)


def of_noise(scatter: Scatter, residual: Array, weights: Array, drawn: Array) -> Distribution:
    """Of an unknown standard deviation, from residuals (k, n) with weights, or where there is no formula from draws."""
    if scatter.student is not None:
        curve = Marginal.of_points(drawn, np.full(drawn.size, 1.0 / drawn.size))
        return Distribution(float(drawn.mean()), float(drawn.std()), curve, False)
    energy = scatter.energy(residual)
    kept = weights > 1e-12
    order = np.argsort(energy[kept])
    classes = np.array_split(order, min(ENERGIES, order.size))
    mass = np.array([weights[kept][one].sum() for one in classes])
    typical = np.array([np.average(energy[kept][one], weights=weights[kept][one]) for one in classes])
    half = 0.5 * scatter.size
    middle = np.sqrt(float(mass @ typical) / half)
    reach = np.exp(min(12.0, 10.0 / np.sqrt(scatter.size) + 0.5))
    grid = np.geomspace(max(scatter.low, middle / reach), min(scatter.high, middle * reach), 401)
    below = gammaincc(half, typical[:, None] / grid**2) - gammaincc(half, typical[:, None] / scatter.low**2)
    total = mass @ (below / np.maximum(scatter.mass(typical)[:, None], 1e-300))
    total = np.maximum.accumulate(np.clip((total - total[0]) / (total[-1] - total[0]), 0.0, 1.0))
    steps, centres = np.diff(total), 0.5 * (grid[1:] + grid[:-1])
    mean = float(steps @ centres)
    std = float(np.sqrt(steps @ (centres - mean) ** 2))
    return Distribution(mean, std, Marginal(grid, np.gradient(total, grid), total), False)


def of_logarithms(values: Array, weights: Array) -> Distribution:
    """From weights on an even grid of logarithms: mass between its points by a monotone cubic."""
    levels, which = np.unique(values, return_inverse=True)
    masses = np.bincount(which, weights, minlength=levels.size).astype(np.float64)
    logs = np.log(levels)
    step = logs[1] - logs[0]
    edges = np.concatenate([[logs[0]], logs[:-1] + 0.5 * step, [logs[-1]]])
    mass = PchipInterpolator(edges, np.concatenate([[0.0], np.cumsum(masses)]))
    fine = np.linspace(logs[0], logs[-1], 8 * logs.size + 1)
    curve = Marginal(np.exp(fine), np.maximum(mass(fine, 1), 0.0) / np.exp(fine), np.clip(mass(fine), 0.0, 1.0))
    mean = float(masses @ levels)
    return Distribution(mean, float(np.sqrt(masses @ (levels - mean) ** 2)), curve, True)
