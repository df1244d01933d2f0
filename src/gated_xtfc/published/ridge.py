"""Polynomial ridge regression whose noise may differ from place to place: mean, and how sure it is, at any input.

    minimise  |W^(1/2) (y - F b)|^2 + r |b|^2,   w_i = 1/v(x_i),   v(x) = sum_j K(x - x_j) e_j^2 / sum_j K(x - x_j)

Residuals e give the local variance v, the variance gives the weights, and so on for a few passes; the ridge r is
chosen at each of them by generalised cross-validation. One singular value decomposition a pass serves every ridge.
"""

from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from gated_xtfc.baselines.checks import check_positive, check_whole
from gated_xtfc.errors import InputError
from gated_xtfc.monomials import exponents, monomials
from gated_xtfc.types import Array, Record

RIDGES = np.concatenate([[0.0], 10.0 ** np.arange(-16.0, 2.01, 0.1)])  # beside the largest singular value squared
ROUNDING = 1e-13  # a direction this small beside the largest is left out: two inputs that go together


@dataclass(frozen=True, eq=False)
class Prediction:
    mean: Array  # (m,)
    model: Array  # (m,) standard deviation of the mean
    noise: Array  # (m,) standard deviation of what scatters about it

    @property
    def std(self) -> Array:
        """The standard deviation of a new value, from both sources together."""
        return np.asarray(np.hypot(self.model, self.noise))

    def interval(self, level: float = 0.95) -> tuple[Array, Array]:
        """Where a new value lies with this probability, if it scatters normally."""
        reach = quantile(level) * self.std
        return self.mean - reach, self.mean + reach


@dataclass(frozen=True)
class HeteroskedasticRidge:
    """Settings; `fit` gives something that predicts. The defaults, with one input, are the paper's."""

    degree: int = 3  # of the polynomial, in all inputs together
    passes: int = 3
    bandwidth: float = 0.1  # of the variance smoother, in ranges of each input
    floor: float = 1e-12  # of the variance
    scaled: bool = False  # whether inputs are mapped to -1 .. 1 before the powers are taken
    leverage: bool = False  # whether residuals are divided by 1 - leverage: what the fit took of them is given back

    def __post_init__(self) -> None:
        check_whole(0, degree=self.degree)
        check_whole(1, passes=self.passes)
        check_positive(bandwidth=self.bandwidth, floor=self.floor)

    def fit(self, x: ArrayLike, y: ArrayLike) -> "HeteroskedasticFit":
        """The fit to values y (n,) at inputs x (n, d), or (n,) where there is one input."""
        inputs, values = columns(x), np.asarray(y, dtype=float)
        low, high = self._checked(inputs, values)
        features = self.features(inputs, low, high)
        lengths = self.bandwidth * (high - low)
        variance = np.ones(values.size)
        for _ in range(self.passes):
            ridge, shrunk = _selected(features, values, 1.0 / np.sqrt(variance))
            coefficients = shrunk @ values
            residuals = values - features @ coefficients
            if self.leverage:
                residuals = residuals / (1.0 - np.minimum(np.einsum("ij,ji->i", features, shrunk), 0.9))
            squares = residuals**2
            variance = np.maximum(smoothed(inputs, inputs, squares, lengths), self.floor)
        # the weights behind the coefficients are those of the last pass but one; the spread is the newest
        covariance = (shrunk * variance) @ shrunk.T
        return HeteroskedasticFit(self, low, high, coefficients, covariance, ridge, inputs, squares)

    def features(self, inputs: Array, low: Array, high: Array) -> Array:
        """All products of powers of the inputs up to the degree, (n, terms)."""
        z = 2.0 * (inputs - low) / (high - low) - 1.0 if self.scaled else inputs
        return monomials(z, self.degree)

    def _checked(self, inputs: Array, values: Array) -> tuple[Array, Array]:
        if values.ndim != 1 or values.size != inputs.shape[0]:
            raise InputError(f"there are {inputs.shape[0]} inputs but values of shape {values.shape}: one for each")
        if not (np.isfinite(inputs).all() and np.isfinite(values).all()):
            raise InputError("inputs or values contain NaN or infinity: leave those rows out")
        terms = len(exponents(inputs.shape[1], self.degree))
        if values.size <= terms:
            raise InputError(
                f"there are {values.size} points for {terms} coefficients: give more points or a lower degree"
            )
        low, high = inputs.min(axis=0), inputs.max(axis=0)
        for k in np.flatnonzero(low == high):
            raise InputError(f"input {k + 1} is {low[k]:g} at every point: leave it out")
        return low, high


