"""An easier problem on the way to one: its highest derivatives are made larger, F(u) + factor sum_f c_f u_f^(m) = 0.

With a large factor it is nearly linear, and its solution the plainest function that meets the conditions; with the
factor zero it is the problem itself. Where a small number stands before the highest derivative, it becomes larger so.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gated_xtfc.language.dual import Dual, Operand, State
from gated_xtfc.language.program import ADD, FIELD, MULTIPLY, NUMBER, Instruction, Program, Watch
from gated_xtfc.problem.condition import Condition
from gated_xtfc.problem.domain import Domain
from gated_xtfc.problem.equation import Equation, TextEquation
from gated_xtfc.problem.nonlinear_condition import NonlinearCondition
from gated_xtfc.problem.side import Side
from gated_xtfc.types import Orders

Terms = tuple[tuple[str, Orders, float], ...]  # field, derivative, what multiplies it


@dataclass(frozen=True)
class Diffused:
    """A transform that leaves coordinates alone and adds to the highest derivatives of each equation, by its text."""

    factor: float
    terms: tuple[Terms, ...]  # of every equation, in their order
    texts: tuple[str, ...]  # of the equations

    def place(self, x: float) -> float:
        return x

    def domain(self, domain: Domain) -> Domain:
        return domain

    def equation(self, equation: Equation, domain: Domain) -> Equation:
        terms = self.terms[self.texts.index(equation.text)]
        if not isinstance(equation, TextEquation):
            return DiffusedEquation(equation, self.factor, terms)
        added: list[Instruction] = []
        for name, orders, size in terms:
            added += [(NUMBER, self.factor * size), (FIELD, (name, orders)), (MULTIPLY, None), (ADD, None)]
        return equation.rewritten(lambda program: Program(program.text, (*program.instructions, *added)))

    def condition(self, condition: Condition, domain: Domain) -> Condition:
        return condition

    def nonlinear_condition(self, condition: NonlinearCondition, domain: Domain) -> NonlinearCondition:
        return condition

    def side(self, side: Side, domain: Domain) -> Side:
        return side

    def function(self, function: Callable[..., Any]) -> Callable[..., Any]:
        return function


class DiffusedEquation(Equation):
    """An equation from a function, with more of its highest derivatives."""

    is_text = False

    def __init__(self, inner: Equation, factor: float, terms: Terms) -> None:
        self.inner, self.factor, self.terms = inner, factor, terms
        self.text, self.derivatives, self.names = inner.text, inner.derivatives, inner.names

    def residual(self, at: Sequence[Operand], state: State, watch: Watch | None = None) -> Operand:
        found: Any = self.inner.residual(at, state, watch)
        for name, orders, size in self.terms:
            found = found + self.factor * size * state[name, orders]
        result: Operand = found
        return result

    def seeded(self, seeds: Mapping[str, Dual]) -> "DiffusedEquation":
        return DiffusedEquation(self.inner.seeded(seeds), self.factor, self.terms)
