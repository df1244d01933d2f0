"""Nonlinear means linear, repeated: v -> the solution of the equations linearised about v, on one layout.

The iterate is known by its values and derivatives at the points of the layout, so it may come from anywhere. A step
longer than half the range of the iterate is cut; the last steps are full ones.
"""

import math
import time
from dataclasses import dataclass
from typing import Generic

import numpy as np

from gated_xtfc.operator.linearise import Linearisation
from gated_xtfc.solver.discretisation import Discretisation, F, Iterate, L

LONGEST = 0.5  # length of a step, as a part of the iterate's range
DIVERGED = 1e12  # times the size that a field began with: a step so long has gone astray
STALLED = 1e-5  # steps shorter than this that no longer shrink are rounding
MOST_STEPS = 25  # on one layout


@dataclass(frozen=True)
class Convergence(Generic[F]):
    """Where Newton's method got to."""

    found: F | None  # the last fit; where it converged, with the equations linearised about its own solution
    steps: int
    converged: bool


def newton(
    space: Discretisation[L, F], layout: L, start: Iterate, goal: float, most: int, until: float = math.inf
) -> Convergence[F]:
    """Steps until a full one is shorter than `goal`, relative to the size of every field; at most `most`.

    Unknown constants count as fields do, beside the larger of their value and of the one they began with.
    """
    here = start
    units = [float(np.abs(u).max()) for u in start.values]  # a field that starts at zero has that of its first step
    constant_units = np.where(start.constants == 0.0, 1.0, np.abs(start.constants))
    found: F | None = None
    before = np.inf
    linear = space.linearise(layout, here)
    if not linear.finite:
        return Convergence(None, 0, False)
    for steps in range(1, most + 1):
        found = space.fit(layout, linear, 0.1 * goal, here)
        there = found.iterate
        if not all(np.isfinite(u).all() for u in there.values):
            return Convergence(None, steps, False)
        constants_moved = np.abs(there.constants - here.constants)
        lengths = [float(np.abs(new - old).max()) for old, new in zip(here.values, there.values, strict=True)]
        units = [unit or 2.0 * length for unit, length in zip(units, lengths, strict=True)]
        if any(length > DIVERGED * unit for length, unit in zip(lengths, units, strict=True)):
            return Convergence(None, steps, False)
        ranges = [LONGEST * max(unit, float(np.ptp(old))) for unit, old in zip(units, here.values, strict=True)]
        part = min([1.0, *(reach / length for reach, length in zip(ranges, lengths, strict=True) if length > reach)])
        moved = _moved(space, layout, here, there, part)
        if moved is None:
            return Convergence(found, steps, False)
        here, linear, part = moved
        relative = max(length / size for length, size in zip(lengths, found.sizes, strict=True))
        if there.constants.size:
            change = constants_moved / np.maximum(np.abs(there.constants), constant_units)
            relative = max(relative, float(change.max()))
        settled = relative <= goal or (relative <= STALLED and relative > 0.3 * before)
        if part == 1.0 and settled:
            return Convergence(space.relinearised(found, linear), steps, True)
        before = relative
        if time.perf_counter() > until:
            return Convergence(found, steps, False)
    return Convergence(found, most, False)


def _moved(
    space: Discretisation[L, F], layout: L, here: Iterate, there: Iterate, part: float
) -> tuple[Iterate, Linearisation, float] | None:
    """Part of the way, and the equations linearised there: as much of `part` as keeps them finite."""
    for _ in range(12):
        iterate = here.toward(there, part)
        linear = space.linearise(layout, iterate)
        if linear.finite:
            return iterate, linear, part
        part *= 0.5
    return None
