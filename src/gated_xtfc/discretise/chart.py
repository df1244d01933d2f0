"""The gated coordinate of one axis as a function of the user's x, whether or not the problem was translated."""

import math
from dataclasses import dataclass, replace

import numpy as np

from gated_xtfc.discretise.gaussian import Piecewise
from gated_xtfc.discretise.trial import quadrature
from gated_xtfc.gates import Block, Layer
from gated_xtfc.gates.coordinate import AxisCoordinates
from gated_xtfc.problem.domain import Axis
from gated_xtfc.types import Array


@dataclass(frozen=True)
class Chart:
    """The kernels of one axis as functions of the user's x; they may live in a translated coordinate, x - origin."""

    basis: Piecewise
    origin: float = 0.0

    def translated(self, x: Array) -> Array:
        """From x to the kernels' coordinate: exact near its origin, and never beyond its ends."""
        basis = self.basis
        inside: Array = np.minimum(np.maximum(x - self.origin, basis.left), basis.right)
        return inside

    def stretched(self, axis: Axis) -> "Chart":
        """The same on another axis, from that of 0 to 1."""
        bases = tuple(replace(one, coordinate=one.coordinate.stretched(axis.length)) for one in self.basis.bases)
        return Chart(Piecewise(bases), axis.left + axis.length * self.origin)

    def window(self, axis: Axis) -> Axis:
        """The axis, without what lies beyond the kernels where an end of it is infinite."""
        ends = (axis.left, self.basis.left), (axis.right, self.basis.right)
        left, right = (end if math.isfinite(end) else cut + self.origin for end, cut in ends)
        return axis if axis.finite else Axis(axis.name, left, right)

    def coordinate(self, x: Array) -> Array:
        """The gated coordinate xi(x), in which every layer is a few units wide."""
        return self.basis.coordinate(self.translated(x))

    def slope(self, x: Array) -> Array:
        """xi'(x): one over the local kernel width."""
        return self.basis.slope(self.translated(x))

    def points(self, count: int) -> Array:
        """Points from end to end, uniform in the gated coordinate, so dense in the layers."""
        return self.basis.inverse(np.linspace(0.0, self.basis.length, count)) + self.origin

    def quadrature(self) -> tuple[Array, Array]:
        """Points and weights that integrate sums of kernels over the domain, each (n,)."""
        y, weights = quadrature(self.basis)
        return y + self.origin, weights

    @property
    def coordinates(self) -> AxisCoordinates:
        """Those of all pieces, from left to right."""
        return tuple(coordinate.moved(self.origin) for coordinate in self.basis.coordinates)

    @property
    def gates(self) -> tuple[Layer | Block, ...]:
        """Layers and blocks of all pieces, from left to right."""
        return tuple(gate for piece in self.coordinates for gates in (piece.layers, piece.blocks) for gate in gates)

    @property
    def breaks(self) -> tuple[float, ...]:
        """Where one piece ends and the next begins."""
        return tuple(piece.right for piece in self.coordinates[:-1])
