"""Several unknowns at once: two fields with layers of their own widths, or a field and an unknown constant."""

from functools import lru_cache, partial
from math import acosh, sqrt
from typing import TYPE_CHECKING

import numpy as np

from gated_xtfc.types import Array
from gated_xtfc.zoo.family import Family

if TYPE_CHECKING:
    from gated_xtfc.zoo.panels import Panels

# Two reactions with diffusion on two scales: u has a layer inside a layer, v only feels the wide one.
# w = (1, 1) - sum_k c_k V_k cosh(r_k (x - 1/2))/cosh(r_k/2), with r_k^2 and V_k = (1, 2 - eps r_k^2) the eigenpairs of
# diag(1/eps, 1/mu) [[2, -1], [-1, 2]] and c such that both fields vanish at the ends.
ROOT = "sqrt((mu + eps)**2 - 3*mu*eps)"
FAST = f"((mu + eps + {ROOT})/(mu*eps))"  # the squares of the two rates
SLOW = f"(3/(mu + eps + {ROOT}))"  # their product is 3/(mu eps)


def mode(square: str) -> str:
    """cosh(r (x - 1/2))/cosh(r/2), as exponentials that do not overflow."""
    return f"((exp(-sqrt({square})*x) + exp(-sqrt({square})*(1-x)))/(1 + exp(-sqrt({square}))))"


def tilt(square: str) -> str:
    """v over u in a mode."""
    return f"(2 - eps*{square})"


# c_fast + c_slow = 1 (u vanishes), tilt_fast c_fast + tilt_slow c_slow = 1 (v vanishes)
SHARE = f"((1 - {tilt(SLOW)})/({tilt(FAST)} - {tilt(SLOW)}))"

TWIN_SCALES = Family(
    name="twin_scales",
    look="u rises within sqrt(eps), then again within sqrt(mu), where v does: two widths share one coordinate",
    equation=("eps*u'' = 2*u - v - 1", "mu*v'' = 2*v - u - 1"),
    domain={"x": (0.0, 1.0)},
    conditions=("u(0) = 0", "u(1) = 0", "v(0) = 0", "v(1) = 0"),
    exact={
        "u": f"1 - {SHARE}*{mode(FAST)} - (1 - {SHARE})*{mode(SLOW)}",
        "v": f"1 - {SHARE}*{tilt(FAST)}*{mode(FAST)} - (1 - {SHARE})*{tilt(SLOW)}*{mode(SLOW)}",
    },
    small="eps",
    values=(1e-2, 1e-4, 1e-6, 1e-8, 1e-10),
    layers=lambda eps, mu: {"x": ((0.0, sqrt(eps)), (0.0, sqrt(mu)), (1.0, sqrt(eps)), (1.0, sqrt(mu)))},
    parameters=lambda eps: {"mu": 1e-3},
)


# Two species that consume one another, each with its own small diffusion; the sources are made for known fields.
def plateau(diffusion: str) -> str:
    """The solution of diffusion w'' = w - 1 that vanishes at both ends."""
    rate = f"sqrt({diffusion})"
    return f"(1 - (exp(-x/{rate}) + exp(-(1-x)/{rate}))/(1 + exp(-1/{rate})))"


U, V = plateau("eps"), plateau("mu")

COUPLED_REACTION = Family(
    name="coupled_reaction",
    look="both fields leave zero at the ends, u within sqrt(eps), v within sqrt(mu), coupled by u v^2 and u^2 v",
    equation=(
        f"eps*u'' = u - 1 + u*v**2 - {U}*{V}**2",
        f"mu*v'' = v - 1 + v**3 - u**2*v - {V}**3 + {U}**2*{V}",
    ),
    domain={"x": (0.0, 1.0)},
    conditions=("u(0) = 0", "u(1) = 0", "v(0) = 0", "v(1) = 0"),
    exact={"u": U, "v": V},
    small="eps",
    values=(1e-1, 1e-2, 1e-4, 1e-6, 1e-8),
    layers=lambda eps, mu: {"x": ((0.0, sqrt(eps)), (0.0, sqrt(mu)), (1.0, sqrt(eps)), (1.0, sqrt(mu)))},
    parameters=lambda eps: {"mu": 1e-3},
)

