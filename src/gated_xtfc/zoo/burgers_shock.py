"""Viscous Burgers' equation with drag, nu u'' = u u' + u: a shock at x = 0.4, held there by a Robin condition.

With M + 1 the steepest slope, the slope obeys -u' = 1 + W(M + log M - u^2/(2 nu)), W the Wright omega function, so
|x - 0.4| = |u| - int_0^|u| W/(1 + W) du. Away from the shock u' = -1 and the integral is half the jump, which fixes M;
what the conditions differ by from this is exponentially small (below 1e-12 for nu <= 0.01).
"""

from functools import lru_cache

import numpy as np
from numpy.polynomial.legendre import leggauss
from scipy.optimize import brentq
from scipy.special import wrightomega

from gated_xtfc.zoo.family import Family, Values

SHOCK, HALF_JUMP = 0.4, 0.6
FARTHEST = 1.3  # beyond the largest |u|
NODES, WEIGHTS = leggauss(24)


def steepness(u: Values, nu: float, m: float) -> Values:
    """-u' - 1."""
    return np.asarray(wrightomega(m + np.log(m) - u * u / (2 * nu)), dtype=float)


def panels(nu: float, m: float) -> Values:
    """Ends of panels in |u|, fine where the shock ends: there the steepness falls to nothing within nu/|u|."""
    foot = np.sqrt(2 * nu * (m + np.log(m)))
    distances = nu * np.concatenate([[0.0], 1.5 ** np.arange(-1, 60)])
    ends = np.concatenate([foot - distances, foot + distances])
    return np.unique(np.concatenate([[0.0, FARTHEST], ends[(ends > 0) & (ends < FARTHEST)]]))


def deficit(low: Values, high: Values, nu: float, m: float) -> Values:
    """int W/(1 + W) du from low to high, each (n,)."""
    half = 0.5 * (high - low)
    w = steepness(low[:, None] + half[:, None] * (1 + NODES), nu, m)
    return np.asarray(half * ((w / (1 + w)) @ WEIGHTS))


@lru_cache(maxsize=8)
def profile(nu: float) -> tuple[float, Values, Values]:
    """M, the panels, and |x - 0.4| at their ends."""

    def miss(m: float) -> float:
        ends = panels(nu, m)
        return float(deficit(ends[:-1], ends[1:], nu, m).sum()) - HALF_JUMP

    m = float(brentq(miss, 0.05 / nu, 0.4 / nu, xtol=1e-300, rtol=1e-15))
    ends = panels(nu, m)
    lost = np.concatenate([[0.0], np.cumsum(deficit(ends[:-1], ends[1:], nu, m))])
    return m, ends, ends - lost


def exact(x: Values, nu: float) -> Values:
    """|u| from |x - 0.4|, by Newton's method inside the panel that holds it."""
    m, ends, distances = profile(float(nu))
    offset = np.asarray(x, dtype=float) - SHOCK
    away = np.abs(offset).ravel()
    panel = np.clip(np.searchsorted(distances, away, side="right") - 1, 0, ends.size - 2)
    low, high = ends[panel], ends[panel + 1]
    u = low + (high - low) * (away - distances[panel]) / (distances[panel + 1] - distances[panel])
    for _ in range(8):
        reached = distances[panel] + (u - low) - deficit(low, u, nu, m)
        u = np.clip(u + (away - reached) * (1 + steepness(u, nu, m)), low, high)
    return np.asarray(-np.sign(offset) * u.reshape(offset.shape))


FAMILY = Family(
    name="burgers_shock",
    look="u falls from 0.6 to -0.6 within nu of x = 0.4; the Robin condition at x = 1 decides where",
    equation="nu*u'' = u*u' + u",
    domain=(0.0, 1.0),
    conditions=("u(0) = 1", "u(1) + u'(1)/2 = -1.7"),
    exact=exact,
    small="nu",
    values=(1e-2, 1e-3, 1e-4, 1e-5),
    layers=lambda nu: ((SHOCK, nu),),
)
