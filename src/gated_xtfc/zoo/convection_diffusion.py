"""Convection-diffusion, the paper's model problem: u' = nu u'' carries u = 0 to the outflow end, where u must be 1."""

from gated_xtfc.zoo.family import Family

FAMILY = Family(
    name="convection_diffusion",
    look="flat until the last few nu before x = 1, then up to 1 through a layer of thickness nu",
    equation="u' - nu*u'' = 0",
    domain=(0.0, 1.0),
    conditions=("u(0) = 0", "u(1) = 1"),
    exact="(exp((x-1)/nu) - exp(-1/nu))/(1 - exp(-1/nu))",
    small="nu",
    values=(1e-1, 1e-2, 1e-4, 1e-6, 1e-8, 1e-12),
    layers=lambda nu: ((1.0, nu),),
)
