"""A program as an expression of JAX: the same instructions that the reader made are walked, on traced arrays.

A coordinate is a `Place`, x = anchor + offset: sums, differences and multiples of places stay places, so that in a
layer at x = 1 the text (1 - x)/nu is -offset/nu with all its digits, however thin the layer is.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from gated_xtfc.batch.backend import Numbers, jax, jnp
from gated_xtfc.language import program as code
from gated_xtfc.language.program import Program

Watch = Callable[[int, tuple[Any, ...]], None]  # the number of an instruction, and what it is about to take
WHOLE = 32.0  # exponents up to which a power is a product


@dataclass(frozen=True)
class Place:
    """anchor + offset, kept apart as long as arithmetic allows."""

    anchor: Numbers
    offset: Numbers

    @property
    def value(self) -> Numbers:
        return self.anchor + self.offset


def plain(operand: Any) -> Any:
    """The number that a place or anything else stands for."""
    return operand.value if isinstance(operand, Place) else operand


def _log_cosh(a: Numbers) -> Numbers:
    size = jnp.abs(a)
    return size + jnp.log1p(jnp.exp(-2.0 * size)) - jnp.log(2.0)


FUNCTIONS: dict[str, Callable[[Numbers], Numbers]] = {
    "sin": jnp.sin,
    "cos": jnp.cos,
    "tan": jnp.tan,
    "asin": jnp.arcsin,
    "acos": jnp.arccos,
    "atan": jnp.arctan,
    "arcsin": jnp.arcsin,
    "arccos": jnp.arccos,
    "arctan": jnp.arctan,
    "sinh": jnp.sinh,
    "cosh": jnp.cosh,
    "tanh": jnp.tanh,
    "exp": jnp.exp,
    "log": jnp.log,
    "log10": jnp.log10,
    "sqrt": jnp.sqrt,
    "abs": jnp.abs,
    "sign": jnp.sign,
    "erf": jax.scipy.special.erf,
    "log cosh": _log_cosh,
}
_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def _sum(a: Any, b: Any) -> Any:
    if isinstance(a, Place) and isinstance(b, Place):
        return Place(a.anchor + b.anchor, a.offset + b.offset)
    if isinstance(a, Place):
        return Place(a.anchor + b, a.offset)
    return Place(a + b.anchor, b.offset) if isinstance(b, Place) else a + b


def _negative(a: Any) -> Any:
    return Place(-a.anchor, -a.offset) if isinstance(a, Place) else -a


def difference(a: Any, b: Any) -> Any:
    """a - b; of places again a place."""
    return _sum(a, _negative(b))


def _product(a: Any, b: Any) -> Any:
    if isinstance(a, Place) and not isinstance(b, Place):
        return Place(a.anchor * b, a.offset * b)
    if isinstance(b, Place) and not isinstance(a, Place):
        return Place(a * b.anchor, a * b.offset)
    return plain(a) * plain(b)


def _quotient(a: Any, b: Any) -> Any:
    if isinstance(a, Place) and not isinstance(b, Place):
        return Place(a.anchor / b, a.offset / b)
    return jnp.divide(plain(a), plain(b))


def _power(a: Any, b: Any) -> Any:
    if isinstance(b, float) and b.is_integer() and abs(b) <= WHOLE:
        return jax.lax.integer_pow(jnp.asarray(a, dtype=float), int(b))
    return jnp.power(jnp.asarray(a, dtype=float), b)


_BINARY: dict[int, Callable[[Any, Any], Any]] = {
    code.ADD: _sum,
    code.SUBTRACT: difference,
    code.MULTIPLY: _product,
    code.DIVIDE: _quotient,
    code.POWER: lambda a, b: _power(plain(a), plain(b)),
}


def evaluate(
    program: Program,
    env: Mapping[str, Any],
    state: Mapping[Any, Any],
    watch: Watch | None = None,
    points: Callable[[Any], Any] = float,
) -> Numbers:
    """What the program leaves, as `Program.run` does with NumPy; `points` names the place of u(0) in a condition."""
    stack: list[Any] = []
    for number, (instruction, argument) in enumerate(program.instructions):
        if instruction == code.NUMBER:
            stack.append(argument)
        elif instruction == code.NAME:
            stack.append(env[argument])
        elif instruction == code.FIELD:
            stack.append(state[argument])
        elif instruction == code.TABLE:
            name, order = argument
            at = stack.pop()
            at = at if isinstance(at, Place) else Place(jnp.zeros(()), at)
            stack.append(env[name](at.anchor, at.offset, order))
        elif instruction == code.POINT:
            stack.append(state[(*argument, points(stack.pop()))])
        else:
            count = taken(instruction, argument)
            operands = tuple(stack[-count:])
            del stack[-count:]
            if watch is not None:
                watch(number, operands)
            stack.append(_applied(instruction, argument, operands))
    return plain(stack[-1])


def known(program: Program, coordinate: str) -> bool:
    """Whether everything in the program of an equation is known here; tables are, of the bare coordinate."""
    fixed = {code.NUMBER, code.NAME, code.FIELD, code.NEGATE, code.MINIMUM, code.MAXIMUM, code.COMPARE, code.WHERE}
    before: tuple[int, Any] = (code.NUMBER, None)
    for one in program.instructions:
        instruction, argument = one
        called = instruction == code.CALL and argument in FUNCTIONS
        looked_up = instruction == code.TABLE and before == (code.NAME, coordinate)
        if not (instruction in fixed or instruction in _BINARY or called or looked_up):
            return False
        before = one
    return True


def taken(instruction: int, argument: Any) -> int:
    """Values that an instruction takes off the stack."""
    if instruction in (code.MINIMUM, code.MAXIMUM):
        return int(argument)
    return {code.NEGATE: 1, code.CALL: 1, code.POINT: 1, code.TABLE: 1, code.WHERE: 3}.get(instruction, 2)


def _applied(instruction: int, argument: Any, operands: tuple[Any, ...]) -> Any:
    if instruction in _BINARY:
        return _BINARY[instruction](*operands)
    if instruction == code.NEGATE:
        return _negative(operands[0])
    if instruction == code.CALL:
        return FUNCTIONS[argument](plain(operands[0]))
    if instruction == code.COMPARE:
        return _COMPARISONS[argument](plain(difference(*operands)), 0.0)
    if instruction == code.WHERE:
        condition, a, b = operands
        return jnp.where(condition, plain(a), plain(b))
    choose = jnp.minimum if instruction == code.MINIMUM else jnp.maximum
    chosen = plain(operands[0])
    for operand in operands[1:]:
        chosen = choose(chosen, plain(operand))
    return chosen
