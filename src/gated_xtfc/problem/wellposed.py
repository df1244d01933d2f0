"""Can this statement be solved at all? Each check raises one sentence; what needs numerics is left to the solver."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from gated_xtfc.errors import InputError, quoted, suggestion
from gated_xtfc.language.field import Dual, unknown
from gated_xtfc.language.vocabulary import RESERVED, Vocabulary
from gated_xtfc.problem.domain import Axis
from gated_xtfc.problem.equation import Equation


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
    """{field: order}: as many equations as fields, and a derivative of every field."""
    orders: dict[str, int] = {}
    for equation in equations:
        for field, order in equation.orders.items():
            orders[field] = max(order, orders.get(field, 0))
    first = quoted(equations[0].text)
    if not orders or not max(orders.values()):
        raise InputError(f"the equation {first} has no derivative: write u' or u_x for the derivative of u")
    if len(orders) != len(equations):
        found = f"{len(equations)} equation{'s' * (len(equations) > 1)} for the fields {', '.join(sorted(orders))}"
        more = "give one equation for each field" if len(orders) > len(equations) else "leave out what is too much"
        raise InputError(f"{found}: {more}")
    for field, order in orders.items():
        if not order:
            raise InputError(f"no equation has a derivative of {field}: insert what {field} is, or give its equation")
    return orders


def check_number(given: int, orders: Mapping[str, int], unknown: Sequence[str] = ()) -> None:
    total = sum(orders.values())
    needed = total + len(unknown)
    if given != needed:
        change = f"{needed - given} missing" if given < needed else f"{given - needed} too many"
        what = f"an equation of order {total}" if len(orders) == 1 else f"equations of order {total} in all"
        more = f" with {', '.join(unknown)} unknown" if unknown else ""
        need = "needs" if len(orders) == 1 else "need"
        raise InputError(f"{what}{more} {need} {_conditions(needed)}, but {given} given: {change}")


def _conditions(number: int) -> str:
    return f"{number} condition{'s' * (number != 1)}"


def check_unknown(unknown: Sequence[Any], values: Mapping[str, float], equations: Sequence[Equation]) -> None:
    for name in unknown:
        if list(unknown).count(name) > 1:
            raise InputError(f"{quoted(str(name))} is listed as unknown twice: list it once")
        if name in RESERVED or name in values:
            raise InputError(f"{quoted(str(name))} cannot be unknown: it has a value or a meaning already")
        if not any(name in equation.names for equation in equations):
            raise InputError(f"the unknown constant {quoted(str(name))} occurs in no equation: leave it out")


def check_operator(
    equation: Equation, orders: Mapping[str, int], axis: Axis, unknown: Sequence[str] = ()
) -> tuple[bool, set[str]]:
    """Whether the equation is linear, and the fields whose highest derivative it has.

    Not finite somewhere is the solver's to report.
    """
    # irregular spacing: a coefficient such as sin(32*pi*x) must not vanish at every sample
    x = axis.left + axis.length * np.linspace(0.0, 1.0, 33) ** 1.1
    shown = quoted(equation.text)
    residual = _residual_at(equation, orders, x, 0.0, unknown)
    if not isinstance(residual, Dual):
        raise InputError(f"the equation {shown} does not depend on its fields")
    other = _residual_at(equation, orders, x, 1.7, unknown)
    # a function may branch on its fields where no dual number can see it: compare two linearisations
    linear = not residual.curved and (equation.is_text or _same(residual, other))
    leads = set()
    for field, order in orders.items():
        found = [r.partials.get((field, order), 0.0) for r in (residual, other) if isinstance(r, Dual)]
        if not all(np.all(np.asarray(coefficient) == 0.0) for coefficient in found):
            leads.add(field)
    return linear, leads


def check_leads(equations: Sequence[Equation], orders: Mapping[str, int], leads: Sequence[set[str]]) -> None:
    """Every highest derivative must really be there."""
    for field, order in orders.items():
        if not any(field in present for present in leads):
            name, shown = field + "'" * order, quoted(equations[0].text if len(equations) == 1 else "the equations")
            raise InputError(
                f"the leading coefficient (of {name}) is zero everywhere in {shown}: "
                "give its parameter another value or leave the term out"
            )


def _residual_at(equation: Equation, orders: Mapping[str, int], x: Any, value: float, names: Sequence[str]) -> Any:
    state: dict[Any, Any] = {
        (field, k): unknown((field, k), value) for field, order in orders.items() for k in range(order + 1)
    }
    state |= {(name,): unknown((name,), 1.0) for name in names}
    return equation.residual(x, state)


def _same(first: Dual, second: Any) -> bool:
    if not isinstance(second, Dual) or first.partials.keys() != second.partials.keys():
        return False
    pairs = ((first.partials[key], second.partials[key]) for key in first.partials)
    return all(np.array_equal(np.asarray(p), np.asarray(q), equal_nan=True) for p, q in pairs)
