"""The law of a condition: left - right as a function of what it sees of the fields; from text or a Python function.

`state` has a value for each field at a point, {("u", (1,), 0.0): u'(0)}, and for each integral, {("integral", text):
...}; `constants` has one for each unknown constant.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.language.dual import Dual, Operand, State
from gated_xtfc.language.field import HIGHEST_ORDER, orders_in
from gated_xtfc.language.parser import parse_condition
from gated_xtfc.language.program import Program, located
from gated_xtfc.problem.domain import real
from gated_xtfc.problem.equation import arguments_of, called, name_of

Constants = Mapping[str, Operand]


class ConditionLaw(Protocol):
    """Left minus right of a condition."""

    @property
    def text(self) -> str:
        """What messages call it."""

    @property
    def size(self) -> int:
        """Instructions: what evaluating it costs."""

    @property
    def names(self) -> frozenset[str]:
        """Parameters and constants in it, those under its integrals included."""

    def residual(self, state: State, constants: Constants) -> Operand:
        """Left minus right."""

    def seeded(self, seeds: Mapping[str, Dual]) -> "ConditionLaw":
        """The same with some parameters as dual numbers."""


@dataclass(frozen=True)
class WrappedLaw:
    """A law about another one: what it is called, costs and names is that one's."""

    inner: ConditionLaw

    @property
    def text(self) -> str:
        return self.inner.text

    @property
    def size(self) -> int:
        return self.inner.size

    @property
    def names(self) -> frozenset[str]:
        return self.inner.names


@dataclass(frozen=True)
class TextLaw:
    """A condition from text, as a program."""

    program: Program
    parameters: Mapping[str, Operand]

    @property
    def text(self) -> str:
        return self.program.text

    @property
    def size(self) -> int:
        return len(self.program.instructions)

    @property
    def names(self) -> frozenset[str]:
        inside = [argument for _, argument in self.program.instructions if isinstance(argument, Program)]
        return self.program.names.union(*(one.names for one in inside))

    def residual(self, state: State, constants: Constants) -> Operand:
        return self.program.run({**self.parameters, **constants}, state)

    def seeded(self, seeds: Mapping[str, Dual]) -> "TextLaw":
        return replace(self, parameters={**self.parameters, **seeds})


@dataclass(frozen=True)
class FunctionLaw:
    """A condition from a Python function of fields, unknown constants and parameters, `lambda u: u(0)*u.x(0) - 1`."""

    function: Callable[..., Any]
    text: str
    fields: tuple[str, ...]
    coordinate: str
    parameters: Mapping[str, Operand]
    arguments: frozenset[str]

    size = 1

    @property
    def names(self) -> frozenset[str]:
        return self.arguments

    def residual(self, state: State, constants: Constants) -> Operand:
        given: dict[str, Any] = {name: PointField(name, state, self.coordinate) for name in self.fields}
        given |= {name: value for name, value in {**self.parameters, **constants}.items() if name in self.arguments}
        found = called(self.function, given, self.text)
        if not isinstance(found, Dual | float | int):
            raise InputError(
                f"the function {quoted(self.text)} of a condition must return one number, left minus right, not "
                f"{quoted(str(found))} ({type(found).__name__})"
            )
        return found

    def seeded(self, seeds: Mapping[str, Dual]) -> "FunctionLaw":
        return replace(self, parameters={**self.parameters, **seeds})


class PointField:
    """What a Python function of a condition receives: `u(0)`, `u.x(0)`, `u.dx(2)(1)` are values at points."""

    def __init__(self, name: str, state: State, coordinate: str, order: int = 0) -> None:
        self._name, self._state, self._coordinate, self._order = name, state, coordinate, order

    def __call__(self, point: float | Dual) -> Operand:
        place: Operand = point if isinstance(point, Dual) else real(point, f"the point in {self._name}(...)")
        return self._state[self._name, (self._order,), located(place, self._state, self._name)]

    def dx(self, order: int = 1) -> "PointField":
        """The derivative of that order."""
        if not 0 <= order <= HIGHEST_ORDER:
            raise InputError(f"derivative {order} of {self._name} is not supported: orders 0 to {HIGHEST_ORDER} are")
        return PointField(self._name, self._state, self._coordinate, order)

    def __getattr__(self, attribute: str) -> "PointField":
        orders = None if attribute.startswith("_") else orders_in(attribute, (self._coordinate,))
        if orders is None:
            first = self._coordinate
            raise AttributeError(f"a field has no {attribute!r}: its derivatives are .{first}(0), .{first * 2}(0), ...")
        return self.dx(orders[0])


def law_of(
    statement: object,
    coordinate: str,
    fields: Collection[str],
    parameters: Mapping[str, float],
    unknown: Sequence[str] = (),
) -> ConditionLaw:
    """The law that a text or a function states."""
    if isinstance(statement, str):
        program = parse_condition(statement, fields, {**parameters, **dict.fromkeys(unknown)}, (coordinate,))
        return TextLaw(program, dict(parameters))
    if not callable(statement):
        raise InputError(
            f'a condition must be a text like "u(0) = 1" or a function like lambda u: u(0) - 1, not '
            f"{quoted(str(statement))} ({type(statement).__name__})"
        )
    text = name_of(statement)
    arguments = arguments_of(statement, text)
    known = {*fields, *parameters, *unknown}
    for name, default in arguments.items():
        if name not in known and not default:
            listed = ", ".join(sorted(known))
            raise InputError(
                f"the argument {quoted(name)} of the function {quoted(text)} of a condition is no field, unknown "
                f"constant or parameter: they are {listed}"
            )
    own = tuple(name for name in fields if name in arguments)
    return FunctionLaw(statement, text, own, coordinate, dict(parameters), frozenset(arguments))
