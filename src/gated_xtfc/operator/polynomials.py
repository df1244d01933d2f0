"""Polynomials as what equations are linearised about: plain enough for the compiled core to evaluate them as well."""

from dataclasses import dataclass

import numpy as np

from gated_xtfc.types import Array, Orders


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
