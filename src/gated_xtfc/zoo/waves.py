"""Linear equations whose solutions oscillate: every wave needs its kernels."""

from math import sqrt

import numpy as np

from gated_xtfc.types import Array
from gated_xtfc.zoo.family import Family


# Airy's equation: u oscillates left of x = 0 and decays right of it, to a boundary layer at x = 1. It is a combination
# of Ai(s x) and Bi(s x), s = eps^(-1/3); Bi overflows for small eps, its scaled form does not.
def airy_waves(x: Array, eps: float) -> Array:
    from scipy.special import airy, airye  # takes longer to import than a solve takes

    x = np.asarray(x, dtype=float)
    stretch = eps ** (-1 / 3)
    end = 2 / 3 * stretch**1.5  # Bi(stretch) = bi_end * exp(end), Ai(stretch) = ai_end * exp(-end)
    ai_left, _, bi_left, _ = airy(-stretch)
    ai_end, _, bi_end, _ = airye(stretch)
    # u = a Ai(s x) + b Bi(s x)/Bi(s): u(1) = 1 and u(-1) = 1; Bi(-s)/Bi(s) is exponentially small
    bi_ratio = bi_left / bi_end * np.exp(-end)
    ai_ratio = ai_end * np.exp(-end)
    a = (1 - bi_ratio) / (ai_left - ai_ratio * bi_ratio)
    b = 1 - a * ai_ratio
    z = stretch * x
    growth = 2 / 3 * np.maximum(z, 0.0) ** 1.5
    ai_z, _, bi_z, _ = airye(np.maximum(z, 0.0))
    right = a * ai_z * np.exp(-growth) + b * bi_z / bi_end * np.exp(growth - end)
    ai_z, _, bi_z, _ = airy(np.minimum(z, 0.0))
    left = a * ai_z + b * bi_z / bi_end * np.exp(-end)
    return np.asarray(np.where(z > 0, right, left), dtype=float)


AIRY = Family(
    name="airy",
    look="waves for x < 0 that grow shorter to the left, none for x > 0, a layer of thickness sqrt(eps) at x = 1",
    equation="eps*u'' - x*u = 0",
    domain={"x": (-1.0, 1.0)},
    conditions=("u(-1) = 1", "u(1) = 1"),
    exact=airy_waves,
    small="eps",
    values=(1e-1, 1e-2, 3e-3, 1e-4, 1e-6),
    layers=lambda eps: {"x": ((1.0, sqrt(eps)), (0.0, eps ** (1 / 3)))},
)

# Oscillation without any layer. Where 1/eps is even the operator has a null solution, so the members have 1/eps odd,
# where it is best conditioned.
OSCILLATION = Family(
    name="oscillation",
    look="a sine with 1/(4 eps) periods: cost grows with their number and no gate can help",
    equation="eps**2*u'' + pi**2/4*u = 0",
    domain={"x": (0.0, 1.0)},
    conditions=("u(0) = 0", "u(1) = sin(pi/(2*eps))"),
    exact="sin(pi*x/(2*eps))",
    small="eps",
    values=(1 / 11, 1 / 101, 1 / 1001, 1 / 10001),
)

FAMILIES = AIRY, OSCILLATION
