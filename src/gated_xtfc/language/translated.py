"""A program with y + origin in the place of a coordinate x, linear parts put together: 1 - x about x = 1 is -y.

Written as 1 - (y + 1) it would have no digits next to y = 0, which is where a translation is made for.
"""

from dataclasses import dataclass

from gated_xtfc.language import program as op
from gated_xtfc.language.program import Instruction, Program, taken

ROUNDING = 8.0 * 2.0**-53  # of a sum: what is left of it when its parts cancel


@dataclass(frozen=True)
class _Fragment:
    """Instructions that leave one value; where they are linear in x, constant + slope*x."""

    code: tuple[Instruction, ...]
    constant: float = 0.0
    slope: float | None = None  # None: not linear


def translated(program: Program, name: str, origin: float) -> Program:
    """The program in y, where x = y + origin."""
    stack: list[_Fragment] = []

    def written(part: _Fragment) -> tuple[Instruction, ...]:
        if part.slope is None or part.slope == 0.0:
            return part.code
        moved = part.slope * origin
        constant = part.constant + moved
        if abs(constant) <= ROUNDING * (abs(part.constant) + abs(moved)):
            constant = 0.0
        code: tuple[Instruction, ...] = ((op.NAME, name),)
        if part.slope == -1.0:
            code = (*code, (op.NEGATE, None))
        elif part.slope != 1.0:
            code = (*code, (op.NUMBER, part.slope), (op.MULTIPLY, None))
        return code if constant == 0.0 else (*code, (op.NUMBER, constant), (op.ADD, None))

    for code, argument in program.instructions:
        count = int(argument) if code in (op.MINIMUM, op.MAXIMUM) else taken(code)
        operands = stack[len(stack) - count :]
        del stack[len(stack) - count :]
        if code == op.NUMBER:
            stack.append(_Fragment(((code, argument),), argument, 0.0))
        elif code == op.NAME and argument == name:
            stack.append(_Fragment((), 0.0, 1.0))
        else:
            linear = _linear(code, operands)
            whole = tuple(one for part in operands for one in written(part))
            stack.append(_Fragment((*whole, (code, argument)), *(linear or (0.0, None))))
    return Program(program.text, written(stack[-1]))


def _linear(code: int, operands: list[_Fragment]) -> tuple[float, float] | None:
    """Constant and slope of what an operation makes of linear operands; None where it is not linear."""
    pairs = [(part.constant, part.slope) for part in operands if part.slope is not None]
    if len(pairs) < len(operands) or not pairs:
        return None
    (a, b), (c, d) = pairs[0], pairs[-1]
    assert b is not None
    assert d is not None
    if code == op.NEGATE:
        return -a, -b
    if code == op.ADD:
        return a + c, b + d
    if code == op.SUBTRACT:
        return a - c, b - d
    if code == op.MULTIPLY and (b == 0.0 or d == 0.0):
        return a * c, a * d + b * c
    if code == op.DIVIDE and d == 0.0 and c != 0.0:
        return a / c, b / c
    return None
