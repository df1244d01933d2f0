"""Programs as the compiled core reads them: pairs of numbers, a code and its argument, for a stack of dual numbers.

What a name stands for is settled here, once for a family: a parameter by its place among the values, the coordinate, or
a seed, which is a derivative of a field or an unknown constant. Values of parameters are handed in when it is run.
"""

from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gated_xtfc.core.compiled import MOST_SEEDS
from gated_xtfc.language import program as words
from gated_xtfc.language.program import Program
from gated_xtfc.types import Array

# as core/program.c counts them
_NUMBER, _PARAMETER, _COORDINATE, _SEED = range(4)
_CODES = {
    words.ADD: 4,
    words.SUBTRACT: 5,
    words.MULTIPLY: 6,
    words.DIVIDE: 7,
    words.NEGATE: 8,
    words.POWER: 9,
    words.CALL: 10,
    words.MINIMUM: 11,
    words.MAXIMUM: 12,
    words.COMPARE: 13,
    words.WHERE: 14,
}
_ORDER = "sin cos tan asin acos atan sinh cosh tanh exp log log10 sqrt abs sign erf log_cosh"
_FUNCTIONS = {name.replace("_", " "): number for number, name in enumerate(_ORDER.split(" "))}
_FUNCTIONS |= {f"arc{name[1:]}": _FUNCTIONS[name] for name in ("asin", "acos", "atan")}
_COMPARISONS = {"<": 0, "<=": 1, ">": 2, ">=": 3}


@dataclass(frozen=True)
class Bytecode:
    """The instructions of one equation on an interval."""

    codes: Any  # pairs of 32-bit numbers
    numbers: Array
    names: tuple[str, ...]  # of the parameters in it
    terms: int  # derivatives of all fields
    constants: int  # unknown ones
    seeds: tuple[int, ...]  # which of all derivatives those are

    def values(self, parameters: Mapping[str, Any]) -> "array[float] | None":
        """The parameters as the core takes them; None where one is not a plain number."""
        found = [parameters[name] for name in self.names]
        return array("d", found) if all(type(value) is float for value in found) else None


def bytecode(
    program: Program,
    coordinate: str,
    order: tuple[tuple[str, int], ...],
    unknown: tuple[str, ...],
    only_used: bool = False,
) -> Bytecode | None:
    """The program with its fields in this order, each up to its own; None where it holds more than the core knows.

    Or, with `only_used`, with the derivatives alone that it has.
    """
    key = coordinate, order, unknown, only_used
    known: dict[Any, Bytecode | None] = program.translations
    if key not in known:
        places = {key: k for k, key in enumerate((field, (j,)) for field, top in order for j in range(top + 1))}
        asked = {argument for code, argument in program.instructions if code == words.FIELD} if only_used else places
        every: list[Any] = [key for key in places if key in asked]
        seeds = {key: number for number, key in enumerate([*every, *((name,) for name in unknown)])}
        known[key] = _translated(program, coordinate, seeds, unknown, len(every), tuple(places[key] for key in every))
    return known[key]


def moving_bytecode(program: Program, coordinate: str, seeds: Mapping[Any, int], terms: int) -> Bytecode | None:
    """The program with derivatives of fields in the places that `seeds` says, of `terms`; time is a parameter."""
    key = coordinate, tuple(seeds.items()), terms
    known: dict[Any, Bytecode | None] = program.translations
    if key not in known:
        known[key] = _translated(program, coordinate, seeds, (), terms)
    return known[key]


def _translated(
    program: Program,
    coordinate: str,
    seeds: Mapping[Any, int],
    unknown: tuple[str, ...],
    terms: int,
    own: tuple[int, ...] = (),
) -> Bytecode | None:
    names: dict[str, int] = {}
    numbers: list[float] = []
    codes: list[int] = []
    for code, argument in program.instructions:
        if code == words.NUMBER:
            pair = _NUMBER, len(numbers)
            numbers.append(float(argument))
        elif code == words.NAME and argument == coordinate:
            pair = _COORDINATE, 0
        elif code == words.NAME and argument in unknown:
            pair = _SEED, seeds[argument,]
        elif code == words.NAME:
            pair = _PARAMETER, names.setdefault(argument, len(names))
        elif code == words.FIELD and argument in seeds:
            pair = _SEED, seeds[argument]
        elif code == words.CALL and argument in _FUNCTIONS:
            pair = _CODES[code], _FUNCTIONS[argument]
        elif code == words.COMPARE:
            pair = _CODES[code], _COMPARISONS[argument]
        elif code in (words.MINIMUM, words.MAXIMUM):
            pair = _CODES[code], int(argument)
        elif code in _CODES and code != words.CALL:
            pair = _CODES[code], 0
        else:
            return None
        codes += pair
    if terms + len(unknown) > MOST_SEEDS:
        return None
    packed = np.array(codes, dtype=np.int32)
    packed.setflags(write=False)
    return Bytecode(packed, np.array(numbers), tuple(names), terms, len(unknown), own)
