"""Layers that show in a solution only, such as corner layers, which no coefficient announces: peaks of |u''|."""

from collections.abc import Collection

import numpy as np

from gated_xtfc.gates import Layer
from gated_xtfc.types import Array

SHARP = 0.4  # kernel width, as a part of the half-width at half height
GRADING = 0.25
APART = 10.0  # thicknesses from a singular point
MOST = 12


def layers_at_bends(x: Array, curvature: Array, singular: Collection[float] = ()) -> list[Layer]:
    """A layer at every sharp peak of the second derivative, known at places x.

    Next to a singular point of the operator it has no width: such peaks show how close the last kernels are.
    """
    found = [Layer(place, SHARP * width, GRADING) for place, width in peaks(x, curvature)]
    return [one for one in found if all(abs(one.location - p) > APART * one.thickness for p in singular)]


def peaks(x: Array, bend: Array) -> list[tuple[float, float]]:
    """Places and half-widths of the sharp maxima of |u''|, strongest first. x increasing, (n,)."""
    values = np.abs(bend)
    half = values.size // 2
    background = float(np.partition(values, half)[half]) + 1e-300
    inner = values[1:-1]
    highest = (inner >= values[:-2]) & (inner > values[2:]) & (inner >= 5.0 * background)
    found: list[tuple[float, float, float]] = []
    size, last = values.tolist(), values.size - 1  # numbers are looked at one by one
    for i in (np.flatnonzero(highest) + 1).tolist():
        least = 0.5 * size[i]
        left, right = i, i
        while left > 0 and size[left] > least:
            left -= 1
        while right < last and size[right] > least:
            right += 1
        width = 0.5 * float(x[right] - x[left])
        # the change of slope that the peak carries says whether it matters
        found.append((size[i] * width, float(x[i]), width))
    if not found:
        return []
    strongest = max(weight for weight, _, _ in found)
    kept = sorted((f for f in found if f[0] > 1e-3 * strongest), reverse=True)[:MOST]
    return [(place, width) for _, place, width in kept]
