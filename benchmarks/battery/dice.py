"""Random numbers as a hostile reader picks them: short enough to be pasted, over many orders of magnitude."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log10
from typing import TypeVar
from zlib import crc32

import numpy as np

T = TypeVar("T")
DIGITS = 5


def short(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")


@dataclass(frozen=True)
class Dice:
    random: np.random.Generator

    @classmethod
    def of(cls, family: str, seed: int) -> "Dice":
        return cls(np.random.default_rng([crc32(family.encode()), seed]))

    def between(self, low: float, high: float) -> float:
        return short(self.random.uniform(low, high))

    def decades(self, low: float, high: float) -> float:
        """Uniform in its logarithm."""
        return short(10 ** self.random.uniform(log10(low), log10(high)))

    def whole(self, low: int, high: int) -> int:
        """Both ends included."""
        return int(self.random.integers(low, high + 1))

    def one_of(self, choices: Sequence[T]) -> T:
        return choices[int(self.random.integers(len(choices)))]

    def sign(self) -> float:
        return float(self.one_of((-1.0, 1.0)))

    def height(self) -> float:
        return self.sign() * self.between(0.3, 2.0)

    def tol(self, tightest: float = 1e-12) -> float:
        """From 1e-3 down."""
        return float(f"{self.decades(tightest, 1e-3):.1g}")
