"""Where a density lives: its peaks with the valleys between them, and the shortest set of a given mass."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from gated_xtfc.inverse.measure import Marginal
from gated_xtfc.types import Index, Mask

LEAST = 0.01  # mass of a peak that is named
PIECES = 8  # of a cell, between which the edge of a set is found
SHALLOW = 0.5  # a valley above this part of its lower shore is none

Interval = tuple[float, float]


@dataclass(frozen=True)
class Peak:
    """A maximum of a density with what lies around it."""

    value: float
    low: float  # the valleys to both sides
    high: float
    mass: float  # between them


def peaks(curve: Marginal, least: float = LEAST) -> list[Peak]:
    """The maxima of the density that have so much mass between the valleys around them."""
    density = curve.density
    rising = np.concatenate([[True], np.diff(density) > 0.0])
    falling = np.concatenate([np.diff(density) <= 0.0, [True]])
    merged: list[int] = []
    for at in np.flatnonzero(rising & falling & (density > 1e-6 * density.max())).tolist():
        if merged:
            valley = float(density[merged[-1] : at + 1].min())
            if valley > SHALLOW * min(density[merged[-1]], density[at]):
                if density[at] > density[merged[-1]]:
                    merged[-1] = at
                continue
        merged.append(at)
    found = [
        Peak(float(curve.grid[at]), float(curve.grid[a]), float(curve.grid[b]), float(curve.total[b] - curve.total[a]))
        for at, (a, b) in zip(merged, _valleys(curve, merged), strict=True)
    ]
    return [peak for peak in found if peak.mass > least]


def _valleys(curve: Marginal, tops: Sequence[int]) -> list[tuple[int, int]]:
    cuts = [0, *(a + int(np.argmin(curve.density[a : b + 1])) for a, b in pairwise(tops))]
    cuts.append(curve.grid.size - 1)
    return list(pairwise(cuts))


def between(curve: Marginal, low: float, high: float) -> Marginal:
    """The distribution between two points of its grid, normalised."""
    first, last = np.searchsorted(curve.grid, [low, high]).tolist()
    part = slice(first, last + 1)
    start, mass = curve.total[first], curve.total[last] - curve.total[first]
    return Marginal(curve.grid[part], curve.density[part] / mass, (curve.total[part] - start) / mass)


def densest(curve: Marginal, level: float, logarithmic: bool) -> tuple[Interval, ...]:
    """The set of highest density with this mass, as intervals from left to right, on a linear or logarithmic scale."""
    scale = np.log(curve.grid) if logarithmic else curve.grid
    density = curve.density * curve.grid if logarithmic else curve.density
    wide = np.diff(scale) > 0.0  # a grid may have a point twice, one for each of two cells
    left, steps = scale[:-1][wide], np.diff(scale)[wide]
    # inside a cell the density is a line between its ends
    at = (np.arange(PIECES) + 0.5) / PIECES
    heights = (density[:-1][wide][:, None] * (1.0 - at) + density[1:][wide][:, None] * at).ravel()
    pieces = heights * np.repeat(steps, PIECES)
    pieces /= pieces.sum()
    order = np.argsort(-heights, kind="stable")
    count = int(np.searchsorted(np.cumsum(pieces[order]), level)) + 1
    threshold = float(heights[order[min(count, order.size) - 1]])
    chosen = np.zeros(pieces.size, dtype=bool)
    chosen[order[:count]] = True
    starts, stops = _runs(chosen)
    edges = np.append((left[:, None] + steps[:, None] * np.arange(PIECES) / PIECES).ravel(), scale[-1])
    found: list[list[float]] = []
    last = 0
    for start, stop in zip(starts.tolist(), stops.tolist(), strict=True):
        # a dip that a valley is not, as in densities from draws, parts nothing
        if found and heights[last:start].min() > SHALLOW * threshold:
            found[-1][1] = float(edges[stop])
        else:
            found.append([float(edges[start]), float(edges[stop])])
        last = stop
    back = np.exp if logarithmic else np.asarray
    return tuple((float(back(low)), float(back(high))) for low, high in found)


def _runs(chosen: Mask) -> tuple[Index, Index]:
    """Where runs of true begin, and where they have ended."""
    change = np.diff(np.concatenate([[False], chosen, [False]]).astype(int))
    return np.flatnonzero(change == 1), np.flatnonzero(change == -1)
