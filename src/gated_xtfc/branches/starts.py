"""Where Newton's method may start from: what is known, mirrored, turned, put together, with waves and bumps on top."""

import math
from collections.abc import Callable

import numpy as np

from gated_xtfc.operator.linearise import Points
from gated_xtfc.problem.domain import Axis
from gated_xtfc.solution.interval import IntervalSolution
from gated_xtfc.solver.discretisation import Start
from gated_xtfc.types import Array, Orders


def on_top(base: Start, axis: Axis, shape: Callable[[Array, int], Array], heights: Array) -> Start:
    """A shape of t = (x - left)/length added to every field, as high as these say."""

    def about(f: int, points: Points, orders: Orders) -> Array:
        t = (points[0] - axis.left) / axis.length
        more: Array = shape(t, orders[0]) / axis.length ** orders[0]
        return base.about(f, points, orders) + float(heights[f]) * more

    return Start(about, base.constants)


def mirrored(base: Start, axis: Axis) -> Start:
    def about(f: int, points: Points, orders: Orders) -> Array:
        turned: Array = (-1.0) ** orders[0] * base.about(f, (axis.left + axis.right - points[0],), orders)
        return turned

    return Start(about, base.constants)


def turned(base: Start) -> Start:
    return Start(lambda f, points, orders: -base.about(f, points, orders), base.constants)


def together(one: Start, other: Start, base: Start) -> Start:
    def about(f: int, points: Points, orders: Orders) -> Array:
        return one.about(f, points, orders) + other.about(f, points, orders) - base.about(f, points, orders)

    return Start(about, one.constants)


def wave(t: Array, order: int, number: int) -> Array:
    """sin(n pi t) and its derivatives."""
    wave = number * math.pi
    value: Array = wave**order * np.sin(wave * t + 0.5 * math.pi * order)
    return value


def bump(t: Array, order: int, place: float, width: float) -> Array:
    """exp(-z^2), z = (t - place)/width, and its derivatives."""
    z = (t - place) / width
    polynomial = np.polynomial.hermite.hermval(z, [0.0] * order + [1.0])
    return np.asarray((-1.0 / width) ** order * polynomial * np.exp(-z * z), dtype=np.float64)


def from_solution(solution: IntervalSolution) -> Start:
    def about(f: int, points: Points, orders: Orders) -> Array:
        return solution.function(f, points[0], orders[0])

    return Start(about, solution.values)
