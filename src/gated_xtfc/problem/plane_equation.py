"""One equation on a rectangle, at(x, y, state) = left - right = 0, bound to its parameters; from text or function."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.language.dual import Dual, Key
from gated_xtfc.language.field import unknown
from gated_xtfc.language.parser import difference
from gated_xtfc.language.plane_field import PlaneField
from gated_xtfc.language.plane_vocabulary import Orders, PlaneVocabulary
from gated_xtfc.language.program import FIELD, Program, Watch
from gated_xtfc.language.tokens import tokenize
from gated_xtfc.language.vocabulary import RESERVED
from gated_xtfc.problem.domain import Axis
from gated_xtfc.problem.equation import Equation, arguments_of, called

DERIVATIVES: tuple[Orders, ...] = ((0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2))


class PlaneEquation(Equation):
    """`asked` are the derivatives in it; `at` takes {("u", (i, j)): value} and works on floats, arrays and duals."""

    field: str
    asked: frozenset[Orders]

    def at(self, x: Any, y: Any, state: Mapping[Any, Any], watch: Watch | None = None) -> Any:
        raise NotImplementedError


class PlaneText(PlaneEquation):
    is_text = True

    def __init__(self, program: Program, axes: Sequence[Axis], parameters: Mapping[str, float]) -> None:
        self.text, self.program, self.names = program.text, program, program.names
        fields = {argument[0] for code, argument in program.instructions if code == FIELD}
        if len(fields) > 1:
            raise InputError(
                f"the equation {quoted(self.text)} has the fields {' and '.join(sorted(fields))}: "
                "systems on a rectangle are not supported yet"
            )
        self.field = fields.pop() if fields else ""
        self.asked = frozenset(argument[1] for code, argument in program.instructions if code == FIELD)
        self.orders = {self.field: max((sum(orders) for orders in self.asked), default=0)}
        self._names = axes[0].name, axes[1].name
        self._parameters = parameters

    def at(self, x: Any, y: Any, state: Mapping[Any, Any], watch: Watch | None = None) -> Any:
        return self.program.run({**self._parameters, self._names[0]: x, self._names[1]: y}, state, watch)


class PlaneFunction(PlaneEquation):
    """Arguments named like a coordinate or a parameter get their value; the one left is the field."""

    is_text = False

    def __init__(self, function: Callable[..., Any], axes: Sequence[Axis], parameters: Mapping[str, float]) -> None:
        name = getattr(function, "__name__", "")
        self.text = name if name and name != "<lambda>" else "<function>"
        self.function = function
        self._names = axes[0].name, axes[1].name
        arguments = arguments_of(function, self.text)
        self.names = frozenset(arguments)
        self._given = {name: parameters[name] for name in arguments if name in parameters}
        fields = [n for n, default in arguments.items() if not default and n not in self._names and n not in parameters]
        if len(fields) != 1 or fields[0] in RESERVED:
            raise InputError(
                f"the function {quoted(self.text)} must take one field beside coordinates and parameters: "
                "write it like lambda x, y, u: u.xx + u.yy - u"
            )
        self.field = fields[0]
        self.asked = self._probe([axis.left + 0.37 * axis.length for axis in axes])
        self.orders = {self.field: max(sum(orders) for orders in self.asked)}

    def at(self, x: Any, y: Any, state: Mapping[Any, Any], watch: Watch | None = None) -> Any:
        return self._call(x, y, PlaneField(self.field, state, self._names))

    def _call(self, x: Any, y: Any, field: PlaneField) -> Any:
        arguments: dict[str, Any] = {**self._given, self.field: field}
        for name, value in zip(self._names, (x, y), strict=True):
            if name in self.names:
                arguments[name] = value
        return called(self.function, arguments, self.text)

    def _probe(self, place: Sequence[float]) -> frozenset[Orders]:
        """The derivatives that the function asks for."""
        state: dict[Key, Any] = {(self.field, orders): unknown((self.field, orders), 0.5) for orders in DERIVATIVES}
        field = PlaneField(self.field, state, self._names)
        if not isinstance(self._call(np.array([place[0]]), np.array([place[1]]), field), Dual):
            raise InputError(f"the function {quoted(self.text)} must return left minus right in terms of its field")
        return frozenset(field.asked)


def read_equation(statement: Any, axes: Sequence[Axis], parameters: Mapping[str, float]) -> PlaneEquation:
    """A text or a function as an equation of second order."""
    if callable(statement):
        equation: PlaneEquation = PlaneFunction(statement, axes, parameters)
    else:
        words = PlaneVocabulary((axes[0].name, axes[1].name), parameters=parameters.keys())
        tokens = tokenize(statement, "the equation")
        words = PlaneVocabulary(words.coordinates, words.fields_in(tokens), parameters.keys())
        if not words.fields:
            raise _underived(statement, axes)
        equation = PlaneText(difference(statement, "the equation", tokens, words), axes, parameters)
    shown = quoted(equation.text)
    if not any(sum(orders) for orders in equation.asked):
        raise _underived(equation.text, axes)
    order = max(sum(orders) for orders in equation.asked)
    if order != 2:
        raise InputError(f"the equation {shown} is of order {order}: on a rectangle it must be of order 2")
    return equation


def _underived(text: str, axes: Sequence[Axis]) -> InputError:
    first, second = (axis.name for axis in axes)
    example = f"with two coordinates write u_{first * 2} or u_{second * 2}"
    return InputError(f"the equation {quoted(text)} has no derivative along {first} or {second}: {example}")
