"""Turning point with a shock: both flows run into x = 0, where u jumps by 2 within sqrt(eps)."""

from math import sqrt

from gated_xtfc.zoo.family import Family

FAMILY = Family(
    name="turning_point",
    look="an interior layer of thickness sqrt(eps) at x = 0, where the convection changes sign",
    equation="eps*u'' + x*u' = -eps*pi**2*cos(pi*x) - pi*x*sin(pi*x)",
    domain=(-1.0, 1.0),
    conditions=("u(-1) = -2", "u(1) = 0"),
    exact="cos(pi*x) + erf(x/sqrt(2*eps))/erf(1/sqrt(2*eps))",
    small="eps",
    values=(1e-1, 1e-2, 1e-4, 1e-6, 1e-8, 1e-12),
    layers=lambda eps: ((0.0, sqrt(eps)),),
)
