"""Nonlinear means linear, repeated: v -> the solution of the equations linearised about v, on one layout.

The iterate is known by its values and derivatives at the points of the layout, so it may come from anywhere. Steps are
damped (damping.py); the last ones are full ones.
"""

import math
import time

import numpy as np

from gated_xtfc.solver.damping import DampedStep, cut, damped
from gated_xtfc.solver.discretisation import Convergence, Discretisation, F, Iterate, L

DIVERGED = 1e12  # times the size that a field began with: a step so long has gone astray
STALLED = 1e-5  # steps shorter than this that no longer shrink are rounding
MOST_STEPS = 25  # on one layout ...
PATIENT_STEPS = 60  # ... and where nothing quicker led to a solution; then a step is cut where no part of it helps ...
MOST_CUT = 3  # ... so many times


def newton(
    space: Discretisation[L, F],
    layout: L,
    start: Iterate,
    goal: float,
    most: int,
    until: float = math.inf,
    patient: bool = False,
) -> Convergence[F]:
    """Steps until a full one is shorter than `goal`, relative to the size of every field; at most `most`.

    Unknown constants count as fields do, beside the larger of their value and of the one they began with. A patient
    attempt takes longer, and leaves places from which no part of a step leads nearer.
    """
    here, most = start, min(most, PATIENT_STEPS if patient else MOST_STEPS)
    units = [float(np.abs(u).max()) for u in start.values]  # a field that starts at zero has that of its first step
    constant_units = np.where(start.constants == 0.0, 1.0, np.abs(start.constants))
    found: F | None = None
    step: DampedStep | None = None
    before, cuts = np.inf, MOST_CUT if patient else 0
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
        scales = [max(unit, float(np.abs(old).max())) or 1.0 for unit, old in zip(units, here.values, strict=True)]
        constant_scales = np.maximum(constant_units, np.abs(here.constants))
        step = damped(space, layout, found, linear, here, (scales, constant_scales), units, step)
        if step is None and cuts:
            step, cuts = cut(space, layout, there, here, units), cuts - 1
        if step is None:
            return Convergence(found, steps, False)
        here, linear = step.here, step.linear
        relative = max(length / size for length, size in zip(lengths, found.sizes, strict=True))
        if there.constants.size:
            change = constants_moved / np.maximum(np.abs(there.constants), constant_units)
            relative = max(relative, float(change.max()))
        settled = relative <= goal or (relative <= STALLED and relative > 0.3 * before)
        if step.part == 1.0 and settled:
            return Convergence(space.relinearised(found, linear), steps, True)
        before = relative
        if time.perf_counter() > until:
            return Convergence(found, steps, False)
    return Convergence(found, most, False)
