"""Settings as polynomials in the inputs, with intervals that hold what they promise: mean +- q(level) std.

The degree is chosen by what the polynomial misses on folds that were left out. Noise need not be normal: what a solver
settles on scatters by whole kernels, or not at all. So q is a quantile of |y - mean|/std over folds left out of the fit
(conformal prediction), not one of the normal distribution.
"""

import math
from dataclasses import dataclass

import numpy as np

from gated_xtfc.errors import InputError
from gated_xtfc.monomials import exponents, monomials
from gated_xtfc.published.ridge import HeteroskedasticFit, HeteroskedasticRidge
from gated_xtfc.types import Array, Index, Record

FOLDS = 8
DEGREES = {1: 8, 2: 5, 3: 3}  # highest, by the number of inputs; beyond, 2
PARSIMONY = 1.1  # a lower degree is taken when its error is within this factor of the best
KEPT = 201  # quantiles of the scores that are remembered
SAME = 1e-12
EXACT = 1e-9  # largest residual of a setting that its polynomial gives to rounding


@dataclass(frozen=True, eq=False)
class Calibrated:
    """`constant` where there is nothing to learn."""

    constant: float
    fit: HeteroskedasticFit | None
    scores: Array  # (k,) ascending, at even ranks: |residual| over the standard deviation, of points left out

    @classmethod
    def of(cls, x: Array, y: Array, seed: int) -> "Calibrated":
        """x (n, d), y (n,)."""
        if np.ptp(y) <= SAME * max(1.0, float(np.abs(y).max())):
            return cls(float(y[0]), None, np.zeros(1))
        folds = folds_of(len(y), seed)
        ridge = HeteroskedasticRidge(chosen_degree(x, y[:, None], folds)[0], floor=1e-30, scaled=True, leverage=True)
        scores = np.empty(len(y))
        for fold in range(FOLDS):
            out = folds == fold
            found = ridge.fit(x[~out], y[~out]).predict(x[out])
            scores[out] = np.abs(y[out] - found.mean) / found.std
        ranks = np.linspace(0.0, 1.0, min(KEPT, scores.size))
        return cls(math.nan, ridge.fit(x, y), np.quantile(scores, ranks))

    def predict(self, x: Array) -> tuple[Array, Array]:
        """Mean and standard deviation at x (m, d), each (m,)."""
        if self.fit is None:
            return np.full(len(x), self.constant), np.zeros(len(x))
        found = self.fit.predict(x)
        return found.mean, found.std

    @property
    def scatters(self) -> bool:
        """Whether there is anything to be unsure of, beyond rounding."""
        return self.fit is not None and float(self.fit.squares.max()) > EXACT**2

    def mean(self, x: Array) -> Array:
        """The first part of `predict` alone, for those in a hurry."""
        if self.fit is None:
            return np.full(len(x), self.constant)
        return features(x, self.fit.low, self.fit.high, self.fit.settings.degree) @ self.fit.coefficients

    def reach(self, level: float) -> float:
        """How many standard deviations to each side hold a new value with this probability."""
        if not 0.0 < level < 1.0:
            raise InputError(f"the level is {level!r}: give a probability between 0 and 1, such as 0.95")
        n = self.fit.squares.size if self.fit is not None else 1
        return float(np.quantile(self.scores, min(1.0, math.ceil((n + 1) * level) / n)))

    def record(self) -> dict[str, object]:
        """Ready for JSON, without the inputs, which many share."""
        fit = None if self.fit is None else {k: v for k, v in self.fit.record().items() if k != "inputs"}
        return {
            "constant": None if math.isnan(self.constant) else self.constant,
            "fit": fit,
            "scores": self.scores.tolist(),
        }

    @classmethod
    def read(cls, record: Record, inputs: list[list[float]]) -> "Calibrated":
        constant = math.nan if record["constant"] is None else float(record["constant"])
        fit = None if record["fit"] is None else HeteroskedasticFit.read({**record["fit"], "inputs": inputs})
        return cls(constant, fit, np.array(record["scores"], dtype=float))


def folds_of(count: int, seed: int) -> Index:
    """Which fold each of so many points is in, (n,)."""
    return np.asarray(np.random.default_rng(seed).permutation(count) % FOLDS)


def chosen_degree(x: Array, values: Array, folds: Index) -> tuple[int, float]:
    """For inputs x (n, d) and values (n, k): the degree, and the largest error of points left out."""
    found = {}
    for degree in degrees(*x.shape):
        columns = features(x, x.min(axis=0), x.max(axis=0), degree)
        missed = np.empty_like(values)
        for fold in range(FOLDS):
            out = folds == fold
            missed[out] = values[out] - columns[out] @ np.linalg.lstsq(columns[~out], values[~out], rcond=None)[0]
        found[degree] = float(np.sqrt(np.mean(missed**2))), float(np.abs(missed).max())
    least = min(mean for mean, _ in found.values())
    degree = next(degree for degree, (mean, _) in found.items() if mean <= PARSIMONY * least)
    return degree, found[degree][1]


def degrees(points: int, inputs: int) -> list[int]:
    """Those that as many points can carry with a fold left out."""
    left = points - math.ceil(points / FOLDS)
    most = DEGREES.get(inputs, 2)
    return [degree for degree in range(1, most + 1) if 2 * len(exponents(inputs, degree)) <= left] or [0]


def features(x: Array, low: Array, high: Array, degree: int) -> Array:
    """The monomials of the inputs, mapped from low .. high to -1 .. 1, (n, terms): those of a scaled ridge."""
    return monomials(2.0 * (x - low) / (high - low) - 1.0, degree)
