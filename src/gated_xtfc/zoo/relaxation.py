"""First order: eps u' = cos x - u relaxes from 0 to the slowly moving cos x within a few eps."""

from gated_xtfc.zoo.family import Family

FAMILY = Family(
    name="relaxation",
    look="an initial layer of thickness eps at x = 0, then cos x, followed with a delay of eps",
    equation="eps*u' + u = cos(x)",
    domain=(0.0, 10.0),
    conditions=("u(0) = 0",),
    exact="(cos(x) + eps*sin(x) - exp(-x/eps))/(1 + eps**2)",
    small="eps",
    values=(1.0, 1e-1, 1e-2, 1e-4, 1e-6, 1e-8),
    layers=lambda eps: ((0.0, eps),),
)
