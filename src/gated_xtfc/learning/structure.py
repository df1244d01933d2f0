"""Gate settings as numbers and back: a coordinate is a list of numbers on scales where they vary smoothly.

Rows are alike when they have the same pieces with as many layers and blocks: then number stands beside number.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gated_xtfc.gates import Block, Layer
from gated_xtfc.gates.coordinate import Coordinate
from gated_xtfc.types import Array

# positive, and learned by their magnitude
LOG = ("width", "thickness", "grading", "factor", "density", "neurons", "rounds")


@dataclass(frozen=True)
class Structure:
    """The ends of every piece, and how many layers and blocks it has."""

    ends: tuple[tuple[float, float], ...]
    layers: tuple[int, ...]
    blocks: tuple[int, ...]

    @classmethod
    def of(cls, coordinates: Sequence[Coordinate]) -> "Structure":
        return cls(
            tuple((c.left, c.right) for c in coordinates),
            tuple(len(c.layers) for c in coordinates),
            tuple(len(c.blocks) for c in coordinates),
        )

    @property
    def names(self) -> tuple[str, ...]:
        """One for each setting: `layer 1 thickness`, counted from left to right."""
        found, layer, block = [], 0, 0
        for piece, (layers, blocks) in enumerate(zip(self.layers, self.blocks, strict=True), start=1):
            found.append("width" if len(self.ends) == 1 else f"piece {piece} width")
            for _ in range(layers):
                layer += 1
                found += [f"layer {layer} {what}" for what in ("location", "thickness", "grading")]
            for _ in range(blocks):
                block += 1
                found += [f"block {block} {what}" for what in ("left", "right", "factor")]
        return tuple(found)

    def describe(self) -> str:
        layers, blocks = sum(self.layers), sum(self.blocks)
        return f"{layers} layer{'s' * (layers != 1)}, {blocks} block{'s' * (blocks != 1)}"

    def settings(self, coordinates: Sequence[Coordinate]) -> list[float]:
        """The numbers, in the order of `names`."""
        found = []
        for c in coordinates:
            found.append(c.width)
            for layer in c.layers:
                found += [layer.location, layer.thickness, layer.grading]
            for block in c.blocks:
                found += [block.left, block.right, block.factor]
        return found

    def coordinates(self, settings: Sequence[float]) -> tuple[Coordinate, ...]:
        """The way back; places that left their piece return to its end."""
        left, found = list(settings), []
        for (a, b), layers, blocks in zip(self.ends, self.layers, self.blocks, strict=True):
            width = min(left.pop(0), b - a)
            gates = [Layer(min(max(left.pop(0), a), b), left.pop(0), left.pop(0)) for _ in range(layers)]
            coordinate = Coordinate(a, b, width, tuple(gates))
            for _ in range(blocks):
                low, high, factor = left.pop(0), left.pop(0), left.pop(0)
                places = coordinate.inverse(np.clip(np.array([low, high]), 0.0, coordinate.length))
                block = Block(low, max(low, high), factor, left_x=float(places[0]), right_x=float(places[1]))
                coordinate = Coordinate(a, b, width, tuple(gates), (*coordinate.blocks, block))
            found.append(coordinate)
        return tuple(found)


def to_scale(name: str, values: Array) -> Array:
    return np.log10(values) if name.split()[-1] in LOG else values


def from_scale(name: str, values: Array) -> Array:
    with np.errstate(over="ignore"):  # the end of an interval may be beyond all numbers
        found: Array = 10.0**values if name.split()[-1] in LOG else values
    return found
