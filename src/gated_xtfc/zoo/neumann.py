"""Neumann condition inside the layer: the slope 1/nu is given at the outflow end, the height of the layer follows."""

from gated_xtfc.zoo.family import Family

FAMILY = Family(
    name="neumann",
    look="the same layer as in convection_diffusion, but its height comes from a slope of size 1/nu",
    equation="u' - nu*u'' = 0",
    domain=(0.0, 1.0),
    conditions=("u(0) = 0", "u'(1) = 1/nu"),
    exact="exp((x-1)/nu) - exp(-1/nu)",
    small="nu",
    values=(1.0, 1e-1, 1e-2, 1e-4, 1e-6, 1e-8),
    layers=lambda nu: ((1.0, nu),),
)
