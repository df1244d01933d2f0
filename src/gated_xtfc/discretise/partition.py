"""Elements from gates: an interval cut into pieces that are short where gates are thin, for one member or for many.

Every gate asks for a density of elements around it. An exponential layer asks for elements between fixed multiples of
its decay length, which equalise the error of polynomials there and end where nothing of the layer is left; any other
gate for equal lengths along its own stretch asinh(grading y/thickness)/grading. Cuts are uniform in the integral of the
largest of these densities. A place is an anchor, which is a gate or an end, and an offset from it: so it keeps all its
digits.

Members come last in all arrays.
"""

from array import array
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from gated_xtfc.core import compiled
from gated_xtfc.gates.prediction import EXPONENTIAL
from gated_xtfc.types import Array, Index

# Cuts of exp(-y) for polynomials of degree ten to twelve, about equal errors each; exp(-35) is below rounding, also of
# slopes in the units of the outer solution.
DECAY = (0.0, 3.0, 6.8, 11.7, 21.3, 35.0)
STEP = 3.5  # kernel widths of a gate to an element
GRADED = 24  # intervals on each side of a gate on which its density is taken for constant
OUTER = 2.0  # elements across an interval without gates
MOST = 256  # elements of one member that the compiled core is asked for
SHAPES = np.array([STEP, GRADED, *EXPONENTIAL, *DECAY])  # all of this, as the compiled core reads it


class Partition(NamedTuple):
    """Elements side by side, each from anchor + offset to anchor + offset + length; arrays (K,) or (K, members)."""

    anchor: Any
    offset: Any
    length: Any

    def points(self, part: Any) -> Any:
        """Places at parts from 0 to 1 of every element, (K, n) or (K, n, members)."""
        inner = part if self.anchor.ndim == 1 else part[:, None]
        return self.anchor[:, None] + (self.offset[:, None] + self.length[:, None] * inner)


