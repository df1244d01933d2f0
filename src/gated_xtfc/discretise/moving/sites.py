"""Sites at fixed eta in [0, 1] with differences of order q, stable in time because the sites gather at both ends.

The spacing grows like s(k) s(N - k) with s(k) = k / sqrt(k^2 + c^2), c = 0.75 q / pi: with uniform sites one-sided
differences of high order have eigenvalues in the right half plane, and the finer the steps the more they grow.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from gated_xtfc.types import Array, Index

GATHERED = 0.75 / np.pi  # sites over which the spacing shrinks towards an end, by order
HIGHER = 4  # orders by which the differences that check exceed those that are used


def placed(intervals: int, reach: float) -> Array:
    """Sites from 0 to 1 that gather at both ends, (intervals + 1,)."""
    k = np.arange(intervals) + 0.5
    spacing = k / np.hypot(k, reach) * (intervals - k) / np.hypot(intervals - k, reach)
    sites = np.concatenate([[0.0], np.cumsum(spacing)])
    found: Array = sites / sites[-1]
    return found


def difference_weights(offsets: Array, highest: int) -> Array:
    """Weights of derivatives 0 .. highest at zero from values at offsets (k, n) of n stencils: (k, highest + 1, n).

    The recurrence that adds one point after the other to the interpolating polynomials.
    """
    count, n = offsets.shape
    weights = np.zeros((count, highest + 1, n))
    weights[0, 0] = 1.0
    product, last = np.ones(n), offsets[0]
    for i in range(1, count):
        top = min(i, highest)
        grown, before, last = np.ones(n), last, offsets[i]
        for j in range(i):
            gap = offsets[i] - offsets[j]
            grown = grown * gap
            if j == i - 1:
                for order in range(top, 0, -1):
                    weights[i, order] = (
                        product * (order * weights[i - 1, order - 1] - before * weights[i - 1, order]) / grown
                    )
                weights[i, 0] = -product * before * weights[i - 1, 0] / grown
            for order in range(top, 0, -1):
                weights[j, order] = (last * weights[j, order] - order * weights[j, order - 1]) / gap
            weights[j, 0] = last * weights[j, 0] / gap
        product = grown
    return weights


@dataclass(frozen=True, eq=False)
class Sites:
    """The sites of a layout, with what differentiates, interpolates and checks functions known at them."""

    intervals: int
    order: int

    @property
    def size(self) -> int:
        return self.intervals + 1

    @cached_property
    def eta(self) -> Array:
        return placed(self.intervals, GATHERED * self.order)

    @cached_property
    def gaps(self) -> Array:
        """The length that each site stands for, (n,)."""
        gaps = np.diff(self.eta)
        return np.concatenate([gaps[:1], 0.5 * (gaps[1:] + gaps[:-1]), gaps[-1:]])

    @cached_property
    def stencils(self) -> Index:
        """Numbers of the sites in the difference at each site, (n, order + 1)."""
        return self._neighbours(self.order)

    @cached_property
    def weights(self) -> tuple[Array, Array]:
        """Of the first and the second derivative in eta, each (n, order + 1)."""
        return self._weights(self.stencils)

    @cached_property
    def wider(self) -> Index:
        """The stencils of the differences of a higher order, (n, order + HIGHER + 1)."""
        return self._neighbours(min(self.order + HIGHER, self.intervals))

    @cached_property
    def checking_weights(self) -> tuple[Array, Array]:
        """As `weights`, of the differences of a higher order."""
        return self._weights(self.wider)

    def derivatives(self, values: Array, checking: bool = False) -> tuple[Array, Array]:
        """First and second derivative in eta of values (..., n); `checking` takes differences of a higher order."""
        stencils, weights = (self.wider, self.checking_weights) if checking else (self.stencils, self.weights)
        away = values[..., stencils] - values[..., None]  # what is constant leaves no rounding
        first, second = (np.einsum("...nk,nk->...n", away, one) for one in weights)
        return first, second

    def remainder(self, values: Array) -> Array:
        """How far interpolation of that order may be off at each site: its constant times the difference of order q.

        A layer within the last gaps shows in that by a hundredth, for one-sided differences of all orders are off alike
        there. So is what foretells the value beside an end from those around it: where it does not fall as the order
        rises, the layer is no more resolved than that.
        """
        found: Array = np.einsum("...nk,nk->...n", values[..., self.stencils], self._remainder)
        one_sided, reach = self.order // 2 + 1, self._foretelling.shape[0]
        ends = np.stack([values[..., :reach], values[..., : -reach - 1 : -1]])
        low, own, high = np.moveaxis(np.abs(ends @ self._foretelling), -1, 0)[..., None]
        unseen = own * np.minimum(high, low) / np.maximum(low, np.finfo(float).tiny)
        for sites, seen in zip((slice(one_sided), slice(-one_sided, None)), unseen, strict=True):
            found[..., sites] = np.maximum(np.abs(found[..., sites]), seen)
        return found

    def interpolated(self, values: Array, eta: Array, points: int) -> Array:
        """Values (..., n) at places eta (p,), by polynomials through the nearest `points` sites: (..., p)."""
        count = min(points, self.size)
        first = np.clip(np.searchsorted(self.eta, eta) - count // 2, 0, self.size - count)
        number = first[:, None] + np.arange(count)
        away = (eta[:, None] - self.eta[number]) * self.intervals
        hit = away == 0.0
        away[hit] = 1.0
        share = self._barycentric(count)[first] / away
        share[hit.any(axis=1)] = 0.0
        share[hit] = 1.0
        share /= share.sum(axis=1, keepdims=True)
        found: Array = np.einsum("...pk,pk->...p", values[..., number], share)
        return found

    def _barycentric(self, count: int) -> Array:
        """Weights of the polynomials through `count` sites in a row, (size - count + 1, count)."""
        if count not in self._weights_of:
            near = self.eta[np.arange(self.size - count + 1)[:, None] + np.arange(count)] * self.intervals
            apart = near[:, :, None] - near[:, None, :]
            apart[:, np.arange(count), np.arange(count)] = 1.0
            self._weights_of[count] = 1.0 / np.prod(apart, axis=2)
        return self._weights_of[count]

    @cached_property
    def _weights_of(self) -> dict[int, Array]:
        return {}

    @cached_property
    def _remainder(self) -> Array:
        """The weights of the difference of order q, (n, order + 1)."""
        q, near = self.order, self.eta[self.stencils] * self.intervals
        apart = near[:, :, None] - near[:, None, :]
        apart[:, np.arange(q + 1), np.arange(q + 1)] = 1.0
        # max |product of (x - x_i)| in the middle of equally spaced points, with the mean spacing of the stencil
        constant = np.prod(np.arange(1, q, 2) / 2.0) ** 2 * ((near[:, -1] - near[:, 0]) / q) ** q
        found: Array = constant[:, None] / np.prod(apart, axis=2)
        return found

    @cached_property
    def _foretelling(self) -> Array:
        """Weights of the value beside an end less what the sites around it make of it, by three orders, (n, 3)."""
        orders = self.order - HIGHER, self.order, min(self.order + HIGHER, self.intervals)
        found = np.zeros((orders[-1] + 1, 3))
        for k, order in enumerate(orders):
            weights = self._barycentric(order + 1)[0]
            found[: order + 1, k] = weights / weights[1]
        return found

    def _neighbours(self, order: int) -> Index:
        first = np.clip(np.arange(self.size) - order // 2, 0, self.size - 1 - order)
        return first[:, None] + np.arange(order + 1)

    def _weights(self, stencils: Index) -> tuple[Array, Array]:
        scale = float(self.intervals)
        found = difference_weights((self.eta[stencils] - self.eta[:, None]).T * scale, 2)
        return found[:, 1].T * scale, found[:, 2].T * scale**2


@lru_cache(maxsize=256)
def sites(intervals: int, order: int) -> Sites:
    """The same sites, with their differences, wherever they are asked for."""
    return Sites(intervals, order)
