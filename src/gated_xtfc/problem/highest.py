"""The highest derivatives on a line as the equations ask for them at one place, given all lower ones.

A field without any derivative is its own highest one. Where the equations do not determine those, differentiating some
of them would: then not all of what is lower can be chosen.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.language.dual import Dual, Operand, unknown, value_of
from gated_xtfc.problem.algebraic import STARTS, index_sentence
from gated_xtfc.problem.condition import Condition
from gated_xtfc.problem.condition_reader import ConditionReader
from gated_xtfc.problem.domain import Axis
from gated_xtfc.problem.equation import Equation
from gated_xtfc.problem.nonlinear_condition import NonlinearCondition
from gated_xtfc.types import Array, Mask

ITERATIONS, HALVINGS = 40, 10
FOUND = 1e-12  # of the largest value: a step of Newton's method that ends it
SINGULAR = 1e-12
ALONE = 1e-9  # of what the equations leave open: a field that has no part in it
MET = 1e-6  # of the values: by less a value at the start is the one that the equations ask for


@dataclass(frozen=True)
class Highest:
    """The equations as they are solved for the highest derivative of every field."""

    equations: Sequence[Equation]
    orders: Mapping[str, int]

    @property
    def lower(self) -> list[tuple[str, tuple[int]]]:
        """The derivatives that are given, field by field."""
        return [(name, (j,)) for name, order in self.orders.items() for j in range(order)]

    @property
    def top(self) -> list[tuple[str, tuple[int]]]:
        return [(name, (order,)) for name, order in self.orders.items()]

    def residuals(self, x: Array, given: Array, top: Array) -> tuple[Array, Array]:
        """Left minus right (m, n), and its derivatives by the highest ones (m, m, n), at places (n,)."""
        state: dict[Any, Operand] = dict(zip(self.lower, given, strict=True))
        state |= {key: unknown(key, own) for key, own in zip(self.top, top, strict=True)}
        count = len(self.equations)
        left, by = np.zeros((count, x.size)), np.zeros((count, count, x.size))
        with np.errstate(all="ignore"):
            for i, equation in enumerate(self.equations):
                found = equation.residual((x,), state)
                left[i] = value_of(found)
                partials: Mapping[Any, Any] = found.partials if isinstance(found, Dual) else {}
                for j, key in enumerate(self.top):
                    by[i, j] = partials.get(key, 0.0)
        return left, by

    def solved(self, x: Array, given: Array, guess: Array) -> tuple[Array, Mask]:
        """The highest derivatives (m, n) by Newton's method from a guess, and where it found them, (n,)."""
        top, done = guess.copy(), np.zeros(x.size, dtype=bool)
        left, by = self.residuals(x, given, top)
        for _ in range(ITERATIONS):
            step = _quotient(by, left)
            size = np.abs(step).max(axis=0)
            done = size <= FOUND * np.abs(top).max(axis=0) + np.finfo(float).tiny
            if done.all():
                return top - step, done  # fields far below others have all their digits then, too
            if not np.isfinite(size).any():
                break
            part = np.ones(x.size)
            for _ in range(HALVINGS):
                ahead = top - part * step
                left, by = self.residuals(x, given, ahead)
                shorter = np.abs(_quotient(by, left)).max(axis=0) <= size
                if (shorter | done).all():
                    break
                part = np.where(shorter | done, part, 0.5 * part)
            top = ahead
        return top, done

    def from_any(self, x: Array, given: Array) -> Array | None:
        """The same at one place without a guess: several are tried."""
        for start in STARTS:
            top, done = self.solved(x, given, np.full((len(self.equations), 1), start))
            if done.all():
                return top
        return None


def _quotient(by: Array, left: Array) -> Array:
    matrix = np.moveaxis(by, 2, 0)
    good: Any = np.isfinite(matrix).all(axis=(1, 2)) & np.isfinite(left).all(axis=0)
    found = np.full(left.shape, np.nan)
    with np.errstate(all="ignore"):
        good[good] &= np.abs(np.linalg.det(matrix[good])) > 0.0
        found[:, good] = np.linalg.solve(matrix[good], left.T[good][..., None])[..., 0].T
    return found


