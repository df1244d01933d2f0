"""A condition on an interval, a linear functional and its value:

    sum_k w_k u^(m_k)(x_k) + sum_j v_j integral_j + sum_i d_i constant_i = value.

The functional is read off by dual numbers: each u^(m)(x_k) and each integral is an unknown of its own. What is not
linear is in nonlinear_condition.py.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.language.dual import Dual, Operand, unknown
from gated_xtfc.language.free_text import FreeText
from gated_xtfc.language.program import Program, Watch
from gated_xtfc.language.tokens import tokenize
from gated_xtfc.problem.domain import Axis
from gated_xtfc.problem.law import ConditionLaw
from gated_xtfc.types import Array, Number

JUMP = "jump"
MOST_WORK = 1_000_000  # instructions times unknowns of one condition: what reading it costs
SNAP = 1e-15  # a point this close to an end, relative to the ends, is the end: 0.1 + 0.2 is meant to be 0.3


@dataclass(frozen=True)
class Term:
    """weight * field^(order)(point)"""

    field: str
    order: int
    point: float
    weight: float


@dataclass(frozen=True)
class Integral:
    """weight * the integral of the integrand, linear in the fields, over the domain."""

    integrand: Program
    coordinate: str
    parameters: Mapping[str, float]
    weight: float

    @property
    def fields(self) -> dict[str, int]:
        return self.integrand.fields

    @property
    def free_text(self) -> FreeText:
        """The integrand with its parameters, to be bounded over cells of the coordinate."""
        return FreeText(self.integrand, self.parameters, (self.coordinate,))

    def coefficients(self, x: Number) -> dict[tuple[str, int], Number]:
        """{(field, order): c(x)} of the integrand sum c u^(order), the weight not included."""
        integrand = self.linearised(x)
        partials: dict[Any, Number] = {**integrand.partials} if isinstance(integrand, Dual) else {}
        return {(name, along[0]): factor for (name, along), factor in partials.items()}

    def linearised(self, x: Operand, watch: Watch | None = None) -> Operand:
        """The integrand at x as a dual number in its fields, about zero."""
        state = {key: unknown(key) for key in self.integrand.derivatives}
        return self.integrand.run({**self.parameters, self.coordinate: x}, state, watch)


@dataclass(frozen=True)
class LinearisedIntegral:
    """weight * the integral of sum c u^(order), the factors c known at the points of a quadrature alone."""

    factors: Mapping[tuple[str, int], Array]
    weight: float

    def coefficients(self, x: Array) -> Mapping[tuple[str, int], Array]:
        """{(field, order): c(x)}; x are the points of that quadrature."""
        return self.factors


@dataclass(frozen=True)
class Condition:
    """A linear functional of the fields and the unknown constants, and its value, with the text that stated it."""

    text: str
    terms: tuple[Term, ...]
    integrals: tuple[Integral, ...]
    value: float
    constants: tuple[tuple[str, float], ...] = ()  # factors of the unknown constants in it, by name
    law: ConditionLaw | None = field(default=None, compare=False, repr=False)  # what it was read from
    linearised: tuple[LinearisedIntegral, ...] = field(default=(), compare=False)  # those of a nonlinear condition

    @property
    def local(self) -> bool:
        """Whether it lives at one point."""
        return not self.all_integrals and len({term.point for term in self.terms}) == 1

    @property
    def all_integrals(self) -> "tuple[Integral | LinearisedIntegral, ...]":
        """Those that were stated, and those of a condition that was linearised."""
        return (*self.integrals, *self.linearised)

    @property
    def finite(self) -> bool:
        """Whether its value and its factors are finite."""
        numbers = [self.value, *(term.weight for term in self.terms), *(weight for _, weight in self.constants)]
        numbers += [integral.weight for integral in self.linearised]
        arrays = [factor for integral in self.linearised for factor in integral.factors.values()]
        return all(map(math.isfinite, numbers)) and all(bool(np.isfinite(a).all()) for a in arrays)

    @classmethod
    def of(
        cls, law: ConditionLaw, linear: Operand, axis: Axis, orders: Mapping[str, int], parameters: Mapping[str, float]
    ) -> "Condition":
        """From what its law gives about zero; `orders` has the order of the equation in each field."""
        shown = f"the condition {quoted(law.text)}"
        if not isinstance(linear, Dual):
            raise InputError(f"{shown} has no field in it: write it like u(0) = 1")
        if not all(math.isfinite(number) for number in (linear.value, *linear.partials.values())):
            raise InputError(f"{shown} has a value or a factor that is not a finite number")
        weights: dict[tuple[str, int, float], float] = {}
        integrals, constants = [], []
        unknowns: dict[Any, float] = {key: float(weight) for key, weight in linear.partials.items()}
        for key, weight in unknowns.items():
            if len(key) == 1:
                constants.append((key[0], weight))
                continue
            if key[0] == "integral":
                integrals.append(Integral(key[1], axis.name, dict(parameters), weight))
                continue
            name, (order,), point = key
            check_order(name, order, orders, shown)
            place = name, order, placed(point, axis, shown)
            weights[place] = weights.get(place, 0.0) + weight
        terms = tuple(Term(*place, weight) for place, weight in weights.items() if weight != 0.0)
        integrals = [integral for integral in integrals if integral.weight != 0.0]
        constants = [(name, weight) for name, weight in constants if weight != 0.0]
        if not terms and not integrals and not constants:
            raise InputError(f"{shown} has no field left in it: every factor is zero")
        for integral in integrals:
            _check_integral(integral, axis, orders, shown)
        return cls(law.text, terms, tuple(integrals), 0.0 - float(linear.value), tuple(constants), law)


class Asked(dict[Any, Dual]):
    """Every field at a point and every integral that a law asks for, at the value zero or at `value`."""

    def __init__(self, instructions: int, value: float = 0.0) -> None:
        self.instructions, self.value = instructions, value

    def __missing__(self, key: Any) -> Dual:
        if len(self) * self.instructions > MOST_WORK:
            raise InputError(f"a condition of that length has too many different points: more than {len(self)}")
        self[key] = unknown(key, self.value)
        return self[key]


def placed(point: float, axis: Axis, shown: str) -> float:
    """The point, or the end that it means; refuses points outside of the domain."""
    ends = (axis.left, axis.right)
    size = max((abs(end) for end in ends if math.isfinite(end)), default=0.0)
    for end in ends:
        if point == end or abs(point - end) <= SNAP * size:
            return end
    if not axis.left < point < axis.right:
        raise InputError(f"{shown}: the point {point:g} is outside the domain [{axis.left:g}, {axis.right:g}]")
    return point


def check_order(name: str, order: int, orders: Mapping[str, int], shown: str) -> None:
    """Refuses derivatives that a condition cannot have."""
    if order >= orders[name]:
        raise InputError(
            f"{shown} has derivative {order} of {name}, but the equation is of order {orders[name]} in it: "
            f"conditions can have derivatives up to {orders[name] - 1}"
        )


def _check_integral(integral: Integral, axis: Axis, orders: Mapping[str, int], shown: str) -> None:
    for name, order in integral.fields.items():
        check_order(name, order, orders, shown)
    integrand = integral.linearised(axis.at(np.linspace(0.0, 1.0, 33)))
    if not isinstance(integrand, Dual):
        raise InputError(f"{shown}: the integrand must have a field in it, as in integral(u) = 1")
    constant = np.asarray(integrand.value)
    if np.any(np.isfinite(constant) & (constant != 0.0)):
        raise InputError(f"{shown}: every part of the integrand must have a field in it, put the rest into the value")


def check_kinds(statements: Sequence[object]) -> None:
    """Refuses conditions of a kind that there is not, before anything else in them is looked at."""
    for text in statements:
        if not isinstance(text, str):
            continue
        tokens = tokenize(text, "the condition")
        for name, after in zip(tokens, (*tokens[1:], None), strict=True):
            if name.text == JUMP and after is not None and after.kind == "(":
                raise InputError(
                    f"the condition {quoted(text)} prescribes a jump: that is supported in one coordinate, in a "
                    "condition of its own such as jump(u', 0.5) = 1"
                )


def check_independent(conditions: Sequence[Condition]) -> None:
    """Refuses conditions that depend on each other.

    Values and derivatives at points, and integrals, are taken for independent of one another: then a condition that is
    a combination of earlier ones is found by elimination. So are unknown constants: whether the fields alone leave
    room is for the trial to say.
    """
    columns: dict[object, int] = {}
    if all(len(_keys(condition)) == 1 for condition in conditions):
        first = [_keys(condition)[0] for condition in conditions]
        if len(set(first)) == len(first):
            return
    for condition in conditions:
        for key in _keys(condition):
            columns.setdefault(key, len(columns))
    rows = np.zeros((len(conditions), len(columns)))
    for row, condition in zip(rows, conditions, strict=True):
        weights = [term.weight for term in condition.terms] + [part.weight for part in condition.integrals]
        weights += [weight for _, weight in condition.constants]
        row[[columns[key] for key in _keys(condition)]] = weights
    scales = np.max(np.abs(rows), axis=1)
    rows /= scales[:, None]
    values = np.array([condition.value for condition in conditions]) / scales
    for index in range(1, len(conditions)):
        combination, *_ = np.linalg.lstsq(rows[:index].T, rows[index])
        if np.max(np.abs(combination @ rows[:index] - rows[index])) > 1e-12:
            continue
        gap = abs(combination @ values[:index] - values[index])
        size = np.abs(combination) @ np.abs(values[:index]) + abs(values[index])
        others = _listed([c.text for c, w in zip(conditions, combination, strict=False) if abs(w) > 1e-12])
        says = "contradicts" if gap > 1e-12 * size else "says nothing beyond"
        raise InputError(f"the condition {quoted(conditions[index].text)} {says} {others}: replace it by another one")


def _keys(condition: Condition) -> list[object]:
    places: list[object] = [(t.field, t.order, t.point) for t in condition.terms]
    return places + [i.integrand for i in condition.integrals] + [name for name, _ in condition.constants]


def _listed(texts: Collection[str]) -> str:
    return " and ".join(quoted(text) for text in texts)
