"""Sites at fixed eta in [0, 1] with differences of order q, stable in time because the sites gather at both ends.

The spacing grows like s(k) s(N - k) with s(k) = k / sqrt(k^2 + c^2), c = 0.75 q / pi: with uniform sites one-sided
differences of high order have eigenvalues in the right half plane, and the finer the steps the more they grow.

Where the equations break there are two sites, next to each other: differences reach up to their own one from each side,
and sites gather there as at an end.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from gated_xtfc.types import Array, Index, Mask

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

    intervals: int  # that are asked for; short pieces get more of them
    order: int
    cuts: tuple[tuple[float, float], ...] = ()  # eta of the two sites at each break

    @cached_property
    def pieces(self) -> tuple[tuple[int, int], ...]:
        """The first and the last site of each piece between breaks."""
        if not self.cuts:
            return ((0, self.intervals),)
        counts = [max(round(self.intervals * (b - a)), 2 * self.order + 4) for a, b in self._spans]
        first = np.cumsum([0, *(count + 1 for count in counts)])
        return tuple((int(a), int(a) + count) for a, count in zip(first, counts, strict=False))

    @cached_property
    def _spans(self) -> list[tuple[float, float]]:
        """From where to where each piece reaches, in eta."""
        return list(
            zip([0.0, *(right for _, right in self.cuts)], [*(left for left, _ in self.cuts), 1.0], strict=True)
        )

    @cached_property
    def beside_ends(self) -> Mask:
        """Whether a site is within the reach of a difference from an end of its piece, (n,)."""
        number = np.arange(self.size)
        found: Mask = np.any([(np.abs(number - one) <= self.order) for piece in self.pieces for one in piece], axis=0)
        return found

    @cached_property
    def joints(self) -> Index:
        """The left one of the two sites at each break."""
        return np.array([last for _, last in self.pieces[:-1]], dtype=np.int64)

    @property
    def size(self) -> int:
        return self.pieces[-1][1] + 1

    @cached_property
    def eta(self) -> Array:
        reach = GATHERED * self.order
        parts = [placed(last - first, reach) for first, last in self.pieces]
        return np.concatenate([a * (1.0 - part) + b * part for (a, b), part in zip(self._spans, parts, strict=True)])

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
        return self._neighbours(self._highest)

    @cached_property
    def _highest(self) -> int:
        return min(self.order + HIGHER, *(last - first for first, last in self.pieces))

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
        one_sided, reach = self.order // 2 + 1, self._highest + 1
        for (first, last), foretelling in zip(self.pieces, self._foretelling, strict=True):
            own = values[..., first : last + 1]
            ends = np.stack([own[..., :reach], own[..., : -reach - 1 : -1]])
            low, here, high = np.moveaxis(np.abs(ends @ foretelling), -1, 0)[..., None]
            unseen = here * np.minimum(high, low) / np.maximum(low, np.finfo(float).tiny)
            ends_of = slice(first, first + one_sided), slice(last + 1 - one_sided, last + 1)
            for sites, seen in zip(ends_of, unseen, strict=True):
                found[..., sites] = np.maximum(np.abs(found[..., sites]), seen)
        return found

    def interpolated(self, values: Array, eta: Array, points: int) -> Array:
        """Values (..., n) at places eta (p,), by polynomials through the nearest `points` sites: (..., p)."""
        count = min(points, *(last - first + 1 for first, last in self.pieces))
        piece = np.searchsorted([right for _, right in self.cuts], eta, side="right")
        low, high = np.array(self.pieces).T
        first = np.clip(np.searchsorted(self.eta, eta) - count // 2, low[piece], high[piece] + 1 - count)
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
    def _foretelling(self) -> list[Array]:
        """For each piece, weights of the value beside an end less what the sites around it make of it, by three orders,
        (n, 3).
        """
        orders = self.order - HIGHER, self.order, self._highest
        found = [np.zeros((orders[-1] + 1, 3)) for _ in self.pieces]
        for k, order in enumerate(orders):
            for (first, _), own in zip(self.pieces, found, strict=True):
                weights = self._barycentric(order + 1)[first]
                own[: order + 1, k] = weights / weights[1]
        return found

    def _neighbours(self, order: int) -> Index:
        first = [np.clip(np.arange(a, b + 1) - order // 2, a, b - order) for a, b in self.pieces]
        return np.concatenate(first)[:, None] + np.arange(order + 1)

    def _weights(self, stencils: Index) -> tuple[Array, Array]:
        scale = float(self.intervals)
        found = difference_weights((self.eta[stencils] - self.eta[:, None]).T * scale, 2)
        return found[:, 1].T * scale, found[:, 2].T * scale**2


@lru_cache(maxsize=256)
def sites(intervals: int, order: int, cuts: tuple[tuple[float, float], ...] = ()) -> Sites:
    """The same sites, with their differences, wherever they are asked for."""
    return Sites(intervals, order, cuts)
