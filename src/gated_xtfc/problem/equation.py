"""One equation, residual(at, state) = left - right = 0, bound to its parameters; from text or from a Python function.

`at` has a value for each coordinate, `state` one for each derivative, {("u", (2,)): u''}: floats, arrays, dual numbers.
"""

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from functools import cached_property
from itertools import pairwise, product
from typing import Any

import numpy as np

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.language.dual import Dual, Operand, State, unknown
from gated_xtfc.language.field import Field, highest_order
from gated_xtfc.language.free_text import FreeText
from gated_xtfc.language.parser import parse_equation
from gated_xtfc.language.program import CALL, COMPARE, MAXIMUM, MINIMUM, TABLE, WHERE, Program, Watch
from gated_xtfc.language.tokens import tokenize
from gated_xtfc.language.vocabulary import RESERVED, Vocabulary
from gated_xtfc.problem.domain import Axis
from gated_xtfc.types import Derivative, Orders

PROBED = (0.25, 0.5)  # where a function is asked for its derivatives, as parts of each axis


class Equation(ABC):
    """Left minus right of one equation.

    `derivatives` are the fields and derivatives in it, `names` the coordinates and parameters.
    """

    text: str
    derivatives: tuple[tuple[str, Orders], ...]
    names: frozenset[str]
    is_text: bool
    noise = 0.0  # of its partial derivatives, relative to its largest term: smaller changes have no meaning

    @property
    def orders(self) -> dict[str, int]:
        """{field: highest order}."""
        found: dict[str, int] = {}
        for name, along in self.derivatives:
            found[name] = max(sum(along), found.get(name, 0))
        return found

    @abstractmethod
    def residual(self, at: Sequence[Operand], state: State, watch: Watch | None = None) -> Operand:
        """Left minus right."""

    @abstractmethod
    def seeded(self, seeds: Mapping[str, Dual]) -> "Equation":
        """The same with some parameters as dual numbers, so that residuals carry their partial derivatives in them."""


class TextEquation(Equation):
    """An equation from text, as a program."""

    is_text = True

    def __init__(
        self,
        program: Program,
        coordinates: tuple[str, ...],
        parameters: Mapping[str, Operand],
        unknown: Sequence[str] = (),
    ) -> None:
        self.unknown = tuple(name for name in unknown if name in program.names)
        self.text = program.text
        self.program = program
        self.derivatives = program.derivatives
        self.names = program.names
        self.tables = program.tables
        self._coordinates = coordinates
        self.parameters = parameters

    def residual(self, at: Sequence[Operand], state: State, watch: Watch | None = None) -> Operand:
        env = {**self.parameters, **dict(zip(self._coordinates, at, strict=True))}
        for name in self.unknown:
            env[name] = state[(name,)]
        return self.program.run(env, state, watch)

    def seeded(self, seeds: Mapping[str, Dual]) -> "TextEquation":
        return self.with_parameters(seeds)

    def with_parameters(self, parameters: Mapping[str, Operand]) -> "TextEquation":
        """The same with some parameters changed; arrays of them broadcast with the coordinates."""
        return TextEquation(self.program, self._coordinates, {**self.parameters, **parameters}, self.unknown)

    @cached_property
    def sharp(self) -> bool:
        """Whether there is more in it than sums, products and powers: only then can it do much between two points."""
        return any(code in (CALL, COMPARE, MINIMUM, MAXIMUM, TABLE) for code, _ in self.program.instructions)

    @cached_property
    def switches(self) -> bool:
        """Whether it compares, or bends as abs(u) does."""
        return any(
            code in (COMPARE, MINIMUM, MAXIMUM) or (code == CALL and argument in ("abs", "sign"))
            for code, argument in self.program.instructions
        )

    @property
    def broken_fluxes(self) -> bool:
        """Whether it has the derivative of what jumps, as (where(x < 0.5, 1, 2)*u_x)_x."""
        return any(code == WHERE for flux in self.program.fluxes for code, _ in flux.instructions)

    @property
    def of_one_kind(self) -> bool:
        """Whether it is linear, or not, whatever the values of its parameters: no switch, and numbers for exponents."""
        return self.program.of_one_kind

    @cached_property
    def free_text(self) -> FreeText:
        """The program with its parameters, to be bounded over cells of the coordinates."""
        return FreeText(self.program, self.parameters, self._coordinates, self.unknown)

    def rewritten(self, rewrite: Callable[[Program], Program]) -> "TextEquation":
        """The same equation with another program."""
        return TextEquation(rewrite(self.program), self._coordinates, self.parameters, self.unknown)


