"""What the texts of equations that evolve hide along one axis: needles in time, and needles that stay where they are.

A source such as exp(-((t - 0.3)/1e-6)^2) is nothing to a step that goes across it, and one in space is nothing to sites
beside it. So texts are read and looked through along each axis, on two lines of the other one: what both lines show at
the same place is there for all.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gated_xtfc.gates.needles import with_needles
from gated_xtfc.gates.probe_lines import ProbeLines
from gated_xtfc.gates.resolution import Line
from gated_xtfc.gates.text import Feature, Reading, read
from gated_xtfc.language.free_text import FreeText
from gated_xtfc.types import Array

THIN = 0.05  # of the axis: what is wider is seen without being told of
SAME = 1e-6  # of a thickness: places and thicknesses on two lines
NARROW = 0.4  # thickness of a gate, as a part of that of a feature of the text
SPREAD = 0.5  # how fast sites spread away from a needle
MOST = 16
STEPS = np.arange(-6.0, 7.0)  # thicknesses from the middle of a needle at which a step ends


def looked_through(
    name: str, ends: tuple[float, float], run: Any, text: FreeText | None = None, **at: float
) -> Reading:
    """The reading along an axis, and what a proof adds; `at` has the place of the line on the other axis."""
    reading = read(ProbeLines(name, *ends, 1, run))
    if text is None:
        return reading
    own = replace(text, parameters={**text.parameters, **at}, coordinates=(name,))
    return with_needles(reading, Line(name, *ends, (own,)))


def lasting(lines: Sequence[Reading], ends: tuple[float, float]) -> list[Feature]:
    """Thin features that all lines show at the same place, the thinnest first."""
    first, *others = lines
    thin = [one for one in first.features if 0.0 < one.thickness < THIN * (ends[1] - ends[0])]
    inside = [one for one in thin if ends[0] <= one.location <= ends[1]]
    shared = [one for one in inside if all(any(_alike(one, other) for other in line.features) for line in others)]
    return sorted(shared, key=lambda one: one.thickness)[:MOST]


def _alike(one: Feature, other: Feature) -> bool:
    near = abs(one.location - other.location) <= SAME * one.thickness + 4.0 * np.spacing(abs(one.location))
    return near and abs(one.thickness - other.thickness) <= SAME * one.thickness


def wanted_at(x: Array, needles: Sequence[Feature]) -> Array:
    """The slope of the coordinate that needles ask for at x."""
    found = np.zeros_like(x)
    for one in needles:
        found = np.maximum(found, 1.0 / np.hypot(NARROW * one.thickness, SPREAD * (x - one.location)))
    return found
