"""Gaussians of width one in the gated coordinate: exp(-(xi(x) - xi_i)^2 / 2), centres `spacing` apart.

Centres run on for `MARGIN` widths beyond both ends: nothing else resolves the ends. A kernel is below rounding
nine widths away, so each point sees a window of neighbouring centres and no more.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gated_xtfc.discretise.kernel_window import View
from gated_xtfc.gates import Block, Layer
from gated_xtfc.gates.coordinate import Coordinate
from gated_xtfc.types import Array

MARGIN = 5.0
REACH = 9.0


def short(number: float) -> float:
    """The number to 20 bits: its multiples are exact, so centres carry no rounding that could add up along a row."""
    mantissa, exponent = math.frexp(number)
    return math.ldexp(round(math.ldexp(mantissa, 20)), exponent - 20)


@dataclass(frozen=True)
class Gaussian:
    coordinate: Coordinate
    spacing: float
    beyond: int  # centres outside the domain, at each end
    size: int

    @classmethod
    def on(cls, coordinate: Coordinate, density: float) -> "Gaussian":
        """`density` centres per kernel width, one of them on each end of the piece."""
        intervals = max(2, int(np.ceil(coordinate.length * density)))
        spacing = short(coordinate.length / intervals)
        beyond = int(np.ceil(MARGIN / spacing - 0.25))
        return cls(coordinate, spacing, beyond, intervals + 1 + 2 * beyond)

    @classmethod
    def restored(cls, plain: Mapping[str, Any]) -> "Gaussian":
        """From what dataclasses.asdict made of it."""
        c = plain["coordinate"]
        layers = tuple(Layer(**layer) for layer in c["layers"])
        blocks = tuple(Block(**block) for block in c["blocks"])
        coordinate = Coordinate(c["left"], c["right"], c["width"], layers, blocks)
        return cls(coordinate, plain["spacing"], plain["beyond"], plain["size"])

    @cached_property
    def window(self) -> int:
        """How many neighbouring centres a point sees."""
        return min(self.size, 2 * int(np.ceil(REACH / self.spacing)) + 1)

    def see(self, x: Array, order: int) -> View:
        """The kernels seen from x, ready for derivatives up to `order`."""
        jets = self.coordinate.jets(x, order)
        first = np.rint(jets[0] / self.spacing).astype(np.intp) + (self.beyond - self.window // 2)
        first = np.minimum(np.maximum(first, 0), self.size - self.window)
        # distances: whole spacings first, so that they are as exact as xi itself
        start = jets[0] - (first - self.beyond) * self.spacing
        distance = start[:, None] - self.spacing * np.arange(self.window)
        return View(jets, first, distance, np.exp(-0.5 * distance * distance))
