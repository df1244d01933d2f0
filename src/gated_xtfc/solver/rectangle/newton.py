"""Nonlinear means linear, repeated, as on a line: each step solves the equation linearised about the last values."""

from dataclasses import dataclass, replace

import numpy as np

from gated_xtfc.discretise.axis_grid import Line
from gated_xtfc.operator.plane_operator import Jets, PlaneOperator
from gated_xtfc.solver.newton import DIVERGED, LONGEST, STALLED
from gated_xtfc.solver.rectangle.fit import Fit, fit
from gated_xtfc.types import Array


@dataclass(frozen=True)
class Outcome:
    found: Fit | None  # the last fit, with the equation linearised about its own values
    steps: int
    converged: bool


def newton(operator: PlaneOperator, x: Line, y: Line, start: Array, goal: float, most: int) -> Outcome:
    """From values at all sites, until a step is shorter than `goal`, relative to max(1, max|u|)."""
    points, sides = (x.sites[x.inner], y.sites[y.inner]), operator.problem.sides
    values, before = start, np.inf
    found: Fit | None = None
    linear = operator(*points, jets(operator, x, y, values))
    for steps in range(1, most + 1):
        if not linear.finite:
            return Outcome(None, steps, False)
        found = fit(x, y, sides, linear, 0.1 * goal, values[np.ix_(x.inner, y.inner)])
        size = float(np.abs(found.values).max())
        if not np.isfinite(size) or size > DIVERGED:
            return Outcome(None, steps, False)
        length = float(np.abs(found.values - values).max())
        reach = LONGEST * max(1.0, float(np.ptp(values)))
        part = min(1.0, reach / max(length, 1e-300))
        for _ in range(12):
            moved = values + part * (found.values - values)
            linear = operator(*points, jets(operator, x, y, moved))
            if linear.finite:
                break
            part *= 0.5
        values = moved
        relative = length / max(1.0, size)
        # steps that are short and no longer shrink are rounding
        if part == 1.0 and (relative <= goal or (relative <= STALLED and relative > 0.3 * before)):
            return Outcome(replace(found, linear=linear), steps, True)
        before = relative
    return Outcome(found, most, False)


def jets(operator: PlaneOperator, x: Line, y: Line, values: Array) -> Jets:
    """The derivatives of values at the sites that the equation asks for, at the inner sites."""
    rows = [[d[line.inner] for d in line.derivatives] for line in (x, y)]
    return {(i, j): rows[0][i] @ values @ rows[1][j].T for i, j in operator.asked}
