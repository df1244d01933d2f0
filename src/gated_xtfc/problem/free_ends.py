"""Ends of the domain that are unknown: x = left(y) + length(y) s takes them to s = 0 and 1, y the unknown constants.

The problem is read in s from the beginning; a derivative of order k in x is that in s over length^k. What is found is
handed over in x: `Settled` takes the problem back, for the constants that were found.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.language.dual import Dual, Key, Operand, State, unknown, value_of
from gated_xtfc.language.parser import parse
from gated_xtfc.language.program import ADD, DIVIDE, FIELD, MULTIPLY, NAME, NUMBER, POWER, SUBTRACT, Program, Watch
from gated_xtfc.language.tokens import tokenize
from gated_xtfc.problem.condition import Condition
from gated_xtfc.problem.domain import Axis, Domain
from gated_xtfc.problem.equation import Equation, TextEquation
from gated_xtfc.problem.law import ConditionLaw, Constants, WrappedLaw
from gated_xtfc.problem.nonlinear_condition import NonlinearCondition
from gated_xtfc.problem.side import Side
from gated_xtfc.types import Array, Number

STARTS = (1.0, 2.0, 0.5, -1.0, 4.0)  # with the first of these that makes a domain, unknown ends begin
FIXED = 1e-9  # change of s with a constant that is rounding
SNAP = 1e-12  # a part of the domain this close to an end is the end


@dataclass(frozen=True)
class FreeEnds:
    """A coordinate whose ends depend on unknown constants."""

    name: str
    left: Program
    right: Program
    parameters: Mapping[str, float]
    starts: Mapping[str, float]  # of the constants in the ends

    @classmethod
    def stated(cls, domain: object, parameters: Mapping[str, float], names: Sequence[str]) -> "FreeEnds | None":
        """Where the ends of an interval hold unknown constants; None where they do not."""
        if not isinstance(domain, Mapping) or len(domain) != 1 or not names:
            return None
        ((name, ends),) = domain.items()
        if isinstance(ends, str) or not hasattr(ends, "__len__") or len(ends) != 2:
            return None  # for the domain to refuse
        words = {token.text for end in ends if isinstance(end, str) for token in tokenize(end, "the domain")}
        moving = [one for one in names if one in words]
        if not moving:
            return None
        known = (*parameters, *names)
        left, right = (
            parse(end if isinstance(end, str) else repr(float(end)), (), known, (), f"the {side} end of the domain")
            for side, end in zip(("left", "right"), ends, strict=True)
        )
        for value in STARTS:
            found = cls(str(name), left, right, dict(parameters), dict.fromkeys(moving, value))
            if found.length(found.starts) > 0.0:
                found.axis(found.starts)
                return found
        raise InputError(
            f"the domain from {quoted(left.text)} to {quoted(right.text)} is empty where its unknowns are equal: "
            f'write one end as the other and an unknown length, ({left.text}, "{left.text} + L")'
        )

    def ends(self, constants: Constants) -> tuple[Operand, Operand]:
        """Left and right."""
        env = {**self.parameters, **constants}
        return self.left.run(env), self.right.run(env)

    def length(self, constants: Mapping[str, float]) -> float:
        """How long the domain is; not above zero where there is none."""
        left, right = (float(value_of(end)) for end in self.ends(constants))
        return right - left if np.isfinite(right - left) else 0.0

    def axis(self, constants: Mapping[str, float]) -> Axis:
        """The coordinate for known constants."""
        left, right = (float(value_of(end)) for end in self.ends(constants))
        return Axis(self.name, left, right)

    def slide(self, s: Array, constants: Mapping[str, float]) -> Array:
        """How s changes with every constant where x stays, (n, constants)."""
        left, right = self.ends({name: unknown((name,), value) for name, value in constants.items()})
        x = left + (right - left) * s
        partials: Mapping[Key, Number] = x.partials if isinstance(x, Dual) else {}
        zero = np.zeros_like(s)
        return np.stack([zero - partials.get((name,), 0.0) for name in constants], axis=1) / self.length(constants)

    def program(self, program: Program) -> Program:
        """A text in x as one in s."""
        length = (*self.right.instructions, *self.left.instructions, (SUBTRACT, None))
        place = ((NAME, self.name), *length, (MULTIPLY, None), *self.left.instructions, (ADD, None))

        def stretched(code: int, argument: Any) -> tuple[tuple[int, Any], ...]:
            if code == NAME and argument == self.name:
                return place
            if code == FIELD and argument[1][0]:
                order = float(argument[1][0])
                return ((code, argument), *length, (NUMBER, order), (POWER, None), (DIVIDE, None))
            return ((code, argument),)

        return Program(program.text, tuple(chain.from_iterable(stretched(*one) for one in program.instructions)))

    def equation(self, equation: Equation, names: Sequence[str]) -> Equation:
        """An equation in x as one in s."""
        if isinstance(equation, TextEquation):
            return StretchedText(self, equation, names)
        return StretchedFunction(self, equation, names)

    def law(self, law: ConditionLaw) -> "StretchedLaw":
        """The law of a condition, for what it asks for at parts of the domain."""
        return StretchedLaw(law, self)

    def part(self, x: Operand, constants: Constants, shown: str) -> float:
        """s of x; refuses a point that is no fixed part of the domain."""
        left, right = self.ends(constants)
        s: Any = (x - left) / (right - left)
        partials: Mapping[Key, Number] = s.partials if isinstance(s, Dual) else {}
        if any(abs(float(slope)) > FIXED for slope in partials.values()):
            raise InputError(
                f"the point {shown} moves within the domain as its end does: conditions can stand at the ends, or at "
                f"a part of the domain such as ({self.left.text} + {self.right.text})/2"
            )
        place = float(value_of(s))
        return next((end for end in (0.0, 1.0) if abs(place - end) <= SNAP), place)


class StretchedText(TextEquation):
    """An equation from text in s; `stated` is the one in x."""

    def __init__(self, ends: FreeEnds, stated: TextEquation, names: Sequence[str]) -> None:
        super().__init__(ends.program(stated.program), (ends.name,), stated.parameters, names)
        self.stated: Equation = stated


class StretchedFunction(Equation):
    """An equation from a function in s; `stated` is the one in x. `origin` is where s = 0 stands."""

    is_text = False

    def __init__(self, ends: FreeEnds, stated: Equation, names: Sequence[str], origin: float = 0.0) -> None:
        self.ends, self.stated, self.origin = ends, stated, origin
        self.text, self.derivatives = stated.text, stated.derivatives
        self.unknown = tuple(names)
        self.names = stated.names | ends.left.names | ends.right.names

    def residual(self, at: Sequence[Operand], state: State, watch: Watch | None = None) -> Operand:
        left, right = self.ends.ends({name: state[(name,)] for name in self.unknown})
        length: Any = right - left
        (s,) = at
        x = length * (s + self.origin) + left
        return self.stated.residual((x,), _Scaled(state, length), watch)

    def seeded(self, seeds: Mapping[str, Dual]) -> "StretchedFunction":
        ends = replace(self.ends, parameters={**self.ends.parameters, **seeds})  # type: ignore[dict-item]
        return StretchedFunction(ends, self.stated.seeded(seeds), self.unknown, self.origin)

    def translated(self, origin: float) -> "StretchedFunction":
        """The same in s - origin."""
        return StretchedFunction(self.ends, self.stated, self.unknown, self.origin + origin)


class _Scaled(dict[Key, Operand]):
    """Fields and derivatives in x, from those in s."""

    def __init__(self, state: State, length: Any) -> None:
        self.state, self.length = state, length

    def get(self, key: Any, default: Any = None) -> Any:
        return self[key] if key in self.state else default

    def __missing__(self, key: Any) -> Operand:
        value = self.state[key]
        order = key[1][0] if len(key) > 1 else 0
        scaled: Operand = value / self.length**order if order else value
        return scaled


@dataclass(frozen=True)
class StretchedLaw(WrappedLaw):
    """The law of a condition in x, evaluated with what is known in s."""

    ends: FreeEnds

    @property
    def names(self) -> frozenset[str]:
        return self.inner.names | self.ends.left.names | self.ends.right.names

    def residual(self, state: State, constants: Constants) -> Operand:
        return self.inner.residual(_Parts(state, self.ends, constants), constants)

    def seeded(self, seeds: Mapping[str, Dual]) -> "StretchedLaw":
        ends = replace(self.ends, parameters={**self.ends.parameters, **seeds})  # type: ignore[dict-item]
        return StretchedLaw(self.inner.seeded(seeds), ends)


class _Parts(dict[Key, Operand]):
    """Fields at points x and integrals over x, from those in s."""

    def __init__(self, state: State, ends: FreeEnds, constants: Constants) -> None:
        self.state, self.free, self.constants = state, ends, constants
        left, right = ends.ends(constants)
        self.length: Any = right - left

    def locate(self, point: Operand) -> float:
        """A point that depends on the constants, as a number: s with a sign that tells it from x."""
        return _Part(self.free.part(point, self.constants, "of a condition"))

    def __missing__(self, key: Any) -> Operand:
        if key[0] == "integral":
            found: Operand = self.state["integral", self.free.program(key[1])] * self.length
            return found
        name, (order,), x = key
        s = x if isinstance(x, _Part) else self.free.part(x, self.constants, f"{x:g}")
        value = self.state[name, (order,), float(s)]
        scaled: Operand = value / self.length**order if order else value
        return scaled


class _Part(float):
    """A part of the domain, s, where a point x could stand."""


@dataclass(frozen=True)
class Settled:
    """A transform from s to x, for constants that were found."""

    constants: tuple[tuple[str, float], ...]
    ends: FreeEnds

    def place(self, x: float) -> float:
        axis = self.ends.axis(dict(self.constants))
        return axis.left + axis.length * x

    def domain(self, domain: Domain) -> Domain:
        return Domain((self.ends.axis(dict(self.constants)),))

    def equation(self, equation: Equation, domain: Domain) -> Equation:
        assert isinstance(equation, StretchedText | StretchedFunction)
        return equation.stated

    def condition(self, condition: Condition, domain: Domain) -> Condition:
        axis = self.ends.axis(dict(self.constants))
        terms = tuple(
            replace(one, point=axis.left + axis.length * one.point, weight=one.weight * axis.length**one.order)
            for one in condition.terms
        )
        return replace(condition, terms=terms)

    def nonlinear_condition(self, condition: NonlinearCondition, domain: Domain) -> NonlinearCondition:
        axis = self.ends.axis(dict(self.constants))
        law = condition.law.inner if isinstance(condition.law, StretchedLaw) else condition.law
        places = tuple((name, order, axis.left + axis.length * s) for name, order, s in condition.places)
        return replace(condition, law=law, places=places)

    def side(self, side: Side, domain: Domain) -> Side:
        return side

    def function(self, function: Callable[..., Any]) -> Callable[..., Any]:
        return function  # exact solutions are stated in x
