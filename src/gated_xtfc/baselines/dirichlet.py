"""Two-point problems: one linear equation of order two with a value at each end, as a constrained expression needs."""

from dataclasses import dataclass

from gated_xtfc.errors import InputError
from gated_xtfc.problem.problem import Problem


@dataclass(frozen=True)
class Ends:
    left: float
    right: float
    left_value: float
    right_value: float


def require_linear(problem: Problem, method: str) -> None:
    """One linear equation for one field, no unknown constants."""
    if len(problem.fields) > 1:
        raise InputError(f"{method} solves one equation, not a system of {len(problem.fields)}: use the default solver")
    if problem.unknown:
        raise InputError(f"{method} has no unknown constants: use the default solver")
    if not problem.linear:
        raise InputError(f"{method} solves linear equations, not {problem.equations[0].text}: use the default solver")


def dirichlet(problem: Problem, method: str) -> Ends:
    """The values at the ends; refuses any other kind of problem."""
    require_linear(problem, method)
    axis, order = problem.axis, problem.order[problem.fields[0]]
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
