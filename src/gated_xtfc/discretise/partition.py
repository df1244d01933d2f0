"""Elements from gates: an interval cut into pieces that are short where gates are thin, for one member or for many.

Every gate asks for a density of elements around it. An exponential layer asks for elements between fixed multiples of
its decay length, which equalise the error of polynomials there and end where nothing of the layer is left; any other
gate for equal lengths along its own stretch asinh(grading y/thickness)/grading. Cuts are uniform in the integral of the
largest of these densities. A place is an anchor, which is a gate or an end, and an offset from it: so it keeps all its
digits.

Members come last in all arrays. `xp` is NumPy, or a namespace with the same functions.
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


def partition(
    left: Any,
    right: Any,
    location: Any,
    thickness: Any,
    grading: Sequence[float],
    outer: Any = OUTER,
    count: int = 0,
    slower: bool = False,
    xp: Any = np,
) -> Partition:
    """The elements that gates ask for.

    Parameters
    ----------
    left, right
        The ends: numbers, or arrays (members,).
    location, thickness
        Those of the layers, (gates, members) or (gates,). A thickness that is not finite asks for nothing.
    grading
        That of each layer, the same for all members: the one of predicted exponential layers marks them as such.
    outer
        Elements across the interval where no gate asks for more; more than the default where solutions oscillate.
    count
        How many elements; where it is zero, as many as the member that needs most asks for.
    slower
        Whether modes may decay more slowly than an exponential layer's fastest, which its elements then leave room for.
    xp
        The arrays' namespace.
    """
    if location.ndim == 1:
        quick = (
            None
            if count or xp is not np
            else compiled_partition(left, right, location, thickness, grading, outer, slower)
        )
        if quick is not None:
            return quick
        found = partition(left, right, location[:, None], thickness[:, None], grading, outer, count, slower, xp)
        return Partition(*(values[:, 0] for values in found))
    anchor, offset, density, integral = _pieces(left, right, location, thickness, grading, outer, slower, xp)
    zero = xp.zeros((1, *location.shape[1:]), dtype=location.dtype)
    number = count or max(1, int(xp.ceil(xp.max(integral[-1]) - 1e-6)))
    wanted = integral[-1] * (xp.arange(1, number, dtype=offset.dtype) / number)[:, None]
    # the interval that holds each cut is found by counting, for all members at once
    at = xp.sum(integral[1:-1, None] <= wanted, axis=0)
    anchor, offset, density = (xp.take_along_axis(values, at, axis=0) for values in (anchor, offset, density))
    offset = offset + (wanted - xp.take_along_axis(integral, at, axis=0)) / density
    return Partition(
        *_between(xp, xp.concatenate([zero + left, anchor, zero + right]), xp.concatenate([zero, offset, zero]))
    )


def element_counts(
    left: float, right: float, location: Array, thickness: Array, grading: Sequence[float], slower: bool = False
) -> Index:
    """How many elements the gates of every member ask for, (members,), from (gates, members)."""
    integral = _pieces(left, right, location, thickness, grading, OUTER, slower, np)[3]
    found: Index = np.maximum(np.ceil(integral[-1] - 1e-6), 1.0).astype(np.intp)
    return found


def _pieces(
    left: Any, right: Any, location: Any, thickness: Any, grading: Sequence[float], outer: Any, slower: bool, xp: Any
) -> tuple[Any, Any, Any, Any]:
    """Between which places densities are constant: anchors and offsets, densities, and their integral up to each."""
    zero = xp.zeros((1, *location.shape[1:]), dtype=location.dtype)
    low, high = zero + left, zero + right
    thickness = xp.minimum(thickness, 1e3 * (high - low))  # such a gate asks for less than the ends do
    anchors = xp.concatenate([low, high, location])
    # Places between which densities are constant: of every gate on both sides, and the ends.
    parts = [(0, zero), (1, zero)]
    for g, shape in enumerate(grading):
        away = _breaks(xp, thickness[g : g + 1], high - low, shape, slower)
        steps = xp.concatenate([-away[:0:-1], away])
        parts.append((g + 2, xp.clip(steps, low - location[g], high - location[g])))
    offset = xp.concatenate([steps for _, steps in parts])
    owner = xp.concatenate([xp.full(steps.shape, g) for g, steps in parts])
    # places that numbers cannot tell apart are in the order of their offsets
    order = xp.lexsort((offset, xp.take_along_axis(anchors, owner, axis=0) + offset), axis=0)
    offset, owner = xp.take_along_axis(offset, order, axis=0), xp.take_along_axis(owner, order, axis=0)
    anchor, offset, length = _between(xp, xp.take_along_axis(anchors, owner, axis=0), offset)
    density = outer / (high - low) + xp.zeros_like(offset)
    for g, shape in enumerate(grading):
        middle = xp.abs((anchor - location[g]) + (offset + 0.5 * length))
        density = xp.maximum(density, _density(xp, middle, thickness[g], shape, slower))
    integral = xp.concatenate([zero, xp.cumsum(length * density, axis=0)])
    return anchor, offset, density, integral


def compiled_partition(
    left: float,
    right: float,
    location: Sequence[float] | Array,
    thickness: Sequence[float] | Array,
    grading: Sequence[float],
    outer: float,
    slower: bool,
) -> Partition | None:
    """The elements of one member by the compiled core; None where there is none, or where they are too many for it."""
    if compiled.partition is None:
        return None
    gates = (array("d", numbers) for numbers in (location, thickness, grading))
    out = np.empty((3, MOST))
    count = compiled.partition(left, right, *gates, outer, slower, SHAPES, out)
    return Partition(*out[:, :count]) if count else None


def _breaks(xp: Any, thickness: Any, room: Any, shape: float, slower: bool) -> Any:
    """Distances from a gate between which its density is about constant, (n, members)."""
    if shape == EXPONENTIAL[1] and not slower:
        cuts = xp.asarray(DECAY, dtype=thickness.dtype)[:, None] * (thickness / EXPONENTIAL[0])
        return xp.minimum(cuts, room)
    part = xp.arange(GRADED + 1, dtype=thickness.dtype)[:, None] / GRADED
    away = thickness / shape * xp.sinh(xp.arcsinh(shape * room / thickness) * part)
    return xp.where(part < 1.0, away, room)  # without what rounding would leave between there and the far end


def _density(xp: Any, distance: Any, thickness: Any, shape: float, slower: bool) -> Any:
    """Elements in a unit of x that a gate asks for at some distance."""
    if shape == EXPONENTIAL[1] and not slower:
        unit, found = thickness / EXPONENTIAL[0], xp.zeros_like(distance)
        for near, far in zip(DECAY[-2::-1], DECAY[:0:-1], strict=True):
            found = xp.where(distance < far * unit, 1.0 / ((far - near) * unit), found)
        return found
    return 1.0 / (STEP * xp.hypot(thickness, shape * distance))


def _between(xp: Any, anchor: Any, offset: Any) -> tuple[Any, Any, Any]:
    """What lies between neighbouring places: measured from the anchor that is nearer to it."""
    first = xp.abs(offset[:-1]) <= xp.abs(offset[1:])
    apart = anchor[1:] - anchor[:-1]
    start = xp.where(first, offset[:-1], offset[:-1] - apart)
    stop = xp.where(first, offset[1:] + apart, offset[1:])
    return xp.where(first, anchor[:-1], anchor[1:]), start, xp.maximum(stop - start, 0.0)