class FunctionEquation(Equation):
    """An equation from a Python function; arguments that name no coordinate, parameter or constant are fields."""

    is_text = False

    def __init__(
        self,
        function: Callable[..., Any],
        axes: Sequence[Axis],
        parameters: Mapping[str, float],
        unknown: Sequence[str] = (),
    ) -> None:
        self.text = name_of(function)
        self.function = function
        self.noise = float(getattr(function, "noise", 0.0))
        self._coordinates = tuple(axis.name for axis in axes)
        self.names = frozenset(arguments := arguments_of(function, self.text))
        self._given: dict[str, Operand] = {name: parameters[name] for name in arguments if name in parameters}
        taken = {*self._coordinates, *parameters, *unknown}
        self.fields = tuple(name for name, default in arguments.items() if not default and name not in taken)
        self.unknown = tuple(name for name in unknown if name in arguments)
        self._renaming: Callable[[Derivative], Derivative] | None = None
        for name in RESERVED.intersection(self.fields):
            raise InputError(f"the argument {quoted(name)} of the function {quoted(self.text)} cannot name a field")
        if not self.fields:
            example = f"lambda {', '.join(self._coordinates)}, u: u.{self._coordinates[0] * 2} - u"
            raise InputError(f"the function {quoted(self.text)} takes no field: write it like {example}")
        probes = [axis.at(np.array(PROBED)) for axis in axes]
        self.derivatives = self._requested(probes)

    def residual(self, at: Sequence[Operand], state: State, watch: Watch | None = None) -> Operand:
        if self._renaming is not None:
            state = _Renamed(state, self._renaming)
        fields: dict[str, Operand] = {name: Field(name, state, self._coordinates) for name in self.fields}
        return self._call(at, {**fields, **{name: state[(name,)] for name in self.unknown}})

    def seeded(self, seeds: Mapping[str, Dual]) -> "FunctionEquation":
        other = copy(self)
        other._given = {name: seeds.get(name, value) for name, value in self._given.items()}
        return other

    def wrapped(self, wrap: Callable[[Callable[..., Any]], Callable[..., Any]]) -> "FunctionEquation":
        """The same equation with its function replaced by another one of the same arguments."""
        other = copy(self)
        other.function = wrap(self.function)
        return other

    def renamed(self, renaming: Callable[[Derivative], Derivative]) -> "FunctionEquation":
        """The same equation where other fields, or their derivatives, stand for some derivatives."""
        other = copy(self)
        other._renaming = renaming
        other.derivatives = tuple(dict.fromkeys(renaming(key) for key in self.derivatives))
        return other

    def _call(self, at: Sequence[Operand], fields: Mapping[str, Operand]) -> Operand:
        arguments: dict[str, Operand] = {**self._given, **fields}
        arguments |= {name: value for name, value in zip(self._coordinates, at, strict=True) if name in self.names}
        return called(self.function, arguments, self.text)

    def _requested(self, at: Sequence[Any]) -> tuple[tuple[str, Orders], ...]:
        """The derivatives of each field that the function asks for, and the fields themselves."""
        most = highest_order(self._coordinates)
        every = [o for o in product(range(most + 1), repeat=len(at)) if sum(o) <= most]
        state: dict[Any, Operand] = {
            (name, orders): unknown((name, orders), 0.5 + 0.1 * sum(orders)) for name in self.fields for orders in every
        }
        fields = {name: Field(name, state, self._coordinates) for name in self.fields}
        result = self._call(at, {**fields, **{name: unknown((name,), 1.0) for name in self.unknown}})
        if not isinstance(result, Dual):
            raise InputError(f"the function {quoted(self.text)} must return left minus right in terms of its fields")
        return tuple((name, orders) for name, field in fields.items() for orders in sorted(field.requested))


class _Renamed(Mapping[Any, Operand]):
    """A state in which derivatives are looked up under other keys."""

    def __init__(self, state: State, renaming: Callable[[Derivative], Derivative]) -> None:
        self._state, self._renaming = state, renaming

    def __getitem__(self, key: Any) -> Operand:
        return self._state[self._renaming(key) if len(key) == 2 else key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._state)

    def __len__(self) -> int:
        return len(self._state)


def read_equations(
    statements: Sequence[Any],
    conditions: Sequence[Any],
    axes: Sequence[Axis],
    parameters: Mapping[str, float],
    unknown: Sequence[str] = (),
) -> tuple[Equation, ...]:
    """Texts and functions as equations in the same fields."""
    coordinates = tuple(axis.name for axis in axes)
    tokens = [tokenize(one, "the equation") if isinstance(one, str) else () for one in statements]
    functions = [FunctionEquation(one, axes, parameters, unknown) if callable(one) else None for one in statements]
    names_given: dict[str, Any] = {**parameters, **dict.fromkeys(unknown)}
    words = Vocabulary(coordinates, parameters=names_given)
    fields: set[str] = set().union(*(one.fields for one in functions if one), *map(words.fields_in, tokens))
    # a name that only the conditions show to be a field, u(0), is one where the equations have it
    written = (token.text for some in tokens for token in some if token.kind == "name")
    names = {name for name in written if not name.startswith("_")}  # _x is the derivative of a parenthesis
    bare = {name for name in names if words.stem(name) not in fields}.difference(RESERVED, coordinates, names_given)
    texts = [text for text in (conditions if bare else ()) if isinstance(text, str)]
    for some in (tokenize(text, "the condition") for text in texts):
        fields |= {name.text for name, after in pairwise(some) if after.kind == "(" and name.text in bare}
        if not fields and len(axes) > 1:  # u = 0 on boundary
            fields |= {name.text for name, after in pairwise(some) if after.kind == "=" and name.text in bare}
    # as many names without a value as there are equations without a field: algebraic equations, and what they are for
    free = {name for name in bare if words.stem(name) not in fields}
    if fields and len(free) == len(statements) - len(fields):
        fields |= free
    return tuple(
        function
        or TextEquation(parse_equation(text, fields, names_given, coordinates), coordinates, parameters, unknown)
        for text, function in zip(statements, functions, strict=True)
    )


def called(function: Callable[..., Any], arguments: Mapping[str, Operand], text: str) -> Operand:
    """What a function of the user's gives, or a sentence on why it gives nothing."""
    try:
        with np.errstate(all="ignore"):
            result: Operand = function(**arguments)
            return result
    except InputError:
        raise
    except Exception as error:
        raise InputError(
            f"the function {quoted(text)} failed with {type(error).__name__}: {str(error)[:200]} "
            "(write it with arithmetic and NumPy functions)"
        ) from error


def name_of(function: Callable[..., Any]) -> str:
    """What messages call a function of the user's."""
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
