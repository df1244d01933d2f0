"""Initial value problems step by step: Radau IIA with five stages, for the start of a fit over the whole domain.

The unknowns of a step are the highest derivatives h of the fields at its stages; what is below them are their
integrals, z_j = sum z_(j+i) (c H)^i / i! + H^p A^p h. So equations of any order, implicit ones and those without a
derivative are all the same, and what is stiff is no harder than anything else.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from gated_xtfc.gates.coordinate import Coordinate
from gated_xtfc.language.dual import Dual, Key, Operand, unknown, value_of
from gated_xtfc.operator.linearise import Points
from gated_xtfc.problem.domain import Axis
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solver.adapt import Limits
from gated_xtfc.solver.discretisation import Start
from gated_xtfc.solver.marching import Window, WindowMarch
from gated_xtfc.solver.moving.radau import METHOD
from gated_xtfc.types import Array, Orders

MOST = 20_000  # steps
FIRST = 1e-4  # of the fields: what changes in the first step
LONGEST = 0.05  # of the domain
SHORTEST = 1e-11  # of the domain: a step below which there is no going on
ITERATIONS = 10
FROM_AFAR = 60  # at the start, where the highest derivatives are not known
SETTLED = 1e-3  # of the tolerance: what is left of Newton's iteration
EVEN = 2.0  # by which steps may differ that share a window
MATRIX = np.linalg.inv(METHOD.inverse)  # A
POWERS = np.linalg.inv(METHOD.nodes[:, None] ** np.arange(METHOD.stages))  # from the stages to powers of theta


@dataclass(frozen=True, eq=False)
class System:
    """The equations F(t, z, h) = 0, z what is below the highest derivatives h, field by field."""

    problem: Problem

    @cached_property
    def orders(self) -> tuple[int, ...]:
        return tuple(self.problem.order.values())

    @cached_property
    def keys(self) -> list[list[Key]]:
        """Of every field its derivatives, the highest one last."""
        return [[(name, (j,)) for j in range(order + 1)] for name, order in self.problem.order.items()]

    def start(self, at: float) -> Array | None:
        """z where the conditions stand, one number after the other; None where they do not say it by themselves."""
        first = np.cumsum([0, *self.orders])
        rows, values = np.zeros((len(self.problem.conditions), int(first[-1]))), []
        for row, condition in zip(rows, self.problem.conditions, strict=True):
            for term in condition.terms:
                row[first[list(self.problem.order).index(term.field)] + term.order] += term.weight
            values.append(condition.value)
        if self.problem.nonlinear_conditions or rows.shape[0] != rows.shape[1]:
            return None
        try:
            found: Array = np.linalg.solve(rows, np.array(values))
        except np.linalg.LinAlgError:
            return None
        return found

    def lowered(self, t: float, step: float, z: Array, h: Array) -> tuple[Array, list[list[Array]]]:
        """Times of the stages, and of every field its derivatives there, from h (m, s)."""
        theta, at, found = METHOD.nodes, 0, []
        for order, own in zip(self.orders, h, strict=True):
            parts = []
            for j in range(order):
                taylor = sum(z[at + j + i] * (theta * step) ** i / math.factorial(i) for i in range(order - j))
                power = np.linalg.matrix_power(MATRIX, order - j) * step ** (order - j)
                parts.append(taylor + power @ own)
            found.append([*parts, own])
            at += order
        return t + theta * step, found

    def seen(self, t: Any, jets: list[list[Any]]) -> tuple[Array, list[list[Array]]]:
        """F (m, s), and its derivatives by every field's derivatives, each (m, s)."""
        state: dict[Key, Operand] = {
            key: unknown(key, value)
            for keys, own in zip(self.keys, jets, strict=True)
            for key, value in zip(keys, own, strict=True)
        }
        found = [equation.residual((t,), state) for equation in self.problem.equations]
        blank = np.zeros_like(t)
        values = np.array([blank + value_of(one) for one in found])
        partials: list[dict[Any, Any]] = [{**one.partials} if isinstance(one, Dual) else {} for one in found]
        by = [[np.array([blank + one.get(key, 0.0) for one in partials]) for key in keys] for keys in self.keys]
        return values, by

    def solved(
        self, t: float, step: float, z: Array, h: Array, scale: Array, settle: float, most: int = ITERATIONS
    ) -> Array | None:
        """h at the stages of a step, (m, s), from a guess."""
        m, s = h.shape
        last = np.inf
        for _ in range(most):
            values, by = self.seen(*self.lowered(t, step, z, h))
            matrix = np.zeros((m, s, m, s))
            for f, own in enumerate(by):
                for j, partial in enumerate(own):
                    power = np.linalg.matrix_power(MATRIX, self.orders[f] - j) * step ** (self.orders[f] - j)
                    matrix[:, :, f] += partial[:, :, None] * power
            if not (np.isfinite(values).all() and np.isfinite(matrix).all()):
                return None
            try:
                change = np.linalg.solve(matrix.reshape(m * s, m * s), -values.ravel()).reshape(m, s)
            except np.linalg.LinAlgError:
                return None
            h = h + change
            size = float((np.abs(change).max(axis=1) / scale).max())
            if size <= settle:
                return h
            if size > 2.0 * last:
                return None
            last = size
        return None


