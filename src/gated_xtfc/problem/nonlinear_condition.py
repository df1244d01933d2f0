"""A condition that is not linear in the fields and the unknown constants: linearised about an iterate, it is one.

C(v) + sum_k dC/du_k (u_k - v_k) = 0,    u_k the values and integrals that it sees, and the constants
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gated_xtfc.errors import quoted
from gated_xtfc.language.dual import Dual, Operand, unknown
from gated_xtfc.language.program import Program
from gated_xtfc.problem.condition import Asked, Condition, Integral, LinearisedIntegral, Term, check_order, placed
from gated_xtfc.problem.domain import Axis
from gated_xtfc.problem.law import ConditionLaw, law_of
from gated_xtfc.types import Array

Place = tuple[str, int, float]  # field, order of the derivative, point
PROBED = 1.7  # about which a function is linearised a second time, to see whether it is linear


@dataclass(frozen=True)
class Sight:
    """What conditions see of an iterate: values at places, values along the points of a quadrature, constants."""

    at: Mapping[Place, float]
    nodes: Array  # points of the quadrature, with their weights
    weights: Array
    along: Mapping[tuple[str, int], Array]  # (field, order): values at the nodes
    constants: Mapping[str, float]

    def toward(self, other: "Sight", part: float) -> "Sight":
        """What is seen of the function part of the way to another one."""
        at = {key: value + part * (other.at[key] - value) for key, value in self.at.items()}
        along = {key: values + part * (other.along[key] - values) for key, values in self.along.items()}
        constants = {name: value + part * (other.constants[name] - value) for name, value in self.constants.items()}
        return replace(self, at=at, along=along, constants=constants)


@dataclass(frozen=True)
class NonlinearCondition:
    """Left minus right of a condition, and what it depends on."""

    law: ConditionLaw
    places: tuple[Place, ...]
    integrands: tuple[Program, ...]
    coordinate: str
    parameters: Mapping[str, float]
    constants: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        return self.law.text

    @property
    def integrated(self) -> tuple[tuple[str, int], ...]:
        """Fields and orders under its integrals."""
        keys = {(name, along[0]) for integrand in self.integrands for name, along in integrand.derivatives}
        return tuple(sorted(keys))

    @property
    def integrals(self) -> tuple[Integral, ...]:
        """Its integrals, to be read for needles and jumps; unknown constants stand at one."""
        known = {**dict.fromkeys(self.constants, 1.0), **self.parameters}
        return tuple(Integral(one, self.coordinate, known, 1.0) for one in self.integrands)

    def about(self, sight: Sight) -> Condition:
        """The linear condition that it is near an iterate."""
        state = _LinearisedState(self, sight)
        constants = {name: unknown((name,), value) for name, value in sight.constants.items()}
        with np.errstate(all="ignore"):
            found = self.law.residual(state, constants)
        dual = found if isinstance(found, Dual) else Dual(found, {})
        partials: dict[Any, float] = {key: float(p) for key, p in dual.partials.items()}
        target = -float(dual.value)
        factors = {key[0]: weight for key, weight in partials.items() if len(key) == 1}
        terms, integrals = [], []
        for key, weight in partials.items():
            if key[0] == "integral":
                inside = state.inside[key[1]]
                integrals.append(LinearisedIntegral(inside.factors, weight))
                target += weight * inside.moment
                for name, slope in inside.constants.items():
                    factors[name] = factors.get(name, 0.0) + weight * slope
            elif len(key) == 3:
                name, (order,), point = key
                terms.append(Term(name, order, point, weight))
                target += weight * sight.at[name, order, point]
        target += sum(weight * sight.constants[name] for name, weight in factors.items())
        by_name = tuple(factors.items())
        return Condition(self.text, tuple(terms), (), target, by_name, self.law, tuple(integrals))

    def residual(self, sight: Sight) -> float:
        """Left minus right."""
        with np.errstate(all="ignore"):
            found = self.law.residual(_LinearisedState(self, sight), sight.constants)
        return float(found.value if isinstance(found, Dual) else found)


@dataclass(frozen=True)
class _Integrated:
    """One integral, linearised."""

    value: float
    factors: Mapping[tuple[str, int], Array]  # (field, order): at the nodes
    constants: Mapping[str, float]
    moment: float  # the linear part in the fields of the iterate itself


class _LinearisedState(dict[Any, Dual]):
    """What a law asks for, each value an independent variable."""

    def __init__(self, condition: NonlinearCondition, sight: Sight) -> None:
        self.condition, self.sight = condition, sight
        self.inside: dict[Program, _Integrated] = {}

    def __missing__(self, key: Any) -> Dual:
        if key[0] == "integral":
            self.inside[key[1]] = self._integrated(key[1])
            value = self.inside[key[1]].value
        else:
            name, (order,), point = key
            place = nearest_place(self.condition.places, name, order, point)
            key, value = (name, (order,), place), self.sight.at[name, order, place]
        self[key] = unknown(key, value)
        return self[key]

    def _integrated(self, integrand: Program) -> _Integrated:
        sight, condition = self.sight, self.condition
        state = {key: unknown(key, sight.along[key[0], key[1][0]]) for key in integrand.derivatives}
        env: dict[str, Operand] = {**condition.parameters, condition.coordinate: sight.nodes}
        env |= {name: unknown((name,), value) for name, value in sight.constants.items()}
        found = integrand.run(env, state)
        dual = found if isinstance(found, Dual) else Dual(found, {})
        zero = np.zeros_like(sight.nodes)
        partials: dict[Any, Any] = {**dual.partials}
        factors = {(key[0], key[1][0]): zero + p for key, p in partials.items() if len(key) == 2}
        constants = {key[0]: float(sight.weights @ (zero + p)) for key, p in partials.items() if len(key) == 1}
        moment = sum(float(sight.weights @ (factor * sight.along[key])) for key, factor in factors.items())
        return _Integrated(float(sight.weights @ (zero + dual.value)), factors, constants, moment)


def nearest_place(places: Sequence[Place], field: str, order: int, point: float) -> float:
    """The place that a point stands for: an end where rounding keeps it beside one."""
    own = [at for name, j, at in places if name == field and j == order]
    return min(own, key=lambda at: abs(at - point))


def read_condition(
    statement: object,
    axis: Axis,
    orders: Mapping[str, int],
    parameters: Mapping[str, float],
    unknown_names: Sequence[str] = (),
    starts: Mapping[str, float] | None = None,
    stretch: Callable[[ConditionLaw], ConditionLaw] | None = None,
) -> Condition | NonlinearCondition:
    """The condition that a text or a function states; `orders` has the order of the equation in each field.

    `starts` has values of unknown constants at which it is regular, `stretch` takes it to the coordinate of `axis`.
    """
    law, begin = law_of(statement, axis.name, orders.keys(), parameters, unknown_names), starts or {}
    law = law if stretch is None else stretch(law)
    asked = Asked(law.size)
    linear = law.residual(asked, {name: unknown((name,), begin.get(name, 0.0)) for name in unknown_names})
    integrands = tuple(key[1] for key in asked if key[0] == "integral")
    curved = isinstance(linear, Dual) and linear.nonlinear
    if not callable(statement):
        curved = curved or any(_curved(one, axis, parameters, unknown_names) for one in integrands)
    elif not curved:
        # a function may branch on its fields where no dual number can see it: compare two linearisations
        constants = {name: unknown((name,), begin.get(name, 0.0) + PROBED) for name in unknown_names}
        other = law.residual(Asked(law.size, PROBED), constants)
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
        law, tuple(dict.fromkeys(places)), integrands, axis.name, dict(parameters), tuple(unknown_names)
    )


def _curved(integrand: Program, axis: Axis, parameters: Mapping[str, float], names: Sequence[str]) -> bool:
    """Whether an integral is not linear in the fields, or holds an unknown constant."""
    if integrand.names.intersection(names):
        return True
    state = {key: unknown(key) for key in integrand.derivatives}
    found = integrand.run({**parameters, axis.name: axis.at(np.linspace(0.0, 1.0, 33))}, state)
    return isinstance(found, Dual) and found.nonlinear


def _same(first: Operand, second: Operand) -> bool:
    if not (isinstance(first, Dual) and isinstance(second, Dual)):
        return not isinstance(first, Dual) and not isinstance(second, Dual)
    return first.partials == second.partials


def read_conditions(
    statements: Sequence[object],
    axis: Axis,
    orders: Mapping[str, int],
    parameters: Mapping[str, float],
    unknown_names: Sequence[str] = (),
    starts: Mapping[str, float] | None = None,
    stretch: Callable[[ConditionLaw], ConditionLaw] | None = None,
) -> tuple[tuple[Condition, ...], tuple[NonlinearCondition, ...]]:
    """The conditions that these state: linear ones, and the others."""
    found = [read_condition(one, axis, orders, parameters, unknown_names, starts, stretch) for one in statements]
    linear = tuple(one for one in found if isinstance(one, Condition))
    return linear, tuple(one for one in found if isinstance(one, NonlinearCondition))


def sight_of(
    conditions: Sequence[NonlinearCondition],
    evaluate: Callable[[str, Array, int], Array],
    quadrature: tuple[Array, Array],
    constants: Mapping[str, float],
) -> Sight:
    """What these conditions see of a function: field, points and order of a derivative -> values."""
    places = dict.fromkeys(place for condition in conditions for place in condition.places)
    at = {(name, order, x): float(evaluate(name, np.array([x]), order)[0]) for name, order, x in places}
    keys = dict.fromkeys(key for condition in conditions for key in condition.integrated)
    along = {(name, order): evaluate(name, quadrature[0], order) for name, order in keys}
    return Sight(at, *quadrature, along, constants)
