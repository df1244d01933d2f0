"""Polynomials as what equations are linearised about: plain enough for the compiled core to evaluate them as well."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from gated_xtfc.types import Array, Orders

NONE = np.zeros(0)
# Degree, middle, half, and arrays: a function with its derivatives as the compiled core evaluates it, or none at all.
Packed = tuple[int, float, float, Array, Array, Array, Array, Array, Array]
NOTHING: Packed = (-1, 0.0, 1.0, NONE, NONE, NONE, NONE, NONE, NONE)


@dataclass(frozen=True)
class Polynomials:
    """Every field and its derivatives as monomials in t = (x - middle)/half."""

    monomials: Array  # (fields, orders, count)
    middle: float
    half: float

    def __call__(self, f: int, points: tuple[Array, ...], orders: Orders) -> Array:
        parts = self.monomials[f, orders[0]].tolist()
        while len(parts) > 1 and parts[-1] == 0.0:
            parts.pop()
        t = (points[0] - self.middle) / self.half
        value: Array = np.full_like(t, parts[-1])
        for part in parts[-2::-1]:
            value = value * t + part
        return value

    def packed(self) -> Packed:
        """The same for the compiled core."""
        return 0, self.middle, self.half, np.ascontiguousarray(self.monomials), NONE, NONE, NONE, NONE, NONE

    def jets(self, orders: tuple[int, ...]) -> Callable[[Array], Array]:
        """What gives all fields and their derivatives up to these orders at places, (terms, n)."""
        rows = np.concatenate([own[: order + 1] for own, order in zip(self.monomials, orders, strict=True)])
        used = np.flatnonzero(rows.any(axis=0))
        rows = rows[:, : int(used[-1]) + 1 if used.size else 1]

        def found(x: Array) -> Array:
            t = (x - self.middle) / self.half
            powers = np.ones((rows.shape[1], x.size))
            for before, power in pairwise(powers):
                np.multiply(before, t, out=power)
            values: Array = rows @ powers
            return values

        return found
