"""Whether anything still moves: the distance to a state at rest is -J^-1 F, as Newton's method has it, or AGES F where
that is less, for what would take ages to get there counts as at rest.

Both are compared at later times too, so that what depends on time itself is not taken for at rest.
"""

import numpy as np
from scipy.linalg import solve_banded

from gated_xtfc.solver.moving.layout import State
from gated_xtfc.types import Array

AGES = 100.0  # times the time gone by
LATER = (0.0, 0.37, 2.3, 17.0, 311.0)  # times the time gone by: when the equations are looked at


def distance_to_rest(state: State, scales: Array) -> float:
    """The largest change until everything rests, or within ages, relative to the scales (m,)."""
    system = state.layout.system
    packing, evolution = system.packing, system.equations.evolution
    gone = max(state.t - evolution.time.left, 1e-3 * evolution.horizon)
    # beyond the end of time nothing counts
    times = np.minimum(state.t + gone * np.array(LATER), evolution.time.right)
    penalties = system.penalties(state.frame, state.t, state.values)
    rates = [
        packing.packed(system.right_side(state.frame, np.array([t]), state.values[None], None, penalties)[0])[0]
        for t in times
    ]
    matrix = system.jacobian(state.frame, state.t, state.values, None, penalties)[packing.band :]
    moved = float((AGES * gone * np.abs(packing.unpacked(np.stack(rates)) * system.mass) / scales[:, None]).max())
    try:
        steps = solve_banded((packing.band, packing.band), matrix, -np.stack(rates, axis=1))
    except (np.linalg.LinAlgError, ValueError):
        return moved
    found = float((np.abs(packing.unpacked(steps.T)) / scales[:, None]).max())
    return min(found, moved) if np.isfinite(found) else moved
