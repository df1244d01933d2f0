"""The spaces that problems live in: an interval, a rectangle."""

import math
from typing import Any

from gated_xtfc.problem.problem import Problem
from gated_xtfc.solver.discretisation import Discretisation
from gated_xtfc.solver.interval.discretisation import IntervalDiscretisation
from gated_xtfc.solver.tolerance import Tolerance


def space_of(
    problem: Problem, tol: float, tolerance: Tolerance | None = None, until: float = math.inf
) -> Discretisation[Any, Any]:
    """The space that a problem lives in, with its way of solving."""
    if len(problem.axes) == 1:
        return IntervalDiscretisation.to(problem, tol, tolerance)
    # imported here, so that problems on an interval need not wait for it
    from gated_xtfc.solver.rectangle.discretisation import RectangleDiscretisation

    return RectangleDiscretisation(problem, tolerance, until)
