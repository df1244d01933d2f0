"""From an easy member of a family on a rectangle to the one asked for, as on a line: a parameter goes to its value."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from gated_xtfc.operator.plane_operator import PlaneOperator
from gated_xtfc.problem.plane_problem import PlaneProblem
from gated_xtfc.solution.interval import Round
from gated_xtfc.solver.continuation import EASY, Path
from gated_xtfc.solver.rectangle.guess import Start
from gated_xtfc.solver.rectangle.settle import Limits, Settled, begin, carried, guide, settle


def small_parameter(problem: PlaneProblem) -> str | None:
    """The parameter below one that the factors of the second derivatives follow most closely."""
    lead = _lead(problem)
    best, name = 0.1, None
    for parameter, value in problem.parameters.items():
        if 0.0 < value < EASY:
            growth = float(np.log2(_lead(member(problem, parameter, 2.0 * value)) / lead))
            if growth > best:
                best, name = growth, parameter
    return name


def _lead(problem: PlaneProblem) -> float:
    x, y = (axis.left + axis.length * np.linspace(0.03, 0.97, 11) for axis in problem.axes)
    operator = PlaneOperator(problem)
    linear = operator(x, y, {orders: np.full((x.size, y.size), 0.7) for orders in operator.asked})
    return max(float(np.abs(a).max()) for (i, j), a in linear.coefficients.items() if i + j == 2)


def member(problem: PlaneProblem, parameter: str, value: float) -> PlaneProblem:
    found = problem(**{parameter: value})
    assert isinstance(found, PlaneProblem)
    return found


def follow(
    problem: PlaneProblem,
    parameter: str,
    tol: float,
    limits: Limits,
    guess: Start | None = None,
    report: Callable[[Round], None] | None = None,
) -> tuple[Settled | None, list[Round]]:
    """The solution at the problem's own value of the parameter, or at the last value reached, with the path."""

    def first(value: float, tol: float, steps: int) -> Settled:
        operator = PlaneOperator(member(problem, parameter, value))
        return settle(operator, *begin(operator, tol, guess), tol, replace(limits, steps=steps))

    def onward(last: Settled, value: float, tol: float, steps: int) -> Settled:
        assert last.found is not None
        operator = PlaneOperator(member(problem, parameter, value))
        coordinates = guide(operator, last.found, tol)
        return settle(operator, coordinates, carried(last.found), tol, replace(limits, steps=steps))

    return Path(parameter, first, onward).walk(problem.parameters[parameter], tol, limits.steps, report)
