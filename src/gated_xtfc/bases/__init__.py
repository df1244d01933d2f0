"""Bases: families of functions with their derivatives."""

from gated_xtfc.bases.gaussian import Gaussian
from gated_xtfc.bases.pieces import Pieces
from gated_xtfc.bases.view import View, pull_back, spread, total

__all__ = ["Gaussian", "Pieces", "View", "pull_back", "spread", "total"]
