"""What hides between samples is found by proof: branch and bound with discs, down to the last needle.

Every cell of an axis, about as wide as the kernels that the reading so far asks for, is shown to hold nothing narrower:
its terms continue to the complex disc of that radius and stay within BOUND times their size there, and no argument of
a switch passes zero unseen. A cell that cannot be shown to is divided. Cells that come out much narrower than the
kernels are features; places where a switch turns out to pass zero are breaks. What a budget leaves undecided is
handed on as if it were a feature of the width reached.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gated_xtfc.gates import Layer
from gated_xtfc.gates.prediction import FEATURE, POLE, WAVE, WIDTHS, gate, layers_of_text, merge
from gated_xtfc.gates.text import ALGEBRAIC, Feature, Reading, Skew
from gated_xtfc.language.bounds import Bounds, FreeText
from gated_xtfc.language.disc import Disc
from gated_xtfc.language.enclosure import Interval
from gated_xtfc.types import Array, Index

Mask = NDArray[np.bool_]
CELLS = 8  # across a piece without features, which has seven kernel widths
EVEN = np.linspace(0.0, 1.0, CELLS + 1)
BOUND = 1e3  # times the size of a term: a Gaussian has this on discs of 2.6 times its width
THIN = 2.0  # discs that a feature bears are this much wider than what counts as its thickness
SEEN = 4.0  # parts of a kernel's width that sites and the points between them still notice
PARTS = 4  # into which a cell is divided
BUDGET = 40_000  # cells, in all
NEGLIGIBLE = 1e-16  # of the size of a term times the axis: what a cell may hold unproved
MOVING = 1e-10  # of the size of a term: less change across a narrow cell needs no narrow kernels
PAIR = 1e-13  # of the axis: closer together than this, two switches are none
MOST_CELLS = 20_000
MOST_FEATURES = 400
FASTEST = 1e100  # wave number
PASSES = 4  # breaks found in one pass divide the cells of the next
ROUNDS = 80
ALIKE = 6.0  # radii within which two discs may belong to the same needle
RADII = PARTS ** (np.arange(9) / 8.0)


@dataclass(frozen=True)
class Line:
    """Texts along one axis."""

    name: str
    left: float
    right: float
    texts: tuple[FreeText, ...]

    @property
    def length(self) -> float:
        return self.right - self.left

    def discs(self, middle: Array, reach: Array) -> Bounds:
        """Terms and switches on discs around places."""
        zero = np.zeros_like(middle)
        return self._bounds(Disc(middle, (zero + 1.0,), zero, (reach,)))

    def intervals(self, low: Array, high: Array) -> Bounds:
        """Terms and switches on cells."""
        return self._bounds(Interval(low, high))

    def _bounds(self, cells: Disc | Interval) -> Bounds:
        found = Bounds()
        for text in self.texts:
            own = text.bounds({self.name: cells})
            found.terms += own.terms
            found.switches += own.switches
        return found


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
            if search.small:
                # the size of a needle is known when it is found: much that was divided before need not have been
                search = _search(line, known, search.sizes)
            if not search.zeros:
                break
            breaks = _passing_zero(line, search.zeros)
            inner = {place for place in breaks if line.left < place < line.right} - {*reading.breaks}
            if not inner:
                break
            reading = replace(reading, breaks=tuple(sorted({*reading.breaks, *inner})))
        return as_features(reading, known, _moving(line, search), search.open)


@dataclass(frozen=True)
class Resolution:
    """How wide the kernels are that a reading asks for."""

    line: Line
    knots: Array  # ends and breaks
    layers: tuple[Layer, ...]
    blind: Array  # places around which nothing can be shown, for a divisor or a root is zero there
    waves: tuple[tuple[Array, Array], ...]

    @classmethod
    def of(cls, reading: Reading, line: Line) -> "Resolution":
        knots = np.array([line.left, *reading.breaks, line.right])
        thin = ALGEBRAIC * line.length
        blind = np.array([*reading.poles, *(f.location for f in reading.features if f.pole and f.thickness <= thin)])
        layers = layers_of_text(reading, line.left, line.right) + [gate(place, thin, POLE) for place in reading.poles]
        wide = line.length / WIDTHS
        # where an argument has no value, nor has what it is put into
        waves = [(at, np.nan_to_num(number, nan=0.0, posinf=FASTEST)) for at, number in reading.waves]
        fast = tuple(wave for wave in waves if wave[1].max() * wide > WAVE)
        return cls(line, knots, merge([one for one in layers if one.thickness < wide]), blind, fast)

    def cells(self) -> tuple[Array, Array]:
        """Cells about as wide as kernels are."""
        if self.knots.size == 2 and not self.layers and not self.waves:
            x = self.line.left + self.line.length * EVEN
            x[-1] = self.line.right
            return x[:-1], x[1:]
        points = [(self.knots[:-1, None] + np.diff(self.knots)[:, None] * EVEN).ravel(), self.knots]
        ends = np.array([self.line.left, self.line.right])
        for layer in self.layers:
            low, high = layer.jets(ends, 0)[0]
            points.append(layer.place(np.arange(np.ceil(low), np.floor(high) + 1.0)))
        for at, number in self.waves:
            phase = np.concatenate([[0.0], np.cumsum(0.5 * (number[1:] + number[:-1]) * np.diff(at))]) / WAVE
            count = int(min(phase[-1], MOST_CELLS))
            if count > CELLS:
                points.append(np.interp(np.linspace(0.0, phase[-1], count), phase, at))
        x = np.sort(np.minimum(np.maximum(np.concatenate(points), self.line.left), self.line.right))
        # two families of points may lie next to each other by chance, and breaks must stay ends of cells
        apart = np.diff(x) > 4.0 * np.spacing(np.abs(x[1:]))
        x = x[np.concatenate([[True], apart])]
        x[-1] = self.line.right
        return x[:-1], x[1:]

    def width(self, x: Array) -> Array:
        """The width of kernels at x."""
        piece = np.minimum(np.maximum(np.searchsorted(self.knots, x, side="right") - 1, 0), self.knots.size - 2)
        width = np.diff(self.knots)[piece] / WIDTHS
        for layer in self.layers:
            width = np.minimum(width, np.maximum(layer.thickness, layer.grading * np.abs(x - layer.location)))
        for at, number in self.waves:
            width = np.minimum(width, WAVE / np.interp(x, at, number))
        return width

    def is_blind(self, x: Array) -> Mask:
        """Whether a place is so near a zero of a divisor or root that nothing is shown there."""
        if not self.blind.size:
            return np.zeros(x.size, dtype=bool)
        found: Mask = np.abs(x[:, None] - self.blind).min(axis=1) <= 1.5 * ALGEBRAIC * self.line.length
        return found


def _search(line: Line, known: Resolution, sizes: Sequence[float] = ()) -> Search:
    """Cells are divided until all is shown, or the budget is spent; `sizes` of the terms as far as they are known."""
    search = Search([], [], [], [*sizes])
    low, high = known.cells()
    by_terms = np.zeros(low.size, dtype=bool)  # divided for their sake, and not only for that of a switch
    left = BUDGET
    first = True
    while low.size:
        left -= low.size
        if left < 0 and not first:
            search.open.append((low, high))
            break
        middle, width = 0.5 * (low + high), high - low
        found = line.discs(middle, width)
        shown, passing = _switches_shown(found.switches, middle, width, known)
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
            divided &= ~where  # the next pass has a cell that ends there
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


def bounded(found: Bounds, count: int, sizes: list[float]) -> Mask:
    """Cells on whose discs all terms are bounded; `sizes` grow with what is seen.

    What has no value at a centre is left to those who ask for values.
    """
    if not sizes:
        sizes += [0.0] * len(found.terms)
    shown = np.ones(count, dtype=bool)
    for i, parts in enumerate(found.terms):
        for part in parts:
            values = np.abs(part.centre)
            largest = float(values.max())
            if not largest < np.inf:
                largest = float(np.max(values, initial=0.0, where=np.isfinite(values)))
                shown &= np.isfinite(values)
            sizes[i] = max(sizes[i], largest)
    nowhere = ~shown
    for parts, size in zip(found.terms, sizes, strict=True):
        for part in parts:
            shown &= part.radius <= BOUND * size
    shown |= nowhere
    return shown


def negligible(discs: Bounds, which: Index, intervals: Bounds, part: Array, sizes: list[float], switched: Mask) -> Mask:
    """Cells, `part` of the whole, on which terms that are not bounded change by nothing that matters.

    An interval holds all that a switch may choose, a disc does not: where a switch is doubtful, it is the interval
    that counts.
    """
    held = np.ones(which.size, dtype=bool)
    for terms, cells, size in zip(discs.terms, intervals.terms, sizes, strict=True):
        for disc, cell in zip(terms, cells, strict=True):
            still = (cell.high - cell.low) * part <= NEGLIGIBLE * size
            held &= still | (~switched & (disc.radius[which] <= BOUND * size))
    return held


def _switches_shown(
    switches: Sequence[Disc], middle: Array, width: Array, known: Resolution
) -> tuple[Mask, list[tuple[int, Mask]]]:
    """Cells on which no switch passes zero unseen; and those on which one does, once."""
    shown = np.ones(middle.size, dtype=bool)
    passing = []
    for number, argument in enumerate(switches):
        size, slope = np.abs(argument.centre), np.abs(argument.slopes[0])
        # half a radius from the centre the linear part has halved, and the rest, a square at least, has quartered
        one_sided = size > 0.5 * argument.linear + 0.25 * argument.rest
        one_sided |= ((size == 0.0) & (argument.radius == 0.0)) | ~np.isfinite(size)
        doubtful = ~one_sided
        if not doubtful.any():
            continue
        # the derivative of the rest is at most 3 rest / radius there
        least = slope - 3.0 * argument.rest / width
        slack = 0.25 * argument.rest / least
        once = doubtful & (least > 0.0) & (slack <= 1e-2 * width)
        zero = middle - argument.centre / argument.slopes[0]
        gap = np.abs(zero[:, None] - known.knots).min(axis=1)
        at_knot = once & (gap <= slack + 64.0 * np.spacing(np.abs(middle)))
        new = once & ~at_knot
        if new.any():
            passing.append((number, new))
        shown &= one_sided | at_knot | (width <= PAIR * known.line.length)
    return shown, passing


def _passing_zero(line: Line, zeros: list[tuple[Array, Array, Array]]) -> list[float]:
    """Where switches pass zero, to the last bit: Newton's steps in a bracket, halved where they would leave it."""
    number, low, high = (np.concatenate(column) for column in zip(*zeros, strict=True))
    low, high = low - 4.0 * np.spacing(np.abs(low)), high + 4.0 * np.spacing(np.abs(high))
    which = number.astype(int)
    start, _ = _at(line, which, low)
    end, _ = _at(line, which, high)
    place = 0.5 * (low + high)
    for _ in range(ROUNDS):
        value, slope = _at(line, which, place)
        below = np.sign(value) == np.sign(start)
        low, high = np.where(below, place, low), np.where(below, high, place)
        step = place - value / slope
        following = np.where((step > low) & (step < high), step, 0.5 * (low + high))
        following = np.where(value == 0.0, place, following)
        settled = np.abs(following - place) <= 2.0 * np.spacing(np.abs(place))
        place = following
        if settled.all():
            break
    found: list[float] = place[start * end <= 0.0].tolist()
    return found


