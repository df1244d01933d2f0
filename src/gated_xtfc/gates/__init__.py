"""Where resolution goes: gates, the coordinate they make, and what predicts them."""

from gated_xtfc.gates.gate import Block, Gate, Layer

__all__ = ["Block", "Gate", "Layer"]
