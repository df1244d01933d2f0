"""A solution beyond the window that it was computed on: a polynomial, as a rule a number.

u(x) = sum over j of u^(j)(end) (x - end)^j / j!, with as many terms as describe the solution inside of the window too:
the straight line that f'(inf) = 1 leaves does, the tangent of a layer at the cut does not.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gated_xtfc.types import Array

COUNTS = 1e-2  # of the size of the field: what a polynomial misses inside of the window, for the next one to be tried
ROUNDING = 1e-13  # of the size: a field that vanishes at infinity is not to have another sign there
BETTER = 0.1  # of that: what the next one may miss
INSIDE = (0.06, 0.12, 0.25)  # parts of the window, from the end, where they are compared


@dataclass(frozen=True)
class FarField:
    """One field beyond one end of the window."""

    end: float
    derivatives: tuple[float, ...]  # at the end, up to the last one that does not vanish towards infinity

    @classmethod
    def beyond(cls, end: float, derivatives: Sequence[float], x: Array, values: Array, size: float) -> "FarField":
        """From all derivatives at the end of a window, and values inside of it; `size` is that of the field."""
        first = 0.0 if abs(derivatives[0]) <= ROUNDING * size else derivatives[0]
        found = cls(end, (first,))
        missed = float(np.abs(found(x, 0) - values).max())
        for count in range(2, len(derivatives) + 1):
            other = cls(end, (first, *derivatives[1:count]))
            left = float(np.abs(other(x, 0) - values).max())
            if missed > COUNTS * size and left < BETTER * missed:
                found, missed = other, left
        return found

    def __call__(self, x: Array, order: int) -> Array:
        """The derivative of that order at places beyond the end, at infinity too."""
        # with d = x - end, so that c0 + d (c1 + d/2 c2) comes from the inside
        found = np.full_like(x, self.derivatives[-1] if order < len(self.derivatives) else 0.0)
        for j in range(len(self.derivatives) - 2, order - 1, -1):
            found = self.derivatives[j] + (x - self.end) / (j - order + 1) * found
        return found
