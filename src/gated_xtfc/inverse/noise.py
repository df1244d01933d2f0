"""How measurements scatter about the truth: normally, or with the tails of Student's t; known, or to be inferred.

An unknown standard deviation has a prior even in its logarithm from LEAST to MOST spreads of the data, and is
integrated out: for the normal distribution by incomplete gamma functions, for Student's t on a grid around its best
value.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammainc, gammaincc, gammaincinv, gammaln

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.inverse.observations import Observations, require_positive, vector
from gated_xtfc.types import Array

GivenNoise = ArrayLike | Mapping[str, ArrayLike | None] | None  # of all measurements, or by quantity

LEAST, MOST = 1e-6, 10.0  # of the spread of the data
LARGEST = 1e40  # data and noise, one over either, and data in units of their noise
DIGITS = 1e15  # data in units of the largest noise
GRID = 61  # scales of Student's t around the best one
STEPS = 20  # towards the best one


@dataclass(frozen=True)
class Scatter:
    """The noise of one series."""

    name: str  # under which an unknown standard deviation is reported
    part: slice  # of the vectors over all observations
    sigma: Array | None  # (n,) standard deviations, or scales of Student's t; None where unknown
    low: float  # bounds of an unknown one
    high: float
    student: float | None  # degrees of freedom
    best: float | None = None  # around which unknown scales of Student's t are integrated

    @property
    def size(self) -> int:
        return int(self.part.stop - self.part.start)

    def log_likelihood(self, residual: Array) -> Array:
        """Of residuals (..., n), an unknown standard deviation integrated out, (...)."""
        if self.sigma is not None:
            return self._given(residual, self.sigma)
        half, evenness = 0.5 * self.size, np.log(np.log(self.high / self.low))
        if self.student is None:
            energy = self.energy(residual)
            mass = self.mass(energy)
            with np.errstate(divide="ignore"):
                found = np.log(mass) + gammaln(half) - np.log(2.0) - half * np.log(2.0 * np.pi * energy)
            return np.asarray(found - evenness)
        logs, terms = self._over_scales(residual)
        top = terms.max(axis=-1, keepdims=True)
        total = np.exp(terms - top).sum(axis=-1) * (logs[..., 1] - logs[..., 0])
        return np.asarray(np.log(total) + top[..., 0] - evenness)

    def _given(self, residual: Array, sigma: Array) -> Array:
        """Of residuals (..., n) for standard deviations that go with them, or one for all of a row."""
        z = residual / sigma
        known = self._log_sizes if sigma is self.sigma else np.sum(np.log(sigma), axis=-1)
        sizes = known * (self.size // sigma.shape[-1])
        if self.student is None:
            return np.asarray(-0.5 * np.einsum("...i,...i->...", z, z) - sizes - 0.5 * self.size * np.log(2.0 * np.pi))
        nu = self.student
        each = gammaln(0.5 * (nu + 1.0)) - gammaln(0.5 * nu) - 0.5 * np.log(nu * np.pi)
        logs: Array = -0.5 * (nu + 1.0) * np.log1p(z**2 / nu)
        return np.asarray(logs.sum(axis=-1) + self.size * each - sizes)

    @cached_property
    def _log_sizes(self) -> Array:
        """The sum of the logarithms of known standard deviations."""
        return np.asarray(0.0 if self.sigma is None else np.sum(np.log(self.sigma), axis=-1))

    def energy(self, residual: Array) -> Array:
        """Half of the squared residuals, but no less than what the lowest standard deviation would leave by far."""
        found = 0.5 * np.einsum("...i,...i->...", residual, residual)
        return np.asarray(np.maximum(found, 0.25 * self.size * self.low**2))

    def mass(self, energy: Array) -> Array:
        """Of the gamma distribution of energy/sigma^2 between the bounds."""
        half, near, far = 0.5 * self.size, energy / self.high**2, energy / self.low**2
        upper = gammaincc(half, near) - gammaincc(half, far)
        lower = gammainc(half, far) - gammainc(half, near)
        return np.asarray(np.where(near > half, upper, lower))

    def _over_scales(self, residual: Array) -> tuple[Array, Array]:
        """Of Student's t: logarithms of scales, and the log likelihoods of residuals (..., n), (..., scales) each."""
        best = np.log(self.scales(residual) if self.best is None else self.best)
        reach = 8.0 / np.sqrt(self.size) + 1.0
        ends = np.maximum(np.log(self.low), best - reach), np.minimum(np.log(self.high), best + reach)
        logs = np.broadcast_to(np.linspace(*ends, GRID, axis=-1), (*residual.shape[:-1], GRID))
        sigma = np.exp(logs)
        terms = [self._given(residual, sigma[..., k, None]) for k in range(GRID)]
        return logs, np.stack(terms, axis=-1)

    def scales(self, residual: Array) -> Array:
        """The best single standard deviation (of Student's t, scale) for residuals (..., n), (...)."""
        squares = residual**2
        if self.student is None:
            sigma = np.mean(squares, axis=-1)
        else:
            # from the median, which outliers do not move, a few steps of iterated weights
            sigma = np.maximum(2.0 * np.median(squares, axis=-1), self.low**2)
            for _ in range(STEPS):
                weights = (self.student + 1.0) / (self.student + squares / sigma[..., None])
                sigma = np.maximum(np.mean(weights * squares, axis=-1), self.low**2)
        return np.asarray(np.clip(np.sqrt(sigma), self.low, self.high))

    def scale(self, residual: Array) -> float:
        """The same for one row of residuals (n,)."""
        return float(self.scales(residual))

    def precision(self, residual: Array) -> Array:
        """(n,) by which squared residuals count, for steps of least squares."""
        sigma = np.full(self.size, self.scale(residual)) if self.sigma is None else self.sigma
        if self.student is None:
            return 1.0 / sigma**2
        found: Array = (self.student + 1.0) / (self.student * sigma**2 + residual**2)
        return found

    def draw(self, residual: Array, random: np.random.Generator) -> Array:
        """An unknown standard deviation for each row of residuals (k, n), from its posterior, (k,)."""
        if self.student is None:
            half, energy = 0.5 * self.size, self.energy(residual)
            ends = gammainc(half, energy / self.high**2), gammainc(half, energy / self.low**2)
            level = ends[0] + random.random(energy.size) * (ends[1] - ends[0])
            with np.errstate(divide="ignore"):
                return np.asarray(np.clip(np.sqrt(energy / gammaincinv(half, level)), self.low, self.high))
        logs, terms = self._over_scales(residual)
        total = np.cumsum(np.exp(terms - terms.max(axis=-1, keepdims=True)), axis=-1)
        at = random.random((residual.shape[0], 1)) * total[:, -1:]
        cell, row = np.argmax(total >= at, axis=-1), np.arange(residual.shape[0])
        step = logs[:, 1] - logs[:, 0]
        drawn = logs[row, cell] + step * (random.random(cell.size) - 0.5)
        return np.asarray(np.exp(np.clip(drawn, logs[:, 0], logs[:, -1])))


