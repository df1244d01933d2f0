"""Needles of texts with two coordinates: boxes instead of cells, pairs of discs instead of discs.

A box that cannot be shown to hold nothing narrower than the kernels of both axes is divided along the axis that needs
it: along x where it cannot be shown even on a line y = constant through its middle. So a ridge along an axis costs no
more than a needle, and a peak is found though no line passes through it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from gated_xtfc.gates.covering import SEEN, as_features
from gated_xtfc.gates.needles import MOVING, with_needles
from gated_xtfc.gates.proof import bounded, negligible
from gated_xtfc.gates.resolution import Line, Resolution
from gated_xtfc.gates.text import Reading
from gated_xtfc.language.bounds import Bounds
from gated_xtfc.language.disc import Disc
from gated_xtfc.language.enclosure import Interval
from gated_xtfc.language.free_text import FreeText
from gated_xtfc.types import Array, Mask

BUDGET = 30_000  # boxes, in all
LINES = (0.38, 0.67)  # of the other axis: switches that pass zero at the same places of both follow the axis
COARSEST = 16  # cells of an axis to begin with, where there are too many
AT_ONCE = 6_000  # boxes to begin with

Ends = tuple[Array, Array]  # of cells along one axis
Boxes = tuple[Ends, Ends]


@dataclass
class FoundBoxes:
    """What a pass has found."""

    sizes: list[float] = field(default_factory=list)  # of the terms
    narrow: tuple[list[Ends], list[Ends]] = field(default_factory=lambda: ([], []))  # place and width, by axis
    open: list[Boxes] = field(default_factory=list)  # what the budget left undecided


def on_a_rectangle(text: FreeText, axes: tuple[Line, Line], readings: Sequence[Reading]) -> list[Reading]:
    """The readings of both axes with what a proof adds to them."""
    found = list(readings)
    # a feature that follows no axis asks for narrow kernels along all of its way: there is nothing left to hide in
    if text.plain or any(reading.skews for reading in readings):
        return found
    for k in (0, 1):
        found[k] = _with_breaks(text, axes, k, found[k])
    known = tuple(Resolution.of(reading, line) for reading, line in zip(found, axes, strict=True))
    with np.errstate(all="ignore"):
        search = _search(text, axes, known, FoundBoxes())
        if any(search.narrow):
            # the size of a peak is known when it is found
            search = _search(text, axes, known, FoundBoxes(search.sizes))
    for k in (0, 1):
        edges = [box[k] for box in search.open]
        found[k] = as_features(found[k], known[k], _joined(search.narrow[k]), edges)
    return found


def _joined(pairs: list[Ends]) -> Ends:
    if not pairs:
        return np.empty(0), np.empty(0)
    places, widths = (np.concatenate(column) for column in zip(*pairs, strict=True))
    return places, widths


def _with_breaks(text: FreeText, axes: tuple[Line, Line], k: int, reading: Reading) -> Reading:
    """Switches that follow the axis pass zero at the same places of two lines."""
    if not text.switches:
        return reading
    other = axes[1 - k]
    seen = []
    for part in LINES:
        fixed = {**text.parameters, other.name: other.left + part * other.length}
        line = replace(axes[k], texts=(replace(text, parameters=fixed, coordinates=(axes[k].name,)),))
        seen.append(with_needles(Reading(breaks=reading.breaks), line).breaks)
    near = 64.0 * np.spacing(max(abs(axes[k].left), abs(axes[k].right)))
    shared = [place for place in seen[0] if any(abs(place - one) <= near for one in seen[1])]
    return replace(reading, breaks=tuple(sorted({*reading.breaks, *shared})))


def _search(text: FreeText, axes: tuple[Line, Line], known: tuple[Resolution, ...], found: FoundBoxes) -> FoundBoxes:
    """Boxes are divided until all is shown, or the budget is spent."""
    boxes = _first(known)
    by_terms = np.zeros(boxes[0][0].size, dtype=bool)
    left = BUDGET
    while boxes[0][0].size:
        left -= boxes[0][0].size
        if left < 0:
            found.open.append(boxes)
            break
        shown = _shown(text, axes, boxes, found.sizes, (1.0, 1.0))
        middle = [0.5 * (low + high) for low, high in boxes]
        width = [high - low for low, high in boxes]
        ratio = [w / one.width(m) for m, w, one in zip(middle, width, known, strict=True)]
        shown |= known[0].is_blind(middle[0]) | known[1].is_blind(middle[1])
        for k in (0, 1):
            narrow = by_terms & shown & (SEEN * ratio[k] < 1.0)
            if narrow.any():
                narrow[narrow] = _moves(text, axes, k, [m[narrow] for m in middle], width[k][narrow], found.sizes)
                found.narrow[k].append((middle[k][narrow], width[k][narrow]))
        divided = ~shown
        if not divided.any():
            break
        rest: Boxes = tuple((low[divided], high[divided]) for low, high in boxes)  # type: ignore[assignment]
        along = [~_shown(text, axes, rest, found.sizes, reach) for reach in ((1.0, 0.0), (0.0, 1.0))]
        neither = ~along[0] & ~along[1]
        wider = ratio[0][divided] >= ratio[1][divided]
        along = [along[0] | (neither & wider), along[1] | (neither & ~wider)]
        for k in (0, 1):
            # no further than numbers go
            along[k] &= width[k][divided] > 8.0 * np.spacing(np.abs(middle[k][divided]))
        stuck = ~along[0] & ~along[1]
        if stuck.any():
            found.open.append(tuple((low[stuck], high[stuck]) for low, high in rest))  # type: ignore[arg-type]
        boxes = _halved(rest, along)
        by_terms = np.ones(boxes[0][0].size, dtype=bool)
    return found


def _first(known: tuple[Resolution, ...]) -> Boxes:
    """All pairs of cells of both axes; of an axis with many, wider ones, which are divided where they must be."""
    cells = [np.append(one.cells()[0], one.line.right) for one in known]
    if cells[0].size * cells[1].size > AT_ONCE:
        cells = [
            np.unique(np.append(edges[:: -(-edges.size // COARSEST)], one.knots))
            for edges, one in zip(cells, known, strict=True)
        ]
    ends = [(edges[:-1], edges[1:]) for edges in cells]
    shape = ends[0][0].size, ends[1][0].size
    first = tuple(np.repeat(edge, shape[1]) for edge in ends[0])
    second = tuple(np.tile(edge, shape[0]) for edge in ends[1])
    return (first[0], first[1]), (second[0], second[1])


def _halved(boxes: Boxes, along: list[Mask]) -> Boxes:
    for k in (0, 1):
        low, high = boxes[k]
        other = boxes[1 - k]
        middle = 0.5 * (low + high)
        cut, whole = along[k], ~along[k] & (along[0] | along[1])
        own = (
            np.concatenate([low[cut], middle[cut], low[whole]]),
            np.concatenate([middle[cut], high[cut], high[whole]]),
        )
        beside = tuple(np.concatenate([edge[cut], edge[cut], edge[whole]]) for edge in other)
        boxes = (own, (beside[0], beside[1])) if k == 0 else ((beside[0], beside[1]), own)
        if k == 0:
            along = [np.concatenate([flag[cut], flag[cut], flag[whole]]) for flag in along]
    return boxes


def _discs(text: FreeText, axes: tuple[Line, Line], middle: Sequence[Array], reach: Sequence[Array]) -> Bounds:
    zero = np.zeros_like(middle[0])
    one, reaches = zero + 1.0, (reach[0], reach[1])
    at = {
        axes[0].name: Disc(middle[0], (one, zero), zero, reaches),
        axes[1].name: Disc(middle[1], (zero, one), zero, reaches),
    }
    return text.bounds(at)


def _shown(
    text: FreeText, axes: tuple[Line, Line], boxes: Boxes, sizes: list[float], parts: tuple[float, float]
) -> Mask:
    """Boxes on which all terms are bounded on pairs of discs, or change by nothing that matters.

    `parts` of the radii: with a zero among them, on a line through the middle.
    """
    middle = [0.5 * (low + high) for low, high in boxes]
    reach = [part * (high - low) for part, (low, high) in zip(parts, boxes, strict=True)]
    found = _discs(text, axes, middle, reach)
    shown = bounded(found, middle[0].size, sizes)
    doubtful = np.flatnonzero(~shown)
    if not doubtful.size:
        return shown
    at, part = {}, np.ones(doubtful.size)
    for axis, m, r, (low, high) in zip(axes, middle, reach, boxes, strict=True):
        at[axis.name] = Interval(m[doubtful] - 0.5 * r[doubtful], m[doubtful] + 0.5 * r[doubtful])
        part = part * (high - low)[doubtful] / axis.length
    shown[doubtful] = negligible(found, doubtful, text.bounds(at), part, sizes, np.zeros(part.size, dtype=bool))
    return shown


def _moves(
    text: FreeText, axes: tuple[Line, Line], k: int, middle: Sequence[Array], width: Array, sizes: list[float]
) -> Mask:
    """Whether a term changes across a box along axis k, through its middle or along one of its sides."""
    moves = np.zeros(width.size, dtype=bool)
    places = [np.repeat(m, 3) for m in middle]
    places[k] = places[k] + np.repeat(width, 3) * np.tile([-0.5, 0.0, 0.5], width.size)
    none = np.zeros_like(places[0])
    for terms, size in zip(_discs(text, axes, places, (none, none)).terms, sizes, strict=True):
        for term in terms:
            moves |= np.ptp(term.centre.reshape(-1, 3), axis=1) > MOVING * size
    return moves
