"""Third order: eps u''' + u'' = 2 is a parabola that misses u(0) = 0; a layer of thickness eps makes up for it."""

from gated_xtfc.zoo.family import Family

HEIGHT = "(-2/(1 - (1 + 1/eps)*exp(-1/eps)))"  # of the layer

FAMILY = Family(
    name="third_order",
    look="two conditions sit at x = 1 and one at x = 0, where a layer of height 2 and thickness eps starts",
    equation="eps*u''' + u'' = 2",
    domain=(0.0, 1.0),
    conditions=("u(0) = 0", "u(1) = 1", "u'(1) = 0"),
    exact=f"x**2 + {HEIGHT}*(exp(-x/eps) - 1 + x*(1 - exp(-1/eps)))",
    small="eps",
    values=(0.5, 1e-1, 1e-2, 1e-4, 1e-6),
    layers=lambda eps: ((0.0, eps),),
)
