"""Data and physics as one linear Gaussian model: F c = y with unit noise, c ~ N(0, I/eta), and its evidence.

    log p(y | eta) = M/2 log eta - (|y - F m|^2 + eta |m|^2)/2 - log|A|/2 - N/2 log 2 pi
    A = eta I + F'F,   m = A^-1 F'y

One singular value decomposition F = U diag(k) V' serves every eta.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import lapack, svd

from gated_xtfc.errors import InputError
from gated_xtfc.types import Array

METHODS = ("svd", "cholesky")
MOST_ATTEMPTS = 40


@dataclass(frozen=True)
class PriorPrecision:
    """How eta is found: damped steps of the fixed point eta = gamma/|m|^2."""

    start: float = 1e-7
    low: float = 1e-12
    high: float = 1e-2
    damping: float = 0.3  # the share of the new value in each step
    rounds: int = 50
    tolerance: float = 1e-6  # relative change at which it has settled

    def __post_init__(self) -> None:
        if not 0.0 < self.low <= self.start <= self.high < math.inf:
            raise InputError(
                f"the prior precision starts at {self.start:g} in [{self.low:g}, {self.high:g}]: "
                "give 0 < low <= start <= high"
            )
        if not 0.0 < self.damping <= 1.0 or self.rounds < 1:
            raise InputError("the fixed point needs a damping between 0 and 1 and at least one round")


@dataclass(frozen=True, eq=False)
class Stacked:
    """F (N, M) and y (N,), rows divided by their standard deviations."""

    rows: Array
    target: Array

    @cached_property
    def decomposed(self) -> tuple[Array, Array, Array, float]:
        """The decomposition as k (r,), U'y (r,), V' (r, M), and |y - U U'y|^2."""
        count, size = self.rows.shape
        # the triangle of a QR first: the decomposition of the smaller matrix is the expensive part
        triangle: Array = np.asarray(np.linalg.qr(np.column_stack([self.rows, self.target]), mode="r"))
        left, singular, right = svd(triangle[: min(count, size), :size], full_matrices=False, check_finite=False)
        projected = left.T @ triangle[: min(count, size), size]
        outside = float(np.sum(triangle[min(count, size) :, size] ** 2))
        return singular, projected, right, outside

    def gamma(self, eta: float) -> float:
        """How many directions data and physics determine."""
        squares = self.decomposed[0] ** 2
        return float(np.sum(squares / (squares + eta)))

    def mean(self, eta: float) -> Array:
        """The posterior mean m of the weights, (M,)."""
        singular, projected, right, _ = self.decomposed
        result: Array = right.T @ (singular * projected / (singular**2 + eta))
        return result

    def norm(self, eta: float) -> float:
        """The squared norm |m|^2 of the posterior mean."""
        singular, projected, _, _ = self.decomposed
        return float(np.sum((singular * projected / (singular**2 + eta)) ** 2))

    def misfit(self, eta: float) -> float:
        """The misfit |y - F m|^2 + eta |m|^2."""
        singular, projected, _, outside = self.decomposed
        return outside + float(np.sum(projected**2 * (eta / (singular**2 + eta))))

    def occam(self, eta: float) -> float:
        """log|A| - M log eta: what the evidence charges for directions that could have been anything."""
        return float(np.sum(np.log1p(self.decomposed[0] ** 2 / eta)))

    def log_evidence(self, eta: float) -> float:
        return -0.5 * (self.misfit(eta) + self.occam(eta) + self.target.size * math.log(2.0 * math.pi))

    def precision(self, how: PriorPrecision) -> float:
        """The prior precision eta at the fixed point."""
        eta = how.start
        for _ in range(how.rounds):
            norm = self.norm(eta)
            wanted = min(max(self.gamma(eta) / norm, how.low), how.high) if norm > 0.0 else how.high
            before, eta = eta, (1.0 - how.damping) * eta + how.damping * wanted
            if abs(eta - before) <= how.tolerance * before:
                break
        return eta

    def variance(self, features: Array, eta: float) -> Array:
        """The variances h' A^-1 h for the rows h of features (n, M), (n,)."""
        singular, _, right, _ = self.decomposed
        inside = features @ right.T
        result: Array = (inside**2) @ (1.0 / (singular**2 + eta))
        if singular.size < features.shape[1]:  # directions that no row sees keep their prior
            result += np.maximum((features**2).sum(axis=1) - (inside**2).sum(axis=1), 0.0) / eta
        return result

    def cholesky(self, eta: float) -> tuple[float, Array, float]:
        """log p, m and the jitter: by Cholesky's factor of A, the diagonal raised tenfold until there is one."""
        count, size = self.rows.shape
        gram = self.rows.T @ self.rows
        diagonal, right = np.diag(gram).copy(), self.rows.T @ self.target
        jitter, first = 0.0, 1e-16 * float(diagonal.mean())
        for _ in range(MOST_ATTEMPTS):
            np.fill_diagonal(gram, diagonal + eta + jitter)
            factor, failed = lapack.dpotrf(gram, lower=1, clean=0)
            if not failed:
                break
            jitter = 10.0 * jitter if jitter > 0.0 else first
        else:
            raise InputError("the normal equations are not finite: check the coefficients of the equation")
        mean, _ = lapack.dpotrs(factor, right, lower=1)
        misfit = float(np.sum((self.target - self.rows @ mean) ** 2) + eta * np.sum(mean**2))
        logarithm = 2.0 * float(np.log(np.diag(factor)).sum())
        evidence = 0.5 * (size * math.log(eta) - misfit - logarithm - count * math.log(2.0 * math.pi))
        return evidence, mean, jitter
