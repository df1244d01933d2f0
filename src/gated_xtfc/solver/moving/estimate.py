"""The error carried along: e <- R(h J) e + what the step adds, R the method's own.

A step adds the difference between equations in differences of order q + 4 and q, and the embedded error in time. Errors
of two steps could cancel; so what a step adds is given, front by front, the sign that makes the error grow;
ahead of fronts, where values are next to nothing, it is given site by site.
"""

import numpy as np

from gated_xtfc.solver.moving.layout import State
from gated_xtfc.solver.moving.radau import METHOD
from gated_xtfc.solver.moving.size import largest
from gated_xtfc.types import Array, Index, Mask

UNFILTERED = 5.0  # the embedded error by that inside a step, where nothing is stiff
AHEAD = 1e-3  # of a field: smaller values are ahead of a front, where what is wrong may grow until the front arrives
BESIDE = 0.03  # of the distance of two sites: where values left and right of a switch between them are taken
ENDED = 5.0  # the error at the end of a step is below ENDED sqrt(local/change) local where nothing is stiff


def grown(
    old: Array, added: Array, local: Array, within: Array, values: Array, change: Array, size: Array, regions: Index
) -> Array:
    """The estimated error at the end of a step, (m, n), from what that at its start has become and what is added to it.

    `local` is the difference to the embedded method, `within` the error of the polynomial inside the step, (m, n) each;
    `regions` (k,) the first sites of those that share a sign, where `values` (m, n) have some size; `change` (m, n) is
    theirs in the step.
    """
    ending, inside = (largest(one, size) for one in (local, within))
    # for u' = z (u - g) + g' the ratio of the two falls from UNFILTERED to 0 as -z grows, and the error at the end of
    # the step grows from next to nothing to s times the embedded one, always below this:
    stiff = METHOD.stages * max(0.0, 1.0 - ending / (UNFILTERED * inside)) ** 4 if inside > 0.0 else 0.0
    changed = max(min(largest(change, size), 1.0), 1e-300)
    ended = local * max(stiff, min(1.0, ENDED * (ending / changed) ** 0.5))
    alone = np.abs(values) < AHEAD * size[:, None]
    return _grown(_grown(old, added, regions, alone), ended, regions, alone)


def across_anchors(state: State) -> Array:
    """What differences across places where equations switch may have cost, by field, (m,).

    Where u_xx leaps by J, differences of sites on both sides are off by as much: a source over their reach w, to which
    u_t = nu u_xx + nu J answers by J w L / 4 at most.
    """
    found = np.zeros(len(state.values))
    system, x = state.layout.system, state.x
    if not system.anchors or system.sites.cuts:
        return found
    bends = system.jets(state.frame, state.values[None])[2][:, 0]
    reach = system.sites.order // 2 + 1
    for place in system.anchors:
        right = int(np.clip(np.searchsorted(x, place), reach, x.size - 1 - reach))
        leap = np.abs(bends[:, right + reach - 1] - bends[:, right - reach])
        found = np.maximum(found, leap * (x[right + reach - 1] - x[right - reach]) * (x[-1] - x[0]) / 4.0)
    return found


def across_switches(state: State, since: float) -> Array:
    """The same where equations switch by a field or by time, where(u > 0.5, 1, 0): the place travels between the sites.

    F leaps there by J, and where is known to the distance w of two sites only: a source J over w, to which u answers
    by J T at most in the time T since the start, and where nu spreads it by J w min(L / 4 nu, sqrt(T / pi nu)).
    """
    found = np.zeros(len(state.values))
    system, x = state.layout.system, state.x
    equations = system.equations
    if not equations.switches:
        return found
    u, u_x, u_xx = (part[:, 0] for part in system.jets(state.frame, state.values[None]))
    for argument in equations.switched_by(x, state.t, (u, u_x, u_xx)):
        for i in np.flatnonzero(argument[1:] * argument[:-1] < 0.0):
            if any(x[i] <= place <= x[i + 1] for place in system.anchors):
                continue
            part = argument[i] / (argument[i] - argument[i + 1])
            beside = np.clip(part + np.array([-BESIDE, BESIDE]), 0.0, 1.0)
            a, b, c = (one[:, [i]] + beside * (one[:, [i + 1]] - one[:, [i]]) for one in (u, u_x, u_xx))
            at = x[i] + beside * (x[i + 1] - x[i])
            rates = equations(at, np.asarray(state.t), (a, b, c))
            leap = np.abs(rates[:, 1] - rates[:, 0])
            spread = equations.partials(at, state.t, (a, b, c)).second.max(axis=2).diagonal()
            wide = x[i + 1] - x[i]
            with np.errstate(divide="ignore", invalid="ignore"):
                lever = np.fmin((x[-1] - x[0]) / (4.0 * spread), np.sqrt(since / (np.pi * spread)))
            found += leap * np.fmin(since, wide * np.where(spread > 0.0, lever, np.inf))
    return found


def _grown(error: Array, added: Array, regions: Index, alone: Mask) -> Array:
    """The error with what is added to it, with the sign that makes it grow in every region, or at a site alone."""
    agree = np.add.reduceat(error * added, regions, axis=1)
    together = np.repeat(agree >= 0.0, np.diff(np.append(regions, error.shape[1])), axis=1)
    return error + np.where(np.where(alone, error * added >= 0.0, together), 1.0, -1.0) * added
