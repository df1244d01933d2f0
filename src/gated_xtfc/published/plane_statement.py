"""What the published method of the plane needs to know of a problem; refuses what it cannot handle."""

from collections.abc import Callable

import numpy as np

from gated_xtfc.baselines.dirichlet import require_linear
from gated_xtfc.errors import InputError, quoted
from gated_xtfc.operator.plane_operator import PlaneOperator
from gated_xtfc.problem.plane_problem import PlaneProblem
from gated_xtfc.problem.problem import Problem
from gated_xtfc.problem.side import Side
from gated_xtfc.published.bubbles import Orders
from gated_xtfc.published.coons import Coons, interpolated
from gated_xtfc.published.rectangle import Rectangle
from gated_xtfc.types import Array


def rectangle(problem: Problem | Rectangle, method: str) -> Rectangle:
    """Its equation, linear, and a function with its values on the four sides."""
    if isinstance(problem, Rectangle):
        return problem
    if not isinstance(problem, PlaneProblem):
        raise InputError(f"{method} works on a rectangle, not on a line: give a soft split as the gate instead")
    require_linear(problem, method)
    for side in problem.sides:
        if side.weights[1] != 0.0:
            raise InputError(f"{method} needs values on all sides, not {quoted(side.text)}: use the default solver")
    if all(side.homogeneous for side in problem.sides):
        return Rectangle(problem.axes, _Linear(problem))
    first, second, third, fourth = (interpolated(_values(side), side.along, side.named()) for side in problem.sides)
    return Rectangle(problem.axes, _Linear(problem), Coons(problem.axes, (first, second, third, fourth)))


def _values(side: Side) -> Callable[[Array], Array]:
    return lambda t: side.data(t) / side.weights[0]


class _Linear:
    def __init__(self, problem: PlaneProblem) -> None:
        self.operator = PlaneOperator(problem)

    def __call__(self, x: Array, y: Array) -> tuple[dict[Orders, Array | float], Array]:
        found = self.operator.residual(x, y)
        return {key[1]: factor for key, factor in found.partials.items()}, -np.asarray(found.value)
