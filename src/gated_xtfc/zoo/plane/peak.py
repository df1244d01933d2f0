"""An exponential peak of width 1/sqrt(a) at (xc, yc), for Poisson's equation: nothing at the sides gives it away."""

from collections.abc import Mapping
from math import sqrt

from gated_xtfc.zoo.plane.family import PlaneFamily

SQUARE = "((x-xc)**2 + (y-yc)**2)"


def place(a: float) -> Mapping[str, float]:
    """In the middle where it is mild; where it is sharp, close to the lower side."""
    return {"xc": 0.5, "yc": 0.5} if a <= 1e3 else {"xc": 0.51, "yc": 0.117}


FAMILY = PlaneFamily(
    name="peak",
    look="flat but for a needle of height 1 and width 1/sqrt(a)",
    equation=f"-(u_xx + u_yy) = (4*a - 4*a**2*{SQUARE})*exp(-a*{SQUARE})",
    conditions=(f"u = exp(-a*{SQUARE}) on boundary",),
    exact=f"exp(-a*{SQUARE})",
    small="a",  # a large one, for once
    values=(1e3, 1e5),
    layers=lambda a, xc, yc: (((xc, 0.2 / sqrt(a)),), ((yc, 0.2 / sqrt(a)),)),
    parameters=place,
)
