"""The modes of a posterior one by one: what is to be read where more than one value explains the data.

A mode is what lies between the valleys of the parameters' densities; two that no single parameter tells apart are one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from gated_xtfc.inverse.distributed import Distributed
from gated_xtfc.inverse.distribution import Distribution
from gated_xtfc.inverse.measure import Marginal, Measure
from gated_xtfc.inverse.peaks import LEAST, Peak, between, peaks
from gated_xtfc.inverse.priors import Prior
from gated_xtfc.types import Array, Index

CELLS = 60  # of densities from the draws of one mode


@dataclass(frozen=True)
class PosteriorMode(Distributed):
    """One of the sets of values that explain the data.

    Attributes
    ----------
    mass
        Its probability; those of all modes add up to one but for what is too little to be named.
    distributions
        By name, given that this mode is the one.
    """

    mass: float
    distributions: Mapping[str, Distribution]

    def __repr__(self) -> str:
        return f"PosteriorMode({100 * self.mass:.0f} %: {self._in_words})"

    def interval(self, name: str, level: float = 0.95) -> tuple[float, float]:
        """The interval that holds an unknown with this probability, given that this mode is the one."""
        return self.distributions[name].interval(level)


def posterior_modes(
    priors: Mapping[str, Prior],
    measure: Measure,
    distributions: Mapping[str, Distribution],
    samples: Mapping[str, Array],
) -> tuple[PosteriorMode, ...]:
    """From the heaviest down."""
    found = {name: peaks(distributions[name].curve) for name in priors}
    several = {name: ones for name, ones in found.items() if len(ones) > 1}
    if not several:
        return (PosteriorMode(1.0, distributions),)
    points = {name: prior.place(measure.points[:, i]) for i, (name, prior) in enumerate(priors.items())}
    of_points, of_samples = (_cells(several, values) for values in (points, samples))
    modes = []
    for cell in np.unique(of_points, axis=0):
        inside, drawn = (of_points == cell).all(axis=1), (of_samples == cell).all(axis=1)
        mass = float(measure.weights[inside].sum())
        if mass <= LEAST or not drawn.any():
            continue
        own = {name: _of_draws(one, samples[name][drawn]) for name, one in distributions.items()}
        if len(several) == 1:
            # nothing else is on this part of the curve: it is as exact as the whole
            ((name, ones),) = several.items()
            own[name] = _of_curve(
                distributions[name], ones[int(cell[0])], points[name][inside], measure.weights[inside]
            )
        modes.append(PosteriorMode(mass, own))
    return tuple(sorted(modes, key=lambda mode: -mode.mass))


def _cells(several: Mapping[str, Sequence[Peak]], values: Mapping[str, Array]) -> Index:
    """Between which valleys values are, (n, parameters with several peaks)."""
    cuts = {name: [0.5 * (a.high + b.low) for a, b in pairwise(ones)] for name, ones in several.items()}
    return np.stack([np.searchsorted(cuts[name], values[name]) for name in several], axis=1)


def _of_draws(whole: Distribution, drawn: Array) -> Distribution:
    curve = Marginal.of_points(drawn, np.full(drawn.size, 1.0 / drawn.size), CELLS)
    return Distribution(float(drawn.mean()), float(drawn.std()), curve, whole.logarithmic)


def _of_curve(whole: Distribution, peak: Peak, values: Array, weights: Array) -> Distribution:
    mean = float(np.average(values, weights=weights))
    std = float(np.sqrt(np.average((values - mean) ** 2, weights=weights)))
    return Distribution(mean, std, between(whole.curve, peak.low, peak.high), whole.logarithmic)
