"""Sharp features of coefficients and sources, read off the text: they are where an argument passes or nears zero.

An argument a(x) of a function marks a feature where it passes zero, of thickness 1/|a'|; of a quotient or a root where
it comes close to zero without reaching it, of thickness sqrt(2 |a| / |a''|), the distance of the complex root.
Comparisons, abs, sign, min and max break the domain where they switch. Samples of the values themselves would miss a
needle between two of them.

On a rectangle a peak shows on the lines through it only: so the places where arguments turn, however far from zero,
name the lines to look along in the other axis. An argument that passes zero at another place on every line follows no
axis: it asks for narrow kernels all along its way.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from gated_xtfc.gates.probe_lines import POLES, SWITCHES, Argument, ProbeLines, crossings, turning_places
from gated_xtfc.types import Array, Mask

MOST_BREAKS = 2_000  # more are refused, whatever lies between them
SAMPLES = np.linspace(0.0, 1.0, 97)
ALGEBRAIC = 1e-6  # thickness of the end of a root, as a part of the domain: its error no longer counts there
TOUCHING = 1e-15  # of the domain: a root whose argument comes this near to zero begins there
MANY = 8  # zeros of one argument beyond which it counts as a wave ...
IDLE = 1e-3  # ... where its slope is at least this part of the largest one
FARTHER = 3.0  # times the distance from a break to where a switch is, that it may be from there
NEAR = 30.0  # an argument that turns this close to zero marks a feature
SAME = 0.3  # thicknesses by which places on two lines may differ and still be the same
WAVES = frozenset({"sin", "cos"})
# Functions whose singularities in the complex plane are poles or branch points at the distance of the thickness.
POLE_FUNCTIONS = {"tanh": 0.5 * np.pi, "atan": 1.0, "arctan": 1.0}


@dataclass(frozen=True)
class Feature:
    """A sharp place of a coefficient or a source."""

    location: float
    thickness: float
    pole: bool = False  # whether the thickness is the distance of a complex pole


@dataclass(frozen=True)
class Skew:
    """A feature of this thickness somewhere on every line, between left and right."""

    left: float
    right: float
    thickness: float
    pole: bool


@dataclass(frozen=True)
class Reading:
    """What the texts say along an axis."""

    features: tuple[Feature, ...] = ()
    breaks: tuple[float, ...] = ()
    poles: tuple[float, ...] = ()  # where a divisor passes or touches zero
    waves: tuple[tuple[Array, Array], ...] = ()  # sampled places and wave number |a'|
    skews: tuple[Skew, ...] = ()
    turns: tuple[float, ...] = ()  # where arguments turn: lines to look along in the other axis
    undecided: tuple[tuple[float, float], ...] = ()  # from where to where a needle could not be excluded


def combined(readings: Sequence[Reading]) -> Reading:
    """What all of these readings of one axis show."""
    return Reading(
        tuple(dict.fromkeys(feature for reading in readings for feature in reading.features)),
        tuple(sorted({place for reading in readings for place in reading.breaks})),
        tuple(sorted({place for reading in readings for place in reading.poles})),
        tuple(wave for reading in readings for wave in reading.waves),
        tuple(skew for reading in readings for skew in reading.skews),
        tuple(dict.fromkeys(place for reading in readings for place in reading.turns)),
        tuple(span for reading in readings for span in reading.undecided),
    )


def without(reading: Reading, other: Reading) -> Reading:
    """The features, breaks and skews of a reading that another one does not have."""
    return Reading(
        tuple(feature for feature in reading.features if feature not in other.features),
        tuple(place for place in reading.breaks if place not in other.breaks),
        skews=tuple(skew for skew in reading.skews if skew not in other.skews),
        undecided=reading.undecided,
    )


@dataclass(frozen=True)
class Mark:
    """A feature of one argument on one line."""

    line: int
    place: float
    thickness: float
    pole: bool


@dataclass(frozen=True)
class Known:
    """A solution that texts are read along: the places where it is known best, and those where it was broken."""

    places: Array
    breaks: Array


def read(lines: ProbeLines, known: Known | None = None) -> Reading:
    """Features of the texts on all lines, or along the one that a solution is known on."""
    left, right = lines.left, lines.right
    x = left + (right - left) * SAMPLES
    x[-1] = right
    seen = lines.sampled(x)
    if not seen:
        return Reading()
    waves: list[tuple[Array, Array]] = []
    looked: dict[int, Argument] = {}
    for number, argument in seen.items():
        swings = np.count_nonzero(_swings(argument), axis=1).max()
        if argument.operation in WAVES or (argument.operation not in SWITCHES and swings > MANY):
            waves.append((x, np.abs(argument.slope).max(axis=0)))  # a feature everywhere is a wave
        else:
            looked[number] = argument
    marks: dict[int, list[Mark]] = {}
    poles: list[float] = []
    turns: dict[float, None] = {}

    def mark(number: int, line: int, place: float, thickness: float, pole: bool) -> None:
        marks.setdefault(number, []).append(Mark(line, place, thickness, pole))

    passed = crossings(lines, x, looked) if known is None else _along(lines, x, looked, known)
    for number, line, place, slope in passed:
        operation = seen[number].operation
        if operation in SWITCHES:
            mark(number, line, place, 1e-9 * (right - left), False)
        elif operation in POLES:
            poles.append(place)
            # a pole at an end makes the operator singular, which is not for kernels to resolve; a root they must
            if place in (left, right) and operation != "div":
                mark(number, line, place, ALGEBRAIC * (right - left), True)
        elif slope != 0.0:
            reach = POLE_FUNCTIONS.get(operation)
            mark(number, line, place, (reach or 1.0) / abs(slope), reach is not None)
    curved = {number: one for number, one in looked.items() if one.operation not in SWITCHES}
    for number, line, place, depth, bend in turning_places(lines, x, curved):
        pole = seen[number].operation in POLES
        turns[place] = None
        if not 0.0 < bend < np.inf or not (pole or depth < NEAR):
            continue
        # for poles the distance of the complex root, otherwise the distance over which the argument changes by one
        thickness = float(np.sqrt(2.0 * (depth if pole else 1.0) / bend))
        root = pole and seen[number].operation != "div"
        least = max(4.0 * np.spacing(abs(place)), TOUCHING * (right - left) if root else 0.0)
        if pole and thickness <= least:
            poles.append(place)  # a divisor, or what stands in a root, that touches zero
        else:
            mark(number, line, place, thickness, pole)
    for number, argument in looked.items():
        for beyond in _beyond(argument, left, right):
            marks.setdefault(number, []).append(beyond)
    features, breaks, skews = _sorted(marks, seen)
    inner = tuple(sorted({place for place in breaks if left < place < right}))
    return Reading(features, inner, tuple(sorted(set(poles))), tuple(waves), skews, tuple(turns))


def _swings(argument: Argument) -> Mask:
    """Between which samples an argument changes its sign, (lines, samples - 1), other than by moving about zero idly.

    What is nothing but the error of a solution, where that is zero, is no wave, however steep a layer is elsewhere.
    """
    steep = np.abs(argument.slope)
    steep = np.maximum(steep[:, 1:], steep[:, :-1]) >= IDLE * steep[np.isfinite(steep)].max(initial=0.0)
    found: Mask = (np.diff(np.sign(argument.value), axis=1) != 0) & steep
    return found


def _along(
    lines: ProbeLines, x: Array, looked: dict[int, Argument], known: Known
) -> list[tuple[int, int, float, float]]:
    """As `crossings`; of switches those between finer samples, and between those and places where they turn.

    Nothing proves here that a switch passes zero but once between two samples.
    """
    fine = np.union1d(x, known.places)
    others = {number: one for number, one in looked.items() if one.operation not in SWITCHES}
    found = crossings(lines, x, others)
    for _ in range(2):
        switches = {number: one for number, one in lines.sampled(fine).items() if one.operation in SWITCHES}
        if not switches:
            return found
        turns = [place for _, _, place, _, _ in turning_places(lines, fine, switches)]
        fine = np.union1d(fine, turns)
    for number, line, place, slope in crossings(lines, fine, switches):
        found.append((number, line, _led_to(lines, number, place, known.breaks), slope))
    return found


def _led_to(lines: ProbeLines, number: int, place: float, breaks: Array) -> float:
    """Where an argument would pass zero if it went on as at the nearest break, on its side away from this place.

    Between the break and the place that it should have had, a solution is one of neither branch.
    """
    if not breaks.size:
        return place
    here = float(breaks[np.abs(breaks - place).argmin()])
    beside = np.array([np.nextafter(here, 2.0 * here - place)])
    value, slope = lines.at(np.array([number]), np.array([0]), beside)
    with np.errstate(all="ignore"):
        step = float(-value[0] / slope[0])
    return here + step if place != here and 0.0 < step / (place - here) < FARTHER else place


def _sorted(
    marks: dict[int, list[Mark]], seen: dict[int, Argument]
) -> tuple[tuple[Feature, ...], list[float], tuple[Skew, ...]]:
    """Features that follow the axis, places of switches that do, and what follows no axis."""
    features: dict[Feature, None] = {}
    breaks: list[float] = []
    skews: list[Skew] = []
    for number, found in marks.items():
        followed = _follows_axis(found)
        if seen[number].operation in SWITCHES:
            breaks += [mark.place for mark in found] if followed else []
            continue
        sharp = [mark for mark in found if np.isfinite(mark.thickness) and mark.thickness > 0.0]
        if followed:
            features |= {Feature(mark.place, mark.thickness, mark.pole): None for mark in sharp}
        elif sharp:
            sharpest = min(sharp, key=lambda mark: mark.thickness)
            ends = min(mark.place for mark in found), max(mark.place for mark in found)
            skews.append(Skew(*ends, sharpest.thickness, sharpest.pole))
    return tuple(features), breaks, tuple(skews)


def _follows_axis(marks: list[Mark]) -> bool:
    """Whether most of the lines that show an argument's features show them at the same places."""
    lines = {mark.line for mark in marks}
    if len(lines) < 2:
        return True
    shared = [
        len({other.line for other in marks if abs(other.place - mark.place) <= SAME * mark.thickness}) for mark in marks
    ]
    return float(np.median(shared)) >= 0.5 * len(lines)


def _beyond(argument: Argument, left: float, right: float) -> Iterator[Mark]:
    """Divisors and roots that would pass zero just outside an end, at the distance |a / a'|."""
    if argument.operation not in POLES:
        return
    for end, i, side in ((left, 0, 1.0), (right, -1, -1.0)):
        with np.errstate(all="ignore"):
            distance = side * argument.value[:, i] / argument.slope[:, i]
        for line in np.flatnonzero((distance > 0.0) & (distance < right - left)).tolist():
            yield Mark(line, end, float(distance[line]), True)
