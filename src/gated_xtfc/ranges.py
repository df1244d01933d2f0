"""Ranges with a scale: what a search explores, what a sweep draws from, what meta-learning predicts.

place: 0 .. 1 -> low .. high;   linear: low + s (high - low),   log: low (high/low)^s,   logit: even in log(y/(1 - y))
"""

import math
from dataclasses import dataclass

from gated_xtfc.errors import InputError

SCALES = ("linear", "log", "logit")


@dataclass(frozen=True)
class Side:
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

    def place(self, s: float) -> float:
        """From 0 .. 1 to low .. high."""
        if self.scale == "log":
            inside = self.low * (self.high / self.low) ** s
        elif self.scale == "logit":
            odds = self.low / (1.0 - self.low), self.high / (1.0 - self.high)
            here = odds[0] * (odds[1] / odds[0]) ** s
            inside = here / (1.0 + here)
        else:
            inside = self.low + s * (self.high - self.low)
        return float(min(max(inside, self.low), self.high))
