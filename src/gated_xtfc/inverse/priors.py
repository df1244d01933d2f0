"""What is known of a parameter before the data: a density on low .. high, and the unit scale in which it is explored.

Where the bounds are positive and more than a decade apart the scale is logarithmic, s = log(value/low)/log(high/low);
otherwise it is linear. The density is normalised between the bounds, so that evidences can be compared.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.ranges import Number, Range
from gated_xtfc.types import Array

DECADE = 10.0  # bounds further apart than this factor are explored on a log scale
REACH = 8.0  # standard deviations between the mean of a normal prior and its bounds, where none are given


@dataclass(frozen=True)
class Prior:
    """A density between two bounds; the kinds below say which."""

    low: float
    high: float

    def __post_init__(self) -> None:
        ends = (self.low, self.high)
        if not all(_is_number(end) and math.isfinite(end) for end in ends):
            raise InputError(f"the bounds {self.low!r} and {self.high!r} must be finite numbers")
        if not self.low < self.high:
            said = "are reversed" if self.low > self.high else "are equal"
            raise InputError(f"the bounds {self.low:g} and {self.high:g} {said}: give low < high")

    @property
    def logarithmic(self) -> bool:
        """Whether the scale is: what counts is then the order of magnitude."""
        return self.low > 0.0 and self.high > DECADE * self.low

    @property
    def range(self) -> Range:
        """The bounds with their scale."""
        # made when asked for: all that a prior keeps is written into the file of a posterior
        return Range(self.low, self.high, "log" if self.logarithmic else "linear")

    def place(self, s: Number) -> Number:
        """From the unit scale to the parameter."""
        return self.range.place(s)

    def slope(self, s: Number) -> Number:
        """d parameter / d s."""
        return self.range.slope(s)

    def unit(self, value: Number) -> Number:
        """From the parameter to the unit scale."""
        return self.range.unit(value)

    def log_density(self, value: Array) -> Array:
        """Of the parameter itself, normalised between the bounds."""
        raise NotImplementedError

    def log_density_on_scale(self, s: Array) -> Array:
        """Of s, so with the slope of the scale."""
        return self.log_density(self.place(s)) + np.log(self.slope(s))

    def draw(self, random: np.random.Generator, count: int) -> Array:
        """Independent values, by inversion of the distribution on a fine grid of the scale."""
        s = np.linspace(0.0, 1.0, 20_001)
        density = np.exp(self.log_density_on_scale(s))
        total = np.concatenate([[0.0], np.cumsum(0.5 * (density[1:] + density[:-1]))])
        return self.place(np.interp(random.random(count), total / total[-1], s))


@dataclass(frozen=True)
class Uniform(Prior):
    def log_density(self, value: Array) -> Array:
        return np.zeros_like(value) - math.log(self.high - self.low)


@dataclass(frozen=True)
class LogUniform(Prior):
    """Every order of magnitude alike."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.low <= 0.0:
            raise InputError(f"the bounds {self.low:g} and {self.high:g} must be positive for a log scale")

    @property
    def logarithmic(self) -> bool:
        return True

    def log_density(self, value: Array) -> Array:
        found: Array = -np.log(value) - math.log(math.log(self.high / self.low))
        return found


class Normal(Prior):
    """Mean and standard deviation; cut off at the bounds, where these are given."""

    mean: float
    std: float

    def __init__(self, mean: float, std: float, low: float | None = None, high: float | None = None) -> None:
        _require(mean, "the mean of a normal prior", positive=False)
        _require(std, "the standard deviation of a normal prior", positive=True)
        object.__setattr__(self, "mean", float(mean))
        object.__setattr__(self, "std", float(std))
        super().__init__(
            float(mean - REACH * std if low is None else low), float(mean + REACH * std if high is None else high)
        )

    def __repr__(self) -> str:
        return f"Normal(mean={self.mean:g}, std={self.std:g}, low={self.low:g}, high={self.high:g})"

    def log_density(self, value: Array) -> Array:
        mass = _below((self.high - self.mean) / self.std) - _below((self.low - self.mean) / self.std)
        _require_mass(mass, self)
        z = (value - self.mean) / self.std
        found: Array = -0.5 * z**2 - math.log(self.std * math.sqrt(2.0 * math.pi) * mass)
        return found


class LogNormal(Prior):
    """Median, and the standard deviation of the natural logarithm; cut off at the bounds, where these are given."""

    median: float
    spread: float

    def __init__(self, median: float, spread: float, low: float | None = None, high: float | None = None) -> None:
        _require(median, "the median of a log-normal prior", positive=True)
        _require(spread, "the spread of a log-normal prior", positive=True)
        object.__setattr__(self, "median", float(median))
        object.__setattr__(self, "spread", float(spread))
        reach = math.exp(min(REACH * spread, 300.0))
        super().__init__(float(median / reach if low is None else low), float(median * reach if high is None else high))
        if self.low <= 0.0:
            raise InputError(f"the bounds {self.low:g} and {self.high:g} must be positive for a log-normal prior")

    def __repr__(self) -> str:
        return f"LogNormal(median={self.median:g}, spread={self.spread:g}, low={self.low:g}, high={self.high:g})"

    @property
    def logarithmic(self) -> bool:
        return True

    def log_density(self, value: Array) -> Array:
        ends = [math.log(end / self.median) / self.spread for end in (self.low, self.high)]
        mass = _below(ends[1]) - _below(ends[0])
        _require_mass(mass, self)
        z = np.log(value / self.median) / self.spread
        found: Array = -0.5 * z**2 - np.log(value) - math.log(self.spread * math.sqrt(2.0 * math.pi) * mass)
        return found


def stated(name: str, given: Any) -> Prior:
    """A prior as the user gives it: an object, or two bounds."""
    if isinstance(given, Prior):
        return given
    if isinstance(given, str) or not hasattr(given, "__len__") or len(given) != 2:
        raise InputError(
            f"the unknown {name} takes two bounds such as (1e-4, 1), or a prior such as Normal(1, 0.1), "
            f"not {quoted(str(given))}"
        )
    low, high = given
    try:
        plain = Uniform(low, high)
    except InputError as error:
        raise InputError(f"of the unknown {name} {error}") from None
    return LogUniform(float(low), float(high)) if plain.logarithmic else Uniform(float(low), float(high))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.floating | np.integer) and not isinstance(value, bool)


def _require(value: Any, what: str, positive: bool) -> None:
    if not (_is_number(value) and math.isfinite(value)) or (positive and not value > 0.0):
        raise InputError(f"{what} is {value!r}: give a {'positive' if positive else 'finite'} number")


def _require_mass(mass: float, prior: Prior) -> None:
    if not mass > 0.0:
        raise InputError(f"the prior {prior} has nothing between its bounds: move them to where it lives")


def _below(z: float) -> float:
    """The standard normal distribution function."""
    return 0.5 * math.erfc(-z / math.sqrt(2.0))
