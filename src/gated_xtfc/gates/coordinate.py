"""The gated coordinate of one smooth piece of the domain: xi(x), its derivatives, its inverse.

    xi(x) = blocks( density ((x - left)/width + sum_j asinh(grading_j (x - x_j)/thickness_j)/grading_j) )

with xi(left) = 0. Kernels have width one in xi, so 1/xi'(x) is the local kernel width in x.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from gated_xtfc.gates import Block, Layer
from gated_xtfc.gates.gate import TRANSITION
from gated_xtfc.types import Array

AxisCoordinates = tuple["Coordinate", ...]  # of the smooth pieces of one axis, from left to right
Coordinates = tuple[AxisCoordinates, ...]  # of every axis

EVEN = np.linspace(0.0, 1.0, 33)
BEYOND = 4.0 * TRANSITION


@dataclass(frozen=True)
class Coordinate:
    """xi(x) on one piece, from its left to its right end; `width` is that of kernels far from all gates."""

    left: float
    right: float
    width: float
    layers: tuple[Layer, ...] = ()
    blocks: tuple[Block, ...] = ()
    singular: tuple[float, ...] = ()  # where the operator is: kernels may have to become ever narrower towards these

    def jets(self, x: Array, order: int) -> list[Array]:
        """xi and its derivatives in x up to `order` (at most 4), each (n,)."""
        jets = self._stretch(x, order)
        jets[0] = jets[0] - self._origin
        for block in self.blocks:
            jets = compose(block.jets(jets[0], order), jets)
        jets[0] = jets[0] - self._start
        return jets

    def __call__(self, x: Array) -> Array:
        return self.jets(x, 0)[0]

    @cached_property
    def length(self) -> float:
        """xi(right): the number of kernel widths in the piece."""
        return float(self(np.array([self.right]))[0])

    def inverse(self, xi: Array) -> Array:
        """Points x with xi(x) close to xi, between left and right, increasing.

        Sites need not stand at exact places, for xi is computed anew from the rounded x: two safeguarded Newton
        steps from a table do.
        """
        table_x, table_xi = self._table
        cell = np.minimum(np.maximum(np.searchsorted(table_xi, xi) - 1, 0), table_x.size - 2)
        low, high = table_x[cell], table_x[cell + 1]
        gap = table_xi[cell + 1] - table_xi[cell]
        x = low + (high - low) * np.minimum(np.maximum((xi - table_xi[cell]) / np.where(gap > 0, gap, 1.0), 0.0), 1.0)
        for _ in range(2):
            value, slope = self.jets(x, 1)
            x = np.minimum(np.maximum(x - (value - xi) / slope, low), high)
        points: Array = x
        return points

    def refined(self, factor: float) -> "Coordinate":
        """Denser by `factor` everywhere, with the same transitions in kernel widths."""
        return replace(
            self,
            width=self.width / factor,
            layers=tuple(layer.scaled(factor) for layer in self.layers),
            blocks=tuple(replace(b, left=b.left * factor, right=b.right * factor) for b in self.blocks),
        )

    def moved(self, by: float) -> "Coordinate":
        """The same in x + by."""
        return replace(
            self,
            left=self.left + by,
            right=self.right + by,
            layers=tuple(layer.moved(by) for layer in self.layers),
            blocks=tuple(block.moved(by) for block in self.blocks),
            singular=tuple(place + by for place in self.singular),
        )

    def stretched(self, by: float) -> "Coordinate":
        """The same in x * by."""
        return replace(
            self,
            left=self.left * by,
            right=self.right * by,
            width=self.width * by,
            layers=tuple(layer.stretched(by) for layer in self.layers),
            blocks=tuple(block.stretched(by) for block in self.blocks),
        )

    def with_block(self, left: float, right: float, factor: float) -> "Coordinate":
        """Denser by `factor` on the soft interval left..right of this coordinate."""
        ends = self.inverse(np.clip(np.array([left, right]), 0.0, self.length))
        # a block that touches an end reaches beyond it: the logistic gate is only half open at its own edge
        left = min(left, -BEYOND) if left < 1.0 else left
        right = max(right, self.length + BEYOND) if right > self.length - 1.0 else right
        # Blocks act before the final shift to xi(left) = 0.
        block = Block(left + self._start, right + self._start, factor, left_x=float(ends[0]), right_x=float(ends[1]))
        return replace(self, blocks=(*self.blocks, block))

    def _stretch(self, x: Array, order: int) -> list[Array]:
        jets = [(x - self.left) / self.width]
        if order >= 1:
            jets.append(np.full_like(x, 1.0 / self.width))
        jets.extend(np.zeros_like(x) for _ in range(2, order + 1))
        for layer in self.layers:
            jets = [a + b for a, b in zip(jets, layer.jets(x, order), strict=True)]
        return jets

    @cached_property
    def _origin(self) -> float:
        return float(self._stretch(np.array([self.left]), 0)[0][0])

    @cached_property
    def _start(self) -> float:
        t = np.zeros(1)
        for block in self.blocks:
            t = block.jets(t, 0)[0]
        return float(t[0])

    @cached_property
    def _table(self) -> tuple[Array, Array]:
        ends = np.array([self.left, self.right])
        parts = [self.left + (self.right - self.left) * EVEN]
        for layer in self.layers:
            low, high = layer.jets(ends, 0)[0]
            count = 8 + 2 * int(high - low)
            parts.append(layer.place(low + (high - low) / (count - 1) * np.arange(count)))
        x = np.sort(np.minimum(np.maximum(np.concatenate(parts), self.left), self.right))
        return x, self(x)


def refined(coordinates: Coordinates, factor: float) -> Coordinates:
    """Denser by `factor` everywhere."""
    return tuple(tuple(piece.refined(factor) for piece in pieces) for pieces in coordinates)


def bare(coordinates: Coordinates) -> Coordinates:
    """Without any gate."""
    return tuple(tuple(replace(piece, layers=(), blocks=()) for piece in pieces) for pieces in coordinates)


def layers_of(coordinates: Coordinates) -> list[tuple[int, Layer]]:
    """All layers, each with the number of its axis."""
    return [(k, layer) for k, pieces in enumerate(coordinates) for piece in pieces for layer in piece.layers]


def compose(outer: list[Array], inner: list[Array]) -> list[Array]:
    """Derivatives of outer(inner(x)) from those of outer (at the inner value) and of inner: Faa di Bruno to order 4."""
    order = len(inner) - 1
    jets = [outer[0]]
    if order >= 1:
        jets.append(outer[1] * inner[1])
    if order >= 2:
        jets.append(outer[2] * inner[1] ** 2 + outer[1] * inner[2])
    if order >= 3:
        jets.append(outer[3] * inner[1] ** 3 + 3.0 * outer[2] * inner[1] * inner[2] + outer[1] * inner[3])
    if order >= 4:
        jets.append(
            outer[4] * inner[1] ** 4
            + 6.0 * outer[3] * inner[1] ** 2 * inner[2]
            + outer[2] * (4.0 * inner[1] * inner[3] + 3.0 * inner[2] ** 2)
            + outer[1] * inner[4]
        )
    return jets
