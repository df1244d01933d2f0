"""Other solutions that one solution tells of: zero, its mirror image, itself with the sign turned, or both.

Where such an image meets the equations and the conditions as well as the solution does, and is another function, a
nonlinear problem has it as another solution. That is looked at in places, layers included: the solution is evaluated
once, at places that lie as the domain does, so that its images are there as well. Most equations have no such symmetry,
which numbers in the place of the solution tell beforehand.
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
ZERO, MIRRORED, TURNED, BOTH = (
    "zero",
    "its mirror image",
    "itself with the sign turned",
    "its mirror image with the sign turned",
)
PROBES = np.array([0.2137, 0.4619, 0.8853])  # of the domain, nowhere special


def others_in_words(solution: IntervalSolution) -> str:
    """What a message says of the images that are other solutions; nothing where there are none."""
    others = images_that_solve(solution)
    if not others:
        return ""
    what = "another solution" if len(others) == 1 else "other solutions"
    return f"; {what} of the problem: {', '.join(others)}"


def images_that_solve(solution: IntervalSolution) -> list[str]:
    """Those among the images that are other solutions, in words."""
    problem = solution.problem
    (axis,) = problem.axes
    if problem.unknown or problem.nonlinear_conditions or any(one.all_integrals for one in problem.conditions):
        return []
    with np.errstate(all="ignore"):
        possible = _symmetries(problem)
    if not possible:
        return []
    points = [term.point for condition in problem.conditions for term in condition.terms]
    some = np.unique(np.concatenate([solution.points(PLACES)[1:-1], points]))
    middle = axis.left + axis.right
    half = np.unique(np.where(some > 0.5 * middle, middle - some, some))
    x = np.concatenate([half, (middle - half)[::-1]])  # the mirror image of place k is place -1 - k
    with np.errstate(all="ignore"):
        new = _apart(problem, _images(_jets(solution, x, 0)), possible)
        if not new:
            return []
        own = _jets(solution, x)
        images = _images(own)
        inside = np.flatnonzero(np.abs(2.0 * x - middle) < axis.length)  # at an end equations may be singular
        limit = AS_WELL * _misses(problem, own, x, inside)
        return [
            words
            for words in new
            if _meets(problem, images[words], x) and np.all(_misses(problem, images[words], x, inside) <= limit)
        ]


def _jets(solution: IntervalSolution, x: Array, most: int | None = None) -> Jets:
    """The fields and their derivatives, up to the order of the equations unless told."""
    return {
        (name, j): np.asarray(solution.function(f, x, j))
        for f, (name, order) in enumerate(solution.problem.order.items())
        for j in range((order if most is None else most) + 1)
    }


def _images(own: Jets) -> dict[str, Jets]:
    """All images, and under no name what they are images of."""
    mirrored = {key: (-1.0) ** key[1] * values[::-1] for key, values in own.items()}
    return {
        "": own,
        ZERO: {key: np.zeros_like(values) for key, values in own.items()},
        MIRRORED: mirrored,
        TURNED: {key: -values for key, values in own.items()},
        BOTH: {key: -values for key, values in mirrored.items()},
    }


def _apart(problem: Problem, images: dict[str, Jets], possible: list[str]) -> list[str]:
    """Those that differ from the solution, and from the ones before them."""
    seen = [""]
    for words in possible:
        gaps = [
            [(images[words][name, 0], images[other][name, 0]) for name in problem.fields] for other in seen
        ]  # fields, for each of those before
        if all(any(_differ(a, b) for a, b in pairs) for pairs in gaps):
            seen.append(words)
    return seen[1:]


def _differ(a: Array, b: Array) -> bool:
    return float(np.abs(a - b).max()) > APART * float(max(np.abs(a).max(), np.abs(b).max()))


def _symmetries(problem: Problem) -> list[str]:
    """The images that may be solutions: those that leave what the equations miss as it is, or make it zero."""
    (axis,) = problem.axes
    x, mirror = axis.left + axis.length * PROBES, axis.right - axis.length * PROBES
    places = np.concatenate([x, x, mirror, x, mirror])  # zero, itself, mirrored, turned, both
    state: dict[tuple[str, tuple[int, ...]], Array] = {}
    for f, (name, order) in enumerate(problem.order.items()):
        for j in range(order + 1):
            values = np.sin(1.0 + f + 3.0 * j + np.arange(len(PROBES)))
            turned = values if j % 2 == 0 else -values
            state[name, (j,)] = np.concatenate([0.0 * values, values, turned, -values, -turned])
    possible = dict.fromkeys((ZERO, MIRRORED, TURNED, BOTH), True)
    for equation in problem.equations:
        left = np.asarray(value_of(equation.residual((places,), dict(state)))) + np.zeros(places.size)
        zero, own, *others = np.abs(left).reshape(5, -1)
        if np.isfinite(left).all():  # otherwise nothing is told
            possible[ZERO] &= not zero.any()
            for words, other in zip((MIRRORED, TURNED, BOTH), others, strict=True):
                possible[words] &= bool(np.all(np.abs(other - own) <= ROUNDED * own))
    return [words for words, may in possible.items() if may]


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
