"""Gates for both axes before anything is solved: read off the operator on lines across, the text, and the sides' data.

On a line along x the operator is a_20 d_xx + a_10 d_x + a_00, whose modes make exponential layers where the flow leaves
and reaction layers at both ends. Where the flow runs along a side instead, a_01 u_y changes over the length of
the rectangle: a_20 d_xx - |a_01|/length makes the parabolic layers, as thick as the root of the diffusion.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from gated_xtfc.gates import Gate, Layer
from gated_xtfc.gates.boxes import on_a_rectangle
from gated_xtfc.gates.coordinate import AxisCoordinates, Coordinates
from gated_xtfc.gates.needles import with_needles
from gated_xtfc.gates.prediction import distinct_breaks, predicted
from gated_xtfc.gates.probe_lines import ProbeLines
from gated_xtfc.gates.resolution import Line
from gated_xtfc.gates.text import Reading, combined, read, without
from gated_xtfc.language.dual import Dual
from gated_xtfc.language.free_text import FreeText
from gated_xtfc.language.program import Watch
from gated_xtfc.operator.linearise import Linearisation, Operator
from gated_xtfc.problem.domain import Axis
from gated_xtfc.problem.equation import TextEquation
from gated_xtfc.problem.side import Side
from gated_xtfc.solver.discretisation import Gates
from gated_xtfc.solver.rectangle.corners import corner_layers
from gated_xtfc.types import Array, Index, Orders

LINES = np.array([0.0, 0.07, 0.21, 0.38, 0.5, 0.67, 0.83, 0.94, 1.0])  # irregular, so that no wave is missed
MOST_LINES = 40
SAME = 1e-6  # of the axis: lines closer than this are one


@dataclass(frozen=True)
class AxisLine:
    """The operator along one axis, where the other coordinate is fixed."""

    operator: Operator
    axis: int
    fixed: float
    across: float  # one over the length of the other axis, where the flow along that is to count; zero where it is not

    def __call__(self, x: Array) -> Linearisation:
        at = np.array([self.fixed])
        linear = self.operator.evaluate((x, at) if self.axis == 0 else (at, x))
        source = linear.source[0]
        found = {o: np.broadcast_to(a, source.shape).ravel() for o, a in linear.coefficients[0][0].items()}
        zero = np.zeros_like(x)
        jets: dict[Orders, Array] = {(j,): found.get(_along(self.axis, j), zero) for j in range(3)}
        flow = found.get(_along(1 - self.axis, 1), zero)
        jets[0,] = jets[0,] - np.sign(jets[2,]) * np.abs(flow) * self.across
        return Linearisation([[jets]], [source.ravel()], [[]])


def _along(axis: int, order: int) -> Orders:
    return (order, 0) if axis == 0 else (0, order)


def predict(
    operator: Operator, tol: float, gates: Gates | None = None, seen: Sequence[Sequence[Layer]] = ()
) -> Coordinates:
    """The first coordinates of both axes; given gates stand in for the predicted ones, `seen` ones join them."""
    axes = operator.problem.axes
    across = [axis.left + axis.length * LINES for axis in axes]
    readings = _read(operator, across)
    lines = [_lines(operator, k, across[1 - k]) for k in (0, 1)]
    given = gates or (None, None)
    layers = [list(own) for own in seen] or [[], []]

    def coordinates() -> Coordinates:
        return tuple(_axis(axes[k], lines[k], readings[k], given[k], layers[k]) for k in (0, 1))

    found = coordinates()
    more = corner_layers(operator, found, tol)
    if not any(more):
        return found
    for own, corners in zip(layers, more, strict=True):
        own += corners
    return coordinates()


def _axis(
    axis: Axis,
    lines: Sequence[AxisLine],
    readings: list[Reading],
    given: Sequence[Gate] | None,
    seen: Sequence[Layer],
) -> AxisCoordinates:
    """The coordinates of one axis."""
    breaks = distinct_breaks(tuple(sorted({place for r in readings for place in r.breaks})), axis.left, axis.right)
    return tuple(
        predicted(axis, ends, lines, readings, given, seen, refuse=lambda x: None)
        for ends in pairwise([axis.left, *breaks, axis.right])
    )


def _lines(operator: Operator, k: int, across: Array) -> list[AxisLine]:
    """Lines along an axis on which the operator differs, each with and without the flow across it.

    They stand at the places `across` on the other axis.
    """
    axis, other = operator.problem.axes[k], operator.problem.axes[1 - k]
    x = axis.left + axis.length * LINES
    linear = operator.evaluate((x, across) if k == 0 else (across, x))
    factors = linear.coefficients[0][0]
    varies = any(a.shape[1 - k] > 1 for a in factors.values())
    flows = _along(1 - k, 1) in factors
    return [
        AxisLine(operator, k, float(fixed), part)
        for fixed in (across if varies else across[:1])
        for part in ((0.0, 1.0 / other.length) if flows else (0.0,))
    ]


def _read(operator: Operator, lines: Sequence[Array]) -> list[list[Reading]]:
    """What the texts say along each axis."""
    readings: list[list[Reading]] = [[], []]
    if operator.problem.equations[0].is_text:
        first = [read(of_equation(operator, axis, lines[1 - axis])) for axis in (0, 1)]
        for axis in (0, 1):
            # along the lines on which the other axis has something to show
            other = first[1 - axis]
            places = [*other.turns, *(f.location for f in other.features)]
            places += [0.5 * (skew.left + skew.right) for skew in other.skews]
            more = _distinct(places, operator.problem.axes[1 - axis])[:MOST_LINES]
            readings[axis] = [first[axis]] + ([read(of_equation(operator, axis, more))] if more.size else [])
    equation, axes = operator.problem.equations[0], operator.problem.axes
    if isinstance(equation, TextEquation):
        so_far = [combined(own) for own in readings]
        proved = on_a_rectangle(equation.free_text, (_line(axes[0]), _line(axes[1])), so_far)
        for own, before, after in zip(readings, so_far, proved, strict=True):
            if after is not before:
                own.append(without(after, before))
    for side in operator.problem.sides:
        if not side.homogeneous:
            line = _line(side.along_axis, side.free_text)
            readings[1 - side.place[0]].append(with_needles(read(of_side(side)), line))
    return readings


def _line(axis: Axis, *texts: FreeText) -> Line:
    return Line(axis.name, axis.left, axis.right, texts)


def _distinct(places: list[float], axis: Axis) -> Array:
    """In order, without those that differ by rounding: a line that counts twice would have two votes."""
    kept = np.sort(np.array(places, dtype=float))
    return kept[np.diff(kept, prepend=-np.inf) > SAME * axis.length]


def of_equation(operator: Operator, k: int, across: Array) -> ProbeLines:
    """The equation along an axis, on lines where the other coordinate has the given values."""
    axis = operator.problem.axes[k]

    def run(t: Array, which: Index, watch: Watch) -> object:
        seed, other = Dual(t, {axis.name: 1.0}), across[which]
        return operator.residuals_at((seed, other) if k == 0 else (other, seed), watch=watch)

    return ProbeLines(axis.name, axis.left, axis.right, across.size, run)


def of_side(side: Side) -> ProbeLines:
    """The data along a side."""
    axis = side.along_axis
    return ProbeLines(
        axis.name, axis.left, axis.right, 1, lambda t, _, watch: side.run(Dual(t, {axis.name: 1.0}), watch)
    )
