"""From an easy member of the family to the one asked for: follow the solution as a parameter goes to its value.

Steps are even in the logarithm of the parameter; they grow where Newton's method is at ease and are halved
where it fails.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from gated_xtfc.errors import InputError
from gated_xtfc.operator.linearise import Operator
from gated_xtfc.solution.base import Round
from gated_xtfc.solver.adapt import Adapted, Limits, adapt, begin, guide
from gated_xtfc.solver.discretisation import Discretisation, F, L, Start
from gated_xtfc.types import Array

EASY = 1.0  # the value of the parameter with which the easiest member is expected
LEVEL = 1e-3  # largest tolerance on the way
FIRST = 0.5  # decades of the first step
SHORT = 0.3  # decades; after a step shorter than this a member that misses its tolerance is taken all the same
LEAST = 0.002  # decades of the shortest step that is tried
MOST_LEVELS = 200
PROBED = {1: 21, 2: 11}  # places on each axis where the highest derivatives' coefficients are looked at
ABOUT = 0.7  # the constant about which equations are linearised for that


def small_parameter(space: Discretisation[L, F]) -> str | None:
    """The parameter below one that the highest derivatives, beside all else, follow most closely."""
    problem = space.problem
    lead = _lead(space)
    best, name = 0.1, None
    for parameter, value in problem.parameters.items():
        if 0.0 < value < EASY:
            with np.errstate(all="ignore"):
                other = _lead(space.for_problem(problem(**{parameter: 2.0 * value})))
                growth = float(np.log2(np.nanmax(other / lead)))
            if growth > best:
                best, name = growth, parameter
    return name


def _lead(space: Discretisation[L, F]) -> Array:
    """How large the highest derivatives' terms are beside the others in each equation, (equations,).

    Beside the others, for a parameter that multiplies every term is no more than a unit. For a field as large as the
    conditions make it, that varies over the whole domain.
    """
    problem, start = space.problem, space.default_start()
    parts = np.linspace(0.03, 0.97, PROBED[len(problem.axes)])
    points = tuple(axis.left + axis.length * parts for axis in problem.axes)
    value = (0,) * len(points)
    sizes = [float(np.abs(start.about(f, points, value)).max()) or 1.0 for f in range(len(problem.fields))]
    operator = Operator(problem, lambda f, at, orders: np.full(tuple(x.size for x in at), ABOUT * sizes[f]))
    linear = operator.at(points, operator.jets(points), list(problem.starts.values()))
    found = []
    for fields, source in zip(linear.coefficients, linear.source, strict=True):
        lead, rest = 0.0, float(np.abs(source).max())
        for factors, order, size in zip(fields, operator.orders, sizes, strict=True):
            for orders, a in factors.items():
                length = float(np.prod([axis.length**k for axis, k in zip(problem.axes, orders, strict=True)]))
                term = float(np.abs(a).max()) * size / length
                lead, rest = (max(lead, term), rest) if sum(orders) == order else (lead, max(rest, term))
        found.append(lead / rest if rest > 0.0 else 1.0)
    return np.array(found)


def follow(
    space: Discretisation[L, F],
    parameter: str,
    tol: float,
    limits: Limits,
    guess: Start | None = None,
    report: Callable[[Round], None] | None = None,
) -> tuple[Adapted[F] | None, list[Round]]:
    """The solution at the problem's own value of the parameter, or at the last value reached, with the path to it."""
    problem = space.problem
    target = problem.parameters[parameter]
    if target <= 0.0:
        raise InputError(f"continuation in {parameter} needs a positive value, not {target:g}")

    def member(value: float) -> Discretisation[L, F]:
        return space.for_problem(problem(**{parameter: value}))

    path: list[Round] = []
    left, way = limits.steps, -1.0 if target < EASY else 1.0
    for back in range(3):
        # one, or further back from the target
        value = EASY * 10.0 ** (-way * back)
        here, wanted = member(value), level_tolerance(value, tol)
        last = adapt(here, *begin(here, wanted, guess), wanted, replace(limits, steps=left))
        left -= last.steps
        if last.found is not None:
            break
    if last.found is None:
        return None, path
    step = FIRST
    while True:
        path.append(replace(min(last.history, key=lambda entry: entry.error), value=value))
        if report is not None:
            report(path[-1])
        if value == target or len(path) >= MOST_LEVELS or left <= 0 or limits.over():
            return last, path
        while True:
            following = value * 10.0 ** (way * step)
            following = max(following, target) if way < 0 else min(following, target)
            wanted = tol if following == target else level_tolerance(following, tol)
            assert last.found is not None
            here = member(following)
            coordinates = guide(here, last.found, wanted) or last.found.coordinates
            adapted = adapt(here, coordinates, here.as_start(last.found), wanted, replace(limits, steps=left))
            left -= adapted.steps
            # a member that falls short is worth a shorter step, while there is one
            if adapted.error <= wanted or (adapted.error <= 10.0 * LEVEL and step <= SHORT):
                break
            step *= 0.5
            if step < LEAST or left <= 0 or limits.over():
                return last, path
        easy = max(entry.steps for entry in adapted.history) <= 6
        step = min(2.0, step * (2.0 if easy else 1.0))
        value, last = following, adapted


def level_tolerance(value: float, tol: float) -> float:
    """The tolerance for a member on the way.

    A corner layer changes u by no more than the small parameter. Left unresolved, it would lead the next member astray,
    so the error has to be below the parameter.
    """
    return max(tol, min(LEVEL, 0.1 * value))
