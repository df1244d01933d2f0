"""Where a solution is left open: at a singular point, and by a period that is unknown.

At a singular point x and sqrt(x) both vanish. Smooth kernels do not see sqrt(x), and would vouch for the other one.
Kernels that become narrower towards the point see it better and better: a homogeneous solution like x^r leaves a
residual that falls like the power r of their width, and the amplification of residuals grows alike. Where nothing is
left open, it does not.
"""

from collections.abc import Callable

import numpy as np

from gated_xtfc.gates.coordinate import AxisCoordinates
from gated_xtfc.operator.linearise import Operator, Points
from gated_xtfc.operator.singular import exponents
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solver.refine import narrowed
from gated_xtfc.types import Array, Orders

DEEPER = (1e-3, 1e-6)  # of the kernel width at a singular point
WHOLE = 1e-3  # distance from a whole number that makes a power smooth
PLACES = np.linspace(0.05, 0.95, 7)  # parts of the domain
CHOSEN = (0.37, -1.29)  # constants that no equation is known to prefer
PART = 0.3  # of the growth that a power makes, which counts as one


def undetermined(
    operator: Operator, coordinates: AxisCoordinates, amplification: Callable[[AxisCoordinates], float]
) -> bool:
    """`amplification` gives that of a layout on other coordinates."""
    powers = [r for piece in coordinates for place in piece.singular for r in _open(operator, place)]
    if not powers:
        return False
    first, second = (
        amplification(tuple(narrowed(piece, piece.singular, part) for piece in coordinates)) for part in DEEPER
    )
    growth = (DEEPER[0] / DEEPER[1]) ** min(powers)
    return bool(second > max(1.5, PART * growth) * first)


def _open(operator: Operator, place: float) -> list[float]:
    """Powers with which bounded solutions that are not smooth vanish at a singular point."""
    (axis,) = operator.problem.axes
    side = 1 if place == axis.left else -1
    reach = (axis.right - place) if side > 0 else (place - axis.left)
    found = exponents(lambda x: operator.evaluate((x,)), place, side, reach) or ()
    return [r.real for r in found if r.real > WHOLE and max(abs(r.imag), abs(r.real - round(r.real))) > WHOLE]


def any_constants_solve(problem: Problem) -> bool:
    """Whether all unknown constants zero, and every field some constant, whichever, solves equations on a circle.

    So it is where a period is unknown: u' = T f(u) and u(0) = u(1) hold for T = 0 and what does not change.
    """
    if not problem.unknown or problem.linear or len(problem.axes) > 1 or not problem.domain.finite:
        return False
    tied = {term.field for one in problem.conditions for term in one.terms if len({t.point for t in one.terms}) > 1}
    if tied != {*problem.fields}:
        return False
    points = (problem.axes[0].at(PLACES),)

    def about(field: int, x: Points, orders: Orders) -> Array:
        return np.full_like(x[0], CHOSEN[field % 2] if orders == (0,) else 0.0)

    linear = Operator(problem, about, (0.0,) * len(problem.unknown)).evaluate(points)
    for fields, source in zip(linear.by_order, linear.source, strict=True):
        # linearised about these fields, the equation misses its source by what it leaves
        terms = [a[0] * about(f, points, (0,)) for f, a in enumerate(fields)]
        left, size = sum(terms) - source, np.abs(terms).sum(axis=0) + np.abs(source)
        if not (np.abs(left) <= 1e-12 * size).all():
            return False
    return True
