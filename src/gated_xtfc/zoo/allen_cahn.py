"""Half a phase boundary (Allen-Cahn): eps^2 u'' = u^3 - u from the middle of the boundary to the pure phase."""

from gated_xtfc.zoo.family import Family

FAMILY = Family(
    name="allen_cahn",
    look="u climbs from 0 to 1 within eps of x = 0 and stays there; u = 0 solves the equation too, but not u(1) = 1",
    equation="eps**2*u'' = u**3 - u",
    domain=(0.0, 1.0),
    conditions=("u(0) = 0", "u(1) = tanh(1/(sqrt(2)*eps))"),
    exact="tanh(x/(sqrt(2)*eps))",
    small="eps",
    values=(1.0, 1e-1, 1e-2, 1e-3),
    layers=lambda eps: ((0.0, eps),),
)