class GatedInterval(NamedTuple):
    """An interval with the gates that its elements are to follow, of one member or of many."""

    left: float
    right: float
    location: Sequence[float] | Array  # of every gate, (gates,) or (gates, members)
    thickness: Sequence[float] | Array  # likewise; one that is not finite asks for nothing
    grading: Sequence[float]  # the same for all members: that of predicted exponential layers marks them as such
    outer: float = OUTER  # elements across it where no gate asks for more: more where solutions oscillate
    slower: bool = False  # whether modes may decay more slowly than an exponential layer's fastest, and ask for room

    def partition(self) -> Partition:
        """The elements that gates ask for, of every member as many as the one that needs most."""
        return self.compiled_partition() or self.plain_partition()

    def compiled_partition(self) -> Partition | None:
        """The same by the compiled core; None where there is none, or where elements are too many for it."""
        if compiled.partition is None:
            return None
        left, right, location, thickness, grading, outer, slower = self
        several = location.shape[1:] if isinstance(location, np.ndarray) else ()
        members = several[0] if several else 1
        places, thin = (
            np.ascontiguousarray(numbers) if isinstance(numbers, np.ndarray) else array("d", numbers)
            for numbers in (location, thickness)
        )
        out = np.empty((3, MOST, *several))
        count = compiled.partition(left, right, members, places, thin, array("d", grading), outer, slower, SHAPES, out)
        if not count:
            return None
        return Partition(*(out[:, :count].copy() if several else out[:, :count]))

    def plain_partition(self) -> Partition:
        """The same by NumPy."""
        location, thickness = np.asarray(self.location, dtype=float), np.asarray(self.thickness, dtype=float)
        if location.ndim == 1:
            found = self._replace(location=location[:, None], thickness=thickness[:, None]).plain_partition()
            return Partition(*(values[:, 0] for values in found))
        anchor, offset, density, integral = self._pieces()
        zero = np.zeros((1, *location.shape[1:]))
        number = max(1, int(np.ceil(np.max(integral[-1]) - 1e-6)))
        wanted = integral[-1] * (np.arange(1.0, number) / number)[:, None]
        # the interval that holds each cut is found by counting, for all members at once
        at = np.sum(integral[1:-1, None] <= wanted, axis=0)
        anchor, offset, density = (np.take_along_axis(values, at, axis=0) for values in (anchor, offset, density))
        offset = offset + (wanted - np.take_along_axis(integral, at, axis=0)) / density
        anchor = np.concatenate([zero + self.left, anchor, zero + self.right])
        return Partition(*_between(anchor, np.concatenate([zero, offset, zero])))

    def counts(self) -> Index:
        """How many elements the gates of every member ask for, (members,)."""
        integral = self._pieces()[3]
        found: Index = np.maximum(np.ceil(integral[-1] - 1e-6), 1.0).astype(np.intp)
        return found

    def _pieces(self) -> tuple[Array, Array, Array, Array]:
        """Between which places densities are constant: anchors and offsets, densities, and their integral up to each.

        Gates are those of members here, (gates, members).
        """
        left, right, places, thin, grading, outer, slower = self
        location, thickness = np.asarray(places), np.asarray(thin)
        zero = np.zeros((1, *location.shape[1:]))
        low, high = zero + left, zero + right
        thickness = np.minimum(thickness, 1e3 * (high - low))  # such a gate asks for less than the ends do
        anchors = np.concatenate([low, high, location])
        # Places between which densities are constant: of every gate on both sides, and the ends.
        parts = [(0, zero), (1, zero)]
        for g, shape in enumerate(grading):
            away = _breaks(thickness[g : g + 1], high - low, shape, slower)
            steps = np.concatenate([-away[:0:-1], away])
            parts.append((g + 2, np.clip(steps, low - location[g], high - location[g])))
        offset = np.concatenate([steps for _, steps in parts])
        owner = np.concatenate([np.full(steps.shape, g) for g, steps in parts])
        # places that numbers cannot tell apart are in the order of their offsets
        order = np.lexsort((offset, np.take_along_axis(anchors, owner, axis=0) + offset), axis=0)
        offset, owner = np.take_along_axis(offset, order, axis=0), np.take_along_axis(owner, order, axis=0)
        anchor, offset, length = _between(np.take_along_axis(anchors, owner, axis=0), offset)
        density = outer / (high - low) + np.zeros_like(offset)
        for g, shape in enumerate(grading):
            middle = np.abs((anchor - location[g]) + (offset + 0.5 * length))
            density = np.maximum(density, _density(middle, thickness[g], shape, slower))
        integral = np.concatenate([zero, np.cumsum(length * density, axis=0)])
        return anchor, offset, density, integral


def _breaks(thickness: Array, room: Array, shape: float, slower: bool) -> Array:
    """Distances from a gate between which its density is about constant, (n, members)."""
    if shape == EXPONENTIAL[1] and not slower:
        cuts = np.array(DECAY)[:, None] * (thickness / EXPONENTIAL[0])
        return np.minimum(cuts, room)
    part = np.arange(GRADED + 1.0)[:, None] / GRADED
    away = thickness / shape * np.sinh(np.arcsinh(shape * room / thickness) * part)
    return np.where(part < 1.0, away, room)  # without what rounding would leave between there and the far end


def _density(distance: Array, thickness: Array, shape: float, slower: bool) -> Array:
    """Elements in a unit of x that a gate asks for at some distance."""
    if shape == EXPONENTIAL[1] and not slower:
        unit, found = thickness / EXPONENTIAL[0], np.zeros_like(distance)
        for near, far in zip(DECAY[-2::-1], DECAY[:0:-1], strict=True):
            found = np.where(distance < far * unit, 1.0 / ((far - near) * unit), found)
        return found
    return 1.0 / (STEP * np.hypot(thickness, shape * distance))


def _between(anchor: Array, offset: Array) -> tuple[Array, Array, Array]:
    """What lies between neighbouring places: measured from the anchor that is nearer to it."""
    first = np.abs(offset[:-1]) <= np.abs(offset[1:])
    apart = anchor[1:] - anchor[:-1]
    start = np.where(first, offset[:-1], offset[:-1] - apart)
    stop = np.where(first, offset[1:] + apart, offset[1:])
    return np.where(first, anchor[:-1], anchor[1:]), start, np.maximum(stop - start, 0.0)
