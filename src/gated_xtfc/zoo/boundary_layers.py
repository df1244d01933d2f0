"""Layers at the ends of the interval, which linear equations of first to fourth order have there."""

from gated_xtfc.zoo.family import Family

# The paper's model problem: u' = nu u'' carries u = 0 to the outflow end, where u must be 1.
CONVECTION_DIFFUSION = Family(
    name="convection_diffusion",
    look="flat until the last few nu before x = 1, then up to 1 through a layer of thickness nu",
    equation="u' - nu*u'' = 0",
    domain={"x": (0.0, 1.0)},
    conditions=("u(0) = 0", "u(1) = 1"),
    exact="(exp((x-1)/nu) - exp(-1/nu))/(1 - exp(-1/nu))",
    small="nu",
    values=(1e-1, 1e-2, 1e-4, 1e-6, 1e-8, 1e-12),
    layers=lambda nu: {"x": ((1.0, nu),)},
)

# Twin boundary layers (paper, section 4.4): the flow runs from the middle to both ends.
TWIN_LAYERS = Family(
    name="twin_layers",
    look="a layer of thickness nu/2 at each end, and a middle that is zero to hundreds of digits",
    equation="2*(2*x-1)*u' - nu*u'' + 4*u = 0",
    domain={"x": (0.0, 1.0)},
    conditions=("u(0) = 1", "u(1) = 1"),
    exact="exp(-2*x*(1-x)/nu)",
    small="nu",
    values=(1e-1, 1e-2, 1e-4, 1e-6, 1e-8),
    layers=lambda nu: {"x": ((0.0, nu / 2), (1.0, nu / 2))},
)

# u settles at 1 and is torn down to 0 at both ends.
REACTION_DIFFUSION = Family(
    name="reaction_diffusion",
    look="a plateau at 1 between two equal layers of thickness eps",
    equation="eps**2*u'' - u = -1",
    domain={"x": (0.0, 1.0)},
    conditions=("u(0) = 0", "u(1) = 0"),
    exact="1 - (exp(-x/eps) + exp(-(1-x)/eps))/(1 + exp(-1/eps))",
    small="eps",
    values=(1.0, 1e-1, 1e-2, 1e-4, 1e-6, 1e-8),
    layers=lambda eps: {"x": ((0.0, eps), (1.0, eps))},
)

# First order: u relaxes from 0 to the slowly moving cos x within a few eps.
RELAXATION = Family(
    name="relaxation",
    look="an initial layer of thickness eps at x = 0, then cos x, followed with a delay of eps",
    equation="eps*u' + u = cos(x)",
    domain={"x": (0.0, 10.0)},
    conditions=("u(0) = 0",),
    exact="(cos(x) + eps*sin(x) - exp(-x/eps))/(1 + eps**2)",
    small="eps",
    values=(1.0, 1e-1, 1e-2, 1e-4, 1e-6, 1e-8),
    layers=lambda eps: {"x": ((0.0, eps),)},
)

# Third order: u'' = 2 is a parabola that misses u(0) = 0; a layer of thickness eps makes up for it.
THIRD_HEIGHT = "(-2/(1 - (1 + 1/eps)*exp(-1/eps)))"  # of the layer

THIRD_ORDER = Family(
    name="third_order",
    look="two conditions sit at x = 1 and one at x = 0, where a layer of height 2 and thickness eps starts",
    equation="eps*u''' + u'' = 2",
    domain={"x": (0.0, 1.0)},
    conditions=("u(0) = 0", "u(1) = 1", "u'(1) = 0"),
    exact=f"x**2 + {THIRD_HEIGHT}*(exp(-x/eps) - 1 + x*(1 - exp(-1/eps)))",
    small="eps",
    values=(0.5, 1e-1, 1e-2, 1e-4, 1e-6),
    layers=lambda eps: {"x": ((0.0, eps),)},
)

# Fourth order: a stretched beam under uniform load, clamped at both ends; its stiffness eps^2 matters only there.
CLAMPED_BEAM = Family(
    name="clamped_beam",
    look="a parabola whose slope is bent to zero within eps of each end: u barely shows it, u' and u'' do",
    equation="eps**2*u'''' - u'' = 1",
    domain={"x": (0.0, 1.0)},
    conditions=("u(0) = 0", "u'(0) = 0", "u(1) = 0", "u'(1) = 0"),
    exact="x*(1-x)/2 - eps/(2*(1-exp(-1/eps)))*(1 + exp(-1/eps) - exp(-x/eps) - exp(-(1-x)/eps))",
    small="eps",
    values=(1.0, 1e-1, 1e-2, 1e-3, 1e-4),
    layers=lambda eps: {"x": ((0.0, eps), (1.0, eps))},
)

FAMILIES = CONVECTION_DIFFUSION, TWIN_LAYERS, REACTION_DIFFUSION, RELAXATION, THIRD_ORDER, CLAMPED_BEAM