@dataclass(frozen=True)
class Noise:
    scatters: tuple[Scatter, ...]

    @property
    def unknown(self) -> tuple[Scatter, ...]:
        return tuple(one for one in self.scatters if one.sigma is None)

    @property
    def robust(self) -> bool:
        return any(one.student is not None for one in self.scatters)

    def log_likelihood(self, residual: Array) -> Array:
        first, *others = [one.log_likelihood(residual[..., one.part]) for one in self.scatters]
        total: Array = sum(others, start=first)
        return total

    def precision(self, residual: Array) -> Array:
        return np.concatenate([one.precision(residual[one.part]) for one in self.scatters])

    def scale(self, residual: Array) -> Array:
        """(observations,) standard deviations, unknown ones as these residuals suggest."""
        return np.concatenate(
            [
                np.full(one.size, one.scale(residual[one.part])) if one.sigma is None else one.sigma
                for one in self.scatters
            ]
        )

    def focused(self, residual: Array) -> "Noise":
        """With unknown scales of Student's t integrated around what these residuals suggest."""
        return Noise(
            tuple(
                replace(one, best=one.scale(residual[one.part])) if one.sigma is None and one.student else one
                for one in self.scatters
            )
        )

    @property
    def reference(self) -> Array:
        """(observations,) what numerical errors are held against; of an unknown noise a thousandth of the spread."""
        return np.concatenate(
            [np.full(one.size, 1e-3 * one.high / MOST) if one.sigma is None else one.sigma for one in self.scatters]
        )


def stated(observations: Observations, noise: object, student: float | None) -> Noise:
    """Noise as the user gives it: None, a number, an array, or these by quantity."""
    if student is not None and not (isinstance(student, int | float) and 1.0 <= student < np.inf):
        raise InputError(f"student is {student!r}: give degrees of freedom of at least 1, such as 4")
    names = [one.quantity for one in observations.series]
    if isinstance(noise, Mapping):
        for name in noise:
            if name not in names:
                raise InputError(f"noise is given for {quoted(str(name))}, but measured are {', '.join(names)}")
    scatters = []
    for one, part in zip(observations.series, observations.slices, strict=True):
        given = noise.get(one.quantity) if isinstance(noise, Mapping) else noise
        if given is not None and one.sigma is not None:
            raise InputError(f"the noise of {one.quantity} is given twice, with the data and as noise: leave one out")
        sigma = one.sigma
        if given is not None:
            if isinstance(given, str | bool):
                raise InputError(f"the noise must be a positive number, not {quoted(str(given))}")
            sigma = vector(given, "the noise")
            if sigma.size not in (1, one.x.size):
                raise InputError(
                    f"the noise of {one.quantity} has {sigma.size} values for {one.x.size} measurements: "
                    f"give one, or one for each"
                )
            require_positive(sigma, "the noise")
            sigma = np.broadcast_to(sigma, one.x.shape).copy()
        spread = float(np.ptp(one.y)) or float(np.abs(one.y).max()) or 1.0
        _check_sizes(one.quantity, one.y, np.array([LEAST * spread, MOST * spread]) if sigma is None else sigma)
        name = "noise" if len(names) == 1 else f"noise({one.quantity})"
        scatters.append(Scatter(name, part, sigma, LEAST * spread, MOST * spread, student))
    return Noise(tuple(scatters))


def _check_sizes(quantity: str, values: Array, noise: Array) -> None:
    """Refuses what double precision cannot square a few times over, and noise below the last digit of the data."""
    largest, least, most = (float(size) for size in (np.abs(values).max(), noise.min(), noise.max()))
    if not (
        max(largest, most) <= LARGEST and least >= 1.0 / LARGEST and largest <= min(LARGEST * least, DIGITS * most)
    ):
        raise InputError(
            f"the data of {quantity} go up to {largest:.3g}, with a noise of {most:.3g}: that is more than "
            "double precision can tell apart, so write the problem in other units, or give another noise"
        )