def _at(line: Line, which: Index, x: Array) -> tuple[Array, Array]:
    """Value and slope of switch which[k] at x[k]."""
    switches = line.discs(x, np.zeros_like(x)).switches
    rows = np.arange(x.size)
    values = np.stack([np.broadcast_to(switch.centre, x.shape) for switch in switches])
    slopes = np.stack([np.broadcast_to(switch.slopes[0], x.shape) for switch in switches])
    return values[which, rows], slopes[which, rows]


def as_features(
    reading: Reading, known: Resolution, narrow: tuple[Array, Array], undecided: Sequence[tuple[Array, Array]] = ()
) -> Reading:
    """Narrow cells, by place and width, as features; undecided ones, by their ends, as those of the width reached."""
    places, reach = narrow
    if not places.size and not undecided:
        return reading
    length = known.line.length
    spans, skews = [], list(reading.skews)
    if undecided:
        low, high = (np.concatenate(column) for column in zip(*undecided, strict=True))
        places, reach = np.append(places, 0.5 * (low + high)), np.append(reach, high - low)
        spread = length / 64.0  # what the samples of a coordinate see
        for start, end, thinnest in _joined(low, high, 1e-9 * length):
            spans.append((start, end))
            skews.append(Skew(start - spread, end + spread, thinnest, False))
    features = {_feature(place, wide, known): None for place, wide in _covering(places, reach, known)}
    return replace(
        reading,
        features=tuple({**dict.fromkeys(reading.features), **features}),
        skews=tuple(skews),
        undecided=tuple(spans),
    )


