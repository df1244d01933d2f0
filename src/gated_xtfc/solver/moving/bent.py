"""Values at the start that are changed by less than the tolerance, so that they meet conditions which they miss."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gated_xtfc.problem.domain import Axis
from gated_xtfc.solver.moving.breaks import NOTICED, Break, Values
from gated_xtfc.types import Array

SLIGHT = 0.3  # of the tolerance: what is bent away
BENT = 0.05  # of the domain: over what
SAMPLES = 257  # places at which the size of the values is seen


@dataclass(frozen=True)
class Bent:
    """What is added to the values at the start so that they meet conditions which they miss by less than the tolerance.

    It is an error like any other, and counted as one.
    """

    breaks: tuple[Break, ...]
    space: Axis

    @classmethod
    def of(cls, breaks: Sequence[Break], given: Values, space: Axis, goal: float) -> "Bent | None":
        """None where one of them is too large, or no end is where it could be bent away."""
        size = np.ptp(given(np.linspace(space.left, space.right, SAMPLES)), axis=1)
        found = cls(tuple(breaks), space)
        reach = [abs(one.leap) + abs(one.kink) * found.width for one in breaks]
        small = all(part <= SLIGHT * goal * size[one.field] for one, part in zip(breaks, reach, strict=True))
        return found if small and all(not one.inside or one.joint for one in breaks) else None

    @property
    def width(self) -> float:
        return BENT * self.space.length

    def error(self, x: Array, count: int) -> Array:
        """How far the values are from others that meet the conditions as well, which all are the same at the ends."""
        found = np.zeros((count, x.size))
        for one in self.breaks:
            z = np.abs(x - one.place) / self.width
            found[one.field] += (abs(one.leap) + abs(one.kink) * self.width) * np.sqrt(2.0 * np.e) * z * np.exp(-(z**2))
        return found

    def said(self, fields: Sequence[str], sizes: Array, tol: float) -> str:
        """A sentence where it is more than next to nothing."""
        seen = [one for one in self.breaks if abs(one.leap) > NOTICED * tol * sizes[one.field]]
        parts = [f"{fields[one.field]} by {one.amount()} at {self.space.name} = {one.place:.6g}" for one in seen]
        return f"values at the start were bent to meet conditions: {', '.join(parts)}" if parts else ""

    def __call__(self, x: Array, count: int) -> Array:
        found = np.zeros((count, x.size))
        for one in self.breaks:
            away = x - one.place
            # where two ends meet each of them goes half the way; a leap there is from the right end to the left one
            half = (-0.5 if one.place == self.space.left else 0.5) if one.joint else 1.0
            found[one.field] += half * (one.leap + one.kink * away) * np.exp(-((away / self.width) ** 2))
        return found
