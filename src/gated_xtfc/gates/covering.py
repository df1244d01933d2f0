"""Narrow cells as features: as few gates as resolve them all."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from gated_xtfc.gates.prediction import FEATURE
from gated_xtfc.gates.resolution import Line, Resolution
from gated_xtfc.gates.text import Feature, Reading, Skew
from gated_xtfc.types import Array, Mask

THIN = 2.0  # discs that a feature bears are this much wider than what counts as its thickness
SEEN = 4.0  # parts of a kernel's width that sites and the points between them still notice
MOST_FEATURES = 400
ALIKE = 6.0  # radii within which two discs may belong to the same needle
# Thickness of the beginning of a root, as a part of the axis: wider than `ALGEBRAIC`, for inside of a domain kernels so
# narrow cost digits, and the error of a square root falls with the power 2.5 of their width.
ROOT = 1e-5
NARROW = 1.0 / 64.0  # of the axis: samples of a coordinate see what is wider


def as_features(
    reading: Reading, known: Resolution, narrow: tuple[Array, Array], undecided: Sequence[tuple[Array, Array]] = ()
) -> Reading:
    """Narrow cells, by place and width, as features; undecided ones, by their ends, as those of the width reached."""
    places, reach = narrow
    if not places.size and not undecided:
        return reading
    spans: list[tuple[float, float]] = []
    skews = list(reading.skews)
    spread = NARROW * known.line.length
    for start, end, low, high in _joined(undecided, 1e-9 * known.line.length):
        spans.append((start, end))
        if end - start > spread:
            skews.append(Skew(start, end, float((high - low).min()), False))
        else:
            places, reach = np.append(places, 0.5 * (low + high)), np.append(reach, high - low)
    chosen, places, reach = _covering(places, reach, known)
    if places.size:  # more than there are gates for
        skews.append(Skew(float(places.min()) - spread, float(places.max()) + spread, float(reach.min()), False))
    features = {_feature(place, wide, known): None for place, wide in chosen}
    return replace(
        reading,
        features=tuple({**dict.fromkeys(reading.features), **features}),
        skews=tuple(skews),
        undecided=tuple(spans),
    )


def _joined(cells: Sequence[tuple[Array, Array]], gap: float) -> Iterator[tuple[float, float, Array, Array]]:
    """Cells that follow one another as one: its ends, and theirs."""
    if not cells:
        return
    low, high = (np.concatenate(column) for column in zip(*cells, strict=True))
    order = np.argsort(low)
    low, high = low[order], high[order]
    starts = np.flatnonzero(np.concatenate([[True], low[1:] > np.maximum.accumulate(high)[:-1] + gap]))
    for i, j in zip(starts.tolist(), [*starts[1:].tolist(), low.size], strict=True):
        yield float(low[i]), float(high[i:j].max()), low[i:j], high[i:j]


def _covering(places: Array, reach: Array, known: Resolution) -> tuple[list[tuple[float, float]], Array, Array]:
    """Places and discs, the narrowest first, whose gates have kernels narrower than all the other discs.

    What is left over when there are enough of them comes with them.
    """
    width = known.width(places)
    unseen = SEEN * reach < width
    places, reach, width = places[unseen], reach[unseen], width[unseen]
    chosen: list[tuple[float, float]] = []

    def choose(place: float, wide: float) -> None:
        nonlocal width
        chosen.append((place, wide))
        width = np.minimum(width, np.maximum(FEATURE[0] * wide / THIN, FEATURE[1] * np.abs(places - place)))

    for i in np.lexsort((places, reach)).tolist():
        if len(chosen) >= MOST_FEATURES:
            break
        if width[i] > reach[i]:
            # of discs as narrow as this one, the middle: both shoulders of a needle say where it is
            alike = (reach <= 1.5 * reach[i]) & (np.abs(places - places[i]) <= ALIKE * reach[i]) & (width > reach)
            choose(0.5 * float(places[alike].min() + places[alike].max()), float(reach[i]))
        if width[i] > reach[i]:
            choose(float(places[i]), float(reach[i]))
    left_over: Mask = width > reach
    return chosen, places[left_over], reach[left_over]


def _feature(place: float, wide: float, known: Resolution) -> Feature:
    """A feature; one that lies as good as on an end or a break, where a root begins, belongs there."""
    nearest = float(known.knots[np.argmin(np.abs(known.knots - place))])
    at_knot = abs(nearest - place) <= THIN * wide
    thickness = wide / THIN
    if at_knot and thickness < ROOT * known.line.length and _is_singular(known.line, place, nearest):
        thickness = ROOT * known.line.length
    return Feature(nearest if at_knot else place, thickness, at_knot)


def _is_singular(line: Line, place: float, knot: float) -> bool:
    """Whether discs that reach beyond an end or break have no bound, however small: a root begins there."""
    if not line.texts or place == knot:
        return False
    near = np.array([knot + (place - knot) / 16.0])
    found = line.discs(near, 4.0 * np.abs(near - knot))
    return not all(np.isfinite(part.radius).all() for parts in found.terms for part in parts)
