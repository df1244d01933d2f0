"""Reaction-diffusion: eps^2 u'' = u - 1 settles at 1 and is torn down to 0 at both ends."""

from gated_xtfc.zoo.family import Family

FAMILY = Family(
    name="reaction_diffusion",
    look="a plateau at 1 between two equal layers of thickness eps",
    equation="eps**2*u'' - u = -1",
    domain=(0.0, 1.0),
    conditions=("u(0) = 0", "u(1) = 0"),
    exact="1 - (exp(-x/eps) + exp(-(1-x)/eps))/(1 + exp(-1/eps))",
    small="eps",
    values=(1.0, 1e-1, 1e-2, 1e-4, 1e-6, 1e-8),
    layers=lambda eps: ((0.0, eps), (1.0, eps)),
)
