"""The posterior as weighted points on the unit scales, with the distribution of every parameter on a grid.

Points of a round posterior inside a box are Gauss-Legendre ones, one parameter after the other:

    s = centre + spread z, spread lower triangular: given z_1 .. z_(i-1) the bounds of s_i are bounds of z_i

so that strong correlation costs nothing and a posterior cut off by a bound is integrated exactly up to it.
"""

from dataclasses import dataclass

import numpy as np

from gated_xtfc.gauss_legendre import on_intervals, rule
from gated_xtfc.types import Array, Index

GRID = 801  # points on which densities are kept
RADIUS = 6.0  # posterior widths
AT_BOUND = 0.02  # part of the width of a distribution within which its outermost point is at a bound


@dataclass(frozen=True)
class Marginal:
    """The distribution of one number."""

    grid: Array  # (g,) increasing
    density: Array  # (g,)
    total: Array  # (g,) mass below

    def quantile(self, level: float) -> float:
        return float(self.draw(np.array([level]))[0])

    def draw(self, levels: Array) -> Array:
        """The values with these masses below them, (n,)."""
        kept = np.concatenate([[True], np.diff(self.total) > 0.0])
        return np.asarray(np.interp(levels, self.total[kept], self.grid[kept]))

    def stratified(self, count: int, random: np.random.Generator) -> Array:
        """Draws, one from each of `count` parts of equal mass, in random order."""
        return self.draw((random.permutation(count) + random.random(count)) / count)

    @classmethod
    def of_points(
        cls, points: Array, weights: Array, cells: int = 200, bounds: tuple[float, float] | None = None
    ) -> "Marginal":
        """From weighted points (n,): the mass at each of them, the density over windows that hold enough of them."""
        order = np.argsort(points)
        x, mass = points[order], np.cumsum(weights[order])
        low, high = np.interp([0.0005, 0.9995], mass / mass[-1], x).tolist()
        ends = [x[0], x[-1]]
        if bounds is not None:
            # the outermost points of a distribution that is cut off stand for it up to the bound
            ends = [
                bound if abs(bound - x) < AT_BOUND * (high - low) else x for bound, x in zip(bounds, ends, strict=True)
            ]
        grid = np.unique(np.concatenate([[ends[0]], np.linspace(low, high, cells), [ends[1]]]))
        total = np.interp(grid, x, (mass - 0.5 * weights[order]) / mass[-1])
        total[0], total[-1] = 0.0, 1.0
        counting = mass[-1] ** 2 / float(np.sum(weights**2))
        window = max(0.4 * counting ** (-1.0 / 3.0), 1.0 / cells) * (high - low)
        left, right = np.maximum(grid - window, grid[0]), np.minimum(grid + window, grid[-1])
        below, above = np.interp(left, grid, total), np.interp(right, grid, total)
        return cls(grid, (above - below) / np.maximum(right - left, 1e-300), total)

    @classmethod
    def of_rules(cls, *parts: tuple[tuple[float, float], Array]) -> "Marginal":
        """From the ends of Gauss-Legendre rules and the masses at their points, added up."""
        edges = np.unique(np.concatenate([np.linspace(*ends, GRID) for ends, _ in parts]))
        density, total = np.zeros_like(edges), np.zeros_like(edges)
        for ends, masses in parts:
            curve, inside = _series(ends, masses), np.clip(edges, *ends)
            density += np.where((edges >= ends[0]) & (edges <= ends[1]), np.maximum(curve(inside), 0.0), 0.0)
            total += curve.integ(lbnd=ends[0])(inside)
        return cls(edges, density, np.maximum.accumulate(np.clip(total / total[-1], 0.0, 1.0)))


