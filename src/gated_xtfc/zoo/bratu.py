"""Bratu's equation u'' + lam e^u = 0: below lam = 3.5138 two solutions, above it none. This is the lower one.

u = -2 log(cosh((x - 1/2) theta/2) / cosh(theta/4)) with theta = sqrt(2 lam) cosh(theta/4).
"""

from math import cosh, sinh, sqrt

import numpy as np

from gated_xtfc.zoo.family import Family, Values

FOLD = 4.7987145610  # theta where the two solutions meet


def angle(lam: float, upper: bool = False) -> float:
    """theta of the lower or the upper solution."""
    theta = 3.0 * FOLD if upper else 0.0
    for _ in range(200):  # from outside the fold on either side Newton's method is monotone
        excess = theta - sqrt(2 * lam) * cosh(theta / 4)
        step = excess / (1 - sqrt(2 * lam) / 4 * sinh(theta / 4))
        theta -= step
        if abs(step) <= 1e-15 * max(theta, 1e-300):
            break
    return theta


def branch(x: Values, theta: float) -> Values:
    """The solution of this theta, without overflow or cancellation."""
    half, whole = np.abs(np.asarray(x, dtype=float) - 0.5) * theta / 2, theta / 4
    return np.asarray(2 * (whole - half + np.log1p(np.exp(-2 * whole)) - np.log1p(np.exp(-2 * half))))


def exact(x: Values, lam: float) -> Values:
    return branch(x, angle(lam))


FAMILY = Family(
    name="bratu",
    look="a low smooth arch; a guess such as 4*sin(pi*x) leads to the other solution, a high one",
    equation="u'' + lam*exp(u) = 0",
    domain=(0.0, 1.0),
    conditions=("u(0) = 0", "u(1) = 0"),
    exact=exact,
    small="lam",
    values=(1.0, 1e-1, 1e-2),
)
