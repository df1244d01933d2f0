"""Reaction that is four times stronger right of x = 1/2: u and u' are continuous there, u'' jumps.

On each side u is 1/reaction plus an exponential from each end of that side; four conditions give their factors.
"""

from gated_xtfc.zoo.family import Family

Q, R = "exp(-0.5/eps)", "exp(-1/eps)"  # decay across the left half, at rate 1/eps, and the right half, at rate 2/eps
SHRINK = f"((1 - {R}**2)/(2*(1 + {R}**2)))"
# factors of the exponentials that fall from 1/2 to the left and to the right, then of those from the ends
TO_LEFT = f"((-0.75 + {Q} - {R}/4 - {SHRINK}*({Q} + {R}/2))/(1 - {R} + {SHRINK}*(1 + {R})))"
TO_RIGHT = f"(-({TO_LEFT}*(1 + {R}) + {Q} + {R}/2)/(2*(1 + {R}**2)))"
FROM_LEFT, FROM_RIGHT = f"(-1 - {TO_LEFT}*{Q})", f"(-0.25 - {TO_RIGHT}*{R})"
# min and max keep the branch that is not taken from overflowing
LEFT = f"1 + {FROM_LEFT}*exp(-x/eps) + {TO_LEFT}*exp(min(x - 0.5, 0)/eps)"
RIGHT = f"0.25 + {TO_RIGHT}*exp(-2*max(x - 0.5, 0)/eps) + {FROM_RIGHT}*exp(-2*(1-x)/eps)"

FAMILY = Family(
    name="jump_in_coefficient",
    look="a step from 1 to 1/4 at x = 1/2, eps wide on the left and eps/2 on the right, and two boundary layers",
    equation="eps**2*u'' - where(x < 0.5, 1, 4)*u = -1",
    domain=(0.0, 1.0),
    conditions=("u(0) = 0", "u(1) = 0"),
    exact=f"where(x < 0.5, {LEFT}, {RIGHT})",
    small="eps",
    values=(1.0, 1e-1, 1e-2, 1e-4, 1e-6, 1e-8),
    layers=lambda eps: ((0.0, eps), (0.5, eps), (1.0, eps)),
)
