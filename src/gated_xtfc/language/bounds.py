"""A program walked by enclosures, discs or intervals: what it is made of beside the fields, and where it may switch.

Fields stand for anything, so what is bounded are the terms: the largest parts of a text with no field in them,
coefficients and sources. The arguments of switches (comparisons, abs, sign, min, max) are kept as well.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from gated_xtfc.language import program as op
from gated_xtfc.language.disc import Disc
from gated_xtfc.language.dual import call, maximum, minimum, power_of, quotient
from gated_xtfc.language.enclosure import Interval
from gated_xtfc.language.program import Program

Bound = Disc | Interval
SAME = 1e-14  # of two numbers: they differ by rounding


@dataclass(frozen=True)
class Sum:
    """A sum whose parts are kept: a needle in one of them does not drown in what another one does."""

    parts: tuple[Any, ...]

    @cached_property
    def whole(self) -> Any:
        total = self.parts[0]
        for part in self.parts[1:]:
            total = total.plus(part)
        return total


@dataclass
class Bounds:
    """Terms, each as the parts that it is the sum of, and arguments of switches, in the order of evaluation."""

    terms: list[tuple[Any, ...]] = field(default_factory=list)
    switches: list[Any] = field(default_factory=list)

    def term(self, *operands: Any) -> None:
        self.terms += [_parts(operand) for operand in operands if isinstance(operand, Disc | Interval | Sum)]

    def switch(self, operand: Any) -> None:
        """An argument; a difference of what is the same but for rounding is zero."""
        argument = _whole(operand)
        if isinstance(operand, Sum) and isinstance(argument, Disc):
            size = sum(np.abs(part.centre) for part in operand.parts)
            same = np.abs(argument.centre) + argument.radius <= SAME * size
            if same.any():
                argument = argument.constant(0.0).chosen(np.where(same, 1.0, -1.0), argument)
        if isinstance(argument, Disc | Interval):
            self.switches.append(argument)


def _parts(a: Any) -> tuple[Any, ...]:
    return a.parts if isinstance(a, Sum) else (a,)


def _whole(a: Any) -> Any:
    return a.whole if isinstance(a, Sum) else a


def bounds(program: Program, env: Mapping[str, Any], unknown: tuple[str, ...] = ()) -> Bounds:
    """The terms and switches of a program where `env` has enclosures for coordinates and floats for parameters.

    `unknown` constants count as fields. The enclosures are all discs or all intervals, over the same cells.
    """
    found = Bounds()
    free = {**env, **dict.fromkeys(unknown)}
    stack: list[Any] = []
    with np.errstate(all="ignore"):
        for code, argument in program.instructions:
            _step(code, argument, stack, free, found)
        found.term(stack[-1])
    return found


def _step(code: int, argument: Any, stack: list[Any], env: Mapping[str, Any], found: Bounds) -> None:
    """One instruction; None on the stack stands for all that has a field in it."""
    if code == op.NUMBER:
        stack.append(argument)
    elif code == op.NAME:
        stack.append(env[argument])
    elif code in _BINARY:
        b = stack.pop()
        stack[-1] = _binary(code, stack[-1], b, found)
    elif code == op.NEGATE:
        a = stack[-1]
        if isinstance(a, float):
            stack[-1] = -a
        elif a is not None:
            stack[-1] = Sum(tuple(part.negated() for part in a.parts)) if isinstance(a, Sum) else a.negated()
    elif code == op.CALL:
        stack[-1] = _called(argument, stack[-1], found)
    elif code == op.TABLE:
        stack[-1] = _looked_up(env[argument[0]], argument[1], stack[-1], found)
    elif code in (op.MINIMUM, op.MAXIMUM):
        operands = [_whole(operand) for operand in stack[-argument:]]
        del stack[-argument:]
        stack.append(_extreme(code == op.MINIMUM, operands, found))
    elif code == op.COMPARE:
        b = stack.pop()
        stack[-1] = _compared(argument, _binary(op.SUBTRACT, stack[-1], b, found), found)
    elif code == op.WHERE:
        b, a, condition = stack.pop(), stack.pop(), stack.pop()
        stack.append(_selected(condition, _whole(a), _whole(b), found))
    else:  # a field, or what conditions make of one
        stack.append(None)


_BINARY = {op.ADD: "plus", op.SUBTRACT: "minus", op.MULTIPLY: "times", op.DIVIDE: "over", op.POWER: "power"}
_OF_FLOATS = {
    op.ADD: lambda a, b: a + b,
    op.SUBTRACT: lambda a, b: a - b,
    op.MULTIPLY: lambda a, b: a * b,
    op.DIVIDE: quotient,
    op.POWER: power_of,
}


def _binary(code: int, a: Any, b: Any, found: Bounds) -> Any:
    if a is None or b is None:
        # a term ends where it meets a field; a field divided by it sees its inverse
        found.term(a, _whole(b).inverted() if code == op.DIVIDE and not isinstance(b, float | None) else b)
        return None
    if isinstance(a, float) and isinstance(b, float):
        return _OF_FLOATS[code](a, b)
    if isinstance(a, Sum) and isinstance(b, float) and code in (op.MULTIPLY, op.DIVIDE):
        return Sum(tuple(getattr(part, _BINARY[code])(b) for part in a.parts))
    if isinstance(b, Sum) and isinstance(a, float) and code == op.MULTIPLY:
        return Sum(tuple(part.times(a) for part in b.parts))
    if code in (op.ADD, op.SUBTRACT) and not isinstance(a, float) and not isinstance(b, float):
        return Sum((*_parts(a), *(part.negated() if code == op.SUBTRACT else part for part in _parts(b))))
    a, b = _whole(a), _whole(b)
    if not isinstance(a, float):
        return getattr(a, _BINARY[code])(b)
    if code in (op.ADD, op.MULTIPLY):
        return b.plus(a) if code == op.ADD else b.times(a)
    if code == op.SUBTRACT:
        return b.negated().plus(a)
    if code == op.DIVIDE:
        return b.inverted().times(a)
    return b.times(float(np.log(a))).applied("exp")


def _called(name: str, operand: Any, found: Bounds) -> Any:
    a = _whole(operand)
    if not isinstance(a, Disc | Interval):
        return None if a is None else call(name, a)
    if name not in ("abs", "sign"):
        return a.applied(name)
    found.switch(operand)
    if isinstance(a, Interval):
        return a.applied(name)
    return a.chosen(a.side, a.negated()) if name == "abs" else a.constant(1.0).chosen(a.side, a.constant(-1.0))


def _looked_up(table: Any, order: int, operand: Any, found: Bounds) -> Any:
    a = _whole(operand)
    if a is None:
        return None
    if not isinstance(a, Disc | Interval):
        return table.applied(a, order)
    for place in table.breaks:
        found.switch(_binary(op.SUBTRACT, operand, place, found))
    if not hasattr(table, "on_disc"):  # what a solution was at another place: it stands for anything, as a field does
        return None
    return table.on_disc(a, order) if isinstance(a, Disc) else table.on_interval(a, order)


def _compared(comparison: str, difference: Any, found: Bounds) -> Any:
    """A condition: true or false, unknown, or the side of each cell with an enclosure over the same cells."""
    if difference is None:
        return None
    below = "<" in comparison
    if isinstance(difference, Disc | Interval | Sum):
        found.switch(difference)
        difference = _whole(difference)
        return -difference.side if below else difference.side, difference
    return bool(difference == 0.0 and "=" in comparison) or bool(difference < 0.0 if below else difference > 0.0)


def _extreme(least: bool, operands: list[Any], found: Bounds) -> Any:
    if any(operand is None for operand in operands):
        found.term(*operands)
        return None
    chosen = operands[0]
    for other in operands[1:]:
        found.switch(_binary(op.SUBTRACT, chosen, other, found))
        if isinstance(chosen, Disc | Interval):
            chosen = chosen.smaller(other) if least else chosen.larger(other)
        elif isinstance(other, Disc | Interval):
            chosen = other.smaller(chosen) if least else other.larger(chosen)
        else:
            chosen = minimum(chosen, other) if least else maximum(chosen, other)
    return chosen


def _selected(condition: Any, a: Any, b: Any, found: Bounds) -> Any:
    if isinstance(condition, bool):
        return a if condition else b
    if condition is None or a is None or b is None:
        found.term(a, b)
        return None
    side, cells = condition
    branches: list[Any] = [one if isinstance(one, Disc | Interval) else cells.constant(one) for one in (a, b)]
    return branches[0].chosen(side, branches[1])
