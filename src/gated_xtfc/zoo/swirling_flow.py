"""Fluid between two discs that turn against one another: f along the axis, g around it, of order six together.

No closed form: `exact` is a collocation on panels, followed from eps = 1 in half decades, right to about 1e-11.
"""

from functools import lru_cache
from math import sqrt

import numpy as np

from gated_xtfc.zoo.family import Family, Values
from gated_xtfc.zoo.panels import POINTS, Panels, collocate

CONDITIONS = [(0, False, 0.0), (1, False, 0.0), (4, False, -1.0), (0, True, 0.0), (1, True, 0.0), (4, True, 1.0)]


def slope(y: Values, eps: float) -> tuple[Values, Values]:
    """y = (f, f', f'', f''', g, g')."""
    f, f1, _, f3, g, g1 = y.T
    value = np.stack([f1, y[:, 2], f3, -(f * f3 + g * g1) / eps, g1, (f1 * g - f * g1) / eps], axis=1)
    jacobian = np.zeros((len(y), 6, 6))
    jacobian[:, 0, 1] = jacobian[:, 1, 2] = jacobian[:, 2, 3] = jacobian[:, 4, 5] = 1.0
    for column, entry in ((0, -f3), (3, -f), (4, -g1), (5, -g)):
        jacobian[:, 3, column] = entry / eps
    for column, entry in ((0, -g1), (1, g), (4, f1), (5, -f)):
        jacobian[:, 5, column] = entry / eps
    return value, jacobian


@lru_cache(maxsize=8)
def reference(eps: float) -> Panels:
    step = sqrt(eps)
    inner = [step * 1.5**k for k in range(40) if step * 1.5**k < 0.4]
    ends = np.array([0.0, *inner, 0.5, *(1 - distance for distance in reversed(inner)), 1.0])
    start = np.zeros((ends.size - 1, POINTS, 6))
    nodes = ends[:-1, None] + np.diff(ends)[:, None] * np.sin(0.5 * np.pi * np.arange(POINTS) / (POINTS - 1)) ** 2
    start[:, :, 4], start[:, :, 5] = 2 * nodes - 1, 2.0
    found, here = Panels(ends, start), 1.0
    while True:
        found = collocate(lambda y: slope(y, here), CONDITIONS, found)  # noqa: B023
        if here == eps:
            return found
        here = max(eps, here / sqrt(10))


def axial(x: Values, eps: float) -> Values:
    return reference(float(eps))(x, 0)


def around(x: Values, eps: float) -> Values:
    return reference(float(eps))(x, 4)


FAMILY = Family(
    name="swirling_flow",
    look="g turns from -1 to 1 with layers of thickness sqrt(eps) at the discs; f is small and odd about the middle",
    equation=("eps*f'''' + f*f''' + g*g' = 0", "eps*g'' + f*g' - f'*g = 0"),
    domain=(0.0, 1.0),
    conditions=("f(0) = 0", "f(1) = 0", "f'(0) = 0", "f'(1) = 0", "g(0) = -1", "g(1) = 1"),
    exact={"f": axial, "g": around},
    small="eps",
    values=(1.0, 1e-1, 1e-2, 1e-3, 1e-4),
    layers=lambda eps: ((0.0, sqrt(eps)), (1.0, sqrt(eps))),
)
