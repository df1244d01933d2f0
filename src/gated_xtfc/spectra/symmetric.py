"""Convection taken out of an eigenproblem: u = exp(phi) w with phi' = -a_1/(2 a_2) leaves a_2 w'' + c w = -lam b w.

The eigenvalues of a_2 u'' + a_1 u' + a_0 u are then those of an operator next to a symmetric one, whose eigenvalues are
well conditioned; in u itself their condition grows like the exponential of the range of phi, and no double precision
method can know them.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gated_xtfc.gauss_legendre import on_intervals
from gated_xtfc.language.dual import Dual, value_of
from gated_xtfc.problem.condition import Condition, Term
from gated_xtfc.spectra.pencil import Pencil, Powers
from gated_xtfc.types import Array

WORTHWHILE = 3.0  # range of phi from which on it matters
PANELS = 400  # on which phi is integrated, between each two of which Gauss's rule has sixteen points


@dataclass(frozen=True)
class SymmetricPencil(Pencil):
    """The pencil for w, with the conditions as they are for w; `base` is the one for u."""

    base: Pencil | None = None

    def powers(self, x: Array) -> Powers:
        assert self.base is not None
        first, mass = self.base.powers(x)
        a0, a1, a2 = first[0][0]
        q, slope = exponent(self.base, x)
        return [[[[a0 + a1 * q + a2 * (q * q + slope), np.zeros_like(x), a2]]], mass]

    def operator(self, value: complex) -> Any:
        assert self.base is not None
        return self.base.operator(value)

    def phi(self, x: Array) -> Array:
        """The exponent at places in increasing order, zero at the left end."""
        assert self.base is not None
        (axis,) = self.problem.axes
        edges = np.concatenate([[axis.left], x])
        nodes, weights = on_intervals(edges[:-1], edges[1:], 16)
        slopes = exponent(self.base, nodes.ravel())[0].reshape(nodes.shape)
        return np.cumsum((weights * slopes).sum(axis=1))


def exponent(pencil: Pencil, x: Array) -> tuple[Array, Array]:
    """phi' and phi'' at places."""
    (field,) = pencil.problem.fields
    (axis,) = pencil.problem.axes
    found = []
    for order in (1, 2):
        state: dict[Any, Any] = {(field, (j,)): 1.0 if j == order else 0.0 for j in range(3)}
        state[(pencil.name,)] = 0.0
        with np.errstate(all="ignore"):
            a = pencil.problem.equations[0].residual((Dual(x, {axis.name: 1.0}),), state)
        slope = a.partials.get(axis.name, 0.0) if isinstance(a, Dual) else 0.0
        found.append((value_of(a) + np.zeros_like(x), slope + np.zeros_like(x)))
    (a1, slope1), (a2, slope2) = found
    return -0.5 * a1 / a2, -0.5 * (slope1 * a2 - a1 * slope2) / a2**2


def symmetrised(pencil: Pencil) -> SymmetricPencil | None:
    """The pencil without convection; None where there is none to speak of, or it cannot be taken out.

    It can be in one equation of second order, with lam beside the field alone and conditions at one place each.
    """
    problem = pencil.problem
    conditions = problem.conditions
    if pencil.is_complex or len(pencil.moving):
        return None
    if tuple(problem.order.values()) != (2,) or pencil.degree != 1 or not all(one.local for one in conditions):
        return None
    (axis,) = problem.axes
    x = np.linspace(axis.left, axis.right, PANELS + 1)
    first, mass = pencil.powers(x)
    if any(np.any(a != 0.0) for a in mass[0][0][1:]) or not np.all(np.abs(first[0][0][2]) > 0.0):
        return None
    q, slope = exponent(pencil, x)
    if not (np.isfinite(q).all() and np.isfinite(slope).all()):
        return None
    phi = np.cumsum(0.5 * (q[1:] + q[:-1]) * np.diff(x))
    if np.ptp(np.append(0.0, phi)) < WORTHWHILE:
        return None
    moved = tuple(_moved(pencil, condition) for condition in conditions)
    own, equations = problem.with_read_conditions(moved), pencil.equations
    return SymmetricPencil(own, pencil.stated, 1, pencil.normalisation, equations=equations, base=pencil)


def _moved(pencil: Pencil, condition: Condition) -> Condition:
    """The condition for w: u' is exp(phi) (w' + phi' w), and exp(phi) is one number at one place."""
    weights: dict[int, float] = {}
    point, field = condition.terms[0].point, condition.terms[0].field
    q = float(exponent(pencil, np.array([point]))[0][0])
    for term in condition.terms:
        weights[term.order] = weights.get(term.order, 0.0) + term.weight
        if term.order == 1:
            weights[0] = weights.get(0, 0.0) + term.weight * q
    terms = tuple(Term(field, order, point, weight) for order, weight in weights.items() if weight != 0.0)
    return replace(condition, terms=terms)
