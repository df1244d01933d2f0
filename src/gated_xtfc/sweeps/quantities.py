"""Quantities of interest: numbers that a solution has, as text: u(0.5), u'(1), max(u), integral(u^2), u(1)/max(u).

Of what evolves they are those at the end of its time.
"""

from dataclasses import dataclass

import numpy as np

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.language.parser import parse_quantity
from gated_xtfc.language.program import Program
from gated_xtfc.problem.problem import Problem, require_interval
from gated_xtfc.solution.base import Solution
from gated_xtfc.solution.curve import Curve
from gated_xtfc.solution.event import InstantQuantity
from gated_xtfc.solution.evolution import EvolutionSolution
from gated_xtfc.solution.interval import IntervalSolution
from gated_xtfc.types import Array, Orders

Asked = tuple[str, Program] | tuple[str, Orders, float]  # ("max", of what), (field, derivative, place)


@dataclass(frozen=True)
class Quantity:
    text: str
    program: Program

    @classmethod
    def stated(cls, text: str, problem: Problem) -> "Quantity":
        if not isinstance(text, str):
            raise InputError(f'a quantity must be a text like "u(0.5)", not {quoted(str(text))}')
        if problem.evolution is not None:  # at the end of its time
            return cls(text, InstantQuantity.stated(text, problem).program)
        names = {**problem.given, **dict.fromkeys(problem.unknown)}
        axis = require_interval(problem, "quantities are known of problems", finite=False)
        program = parse_quantity(text, problem.fields, names, (axis.name,))
        for field, (order,) in program.derivatives_throughout:
            if order > problem.order[field]:
                raise InputError(
                    f"the quantity {quoted(text)} has derivative {order} of {field}: the solution has them up to "
                    f"{problem.order[field]}"
                )
        return cls(text, program)

    def __call__(self, solution: Solution) -> float:
        """NaN where the numbers in it are not finite; a point outside the domain is an error."""
        if isinstance(solution, EvolutionSolution):
            last = solution.record.pieces[-1]
            return InstantQuantity(self.text, self.program, solution.problem).at(last, last.start + last.length)
        assert isinstance(solution, IntervalSolution)
        env = {**solution.problem.given, **solution.unknown_values}
        return float(self.program.value(env, _Measured(solution, env)))


class _Measured(dict[Asked, float]):
    """What a quantity asks of a solution, found when asked."""

    def __init__(self, solution: IntervalSolution, env: dict[str, float]) -> None:
        self.solution, self.env = solution, env
        (self.axis,) = solution.window

    def __missing__(self, key: Asked) -> float:
        if len(key) == 3:
            field, (order,), point = key
            self[key] = self.solution[field](point, order)
        elif key[0] == "integral":
            self[key] = self.integral(key[1])
        else:
            self[key] = self.extreme(key[1], 1.0 if key[0] == "max" else -1.0)
        return self[key]

    def at(self, program: Program, x: Array) -> Array:
        solution = self.solution
        state = {(field, orders): solution[field](x, orders[0]) for field, orders in program.derivatives_throughout}
        found: Array = np.zeros_like(x) + program.value({**self.env, self.axis.name: x}, state)
        return found

    def integral(self, program: Program) -> float:
        x, weights = self.solution.charts[0].quadrature()
        return float(weights @ self.at(program, np.clip(x, self.axis.left, self.axis.right)))

    def extreme(self, program: Program, sign: float) -> float:
        curve = Curve(self.axis, self.solution.charts, lambda x, _: self.at(program, x), 0, 0.0)
        return curve.extreme(sign).value