def _series(ends: tuple[float, float], masses: Array) -> np.polynomial.legendre.Legendre:
    """The density whose masses at the Gauss-Legendre points between the ends are these, as a Legendre series."""
    count = masses.size
    nodes, _ = rule(count)
    half = 0.5 * (ends[1] - ends[0])
    vander = np.polynomial.legendre.legvander(nodes, count - 1)
    coefficients = (vander.T @ (masses / half)) * (np.arange(count) + 0.5)
    return np.polynomial.legendre.Legendre(coefficients, domain=list(ends))


@dataclass(frozen=True)
class Measure:
    """The posterior of all parameters together."""

    points: Array  # (n, p)
    weights: Array  # (n,) they add up to one
    evidence: float  # log p(data)
    marginals: tuple[Marginal, ...]

    @property
    def mean(self) -> Array:
        found: Array = self.weights @ self.points
        return found

    @property
    def covariance(self) -> Array:
        return moments(self.points, self.weights)[1]


def moments(points: Array, weights: Array) -> tuple[Array, Array]:
    """Mean (p,) and covariance (p, p) of points (n, p) whose weights add up to one."""
    mean = weights @ points
    away = points - mean
    return mean, (away * weights[:, None]).T @ away


def normalised(log_mass: Array) -> tuple[Array, float]:
    """Weights that add up to one, and the logarithm of their sum before."""
    top = float(log_mass.max())
    weights = np.exp(log_mass - top)
    total = float(weights.sum())
    return weights / total, top + float(np.log(total))


@dataclass(frozen=True)
class Nested:
    """A rule of Gauss-Legendre points, nested from the first parameter to the last."""

    points: Array  # (n, p)
    sizes: Array  # (n,) what each point stands for
    first: Index  # (n,) which point of the first parameter it belongs to
    ends: tuple[float, float]  # of the first parameter
    count: int  # points a parameter

    def along_first(self, masses: Array) -> tuple[tuple[float, float], Array]:
        """Masses (n,) added up over all parameters but the first, as `Marginal.of_rules` takes them."""
        return self.ends, np.bincount(self.first, masses, minlength=self.count).astype(np.float64)


def nested(centre: Array, spread: Array, count: int, radius: float = RADIUS) -> Nested:
    """`count` points a parameter, as far as `radius` widths from the centre and inside the unit cube."""
    points, sizes = np.zeros((1, 0)), np.ones(1)
    first = np.zeros(1, dtype=np.intp)
    ends = 0.0, 1.0
    for i in range(centre.size):
        # the earlier z are known: so is where this parameter is centred
        earlier = np.linalg.solve(spread[:i, :i], (points - centre[:i]).T).T if i else np.zeros((points.shape[0], 0))
        middle = centre[i] + earlier @ spread[i, :i]
        reach = radius * abs(spread[i, i])
        low, high = np.clip(middle - reach, 0.0, 1.0), np.clip(middle + reach, 0.0, 1.0)
        here, factors = on_intervals(low, high, count)
        points = np.column_stack([np.repeat(points, count, axis=0), here.ravel()])
        sizes = (sizes[:, None] * factors).ravel()
        if i == 0:
            ends, first = (float(low[0]), float(high[0])), np.arange(count)
        else:
            first = np.repeat(first, count)
    kept = sizes > 0.0
    return Nested(points[kept], sizes[kept], first[kept], ends, count)


def rotated(spread: Array, first: int) -> tuple[Array, Index]:
    """The triangular spread of the same covariance with one parameter put first, and the order of all."""
    order = np.array([first, *(i for i in range(spread.shape[0]) if i != first)])
    covariance = spread @ spread.T
    return np.linalg.cholesky(covariance[np.ix_(order, order)]), order


def evenly(count: int, p: int, shift: Array | float = 0.5) -> Array:
    """Points (count, p) spread evenly over the unit cube: multiples of powers of a generalised golden ratio."""
    golden = 2.0
    for _ in range(60):
        golden = (1.0 + golden) ** (1.0 / (p + 1))
    steps = golden ** -np.arange(1.0, p + 1.0)
    found: Array = (shift + np.arange(count)[:, None] * steps) % 1.0
    return found