def _joined(low: Array, high: Array, gap: float) -> Iterator[tuple[float, float, float]]:
    """Cells that follow one another as one: its ends, and the width of the narrowest."""
    order = np.argsort(low)
    low, high = low[order], high[order]
    starts = np.flatnonzero(np.concatenate([[True], low[1:] > high[:-1] + gap]))
    for i, j in zip(starts, np.append(starts[1:], low.size), strict=True):
        yield float(low[i]), float(high[j - 1]), float((high[i:j] - low[i:j]).min())


def _covering(places: Array, reach: Array, known: Resolution) -> list[tuple[float, float]]:
    """Places and discs, the narrowest first, whose gates have kernels narrower than all the other discs."""
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
    return chosen


def _feature(place: float, wide: float, known: Resolution) -> Feature:
    """A feature; one that lies as good as on an end or a break, where a root begins, belongs there."""
    nearest = float(known.knots[np.argmin(np.abs(known.knots - place))])
    at_knot = abs(nearest - place) <= THIN * wide
    thickness = wide / THIN
    if at_knot and thickness < ALGEBRAIC * known.line.length and _is_singular(known.line, place, nearest):
        thickness = ALGEBRAIC * known.line.length
    return Feature(nearest if at_knot else place, thickness, at_knot)


def _is_singular(line: Line, place: float, knot: float) -> bool:
    """Whether discs that reach beyond an end or break have no bound, however small: a root begins there."""
    if not line.texts or place == knot:
        return False
    near = np.array([knot + (place - knot) / 16.0])
    found = line.discs(near, 4.0 * np.abs(near - knot))
    return not all(np.isfinite(part.radius).all() for parts in found.terms for part in parts)


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
