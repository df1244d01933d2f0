"""Linear equations with something sharp inside the interval: shocks, corners, spikes, needles, jumping coefficients."""

from math import sqrt

from gated_xtfc.zoo.family import Family

# Turning point with a shock: both flows run into x = 0, where u jumps by 2 within sqrt(eps).
TURNING_POINT = Family(
    name="turning_point",
    look="an interior layer of thickness sqrt(eps) at x = 0, where the convection changes sign",
    equation="eps*u'' + x*u' = -eps*pi**2*cos(pi*x) - pi*x*sin(pi*x)",
    domain={"x": (-1.0, 1.0)},
    conditions=("u(-1) = -2", "u(1) = 0"),
    exact="cos(pi*x) + erf(x/sqrt(2*eps))/erf(1/sqrt(2*eps))",
    small="eps",
    values=(1e-1, 1e-2, 1e-4, 1e-6, 1e-8, 1e-12),
    layers=lambda eps: {"x": ((0.0, sqrt(eps)),)},
)

# Corner layer: at the turning point x = 0 the slope of u jumps, u itself does not.
ROUNDED = "(x*erf(x/sqrt(2*eps)) + sqrt(2*eps/pi)*exp(-x**2/(2*eps)))"  # |x| with its corner rounded
ROUNDED_AT_1 = "(erf(1/sqrt(2*eps)) + sqrt(2*eps/pi)*exp(-1/(2*eps)))"

CORNER_LAYER = Family(
    name="corner_layer",
    look="a corner at x = 0, rounded within sqrt(eps): look at u', which climbs by 2 there",
    equation="eps*u'' + x*u' - u = -(1+eps*pi**2)*cos(pi*x) - pi*x*sin(pi*x)",
    domain={"x": (-1.0, 1.0)},
    conditions=("u(-1) = -1", "u(1) = 1"),
    exact=f"cos(pi*x) + x + {ROUNDED}/{ROUNDED_AT_1}",
    small="eps",
    values=(1e-1, 1e-2, 1e-4, 1e-6, 1e-8, 1e-12),
    layers=lambda eps: {"x": ((0.0, sqrt(eps)),)},
)

# Spike: ((eps + x^2) u)'' = 0. A change d of the end values moves the peak by d/eps: the error is judged relative to
# max|u| = 1/eps.
SPIKE = Family(
    name="spike",
    look="a peak of height 1/eps and width sqrt(eps) at x = 0; nothing at the ends gives it away",
    equation="(eps+x**2)*u'' + 4*x*u' + 2*u = 0",
    domain={"x": (-1.0, 1.0)},
    conditions=("u(-1) = 1/(1+eps)", "u(1) = 1/(1+eps)"),
    exact="1/(eps+x**2)",
    small="eps",
    values=(1e-1, 1e-2, 1e-3, 1e-4, 1e-6),
    layers=lambda eps: {"x": ((0.0, sqrt(eps)),)},
)


# Needle: a string under a load squeezed into width w at x = c, so thin that sampling the source misses it. u'' is a
# narrow Gaussian of mass -2, so u' drops from slope to slope by 2 and u is a tent with a rounded tip.
def tip(x: str) -> str:
    """|x - c| with its corner rounded over width w."""
    return f"(({x}-c)*erf(({x}-c)/w) + w/sqrt(pi)*exp(-(({x}-c)/w)**2))"


NEEDLE_SOURCE = Family(
    name="needle_source",
    look="a tent whose tip at x = c is round only within w; a solver that misses the needle returns u = 0",
    equation="u'' = -2/(w*sqrt(pi))*exp(-((x-c)/w)**2)",
    domain={"x": (0.0, 1.0)},
    conditions=("u(0) = 0", "u(1) = 0"),
    exact=f"{tip('0')}*(1-x) + {tip('1')}*x - {tip('x')}",
    small="w",
    values=(1e-1, 1e-2, 1e-3, 1e-5, 1e-6),
    layers=lambda w, c: {"x": ((c, w),)},
    parameters=lambda w: {"c": 0.3},
)

# Reaction that is four times stronger right of x = 1/2: u and u' are continuous there, u'' jumps. On each side u is
# 1/reaction plus an exponential from each end of that side; four conditions give their factors.
Q, R = "exp(-0.5/eps)", "exp(-1/eps)"  # decay across the left half, at rate 1/eps, and the right half, at rate 2/eps
SHRINK = f"((1 - {R}**2)/(2*(1 + {R}**2)))"
# factors of the exponentials that fall from 1/2 to the left and to the right, then of those from the ends
TO_LEFT = f"((-0.75 + {Q} - {R}/4 - {SHRINK}*({Q} + {R}/2))/(1 - {R} + {SHRINK}*(1 + {R})))"
TO_RIGHT = f"(-({TO_LEFT}*(1 + {R}) + {Q} + {R}/2)/(2*(1 + {R}**2)))"
FROM_LEFT, FROM_RIGHT = f"(-1 - {TO_LEFT}*{Q})", f"(-0.25 - {TO_RIGHT}*{R})"
# min and max keep the branch that is not taken from overflowing
LEFT = f"1 + {FROM_LEFT}*exp(-x/eps) + {TO_LEFT}*exp(min(x - 0.5, 0)/eps)"
RIGHT = f"0.25 + {TO_RIGHT}*exp(-2*max(x - 0.5, 0)/eps) + {FROM_RIGHT}*exp(-2*(1-x)/eps)"

JUMP_IN_COEFFICIENT = Family(
    name="jump_in_coefficient",
    look="a step from 1 to 1/4 at x = 1/2, eps wide on the left and eps/2 on the right, and two boundary layers",
    equation="eps**2*u'' - where(x < 0.5, 1, 4)*u = -1",
    domain={"x": (0.0, 1.0)},
    conditions=("u(0) = 0", "u(1) = 0"),
    exact=f"where(x < 0.5, {LEFT}, {RIGHT})",
    small="eps",
    values=(1.0, 1e-1, 1e-2, 1e-4, 1e-6, 1e-8),
    layers=lambda eps: {"x": ((0.0, eps), (0.5, eps), (1.0, eps))},
)

# Two streams that collide at x = 1/2: the convection jumps from 1 to -1, u' stays continuous and turns within nu.
NEAR_END = "min(x, 1-x)"  # distance to the nearer end: u is symmetric about 1/2

COLLIDING_STREAMS = Family(
    name="colliding_streams",
    look="a tent whose tip at x = 1/2, where the convection jumps, is round within nu",
    equation="where(x < 0.5, 1, -1)*u' - nu*u'' = 1",
    domain={"x": (0.0, 1.0)},
    conditions=("u(0) = 0", "u(1) = 0"),
    exact=f"{NEAR_END} - nu*(exp(({NEAR_END} - 0.5)/nu) - exp(-0.5/nu))",
    small="nu",
    values=(1.0, 1e-1, 1e-2, 1e-4, 1e-6, 1e-8),
    layers=lambda nu: {"x": ((0.5, nu),)},
)

FAMILIES = TURNING_POINT, CORNER_LAYER, SPIKE, NEEDLE_SOURCE, JUMP_IN_COEFFICIENT, COLLIDING_STREAMS
