"""The same problem in other coordinates: a transform takes each part of a problem to the new coordinates.

`problem.transformed(Translation((0.25,)))` is the problem in y = x - 0.25. Floating-point numbers around y = 0 lie as
close together as one likes, so no layer there is too thin to be resolved. `Truncation(-20, 20)` cuts infinite ends off.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from gated_xtfc.language.dual import Dual, Operand, State
from gated_xtfc.language.program import Program
from gated_xtfc.language.translated import translated
from gated_xtfc.problem.condition import Condition
from gated_xtfc.problem.domain import Axis, Domain
from gated_xtfc.problem.equation import Equation, FunctionEquation, TextEquation
from gated_xtfc.problem.free_ends import StretchedFunction
from gated_xtfc.problem.law import Constants, WrappedLaw
from gated_xtfc.problem.nonlinear_condition import NonlinearCondition
from gated_xtfc.problem.side import Side
from gated_xtfc.types import Array


class Transform(Protocol):
    """What a change of coordinates does to the parts of a problem."""

    def place(self, x: float) -> float: ...
    def domain(self, domain: Domain) -> Domain: ...
    def equation(self, equation: Equation, domain: Domain) -> Equation: ...
    def condition(self, condition: Condition, domain: Domain) -> Condition: ...
    def nonlinear_condition(self, condition: NonlinearCondition, domain: Domain) -> NonlinearCondition: ...
    def side(self, side: Side, domain: Domain) -> Side: ...
    def function(self, function: Callable[..., Any]) -> Callable[..., Any]: ...


@dataclass(frozen=True)
class Translation:
    """y = x - origin along each axis. `domain` in the methods below is that of the untranslated problem."""

    origins: tuple[float, ...]

    def __bool__(self) -> bool:
        return any(self.origins)

    def from_translated(self, y: Array, axis: int = 0) -> Array:
        """x of y."""
        return y + self.origins[axis]

    def place(self, x: float) -> float:
        return x - self.origins[0]

    def domain(self, domain: Domain) -> Domain:
        pairs = zip(domain.axes, self.origins, strict=True)
        return Domain(tuple(Axis(axis.name, axis.left - o, axis.right - o) for axis, o in pairs))

    def equation(self, equation: Equation, domain: Domain) -> Equation:
        if isinstance(equation, StretchedFunction):
            return equation.translated(self.origins[0])
        if isinstance(equation, TextEquation):
            return equation.rewritten(lambda program: self._program(program, domain))
        assert isinstance(equation, FunctionEquation)
        return equation.wrapped(lambda function: _Moved(function, self._by_name(domain)))

    def condition(self, condition: Condition, domain: Domain) -> Condition:
        (origin,) = self.origins
        terms = tuple(replace(term, point=term.point - origin) for term in condition.terms)
        integrals = tuple(replace(one, integrand=self._program(one.integrand, domain)) for one in condition.integrals)
        return replace(condition, terms=terms, integrals=integrals)

    def nonlinear_condition(self, condition: NonlinearCondition, domain: Domain) -> NonlinearCondition:
        (origin,) = self.origins

        def moved(key: Any) -> Any:
            if key[0] == "integral":
                return "integral", self._program(key[1], domain)
            return (*key[:2], key[2] - origin)

        return replace(
            condition,
            law=MovedLaw(condition.law, moved),
            places=tuple((name, order, point - origin) for name, order, point in condition.places),
            integrands=tuple(self._program(one, domain) for one in condition.integrands),
        )

    def side(self, side: Side, domain: Domain) -> Side:
        first, second = self.domain(domain).axes
        return replace(side, axes=(first, second), program=self._program(side.program, domain))

    def function(self, function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *at: function(*(y + o for y, o in zip(at, self.origins, strict=True)))

    def _by_name(self, domain: Domain) -> dict[str, float]:
        return {axis.name: o for axis, o in zip(domain.axes, self.origins, strict=True) if o}

    def _program(self, program: Program, domain: Domain) -> Program:
        """The program with y + origin in the place of x."""
        for name, origin in self._by_name(domain).items():
            program = translated(program, name, origin)
        return program


@dataclass(frozen=True)
class Truncation:
    """Infinite ends cut off at `left` and `right`: what was asked for at infinity is asked for there."""

    left: float
    right: float

    def place(self, x: float) -> float:
        return x

    def domain(self, domain: Domain) -> Domain:
        (axis,) = domain.axes
        return Domain((Axis(axis.name, max(axis.left, self.left), min(axis.right, self.right)),))

    def equation(self, equation: Equation, domain: Domain) -> Equation:
        return equation

    def condition(self, condition: Condition, domain: Domain) -> Condition:
        terms = tuple(replace(term, point=self._at(term.point)) for term in condition.terms)
        return replace(condition, terms=terms)

    def nonlinear_condition(self, condition: NonlinearCondition, domain: Domain) -> NonlinearCondition:
        def moved(key: Any) -> Any:
            return key if key[0] == "integral" else (*key[:2], self._at(key[2]))

        places = tuple((name, order, self._at(point)) for name, order, point in condition.places)
        return replace(condition, law=MovedLaw(condition.law, moved), places=places)

    def side(self, side: Side, domain: Domain) -> Side:
        return side

    def function(self, function: Callable[..., Any]) -> Callable[..., Any]:
        return function

    def _at(self, point: float) -> float:
        return {-math.inf: self.left, math.inf: self.right}.get(point, point)


@dataclass(frozen=True)
class MovedLaw(WrappedLaw):
    """The law of a condition where what it asks for stands under another key."""

    moved: Callable[[Any], Any]

    def residual(self, state: State, constants: Constants) -> Operand:
        return self.inner.residual(_Elsewhere(state, self.moved), constants)

    def seeded(self, seeds: Mapping[str, Dual]) -> "MovedLaw":
        return replace(self, inner=self.inner.seeded(seeds))


class _Elsewhere(dict[Any, Operand]):
    """A state whose keys are moved before they are looked up."""

    def __init__(self, state: State, moved: Callable[[Any], Any]) -> None:
        self.state, self.moved = state, moved

    def __missing__(self, key: Any) -> Operand:
        return self.state[self.moved(key)]


@dataclass(frozen=True)
class _Moved:
    """A function whose named coordinates are moved before it is called; a class, so that it can be pickled."""

    inner: Callable[..., Any]
    origins: Mapping[str, float]

    def __call__(self, **arguments: Any) -> Any:
        moved = {name: arguments[name] + o for name, o in self.origins.items() if name in arguments}
        return self.inner(**{**arguments, **moved})
