"""What differences in space will add to the error in the time that is left, if all goes on as it does now.

A front forgets nothing: its remainders stay what they are, but what shifts it adds up, by time over thickness. One
backward Euler step of the error's own equation over the whole time, e/T = J e + d, sees that at once: modes that die
out are as large as what feeds them, and a shift grows for all of T.
"""

import numpy as np
from scipy.linalg import solve_banded

from gated_xtfc.solver.moving.layout import State
from gated_xtfc.solver.moving.size import largest
from gated_xtfc.solver.moving.step import gate_velocity
from gated_xtfc.solver.moving.tracking import adrift
from gated_xtfc.types import Array

UNSURE = 10.0  # by which more may be added than is foreseen: it depends on how fronts lie between their sites
FITS = 3  # of the velocity of gates, each of what the last one left: over all the time every digit of it counts


def foreseen(state: State, size: Array, over: float, off: float) -> float:
    """The largest error, relative to `size` (m,), that differences in space add over a time.

    Fronts are put `off` thicknesses beside their gates, as they may come to lie: in the middle of symmetric sites much
    cancels that does not beside it.
    """
    system, layout, t = state.layout.system, state.layout, np.array([state.t])
    packing, band, values = system.packing, system.packing.band, state.values[None]
    penalties = system.penalties(state.frame, state.t, state.values)
    right, slopes = system.right_side(state.frame, t, values, None, penalties)
    motion, blurred = np.zeros(layout.sites.size), 0.0
    if state.gates.shape[1]:
        beside = np.append(off * state.gates[1] * layout.free[0], np.zeros_like(state.gates[1]))
        values = values + slopes * (beside @ state.frame.motion[0])
        velocity = np.zeros_like(state.gates)
        for _ in range(FITS):
            velocity = velocity + gate_velocity(state, right[0] + slopes[0] * motion, slopes[0], size)
            motion = velocity.ravel() @ state.frame.motion[0]
        blurred = float((adrift(over * np.abs(velocity[0]).max(), np.abs(slopes[0])) / size).max())
    sides = [
        system.right_side(state.frame, t, values, motion[None], penalties, checking)[0] for checking in (False, True)
    ]
    matrix = -over * system.jacobian(state.frame, state.t, state.values, motion, penalties)[band:]
    matrix[band] += system.packed_mass
    source = over * packing.packed((sides[1] - sides[0]) * system.counted)[0]
    try:
        found = packing.unpacked(solve_banded((band, band), matrix, source)[None])[0]
    except (np.linalg.LinAlgError, ValueError):
        return 0.0
    ahead = largest(found, size) - blurred  # of which more sites make nothing less
    return max(ahead, 0.0) if np.isfinite(ahead) else 0.0
