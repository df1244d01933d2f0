"""Conditions other than values of u at the ends: slopes, fluxes, an integral, periodicity."""

from gated_xtfc.zoo.family import Family

# A tubular reactor (Danckwerts), the inflow known as flux, nothing diffusing out of the end: u is a combination of
# exp(slow x) and exp(fast (x - 1)), the rates being the roots of nu r^2 - r - 1 = 0.
ROOT = "sqrt(1 + 4*nu)"
SLOW = f"(-2/(1 + {ROOT}))"  # (1 - root)/(2 nu) without cancellation
FAST = f"((1 + {ROOT})/(2*nu))"
SHARE = f"(-{SLOW}/{FAST}*exp({SLOW}))"  # of the fast mode, from u'(1) = 0
INFLOW = f"((1 + {ROOT})/2 - 2*nu/(1 + {ROOT})*{SHARE}*exp(-{FAST}))"  # u - nu u' of both modes at x = 0

ROBIN = Family(
    name="robin",
    look="u(0) falls short of 1 by what diffuses back; u' is bent to zero within nu of x = 1",
    equation="nu*u'' - u' - u = 0",
    domain={"x": (0.0, 1.0)},
    conditions=("u(0) - nu*u'(0) = 1", "u'(1) = 0"),
    exact=f"(exp({SLOW}*x) + {SHARE}*exp({FAST}*(x-1)))/{INFLOW}",
    small="nu",
    values=(1.0, 1e-1, 1e-2, 1e-4, 1e-6, 1e-8),
    layers=lambda nu: {"x": ((1.0, nu),)},
)

# A Neumann condition inside the layer: the slope is given at the outflow end, the height of the layer follows.
NEUMANN = Family(
    name="neumann",
    look="the same layer as in convection_diffusion, but its height comes from a slope of size 1/nu",
    equation="u' - nu*u'' = 0",
    domain={"x": (0.0, 1.0)},
    conditions=("u(0) = 0", "u'(1) = 1/nu"),
    exact="exp((x-1)/nu) - exp(-1/nu)",
    small="nu",
    values=(1.0, 1e-1, 1e-2, 1e-4, 1e-6, 1e-8),
    layers=lambda nu: {"x": ((1.0, nu),)},
)

# The total amount of u is known instead of its value at the inflow.
INTEGRAL_HEIGHT = "(1.5/(1 - nu*(1 - exp(-1/nu))))"  # of the layer, from integral(u) = 1

INTEGRAL_CONDITION = Family(
    name="integral_condition",
    look="a straight line at the height that makes the area 1, torn down to 0 within nu of x = 1",
    equation="u' - nu*u'' = 1",
    domain={"x": (0.0, 1.0)},
    conditions=("integral(u) = 1", "u(1) = 0"),
    exact=f"x - 1 + {INTEGRAL_HEIGHT}*(1 - exp((x-1)/nu))",
    small="nu",
    values=(0.5, 1e-1, 1e-2, 1e-4, 1e-6, 1e-8),
    layers=lambda nu: {"x": ((1.0, nu),)},
)


# The smoothed answer to a square wave; it has no ends, yet layers at x = 0, 1/2 and 1.
def arch(x: str) -> str:
    """cosh((x - 1/4)/eps)/cosh(1/(4 eps)) for x in [0, 1/2], without overflow."""
    return f"(exp(-({x})/eps) + exp((({x}) - 0.5)/eps))/(1 + exp(-0.5/eps))"


PERIODIC = Family(
    name="periodic",
    look="1 on the left half, 0 on the right half, passing 1/2 with slope 1/(2 eps) at each jump of the source",
    equation="eps**2*u'' - u = -where(x < 0.5, 1, 0)",
    domain={"x": (0.0, 1.0)},
    conditions=("u(0) = u(1)", "u'(0) = u'(1)"),
    # min and max keep the branch that is not taken from overflowing
    exact=f"where(x < 0.5, 1 - {arch('min(x, 0.5)')}/2, {arch('max(x, 0.5) - 0.5')}/2)",
    small="eps",
    values=(1.0, 1e-1, 1e-2, 1e-4, 1e-6),
    layers=lambda eps: {"x": ((0.0, eps), (0.5, eps), (1.0, eps))},
)

FAMILIES = ROBIN, NEUMANN, INTEGRAL_CONDITION, PERIODIC
