"""Conditions as they are read from texts and functions: linear ones, and the others."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gated_xtfc.errors import quoted
from gated_xtfc.language.dual import Dual, Operand, unknown
from gated_xtfc.language.program import Program
from gated_xtfc.problem.condition import Asked, Condition, check_order, placed
from gated_xtfc.problem.domain import Axis
from gated_xtfc.problem.law import ConditionLaw, law_of
from gated_xtfc.problem.nonlinear_condition import NonlinearCondition

PROBED = 1.7  # about which a function is linearised a second time, to see whether it is linear


@dataclass(frozen=True)
class ConditionReader:
    """What the conditions of a problem on an interval may speak of."""

    axis: Axis
    orders: Mapping[str, int]  # of the equations, in each field
    parameters: Mapping[str, float]
    unknown_names: Sequence[str] = ()
    starts: Mapping[str, float] = field(default_factory=dict)  # unknown constants at which conditions are regular
    stretch: Callable[[ConditionLaw], ConditionLaw] | None = None  # to the coordinate of `axis`

    def read(self, statement: object) -> Condition | NonlinearCondition:
        """The condition that a text or a function states."""
        axis, orders, parameters, begin = self.axis, self.orders, self.parameters, self.starts
        law = law_of(statement, axis.name, orders.keys(), parameters, self.unknown_names)
        law = law if self.stretch is None else self.stretch(law)
        asked = Asked(law.size)
        linear = law.residual(asked, self._constants())
        integrands = tuple(key[1] for key in asked if key[0] == "integral")
        curved = isinstance(linear, Dual) and linear.nonlinear
        if not callable(statement):
            curved = curved or any(map(self._curved, integrands))
        elif not curved:
            # a function may branch on its fields where no dual number can see it: compare two linearisations
            other = law.residual(Asked(law.size, PROBED), self._constants(PROBED))
            curved = not _same(linear, other)
        if not curved:
            if begin and isinstance(linear, Dual):  # about constants of zero
                slopes: dict[Any, Any] = {**linear.partials}
                linear = linear - sum(value * slopes.get((name,), 0.0) for name, value in begin.items())
            return Condition.of(law, linear, axis, orders, parameters)
        shown = f"the condition {quoted(law.text)}"
        places = []
        for key in asked:
            if key[0] != "integral":
                name, (order,), point = key
                check_order(name, order, orders, shown)
                places.append((name, order, placed(point, axis, shown)))
        for integrand in integrands:
            for name, order in integrand.fields.items():
                check_order(name, order, orders, shown)
        return NonlinearCondition(
            law, tuple(dict.fromkeys(places)), integrands, axis.name, dict(parameters), tuple(self.unknown_names)
        )

    def read_all(self, statements: Sequence[object]) -> tuple[tuple[Condition, ...], tuple[NonlinearCondition, ...]]:
        """The conditions that these state: linear ones, and the others."""
        found = [self.read(one) for one in statements]
        linear = tuple(one for one in found if isinstance(one, Condition))
        return linear, tuple(one for one in found if isinstance(one, NonlinearCondition))

    def _constants(self, away: float = 0.0) -> dict[str, Operand]:
        """The unknown constants as seeds, some way from where they begin."""
        return {name: unknown((name,), self.starts.get(name, 0.0) + away) for name in self.unknown_names}

    def _curved(self, integrand: Program) -> bool:
        """Whether an integral is not linear in the fields, or holds an unknown constant."""
        if integrand.names.intersection(self.unknown_names):
            return True
        state = {key: unknown(key) for key in integrand.derivatives}
        found = integrand.run({**self.parameters, self.axis.name: self.axis.at(np.linspace(0.0, 1.0, 33))}, state)
        return isinstance(found, Dual) and found.nonlinear


def _same(first: Operand, second: Operand) -> bool:
    if not (isinstance(first, Dual) and isinstance(second, Dual)):
        return not isinstance(first, Dual) and not isinstance(second, Dual)
    return first.partials == second.partials