@dataclass(frozen=True, eq=False)
class Step:
    """Where it begins, z there, and h in powers of theta, (m, s)."""

    start: float
    length: float  # with its sign
    z: Array
    powers: Array

    def at(self, orders: tuple[int, ...], f: int, t: Array, order: int) -> Array:
        """A derivative of one field at some times."""
        first, top = sum(orders[:f]), orders[f]
        theta = (t - self.start) / self.length
        found = np.zeros_like(t)
        for i in range(order, top):
            found = found + self.z[first + i] * (t - self.start) ** (i - order) / math.factorial(i - order)
        for k, one in enumerate(self.powers[f]):  # theta^k, integrated or differentiated
            lower = top - order
            factor = math.factorial(k) / math.factorial(k + lower) if k + lower >= 0 else 0.0
            found = found + one * factor * theta ** max(k + lower, 0) * self.length**lower
        return found


def stepped(problem: Problem, end: float, tol: float, shared: int, limits: Limits) -> WindowMarch | None:
    """Steps from the end at which all conditions stand to the other one; None where they do not lead there.

    As many as `shared` of them are one window: what follows has polynomials of a higher degree, which span more.
    """
    system = System(problem)
    (axis,) = problem.axes
    z = system.start(end)
    if z is None:
        return None
    goal = axis.right if end == axis.left else axis.left
    t, way, steps = end, math.copysign(1.0, goal - end), list[Step]()
    m, s = len(system.orders), METHOD.stages
    now = system.solved(t, 0.0, z, np.zeros((m, s)), np.ones(m), 1e-12, FROM_AFAR)
    if now is None:
        return None
    size = _sizes(system, z)
    rate = float((np.abs(now[:, -1]) / np.where(size > 0.0, size, 1.0)).max())
    step, longest = (
        FIRST * max(min(1.0 / max(rate, 1e-300), axis.length), SHORTEST * axis.length / FIRST),
        LONGEST * axis.length,
    )
    ahead = now
    while t != goal and len(steps) < MOST and not limits.over():
        step = min(step, longest)
        if step >= 0.9 * abs(goal - t):
            step = abs(goal - t)
        if step < SHORTEST * axis.length:
            break
        long = way * step
        powers_now = np.maximum(size, 1e-300)
        scale = _units(system, powers_now, step)
        found = system.solved(t, long, z, ahead, scale, SETTLED * tol)
        if found is None:
            ahead, step = np.repeat(now[:, -1:], s, axis=1), 0.3 * step
            continue
        taken = Step(t, long, z, found @ POWERS.T)
        after = np.array(
            [taken.at(system.orders, f, np.array([t + long]), j)[0] for f in range(m) for j in range(system.orders[f])]
        )
        reached = np.maximum(size, _sizes(system, after))
        error = _error(system, t, long, z, now[:, -1], taken.powers[:, 0]) / _units(
            system, np.maximum(reached, 1e-300), step
        )
        worst = float(error.max(initial=0.0)) / tol
        factor = 0.9 * max(worst, 1e-10) ** (-1.0 / s)
        if not worst <= 1.0:
            ahead, step = (
                np.repeat(now[:, -1:], s, axis=1),
                step * max(0.1, min(0.9, factor if np.isfinite(factor) else 0.1)),
            )
            continue
        steps.append(taken)
        t, z, now, size = goal if step == abs(goal - t) else t + long, after, found, reached
        step, before = step * min(5.0, factor), step
        theta = 1.0 + METHOD.nodes * min(step, longest, abs(goal - t)) / before
        ahead = taken.powers @ (theta ** np.arange(s)[:, None])
    return WindowMarch(_windows(system, steps, way, shared), t, len(steps)) if t == goal else None


