"""How measurements scatter about the truth: normally, or with the tails of Student's t; known, or to be inferred.

An unknown standard deviation has a prior even in its logarithm from LEAST to MOST spreads of the data, and is
integrated out: for the normal distribution by incomplete gamma functions, for Student's t on a grid around its best
value.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammainc, gammaincc, gammaincinv, gammaln

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.inverse.observations import Observations, require_positive, vector
from gated_xtfc.types import Array

GivenNoise = ArrayLike | Mapping[str, ArrayLike | None] | None  # of all measurements, or by quantity

LEAST, MOST = 1e-6, 10.0  # of the spread of the data
GRID = 61  # scales of Student's t around the best one


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
        logs = self._grid(residual)
        terms = np.stack([self._given(residual, np.full(self.size, scale)) for scale in np.exp(logs)], axis=-1)
        top = terms.max(axis=-1, keepdims=True)
        total = np.exp(terms - top).sum(axis=-1) * (logs[1] - logs[0])
        return np.asarray(np.log(total) + top[..., 0] - evenness)

    def _given(self, residual: Array, sigma: Array) -> Array:
        z = residual / sigma
        if self.student is None:
            return np.asarray(-0.5 * np.einsum("...i,...i->...", z, z) - np.sum(np.log(sigma * np.sqrt(2.0 * np.pi))))
        nu = self.student
        each = gammaln(0.5 * (nu + 1.0)) - gammaln(0.5 * nu) - 0.5 * np.log(nu * np.pi)
        logs: Array = -0.5 * (nu + 1.0) * np.log1p(z**2 / nu)
        return np.asarray(logs.sum(axis=-1) + self.size * each - np.sum(np.log(sigma)))

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

    def _grid(self, residual: Array) -> Array:
        best = self.scale(residual.reshape(-1, self.size)[0]) if self.best is None else self.best
        reach = 8.0 / np.sqrt(self.size) + 1.0
        low, high = max(np.log(self.low), np.log(best) - reach), min(np.log(self.high), np.log(best) + reach)
        return np.linspace(low, high, GRID)

    def scale(self, residual: Array) -> float:
        """The best single standard deviation (of Student's t, scale) for these residuals (n,)."""
        sigma = max(float(np.sqrt(np.mean(residual**2))), self.low)
        if self.student is not None:
            for _ in range(50):
                weights = (self.student + 1.0) / (self.student + (residual / sigma) ** 2)
                sigma = max(float(np.sqrt(np.mean(weights * residual**2))), self.low)
        return min(sigma, self.high)

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
        logs = self._grid(residual)
        terms = np.stack([self._given(residual, np.full(self.size, scale)) for scale in np.exp(logs)], axis=-1)
        total = np.cumsum(np.exp(terms - terms.max(axis=-1, keepdims=True)), axis=-1)
        at = random.random((residual.shape[0], 1)) * total[:, -1:]
        cell = np.argmax(total >= at, axis=-1)
        step = logs[1] - logs[0]
        return np.asarray(np.exp(np.clip(logs[cell] + step * (random.random(cell.size) - 0.5), logs[0], logs[-1])))


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
        total: Array = np.sum([one.log_likelihood(residual[..., one.part]) for one in self.scatters], axis=0)
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
        name = "noise" if len(names) == 1 else f"noise({one.quantity})"
        scatters.append(Scatter(name, part, sigma, LEAST * spread, MOST * spread, student))
    return Noise(tuple(scatters))
