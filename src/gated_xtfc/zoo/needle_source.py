"""Needle: a string under a load squeezed into width w at x = c, so thin that sampling the source misses it.

u'' is a narrow Gaussian of mass -2, so u' drops from slope to slope by 2 and u is a tent with a rounded tip.
"""

from gated_xtfc.zoo.family import Family


def rounded(x: str) -> str:
    """|x - c| with its corner rounded over width w."""
    return f"(({x}-c)*erf(({x}-c)/w) + w/sqrt(pi)*exp(-(({x}-c)/w)**2))"


FAMILY = Family(
    name="needle_source",
    look="a tent whose tip at x = c is round only within w; a solver that misses the needle returns u = 0",
    equation="u'' = -2/(w*sqrt(pi))*exp(-((x-c)/w)**2)",
    domain=(0.0, 1.0),
    conditions=("u(0) = 0", "u(1) = 0"),
    exact=f"{rounded('0')}*(1-x) + {rounded('1')}*x - {rounded('x')}",
    small="w",
    values=(1e-1, 1e-2, 1e-3, 1e-5, 1e-6),
    parameters={"c": 0.3},
    layers=lambda w, c: ((c, w),),
)
