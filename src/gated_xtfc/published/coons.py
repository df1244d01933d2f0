"""A function that takes given values on the four sides of a rectangle: lines between opposite sides, corners once.

With s, t from 0 to 1 on the axes: (1-s) l(y) + s r(y) + (1-t) b(x) + t d(x) - the bilinear function of the corners.
The sides' data are taken as Chebyshev series, so that their second derivatives are at hand.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.polynomial import Chebyshev
from scipy.fft import dct

from gated_xtfc.baselines.chebyshev import lobatto
from gated_xtfc.errors import InputError
from gated_xtfc.problem.domain import Axis
from gated_xtfc.published.bubbles import Orders
from gated_xtfc.types import Array

FIRST, LAST = 16, 4096  # degrees
ENOUGH = 1e-13  # relative to the largest coefficient: below, they are rounding


@dataclass(frozen=True, eq=False)
class Coons:
    axes: tuple[Axis, Axis]
    sides: tuple[Chebyshev, Chebyshev, Chebyshev, Chebyshev]  # on x left, x right (of y), y left, y right (of x)

    def __call__(self, x: Array, y: Array, orders: Orders) -> Array:
        """The function, or its derivative of these orders, at (x, y), which broadcast."""
        places, degrees = (x, y), orders
        ramps = [ramp(axis, z, p) for axis, z, p in zip(self.axes, places, degrees, strict=True)]
        found: Array = np.zeros(np.broadcast_shapes(np.shape(x), np.shape(y)))
        for k in (0, 1):
            along, order = places[1 - k], degrees[1 - k]
            for end in (0, 1):
                found = found + ramps[k][end] * self.sides[2 * k + end].deriv(order)(along)
        for i, column in enumerate(ramps[0]):
            for j, row in enumerate(ramps[1]):
                corner = self.sides[i](self.axes[1].right if j else self.axes[1].left)
                found = found - corner * column * row
        return found


def ramp(axis: Axis, z: Array, order: int) -> tuple[Array, Array]:
    """1 - s and s, or their derivatives."""
    if order == 0:
        s = (z - axis.left) / axis.length
        return 1.0 - s, s
    slope = 1.0 / axis.length if order == 1 else 0.0
    return np.full_like(z, -slope), np.full_like(z, slope)


def interpolated(data: Callable[[Array], Array], axis: Axis, named: str) -> Chebyshev:
    """The data of a side as a series, of the least degree that has them to rounding, relative to max(1, max|data|)."""
    degree = FIRST
    while degree <= LAST:
        values = data(lobatto(axis.left, axis.right, degree + 1))[::-1]  # the transform begins at the right end
        weights = dct(values, type=1) / degree
        weights[[0, -1]] *= 0.5
        rounding = ENOUGH * max(1.0, float(np.abs(weights).max()))
        if np.abs(weights[-degree // 8 :]).max() <= rounding:
            return Chebyshev(weights, domain=(axis.left, axis.right)).trim(rounding)
        degree *= 2
    raise InputError(
        f"the data on the side {named} vary too fast for the published method, which needs their second derivatives: "
        "use the default solver"
    )
