"""Two species that consume one another, each with its own small diffusion; the sources are made for known fields."""

from math import sqrt

from gated_xtfc.zoo.family import Family


def plateau(diffusion: str) -> str:
    """The solution of diffusion w'' = w - 1 that vanishes at both ends."""
    rate = f"sqrt({diffusion})"
    return f"(1 - (exp(-x/{rate}) + exp(-(1-x)/{rate}))/(1 + exp(-1/{rate})))"


U, V = plateau("eps"), plateau("mu")

FAMILY = Family(
    name="coupled_reaction",
    look="both fields leave zero at the ends, u within sqrt(eps), v within sqrt(mu), coupled by u v^2 and u^2 v",
    equation=(
        f"eps*u'' = u - 1 + u*v**2 - {U}*{V}**2",
        f"mu*v'' = v - 1 + v**3 - u**2*v - {V}**3 + {U}**2*{V}",
    ),
    domain=(0.0, 1.0),
    conditions=("u(0) = 0", "u(1) = 0", "v(0) = 0", "v(1) = 0"),
    exact={"u": U, "v": V},
    small="eps",
    values=(1e-1, 1e-2, 1e-4, 1e-6, 1e-8),
    layers=lambda eps, mu: ((0.0, sqrt(eps)), (0.0, sqrt(mu)), (1.0, sqrt(eps)), (1.0, sqrt(mu))),
    parameters={"mu": 1e-3},
)
