"""The error carried along: e <- S^k e + what the step adds, S = (mu/h - J)^-1 mu/h, one k-th of the step each.

A step adds the difference between equations in differences of order q + 4 and q, and the embedded error in time. Errors
of two steps could cancel; so what a step adds is given, front by front, the sign that makes the error grow.
"""

import numpy as np

from gated_xtfc.solver.moving.layout import State
from gated_xtfc.solver.moving.step import METHOD, Stages
from gated_xtfc.types import Array, Index

UNFILTERED = 1.083  # the embedded error by that inside a step, where nothing is stiff
ENDED = 5.0  # the error at the end of a step is below ENDED sqrt(local) local where nothing is stiff


def carried(stages: Stages, size: Array) -> Array:
    """The estimated error at the end of a step, (m, n), from that at its start."""
    local, within = (float(np.abs(one / size[:, None]).max()) for one in (stages.local, stages.within))
    # for u' = z (u - g) + g' the ratio of the two falls from UNFILTERED to 0 as -z grows, and the error at the end of
    # the step grows from next to nothing to s times the embedded one, always below this:
    stiff = METHOD.stages * max(0.0, 1.0 - local / (UNFILTERED * within)) ** 4 if within > 0.0 else 0.0
    ended = stages.local * max(stiff, min(1.0, ENDED * local**0.5))
    regions = stages.before.layout.regions
    return _grown(_grown(stages.old, stages.added, regions), ended, regions)


def across_anchors(state: State) -> Array:
    """What differences across places where equations switch may have cost, by field, (m,).

    Where u_xx leaps by J, differences of sites on both sides are off by as much: a source over their reach w, to which
    u_t = nu u_xx + nu J answers by J w L / 4 at most.
    """
    found = np.zeros(len(state.values))
    system, x = state.layout.system, state.x
    if not system.anchors:
        return found
    bends = system.jets(state.frame, state.values[None])[2][:, 0]
    reach = system.sites.order // 2 + 1
    for place in system.anchors:
        right = int(np.clip(np.searchsorted(x, place), reach, x.size - 1 - reach))
        leap = np.abs(bends[:, right + reach - 1] - bends[:, right - reach])
        found = np.maximum(found, leap * (x[right + reach - 1] - x[right - reach]) * (x[-1] - x[0]) / 4.0)
    return found


def _grown(error: Array, added: Array, regions: Index) -> Array:
    """The error with what is added to it in every region, with the sign that makes it grow."""
    agree = np.add.reduceat(error * added, regions, axis=1)
    sign = np.where(agree >= 0.0, 1.0, -1.0)
    return error + np.repeat(sign, np.diff(np.append(regions, error.shape[1])), axis=1) * added
