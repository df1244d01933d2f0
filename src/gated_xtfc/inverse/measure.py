"""The posterior as a set of weighted points on the unit scales, with the distribution of every parameter on a grid."""

from dataclasses import dataclass

import numpy as np

from gated_xtfc.gauss_legendre import rule
from gated_xtfc.types import Array, Index

GRID = 801  # points on which densities are kept


@dataclass(frozen=True)
class Marginal:
    """The distribution of one parameter on its unit scale."""

    grid: Array  # (g,) increasing
    density: Array  # (g,)
    total: Array  # (g,) mass below

    def quantile(self, level: float) -> float:
        kept = np.concatenate([[True], np.diff(self.total) > 0.0])
        return float(np.interp(level, self.total[kept], self.grid[kept]))

    def draw(self, levels: Array) -> Array:
        kept = np.concatenate([[True], np.diff(self.total) > 0.0])
        return np.asarray(np.interp(levels, self.total[kept], self.grid[kept]))

    @classmethod
    def of_points(cls, points: Array, weights: Array, cells: int = 200) -> "Marginal":
        """From weighted points (n,), smoothed over a cell."""
        order = np.argsort(points)
        x, mass = points[order], np.cumsum(weights[order])
        low, high = np.interp([0.0005, 0.9995], mass / mass[-1], x).tolist()
        grid = np.unique(np.concatenate([[x[0]], np.linspace(low, high, cells), [x[-1]]]))
        total = np.interp(grid, x, (mass - 0.5 * weights[order]) / mass[-1])
        total[0], total[-1] = 0.0, 1.0
        return cls(grid, np.gradient(total, grid), total)


@dataclass(frozen=True)
class Measure:
    points: Array  # (n, p)
    weights: Array  # (n,) they add up to one
    evidence: float  # log p(data)
    marginals: tuple[Marginal, ...]


def normalised(log_mass: Array) -> tuple[Array, float]:
    """Weights that add up to one, and the logarithm of their sum before."""
    top = float(log_mass.max())
    weights = np.exp(log_mass - top)
    total = float(weights.sum())
    return weights / total, top + float(np.log(total))


def bincount(which: Index, masses: Array, count: int) -> Array:
    """The mass of each class, (count,)."""
    return np.asarray(np.bincount(which, masses, minlength=count), dtype=np.float64)


def series(ends: tuple[float, float], masses: Array) -> np.polynomial.legendre.Legendre:
    """The density whose masses at the Gauss-Legendre points between the ends are these, as a Legendre series."""
    count = masses.size
    nodes, _ = rule(count)
    half = 0.5 * (ends[1] - ends[0])
    vander = np.polynomial.legendre.legvander(nodes, count - 1)
    coefficients = (vander.T @ (masses / half)) * (np.arange(count) + 0.5)
    return np.polynomial.legendre.Legendre(coefficients, domain=list(ends))


def series_marginal(*parts: tuple[tuple[float, float], Array]) -> Marginal:
    """The sum of such densities."""
    edges = np.unique(np.concatenate([np.linspace(*ends, GRID) for ends, _ in parts]))
    density, total = np.zeros_like(edges), np.zeros_like(edges)
    for ends, masses in parts:
        curve, inside = series(ends, masses), np.clip(edges, *ends)
        density += np.where((edges >= ends[0]) & (edges <= ends[1]), np.maximum(curve(inside), 0.0), 0.0)
        total += curve.integ(lbnd=ends[0])(inside)
    return Marginal(edges, density, np.maximum.accumulate(np.clip(total / total[-1], 0.0, 1.0)))
