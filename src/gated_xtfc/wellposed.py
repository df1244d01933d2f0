"""Can this statement be solved at all? Each check raises one sentence; what needs numerics is left to the solver."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from gated_xtfc.domain import Axis
from gated_xtfc.equation import Equation
from gated_xtfc.errors import InputError, quoted, suggestion
from gated_xtfc.field import Dual, unknown
from gated_xtfc.vocabulary import RESERVED, Vocabulary


def check_parameters(
    parameters: Mapping[str, float], used: Collection[str], fields: Collection[str], axis: Axis
) -> None:
    derivative_of = Vocabulary((axis.name,)).stem
    for name in parameters:
        if name in RESERVED or name == axis.name or name in fields or derivative_of(name) in fields:
            raise InputError(f"{quoted(name)} cannot be the name of a parameter: it means something else already")
        if name not in used:
            others = ", ".join(other for other in parameters if other in used)
            hint = suggestion(name, used, f"leave it out (those that occur: {others})" if others else "leave it out")
            raise InputError(f"the parameter {quoted(name)} occurs nowhere in the problem: {hint}")


def orders_of(equations: Sequence[Equation]) -> dict[str, int]:
    """{field: order}, for what is supported: one equation for one field."""
    orders: dict[str, int] = {}
    for equation in equations:
        for field, order in equation.orders.items():
            orders[field] = max(order, orders.get(field, 0))
    first = quoted(equations[0].text)
    if not orders or not max(orders.values()):
        raise InputError(f"the equation {first} has no derivative: write u' or u_x for the derivative of u")
    if len(orders) > 1 or len(equations) > 1:
        found = f"{len(equations)} equation{'s' * (len(equations) > 1)} with the fields {', '.join(sorted(orders))}"
        raise InputError(f"systems are not supported yet: {found} found, one equation for one field can be solved")
    return orders


def check_number(given: int, orders: Mapping[str, int]) -> None:
    needed = sum(orders.values())
    if given != needed:
        change = f"{needed - given} missing" if given < needed else f"{given - needed} too many"
        raise InputError(f"an equation of order {needed} needs {_conditions(needed)}, but {given} given: {change}")


def _conditions(number: int) -> str:
    return f"{number} condition{'s' * (number != 1)}"


def check_operator(equation: Equation, orders: Mapping[str, int], axis: Axis) -> None:
    """Linear, and its leading coefficient not zero everywhere. Not finite somewhere is the solver's to report."""
    # irregular spacing: a coefficient such as sin(32*pi*x) must not vanish at every sample
    x = axis.left + axis.length * np.linspace(0.0, 1.0, 33) ** 1.1
    shown = quoted(equation.text)
    # one point first: it is cheap, and a long nonlinear text is not worth more
    residual = _residual_at(equation, orders, axis.left + 0.382 * axis.length, 0.0)
    if isinstance(residual, Dual) and not residual.curved:
        residual = _residual_at(equation, orders, x, 0.0)
    if not isinstance(residual, Dual):
        raise InputError(f"the equation {shown} does not depend on its field")
    # a function may branch on its fields where no dual number can see it: compare two linearisations
    if residual.curved or not (equation.is_text or _same(residual, _residual_at(equation, orders, x, 1.7))):
        raise InputError(f"the equation {shown} is nonlinear: nonlinear equations are not supported yet")
    for field, order in orders.items():
        coefficient = np.asarray(residual.partials.get((field, order), 0.0))
        if np.all(coefficient == 0.0):
            name = field + "'" * order
            raise InputError(
                f"the leading coefficient (of {name}) is zero everywhere in {shown}: "
                "give its parameter another value or leave the term out"
            )


def _residual_at(equation: Equation, orders: Mapping[str, int], x: Any, value: float) -> Any:
    state = {(field, k): unknown((field, k), value) for field, order in orders.items() for k in range(order + 1)}
    return equation.residual(x, state)


def _same(first: Dual, second: Any) -> bool:
    if not isinstance(second, Dual) or first.partials.keys() != second.partials.keys():
        return False
    pairs = ((first.partials[key], second.partials[key]) for key in first.partials)
    return all(np.array_equal(np.asarray(p), np.asarray(q), equal_nan=True) for p, q in pairs)