# Free boundary: oxygen diffuses into tissue that consumes it, as far as it gets, and that distance is unknown.
# u'' = 1 + a u up to the place s where u and u' vanish; on x = depth/s the unknown constant is lam = s^2:
# u = (cosh(sqrt(a) s (1 - x)) - 1)/a with cosh(sqrt(a) s) = 1 + a.
DEPTH = "log(1 + a + sqrt(a*(2 + a)))"  # sqrt(a) s

FREE_BOUNDARY = Family(
    name="free_boundary",
    look="u touches zero with zero slope at x = 1: the extra condition fixes lam, the square of the depth",
    equation="u'' = lam*(1 + a*u)",
    domain={"x": (0.0, 1.0)},
    conditions=("u(0) = 1", "u(1) = 0", "u'(1) = 0"),
    exact=f"2*sinh({DEPTH}*(1-x)/2)**2/a",
    small="a",
    values=(1.0, 1e-1, 1e-3),
    constants={"lam": lambda a: acosh(1 + a) ** 2 / a},
)


# Fluid between two discs that turn against one another: f along the axis, g around it, of order six together. No closed
# form: `exact` is a collocation on panels, followed from eps = 1 in half decades, right to about 1e-11.
def swirl_slope(y: Array, eps: float) -> tuple[Array, Array]:
    """y' and its derivative by y = (f, f', f'', f''', g, g')."""
    f, f1, _, f3, g, g1 = y.T
    value = np.stack([f1, y[:, 2], f3, -(f * f3 + g * g1) / eps, g1, (f1 * g - f * g1) / eps], axis=1)
    jacobian = np.zeros((len(y), 6, 6))
    jacobian[:, 0, 1] = jacobian[:, 1, 2] = jacobian[:, 2, 3] = jacobian[:, 4, 5] = 1.0
    for column, entry in ((0, -f3), (3, -f), (4, -g1), (5, -g)):
        jacobian[:, 3, column] = entry / eps
    for column, entry in ((0, -g1), (1, g), (4, f1), (5, -f)):
        jacobian[:, 5, column] = entry / eps
    return value, jacobian


@lru_cache(maxsize=8)
def swirl(eps: float) -> "Panels":
    """y on panels that grow away from the discs, from g = 2 x - 1 and f = 0 at eps = 1."""
    # sparse matrices, which take longer to import than a solve takes
    from gated_xtfc.zoo.panels import POINTS, Panels, collocate

    # (which of y, at the right end?, value)
    conditions = [(0, False, 0.0), (1, False, 0.0), (4, False, -1.0), (0, True, 0.0), (1, True, 0.0), (4, True, 1.0)]
    step = sqrt(eps)
    inner = [step * 1.5**k for k in range(40) if step * 1.5**k < 0.4]
    ends = np.array([0.0, *inner, 0.5, *(1 - distance for distance in reversed(inner)), 1.0])
    start = np.zeros((ends.size - 1, POINTS, 6))
    nodes = ends[:-1, None] + np.diff(ends)[:, None] * np.sin(0.5 * np.pi * np.arange(POINTS) / (POINTS - 1)) ** 2
    start[:, :, 4], start[:, :, 5] = 2 * nodes - 1, 2.0
    found, here = Panels(ends, start), 1.0
    while True:
        found = collocate(partial(swirl_slope, eps=here), conditions, found)
        if here == eps:
            return found
        here = max(eps, here / sqrt(10))


def along_axis(x: Array, eps: float) -> Array:
    return swirl(float(eps))(x, 0)


def around_axis(x: Array, eps: float) -> Array:
    return swirl(float(eps))(x, 4)


SWIRLING_FLOW = Family(
    name="swirling_flow",
    look="g turns from -1 to 1 with layers of thickness sqrt(eps) at the discs; f is small and odd about the middle",
    equation=("eps*f'''' + f*f''' + g*g' = 0", "eps*g'' + f*g' - f'*g = 0"),
    domain={"x": (0.0, 1.0)},
    conditions=("f(0) = 0", "f(1) = 0", "f'(0) = 0", "f'(1) = 0", "g(0) = -1", "g(1) = 1"),
    exact={"f": along_axis, "g": around_axis},
    small="eps",
    values=(1.0, 1e-1, 1e-2, 1e-3, 1e-4),
    layers=lambda eps: {"x": ((0.0, sqrt(eps)), (1.0, sqrt(eps)))},
)

FAMILIES = TWIN_SCALES, COUPLED_REACTION, FREE_BOUNDARY, SWIRLING_FLOW
