"""The data of the inverse section: where the sensors are, what they see, and how much of nu that can tell at all."""

import numpy as np

from gated_xtfc import zoo
from gated_xtfc.types import Array

COUNT = 50
EXPONENT = 3
NOISE = 1e-2
STEP = 1e-5  # relative, of the central difference


def sensors() -> Array:
    """Gathered at the right end, (50,)."""
    return np.asarray(1.0 - (1.0 - np.linspace(0.0, 1.0, COUNT)) ** EXPONENT)


def observed(nu: float, seed: int) -> tuple[Array, Array]:
    """Places and values of one experiment."""
    x = sensors()
    return x, clean(nu) + NOISE * np.random.default_rng(seed).normal(size=x.size)


def clean(nu: float) -> Array:
    """What the sensors would see without noise."""
    exact = zoo.family("convection_diffusion").problem(nu=nu).exact
    assert exact is not None
    return np.asarray(exact(sensors()))


def least_deviation(nu: float) -> float:
    """The Cramer-Rao bound: no unbiased estimate of nu has a smaller standard deviation, in percent of nu."""
    slope = (clean(nu * (1.0 + STEP)) - clean(nu * (1.0 - STEP))) / (2.0 * STEP)
    return float(100.0 * NOISE / np.sqrt(np.sum(slope**2)))
