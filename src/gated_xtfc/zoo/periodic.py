"""Periodic conditions: the smoothed answer to a square wave; it has no ends, yet layers at x = 0, 1/2 and 1."""

from gated_xtfc.zoo.family import Family


def arch(x: str) -> str:
    """cosh((x - 1/4)/eps)/cosh(1/(4 eps)) for x in [0, 1/2], without overflow."""
    return f"(exp(-({x})/eps) + exp((({x}) - 0.5)/eps))/(1 + exp(-0.5/eps))"


# min and max keep the branch that is not taken from overflowing
FAMILY = Family(
    name="periodic",
    look="1 on the left half, 0 on the right half, passing 1/2 with slope 1/(2 eps) at each jump of the source",
    equation="eps**2*u'' - u = -where(x < 0.5, 1, 0)",
    domain=(0.0, 1.0),
    conditions=("u(0) = u(1)", "u'(0) = u'(1)"),
    exact=f"where(x < 0.5, 1 - {arch('min(x, 0.5)')}/2, {arch('max(x, 0.5) - 0.5')}/2)",
    small="eps",
    values=(1.0, 1e-1, 1e-2, 1e-4, 1e-6),
    layers=lambda eps: ((0.0, eps), (0.5, eps), (1.0, eps)),
)
