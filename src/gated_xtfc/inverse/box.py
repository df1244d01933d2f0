"""Intervals that hold all unknowns at once: those of single ones, all of the same probability, made wide enough.

Each interval of 95 % leaves out its own twentieth of the posterior, so that several hold all of them together less
often. How wide is wide enough depends on how the unknowns go together, which draws from the posterior know.
"""

from collections.abc import Mapping

import numpy as np

from gated_xtfc.inverse.distribution import Distribution
from gated_xtfc.inverse.peaks import Interval
from gated_xtfc.types import Array

HALVINGS = 12  # of the probability of each: finer than 4000 draws can tell


def box(distributions: Mapping[str, Distribution], samples: Mapping[str, Array], level: float) -> dict[str, Interval]:
    """By name; the share of draws in all of them is the level."""

    def intervals(each: float) -> dict[str, Interval]:
        return {name: one.interval(each) for name, one in distributions.items()}

    def share(each: float) -> float:
        inside = [(low <= samples[name]) & (samples[name] <= high) for name, (low, high) in intervals(each).items()]
        return float(np.mean(np.all(inside, axis=0)))

    # at worst what they leave out has nothing in common
    too_low, enough = level, 1.0 - (1.0 - level) / len(distributions)
    for _ in range(HALVINGS if len(distributions) > 1 else 0):
        middle = 0.5 * (too_low + enough)
        too_low, enough = (too_low, middle) if share(middle) >= level else (middle, enough)
    return intervals(enough)
