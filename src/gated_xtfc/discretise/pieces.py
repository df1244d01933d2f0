"""One Gaussian basis a smooth piece of the domain, side by side: columns of piece p follow those of piece p - 1."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gated_xtfc.discretise.gaussian import Gaussian
from gated_xtfc.discretise.kernel_window import View, spread, total
from gated_xtfc.types import Array, Index


@dataclass(frozen=True)
class Pieces:
    bases: tuple[Gaussian, ...]

    @cached_property
    def offsets(self) -> tuple[int, ...]:
        """First column of each piece."""
        return tuple(int(n) for n in np.cumsum([0, *(basis.size for basis in self.bases[:-1])]))

    @cached_property
    def size(self) -> int:
        return sum(basis.size for basis in self.bases)

    @cached_property
    def window(self) -> int:
        return max(basis.window for basis in self.bases)

    @cached_property
    def breaks(self) -> Array:
        """Where one piece ends and the next begins."""
        return np.array([basis.coordinate.right for basis in self.bases[:-1]])

    @cached_property
    def starts(self) -> Array:
        """Where each piece begins in the coordinate of the whole domain, and where the last one ends."""
        return np.cumsum([0.0, *(basis.coordinate.length for basis in self.bases)])

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

    def see(self, x: Array, order: int) -> View:
        """As `Gaussian.see`, with kernels counted over all pieces; narrower windows are padded with zeros."""
        if len(self.bases) == 1:
            return self.bases[0].see(x, order)
        jets = [np.zeros(x.size) for _ in range(order + 1)]
        first = np.zeros(x.size, dtype=np.intp)
        distance, kernels = np.zeros((x.size, self.window)), np.zeros((x.size, self.window))
        for p, here in enumerate(self.split(x)):
            basis, view = self.bases[p], self.bases[p].see(x[here], order)
            for whole, part in zip(jets, view.jets, strict=True):
                whole[here] = part
            jets[0][here] += self.starts[p]
            first[here] = view.first + self.offsets[p]
            distance[here, : basis.window] = view.distance
            kernels[here, : basis.window] = view.kernels
        return View(jets, first, distance, kernels)

    def alone(self, p: int, x: float, order: int) -> Array:
        """The order-th derivative at x of the kernels of piece p, zero for the others, (size,)."""
        basis = self.bases[p]
        view = basis.see(np.array([x]), order)
        row = np.zeros(self.size)
        row[self.offsets[p] : self.offsets[p] + basis.size] = spread(view.first, view.derivative(order), basis.size)[0]
        return row

    def evaluate(self, x: Array, order: int, *weights: Array) -> Array:
        """The order-th derivative at x of the kernels' sum with each of the weights (size,), then added up, (n,)."""
        view = self.see(x, order)
        values, columns = view.derivative(order), view.columns()
        padded = [np.concatenate([w, np.zeros(self.window)]) for w in weights] if len(self.bases) > 1 else weights
        result = total(values, padded[0][columns])
        for other in padded[1:]:
            result = result + total(values, other[columns])
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
        view = self.see(x, order)
        return spread(view.first, view.derivative(order), self.size)
