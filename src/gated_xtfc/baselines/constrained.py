"""Two-point problems, one linear equation of order two with a value at each end, and their constrained expression.

u(x) = g(x) + sum_i c_i psi_i(x),   psi_i(x) = phi_i(x) - (1 - s) phi_i(a) - s phi_i(b),   s = (x - a)/(b - a)

Both end values hold whatever the weights c_i.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gated_xtfc.baselines.features import Block, Coefficients, Features, derivative, matrix, unit
from gated_xtfc.errors import InputError
from gated_xtfc.operator.linearise import Operator
from gated_xtfc.problem.problem import Problem, require_interval
from gated_xtfc.types import Array


@dataclass(frozen=True)
class Ends:
    left: float
    right: float
    left_value: float
    right_value: float


def require_linear(problem: Problem, method: str) -> None:
    """Refuses all but one linear equation for one field without unknown constants."""
    if len(problem.fields) > 1:
        raise InputError(f"{method} solves one equation, not a system of {len(problem.fields)}: use the default solver")
    if problem.unknown:
        raise InputError(f"{method} has no unknown constants: use the default solver")
    if not problem.linear:
        raise InputError(f"{method} solves linear equations, not {problem.equations[0].text}: use the default solver")


def dirichlet(problem: Problem, method: str) -> Ends:
    """The ends and the values there; any other kind of problem is refused."""
    require_linear(problem, method)
    axis, order = require_interval(problem, f"{method} solves problems"), problem.order[problem.fields[0]]
    if order != 2:
        raise InputError(f"{method} solves equations of order 2, not {order}: use the default solver")
    values: dict[float, float] = {}
    for condition in problem.conditions:
        term = condition.terms[0] if len(condition.terms) == 1 and not condition.integrals else None
        if term is None or term.order != 0 or term.point not in (axis.left, axis.right):
            raise InputError(
                f'{method} needs the value of the field at both ends, not "{condition.text}": use the default solver'
            )
        values[term.point] = condition.value / term.weight
    return Ends(axis.left, axis.right, values[axis.left], values[axis.right])


@dataclass(frozen=True, eq=False)
class ConstrainedFeatures:
    """The functions psi_i, which vanish at both ends."""

    free: Features
    ends: Ends

    @property
    def size(self) -> int:
        return self.free.size

    @cached_property
    def end_values(self) -> Array:
        """The values of phi_i at both ends, (2, size)."""
        return matrix(self.free, np.array([self.ends.left, self.ends.right]), [1.0])

    def blocks(self, x: Array, coefficients: Coefficients) -> Iterator[Block]:
        lines = switches(self.ends, x, coefficients)
        covered = 0
        for rows, columns, block in self.free.blocks(x, coefficients):
            yield from self._unseen(lines, covered, columns.start)
            covered = columns.stop
            at_ends = self.end_values[:, columns]
            if not at_ends.any():
                yield rows, columns, block
                continue
            # element by element, not as a product: psi is then zero at the ends to the last bit
            whole = np.zeros((x.size, block.shape[1]), order="F")
            whole[rows] = block
            _subtract(whole, lines, at_ends)
            yield slice(0, x.size), columns, whole
        yield from self._unseen(lines, covered, self.size)

    def _unseen(self, lines: Array, start: int, stop: int) -> Iterator[Block]:
        """The columns between two blocks: no point sees them, but an end may."""
        at_ends = self.end_values[:, start:stop]
        if at_ends.any():
            whole = np.zeros((lines.shape[1], stop - start), order="F")
            _subtract(whole, lines, at_ends)
            yield slice(0, lines.shape[1]), slice(start, stop), whole

    def equation_at(self, problem: Problem, sites: Array) -> tuple[list[Array], Array]:
        """The coefficients of the equation at the sites, and its source less what g contributes."""
        linear = Operator(problem)((sites,))
        coefficients = linear.by_order[0][0]
        return coefficients, linear.source[0] - self.boundary(sites, coefficients)

    def value(self, x: Array, order: int, weights: Array) -> Array:
        """The derivative u^(order) at x, (n,)."""
        return self.boundary(x, unit(order)) + derivative(self, x, order, weights)

    def boundary(self, x: Array, coefficients: Coefficients) -> Array:
        """The operator on g, the straight line through the end values, (n,)."""
        lines = switches(self.ends, x, coefficients)
        line: Array = self.ends.left_value * lines[0] + self.ends.right_value * lines[1]
        return line


def _subtract(whole: Array, lines: Array, at_ends: Array) -> None:
    for line, values in zip(lines, at_ends, strict=True):
        if values.any():
            whole -= line[:, None] * values


def switches(ends: Ends, x: Array, coefficients: Coefficients) -> Array:
    """The operator on 1 - s and on s, (2, n)."""
    length = ends.right - ends.left
    # from the nearer end, so that both are exact at the ends
    s, rest = (x - ends.left) / length, (ends.right - x) / length
    value, slope = coefficients[0], coefficients[1] if len(coefficients) > 1 else 0.0
    return np.array([value * rest - slope / length, value * s + slope / length]) + np.zeros((2, x.size))
