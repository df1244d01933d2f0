"""Integrals, roots and extremes of a function on an interval, searched for in the gated coordinate.

Points are uniform in the coordinate, so a layer is looked at as closely as all the rest. What a function is known to,
its error, decides what counts as a root.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gated_xtfc.discretise.chart import Chart
from gated_xtfc.gates.probe_lines import bracketed_zeros
from gated_xtfc.gauss_legendre import on_intervals
from gated_xtfc.problem.domain import Axis
from gated_xtfc.solution.piecewise import PiecewisePolynomial
from gated_xtfc.types import Array

A_WIDTH = 8  # points a kernel width among which roots and extremes are looked for
CLOSER = 33  # points between the neighbours of the best one, again and again
ZOOMS = 6  # at most; each makes the distance to the extreme sixteen times smaller, and its value 256 times better
BEST = 4  # local extremes that are looked at more closely
ROUNDING = 1e-13
GAUSS = 16
HALVINGS = 40  # of a panel, where a function has a kink
MOST = 20_000  # panels at a time: more is noise
EPSILON = float(np.finfo(float).eps)
UNSEEN = 1e-6  # of the largest size: a function is taken to be known at least this well where roots are counted
PLATEAU = A_WIDTH  # samples in a row that cannot be told from the value: no root but a stretch


class Extreme(NamedTuple):
    """A largest or smallest value, and where it is taken."""

    value: float
    at: float


@dataclass(frozen=True, eq=False)
class Curve:
    """A function of one coordinate with derivatives, and how well it is known."""

    axis: Axis
    charts: tuple[Chart, ...]  # whose coordinates together resolve it
    function: Callable[[Array, int], Array]  # points and the order of a derivative, one that is available
    highest: int
    error: float  # estimated, in the units of the function

    def integral(self, left: float, right: float) -> float:
        """Between two places of the domain."""
        if left == right:
            return 0.0
        low, high = min(left, right), max(left, right)
        edges = self.edges
        edges = np.unique(np.concatenate([[low], edges[(edges > low) & (edges < high)], [high]]))
        found = _integral(lambda x: self.function(x, 0), edges)
        return found if left < right else -found

    def extreme(self, sign: float) -> Extreme:
        """The largest value, or with the sign -1 the smallest; NaN where values are not finite."""
        x, values = self.samples
        values = sign * values
        if not np.isfinite(values).all():
            return Extreme(math.nan, math.nan)
        beside = np.minimum(np.append(values[1:], values[-2]), np.append(values[1], values[:-1]))
        rise = values - beside
        top = int(np.argmax(values))
        found, place = float(values[top]), float(x[top])
        # a parabola rises above its highest sample by less than that one stands above its neighbours
        open_ = np.flatnonzero((rise > ROUNDING * max(1.0, abs(found))) & (values + rise >= found))
        for i in open_[np.argsort(-values[open_])][:BEST]:
            near = x[max(i - 1, 0) : i + 2]
            for _ in range(ZOOMS):
                near = np.linspace(near[0], near[-1], CLOSER)
                closer = sign * self.function(near, 0)
                best = int(np.argmax(closer))
                gain = float(closer[best] - closer[max(best - 1, 0)])
                if closer[best] > found:
                    found, place = float(closer[best]), float(near[best])
                near = near[max(best - 1, 0) : best + 2]
                if gain <= ROUNDING * max(1.0, abs(found)):
                    break
        return Extreme(sign * found, self._levelled(place))

    def _levelled(self, place: float) -> float:
        """Where the slope vanishes beside a place: values alone tell an extreme to half of their digits only."""
        if self.highest < 2 or not self.axis.left < place < self.axis.right:
            return place
        reach = 1e-2 / float(max(chart.slope(np.array([place]))[0] for chart in self.charts))
        ends = np.clip(np.array([place - reach, place + reach]), self.axis.left, self.axis.right)
        slope = self.function(ends, 1)
        if not slope[0] * slope[1] < 0.0:
            return place
        return float(self._zeros(ends[:1], ends[1:], np.sign(slope[:1]), 1, 0.0)[0])

    def roots(self, value: float) -> Array:
        """Places where the function has a value: crossings, and touchings as far as its error can tell them.

        A stretch longer than a kernel width on which the function cannot be told from the value has no root in it,
        unless the function crosses there.
        """
        x, values = self.samples
        values = values - value
        size = float(np.abs(values).max())
        if not math.isfinite(size) or size == 0.0:
            return np.zeros(0)
        noise = max(min(self.error, UNSEEN * size), 4.0 * EPSILON * max(size, abs(value)))
        sign = np.where(np.abs(values) <= noise, 0, np.sign(values)).astype(int)
        known = np.flatnonzero(sign)
        found: list[float] = []
        if known.size == 0:
            return np.zeros(0)
        crossing = known[:-1][sign[known[:-1]] != sign[known[1:]]]
        after = known[1:][sign[known[:-1]] != sign[known[1:]]]
        if crossing.size:
            found += self._zeros(x[crossing], x[after], sign[crossing].astype(float), 0, value).tolist()
        for end, inner in ((0, known[0]), (x.size - 1, known[-1])):
            if 0 < abs(int(inner) - end) <= PLATEAU:
                found.append(float(x[end]))
        same = sign[known[:-1]] == sign[known[1:]]
        for i, j in zip(known[:-1][same].tolist(), known[1:][same].tolist(), strict=True):
            if j - i > 1 and j - i <= PLATEAU:
                found += self._touching(x[i], x[j], value, sign[i], noise)
            elif (
                i > 0
                and sign[i - 1] == sign[i] == sign[j]
                and abs(values[i]) <= min(abs(values[i - 1]), abs(values[j]))
            ):
                found += self._touching(x[i - 1], x[j], value, sign[i], noise)  # it may dip between two samples
        return np.unique(np.array(found)) if found else np.zeros(0)

    def _touching(self, low: float, high: float, value: float, sign: int, noise: float) -> list[float]:
        """The place between two others where the function comes so close to the value that it may touch it."""
        near = np.array([low, high])
        best, closest = 0.0, math.inf
        for _ in range(ZOOMS):
            near = np.linspace(near[0], near[-1], CLOSER)
            distance = sign * (self.function(near, 0) - value)
            k = int(np.argmin(distance))
            if distance[k] < -noise:  # it crosses twice between two samples
                sides = [(near[0], near[k], float(sign)), (near[k], near[-1], -float(sign))]
                lows, highs, signs = (np.array(column) for column in zip(*sides, strict=True))
                return [float(place) for place in self._zeros(lows, highs, signs, 0, value)]
            best, closest = float(near[k]), float(distance[k])
            near = near[max(k - 1, 0) : k + 2]
        return [self._levelled(best)] if closest <= noise and low < best < high else []

    def _zeros(self, low: Array, high: Array, sign_at_low: Array, order: int, value: float) -> Array:
        """Zeros of a derivative less a value, in brackets."""

        def at(x: Array) -> tuple[Array, Array]:
            slope = self.function(x, order + 1) if order < self.highest else np.zeros_like(x)
            return self.function(x, order) - value, slope

        return bracketed_zeros(at, low, high, sign_at_low)

    @cached_property
    def samples(self) -> tuple[Array, Array]:
        """Places uniform in the coordinates and the breaks, and the values there."""
        parts = [chart.points(2 + int(A_WIDTH * chart.basis.length)) for chart in self.charts]
        parts += [np.array(chart.breaks) for chart in self.charts]
        x = self._inside(np.concatenate(parts))
        return x, self.function(x, 0)

    @cached_property
    def edges(self) -> Array:
        """Ends of panels one kernel width long, breaks among them."""
        parts = [chart.points(1 + int(np.ceil(chart.basis.length))) for chart in self.charts]
        parts += [np.array(chart.breaks) for chart in self.charts]
        return self._inside(np.concatenate(parts))

    def interpolated(self, order: int) -> Callable[[Array], Array]:
        """A derivative that the function does not have by itself, from polynomials through its values."""
        polynomial = self._polynomial
        return lambda x: polynomial.derivative(x, order)

    @cached_property
    def _polynomial(self) -> PiecewisePolynomial:
        return PiecewisePolynomial.of(lambda x: self.function(x, 0), self.edges)

    def _inside(self, x: Array) -> Array:
        ends = np.array([self.axis.left, self.axis.right])
        return np.unique(np.concatenate([np.clip(x, *ends), ends]))


def _integral(function: Callable[[Array], Array], edges: Array) -> float:
    """Gauss's rule on panels, each halved until its halves agree with it to rounding of the whole."""
    left, right = edges[:-1], edges[1:]
    whole, size = _panels(function, left, right)
    total, scale = 0.0, float(size.sum())
    for depth in range(HALVINGS + 1):
        middle = 0.5 * (left + right)
        first, size_first = _panels(function, left, middle)
        second, size_second = _panels(function, middle, right)
        # points stand where floating-point numbers are: a panel is known as well as these tell them apart
        blur = np.spacing(np.maximum(np.abs(left), np.abs(right))) / (right - left)
        known = np.maximum(2.0 * EPSILON * scale, 16.0 * blur * (size_first + size_second))
        done = ~(np.abs(first + second - whole) > known) | (left.size > MOST)
        if depth == HALVINGS:
            done[:] = True
        total += float((first + second)[done].sum())
        if done.all():
            break
        open_ = ~done
        left, right = np.concatenate([left[open_], middle[open_]]), np.concatenate([middle[open_], right[open_]])
        whole = np.concatenate([first[open_], second[open_]])
    return total


def _panels(function: Callable[[Array], Array], left: Array, right: Array) -> tuple[Array, Array]:
    """Integrals over panels, of the function and of its size."""
    x, weights = on_intervals(left, right, GAUSS)
    x = np.minimum(np.maximum(x, left[:, None]), right[:, None])
    values = function(x.ravel()).reshape(x.shape)
    return (weights * values).sum(axis=1), (weights * np.abs(values)).sum(axis=1)
