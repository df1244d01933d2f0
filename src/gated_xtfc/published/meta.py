"""The paper's meta-learner: from nu to the gate that a search would find, with bands that bound the next search.

Two heteroskedastic cubic ridge regressions on log10 nu: logit of the split between its anchors, log10 of the
transition scale. Back in physical units the standard deviation is multiplied by the transform's slope (delta method).
"""

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit

from gated_xtfc.errors import InputError
from gated_xtfc.published.ridge import HeteroskedasticFit, HeteroskedasticRidge, quantile
from gated_xtfc.published.search import NestedSearch
from gated_xtfc.types import Array

MARGIN = 1e-6  # of the way between the anchors: a split on an anchor would be at infinity
PADDING = (5e-3, 0.5)  # least half width of a box, in the split and in the scale
SURE = 0.75  # a band wider than this share of the global box widens the search


@dataclass(frozen=True, eq=False)
class Band:
    """What the map predicts in physical units, kept within the global box; each is (n,)."""

    mean: Array
    std: Array
    low: Array
    high: Array


@dataclass(frozen=True)
class Box:
    """The box in which the next search looks."""

    places: tuple[float, float]
    scales: tuple[float, float]
    widened: tuple[float, float]  # how far each was moved towards the global box, 0 .. 1


@dataclass(frozen=True, eq=False)
class GateMap:
    split_fit: HeteroskedasticFit
    scale_fit: HeteroskedasticFit
    places: tuple[float, float]  # the anchors: the global box of the split
    scales: tuple[float, float]

    def split(self, nu: ArrayLike, level: float = 0.95) -> Band:
        low, high = self.places
        found = self.split_fit.predict(_logs(nu))
        share = expit(found.mean)
        return _band(low + (high - low) * share, (high - low) * share * (1.0 - share) * found.std, level, self.places)

    def scale(self, nu: ArrayLike, level: float = 0.95) -> Band:
        found = self.scale_fit.predict(_logs(nu))
        mean = 10.0**found.mean
        return _band(mean, np.log(10.0) * mean * found.std, level, self.scales)

    def box(self, nu: float, level: float = 0.95, padding: tuple[float, float] = PADDING) -> Box:
        """The bands at one nu, padded where they have collapsed, moved towards the global box where they are wide."""
        place, first = _side(self.split(nu, level), self.places, padding[0])
        scale, second = _side(self.scale(nu, level), self.scales, padding[1])
        return Box(place, scale, (first, second))

    def bounded(self, settings: NestedSearch, nu: float, level: float = 0.95) -> NestedSearch:
        """The same search, confined to the box that is predicted for this nu."""
        box = self.box(nu, level)
        return replace(settings, places=box.places, scales=box.scales)


@dataclass(frozen=True)
class MetaLearner:
    """The settings of the regression; `fit` gives the map."""

    regression: HeteroskedasticRidge = field(default_factory=HeteroskedasticRidge)
    places: tuple[float, float] = (0.80, 0.999)
    scales: tuple[float, float] = (10.0, 100.0)

    def fit(self, nus: ArrayLike, splits: ArrayLike, scales: ArrayLike) -> GateMap:
        """The map learned from the optima of searches, (n,) each; splits are fractions of the domain."""
        logs, places, sizes = _logs(nus), np.asarray(splits, dtype=float), np.asarray(scales, dtype=float)
        for name, values, (low, high) in (("split", places, self.places), ("scale", sizes, self.scales)):
            outside = values[(values < low) | (values > high) | ~np.isfinite(values)]
            if outside.size:
                raise InputError(f"a {name} is {outside[0]:g}, outside the box [{low:g}, {high:g}] that was searched")
        low, high = self.places
        shares = np.clip((places - low) / (high - low), MARGIN, 1.0 - MARGIN)
        return GateMap(
            self.regression.fit(logs, logit(shares)),
            self.regression.fit(logs, np.log10(sizes)),
            self.places,
            self.scales,
        )


def _logs(nu: ArrayLike) -> Array:
    values = np.atleast_1d(np.asarray(nu, dtype=float))
    if not (np.isfinite(values).all() and (values > 0.0).all()):
        raise InputError("nu must be positive and finite everywhere: its logarithm is what is learned from")
    return np.asarray(np.log10(values))


def _band(mean: Array, std: Array, level: float, limits: tuple[float, float]) -> Band:
    reach = quantile(level) * std
    return Band(np.clip(mean, *limits), std, np.clip(mean - reach, *limits), np.clip(mean + reach, *limits))


def _side(band: Band, limits: tuple[float, float], padding: float) -> tuple[tuple[float, float], float]:
    """One side of the box, and how far it was moved towards the global one."""
    mean, low, high = float(band.mean[0]), float(band.low[0]), float(band.high[0])
    low, high = min(low, mean - padding), max(high, mean + padding)
    share = (min(high, limits[1]) - max(low, limits[0])) / (limits[1] - limits[0])
    moved = min(max((share - SURE) / (1.0 - SURE), 0.0), 1.0)
    low, high = low + moved * (limits[0] - low), high + moved * (limits[1] - high)
    return (max(low, limits[0]), min(high, limits[1])), moved
