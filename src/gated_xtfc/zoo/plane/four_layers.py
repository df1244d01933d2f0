"""Reaction and diffusion with a layer of width eps at each of the four sides.

u = (1 - X)(1 - Y), X = cosh((x - 1/2)/eps)/cosh(1/(2 eps)) and so for Y: eps^2 X'' = X, hence the source.
"""

from gated_xtfc.zoo.plane.family import PlaneFamily


def wall(x: str) -> str:
    """cosh((x - 1/2)/eps)/cosh(1/(2 eps)), as exponentials that do not overflow."""
    return f"((exp(-{x}/eps) + exp(({x}-1)/eps))/(1 + exp(-1/eps)))"


X, Y = wall("x"), wall("y")

FAMILY = PlaneFamily(
    name="four_layers",
    look="a table: flat at 1 inside, down to zero within eps of every side",
    equation=f"-eps**2*(u_xx + u_yy) + u = {X}*(1 - {Y}) + (1 - {X})*{Y} + (1 - {X})*(1 - {Y})",
    conditions=("u = 0 on boundary",),
    exact=f"(1 - {X})*(1 - {Y})",
    small="eps",
    values=(1e-1, 1e-2, 1e-3, 1e-6),
    layers=lambda eps: (((0.0, eps), (1.0, eps)), ((0.0, eps), (1.0, eps))),
)
