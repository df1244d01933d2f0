"""Elements divided where too much of the error comes from: by the compiled core, or by its NumPy twin."""

from collections.abc import Sequence

import numpy as np

from gated_xtfc.core import compiled
from gated_xtfc.discretise.partition import Partition
from gated_xtfc.gates import Layer
from gated_xtfc.solver.interval.element_layout import halfway, halved
from gated_xtfc.types import Array

LONGER = 8.0  # times an element that is divided: then its neighbour is divided with it


def divided(elements: Partition, excess: Array, layers: Sequence[Layer], most: float) -> Partition:
    """Elements with an excess above one in halves along the stretch of their layer, above `most` in quarters."""
    if compiled.divide is None:
        return by_arrays(elements, excess, layers, most)
    location = np.array([layer.location for layer in layers])
    thickness, grading = np.array([layer.thickness for layer in layers]), np.array([layer.grading for layer in layers])
    found = np.empty((3, 8 * excess.size))
    count = compiled.divide(*elements, excess, location, thickness, grading, LONGER, most, found)
    return Partition(*(np.ascontiguousarray(row[:count]) for row in found))


def by_arrays(elements: Partition, excess: Array, layers: Sequence[Layer], most: float) -> Partition:
    """The same in NumPy."""
    # what a long neighbour leaves out, the tail of a layer, shows in the short element beside it
    length, over = elements.length, excess > 1.0
    from_left = np.append(False, over[:-1] & (length[1:] > LONGER * length[:-1]))
    from_right = np.append(over[1:] & (length[:-1] > LONGER * length[1:]), False) & ~from_left
    near = np.append(0.0, length[:-1] / length[1:]), np.append(length[1:] / length[:-1], 0.0)
    long = from_left | from_right
    elements = halved(elements, long, np.where(from_left, 2.0 * near[0], 1.0 - 2.0 * near[1]))
    excess = np.repeat(np.where(long, 0.0, excess), np.where(long, 2, 1))
    excess[np.cumsum(np.where(long, 2, 1))[from_left] - 1] = 2.0  # the far part of it
    excess[np.cumsum(np.where(long, 2, 1))[from_right] - 2] = 2.0
    which = excess > 1.0
    elements = halved(elements, which, halfway(elements, layers))
    if (excess > most).any():  # halves will not do
        elements = halved(elements, np.repeat(excess > most, np.where(which, 2, 1)), halfway(elements, layers))
    return elements
