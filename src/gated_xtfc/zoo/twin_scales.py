"""Two reactions with diffusion on two scales: u has a layer inside a layer, v only feels the wide one.

w = (1, 1) - sum_k c_k V_k cosh(r_k (x - 1/2))/cosh(r_k/2), with r_k^2 and V_k = (1, 2 - eps r_k^2) the eigenpairs of
diag(1/eps, 1/mu) [[2, -1], [-1, 2]] and c such that both fields vanish at the ends.
"""

from math import sqrt

from gated_xtfc.zoo.family import Family

ROOT = "sqrt((mu + eps)**2 - 3*mu*eps)"
FAST = f"((mu + eps + {ROOT})/(mu*eps))"  # the squares of the two rates
SLOW = f"(3/(mu + eps + {ROOT}))"  # their product is 3/(mu eps)


def mode(square: str) -> str:
    """cosh(r (x - 1/2))/cosh(r/2), as exponentials that do not overflow."""
    return f"((exp(-sqrt({square})*x) + exp(-sqrt({square})*(1-x)))/(1 + exp(-sqrt({square}))))"


def tilt(square: str) -> str:
    """v over u in a mode."""
    return f"(2 - eps*{square})"


# c_fast + c_slow = 1 (u vanishes), tilt_fast c_fast + tilt_slow c_slow = 1 (v vanishes)
SHARE = f"((1 - {tilt(SLOW)})/({tilt(FAST)} - {tilt(SLOW)}))"

FAMILY = Family(
    name="twin_scales",
    look="u rises within sqrt(eps), then again within sqrt(mu), where v does: two widths share one coordinate",
    equation=("eps*u'' = 2*u - v - 1", "mu*v'' = 2*v - u - 1"),
    domain=(0.0, 1.0),
    conditions=("u(0) = 0", "u(1) = 0", "v(0) = 0", "v(1) = 0"),
    exact={
        "u": f"1 - {SHARE}*{mode(FAST)} - (1 - {SHARE})*{mode(SLOW)}",
        "v": f"1 - {SHARE}*{tilt(FAST)}*{mode(FAST)} - (1 - {SHARE})*{tilt(SLOW)}*{mode(SLOW)}",
    },
    small="eps",
    values=(1e-2, 1e-4, 1e-6, 1e-8, 1e-10),
    layers=lambda eps, mu: ((0.0, sqrt(eps)), (0.0, sqrt(mu)), (1.0, sqrt(eps)), (1.0, sqrt(mu))),
    parameters={"mu": 1e-3},
)
