"""Spike: ((eps + x^2) u)'' = 0 with u = 1/(eps + x^2), a peak of height 1/eps.

A change d of the end values moves the peak by d/eps: the error is judged relative to max|u| = 1/eps.
"""

from math import sqrt

from gated_xtfc.zoo.family import Family

FAMILY = Family(
    name="spike",
    look="a peak of height 1/eps and width sqrt(eps) at x = 0; nothing at the ends gives it away",
    equation="(eps+x**2)*u'' + 4*x*u' + 2*u = 0",
    domain=(-1.0, 1.0),
    conditions=("u(-1) = 1/(1+eps)", "u(1) = 1/(1+eps)"),
    exact="1/(eps+x**2)",
    small="eps",
    values=(1e-1, 1e-2, 1e-3, 1e-4, 1e-6),
    layers=lambda eps: ((0.0, sqrt(eps)),),
)
