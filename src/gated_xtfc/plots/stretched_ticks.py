"""Ticks for an axis along the gated coordinate, labelled by x: 0, 0.5, 0.9, 1 - 10^-3, 1 - 10^-5, 1.

Candidates are the ends, the layers, decades of distance from each layer, and round numbers; kept while labels fit.
Around a layer that stands at no round place they are 0.3, 0.33, 0.333: as round as the distance allows.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

CHARACTER = 0.0145  # a character's share of the axis' length
GAP = 1.5  # characters kept free between labels
NEXT = 10.0  # thicknesses within which two layers are one feature: both sides of a shock


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
        anchors = self.anchors()
        fixed = [self.plain(x) for x in dict.fromkeys((*self.ends, *sorted(anchors, key=anchors.__getitem__)))]
        left, right = self.ends
        round_numbers = [self.plain(float(x)) for x in MaxNLocator(5).tick_values(left, right) if left < x < right]
        # One stride of decades everywhere reads better than whichever happen to fit.
        choices = [fitting([*fixed, *self.decades(anchors, stride)]) for stride in (6, 4, 3, 2, 1)]
        most = max(choices, key=len)
        return sorted(fitting([*most, *round_numbers]), key=lambda tick: tick.at)

    def anchors(self) -> dict[float, float]:
        """The layers moved to round places within their thickness, and those that touch taken as one."""
        found: list[list[tuple[float, float]]] = []
        for location, thickness in sorted(self.layers.items()):
            if found and location - found[-1][-1][0] <= NEXT * max(thickness, found[-1][-1][1]):
                found[-1].append((location, thickness))
            else:
                found.append([(location, thickness)])
        return {self.rounded(group): min(thickness for _, thickness in group) for group in found}

    def rounded(self, group: list[tuple[float, float]]) -> float:
        """One place for layers that touch; an end of the domain where one of them stands there."""
        at_end = [location for location, _ in group if location in self.ends]
        middle = sum(location for location, _ in group) / len(group)
        digits = -math.floor(math.log10(max(thickness for _, thickness in group))) - 1
        return at_end[0] if at_end else min(max(round(middle, digits), self.ends[0]), self.ends[1])

    def decades(self, anchors: dict[float, float], stride: int) -> list[Tick]:
        """Points at distances 10^p from each layer, on both sides, half way to the next layer at most."""
        ticks = []
        for anchor, thickness in anchors.items():
            for sign in (-1, 1):
                ahead = [(x - anchor) * sign for x in (*self.ends, *anchors) if (x - anchor) * sign > 0]
                if ahead:
                    powers = range(math.ceil(math.log10(thickness)), math.floor(math.log10(0.5 * min(ahead))) + 1)
                    ticks += [self.decade(anchor, sign, power) for power in powers if power % stride == 0]
        return ticks

    def plain(self, x: float, digits: int = 4) -> Tick:
        number = f"{x:.{digits}g}"
        mantissa, _, power = number.partition("e")
        label = f"${mantissa}$" if not power else f"${mantissa}\\cdot 10^{{{int(power)}}}$".replace("$1\\cdot ", "$")
        return Tick(x, self.position(x), label, len(number))

    def decade(self, anchor: float, sign: int, power: int) -> Tick:
        unit = 10.0**power
        if power >= -2 or (not is_round(anchor) and power >= -5):
            # the next multiple of the unit: anchor + sign * unit, where the anchor is a multiple itself
            steps = math.floor(anchor / unit + 1e-6) + 1 if sign > 0 else math.ceil(anchor / unit - 1e-6) - 1
            return self.plain(round(steps * unit, max(-power, 0)), 6)
        x = anchor + sign * unit
        start = "" if anchor == 0 else f"{anchor:.4g}"
        between = "-" if sign < 0 else "+" if start else ""
        length = len(start) + 2.5 * len(between) + 2 + 0.8 * len(f"{power}")  # signs between numbers stand wide
        return Tick(x, self.position(x), f"${start}{between}10^{{{power}}}$", length)


def is_round(x: float) -> bool:
    return float(f"{x:.2g}") == x


def fitting(candidates: list[Tick]) -> list[Tick]:
    """Those whose labels do not repeat or run into one that came earlier in the list."""
    kept: list[Tick] = []
    for tick in candidates:
        if all(
            tick.label != old.label and abs(tick.at - old.at) > CHARACTER * (GAP + (tick.length + old.length) / 2)
            for old in kept
        ):
            kept.append(tick)
    return kept


def spaced(ticks: list[Tick], room: float) -> list[Tick]:
    """Those that keep their distance on a panel narrower than the one they were made for, the ends always."""
    kept: list[Tick] = []
    for tick in [ticks[0], ticks[-1], *ticks[1:-1]]:
        if all(abs(tick.at - other.at) >= room for other in kept):
            kept.append(tick)
    return sorted(kept, key=lambda tick: tick.at)


def set_ticks(axes: Axes, ticks: list[Tick]) -> None:
    axes.set_xlim(-0.02, 1.02)
    axes.set_xticks([tick.at for tick in ticks], [tick.label for tick in ticks])
    axes.tick_params(axis="x", pad=13)
    for label in axes.get_xticklabels():
        label.set_verticalalignment("baseline")  # exponents would push their labels down
