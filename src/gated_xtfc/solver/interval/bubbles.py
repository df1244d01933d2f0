"""Bubbles eliminated in every element by itself, by reflections that are kept as they are and applied when asked for.

    Q' [B S] = [ R  T ]
               [ 0  C ]

of the columns B of bubbles, and S of states and constants.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gated_xtfc import lapack
from gated_xtfc.types import Array

BLOCK = 32  # columns that LAPACK takes together


@dataclass(frozen=True)
class Eliminated:
    """The reflections of every element, and what they leave."""

    reflections: list[tuple[Array, Array]]  # as LAPACK has them, the triangles R above
    mixed: Array  # (K, nb, columns) T
    condensed: Array  # (K, R - nb, columns) C

    @classmethod
    def of(cls, rows: Array, bubbles: int) -> "Eliminated":
        """From the rows (K, R, columns) of all elements, bubbles first."""
        reflections, others = [], np.empty((rows.shape[0], rows.shape[1], rows.shape[2] - bubbles))
        for own, rest in zip(rows, others, strict=True):
            factor, scales, _, _ = lapack.dgeqrf(own[:, :bubbles], lwork=BLOCK * bubbles)
            reflections.append((factor, scales))
            rest[:] = _reflected(factor, scales, own[:, bubbles:], "T")
        return cls(reflections, others[:, :bubbles], others[:, bubbles:])

    @property
    def bubbles(self) -> int:
        return int(self.mixed.shape[1])

    def turned(self, right: Array) -> Array:
        """Q' of right sides (K, R)."""
        pairs = zip(self.reflections, right, strict=True)
        return np.stack([_reflected(*own, column[:, None], "T")[:, 0] for own, column in pairs])

    def of_bubbles(self, columns: Array) -> Array:
        """Q [columns; 0] of columns (K, nb, m): (K, R, m)."""
        rows = self.bubbles + self.condensed.shape[1]
        found = np.zeros((columns.shape[0], rows, columns.shape[2]))
        found[:, : self.bubbles] = columns
        return np.stack([_reflected(*own, one, "N") for own, one in zip(self.reflections, found, strict=True)])

    @cached_property
    def outer(self) -> Array:
        """Q [0; 1]: the rows that the condensed ones come from, (K, R, R - nb)."""
        nb, rest = self.mixed.shape[1], self.condensed.shape[1]
        unit = np.zeros((nb + rest, rest))
        unit[nb:] = np.eye(rest)
        return np.stack([_reflected(*own, unit, "N") for own in self.reflections])

    def solved(self, right: Array, trans: int = 0) -> Array:
        """R^-1 of columns (K, nb, m), or that of the transposed triangles."""
        pairs = zip(self.reflections, right, strict=True)
        return np.stack([lapack.dtrtrs(own[: self.bubbles], one, trans=trans)[0] for (own, _), one in pairs])


def _reflected(factor: Array, scales: Array, columns: Array, trans: str) -> Array:
    """Q or Q' of columns (R, m)."""
    found, _, _ = lapack.dormqr("L", trans, factor, scales, columns, BLOCK * max(columns.shape))
    answer: Array = found
    return answer
