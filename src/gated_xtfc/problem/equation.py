"""One equation, residual(x, state) = left - right = 0, bound to its parameters; from text or from a Python function."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from itertools import pairwise
from typing import Any

import numpy as np

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.language.field import HIGHEST_ORDER, Dual, Field, Key, unknown
from gated_xtfc.language.parser import parse, parse_condition, parse_equation
from gated_xtfc.language.program import Program, Watch
from gated_xtfc.language.tokens import tokenize
from gated_xtfc.language.vocabulary import RESERVED, Vocabulary
from gated_xtfc.problem.domain import Axis

__all__ = [
    "Equation",
    "FunctionEquation",
    "Program",
    "TextEquation",
    "Watch",
    "arguments_of",
    "parse",
    "parse_condition",
    "parse_equation",
    "read_equations",
]


class Equation:
    """`orders` is {field: highest order}; `residual` takes {("u", order): value} and works on floats, arrays, duals."""

    text: str
    orders: dict[str, int]
    names: frozenset[str]  # of the coordinate and the parameters in it
    is_text: bool

    def residual(self, x: Any, state: Mapping[Any, Any], watch: Watch | None = None) -> Any:
        raise NotImplementedError

    def seeded(self, seeds: Mapping[str, Any]) -> "Equation":
        """The same with some parameters as dual numbers, so that residuals carry their partial derivatives in them."""
        raise NotImplementedError


class TextEquation(Equation):
    is_text = True

    def __init__(
        self, program: Program, coordinate: str, parameters: Mapping[str, float], unknown: Sequence[str] = ()
    ) -> None:
        self.unknown = tuple(name for name in unknown if name in program.names)
        self.text = program.text
        self.program = program
        self.orders = program.fields
        self.names = program.names
        self._coordinate = coordinate
        self._parameters = parameters

    def residual(self, x: Any, state: Mapping[Any, Any], watch: Watch | None = None) -> Any:
        env = {**self._parameters, self._coordinate: x}
        for name in self.unknown:
            env[name] = state[(name,)]
        return self.program.run(env, state, watch)

    def seeded(self, seeds: Mapping[str, Any]) -> "TextEquation":
        return TextEquation(self.program, self._coordinate, {**self._parameters, **seeds}, self.unknown)


class FunctionEquation(Equation):
    """Arguments named like the coordinate or a parameter get their value; the others are fields."""

    is_text = False

    def __init__(
        self,
        function: Callable[..., Any],
        coordinate: str,
        parameters: Mapping[str, float],
        probes: Sequence[float] = (0.25, 0.5),
        unknown: Sequence[str] = (),
    ) -> None:
        self.text = _name_of(function)
        self.function = function
        self._coordinate = coordinate
        self.arguments = arguments_of(function, self.text)
        self.names = frozenset(self.arguments)
        self._given = {name: parameters[name] for name in self.arguments if name in parameters}
        self.fields = tuple(
            name
            for name, default in self.arguments.items()
            if not default and name != coordinate and name not in parameters and name not in unknown
        )
        self.unknown = tuple(name for name in unknown if name in self.arguments)
        for name in RESERVED.intersection(self.fields):
            raise InputError(f"the argument {quoted(name)} of the function {quoted(self.text)} cannot name a field")
        if not self.fields:
            raise InputError(f"the function {quoted(self.text)} takes no field: write it like lambda x, u: u.xx - u")
        self.orders = self._orders(np.array(probes))

    def residual(self, x: Any, state: Mapping[Any, Any], watch: Watch | None = None) -> Any:
        fields: dict[str, Any] = {name: Field(name, state, self._coordinate) for name in self.fields}
        return self._call(x, {**fields, **{name: state[(name,)] for name in self.unknown}})

    def seeded(self, seeds: Mapping[str, Any]) -> "FunctionEquation":
        other = copy(self)
        other._given = {name: seeds.get(name, value) for name, value in self._given.items()}
        return other

    def _call(self, x: Any, fields: Mapping[str, Any]) -> Any:
        arguments: dict[str, Any] = {**self._given, **fields}
        if self._coordinate in self.arguments:
            arguments[self._coordinate] = x
        return called(self.function, arguments, self.text)

    def _orders(self, x: Any) -> dict[str, int]:
        """The highest derivative of each field that the function asks for."""
        state: dict[Key, Any] = {
            (name, order): unknown((name, order), 0.5 + 0.1 * order)
            for name in self.fields
            for order in range(HIGHEST_ORDER + 1)
        }
        fields = {name: Field(name, state, self._coordinate) for name in self.fields}
        result = self._call(x, {**fields, **{name: unknown((name,), 1.0) for name in self.unknown}})
        if not isinstance(result, Dual):
            raise InputError(f"the function {quoted(self.text)} must return left minus right in terms of its fields")
        return {name: field.highest for name, field in fields.items()}


def read_equations(
    statements: Sequence[Any],
    conditions: Sequence[str],
    axis: Axis,
    parameters: Mapping[str, float],
    unknown: Sequence[str] = (),
) -> tuple[Equation, ...]:
    """Texts and functions as equations in the same fields."""
    probes = (axis.left + 0.25 * axis.length, axis.left + 0.5 * axis.length)
    tokens = [tokenize(one, "the equation") if isinstance(one, str) else () for one in statements]
    functions = [
        FunctionEquation(one, axis.name, parameters, probes, unknown) if callable(one) else None for one in statements
    ]
    names_given = (*parameters, *unknown)
    words = Vocabulary((axis.name,), parameters=names_given)
    fields: set[str] = set().union(*(one.fields for one in functions if one), *map(words.fields_in, tokens))
    # a name that only the conditions show to be a field, u(0), is one where the equations have it
    names = {token.text for some in tokens for token in some if token.kind == "name"}
    bare = {name for name in names if words.stem(name) not in fields}.difference(RESERVED, (axis.name,), names_given)
    for some in (tokenize(text, "the condition") for text in (conditions if bare else ())):
        fields |= {name.text for name, after in pairwise(some) if after.kind == "(" and name.text in bare}
    return tuple(
        function
        or TextEquation(parse_equation(text, fields, names_given, (axis.name,), some), axis.name, parameters, unknown)
        for text, some, function in zip(statements, tokens, functions, strict=True)
    )


def called(function: Callable[..., Any], arguments: Mapping[str, Any], text: str) -> Any:
    """What a function of the user's gives, or a sentence on why it gives nothing."""
    try:
        with np.errstate(all="ignore"):
            return function(**arguments)
    except InputError:
        raise
    except Exception as error:
        raise InputError(
            f"the function {quoted(text)} failed with {type(error).__name__}: {str(error)[:200]} "
            "(write it with arithmetic and NumPy functions)"
        ) from error


def _name_of(function: Callable[..., Any]) -> str:
    name = getattr(function, "__name__", "")
    return name if name and name != "<lambda>" else "<function>"


def arguments_of(function: Callable[..., Any], text: str) -> dict[str, bool]:
    """{argument: has a default}."""
    try:
        arguments = inspect.signature(function).parameters.values()
    except (TypeError, ValueError) as error:
        raise InputError(
            f"the arguments of the function {quoted(text)} cannot be found: write it as a lambda"
        ) from error
    if any(argument.kind in (argument.VAR_POSITIONAL, argument.POSITIONAL_ONLY) for argument in arguments):
        raise InputError(f"the function {quoted(text)} must name its arguments, like lambda x, u: u.xx - u")
    return {
        argument.name: argument.default is not argument.empty
        for argument in arguments
        if argument.kind != argument.VAR_KEYWORD
    }
