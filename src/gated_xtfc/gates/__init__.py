"""Gates: where resolution goes. Each is a frozen value; the coordinate composes them."""

from gated_xtfc.gates.block import Block
from gated_xtfc.gates.layer import Layer

Gate = Layer | Block

__all__ = ["Block", "Gate", "Layer"]
