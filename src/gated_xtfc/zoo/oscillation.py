"""Oscillation without any layer: 1/(4 eps) waves, each of which needs its kernels.

Where 1/eps is even the operator has a null solution, so the members have 1/eps odd, where it is best conditioned.
"""

from gated_xtfc.zoo.family import Family

FAMILY = Family(
    name="oscillation",
    look="a sine with 1/(4 eps) periods: cost grows with their number and no gate can help",
    equation="eps**2*u'' + pi**2/4*u = 0",
    domain=(0.0, 1.0),
    conditions=("u(0) = 0", "u(1) = sin(pi/(2*eps))"),
    exact="sin(pi*x/(2*eps))",
    small="eps",
    values=(1 / 11, 1 / 101, 1 / 1001, 1 / 10001),
)
