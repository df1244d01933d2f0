"""Ranges with a scale: what a prior explores, a sweep draws from, a search moves in and a model learns over.

place: 0 .. 1 -> low .. high;   linear: low + s (high - low),   log: low (high/low)^s,   logit: even in log(y/(1 - y))
"""

import math
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from gated_xtfc.errors import InputError
from gated_xtfc.types import Array

SCALES = ("linear", "log", "logit")
Number = TypeVar("Number", float, Array)  # one number, or an array of them


@dataclass(frozen=True)
class Range:
    """low .. high; "log" where the order of magnitude is what matters, "logit" where the distances from 0 and 1 are."""

    low: float
    high: float
    scale: str = "linear"

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise InputError(f"a range is [{self.low:g}, {self.high:g}]: give two finite ends, low < high")
        if self.scale not in SCALES:
            raise InputError(f"the scale of a range is {self.scale!r}: it is one of {', '.join(SCALES)}")
        if self.scale == "log" and self.low <= 0.0:
            raise InputError(f"a range with a log scale begins at {self.low:g}: it must be positive")
        if self.scale == "logit" and not (self.low > 0.0 and self.high < 1.0):
            raise InputError(f"a range with a logit scale is [{self.low:g}, {self.high:g}]: keep it between 0 and 1")

    def place(self, s: Number) -> Number:
        """From 0 .. 1 to low .. high; rounding does not lead out of the range."""
        if self.scale == "log":
            inside = self.low * (self.high / self.low) ** s
        elif self.scale == "logit":
            first, last = _odds(self.low), _odds(self.high)
            here = first * (last / first) ** s
            inside = here / (1.0 + here)
        else:
            inside = self.low + s * (self.high - self.low)
        if isinstance(inside, int | float):
            return float(min(max(inside, self.low), self.high))
        kept: Number = np.clip(inside, self.low, self.high)
        return kept

    def unit(self, value: Number) -> Number:
        """The way back, and beyond 0 .. 1 for values outside the range."""
        if self.scale == "log":
            part: Number = np.log(value / self.low) / math.log(self.high / self.low)
        elif self.scale == "logit":
            first, last = _odds(self.low), _odds(self.high)
            part = np.log(_odds(value) / first) / math.log(last / first)
        else:
            part = (value - self.low) / (self.high - self.low)
        return part

    def slope(self, s: Number) -> Number:
        """d place/ds."""
        if self.scale == "log":
            return self.place(s) * math.log(self.high / self.low)
        if self.scale == "logit":
            here = self.place(s)
            return here * (1.0 - here) * math.log(_odds(self.high) / _odds(self.low))
        return (self.high - self.low) + 0.0 * s


def _odds(value: Number) -> Number:
    return value / (1.0 - value)
