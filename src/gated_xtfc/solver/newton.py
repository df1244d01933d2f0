"""Nonlinear means linear, repeated: v -> the solution of the equation linearised about v, on one layout of kernels.

The iterate is known by its values and derivatives at the points of the layout, so it may come from anywhere. A step
longer than half the range of the iterate is cut; the last steps are full ones.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gated_xtfc.discretise.rows import physics
from gated_xtfc.operator.linearise import Jets, Linear, Operator
from gated_xtfc.solver.interval.fit import Fit, Layout, fit
from gated_xtfc.types import Array

LONGEST = 0.5  # of the iterate's range
DIVERGED = 1e12
STALLED = 1e-5


@dataclass(frozen=True)
class Outcome:
    found: Fit | None  # the last fit, with the equations linearised about its own solution
    steps: int
    converged: bool


def newton(
    operator: Operator, layout: Layout, start: Jets, constants: Sequence[float], goal: float, most: int
) -> Outcome:
    """Steps until one is shorter than `goal`, relative to max(1, max|u|) of every field; `most` at the most."""
    state, values = start, np.array(constants, dtype=float)
    found: Fit | None = None
    before = np.inf
    linear = operator.at(layout.points, state, values.tolist())
    if not linear.finite:
        return Outcome(None, 0, False)
    for steps in range(1, most + 1):
        found = fit(layout, linear)
        jets = found.jets()
        if not all(np.isfinite(field[0]).all() and np.abs(field[0]).max() < DIVERGED for field in jets):
            return Outcome(None, steps, False)
        lengths = [float(np.abs(new[0] - old[0]).max()) for new, old in zip(jets, state, strict=True)]
        ranges = [LONGEST * max(1.0, float(np.ptp(old[0]))) for old in state]
        part = min(1.0, *(reach / max(length, 1e-300) for reach, length in zip(ranges, lengths, strict=True)))
        moved = _moved(operator, layout, (state, values), (jets, found.constants), part)
        if moved is None:
            return Outcome(found, steps, False)
        state, values, linear, part = moved
        relative = max(
            length / max(1.0, float(np.abs(new[0]).max())) for length, new in zip(lengths, jets, strict=True)
        )
        # steps that are short and no longer shrink are rounding
        settled = relative <= goal or (relative <= STALLED and relative > 0.3 * before)
        if part == 1.0 and settled:
            # The residual of the rows is then that of the equations themselves, not of their last linearisation.
            fine = physics(layout.points, layout.view, linear)
            return Outcome(replace(found, fine=fine, rows=fine[layout.at]), steps, True)
        before = relative
    return Outcome(found, most, False)


def _moved(
    operator: Operator, layout: Layout, here: tuple[Jets, Array], there: tuple[Jets, Array], part: float
) -> tuple[Jets, Array, Linear, float] | None:
    """Part of the way, and the equations linearised there: as much of `part` as keeps them finite."""
    for _ in range(12):
        if part == 1.0:
            state, values = there
        else:
            state = [
                [a + part * (b - a) for a, b in zip(old, new, strict=True)]
                for old, new in zip(here[0], there[0], strict=True)
            ]
            values = here[1] + part * (there[1] - here[1])
        linear = operator.at(layout.points, state, values.tolist())
        if linear.finite:
            return state, values, linear, part
        part *= 0.5
    return None