def _sizes(system: System, z: Array) -> Array:
    """The largest of a field and of its lower derivatives, (m,); derivatives in units of the domain do not count."""
    first = np.cumsum([0, *system.orders])
    return np.array([abs(z[a]) if b > a else 0.0 for a, b in pairwise(first)])


def _units(system: System, size: Array, step: float) -> Array:
    """What the highest derivative of every field is compared with, (m,)."""
    return np.array([one / step**order for one, order in zip(size, system.orders, strict=True)])


def _error(system: System, t: float, step: float, z: Array, given: Array, found: Array) -> Array:
    """By how much the polynomial's highest derivatives are off at the start, what is stiff filtered out, (m,)."""
    first = np.cumsum([0, *system.orders])
    at = np.array([t])
    jets = [[*z[a:b, None], np.array([h])] for (a, b), h in zip(pairwise(first), given, strict=True)]
    _, by = system.seen(at, jets)
    highest = np.stack([own[-1][:, 0] for own in by], axis=1)
    filtered = highest.copy()
    for f, own in enumerate(by):
        for j, partial in enumerate(own[:-1]):
            filtered[:, f] += partial[:, 0] * (step / METHOD.real) ** (system.orders[f] - j)
    gap = found - given
    try:
        gap = np.asarray(np.linalg.solve(filtered, highest @ gap), dtype=np.float64)
    except np.linalg.LinAlgError:
        return np.full(gap.shape, np.inf)
    return np.asarray(METHOD.inside * np.abs(gap), dtype=np.float64)


def _windows(system: System, steps: list[Step], way: float, shared: int) -> tuple[Window, ...]:
    """From left to right; steps about as long as each other are one window."""
    name = system.problem.axes[0].name
    ordered = steps if way > 0.0 else steps[::-1]
    edges = np.array([min(one.start, one.start + one.length) for one in ordered[1:]])

    def about(f: int, points: Points, orders: Orders) -> Array:
        (x,) = points
        which = np.searchsorted(edges, x, side="right")
        values = np.empty_like(x)
        for k in np.unique(which).tolist():
            inside = which == k
            values[inside] = ordered[k].at(system.orders, f, x[inside], orders[0])
        return values

    start, found, k = Start(about, (), solves=True), [], 0
    ends = np.array(
        [
            min(ordered[0].start, ordered[0].start + ordered[0].length),
            *edges,
            max(ordered[-1].start, ordered[-1].start + ordered[-1].length),
        ]
    )
    while k < len(ordered):
        lengths = np.diff(ends[k : k + shared + 1])
        uneven = np.maximum.accumulate(lengths) > EVEN * np.minimum.accumulate(lengths)
        count = int(np.argmax(uneven)) if uneven.any() else lengths.size
        left, right = float(ends[k]), float(ends[k + count])
        found.append(Window(Axis(name, left, right), start, (Coordinate(left, right, right - left),)))
        k += count
    return tuple(found)
