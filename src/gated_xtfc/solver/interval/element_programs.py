"""Equations as the compiled core reads them: operations and arguments one after the other, and a table of numbers."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from gated_xtfc.language.program import (
    ADD,
    CALL,
    DIVIDE,
    FIELD,
    MULTIPLY,
    NAME,
    NEGATE,
    NUMBER,
    POWER,
    SUBTRACT,
    Program,
)
from gated_xtfc.problem.equation import TextEquation
from gated_xtfc.problem.problem import Problem
from gated_xtfc.types import Array, Index

Code = np.ndarray[Any, np.dtype[np.int32]]

MOST_TERMS = 64  # derivatives of all fields that the core was made for ...
MOST_HELD = 64  # ... and values that wait for their operator
# as core/programs.h counts them
LOAD_NUMBER, LOAD_PLACE, LOAD_FIELD, CALLED = 0, 1, 2, 9
OPERATIONS = {ADD: 3, SUBTRACT: 4, MULTIPLY: 5, DIVIDE: 6, NEGATE: 7, POWER: 8}
CALLS = {
    name: index
    for index, names in enumerate(
        (
            ("sin",),
            ("cos",),
            ("tan",),
            ("asin", "arcsin"),
            ("acos", "arccos"),
            ("atan", "arctan"),
            ("sinh",),
            ("cosh",),
            ("tanh",),
            ("exp",),
            ("log",),
            ("log10",),
            ("sqrt",),
            ("abs",),
            ("sign",),
            ("erf",),
            ("log cosh",),
        )
    )
    for name in names
}


@dataclass(frozen=True)
class CorePrograms:
    """All equations of a problem, with the values of its parameters."""

    code: Code  # (operations, 2)
    starts: Index  # (equations + 1,)
    numbers: Array
    height: int  # of the stack


def core_programs(problem: Problem) -> CorePrograms | None:
    """None where an equation has more in it than sums, products, powers and elementary functions."""
    if problem.unknown:
        return None
    fields = tuple(problem.order.items())
    parts, starts, numbers, height = [], [0], [], 1
    for equation in problem.equations:
        if not isinstance(equation, TextEquation):
            return None
        found = _flat(equation.program, problem.axes[0].name, fields)
        if found is None:
            return None
        code, needed = found
        for entry in needed:
            value = equation.parameters[entry] if isinstance(entry, str) else entry
            if not isinstance(value, int | float):
                return None
            numbers.append(float(value))
        shift = len(numbers) - len(needed)
        if shift:
            code = code.copy()
            code[code[:, 0] == LOAD_NUMBER, 1] += shift
        parts.append(code)
        starts.append(starts[-1] + len(code))
        height = max(height, equation.program.held)
    if height > MOST_HELD or sum(order + 1 for _, order in fields) > MOST_TERMS:
        return None
    whole = parts[0] if len(parts) == 1 else np.concatenate(parts)
    return CorePrograms(whole, np.array(starts, dtype=np.int64), np.array(numbers), height)


@lru_cache
def _flat(
    program: Program, coordinate: str, fields: tuple[tuple[str, int], ...]
) -> tuple[Code, tuple[float | str, ...]] | None:
    """The code of one program, and its numbers: parameters by name."""
    terms: dict[tuple[str, tuple[int, ...]], int] = {}
    for field, order in fields:
        terms |= {(field, (j,)): len(terms) + j for j in range(order + 1)}
    code: list[tuple[int, int]] = []
    numbers: list[float | str] = []
    for operation, argument in program.instructions:
        if operation == FIELD and argument in terms:
            code.append((LOAD_FIELD, terms[argument]))
        elif operation == NAME and argument == coordinate:
            code.append((LOAD_PLACE, 0))
        elif operation in (NUMBER, NAME):
            code.append((LOAD_NUMBER, len(numbers)))
            numbers.append(argument)
        elif operation in OPERATIONS:
            code.append((OPERATIONS[operation], 0))
        elif operation == CALL and argument in CALLS:
            code.append((CALLED, CALLS[argument]))
        else:
            return None
    found = np.array(code, dtype=np.int32)
    found.setflags(write=False)
    return found, tuple(numbers)
