"""Integral condition: the total amount of u is known instead of its value at the inflow."""

from gated_xtfc.zoo.family import Family

HEIGHT = "(1.5/(1 - nu*(1 - exp(-1/nu))))"  # of the layer, from integral(u) = 1

FAMILY = Family(
    name="integral_condition",
    look="a straight line at the height that makes the area 1, torn down to 0 within nu of x = 1",
    equation="u' - nu*u'' = 1",
    domain=(0.0, 1.0),
    conditions=("integral(u) = 1", "u(1) = 0"),
    exact=f"x - 1 + {HEIGHT}*(1 - exp((x-1)/nu))",
    small="nu",
    values=(0.5, 1e-1, 1e-2, 1e-4, 1e-6, 1e-8),
    layers=lambda nu: ((1.0, nu),),
)
