"""What the text knows of a rectangle: sharp features of coefficients, source and data, along a bundle of lines.

As on a line, an argument marks a feature where it passes zero or comes close to it. A peak shows on the lines through
it only: so the places where arguments turn, however far from zero, name the lines to look along in the other axis. An
argument that passes zero at another place on every line follows no axis: it asks for narrow kernels all along its way.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from gated_xtfc.gates.probe_lines import Bundle, Sampled, crossings, turning_places
from gated_xtfc.gates.text import MANY, POLE_FUNCTIONS, POLES, SAMPLES, SWITCHES, WAVES, Feature
from gated_xtfc.language.dual import Dual
from gated_xtfc.language.program import Watch
from gated_xtfc.operator.plane_operator import PlaneOperator
from gated_xtfc.problem.side import Side
from gated_xtfc.types import Array, Index

SAME = 0.3  # thicknesses by which places on two lines may differ and still be the same
NEAR = 30.0  # an argument that turns this close to zero marks a feature


@dataclass(frozen=True)
class Skew:
    """A feature of this thickness somewhere on every line, between left and right."""

    left: float
    right: float
    thickness: float
    pole: bool


@dataclass(frozen=True)
class PlaneReading:
    features: tuple[Feature, ...]
    breaks: tuple[float, ...]
    waves: tuple[tuple[Array, Array], ...]  # sampled places and wave number
    skews: tuple[Skew, ...]
    turns: tuple[float, ...]  # where arguments turn: lines to look along in the other axis


@dataclass(frozen=True)
class Mark:
    """A feature of one argument on one line."""

    line: int
    place: float
    thickness: float
    pole: bool


def of_equation(operator: PlaneOperator, axis: int, lines: Array) -> Bundle:
    """The equation along an axis, on lines where the other coordinate has the given values."""
    here = operator.problem.axes[axis]

    def run(t: Array, which: Index, watch: Watch) -> Any:
        seed, other = Dual(t, {here.name: 1.0}), lines[which]
        x, y = (seed, other) if axis == 0 else (other, seed)
        return operator.residual(x, y, watch=watch)

    return Bundle(here.name, here.left, here.right, lines.size, run)


def of_side(side: Side) -> Bundle:
    """The data along a side."""
    here = side.along
    return Bundle(here.name, here.left, here.right, 1, lambda t, _, watch: side.run(Dual(t, {here.name: 1.0}), watch))


def read(bundle: Bundle) -> PlaneReading:
    """Features of the texts on all lines of a bundle."""
    x = bundle.left + (bundle.right - bundle.left) * SAMPLES
    x[-1] = bundle.right
    shape = bundle.lines, x.size
    every = bundle.arguments(np.tile(x, bundle.lines), np.repeat(np.arange(bundle.lines), x.size))
    # long texts repeat themselves
    once = {(operation, value.tobytes()): number for number, (operation, value, _) in reversed([*enumerate(every)])}
    seen = {n: Sampled(every[n][0], every[n][1].reshape(shape), every[n][2].reshape(shape)) for n in once.values()}
    waves: list[tuple[Array, Array]] = []
    looked: dict[int, Sampled] = {}
    for number, sampled in seen.items():
        swings = np.count_nonzero(np.diff(np.sign(sampled.value), axis=1), axis=1).max()
        if sampled.operation in WAVES or (sampled.operation not in SWITCHES and swings > MANY):
            waves.append((x, np.abs(sampled.slope).max(axis=0)))
        else:
            looked[number] = sampled
    marks: dict[int, list[Mark]] = {}
    breaks: list[float] = []
    for number, line, place, slope in crossings(bundle, x, looked):
        operation = seen[number].operation
        reach = POLE_FUNCTIONS.get(operation)
        if operation in SWITCHES:
            marks.setdefault(number, []).append(Mark(line, place, 1e-9 * (bundle.right - bundle.left), False))
        elif operation not in POLES and slope != 0.0:
            marks.setdefault(number, []).append(Mark(line, place, (reach or 1.0) / abs(slope), reach is not None))
    turns: dict[float, None] = {}
    for number, line, place, depth, bend in turning_places(bundle, x, looked):
        pole = seen[number].operation in POLES
        turns[place] = None
        if bend > 0.0 and (depth > 0.0 if pole else depth < NEAR):
            thickness = float(np.sqrt(2.0 * (depth if pole else 1.0) / bend))
            marks.setdefault(number, []).append(Mark(line, place, thickness, pole))
    features: dict[Feature, None] = {}
    skews: list[Skew] = []
    for number, found in marks.items():
        followed = _follows_axis(found)
        if seen[number].operation in SWITCHES:
            breaks += [mark.place for mark in found] if followed else []
        elif followed:
            features |= {Feature(mark.place, mark.thickness, mark.pole): None for mark in found}
        else:
            sharpest = min(found, key=lambda mark: mark.thickness)
            ends = min(mark.place for mark in found), max(mark.place for mark in found)
            skews.append(Skew(*ends, sharpest.thickness, sharpest.pole))
    inner = tuple(sorted({place for place in breaks if bundle.left < place < bundle.right}))
    return PlaneReading(tuple(features), inner, tuple(waves), tuple(skews), tuple(turns))


def _follows_axis(marks: list[Mark]) -> bool:
    """Whether most of the lines that show an argument's features show them at the same places."""
    lines = {mark.line for mark in marks}
    if len(lines) < 2:
        return True
    shared = [
        len({other.line for other in marks if abs(other.place - mark.place) <= SAME * mark.thickness}) for mark in marks
    ]
    return float(np.median(shared)) >= 0.5 * len(lines)
