"""Robin condition: a tubular reactor (Danckwerts), the inflow known as flux, nothing diffusing out of the end.

u is a combination of exp(slow x) and exp(fast (x - 1)), the rates being the roots of nu r^2 - r - 1 = 0.
"""

from gated_xtfc.zoo.family import Family

ROOT = "sqrt(1 + 4*nu)"
SLOW = f"(-2/(1 + {ROOT}))"  # (1 - root)/(2 nu) without cancellation
FAST = f"((1 + {ROOT})/(2*nu))"
SHARE = f"(-{SLOW}/{FAST}*exp({SLOW}))"  # of the fast mode, from u'(1) = 0
INFLOW = f"((1 + {ROOT})/2 - 2*nu/(1 + {ROOT})*{SHARE}*exp(-{FAST}))"  # u - nu u' of both modes at x = 0

FAMILY = Family(
    name="robin",
    look="u(0) falls short of 1 by what diffuses back; u' is bent to zero within nu of x = 1",
    equation="nu*u'' - u' - u = 0",
    domain=(0.0, 1.0),
    conditions=("u(0) - nu*u'(0) = 1", "u'(1) = 0"),
    exact=f"(exp({SLOW}*x) + {SHARE}*exp({FAST}*(x-1)))/{INFLOW}",
    small="nu",
    values=(1.0, 1e-1, 1e-2, 1e-4, 1e-6, 1e-8),
    layers=lambda nu: ((1.0, nu),),
)
