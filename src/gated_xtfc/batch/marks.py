"""Which arguments in a program can mark a feature: those that follow the coordinate and hold no field.

They are what `gates.probe_lines` watches on the line, found once for a family by walking its program.
"""

from dataclasses import dataclass, replace
from typing import Any

from gated_xtfc.batch.backend import Numbers, jnp
from gated_xtfc.batch.expression import Watch, difference, plain, taken
from gated_xtfc.language import program as code
from gated_xtfc.language.program import Program


@dataclass(frozen=True)
class ArgumentMark:
    """An argument: operand number `first` of an instruction, less operand number `second` where there is one."""

    instruction: int
    operation: str  # as `gates.probe_lines` calls it
    first: int
    second: int | None = None
    equation: int = 0
    linear: bool = False  # in the coordinate: then where it passes zero needs no search

    def argument(self, operands: tuple[Any, ...]) -> Numbers:
        if self.second is not None:
            return plain(difference(operands[self.first], operands[self.second]))
        value = plain(operands[self.first])
        return jnp.cos(value) if self.operation == "tan" else value


@dataclass(frozen=True)
class _StackPart:
    """What is known of a value on the stack without running the program."""

    start: int  # number of its first instruction
    moves: bool  # with the coordinate
    field: bool
    number: float | None = None  # where it is one
    linear: bool = True  # in the coordinate, or without it


def marks_of(program: Program, coordinate: str, equation: int = 0) -> tuple[ArgumentMark, ...]:
    """The marks of the program of an equation, each argument once."""
    stack: list[_StackPart] = []
    found: dict[tuple[Any, ...], ArgumentMark] = {}
    for number, (instruction, argument) in enumerate(program.instructions):
        if instruction in (code.NUMBER, code.NAME, code.FIELD):
            value = argument if instruction == code.NUMBER else None
            moves = instruction == code.NAME and argument == coordinate
            stack.append(_StackPart(number, moves, instruction == code.FIELD, value))
            continue
        count = taken(instruction, argument)
        operands = stack[-count:]
        del stack[-count:]
        ends = [part.start for part in operands[1:]] + [number]
        for mark in _marks(number, instruction, argument, operands):
            taking = [i for i in (mark.first, mark.second) if i is not None]
            if any(operands[i].moves for i in taking) and not any(operands[i].field for i in taking):
                texts = tuple(program.instructions[operands[i].start : ends[i]] for i in taking)
                linear = mark.operation != "tan" and all(operands[i].linear for i in taking)
                found.setdefault((mark.operation, *texts), replace(mark, linear=linear, equation=equation))
        value = operands[0].number if instruction == code.NEGATE else None
        stack.append(
            _StackPart(
                operands[0].start,
                any(part.moves for part in operands),
                any(part.field for part in operands),
                None if value is None else -value,
                _linear(instruction, operands),
            )
        )
    return tuple(found.values())


def _linear(instruction: int, operands: list[_StackPart]) -> bool:
    if not any(part.moves for part in operands):
        return True
    if instruction == code.MULTIPLY:
        return all(part.linear for part in operands) and not all(part.moves for part in operands)
    if instruction == code.DIVIDE:
        return operands[0].linear and not operands[1].moves
    return instruction in (code.ADD, code.SUBTRACT, code.NEGATE) and all(part.linear for part in operands)


def _marks(number: int, instruction: int, argument: Any, operands: list[_StackPart]) -> list[ArgumentMark]:
    if instruction == code.DIVIDE:
        return [ArgumentMark(number, "div", 1)]
    if instruction == code.POWER:
        exponent = operands[1].number
        whole = exponent is not None and exponent >= 0 and float(exponent).is_integer()
        return [ArgumentMark(number, "pow" if whole else "root", 0), ArgumentMark(number, "exp", 1)]
    if instruction == code.CALL:
        return [ArgumentMark(number, argument, 0)]
    if instruction in (code.MINIMUM, code.MAXIMUM, code.COMPARE):
        operation = {code.MINIMUM: "min", code.MAXIMUM: "max"}.get(instruction, "compare")
        return [ArgumentMark(number, operation, 0, other) for other in range(1, len(operands))]
    return []


def watching(marks: tuple[ArgumentMark, ...], seen: dict[ArgumentMark, Numbers]) -> Watch:
    """Keeps the arguments of the marks in `seen` while a program runs."""
    by_number: dict[int, list[ArgumentMark]] = {}
    for mark in marks:
        by_number.setdefault(mark.instruction, []).append(mark)

    def watch(number: int, operands: tuple[Any, ...]) -> None:
        for mark in by_number.get(number, ()):
            seen[mark] = mark.argument(operands)

    return watch
