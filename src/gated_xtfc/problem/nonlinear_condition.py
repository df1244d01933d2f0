"""A condition that is not linear in the fields and the unknown constants: linearised about an iterate, it is one.

C(v) + sum_k dC/du_k (u_k - v_k) = 0,    u_k the values and integrals that it sees, and the constants
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gated_xtfc.language.dual import Dual, Operand, unknown
from gated_xtfc.language.program import Program
from gated_xtfc.problem.condition import Condition, Integral, LinearisedIntegral, Term
from gated_xtfc.problem.law import ConditionLaw
from gated_xtfc.types import Array

Place = tuple[str, int, float]  # field, order of the derivative, point


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
