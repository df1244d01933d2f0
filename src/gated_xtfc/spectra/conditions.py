"""Conditions of an eigenproblem that the kernels cannot have built in: those with the eigenvalue or complex factors.

    C(lam) u = sum_k lam^k C_k u = 0,      C_k u = sum_j c_kj u^(m_j)(x_j) + integrals, c_kj complex

A layout has real conditions built in, some C of these at a real lam; the rest is a matter of one small system.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gated_xtfc.discretise.trial import Functionals, Trial
from gated_xtfc.errors import InputError, quoted
from gated_xtfc.linalg.arnoldi import Numbers
from gated_xtfc.problem.condition import Condition, LinearisedIntegral, Term
from gated_xtfc.problem.nonlinear_condition import NonlinearCondition, sight_of
from gated_xtfc.solver.interval.layout import IntervalLayout
from gated_xtfc.types import Array

TURN = 0.6  # angle: a real condition is made of a complex one as the real part of exp(-i angle) C
SAME = 1e-11


@dataclass(frozen=True)
class MovingConditions:
    """Conditions, of a complex problem their real parts, that depend on the eigenvalue or are complex."""

    stated: tuple[Condition | NonlinearCondition, ...] = ()
    fields: tuple[str, ...] = ()  # of the problem
    twins: Mapping[str, str] | None = None  # of a complex problem: the field that is the imaginary part of each
    names: tuple[str, ...] = ()  # of the eigenvalue, of its two parts where it is complex
    degree: int = 0

    def __len__(self) -> int:
        return len(self.stated)

    @property
    def kept(self) -> tuple[str, ...]:
        """The fields of layouts."""
        return self.fields if self.twins is None else tuple(self.twins)

    def at(self, value: float, quadrature: tuple[Array, Array]) -> list[Condition]:
        """The conditions at a real eigenvalue, linear in all fields of the problem."""
        constants = dict.fromkeys(self.names, 0.0) | {self.names[0]: value}
        found = []
        for one in self.stated:
            if isinstance(one, NonlinearCondition):
                sight = sight_of((one,), _constant(0.0), quadrature, constants)
                found.append(one.about(sight))
            else:
                found.append(one)
        return found

    def rows(self, functionals: Functionals, value: float) -> Numbers:
        """(conditions, columns) at a real eigenvalue, on the kernels of a layout."""
        orders = (0,) * len(self.fields)
        whole = Functionals(functionals.basis, self.fields, orders, tuple(self.at(value, functionals.quadrature)))
        rows = whole.rows()
        if self.twins is None:
            return rows
        by_field = rows.reshape(rows.shape[0], -1, len(self.fields))
        first = [self.fields.index(name) for name in self.twins]
        second = [self.fields.index(name) for name in self.twins.values()]
        # C(u) = c u has the real part Re c for u = 1, and -Im c for u = i
        return np.asarray(by_field[:, :, first] - 1j * by_field[:, :, second]).reshape(rows.shape[0], -1)

    def powers(self, functionals: Functionals) -> list[Numbers]:
        """C_0, C_1, ..., each (conditions, columns)."""
        nodes = nodes_of(self.degree)
        values = np.stack([self.rows(functionals, node) for node in nodes.tolist()])
        inverse = np.linalg.inv(nodes[:, None] ** np.arange(nodes.size))
        return list(np.einsum("kn,nqc->kqc", inverse, values))

    def on(self, layout: IntervalLayout, value: float) -> IntervalLayout:
        """A layout with real conditions of these built in as well, behind those that it has."""
        functionals = layout.functionals
        added = [self._reference(one, functionals.quadrature[0]) for one in self.at(value, functionals.quadrature)]
        functionals = replace(functionals, conditions=(*functionals.conditions, *added))
        return replace(layout, functionals=functionals, trial=Trial.on(functionals))

    def _reference(self, condition: Condition, nodes: Array) -> Condition:
        """The real part of exp(-i angle) times a condition, on the fields of layouts; itself where it is real."""
        back = {} if self.twins is None else {second: first for first, second in self.twins.items()}
        turned = any(term.field in back for term in condition.terms) or any(
            name in back for integral in condition.all_integrals for name, _ in integral.coefficients(nodes)
        )
        weights: dict[tuple[str, int, float], float] = {}
        factors: dict[tuple[str, int], Array] = {}

        def part(field: str) -> float:
            return float(np.sin(TURN)) if field in back else float(np.cos(TURN)) if turned else 1.0

        for term in condition.terms:
            place = back.get(term.field, term.field), term.order, term.point
            weights[place] = weights.get(place, 0.0) + part(term.field) * term.weight
        for integral in condition.all_integrals:
            for (field, order), factor in integral.coefficients(nodes).items():
                key, more = (back.get(field, field), order), part(field) * integral.weight * factor
                factors[key] = factors.get(key, np.zeros_like(nodes)) + more
        return Condition(
            text=condition.text,
            terms=tuple(Term(*place, weight) for place, weight in weights.items() if weight != 0.0),
            integrals=(),
            value=0.0,
            linearised=(LinearisedIntegral(factors, 1.0),) if factors else (),
        )


def nodes_of(degree: int) -> Array:
    """Real values of the eigenvalue through which a polynomial of that degree is told."""
    return np.linspace(-1.0, 1.0, degree + 1) if degree else np.zeros(1)


def degree_of(conditions: MovingConditions, highest: int, quadrature: tuple[Array, Array]) -> int:
    """The power of the eigenvalue in conditions; refuses what is no polynomial up to the highest, and no linear one."""
    probes = np.linspace(-1.3, 1.7, highest + 3)
    tables = [[_numbers(one) for one in conditions.at(value, quadrature)] for value in probes.tolist()]
    found = 0
    for number, stated in enumerate(conditions.stated):
        none = {key: 0.0 * value for table in tables for key, value in table[number].items()}
        flat = np.array([np.concatenate([table[number].get(key, none[key]) for key in none]) for table in tables])
        size = float(np.abs(flat).max()) if np.isfinite(flat).all() else np.inf
        for degree in range(highest + 1):
            fitted = np.polynomial.polynomial.polyfit(probes, flat, degree)
            if np.abs(flat - np.polynomial.polynomial.polyval(probes, fitted).T).max() <= SAME * size < np.inf:
                found = max(found, degree)
                break
        else:
            raise InputError(
                f"the eigenvalue must occur as a polynomial of degree {highest} at the most in the condition "
                f"{quoted(stated.text)}"
            )
    return found


def _numbers(condition: Condition) -> dict[object, Array]:
    """All factors in a condition, by what they multiply."""
    found: dict[object, Array] = {}
    for term in condition.terms:
        key = term.field, term.order, term.point
        found[key] = found.get(key, np.zeros(1)) + term.weight
    for number, integral in enumerate(condition.linearised):
        for name, factor in integral.factors.items():
            found["integral", number, name] = integral.weight * factor
    return found


def _constant(height: float) -> Callable[[str, Array, int], Array]:
    return lambda name, x, order: np.full_like(x, height)


def require_linear(conditions: Sequence[NonlinearCondition], names: Sequence[str]) -> None:
    """Refuses conditions that are not linear in the fields for a given eigenvalue, or not homogeneous."""
    nodes = np.linspace(0.0, 1.0, 5)
    quadrature = nodes, np.full(5, 0.2)
    constants = dict.fromkeys(names, 0.7)
    for one in conditions:
        at = [one.about(sight_of((one,), _constant(height), quadrature, constants)) for height in (0.0, 1.7)]
        first, second = (_numbers(condition) for condition in at)
        gaps = [np.abs(first.get(key, 0.0) - value).max() - SAME * np.abs(value).max() for key, value in second.items()]
        if max(gaps, default=0.0) > 0.0:
            raise InputError(
                f"the condition {quoted(one.text)} is not linear in the fields: those of an eigenproblem are linear "
                "and homogeneous, as u(0) = 0 and u'(1) = lam*u(1) are"
            )
        if at[0].value != 0.0:
            raise InputError(
                f"the condition {quoted(one.text)} has a term without a field: the conditions of an eigenproblem are "
                "homogeneous, as u(0) = 0 and u'(1) = lam*u(1) are"
            )
