"""Nonlinear equations: the shock of Burgers' equation, half a phase boundary, and Bratu's two solutions."""

from functools import lru_cache
from math import cosh, sinh, sqrt

import numpy as np

from gated_xtfc.gauss_legendre import on_intervals
from gated_xtfc.types import Array
from gated_xtfc.zoo.family import Family

# Viscous Burgers' equation with drag: a shock at x = 0.4, held there by a Robin condition. With M + 1 the steepest
# slope, the slope obeys -u' = 1 + W(M + log M - u^2/(2 nu)), W the Wright omega function, so
# |x - 0.4| = |u| - int_0^|u| W/(1 + W) du. Away from the shock u' = -1 and the integral is half the jump, which fixes
# M; what the conditions differ by from this is exponentially small (below 1e-12 for nu <= 0.01).
SHOCK, HALF_JUMP = 0.4, 0.6
FARTHEST = 1.3  # beyond the largest |u|


def steepness(u: Array, nu: float, m: float) -> Array:
    """-u' - 1."""
    from scipy.special import wrightomega  # takes longer to import than a solve takes

    return np.asarray(wrightomega(m + np.log(m) - u * u / (2 * nu)), dtype=float)


def panels(nu: float, m: float) -> Array:
    """Ends of panels in |u|, fine where the shock ends: there the steepness falls to nothing within nu/|u|."""
    foot = np.sqrt(2 * nu * (m + np.log(m)))
    distances = nu * np.concatenate([[0.0], 1.5 ** np.arange(-1, 60)])
    ends = np.concatenate([foot - distances, foot + distances])
    return np.unique(np.concatenate([[0.0, FARTHEST], ends[(ends > 0) & (ends < FARTHEST)]]))


def deficit(low: Array, high: Array, nu: float, m: float) -> Array:
    """int W/(1 + W) du from low to high, each (n,)."""
    u, weights = on_intervals(low, high, 24)
    w = steepness(u, nu, m)
    return np.asarray((w / (1 + w) * weights).sum(axis=1))


@lru_cache(maxsize=8)
def profile(nu: float) -> tuple[float, Array, Array]:
    """M, the panels, and |x - 0.4| at their ends."""
    from scipy.optimize import brentq  # as slow to import as the special functions

    def miss(m: float) -> float:
        ends = panels(nu, m)
        return float(deficit(ends[:-1], ends[1:], nu, m).sum()) - HALF_JUMP

    m = float(brentq(miss, 0.05 / nu, 0.4 / nu, xtol=1e-300, rtol=1e-15))
    ends = panels(nu, m)
    lost = np.concatenate([[0.0], np.cumsum(deficit(ends[:-1], ends[1:], nu, m))])
    return m, ends, ends - lost


def shock(x: Array, nu: float) -> Array:
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


BURGERS_SHOCK = Family(
    name="burgers_shock",
    look="u falls from 0.6 to -0.6 within nu of x = 0.4; the Robin condition at x = 1 decides where",
    equation="nu*u'' = u*u' + u",
    domain={"x": (0.0, 1.0)},
    conditions=("u(0) = 1", "u(1) + u'(1)/2 = -1.7"),
    exact=shock,
    small="nu",
    values=(1e-2, 1e-3, 1e-4, 1e-5),
    layers=lambda nu: {"x": ((SHOCK, nu),)},
)

# Half a phase boundary (Allen-Cahn), from the middle of the boundary to the pure phase.
ALLEN_CAHN = Family(
    name="allen_cahn",
    look="u climbs from 0 to 1 within eps of x = 0 and stays there; u = 0 solves the equation too, but not u(1) = 1",
    equation="eps**2*u'' = u**3 - u",
    domain={"x": (0.0, 1.0)},
    conditions=("u(0) = 0", "u(1) = tanh(1/(sqrt(2)*eps))"),
    exact="tanh(x/(sqrt(2)*eps))",
    small="eps",
    values=(1.0, 1e-1, 1e-2, 1e-3),
    layers=lambda eps: {"x": ((0.0, eps),)},
)

# Bratu's equation: below lam = 3.5138 two solutions, above it none. They are
# u = -2 log(cosh((x - 1/2) theta/2) / cosh(theta/4)) with theta = sqrt(2 lam) cosh(theta/4).
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


def branch(x: Array, theta: float) -> Array:
    """The solution of this theta, without overflow or cancellation."""
    half, whole = np.abs(np.asarray(x, dtype=float) - 0.5) * theta / 2, theta / 4
    return np.asarray(2 * (whole - half + np.log1p(np.exp(-2 * whole)) - np.log1p(np.exp(-2 * half))))


def lower_branch(x: Array, lam: float) -> Array:
    return branch(x, angle(lam))


BRATU = Family(
    name="bratu",
    look="a low smooth arch; a guess such as 4*sin(pi*x) leads to the other solution, a high one",
    equation="u'' + lam*exp(u) = 0",
    domain={"x": (0.0, 1.0)},
    conditions=("u(0) = 0", "u(1) = 0"),
    exact=lower_branch,
    small="lam",
    values=(1.0, 1e-1, 1e-2),
)

FAMILIES = BURGERS_SHOCK, ALLEN_CAHN, BRATU
