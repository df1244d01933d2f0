"""What texts do along a solution: arguments that hold the field are functions of x as soon as the field is one.

Before anything is solved nobody knows where u - 0.3 passes zero. Afterwards the same rules apply to it as to an
argument of x alone, and a feature of the text that the kernels step over shows as an argument that leaps past zero.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from gated_xtfc.gates.probe_lines import FIELD, SWITCHES, argument_watch
from gated_xtfc.gates.text import NEAR, WAVES
from gated_xtfc.language.dual import Dual, Operand, Partials
from gated_xtfc.language.program import Watch
from gated_xtfc.problem.problem import Problem
from gated_xtfc.types import Array, Mask, Number, Orders

LEAP = 3.0  # from one point to the next: kernels resolve arguments that change by less
SAME = 1e-9  # of the axis: a switch this near to a break is the one that the break is for
GRAZED = 0.25  # of the depth of a dip: what it may be deeper than the cubic through its ends says


def run_along(
    problem: Problem, t: Array, jets: Sequence[Mapping[Orders, Number]], constants: Sequence[float], watch: Watch
) -> None:
    """Evaluates the equations where every field is a function of t; jets[field] has its derivatives at the points t."""
    (axis,) = problem.axes
    state: dict[tuple[str, ...] | tuple[str, Orders], Operand] = {}
    for field, own in zip(problem.fields, jets, strict=True):
        for (order,), value in own.items():
            slope = own.get((order + 1,))
            partials: Partials = {FIELD: 1.0}
            if slope is not None:
                partials[axis.name] = slope
            state[field, (order,)] = Dual(value, partials)
    for name, constant in zip(problem.unknown, constants, strict=True):
        state[(name,)] = constant

    plain = {id(value) for value in state.values()}

    def sharp(operation: str, operands: tuple[Operand, ...]) -> None:
        if operation != "pow" or id(operands[0]) not in plain:  # a power of the field is as smooth as the field
            watch(operation, operands)

    with np.errstate(all="ignore"):
        for equation in problem.equations:
            equation.residual((Dual(t, {axis.name: 1.0}),), state, sharp)


def steps_over(
    problem: Problem,
    x: Array,
    jets: Sequence[Mapping[Orders, Array]],
    constants: Sequence[float],
    breaks: Array,
    at: Callable[[int, Array, int], Array],
    unsure: float,
) -> bool:
    """Whether a text has a feature along the solution between neighbouring points, or a switch inside a piece.

    `at` gives a field and its derivatives where the points leave out ends and breaks: a switch may stand beside one.
    `unsure` is how far off fields may be: an argument that turns back this near to zero may well pass it.
    """
    (axis,) = problem.axes
    ends = np.array([axis.left, *breaks, axis.right])
    x = np.concatenate([ends, x])
    order = np.argsort(x, kind="stable")
    x = x[order]
    jets = [
        {(j,): np.concatenate([at(f, ends, j), values])[order] for (j,), values in own.items()}
        for f, own in enumerate(jets)
    ]
    found = False

    def keep(operation: str, operand: Operand) -> None:
        nonlocal found
        if found or operation in WAVES or not isinstance(operand, Dual):
            return
        if FIELD not in operand.partials or axis.name not in operand.partials:
            return
        value = np.zeros_like(x) + operand.value
        crossed = np.sign(value[1:]) * np.sign(value[:-1]) < 0
        if operation in SWITCHES:
            slope = np.zeros_like(x) + operand.partials[axis.name]
            if crossed.any():
                nearer = np.flatnonzero(crossed) + (np.abs(value[1:]) < np.abs(value[:-1]))[crossed]
                places = x[nearer] - value[nearer] / slope[nearer]
                apart = np.abs(places[:, None] - breaks).min(axis=1, initial=np.inf)
                other = slope[nearer] * value[1:][crossed] < 0.0  # it comes back to zero after the one that is near
                found = bool((other | (apart > SAME * axis.length)).any())
            found = found or bool(dips_through(x, value, slope, unsure * np.abs(operand.partials[FIELD])).any())
            return
        close = np.minimum(np.abs(value[1:]), np.abs(value[:-1])) < NEAR
        found = bool(((np.abs(np.diff(value)) > LEAP) & (crossed | close)).any())

    run_along(problem, x, jets, constants, argument_watch(keep))
    return found


def dips_through(x: Array, value: Array, slope: Array, unsure: Number) -> Mask:
    """Between which neighbouring points an argument of one sign may reach zero and turn back.

    The cubic through values and slopes at both points says where it turns, and how near to zero; values are `unsure`.
    """
    step, side = np.diff(x), np.sign(value[:-1])
    a, b = np.abs(value[:-1]), np.abs(value[1:])
    down, up = side * slope[:-1] * step, side * slope[1:] * step
    turns: Mask = (side == np.sign(value[1:])) & (a > 0.0) & (down < 0.0) & (up > 0.0)
    bend, twist = 3.0 * (b - a) - 2.0 * down - up, down + up - 2.0 * (b - a)
    with np.errstate(all="ignore"):
        at = -down / (bend + np.sqrt(bend**2 - 3.0 * twist * down))
        least = a + at * (down + at * (bend + at * twist))
        depth = np.minimum(a, b) - least
        return turns & (least <= np.maximum(GRAZED * depth, (np.zeros_like(x) + unsure)[:-1]))
