"""What hides between samples is found by proof: branch and bound with discs, down to the last needle.

Every cell of an axis, about as wide as the kernels that the reading so far asks for, is shown to hold nothing narrower:
its terms continue to the complex disc of that radius and stay within a bound there, and no argument of a switch passes
zero unseen. A cell that cannot be shown to is divided. Cells that come out much narrower than the kernels are features;
places where a switch turns out to pass zero are breaks. What a budget leaves undecided is handed on as if it were a
feature of the width reached.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gated_xtfc.gates.covering import SEEN, as_features
from gated_xtfc.gates.proof import BOUND, bounded, negligible, passing_zero, switches_shown
from gated_xtfc.gates.resolution import Line, Resolution
from gated_xtfc.gates.text import MOST_BREAKS, Reading
from gated_xtfc.types import Array

PARTS = 4  # into which a cell is divided
BUDGET = 30_000  # cells that are looked at
EACH = 20  # more for each cell of the first level, up to three times as many
MOVING = 1e-10  # of the size of a term: less change across a narrow cell needs no narrow kernels
PASSES = 4  # breaks found in one pass divide the cells of the next
RADII = PARTS ** (np.arange(9) / 8.0)


@dataclass
class Search:
    """What a pass over the cells has found."""

    small: list[tuple[Array, Array]]  # places and widths of cells narrower than the kernels
    zeros: list[tuple[Array, Array, Array]]  # number of a switch, and a cell in which it passes zero
    open: list[tuple[Array, Array]]  # ends of cells that the budget left undecided
    sizes: list[float]  # of the terms


def with_needles(reading: Reading, line: Line) -> Reading:
    """The reading with what a proof adds to it."""
    texts = tuple(text for text in line.texts if not text.plain)
    if not texts:
        return reading
    line = replace(line, texts=texts)
    with np.errstate(all="ignore"):
        for _ in range(PASSES):
            known = Resolution.of(reading, line)
            search = _search(line, known)
            if not search.zeros:
                break
            found = {place for place in passing_zero(line, search.zeros) if line.left < place < line.right}
            if found <= {*reading.breaks}:
                search = _search(line, known, search.sizes, settled=True)
                break
            reading = replace(reading, breaks=tuple(sorted({*reading.breaks, *found})))
            if len(reading.breaks) > MOST_BREAKS:
                return reading
        if search.small:
            # the size of a needle is known when it is found: much that was divided before need not have been
            search = _search(line, known, search.sizes, settled=True)
        return as_features(reading, known, _moving(line, search), search.open)


def _search(line: Line, known: Resolution, sizes: Sequence[float] = (), settled: bool = False) -> Search:
    """Cells are divided until all is shown, or the budget is spent.

    `sizes` of the terms as far as they are known; `settled` says that all zeros of switches are.
    """
    search = Search([], [], [], [*sizes])
    low, high = known.cells()
    by_terms = np.zeros(low.size, dtype=bool)  # divided for their sake, and not only for that of a switch
    left = BUDGET + min(EACH * low.size, 3 * BUDGET)
    first = True
    while low.size:
        left -= low.size
        if left < 0 and not first:
            search.open.append((low, high))
            break
        middle, width = 0.5 * (low + high), high - low
        found = line.discs(middle, width)
        shown, passing = switches_shown(found.switches, middle, width, known)
        if settled:
            for _, where in passing:
                shown |= where
            passing = []
        for number, where in passing:
            search.zeros.append((np.full(np.count_nonzero(where), number), low[where], high[where]))
        smooth = bounded(found, low.size, search.sizes)
        if first and smooth.all() and shown.all():
            break
        smooth |= known.is_blind(middle)
        doubtful = np.flatnonzero(~(smooth & shown))
        if doubtful.size:
            cells = line.intervals(low[doubtful], high[doubtful])
            part = width[doubtful] / line.length
            held = negligible(found, doubtful, cells, part, search.sizes, ~shown[doubtful])
            smooth[doubtful] |= held
            shown[doubtful] |= held
        narrow = by_terms & smooth & shown
        if narrow.any():
            narrow &= SEEN * width < known.width(middle)
            search.small.append((middle[narrow], width[narrow]))
        divided = ~(smooth & shown)
        for _, where in passing:
            # the next pass has a cell that ends there
            divided &= ~where
        last = divided & (width <= 8.0 * np.spacing(np.abs(middle)))
        if last.any():
            search.open.append((low[last], high[last]))
            divided &= ~last
        low, high = _parts(low[divided], high[divided])
        by_terms = np.repeat(~smooth[divided], PARTS)
        first = False
    return search


def _parts(low: Array, high: Array) -> tuple[Array, Array]:
    edges = low[:, None] + (high - low)[:, None] * np.linspace(0.0, 1.0, PARTS + 1)
    edges[:, -1] = high
    return edges[:, :-1].ravel(), edges[:, 1:].ravel()


def _moving(line: Line, search: Search) -> tuple[Array, Array]:
    """Narrow cells across which a term changes, and how wide discs there can be, for cells are known to a part only.

    Far from a step written as exp(a)/(1 + exp(a)) narrow cells are needed for the proof, but not for the solution.
    """
    if not search.small:
        return np.empty(0), np.empty(0)
    places, widths = (np.concatenate(column) for column in zip(*search.small, strict=True))
    tried = (widths[:, None] * RADII).ravel()
    held = np.ones(tried.size, dtype=bool)
    for parts, size in zip(line.discs(np.repeat(places, RADII.size), tried).terms, search.sizes, strict=True):
        for part in parts:
            held &= part.radius <= BOUND * size
    widest = np.cumprod(held.reshape(-1, RADII.size), axis=1).sum(axis=1)
    reach: Array = widths * RADII[np.maximum(widest - 1, 0)]
    across = (places[:, None] + widths[:, None] * np.array([-0.5, 0.0, 0.5])).ravel()
    moving = np.zeros(places.size, dtype=bool)
    for parts, size in zip(line.discs(across, np.zeros_like(across)).terms, search.sizes, strict=True):
        for part in parts:
            moving |= np.ptp(part.centre.reshape(-1, 3), axis=1) > MOVING * size
    return places[moving], reach[moving]
