"""Gaussians of width one in the gated coordinate: exp(-(xi(x) - xi_i)^2 / 2), centres `spacing` apart.

Centres run on for `MARGIN` widths beyond both ends: nothing else resolves the ends. A kernel is below rounding
nine widths away, so a window of neighbouring centres reaches each point and no more. Where coefficients jump the
domain is broken into smooth pieces, each with a basis of its own.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gated_xtfc.discretise.kernel_window import KernelWindow, dense_from_windows, row_sums
from gated_xtfc.gates import Block, Layer
from gated_xtfc.gates.coordinate import AxisCoordinates, Coordinate
from gated_xtfc.types import Array, Index

MARGIN = 5.0
REACH = 9.0


def rounded_to_20_bits(number: float) -> float:
    """The number to 20 bits: its multiples are exact, so centres carry no rounding that could add up along a row."""
    mantissa, exponent = math.frexp(number)
    return math.ldexp(round(math.ldexp(mantissa, 20)), exponent - 20)


def restored_coordinate(plain: Mapping[str, Any]) -> Coordinate:
    """From what dataclasses.asdict made of it."""
    layers = tuple(Layer(**layer) for layer in plain["layers"])
    blocks = tuple(Block(**block) for block in plain["blocks"])
    return Coordinate(plain["left"], plain["right"], plain["width"], layers, blocks, tuple(plain.get("singular", ())))


@dataclass(frozen=True)
class Gaussian:
    """The kernels of one piece, `size` of them, counted from the left."""

    coordinate: Coordinate
    spacing: float
    beyond: int  # centres outside the domain, at each end
    size: int

    @classmethod
    def on(cls, coordinate: Coordinate, density: float) -> "Gaussian":
        """`density` centres per kernel width, one of them on each end of the piece."""
        intervals = max(2, int(np.ceil(coordinate.length * density)))
        spacing = rounded_to_20_bits(coordinate.length / intervals)
        beyond = int(np.ceil(MARGIN / spacing - 0.25))
        return cls(coordinate, spacing, beyond, intervals + 1 + 2 * beyond)

    @classmethod
    def restored(cls, plain: Mapping[str, Any]) -> "Gaussian":
        """From what dataclasses.asdict made of it."""
        return cls(restored_coordinate(plain["coordinate"]), plain["spacing"], plain["beyond"], plain["size"])

    @cached_property
    def window_size(self) -> int:
        """How many neighbouring centres reach a point."""
        return min(self.size, 2 * int(np.ceil(REACH / self.spacing)) + 1)

    def window(self, x: Array, order: int) -> KernelWindow:
        """The kernels that reach x, ready for derivatives up to `order`."""
        jets = self.coordinate.jets(x, order)
        first = np.rint(jets[0] / self.spacing).astype(np.intp) + (self.beyond - self.window_size // 2)
        first = np.minimum(np.maximum(first, 0), self.size - self.window_size)
        # distances: whole spacings first, so that they are as exact as xi itself
        start = jets[0] - (first - self.beyond) * self.spacing
        distance = start[:, None] - self.spacing * np.arange(self.window_size)
        return KernelWindow(jets, first, distance, np.exp(-0.5 * distance * distance))


@dataclass(frozen=True)
class Piecewise:
    """One Gaussian basis a smooth piece, side by side: columns of piece p follow those of piece p - 1."""

    bases: tuple[Gaussian, ...]

    @cached_property
    def offsets(self) -> tuple[int, ...]:
        """First column of each piece."""
        return tuple(int(n) for n in np.cumsum([0, *(basis.size for basis in self.bases[:-1])]))

    @cached_property
    def size(self) -> int:
        return sum(basis.size for basis in self.bases)

    @cached_property
    def window_size(self) -> int:
        return max(basis.window_size for basis in self.bases)

    @cached_property
    def breaks(self) -> Array:
        """Where one piece ends and the next begins."""
        return np.array([basis.coordinate.right for basis in self.bases[:-1]])

    @cached_property
    def starts(self) -> Array:
        """Where each piece begins in the coordinate of the whole domain, and where the last one ends."""
        return np.cumsum([0.0, *(basis.coordinate.length for basis in self.bases)])

    @property
    def coordinates(self) -> AxisCoordinates:
        return tuple(basis.coordinate for basis in self.bases)

    @property
    def left(self) -> float:
        return self.bases[0].coordinate.left

    @property
    def right(self) -> float:
        return self.bases[-1].coordinate.right

    @property
    def length(self) -> float:
        return float(self.starts[-1])

    def split(self, x: Array) -> list[Index]:
        """Indices of the points that fall into each piece; a point on a break belongs to the piece on its right."""
        if len(self.bases) == 1:
            return [np.arange(x.size)]
        piece = np.searchsorted(self.breaks, x, side="right")
        return [np.flatnonzero(piece == p) for p in range(len(self.bases))]

    def window(self, x: Array, order: int) -> KernelWindow:
        """As `Gaussian.window`, with kernels counted over all pieces; narrower windows are padded with zeros."""
        if len(self.bases) == 1:
            return self.bases[0].window(x, order)
        jets = [np.zeros(x.size) for _ in range(order + 1)]
        first = np.zeros(x.size, dtype=np.intp)
        distance, kernels = np.zeros((x.size, self.window_size)), np.zeros((x.size, self.window_size))
        for p, here in enumerate(self.split(x)):
            basis = self.bases[p]
            view = basis.window(x[here], order)
            for whole, part in zip(jets, view.jets, strict=True):
                whole[here] = part
            jets[0][here] += self.starts[p]
            first[here] = view.first + self.offsets[p]
            distance[here, : basis.window_size] = view.distance
            kernels[here, : basis.window_size] = view.kernels
        return KernelWindow(jets, first, distance, kernels)

    def piece_row(self, p: int, x: float, order: int) -> Array:
        """The order-th derivative at x of the kernels of piece p, zero for the others, (size,)."""
        basis = self.bases[p]
        view = basis.window(np.array([x]), order)
        row = np.zeros(self.size)
        row[self.offsets[p] : self.offsets[p] + basis.size] = dense_from_windows(
            view.first, view.derivative(order), basis.size
        )[0]
        return row

    def evaluate(self, x: Array, order: int, *weights: Array) -> Array:
        """The order-th derivative at x of the kernels' sum with each of the weights (size,), then added up, (n,)."""
        view = self.window(x, order)
        values, columns = view.derivative(order), view.columns()
        padded = [np.concatenate([w, np.zeros(self.window_size)]) for w in weights] if len(self.bases) > 1 else weights
        result = row_sums(values, padded[0][columns])
        for other in padded[1:]:
            result = result + row_sums(values, other[columns])
        return result

    def coordinate(self, x: Array) -> Array:
        """The gated coordinate over the whole domain, continuous across the breaks."""
        result = np.zeros(x.size)
        for p, here in enumerate(self.split(x)):
            result[here] = self.starts[p] + self.bases[p].coordinate(x[here])
        return result

    def slope(self, x: Array) -> Array:
        """xi'(x): one over the local kernel width."""
        result = np.zeros(x.size)
        for p, here in enumerate(self.split(x)):
            result[here] = self.bases[p].coordinate.jets(x[here], 1)[1]
        return result

    def inverse(self, xi: Array) -> Array:
        """Points at given places of the coordinate of the whole domain."""
        result = np.zeros(xi.size)
        piece = np.clip(np.searchsorted(self.starts, xi, side="right") - 1, 0, len(self.bases) - 1)
        for p, basis in enumerate(self.bases):
            here = np.flatnonzero(piece == p)
            result[here] = basis.coordinate.inverse(np.clip(xi[here] - self.starts[p], 0.0, basis.coordinate.length))
        return result

    def matrix(self, x: Array, order: int) -> Array:
        """The order-th derivative of every kernel at every point, dense: (n, size)."""
        view = self.window(x, order)
        return dense_from_windows(view.first, view.derivative(order), self.size)
