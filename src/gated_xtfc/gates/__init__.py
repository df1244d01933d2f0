"""Gates: where resolution goes. Each is a frozen value; the coordinate composes them."""

from typing import Protocol, Self

from gated_xtfc.gates.block import Block
from gated_xtfc.gates.layer import Layer
from gated_xtfc.types import Array


class Gate(Protocol):
    """A stretch of the coordinate at some place. Layers add up, blocks compose."""

    def jets(self, x: Array, order: int) -> list[Array]:
        """The stretch and its derivatives up to `order`, each (n,)."""

    def moved(self, by: float) -> Self:
        """The same at x + by."""

    def describe(self) -> str:
        """A few words for tables."""


__all__ = ["Block", "Gate", "Layer"]
