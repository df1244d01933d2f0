"""A linear problem on a rectangle as the published method needs it: sum a_pq(x, y) d^(p+q)u/dx^p dy^q = source.

Values on the sides that are not zero are met by a function with lines between opposite sides, corners counted once
(Coons). With s, t from 0 to 1 on the axes it is (1-s) l(y) + s r(y) + (1-t) b(x) + t d(x) - the bilinear function of
the corners. The sides' data are taken as Chebyshev series, so that their second derivatives are at hand.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.polynomial import Chebyshev
from scipy.fft import dct

from gated_xtfc.baselines.chebyshev import lobatto
from gated_xtfc.baselines.constrained import require_linear
from gated_xtfc.errors import InputError, quoted
from gated_xtfc.operator.linearise import Operator
from gated_xtfc.problem.domain import Axis
from gated_xtfc.problem.problem import Problem
from gated_xtfc.problem.side import Side
from gated_xtfc.types import Array, Orders

# All of these are functions of (x, y), which broadcast, and so does what they give.
LinearEquation = Callable[[Array, Array], tuple[Mapping[Orders, Array | float], Array]]  # coefficients a_pq, and source
Lift = Callable[[Array, Array, Orders], Array]  # a function with the values asked for on the sides, or its derivative
FIRST, LAST = 16, 4096  # degrees
ENOUGH = 1e-13  # relative to the largest coefficient: below, they are rounding


@dataclass(frozen=True, eq=False)
class Rectangle:
    axes: tuple[Axis, Axis]
    operator: LinearEquation
    lift: Lift | None = None  # None: zero on the sides


def rectangle(problem: Problem | Rectangle, method: str) -> Rectangle:
    """What the method needs to know of a problem; refuses what it cannot handle."""
    if isinstance(problem, Rectangle):
        return problem
    if len(problem.axes) != 2:
        raise InputError(f"{method} works on a rectangle, not on a line: give a soft split instead")
    require_linear(problem, method)
    for side in problem.sides:
        if side.weights[1] != 0.0:
            raise InputError(f"{method} needs values on all sides, not {quoted(side.text)}: use the default solver")
    axes = problem.axes[0], problem.axes[1]
    if all(side.homogeneous for side in problem.sides):
        return Rectangle(axes, _equation(problem))
    first, second, third, fourth = (
        interpolated(_values(side), side.along_axis, side.named()) for side in problem.sides
    )
    return Rectangle(axes, _equation(problem), Coons(axes, (first, second, third, fourth)))


def _equation(problem: Problem) -> LinearEquation:
    operator, name = Operator(problem), problem.fields[0]

    def evaluated(x: Array, y: Array) -> tuple[dict[Orders, Array | float], Array]:
        (found,) = operator.residuals_at((x, y))
        factors = {o: found.partials[name, o] for o in operator.derivatives[0] if (name, o) in found.partials}
        return factors, -np.asarray(found.value)

    return evaluated


def _values(side: Side) -> Callable[[Array], Array]:
    return lambda t: side.data(t) / side.weights[0]


@dataclass(frozen=True, eq=False)
class Coons:
    """The lift: a function that takes given values on the four sides."""

    axes: tuple[Axis, Axis]
    sides: tuple[Chebyshev, Chebyshev, Chebyshev, Chebyshev]  # on x left, x right (of y), y left, y right (of x)

    def __call__(self, x: Array, y: Array, orders: Orders) -> Array:
        places = (x, y)
        ramps = [ramp(axis, z, order) for axis, z, order in zip(self.axes, places, orders, strict=True)]
        found: Array = np.zeros(np.broadcast_shapes(np.shape(x), np.shape(y)))
        for k in (0, 1):
            for end in (0, 1):
                found = found + ramps[k][end] * self.sides[2 * k + end].deriv(orders[1 - k])(places[1 - k])
        for i, column in enumerate(ramps[0]):
            for j, row in enumerate(ramps[1]):
                corner = self.sides[i](self.axes[1].right if j else self.axes[1].left)
                found = found - corner * column * row
        return found


def ramp(axis: Axis, z: Array, order: int) -> tuple[Array, Array]:
    """The functions 1 - s and s along an axis, or their derivatives."""
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
