"""What errors are compared with while a solution evolves: the range of every field, and a part of what it has been."""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_banded

from gated_xtfc.solver.moving.layout import State
from gated_xtfc.types import Array

OFFSET = 0.05  # of the largest value, which errors are relative to in the end: what varies by less is next to constant
LATER = 0.5  # of the whole time: when a field that does not begin to grow is looked at
GROWN = 1e-2  # of its first rate times the whole time: what a field that begins with zero is expected to become
REMEMBERED = 0.1  # of the largest range so far


def field_sizes(values: Array) -> Array:
    """The range of every field (m, n), or a part of its largest value, (m,); one where it vanishes."""
    size = np.maximum(np.ptp(values, axis=1), OFFSET * np.abs(values).max(axis=1))
    return np.where(size > 0.0, size, 1.0)


@dataclass
class RunningSizes:
    """The sizes of the fields as time goes on."""

    floor: Array  # (m,): for a field that begins with zero
    top: Array  # the largest ranges so far
    peak: Array  # the largest absolute values so far

    @classmethod
    def of(cls, state: State, rates: Array, time: float) -> "RunningSizes":
        """At the start, where fields that vanish are measured by how fast they begin to grow; rates (m, n).

        One that does not begin to grow by itself does so later, or as others have grown.
        """
        values = state.values
        range_, peak = np.ptp(values, axis=1), np.abs(values).max(axis=1)
        growth = np.abs(np.where(np.isfinite(rates), rates, 0.0)).max(axis=1) * time
        if ((peak == 0.0) & (growth == 0.0)).any():
            growth = np.where(growth > 0.0, growth, np.abs(_change(state, LATER * time)).max(axis=1))
        empty = np.where(peak > 0.0, 0.0, np.where(growth > 0.0, GROWN * growth, 1.0))
        return cls(empty, range_, peak)

    def now(self, values: Array) -> Array:
        """For the values at one time, (m, n)."""
        range_, peak = np.ptp(values, axis=1), np.abs(values).max(axis=1)
        self.top, self.peak = np.maximum(self.top, range_), np.maximum(self.peak, peak)
        # errors are relative to the peak in the end, and what changes its sign has a range of twice that
        size = np.maximum(np.maximum(np.minimum(range_, peak), OFFSET * peak), REMEMBERED * self.top)
        found: Array = np.maximum(size, self.floor)
        return found

    @property
    def scale(self) -> Array:
        """What errors are relative to so far, (m,): a field that begins with zero is expected to grow."""
        found: Array = np.maximum(self.peak, self.floor)
        return np.where(found > 0.0, found, 1.0)


def largest(part: Array, size: Array) -> float:
    """The largest of a part of the fields (m, n), relative to their sizes (m,)."""
    return float((np.abs(part) / size[:, None]).max())


def _change(state: State, time: float) -> Array:
    """About what the fields change by within a time, (m, n): one implicit step, which sees what drives them then."""
    system, t = state.layout.system, state.t + time
    packing, band = system.packing, system.packing.band
    with np.errstate(all="ignore"):
        penalties = system.penalties(state.frame, t, state.values)
        right, _ = system.right_side(state.frame, np.array([t]), state.values[None], None, penalties)
        matrix = -time * system.jacobian(state.frame, t, state.values, None, penalties)[band:]
    matrix[band] += system.packed_mass
    try:
        found = solve_banded((band, band), matrix, time * packing.packed(right)[0])
    except (np.linalg.LinAlgError, ValueError):
        return np.zeros_like(state.values)
    change: Array = packing.unpacked(np.where(np.isfinite(found), found, 0.0)[None])[0]
    return change
