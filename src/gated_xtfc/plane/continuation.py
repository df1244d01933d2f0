"""From an easy member of a family on a rectangle to the one asked for, as on a line: a parameter goes to its value."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from gated_xtfc.continuation import EASY, FIRST, LEAST, LEVEL, MOST_LEVELS, SHORT, on_the_way
from gated_xtfc.errors import InputError
from gated_xtfc.plane.guess import Start
from gated_xtfc.plane.operator import PlaneOperator
from gated_xtfc.plane.problem import PlaneProblem
from gated_xtfc.plane.settle import Limits, Settled, begin, carried, guide, settle
from gated_xtfc.solution import Round


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
    target = problem.parameters[parameter]
    if target <= 0.0:
        raise InputError(f"continuation in {parameter} needs a positive value, not {target:g}")
    path: list[Round] = []
    left, way, value = limits.steps, -1.0 if target < EASY else 1.0, EASY
    operator = PlaneOperator(member(problem, parameter, value))
    first = on_the_way(value, tol)
    last = settle(operator, *begin(operator, first, guess), first, replace(limits, steps=left))
    left -= last.steps
    step = FIRST
    while last.found is not None:
        path.append(replace(min(last.history, key=lambda entry: entry.error), value=value))
        if report is not None:
            report(path[-1])
        if value == target or len(path) >= MOST_LEVELS or left <= 0:
            return last, path
        while True:
            following = value * 10.0 ** (way * step)
            following = max(following, target) if way < 0 else min(following, target)
            wanted = tol if following == target else on_the_way(following, tol)
            operator = PlaneOperator(member(problem, parameter, following))
            coordinates = guide(operator, last.found, wanted)
            settled = settle(operator, coordinates, carried(last.found), wanted, replace(limits, steps=left))
            left -= settled.steps
            if settled.error <= wanted or (settled.error <= 10.0 * LEVEL and step <= SHORT):
                break
            step *= 0.5
            if step < LEAST or left <= 0:
                return last, path
        easy = max(entry.steps for entry in settled.history) <= 6
        step = min(2.0, step * (2.0 if easy else 1.0))
        value, last = following, settled
    return None, path
