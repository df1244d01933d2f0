"""Convection, diffusion and reaction with layers of width eps where the flow (2, 3) leaves the square.

u = (x - X)(y^2 - Y) with X = exp(2 (x - 1)/eps), Y = exp(3 (y - 1)/eps): the products with X and Y solve the
convection-diffusion part alone, so that nothing of size 1/eps is left in the source.
"""

from gated_xtfc.zoo.plane.family import PlaneFamily

X, Y = "exp(2*(x-1)/eps)", "exp(3*(y-1)/eps)"
EXACT = f"x*y**2 - y**2*{X} - x*{Y} + {X}*{Y}"

FAMILY = PlaneFamily(
    name="outflow_layers",
    look="u falls to zero within eps of x = 1 and of y = 1, and twice in the corner between them",
    equation=(f"-eps*(u_xx + u_yy) + 2*u_x + 3*u_y + u = -2*eps*(x - {X}) + 2*(y**2 - {Y}) + 6*y*(x - {X}) + {EXACT}"),
    conditions=(f"u = {EXACT} on boundary",),
    exact=EXACT,
    small="eps",
    values=(1e-1, 1e-2, 1e-4, 1e-8),
    layers=lambda eps: (((1.0, eps / 2),), ((1.0, eps / 3),)),
)
