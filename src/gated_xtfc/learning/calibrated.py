"""A regression whose intervals hold what they promise: mean +- q(level) std, with q from residuals it has not seen.

Noise need not be normal: what a solver settles on scatters by whole kernels, or not at all. So q is a quantile of
|y - mean|/std over folds left out of the fit (conformal prediction), not one of the normal distribution.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gated_xtfc.errors import InputError
from gated_xtfc.learning.polynomials import FOLDS, chosen_degree, folds_of, monomials
from gated_xtfc.published.ridge import HeteroskedasticFit, HeteroskedasticRidge
from gated_xtfc.types import Array

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
        return monomials(self.fit.settings.degree, x, self.fit.low, self.fit.high) @ self.fit.coefficients

    def reach(self, level: float) -> float:
        """How many standard deviations to each side hold a new value with this probability."""
        if not 0.0 < level < 1.0:
            raise InputError(f"the level is {level!r}: give a probability between 0 and 1, such as 0.95")
        n = self.fit.squares.size if self.fit is not None else 1
        return float(np.quantile(self.scores, min(1.0, math.ceil((n + 1) * level) / n)))

    def record(self) -> dict[str, Any]:
        """Ready for JSON, without the inputs, which many share."""
        fit = None if self.fit is None else {k: v for k, v in self.fit.record().items() if k != "inputs"}
        return {
            "constant": None if math.isnan(self.constant) else self.constant,
            "fit": fit,
            "scores": self.scores.tolist(),
        }

    @classmethod
    def read(cls, record: Mapping[str, Any], inputs: list[Any]) -> "Calibrated":
        constant = math.nan if record["constant"] is None else float(record["constant"])
        fit = None if record["fit"] is None else HeteroskedasticFit.read({**record["fit"], "inputs": inputs})
        return cls(constant, fit, np.array(record["scores"], dtype=float))
