"""The derivative of an expression along the coordinate, (k*u')' = k'*u' + k*u'': instructions to instructions.

Every value on the stack is carried with its derivative, None where that is zero.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.language.field import highest_order
from gated_xtfc.language.program import (
    ADD,
    CALL,
    COMPARE,
    DIVIDE,
    FIELD,
    MULTIPLY,
    NAME,
    NEGATE,
    NUMBER,
    POWER,
    SUBTRACT,
    TABLE,
    WHERE,
    Instruction,
)

Code = list[Instruction]
ZERO: Code = [(NUMBER, 0.0)]
ONE: Code = [(NUMBER, 1.0)]
LONGEST = 20_000  # instructions: repeated products grow with every derivative


class _Value(NamedTuple):
    code: Code
    slope: Code | None


def total_derivative(instructions: Code, coordinates: Sequence[str], coordinate: str, text: str) -> Code:
    """The derivative of what the instructions leave on the stack, along one of the coordinates.

    Refuses what jumps; with several coordinates it may do so at places, as in where(x < 0.5, 1, 2)*u_x.
    """
    number, count = coordinates.index(coordinate), len(coordinates)
    stack: list[_Value] = []
    for code, argument in instructions:
        if code in (NUMBER, NAME, FIELD):
            stack.append(_Value([(code, argument)], _leaf(code, argument, coordinates, number, text)))
        elif code == CALL and count > 1 and argument in ("abs", "sign"):
            a = stack.pop()
            turned = None if a.slope is None or argument == "sign" else _times([*a.code, (CALL, "sign")], a.slope)
            if argument == "sign" and any(kind == FIELD for kind, _ in a.code):
                raise _jumps(text)
            stack.append(_Value([*a.code, (code, argument)], turned))
        elif code in (NEGATE, CALL):
            a = stack.pop()
            slope = None if a.slope is None else _negated(a.slope) if code == NEGATE else _chain(argument, a, text)
            stack.append(_Value([*a.code, (code, argument)], slope))
        elif code == TABLE:
            a, (name, order) = stack.pop(), argument
            slope = None if a.slope is None else _times([*a.code, (TABLE, (name, order + 1))], a.slope)
            stack.append(_Value([*a.code, (code, argument)], slope))
        elif code in (ADD, SUBTRACT, MULTIPLY, DIVIDE, POWER):
            b, a = stack.pop(), stack.pop()
            slope = {ADD: _sum, SUBTRACT: _difference, MULTIPLY: _product, DIVIDE: _quotient, POWER: _power}[code](a, b)
            stack.append(_Value([*a.code, *b.code, (code, argument)], slope))
        elif code == COMPARE and count > 1:
            b, a = stack.pop(), stack.pop()
            seen = {name for kind, name in (*a.code, *b.code) if kind == NAME and name in coordinates}
            if any(kind == FIELD for kind, _ in (*a.code, *b.code)) or {coordinate} < seen:
                raise InputError(
                    f"what stands in a parenthesis with _{coordinate} in {quoted(text)} can switch at fixed places "
                    f"only, as in (where({coordinate} < 0.5, 1, 2)*u_{coordinate})_{coordinate}"
                )
            stack.append(_Value([*a.code, *b.code, (code, argument)], None))
        elif code == WHERE and count > 1:
            b, a, chosen = stack.pop(), stack.pop(), stack.pop()
            slope = None
            if a.slope is not None or b.slope is not None:
                slope = [*chosen.code, *(a.slope or ZERO), *(b.slope or ZERO), (WHERE, None)]
            stack.append(_Value([*chosen.code, *a.code, *b.code, (WHERE, None)], slope))
        else:
            raise _jumps(text)
        if len(stack[-1].slope or ()) > LONGEST:
            raise InputError(f"the derivative of a parenthesis in {quoted(text)} is too long: write it out")
    return stack[-1].slope or [(NUMBER, 0.0)]


def _leaf(code: int, argument: object, coordinates: Sequence[str], number: int, text: str) -> Code | None:
    if code == NAME:
        return ONE if argument == coordinates[number] else None
    if code == NUMBER:
        return None
    assert isinstance(argument, tuple)
    name, orders = argument
    most = highest_order(coordinates)
    if sum(orders) + 1 > most:
        raise InputError(f"derivative {sum(orders) + 1} of {name} in {quoted(text)}: at most order {most}")
    return [(FIELD, (name, tuple(order + (k == number) for k, order in enumerate(orders))))]


def _jumps(text: str) -> InputError:
    return InputError(
        f"what stands in a parenthesis with a prime in {quoted(text)} jumps or has a kink: make it a field of its own, "
        "as in k*u' = q and q' = f, whose continuity joins the pieces"
    )


def _negated(a: Code) -> Code:
    return [*a, (NEGATE, None)]


def _times(a: Code, b: Code) -> Code:
    return b if a == ONE else a if b == ONE else [*a, *b, (MULTIPLY, None)]


def _sum(a: _Value, b: _Value) -> Code | None:
    return _added(a.slope, b.slope)


def _added(a: Code | None, b: Code | None) -> Code | None:
    if a is None or b is None:
        return b if a is None else a
    return [*a, *b, (ADD, None)]


def _difference(a: _Value, b: _Value) -> Code | None:
    return _added(a.slope, None if b.slope is None else _negated(b.slope))


def _product(a: _Value, b: _Value) -> Code | None:
    first = None if a.slope is None else _times(a.slope, b.code)
    return _added(first, None if b.slope is None else _times(a.code, b.slope))


def _quotient(a: _Value, b: _Value) -> Code | None:
    first = None if a.slope is None else [*a.slope, *b.code, (DIVIDE, None)]
    if b.slope is None:
        return first
    square: Code = [*b.code, (NUMBER, 2.0), (POWER, None)]
    return _added(first, _negated([*_times(a.code, b.slope), *square, (DIVIDE, None)]))


def _power(a: _Value, b: _Value) -> Code | None:
    """b a^(b-1) a' + a^b log(a) b'."""
    first = None
    if a.slope is not None:
        below = [(NUMBER, float(b.code[0][1]) - 1.0)] if _is_number(b.code) else [*b.code, *ONE, (SUBTRACT, None)]
        lowered = a.code if below == ONE else [*a.code, *below, (POWER, None)]
        first = _times(_times(b.code, lowered), a.slope)
    if b.slope is None:
        return first
    whole: Code = [*a.code, *b.code, (POWER, None)]
    return _added(first, _times(_times(whole, [*a.code, (CALL, "log")]), b.slope))


def _is_number(code: Code) -> bool:
    return len(code) == 1 and code[0][0] == NUMBER


def _chain(name: str, a: _Value, text: str) -> Code:
    if name not in _DERIVATIVES:
        raise _jumps(text)
    assert a.slope is not None
    return _times([*_DERIVATIVES[name](a.code)], a.slope)


def _called(name: str, a: Code) -> Code:
    return [*a, (CALL, name)]


def _square(a: Code) -> Code:
    return [*a, (NUMBER, 2.0), (POWER, None)]


def _to(a: Code, exponent: float) -> Code:
    return [*a, (NUMBER, exponent), (POWER, None)]


_DERIVATIVES: dict[str, Callable[[Code], Code]] = {
    "sin": lambda a: _called("cos", a),
    "cos": lambda a: _negated(_called("sin", a)),
    "tan": lambda a: [*ONE, *_square(_called("tan", a)), (ADD, None)],
    "sinh": lambda a: _called("cosh", a),
    "cosh": lambda a: _called("sinh", a),
    "tanh": lambda a: [*ONE, *_square(_called("tanh", a)), (SUBTRACT, None)],
    "exp": lambda a: _called("exp", a),
    "log": lambda a: _to(a, -1.0),
    "log10": lambda a: _times([(NUMBER, 0.43429448190325182)], _to(a, -1.0)),
    "sqrt": lambda a: _times([(NUMBER, 0.5)], _to(a, -0.5)),
    "asin": lambda a: _to([*ONE, *_square(a), (SUBTRACT, None)], -0.5),
    "acos": lambda a: _negated(_to([*ONE, *_square(a), (SUBTRACT, None)], -0.5)),
    "atan": lambda a: _to([*ONE, *_square(a), (ADD, None)], -1.0),
    "erf": lambda a: _times([(NUMBER, 1.1283791670955126)], _called("exp", _negated(_square(a)))),
    "log cosh": lambda a: _called("tanh", a),
}
_DERIVATIVES |= {f"arc{name[1:]}": _DERIVATIVES[name] for name in ("asin", "acos", "atan")}
