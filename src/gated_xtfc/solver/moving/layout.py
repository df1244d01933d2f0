"""A layout: a coordinate with its pins, sites, and the equations on them; a state: the solution at one time on it."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gated_xtfc.core.compiled import MOST_GATES
from gated_xtfc.discretise.moving.coordinate import Frame, MovingCoordinate
from gated_xtfc.discretise.moving.pins import Pins
from gated_xtfc.discretise.moving.sites import Sites
from gated_xtfc.solver.moving.compiled_system import Packed
from gated_xtfc.solver.moving.system import MovingSystem
from gated_xtfc.types import Array, Index, Mask

ORDER = 10  # of the differences in space
FEWEST = 3 * ORDER + 4  # intervals between sites
AT_END = 1.5  # thicknesses from an end within which a gate stands still
REMAPPED = ORDER + 7  # sites through which values go from one layout to the next


@dataclass(frozen=True, eq=False)
class MovingLayout:
    """What stays the same from one remap to the next."""

    coordinate: MovingCoordinate
    pins: Pins | None
    system: MovingSystem
    gates: Array  # when it was laid out, (2, g)

    @property
    def sites(self) -> Sites:
        return self.system.sites

    @cached_property
    def free(self) -> Mask:
        """Whether place and thickness of a gate may change, (2, g): one at an end or an anchor stays as it is."""
        held = self.at_ends(self.gates) | np.isin(self.gates[0], self.system.anchors)
        return np.broadcast_to(~held, self.gates.shape)

    @cached_property
    def fixed(self) -> Array:
        """Gates that are not free, as bytes, (2, g)."""
        return np.ascontiguousarray(~self.free).astype(np.uint8)

    @cached_property
    def core(self) -> tuple[Packed, Packed] | None:
        """System and coordinate as the compiled core reads them; None where NumPy serves."""
        system = self.system.core
        if system is None or self.coordinate.count > MOST_GATES:
            return None
        return system, self.coordinate.packed(self.pins)

    def at_ends(self, gates: Array) -> Mask:
        """Which of some gates (2, g) are as near to an end as they are thick, or outside, (g,)."""
        near = AT_END * gates[1]
        found: Mask = (gates[0] < self.coordinate.left + near) | (gates[0] > self.coordinate.right - near)
        return found

    @cached_property
    def regions(self) -> Index:
        """The first of the sites that are nearest to each gate, in eta."""
        cuts = np.zeros(0) if self.pins is None else 0.5 * (self.pins.eta[1:] + self.pins.eta[:-1])
        return np.unique(np.append(0, np.searchsorted(self.sites.eta, cuts))).astype(np.int64)

    def frame(self, gates: Array, start: Frame | None = None) -> Frame:
        """The sites for gates (s, 2, g)."""
        return self.coordinate.frame(gates, self.sites.eta, self.pins, start)


def laid_out(
    system: MovingSystem, coordinate: MovingCoordinate, gates: Array, density: float, most: int
) -> tuple[MovingLayout, Frame]:
    """A layout with so many sites per unit of the coordinate, and its frame; LinAlgError where sites get no order."""
    length = coordinate.length(gates) if gates.shape[1] else (coordinate.right - coordinate.left) / coordinate.width
    intervals = int(np.clip(np.ceil(length * density), FEWEST, most))
    anchors = np.array(system.anchors)
    joined = anchors.size > 0 and system.equations.hosts is not None
    for pins in (coordinate.pins(gates), None):
        if joined and pins is None:
            break  # nothing else holds the sites beside them
        places = slopes = anchors
        if joined:
            places, slopes = coordinate.eta(anchors, gates, pins), coordinate.slope(anchors, gates, pins)
        layout = MovingLayout(coordinate, pins, system.on(intervals, ORDER, places, slopes), gates)
        try:
            frame = layout.frame(gates[None])
        except np.linalg.LinAlgError:
            continue
        if frame.regular:
            return layout, frame
    raise np.linalg.LinAlgError("gates too close for their sites")


@dataclass(frozen=True, eq=False)
class State:
    """The solution at one time."""

    t: float
    layout: MovingLayout
    gates: Array  # (2, g)
    frame: Frame  # one stage
    values: Array  # (m, n)
    error: Array  # estimated, with signs, (m, n): what earlier steps left
    trail: tuple[tuple[float, Array], ...] = ()  # times and gates of the last step ends

    @property
    def x(self) -> Array:
        found: Array = self.frame.x[0]
        return found

    def at(self, x: Array, points: int = REMAPPED) -> Array:
        """The values at places x, (m, p)."""
        eta = self.layout.coordinate.eta(x, self.gates, self.layout.pins)
        return self.layout.sites.interpolated(self.values, eta, points)

    def on(self, layout: MovingLayout, frame: Frame) -> "State":
        """The same solution on another layout; what the change costs goes into its error."""
        sites = self.layout.sites
        eta = self.layout.coordinate.eta(frame.x[0], self.gates, self.layout.pins)
        values = sites.interpolated(self.values, eta, REMAPPED)
        checked = sites.interpolated(self.values, eta, REMAPPED + 4)
        error = sites.interpolated(self.error, eta, 4) + checked - values
        values[:, [0, -1]] = self.values[:, [0, -1]]
        for old_site, new_site in zip(sites.joints, layout.sites.joints, strict=True):
            values[:, new_site : new_site + 2] = self.values[:, old_site : old_site + 2]
        trail: tuple[tuple[float, Array], ...] = ()
        old, new = self.gates, layout.gates
        if old.shape == new.shape and new.size and np.all(np.abs(old[0] - new[0]) < 3.0 * new[1]):
            moved, thinned = new[0] - old[0], new[1] / old[1]
            after = ((t, np.stack([g[0] + moved, g[1] * thinned])) for t, g in self.trail)
            trail = tuple((t, np.where(layout.free, g, new)) for t, g in after)  # a gate that is held has not moved
        return State(self.t, layout, new, frame, values, error, trail)
