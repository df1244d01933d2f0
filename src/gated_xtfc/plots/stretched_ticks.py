"""Ticks for an axis along the gated coordinate, labelled by x: 0, 0.5, 0.9, 1 - 10^-3, 1 - 10^-5, 1.

Candidates are the ends, the layers, decades of distance from each layer, and round numbers; kept while labels fit.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

CHARACTER = 0.0145  # a character's share of the axis' length
GAP = 1.5  # characters kept free between labels


@dataclass(frozen=True)
class Tick:
    x: float
    at: float  # position on the axis, 0 to 1
    label: str
    length: float  # of the label, in characters


@dataclass(frozen=True)
class StretchedTicks:
    """Chooses ticks for x in `ends`; `position` maps x onto [0, 1]; `layers` are thicknesses by location."""

    position: Callable[[float], float]
    ends: tuple[float, float]
    layers: dict[float, float]

    def choose(self) -> list[Tick]:
        """In order of x."""
        fixed = [self.plain(x) for x in dict.fromkeys((*self.ends, *sorted(self.layers, key=self.layers.__getitem__)))]
        left, right = self.ends
        round_numbers = [self.plain(float(x)) for x in MaxNLocator(5).tick_values(left, right) if left < x < right]
        # One stride of decades everywhere reads better than whichever happen to fit.
        choices = [fitting([*fixed, *self.decades(stride)]) for stride in (6, 4, 3, 2, 1)]
        most = max(choices, key=len)
        return sorted(fitting([*most, *round_numbers]), key=lambda tick: tick.at)

    def decades(self, stride: int) -> list[Tick]:
        """Points at distances 10^p from each layer, on both sides, half way to the next layer at most."""
        ticks = []
        for anchor, thickness in self.layers.items():
            for sign in (-1, 1):
                ahead = [(x - anchor) * sign for x in (*self.ends, *self.layers) if (x - anchor) * sign > 0]
                if ahead:
                    powers = range(math.ceil(math.log10(thickness)), math.floor(math.log10(0.5 * min(ahead))) + 1)
                    ticks += [self.decade(anchor, sign, power) for power in powers if power % stride == 0]
        return ticks

    def plain(self, x: float) -> Tick:
        number = f"{x:.4g}"
        mantissa, _, power = number.partition("e")
        label = f"${mantissa}$" if not power else f"${mantissa}\\cdot 10^{{{int(power)}}}$".replace("$1\\cdot ", "$")
        return Tick(x, self.position(x), label, len(number))

    def decade(self, anchor: float, sign: int, power: int) -> Tick:
        x = anchor + sign * 10.0**power
        if power >= -2:
            return self.plain(x)
        start = "" if anchor == 0 else f"{anchor:.4g}"
        between = "-" if sign < 0 else "+" if start else ""
        length = len(start) + len(between) + 2 + 0.7 * len(f"{power}")
        return Tick(x, self.position(x), f"${start}{between}10^{{{power}}}$", length)


def fitting(candidates: list[Tick]) -> list[Tick]:
    """Those whose labels do not run into one that came earlier in the list."""
    kept: list[Tick] = []
    for tick in candidates:
        if all(abs(tick.at - old.at) > CHARACTER * (GAP + (tick.length + old.length) / 2) for old in kept):
            kept.append(tick)
    return kept


def set_ticks(axes: Axes, ticks: list[Tick]) -> None:
    axes.set_xlim(-0.02, 1.02)
    axes.set_xticks([tick.at for tick in ticks], [tick.label for tick in ticks])
    axes.tick_params(axis="x", pad=13)
    for label in axes.get_xticklabels():
        label.set_verticalalignment("baseline")  # exponents would push their labels down
