"""Gates for an interval before anything is solved: a coordinate for each smooth piece."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from gated_xtfc.errors import InputError
from gated_xtfc.gates import Gate, Layer
from gated_xtfc.gates.coordinate import Coordinate
from gated_xtfc.gates.prediction import apart, predicted
from gated_xtfc.gates.probe_lines import ProbeLines
from gated_xtfc.gates.samples import sample
from gated_xtfc.gates.text import read
from gated_xtfc.language.dual import Dual
from gated_xtfc.language.program import Watch
from gated_xtfc.operator.linearise import Operator
from gated_xtfc.types import Array, Index

MOST_BREAKS = 500


def predict(
    operator: Operator, gates: Sequence[Gate] | None = None, seen: Iterable[Layer] = ()
) -> tuple[Coordinate, ...]:
    """The first coordinate of every piece; given gates stand in for the predicted ones, `seen` ones join them."""
    (axis,) = operator.problem.axes
    text = all(equation.is_text for equation in operator.problem.equations)
    reading = read(probe_lines(operator)) if text else sample(operator, axis.left, axis.right)
    refuse_poles(operator, reading.poles)
    breaks = apart(reading.breaks, axis.left, axis.right)
    if len(breaks) > MOST_BREAKS:
        raise InputError(
            f"the equation switches at more than {MOST_BREAKS} places: split the problem or smooth the switches"
        )
    lines, shown = [lambda x: operator.evaluate((x,))], tuple(seen)
    return tuple(
        predicted(axis, ends, lines, [reading], gates, shown, refuse=lambda x: operator((x,)))
        for ends in pairwise([axis.left, *breaks, axis.right])
    )


def probe_lines(operator: Operator) -> ProbeLines:
    """The interval as the one line along which the equations and the integrals in conditions are read."""
    (axis,) = operator.problem.axes

    def run(t: Array, _: Index, watch: Watch) -> None:
        seed = Dual(t, {axis.name: 1.0})
        operator.residuals_at((seed,), watch=watch)
        for condition in operator.problem.conditions:
            for integral in condition.integrals:
                integral.linearised(seed, watch)

    return ProbeLines(axis.name, axis.left, axis.right, 1, run)


def refuse_poles(operator: Operator, poles: tuple[float, ...]) -> None:
    """A divisor that passes zero makes a coefficient singular, unless what is divided vanishes with it."""
    (axis,) = operator.problem.axes
    for place in poles:
        reach = 1e-3 * (axis.right - axis.left) * np.array([1.0, 1e-2, 1e-4])
        x = np.concatenate([place - reach, place + reach])
        x = x[(x > axis.left) & (x < axis.right)]
        linear = operator.evaluate((x,))
        for what in (*(a for fields in linear.symbols for jets in fields for a in jets), *linear.source):
            size = np.abs(what)
            far, near = size[np.abs(x - place) > 0.5 * reach[0]], size[np.abs(x - place) < 2.0 * reach[2]]
            if near.size and far.size and near.max() > 20.0 * max(far.max(), 1e-300):
                raise InputError(
                    f"the equation is singular at {axis.name} = {place:.6g}, where a divisor passes zero: "
                    f"multiply the equation by it or leave that point out of the domain"
                )
