"""Other solutions that one solution tells of: zero, its mirror image, itself with the sign turned, or both.

Where such an image meets the equations and the conditions as well as the solution does, and is another function, a
nonlinear problem has it as another solution. That is looked at in places, layers included: the solution is evaluated
once, at places that lie as the domain does, so that its images are there as well.
"""

import numpy as np

from gated_xtfc.language.dual import value_of
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solution.interval import IntervalSolution
from gated_xtfc.types import Array, Index

PLACES = 41
APART = 1e-3  # of the size of a field: how far an image must be from the solution
ROUNDED = 1e-10  # of the terms of a condition, and of the largest derivative
AS_WELL = 10.0  # times the residual of the solution itself

Jets = dict[tuple[str, int], Array]  # by field and order, at the places


def images_that_solve(solution: IntervalSolution) -> list[str]:
    """Those among the images that are other solutions, in words."""
    problem = solution.problem
    (axis,) = problem.axes
    if problem.unknown or problem.nonlinear_conditions or any(one.all_integrals for one in problem.conditions):
        return []
    points = [term.point for condition in problem.conditions for term in condition.terms]
    some = np.unique(np.concatenate([solution.points(PLACES)[1:-1], points]))
    middle = axis.left + axis.right
    half = np.unique(np.where(some > 0.5 * middle, middle - some, some))
    x = np.concatenate([half, (middle - half)[::-1]])  # the mirror image of place k is place -1 - k
    with np.errstate(all="ignore"):
        own: Jets = {
            (name, j): np.asarray(solution.function(f, x, j))
            for f, (name, order) in enumerate(problem.order.items())
            for j in range(order + 1)
        }
        mirrored = {key: (-1.0) ** key[1] * values[::-1] for key, values in own.items()}
        images: dict[str, Jets] = {
            "zero": {key: np.zeros_like(x) for key in own},
            "its mirror image": mirrored,
            "itself with the sign turned": {key: -values for key, values in own.items()},
            "its mirror image with the sign turned": {key: -values for key, values in mirrored.items()},
        }
        inside = np.flatnonzero(np.abs(2.0 * x - middle) < axis.length)  # at an end equations may be singular
        limit = AS_WELL * _misses(problem, own, x, inside)
        known, found = [own], []
        for words, image in images.items():
            new = all(_apart(image, other, problem) for other in known)
            if new and _meets(problem, image, x) and np.all(_misses(problem, image, x, inside) <= limit):
                known.append(image)
                found.append(words)
    return found


def _apart(image: Jets, other: Jets, problem: Problem) -> bool:
    """Whether two are different functions."""
    for name in problem.fields:
        a, b = image[name, 0], other[name, 0]
        if float(np.abs(a - b).max()) > APART * float(max(np.abs(a).max(), np.abs(b).max())):
            return True
    return False


def _meets(problem: Problem, image: Jets, x: Array) -> bool:
    """Whether a function meets the conditions, but for rounding."""
    for condition in problem.conditions:
        at = [(term, int(np.argmin(np.abs(x - term.point)))) for term in condition.terms]
        parts = [term.weight * float(image[term.field, term.order][k]) for term, k in at]
        sizes = [abs(term.weight) * float(np.abs(image[term.field, term.order]).max()) for term, _ in at]
        if abs(sum(parts) - condition.value) > ROUNDED * (sum(sizes) + abs(condition.value)):
            return False
    return True


def _misses(problem: Problem, image: Jets, x: Array, inside: Index) -> Array:
    """How far a function is from meeting each equation, with room for rounding."""
    state = {(name, (j,)): values[inside] for (name, j), values in image.items()}
    room = ROUNDED * max(float(np.abs(values).max()) for values in image.values())
    found = []
    for equation in problem.equations:
        left = np.asarray(value_of(equation.residual((x[inside],), dict(state)))) + np.zeros(inside.size)
        found.append(float(np.abs(left).max()) + room if np.isfinite(left).all() else np.inf)
    return np.array(found)
