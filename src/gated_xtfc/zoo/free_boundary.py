"""Free boundary: oxygen diffuses into tissue that consumes it, as far as it gets, and that distance is unknown.

u'' = 1 + a u up to the place s where u and u' vanish; on x = depth/s the unknown constant is lam = s^2:
u = (cosh(sqrt(a) s (1 - x)) - 1)/a with cosh(sqrt(a) s) = 1 + a.
"""

from math import acosh

from gated_xtfc.zoo.family import Family

DEPTH = "log(1 + a + sqrt(a*(2 + a)))"  # sqrt(a) s

FAMILY = Family(
    name="free_boundary",
    look="u touches zero with zero slope at x = 1: the extra condition fixes lam, the square of the depth",
    equation="u'' = lam*(1 + a*u)",
    domain=(0.0, 1.0),
    conditions=("u(0) = 1", "u(1) = 0", "u'(1) = 0"),
    exact=f"2*sinh({DEPTH}*(1-x)/2)**2/a",
    small="a",
    values=(1.0, 1e-1, 1e-3),
    constants={"lam": lambda a: acosh(1 + a) ** 2 / a},
)
