"""An expression as flat postfix instructions for a stack of floats, arrays and dual numbers: no recursion, no eval."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.language.dual import Dual, Operand, State, call, maximum, minimum, power_of, quotient, select
from gated_xtfc.types import Number, Orders

Instruction = tuple[int, Any]
Watch = Callable[[str, tuple[Operand, ...]], None]

(
    NUMBER,
    NAME,
    FIELD,
    ADD,
    SUBTRACT,
    MULTIPLY,
    DIVIDE,
    NEGATE,
    POWER,
    CALL,
    MINIMUM,
    MAXIMUM,
    COMPARE,
    WHERE,
    POINT,
    INTEGRAL,
    OVER_DOMAIN,
    TABLE,
) = range(18)
# values that an instruction takes off the stack, where that does not depend on its argument
_TAKEN = {
    ADD: 2,
    SUBTRACT: 2,
    MULTIPLY: 2,
    DIVIDE: 2,
    POWER: 2,
    COMPARE: 2,
    WHERE: 3,
    NEGATE: 1,
    CALL: 1,
    POINT: 1,
    TABLE: 1,
}
_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


@dataclass(frozen=True)
class Program:
    """The instructions of one text, ready to be run.

    `names` (parameters and coordinates) and `derivatives` are those of the text itself, not those inside its integrals
    and extremes.
    """

    text: str = field(compare=False)
    instructions: tuple[Instruction, ...]
    fluxes: tuple["Program", ...] = ()  # parentheses whose derivative along a coordinate stands in it, (k*u_x)_x

    @cached_property
    def names(self) -> frozenset[str]:
        """Parameters and coordinates in it."""
        return frozenset(argument for code, argument in self.instructions if code == NAME)

    @cached_property
    def tables(self) -> frozenset[str]:
        """Names of the tables in it."""
        return frozenset(argument[0] for code, argument in self.instructions if code == TABLE)

    @cached_property
    def derivatives(self) -> tuple[tuple[str, Orders], ...]:
        """The fields and their derivatives in it, in the order in which they appear."""
        return tuple(dict.fromkeys(argument for code, argument in self.instructions if code in (FIELD, POINT)))

    @cached_property
    def derivatives_throughout(self) -> tuple[tuple[str, Orders], ...]:
        """The same, inside integrals and extremes too."""
        inside = [argument for code, argument in self.instructions if code == INTEGRAL]
        inside += [argument[1] for code, argument in self.instructions if code == OVER_DOMAIN]
        return (*self.derivatives, *(one for program in inside for one in program.derivatives_throughout))

    @cached_property
    def fields(self) -> dict[str, int]:
        """{name: highest order}."""
        orders: dict[str, int] = {}
        for name, along in self.derivatives:
            orders[name] = max(sum(along), orders.get(name, 0))
        return orders

    @cached_property
    def held(self) -> int:
        """Values that wait for their operator at the same time, as in x^x^x: the largest height of the stack."""
        now = most = 0
        for code, argument in self.instructions:
            taken = int(argument) if code in (MINIMUM, MAXIMUM) else _TAKEN.get(code, 0)
            now += 1 - taken
            inside = argument if code == INTEGRAL else argument[1] if code == OVER_DOMAIN else None
            most = max(most, now, inside.held if inside is not None else 0)
        return most

    @cached_property
    def of_one_kind(self) -> bool:
        """Whether no value of a name can take terms away or make them linear: no switch, and numbers for exponents."""
        before = ((NUMBER, None), *self.instructions)
        return not any(
            code in (MINIMUM, MAXIMUM, COMPARE, WHERE, TABLE) or (code == POWER and last != NUMBER)
            for (last, _), (code, _) in zip(before, self.instructions, strict=False)
        )

    @cached_property
    def translations(self) -> dict[Any, Any]:
        """What others have made of it once for a whole family, by what that depends on."""
        return {}

    def heard(self, coordinates: tuple[str, ...]) -> bool:
        """Whether an operation that `run` tells its watch of has a coordinate in its operands."""
        found: bool | None = self.translations.get(coordinates)
        if found is None:
            heard = not self.names.isdisjoint(coordinates) and self._heard(coordinates, False)
            found = self.translations[coordinates] = heard
        return found

    def heard_along(self, coordinates: tuple[str, ...]) -> bool:
        """The same along a solution: fields are functions of the coordinates, their powers as smooth as they are."""
        found: bool | None = self.translations.get(("along", coordinates))
        if found is None:
            found = self.translations["along", coordinates] = self._heard(coordinates, True)
        return found

    def _heard(self, coordinates: tuple[str, ...], fields: bool) -> bool:
        stack: list[tuple[bool, bool]] = []  # whether it has one of these in it, and whether it is a field alone
        for code, argument in self.instructions:
            taken = int(argument) if code in (MINIMUM, MAXIMUM) else _TAKEN.get(code, 0)
            operands = stack[len(stack) - taken :]
            del stack[len(stack) - taken :]
            known = any(one for one, _ in operands)
            field = fields and code in (FIELD, POINT, INTEGRAL, OVER_DOMAIN)
            stack.append((known or field or (code == NAME and argument in coordinates), field and code == FIELD))
            smooth = code in (ADD, SUBTRACT, MULTIPLY, NEGATE) or (code == POWER and operands[0][1])
            smooth |= code == DIVIDE and not operands[1][0]
            if known and not smooth:
                return True
        return False

    def run(self, env: Mapping[str, Operand], state: State | None = None, watch: Watch | None = None) -> Operand:
        """The value at `env` (parameters, coordinates) and `state` ({("u", (2,)): u''}).

        `watch(operation, operands)` is called before every function, power ("pow"), division ("div") and comparison
        ("compare"). Values that are not finite neither raise nor warn: the caller has to look for them.
        """
        if not self.names <= env.keys():
            raise InputError(f"no value given for {', '.join(sorted(self.names - env.keys()))} in {quoted(self.text)}")
        if state is None and self.fields:
            raise InputError(
                f"{quoted(self.text)} cannot have derivatives or fields in it, but has {', '.join(self.fields)}"
            )
        with np.errstate(all="ignore"):
            return execute(self.instructions, env, {} if state is None else state, watch)

    def value(self, env: Mapping[str, Operand], state: State | None = None) -> Number:
        """As `run`, where nothing that goes in is a dual number."""
        found = self.run(env, state)
        assert not isinstance(found, Dual)
        return found


def taken(code: int) -> int:
    """Values that an instruction takes off the stack; of minima and maxima its argument says it."""
    return _TAKEN.get(code, 0)


def located(point: Operand, state: State, field: str) -> float:
    """The point of a field as a number; one that depends on unknowns only a state that can tell where it is admits."""
    if isinstance(point, float):
        return point
    locate = getattr(state, "locate", None)
    if locate is None:
        raise InputError(f"the point in {field}(...) must be a number, not another unknown")
    place: float = locate(point)
    return place


def execute(
    instructions: tuple[Instruction, ...], env: Mapping[str, Operand], state: State, watch: Watch | None
) -> Operand:
    """What the instructions leave on the stack; see `Program.run`."""
    stack: list[Any] = []
    push, pop = stack.append, stack.pop
    for code, argument in instructions:
        if code == NUMBER:
            push(argument)
        elif code == NAME:
            push(env[argument])
        elif code == FIELD:
            push(state[argument])
        elif code == ADD:
            b = pop()
            a = stack[-1]
            # a dual number goes first: an array would reach it by way of NumPy's dispatch
            stack[-1] = b + a if isinstance(b, Dual) and not isinstance(a, Dual) else a + b
        elif code == SUBTRACT:
            b = pop()
            a = stack[-1]
            stack[-1] = b.__rsub__(a) if isinstance(b, Dual) and not isinstance(a, Dual) else a - b
        elif code == MULTIPLY:
            b = pop()
            a = stack[-1]
            stack[-1] = b * a if isinstance(b, Dual) and not isinstance(a, Dual) else a * b
        elif code == DIVIDE:
            b = pop()
            if watch is not None:
                watch("div", (stack[-1], b))
            stack[-1] = quotient(stack[-1], b)
        elif code == NEGATE:
            stack[-1] = -stack[-1]
        elif code == POWER:
            b = pop()
            a = stack[-1]
            if watch is not None:
                watch("pow", (a, b))
            stack[-1] = power_of(a, b)
        elif code == CALL:
            if watch is not None:
                watch(argument, (stack[-1],))
            stack[-1] = call(argument, stack[-1])
        elif code == TABLE:
            name, order = argument
            table: Any = env[name]
            if watch is not None and table.breaks:  # it switches from one polynomial to another
                watch("compare", (stack[-1], *table.breaks))
            stack[-1] = table.applied(stack[-1], order)
        elif code in (MINIMUM, MAXIMUM):
            operands = tuple(stack[-argument:])
            del stack[-argument:]
            if watch is not None:
                watch("min" if code == MINIMUM else "max", operands)
            choose = minimum if code == MINIMUM else maximum
            chosen = operands[0]
            for operand in operands[1:]:
                chosen = choose(chosen, operand)
            push(chosen)
        elif code == COMPARE:
            b = pop()
            a = stack[-1]
            if watch is not None:
                watch("compare", (a, b))
            by_field = any(isinstance(side, Dual) and side.has_field for side in (a, b))
            stack[-1] = (_COMPARISONS[argument](a, b), by_field)
        elif code == WHERE:
            b = pop()
            a = pop()
            condition, by_field = stack[-1]
            stack[-1] = select(condition, a, b, by_field)
        elif code == POINT:
            push(state[(*argument, located(pop(), state, argument[0]))])
        elif code == OVER_DOMAIN:
            push(state[argument])
        else:
            push(state[("integral", argument)])
    result: Operand = stack[-1]
    return result
