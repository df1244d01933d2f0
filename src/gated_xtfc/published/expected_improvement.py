"""Bayesian optimisation: a Gaussian process on what was seen so far, the next point where improvement is expected.

    EI(x) = (b - m) Phi(t) + s phi(t),   t = (b - m)/s,   b the best value seen, m and s the process at x

Values are warped by asinh(value/low), low being small among them: orders of magnitude count, outliers do not.
The "plus" variant guards against proposing the same place again and again: where s is small beside the noise, the
process is given a larger variance and asked again.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize
from scipy.special import ndtr
from scipy.stats.qmc import Sobol

from gated_xtfc.errors import InputError
from gated_xtfc.ranges import Range
from gated_xtfc.types import Array

CANDIDATES = 1024
NOISE = (1e-8, 1e-1)  # variance beside that of the values
LENGTHS = (0.03, 5.0)  # in ranges of the box
MOST_INFLATIONS = 5


@dataclass(frozen=True)
class FunctionValue:
    point: tuple[float, ...]
    value: float


def minimise(
    function: Callable[[tuple[float, ...]], float],
    box: Sequence[Range],
    evaluations: int,
    *,
    initial: int = 8,
    seed: int = 0,
    start: Sequence[float] | None = None,
    exploration: float | None = None,
) -> tuple[FunctionValue, ...]:
    """All trials in the order made, the first `initial` of them spread evenly; a value that is not finite is bad.

    `start` is what is tried first, as fractions of the ranges; without it the first is random like the others.
    `exploration` is the least deviation of the process at a proposed point, in those of the noise; None is no guard.
    """
    if not box or evaluations < 1 or initial < 1:
        raise InputError("a search needs at least one range, one evaluation and one initial point")
    random = np.random.default_rng(seed)
    sobol = Sobol(len(box), seed=random)
    count = min(initial, evaluations)
    units = sobol.random_base2(math.ceil(math.log2(count)))[:count] if count > 1 else sobol.random(1)
    if start is not None:
        units[0] = np.clip(start, 0.0, 1.0)
    trials: list[FunctionValue] = []
    for k in range(evaluations):
        if k >= count:
            values = np.array([trial.value for trial in trials])
            units = np.vstack([units, _next(units, values, random, exploration)])
        point = tuple(one.place(s) for one, s in zip(box, units[k].tolist(), strict=True))
        trials.append(FunctionValue(point, float(function(point))))
    return tuple(trials)


def warped(values: Array) -> Array:
    """The values on a scale with zero mean and unit deviation, on which outliers do not count."""
    finite = values[np.isfinite(values)]
    if finite.size == 0:
        return np.zeros_like(values)
    filled = np.where(np.isfinite(values), values, finite.max())
    low = np.quantile(np.abs(filled), 0.1) or 1.0
    with np.errstate(over="ignore"):
        warm = np.arcsinh(np.clip(filled / low, -1e300, 1e300))
    spread = warm.std()
    result: Array = (warm - warm.mean()) / (spread if spread > 0.0 else 1.0)
    return result


def _next(units: Array, values: Array, random: np.random.Generator, exploration: float | None) -> Array:
    """The point of the unit box to try next."""
    target = warped(values)
    process = _Process.fitted(units, target)
    leader = _leader(process, units, target, random)
    for attempt in range(MOST_INFLATIONS):
        if exploration is None or process.deviation(leader[None])[0] >= exploration * process.noise_deviation:
            break
        process = process.inflated(float(values.size) if attempt == 0 else 10.0)
        leader = _leader(process, units, target, random)
    return leader


def _leader(process: "_Process", units: Array, target: Array, random: np.random.Generator) -> Array:
    """The point of the unit box with the largest expected improvement, among candidates anywhere and near the best."""
    best = units[np.argsort(target)[:3]]
    steps = random.normal(size=(CANDIDATES, units.shape[1])) * 10.0 ** random.uniform(-3, -0.5, (CANDIDATES, 1))
    near = np.clip(best[random.integers(len(best), size=CANDIDATES)] + steps, 0.0, 1.0)
    candidates = np.vstack([random.random((CANDIDATES, units.shape[1])), near])
    for _ in range(2):
        improvement = process.expected_improvement(candidates, float(target.min()))
        leader: Array = candidates[int(np.argmax(improvement))]
        candidates = np.vstack([leader, np.clip(leader + 0.01 * random.normal(size=candidates.shape), 0.0, 1.0)])
    return leader


@dataclass(frozen=True, eq=False)
class _Process:
    """A Gaussian process with the Matern 5/2 kernel and a length for each side of the box."""

    units: Array  # (n, d)
    target: Array  # (n,)
    lengths: Array  # (d,)
    noise: float  # variance beside that of the values
    factor: tuple[Array, bool]
    weights: Array  # (n,)
    variance: float

    @classmethod
    def fitted(cls, units: Array, target: Array) -> "_Process":
        """The process whose lengths and noise have the largest likelihood."""
        sides, squares = units.shape[1], _squares(units, units)
        bounds = [tuple(np.log(LENGTHS))] * sides + [tuple(np.log(NOISE))]

        def loss(logs: Array) -> float:
            factor, _, variance = _factored(squares, target, np.exp(logs))
            return float(0.5 * target.size * np.log(variance) + np.log(np.diag(factor[0])).sum())

        starts = [np.log([*[length] * sides, noise]) for length, noise in ((0.3, 1e-4), (1.0, 1e-2))]
        how = {"method": "L-BFGS-B", "bounds": bounds, "options": {"maxiter": 15}}
        found = min((minimize(loss, start, **how) for start in starts), key=lambda result: float(result.fun))
        scales = np.exp(found.x)
        return cls(units, target, scales[:-1], float(scales[-1]), *_factored(squares, target, scales))

    @property
    def noise_deviation(self) -> float:
        return math.sqrt(self.variance * self.noise)

    def inflated(self, by: float) -> "_Process":
        """The variance of the values larger by this factor, that of the noise as it was."""
        noise = self.noise / by
        scales = np.append(self.lengths, noise)
        factor, weights, _ = _factored(_squares(self.units, self.units), self.target, scales)
        return _Process(self.units, self.target, self.lengths, noise, factor, weights, self.variance * by)

    def deviation(self, points: Array) -> Array:
        return self._deviation(_matern(_squares(points, self.units), self.lengths))

    def _deviation(self, cross: Array) -> Array:
        share = 1.0 - np.einsum("ij,ji->i", cross, cho_solve(self.factor, cross.T))
        result: Array = np.sqrt(self.variance * np.maximum(share, 1e-12))
        return result

    def expected_improvement(self, points: Array, best: float) -> Array:
        cross = _matern(_squares(points, self.units), self.lengths)
        mean, deviation = cross @ self.weights, self._deviation(cross)
        t = (best - mean) / deviation
        result: Array = deviation * (t * ndtr(t) + np.exp(-0.5 * t * t) / math.sqrt(2.0 * math.pi))
        return result


def _factored(squares: Array, target: Array, scales: Array) -> tuple[tuple[Array, bool], Array, float]:
    """Cholesky's factor of the correlations, the weights, the variance that fits best."""
    correlations = _matern(squares, scales[:-1])
    correlations[np.diag_indices(target.size)] += scales[-1] + 1e-10
    factor = cho_factor(correlations, lower=True, check_finite=False)
    weights: Array = cho_solve(factor, target, check_finite=False)
    return factor, weights, max(float(target @ weights) / target.size, 1e-12)


def _squares(a: Array, b: Array) -> Array:
    """The squared differences of all pairs, side by side of the box, (n, m, d)."""
    result: Array = (a[:, None] - b) ** 2
    return result


def _matern(squares: Array, lengths: Array) -> Array:
    r = np.sqrt(5.0 * (squares @ lengths**-2.0))
    result: Array = (1.0 + r + r * r / 3.0) * np.exp(-r)
    return result