@dataclass(frozen=True, eq=False)
class HeteroskedasticFit:
    settings: HeteroskedasticRidge
    low: Array  # (d,) of the inputs
    high: Array
    coefficients: Array  # (terms,)
    covariance: Array  # (terms, terms) of the coefficients: the sandwich
    ridge: float
    inputs: Array  # (n, d)
    squares: Array  # (n,) of the residuals

    def predict(self, x: ArrayLike) -> Prediction:
        """The prediction at inputs (m, d), or (m,) where there is one input."""
        inputs = columns(x)
        if inputs.shape[1] != self.low.size:
            raise InputError(f"each point has {inputs.shape[1]} inputs, the fit had {self.low.size}: give as many")
        features = self.settings.features(inputs, self.low, self.high)
        model = np.einsum("ij,jk,ik->i", features, self.covariance, features)
        return Prediction(features @ self.coefficients, np.sqrt(np.maximum(model, 0.0)), np.sqrt(self.variance(inputs)))

    def variance(self, inputs: Array) -> Array:
        """The variance of the scatter at inputs (m, d)."""
        lengths = self.settings.bandwidth * (self.high - self.low)
        result: Array = np.maximum(smoothed(inputs, self.inputs, self.squares, lengths), self.settings.floor)
        return result

    def record(self) -> dict[str, object]:
        """Ready for JSON; `read` takes it back."""
        arrays = ("low", "high", "coefficients", "covariance", "inputs", "squares")
        kept = {name: getattr(self, name).tolist() for name in arrays}
        return {"settings": asdict(self.settings), "ridge": self.ridge, **kept}

    @classmethod
    def read(cls, record: Record) -> "HeteroskedasticFit":
        content = dict(record)
        settings, ridge = HeteroskedasticRidge(**content.pop("settings")), float(content.pop("ridge"))
        return cls(settings, ridge=ridge, **{name: np.array(value, dtype=float) for name, value in content.items()})


def columns(x: ArrayLike) -> Array:
    """The points as rows of an array (n, d)."""
    points = np.asarray(x, dtype=float)
    if points.ndim > 2:
        raise InputError(f"inputs have the shape {points.shape}: give one row for each point")
    return points if points.ndim == 2 else points.reshape(-1, 1)


def smoothed(at: Array, inputs: Array, values: Array, lengths: Array) -> Array:
    """The mean of values (n,) at inputs (n, d) seen from `at` (m, d): weights exp(-|difference/length|^2/2), (m,)."""
    result = np.empty(at.shape[0])
    rows = max(1, 4_000_000 // inputs.size)
    for start in range(0, at.shape[0], rows):
        part = at[start : start + rows]
        logs = -0.5 * (((part[:, None, :] - inputs) / lengths) ** 2).sum(axis=2)
        # beside the nearest point, so that a place far from all of them still has weights
        weights = np.exp(logs - logs.max(axis=1, keepdims=True))
        result[start : start + rows] = (weights @ values) / weights.sum(axis=1)
    return result


def quantile(level: float) -> float:
    """How many standard deviations to each side hold this probability."""
    if not 0.0 < level < 1.0:
        raise InputError(f"the level is {level!r}: give a probability between 0 and 1, such as 0.95")
    return float(ndtri(0.5 + level / 2.0))


def _selected(features: Array, values: Array, roots: Array) -> tuple[float, Array]:
    """The ridge with the least GCV, and the matrix (terms, n) from values to coefficients; `roots` are square roots of
    the weights."""
    left, singular, right = np.linalg.svd(roots[:, None] * features, full_matrices=False)
    projected = left.T @ (roots * values)
    outside = max(float(np.sum((roots * values) ** 2) - projected @ projected), 0.0)
    ridges = RIDGES * singular[0] ** 2
    # shares of each direction that a ridge lets through, (ridges, terms)
    shares = singular**2 / (singular**2 + np.maximum(ridges, np.finfo(float).tiny)[:, None])
    shares[:, singular < ROUNDING * singular[0]] = 0.0
    misfit = outside + (((1.0 - shares) * projected) ** 2).sum(axis=1)
    gcv = misfit / (values.size - shares.sum(axis=1)) ** 2
    best = int(np.argmin(gcv))
    shrunk: Array = (right.T * (shares[best] / np.maximum(singular, np.finfo(float).tiny))) @ (left.T * roots)
    return float(ridges[best]), shrunk