def check_index(
    equations: Sequence[Equation], orders: Mapping[str, int], found: Sequence[tuple[Dual, Dual]], coordinate: str
) -> None:
    """Refuses fields without any derivative that the equations do not determine at one place alone."""
    plain = [name for name, order in orders.items() if not order]
    if not plain:
        return
    names, count = list(orders), len(equations)
    for which in (0, 1):
        partials: list[Mapping[Any, Any]] = [pair[which].partials for pair in found]
        parts = [[np.asarray(own.get((name, (orders[name],)), 0.0)) for name in names] for own in partials]
        matrix = np.stack([np.stack(row, axis=-1) for row in _alike(parts)], axis=-2).reshape(-1, count, count)
        matrix = matrix[np.isfinite(matrix).all(axis=(1, 2))]
        size = np.abs(matrix).max(axis=2, keepdims=True)
        _, values, turned = np.linalg.svd(matrix / np.where(size > 0.0, size, 1.0))
        free = turned[:, -1][:, [names.index(one) for one in plain]]
        undetermined = (values[:, -1] <= SINGULAR) & (np.abs(free) > ALONE).any(axis=1)
        if not len(matrix) or not undetermined.all():
            return
    without = [one for one in equations if not any(sum(o) for _, o in one.derivatives)] or list(equations)
    raise InputError(index_sentence(plain, without[0].text, coordinate, "derivatives"))


def _alike(parts: list[list[Array]]) -> list[list[Array]]:
    shape = np.broadcast_shapes(*(one.shape for row in parts for one in row))
    return [[np.broadcast_to(one, shape) for one in row] for row in parts]


def given_values(orders: Mapping[str, int], conditions: Sequence[Condition]) -> tuple[float, Array] | None:
    """The place where all conditions stand, and the lower derivatives there; None where they do not tell."""
    points = {term.point for one in conditions for term in one.terms}
    count = sum(orders.values())
    if len(points) != 1 or len(conditions) != count or any(one.integrals or one.constants for one in conditions):
        return None
    numbers = {key: k for k, key in enumerate((name, j) for name, order in orders.items() for j in range(order))}
    matrix = np.zeros((count, count))
    for i, one in enumerate(conditions):
        for term in one.terms:
            if (term.field, term.order) not in numbers:
                return None
            matrix[i, numbers[term.field, term.order]] += term.weight
    if np.linalg.matrix_rank(matrix) != count:
        return None
    found: Array = np.linalg.solve(matrix, np.array([one.value for one in conditions]))
    return points.pop(), found


def without_algebraic(
    texts: Sequence[Any],
    equations: Sequence[Equation],
    orders: Mapping[str, int],
    axis: Axis,
    parameters: Mapping[str, Any],
) -> tuple[Any, ...]:
    """Conditions but for those that give a field without a derivative the value that it has at the start anyway."""
    plain = {name for name, order in orders.items() if not order}
    if not plain or len(texts) <= sum(orders.values()):
        return tuple(texts)
    reader = ConditionReader(axis, {name: max(order, 1) for name, order in orders.items()}, parameters)
    rest, values = list[Any](), dict[str, Condition]()
    for text in texts:
        one: Condition | NonlinearCondition | None = None
        if isinstance(text, str) and any(name in text for name in plain):
            one = reader.read(text)
        names = {term.field for term in one.terms} if isinstance(one, Condition) else set[str]()
        if isinstance(one, Condition) and len(names) == 1 and names <= plain and len(one.terms) == 1:
            values[names.pop()] = one
        else:
            rest.append(text)
    read = [reader.read(text) for text in rest] if values else []
    linear = [one for one in read if isinstance(one, Condition)]
    begun = given_values(orders, linear) if len(linear) == len(read) else None
    if not values or begun is None or any(one.terms[0].point != begun[0] for one in values.values()):
        return tuple(texts)
    at, own = np.array([begun[0]]), Highest(equations, orders)
    names_of = [name for name, _ in own.top]
    guess = np.zeros((len(names_of), 1))
    for name, one in values.items():
        guess[names_of.index(name)] = one.value / one.terms[0].weight
    top, done = own.solved(at, begun[1][:, None], guess)
    for name, one in values.items():
        f = names_of.index(name)
        if not done[0] or abs(top[f, 0] - guess[f, 0]) > MET * max(abs(top[f, 0]), abs(guess[f, 0])):
            value = top[f, 0] if abs(top[f, 0]) > FOUND * np.abs(top).max() else 0.0
            makes = f", which make it {value:.6g} there" if done[0] else ""
            raise InputError(
                f"{quoted(one.text)} contradicts the equations{makes}: leave it out, {name} follows from them"
            )
    tried = [np.full(guess.shape, start) for start in STARTS] + [2.0 * guess, -guess]
    others = [own.solved(at, begun[1][:, None], start) for start in tried]
    size = np.abs(top).max()
    if any(right[0] and np.abs(other - top).max() > MET * size for other, right in others):
        one = next(iter(values.values()))
        name = one.terms[0].field
        raise InputError(
            f"{quoted(one.text)} would choose among several solutions of the equations: leave it out, and give solve a "
            f"guess near it instead, {{{quoted(name)}: {guess[names_of.index(name), 0]:.6g}}}"
        )
    return tuple(rest)
