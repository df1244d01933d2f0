"""A map of an interval to itself under which layers are what they were, though they have become thinner.

Around each layer it is a stretch, d -> factor d; from the edge of its core to half-way to the next layer, or to the
end, a power of the distance leads over to d -> d. So a solution that is carried along has thinner layers of the same
shapes, and what lies between them stays in its place. In an element that is carried it stays the same polynomial.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from gated_xtfc.discretise.partition import Partition
from gated_xtfc.gates import Layer
from gated_xtfc.types import Array, Index, Mask

CORE = 12.0  # thicknesses of a layer that keep their shape ...
ROOM = 0.25  # ... where this part of the way to the next layer is no less
APART = 4.0  # bends closer than so many thicknesses are one layer


@dataclass(frozen=True)
class Stretch:
    """Where places have moved to."""

    centres: Array  # (n,) of the layers
    reaches: Array  # (n,) their thicknesses as they were
    borders: Array  # (n + 1,) between them, with both ends of the interval
    factors: Array  # (n,) by which they have become thinner, below one

    @classmethod
    def of(cls, ends: tuple[float, float], layers: Sequence[Layer], factors: Sequence[float]) -> "Stretch":
        """From layers and how much thinner each becomes; those that are close together are one."""
        found: list[tuple[float, float, float, float]] = []  # first and last place, thickness, factor
        for layer, factor in sorted(zip(layers, factors, strict=True), key=lambda one: one[0].location):
            place, thickness = layer.location, layer.thickness
            if found and place - found[-1][1] <= APART * (thickness + found[-1][2]):
                first, _, before, least = found[-1]
                found[-1] = (first, place, max(thickness, before, 0.5 * (place - first)), min(factor, least))
            else:
                found.append((place, place, thickness, factor))
        centres = []
        for first, last, thickness, _ in found:
            beside = [end for end in ends if min(abs(first - end), abs(last - end)) <= APART * thickness]
            centres.append(beside[0] if beside else 0.5 * (first + last))
        middles = [0.5 * (a + b) for a, b in pairwise(centres)]
        reaches, own = (np.array([one[k] for one in found]) for k in (2, 3))
        return cls(np.array(centres), reaches, np.array([ends[0], *middles, ends[1]]), own)

    def _owner(self, x: Array) -> Index:
        found: Index = np.searchsorted(self.borders[1:-1], x)
        return found

    def _shape(self, which: Index, right: Mask) -> tuple[Array, Array]:
        """Where the core of a layer ends, as it is now, and the power beyond."""
        centre, factor = self.centres[which], self.factors[which]
        room = np.where(right, self.borders[which + 1] - centre, centre - self.borders[which])
        core = np.minimum(CORE * self.reaches[which], ROOM * room) * factor
        some = np.where(room > 0.0, core, 1.0)  # a layer at an end has no room beyond it
        power = np.where(room > 0.0, np.log(np.where(room > 0.0, room, 2.0) * factor / some), 1.0)
        return core, power / np.where(room > 0.0, np.log(np.where(room > 0.0, room, 2.0) / some), 1.0)

    def carried(self, elements: Partition) -> Partition:
        """Elements where they are now."""
        if not self.centres.size:
            return elements
        which = self._owner(elements.anchor + (elements.offset + 0.5 * elements.length))
        centre = self.centres[which]
        left = (elements.anchor - centre) + elements.offset
        core, power = self._shape(which, left + 0.5 * elements.length > 0.0)
        would = np.abs(left) * self.factors[which]
        inside = would <= core
        far = core * (np.where(inside, 1.0, would) / np.where(inside, 1.0, core)) ** (1.0 / power)
        offset = np.copysign(np.where(inside, would, far), left)
        offset[0] = self.borders[0] - centre[0]
        # an element ends where the next one begins, whatever layer that is measured from
        apart = (centre[1:] - centre[:-1]) + offset[1:]
        return Partition(centre, offset, np.append(apart, self.borders[-1] - centre[-1]) - offset)

    def gates(self, layers: Sequence[Layer]) -> tuple[Layer, ...]:
        """Gates as they are now."""
        if not self.centres.size:
            return tuple(layers)
        factors = self.factors[self._owner(np.array([layer.location for layer in layers]))].tolist()
        return tuple(
            replace(one, thickness=one.thickness * factor) for one, factor in zip(layers, factors, strict=True)
        )
