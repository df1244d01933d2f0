"""An interior layer on a circle of radius 1/4, as thick as sqrt(eps): it follows no axis.

u = 16 p(x) p(y) A with p(t) = t (1 - t) and A = 1/2 + arctan(s (1/16 - |z|^2))/pi, s = 2/sqrt(eps), z from the centre.
"""

from math import sqrt

from gated_xtfc.zoo.plane.family import PlaneFamily

INSIDE = "((2/sqrt(eps))*(0.0625 - (x-0.5)**2 - (y-0.5)**2))"  # positive inside the circle, zero on it
HUMP = "(16*x*(1-x)*y*(1-y))"
HUMP_X, HUMP_Y = "(16*(1-2*x)*y*(1-y))", "(16*x*(1-x)*(1-2*y))"
STEP = f"(0.5 + arctan({INSIDE})/pi)"
# derivatives of the step by the square of the distance from the centre, which grows by 2 (x - 1/2) and 2 (y - 1/2)
STEP_1 = f"(-(2/sqrt(eps))/(pi*(1 + {INSIDE}**2)))"
STEP_2 = f"(-2*(2/sqrt(eps))**2*{INSIDE}/(pi*(1 + {INSIDE}**2)**2))"
GROWS_X, GROWS_Y = "(2*x - 1)", "(2*y - 1)"

U_X = f"({HUMP_X}*{STEP} + {HUMP}*{STEP_1}*{GROWS_X})"
U_Y = f"({HUMP_Y}*{STEP} + {HUMP}*{STEP_1}*{GROWS_Y})"
LAPLACIAN = (
    f"(-32*(x*(1-x) + y*(1-y))*{STEP} + 2*({HUMP_X}*{GROWS_X} + {HUMP_Y}*{GROWS_Y})*{STEP_1}"
    f" + {HUMP}*({STEP_2}*({GROWS_X}**2 + {GROWS_Y}**2) + 4*{STEP_1}))"
)

FAMILY = PlaneFamily(
    name="circular_layer",
    look="a plateau inside a circle, a cliff as thin as sqrt(eps) around it",
    equation=f"-eps*(u_xx + u_yy) + 2*u_x + 3*u_y + 2*u = -eps*{LAPLACIAN} + 2*{U_X} + 3*{U_Y} + 2*{HUMP}*{STEP}",
    conditions=("u = 0 on boundary",),
    exact=f"{HUMP}*{STEP}",
    small="eps",
    values=(1e-2, 1e-3, 1e-4),
    # where the circle touches lines along the axes; in between it is everywhere
    layers=lambda eps: (((0.25, sqrt(eps) / 8), (0.75, sqrt(eps) / 8)), ((0.25, sqrt(eps) / 8), (0.75, sqrt(eps) / 8))),
)
