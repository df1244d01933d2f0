"""How much of a step of Newton's method is taken: as much as makes the next correction, by the same inverse, shorter.

    d = -L^-1 F(v),   d' = -L^-1 F(v + part d) = (1 - part) d + q,   part is taken where |d'| <= (1 - part/4) |d|

The test (Deuflhard's natural monotonicity test) is the same in whatever units equations and rows are written: it looks
at corrections, never at residuals. Of q, which grows like part^2, the longest part that will do is known beforehand.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from gated_xtfc.operator.linearise import Linearisation
from gated_xtfc.solver.discretisation import Discretisation, F, Iterate, L
from gated_xtfc.types import Array

SHORTEST = 1e-6  # part of a step below which it leads nowhere
NEAR = 1e-3  # a correction shorter than this, relative to the fields, is taken as it is
MOST_TRIALS = 30
LONGEST = 0.5  # of the range of the iterate: length of a step that is cut

Correction = tuple[tuple[Array, ...], Array]  # of the fields, and of the unknown constants
Scales = tuple[Sequence[float], Array]  # of the same


@dataclass(frozen=True)
class DampedStep:
    """Where a step led to."""

    here: Iterate
    linear: Linearisation  # about it
    part: float
    length: float  # of the correction that it is a part of
    following: Correction | None  # the next correction, by the same inverse; None where it was not looked at


def damped(
    space: Discretisation[L, F],
    layout: L,
    found: F,
    linear: Linearisation,
    here: Iterate,
    scales: Scales,
    units: Sequence[float],
    before: DampedStep | None,
) -> DampedStep | None:
    """As much of the way to a fit as brings the solution nearer; None where no part of it does.

    `before` is the last step; `units` are the sizes that fields began with, for a space that can but cut steps.
    """
    there = found.iterate

    def size(correction: Correction) -> float:
        sizes = [float(np.abs(d).max()) / scale for d, scale in zip(correction[0], scales[0], strict=True)]
        return float(max([*sizes, *(np.abs(correction[1]) / scales[1]).tolist()]))

    whole: Correction = _difference(there, here)
    length = size(whole)
    part, settled = _predicted(whole, length, size, before), False
    for _ in range(MOST_TRIALS):
        if part < SHORTEST:
            return None
        iterate = here.toward(there, part)
        after = space.linearise(layout, iterate)
        if not after.finite:
            part, settled = 0.5 * part, True
            continue
        if length <= NEAR:
            return DampedStep(iterate, after, part, length, None)
        bend = space.bend(found, linear, here, after, iterate, part)
        if bend is None:
            return cut(space, layout, there, here, units)
        fields = tuple((1.0 - part) * d + q for d, q in zip(whole[0], bend.values, strict=True))
        following = fields, (1.0 - part) * whole[1] + bend.constants
        bending = size((bend.values, bend.constants))
        longest = 0.5 * part**2 * length / bending if bending > 0.0 else 1.0
        if not size(following) <= (1.0 - 0.25 * part) * length:
            part, settled = min(longest, 0.5 * part) if np.isfinite(longest) else 0.5 * part, True
        elif part < 1.0 and not settled and longest >= 4.0 * part:
            part, settled = min(1.0, longest), True
        else:
            return DampedStep(iterate, after, part, length, following)
    return None


def cut(
    space: Discretisation[L, F], layout: L, there: Iterate, here: Iterate, units: Sequence[float]
) -> DampedStep | None:
    """A step cut at half the range of the iterate, whether or not it brings the solution nearer."""
    fields, _ = _difference(there, here)
    part = 1.0
    for d, old, unit in zip(fields, here.values, units, strict=True):
        reach, length = LONGEST * max(unit, float(np.ptp(old))), float(np.abs(d).max())
        part = min(part, reach / length) if length > reach > 0.0 else part
    for _ in range(12):
        iterate = here.toward(there, part)
        linear = space.linearise(layout, iterate)
        if linear.finite:
            return DampedStep(iterate, linear, part, np.inf, None)
        part *= 0.5
    return None


def _difference(there: Iterate, here: Iterate) -> Correction:
    fields = tuple(new - old for new, old in zip(there.values, here.values, strict=True))
    return fields, there.constants - here.constants


def _predicted(
    whole: Correction, length: float, size: Callable[[Correction], float], before: DampedStep | None
) -> float:
    """What the last step says of how fast the equations bend."""
    if before is None or before.following is None or before.part == 1.0:
        return 1.0
    fields, constants = before.following
    gap = size((tuple(a - b for a, b in zip(fields, whole[0], strict=True)), constants - whole[1]))
    if not (gap > 0.0 and length > 0.0):
        return 1.0
    return float(min(1.0, before.part * before.length * size(before.following) / (gap * length)))
