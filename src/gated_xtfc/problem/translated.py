"""The same problem in y = x - origin: around y = 0 numbers lie as close as one likes, so no layer is too thin."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from gated_xtfc.language.program import Watch
from gated_xtfc.problem.condition import Condition
from gated_xtfc.problem.domain import Axis, Domain
from gated_xtfc.problem.equation import Equation
from gated_xtfc.problem.problem import Problem


class ShiftedEquation(Equation):
    def __init__(self, equation: Equation, origin: float) -> None:
        self.text, self.orders, self.names = equation.text, equation.orders, equation.names
        self.is_text = equation.is_text
        self._equation, self._origin = equation, origin

    def residual(self, x: Any, state: Mapping[Any, Any], watch: Watch | None = None) -> Any:
        return self._equation.residual(x + self._origin, state, watch)

    def seeded(self, seeds: Mapping[str, Any]) -> "ShiftedEquation":
        return ShiftedEquation(self._equation.seeded(seeds), self._origin)


class Shifted(Problem):
    """A problem in the shifted coordinate; its members are shifted alike."""

    __slots__ = ("_origin", "_problem")
    _origin: float
    _problem: Problem

    def __init__(self, problem: Problem, origin: float) -> None:
        axis = problem.axis
        contents: dict[str, Any] = {name: getattr(problem, name) for name in Problem.__slots__}
        contents |= {
            "equations": tuple(ShiftedEquation(equation, origin) for equation in problem.equations),
            "domain": Domain((Axis(axis.name, axis.left - origin, axis.right - origin),)),
            "conditions": tuple(_condition(condition, origin) for condition in problem.conditions),
            "_problem": problem,
            "_origin": origin,
        }
        for name, content in contents.items():
            object.__setattr__(self, name, content)

    def __call__(self, /, **parameters: float) -> Problem:
        return Shifted(self._problem(**parameters), self._origin)


def _condition(condition: Condition, origin: float) -> Condition:
    terms = tuple(replace(term, point=term.point - origin) for term in condition.terms)
    integrals = tuple(replace(integral, origin=origin) for integral in condition.integrals)
    return replace(condition, terms=terms, integrals=integrals)
