"""What is known of a parameter before the data: a density on low .. high, and the unit scale in which it is explored.

Where the bounds are positive and more than a decade apart the scale is logarithmic, s = log(value/low)/log(high/low);
otherwise it is linear. The density is normalised between the bounds, so that evidences can be compared.
"""

import math
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.ranges import Number, Range
from gated_xtfc.types import Array

DECADE = 10.0  # bounds further apart than this factor are explored on a log scale
REACH = 8.0  # standard deviations between the mean of a normal prior and its bounds, where none are given


@lru_cache
def _range(low: float, high: float, logarithmic: bool) -> Range:
    return Range(low, high, "log" if logarithmic else "linear")


@dataclass(frozen=True)
class Prior:
    """A density between two bounds; its kinds say which.

    Attributes
    ----------
    low, high
        The bounds.
    """

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
        # not kept here: all that a prior keeps is written into the file of a posterior
        return _range(self.low, self.high, self.logarithmic)

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
        """The logarithm of the density, normalised between the bounds.

        Parameters
        ----------
        value
            Values of the parameter between the bounds, (n,).

        Returns
        -------
        ndarray
            (n,)
        """
        raise NotImplementedError

    def log_density_on_scale(self, s: Array) -> Array:
        """Of s, so with the slope of the scale."""
        return self.log_density(self.place(s)) + np.log(self.slope(s))

    def draw(self, random: np.random.Generator, count: int) -> Array:
        """Independent values, by inversion of the distribution on a fine grid of the scale.

        Parameters
        ----------
        random
            Where the random numbers come from.
        count
            How many values.

        Returns
        -------
        ndarray
            (count,)
        """
        s = np.linspace(0.0, 1.0, 20_001)
        density = np.exp(self.log_density_on_scale(s))
        total = np.concatenate([[0.0], np.cumsum(0.5 * (density[1:] + density[:-1]))])
        return self.place(np.interp(random.random(count), total / total[-1], s))


@dataclass(frozen=True)
class Uniform(Prior):
    """Every value between the bounds alike.

    Parameters
    ----------
    low, high
        The bounds.

    Raises
    ------
    InputError
        Where the bounds are not two finite numbers, the lower one first.

    Examples
    --------
    >>> import numpy as np
    >>> import gated_xtfc as gx
    >>> prior = gx.Uniform(1, 3)
    >>> np.exp(prior.log_density(np.array([1.5, 2.5]))).round(6).tolist()
    [0.5, 0.5]
    """

    def log_density(self, value: Array) -> Array:
        return np.zeros_like(value) - math.log(self.high - self.low)


@dataclass(frozen=True)
class LogUniform(Prior):
    """Every order of magnitude alike: what two positive bounds, more than a factor of ten apart, stand for.

    Parameters
    ----------
    low, high
        The bounds, both positive.

    Raises
    ------
    InputError
        Where the bounds are not two positive numbers, the lower one first.

    Examples
    --------
    >>> import numpy as np
    >>> import gated_xtfc as gx
    >>> drawn = gx.LogUniform(1e-6, 1).draw(np.random.default_rng(0), 10_000)
    >>> float((drawn < 1e-3).mean().round(1))
    0.5
    """

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

    def log_density_on_scale(self, s: Array) -> Array:
        return np.zeros_like(s)  # every place of its scale alike


@dataclass(frozen=True, init=False)
class Normal(Prior):
    """A normal distribution, cut off at the bounds.

    Parameters
    ----------
    mean, std
        The mean and the standard deviation of the whole distribution.
    low, high
        The bounds; eight standard deviations from the mean unless given.

    Raises
    ------
    InputError
        Where a number cannot be used.

    Examples
    --------
    >>> import gated_xtfc as gx
    >>> gx.Normal(1, 0.1, low=0.9)
    Normal(mean=1, std=0.1, low=0.9, high=1.8)
    """

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


@dataclass(frozen=True, init=False)
class LogNormal(Prior):
    """A normal distribution of the logarithm, cut off at the bounds: for what is known up to a factor.

    Parameters
    ----------
    median
        The value that is as likely exceeded as not.
    spread
        The standard deviation of the natural logarithm: 0.5 is a factor of 1.6 to each side.
    low, high
        The bounds, both positive; eight spreads from the median unless given.

    Raises
    ------
    InputError
        Where a number cannot be used.

    Examples
    --------
    >>> import gated_xtfc as gx
    >>> gx.LogNormal(1e-2, 0.5, high=1)
    LogNormal(median=0.01, spread=0.5, low=0.000183156, high=1)
    """

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


def stated(name: str, given: object) -> Prior:
    """A prior as the user gives it: an object, or two bounds."""
    if isinstance(given, Prior):
        return given
    if isinstance(given, str) or not isinstance(given, Collection) or len(given) != 2:
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


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.floating | np.integer) and not isinstance(value, bool)


def _require(value: float, what: str, positive: bool) -> None:
    if not (_is_number(value) and math.isfinite(value)) or (positive and not value > 0.0):
        raise InputError(f"{what} is {value!r}: give a {'positive' if positive else 'finite'} number")


def _require_mass(mass: float, prior: Prior) -> None:
    if not mass > 0.0:
        raise InputError(f"the prior {prior} has nothing between its bounds: move them to where it lives")


def _below(z: float) -> float:
    """The standard normal distribution function."""
    return 0.5 * math.erfc(-z / math.sqrt(2.0))
