"""Newton's method away from solutions that are known: the residual times 1 + 1/distance^2 for each of them.

With m(u) the product of these factors, the step of m F is that of F, d, made longer or shorter, or turned round:

    1 / (1 - m'(u) d / m(u))  times d.

So one number is all that deflation takes, and near a new solution it is one.
"""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gated_xtfc.solver.discretisation import Iterate
from gated_xtfc.solver.interval.discretisation import IntervalDiscretisation
from gated_xtfc.solver.interval.fit import IntervalFit
from gated_xtfc.solver.interval.layout import IntervalLayout
from gated_xtfc.types import Array

MOST_STEPS = 25
LONGEST = 1.0  # length of a step, as a part of the size of the iterate and of the solutions known
SETTLED = 1e-6  # length of a step that ends the search; the solver itself goes on from there
ASTRAY = 1e4  # times the size of what is known: an iterate so large is lost
FACTOR = 8.0  # by which deflation may lengthen a step


@dataclass(frozen=True, eq=False)
class Deflated:
    """Newton's method on one layout, away from known solutions."""

    space: IntervalDiscretisation
    layout: IntervalLayout
    known: Sequence[Array]  # each solution at the points of the layout, all fields one after the other
    sizes: Array  # of every field, by which distances are measured
    until: float

    def from_(self, start: Iterate) -> IntervalFit | None:
        """A solution that is none of the known ones; None where the method ends nowhere."""
        here, found = start, None
        for _ in range(MOST_STEPS):
            if time.perf_counter() > self.until:
                return None
            linear = self.space.linearise(self.layout, here)
            if not linear.finite:
                return None
            try:
                found = self.space.fit(self.layout, linear, SETTLED)
            except np.linalg.LinAlgError:
                return None
            there = found.iterate
            u, new = self._vector(here), self._vector(there)
            if not np.isfinite(new).all():
                return None
            step = new - u
            length = float(np.sqrt(np.mean(step**2)))
            part = self._factor(u, step)
            if length <= SETTLED and abs(part - 1.0) < 0.5:
                return found
            reach = LONGEST * max(1.0, float(np.sqrt(np.mean(u**2))))
            if abs(part) * length > reach:
                part = math.copysign(reach / length, part)
            here = here.toward(there, part)
            if float(np.abs(self._vector(here)).max()) > ASTRAY:
                return None
        return None

    def distance(self, fit: IntervalFit) -> float:
        """The distance from the nearest known solution."""
        u = self._vector(fit.iterate)
        return min((float(np.sqrt(np.mean((u - own) ** 2))) for own in self.known), default=math.inf)

    def _vector(self, iterate: Iterate) -> Array:
        """All fields at the sites, in units of their sizes."""
        parts = [values / size for values, size in zip(iterate.values, self.sizes, strict=True)]
        return np.concatenate(parts)

    def _factor(self, u: Array, step: Array) -> float:
        """What the step is multiplied by."""
        slope = 0.0
        for own in self.known:
            gap = u - own
            square = float(np.mean(gap**2))
            if square == 0.0:
                return FACTOR
            slope += -2.0 * float(np.mean(gap * step)) / square / (1.0 + square)
        below = 1.0 - slope
        return float(np.clip(1.0 / below, -FACTOR, FACTOR)) if below != 0.0 else FACTOR
