"""Corner layer: at the turning point x = 0 the slope of u jumps, u itself does not."""

from math import sqrt

from gated_xtfc.zoo.family import Family

ROUNDED = "(x*erf(x/sqrt(2*eps)) + sqrt(2*eps/pi)*exp(-x**2/(2*eps)))"  # |x| with its corner rounded
ROUNDED_AT_1 = "(erf(1/sqrt(2*eps)) + sqrt(2*eps/pi)*exp(-1/(2*eps)))"

FAMILY = Family(
    name="corner_layer",
    look="a corner at x = 0, rounded within sqrt(eps): look at u', which climbs by 2 there",
    equation="eps*u'' + x*u' - u = -(1+eps*pi**2)*cos(pi*x) - pi*x*sin(pi*x)",
    domain=(-1.0, 1.0),
    conditions=("u(-1) = -1", "u(1) = 1"),
    exact=f"cos(pi*x) + x + {ROUNDED}/{ROUNDED_AT_1}",
    small="eps",
    values=(1e-1, 1e-2, 1e-4, 1e-6, 1e-8, 1e-12),
    layers=lambda eps: ((0.0, sqrt(eps)),),
)
