"""Slopes of all groups at once: fields of different groups share a seed, for no slope depends on both.

Groups begin alike, at the same points about the guess or about zero: one call of the user's function serves them all.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gated_xtfc.scipy.structure import FieldGroup
from gated_xtfc.scipy.system import System
from gated_xtfc.types import Array

Guess = Callable[[Array], Array]  # x (m,) -> y (n, m)


@dataclass
class _Kept:
    """A state that all groups may ask about, and the slopes there once one has."""

    x: Array
    y: Array
    slopes: tuple[Array, Array] | None = None


class SharedSlopes:
    """What groups ask of a system; slopes about a state that others may ask about too are kept."""

    def __init__(self, system: System, groups: Sequence[FieldGroup], guess: Guess, p: Array) -> None:
        self.system, self.guess, self.p = system, guess, p
        self.fields = _together([group.fields for group in groups])
        self.constants = _together([group.constants for group in groups])
        self.size = sum(len(group.fields) for group in groups)
        self.apart = len(groups) == 1 or system.is_complex
        self._kept: dict[tuple[bool, int], _Kept] = {}  # by kind of state and number of points

    def __call__(self, group: FieldGroup, x: Array, values: Sequence[Any]) -> tuple[Array, Array]:
        """f (n, m) and its derivatives (seeds, n, m) by the fields and the constants of the group, at these values."""
        count = len(group.fields)
        p = self.p.copy()
        for j, value in zip(group.constants, values[count:], strict=True):
            p[j] = np.asarray(value).flat[0]
        about_zero = np.ndim(values[0]) == 0
        kept = self._kept.get((about_zero, x.size))
        if kept is None or not np.array_equal(kept.x, x):
            y = np.zeros((self.size, x.size)) if about_zero else self.guess(x)
            kept = self._kept[about_zero, x.size] = _Kept(x, y)
        if not self.apart and np.array_equal(p, self.p) and self._holds(kept.y, group, values):
            if kept.slopes is None:
                kept.slopes = self.system.slope(x, kept.y, p, self.fields, self.constants)
            f, by_seed = kept.slopes
            return f, self._own(by_seed, group)
        y = kept.y.copy()
        for i, value in zip(group.fields, values, strict=False):
            y[i] = value
        return self.system.slope(x, y, p, group.fields, group.constants)

    def _holds(self, y: Array, group: FieldGroup, values: Sequence[Any]) -> bool:
        """Whether the state is the one that the group asks about."""
        return all(bool(np.all(y[i] == value)) for i, value in zip(group.fields, values, strict=False))

    def _own(self, by_seed: Array, group: FieldGroup) -> Array:
        """The derivatives by the seeds of one group."""
        first = len(self.fields)
        if not group.constants:  # a view: the arrays of all groups are large
            return by_seed[: len(group.fields)]
        found: Array = by_seed[[*range(len(group.fields)), *range(first, first + len(group.constants))]]
        return found


def _together(entries: Sequence[Sequence[int]]) -> list[list[int]]:
    """One list for each seed: the first of every group, the second, ..."""
    most = max(map(len, entries), default=0)
    return [[own[k] for own in entries if k < len(own)] for k in range(most)]
