"""Equations with delays: the values at other places are taken from what is known, solved, and taken again.

With w for the fields that the delayed terms are taken of, one solve gives G(w), and the solution is where G(w) = w. The
steps are Anderson's: the combination of earlier G(w) whose differences from their w cancel best. A problem whose
conditions all stand at the left end, with delays that reach back only, begins with what windows as long as the
shortest delay give one after another.

What a step leaves over, and what its solve is wrong by, the delays pass on: a second run with everything shifted by a
little shows by how much, |(1 - G')^-1|.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gated_xtfc.problem.condition import Condition, Term
from gated_xtfc.problem.deviation import Evaluated
from gated_xtfc.problem.domain import Axis, Domain
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solution.interval import IntervalSolution
from gated_xtfc.solution.status import Status
from gated_xtfc.solver.verdict import within
from gated_xtfc.types import Array

Solved = Callable[[Problem, Any, float], IntervalSolution]  # a problem, a guess, the tolerance

SHARE = 0.1  # of the tolerance that a solve may take
MOST_STEPS = 60
DEPTH = 12  # steps that are combined
POINTS = 401
MOST_WINDOWS = 400
SAFETY = 3.0  # times the amplification that was seen
FINEST = 2e-13  # tolerance of a solve
SHIFT = 1e-4  # of the size of each field
ROUGHLY = 0.05  # part of a shift to which the shifted solution is found


@dataclass(frozen=True)
class Combination:
    """Fields as sums of weights times solutions, and a shift of each."""

    weights: tuple[float, ...]
    solutions: tuple[IntervalSolution, ...]
    shift: "Shift"

    def __call__(self, field: str, x: Array, order: int) -> Array:
        pairs = zip(self.weights, self.solutions, strict=True)
        parts = [weight * one.field_at(field, x, order) for weight, one in pairs if weight]
        total: Array = np.sum([*parts, self.shift(field, x, order)], axis=0)
        return total


@dataclass(frozen=True)
class Shift:
    """A smooth function of the size of each field, or nothing."""

    axis: Axis
    sizes: dict[str, float]

    def __call__(self, field: str, x: Array, order: int) -> Array:
        size = self.sizes.get(field, 0.0)
        if not size:
            return np.zeros_like(x)
        rate = 1.0 + 3.0 / self.axis.length
        turn = order * 0.5 * np.pi
        return size * ((order == 0) + 0.5 * rate**order * np.cos(rate * (x - self.axis.left) + turn))


@dataclass(frozen=True)
class Steps:
    """Where the steps ended."""

    last: IntervalSolution
    known: Evaluated  # what the delayed terms were taken of
    left: float  # the last change
    count: int


def solve_delayed(
    problem: Problem, tol: float, solved: Solved, guess: Any, over: Callable[[], bool]
) -> IntervalSolution:
    """The solution of a problem with delays; `solved` solves one without."""
    (axis,) = problem.axes
    share, nothing = max(SHARE * tol, FINEST), Shift(axis, {})
    march = _marched(problem, solved, share, over)
    known: Evaluated = march or nothing
    while True:
        found = _stepped(problem, solved, known, guess, nothing, share, share, over)
        one = found.last
        if not one.converged:
            return replace(one, problem=problem, tol=tol)
        amplification = SAFETY * _amplification(problem, solved, found, march, over)
        error = amplification * (found.left + one.error)
        finer = max(0.3 * share * tol / error, FINEST) if error > 0.0 else share
        if error <= tol or over() or found.left > 10.0 * share or finer > 0.5 * share:
            return _told(found, problem, tol, error, share)
        share, known, guess = finer, found.known, None if problem.linear else one


def _stepped(
    problem: Problem,
    solved: Solved,
    known: Evaluated,
    start: Any,
    shift: Shift,
    goal: float,
    share: float,
    over: Callable[[], bool],
) -> Steps:
    """Steps until one changes the fields by no more than `goal`; `shift` is added to every solution."""
    x = problem.axes[0].at(np.linspace(0.0, 1.0, POINTS))
    found: list[IntervalSolution] = []
    changes: list[Array] = []
    count = 0
    while True:
        count += 1
        one = solved(problem.with_delays(known), start, share)
        sizes = np.repeat(np.array(one.scales), x.size)
        after = Combination((1.0,), (one,), shift)
        before, behind = (_values(function, problem, x) for function in (known, after))
        changes, found = [*changes, behind - before][-DEPTH:], [*found, one][-DEPTH:]
        left = float(np.abs(changes[-1] / sizes).max())
        if not one.converged or not left > goal or count >= MOST_STEPS or over():
            return Steps(one, known, left, count)
        known = Combination(_weights([change / sizes for change in changes]), tuple(found), shift)
        start = None if problem.linear else one


def _amplification(
    problem: Problem, solved: Solved, found: Steps, march: Evaluated | None, over: Callable[[], bool]
) -> float:
    """By how much errors are passed on: from a run with everything shifted."""
    axis, sizes = problem.axes[0], dict(zip(problem.fields, found.last.scales, strict=True))
    x = axis.at(np.linspace(0.0, 1.0, POINTS))
    shift = Shift(axis, {name: SHIFT * size for name, size in sizes.items()})
    if march is not None:
        moved = _marched(problem, solved, ROUGHLY * SHIFT, over, shift)
        base = march
    else:
        start = Combination((1.0,), (found.last,), shift)
        guess = None if problem.linear else found.last
        shifted = _stepped(problem, solved, start, guess, shift, ROUGHLY * SHIFT, ROUGHLY * SHIFT, over)
        if not shifted.last.converged or shifted.left > SHIFT:
            return np.inf
        moved, base = Combination((1.0,), (shifted.last,), shift), found.last.field_at
    if moved is None:
        return np.inf
    changes = [np.abs(moved(name, x, 0) - base(name, x, 0)).max() / (SHIFT * size) for name, size in sizes.items()]
    return max(1.0, *(float(change) for change in changes))


def _told(found: Steps, problem: Problem, tol: float, error: float, share: float) -> IntervalSolution:
    missed = f"(estimated error {error:.1e}, tolerance {tol:.1e})"
    if error <= tol:
        status, message = Status.CONVERGED, within(error, tol)
    elif found.left > share:
        status, message = Status.ITERATION, f"what the delayed terms are taken of has not settled {missed}"
    else:
        status, message = Status.ROUNDING, f"the delays pass on more than double precision can give {missed}"
    times = f"the delayed terms were taken {found.count} time{'s' * (found.count > 1)}"
    return replace(found.last, problem=problem, tol=tol, status=status, error=error, message=f"{message}; {times}")


def _values(function: Evaluated, problem: Problem, x: Array) -> Array:
    return np.concatenate([function(name, x, 0) for name in problem.fields])


def _weights(changes: Sequence[Array]) -> tuple[float, ...]:
    """Weights of the steps, one in all, whose combined change is the smallest."""
    last = changes[-1]
    if len(changes) == 1:
        return (1.0,)
    differences = np.stack([change - last for change in changes[:-1]], axis=1)
    found, *_ = np.linalg.lstsq(differences, -last, rcond=1e-13)
    if not np.isfinite(found).all():
        return (*(0.0 for _ in changes[:-1]), 1.0)
    return (*found.tolist(), 1.0 - float(found.sum()))


def _marched(
    problem: Problem, solved: Solved, tol: float, over: Callable[[], bool], shift: Shift | None = None
) -> Evaluated | None:
    """The fields followed from the left end, in windows as long as the shortest delay; None where they cannot be.

    With a `shift`, the delayed terms are taken of what is that much beside them.
    """
    (axis,), deviations = problem.axes, problem.deviations
    assert deviations is not None
    lag = min(one.lag for one in deviations.every)
    places = [term.point for condition in problem.conditions for term in condition.terms]
    initial = not problem.unknown and not problem.nonlinear_conditions and not problem.integrals
    if not initial or lag <= axis.length / MOST_WINDOWS or any(place != axis.left for place in places):
        return None
    count = int(np.ceil(axis.length / lag * (1.0 - 1e-9)))
    edges = np.linspace(axis.left, axis.right, count + 1)
    windows: list[IntervalSolution] = []

    def known(field: str, x: Array, order: int) -> Array:
        which = np.clip(np.searchsorted(edges, x, side="right") - 1, 0, max(len(windows) - 1, 0))
        values = np.zeros_like(x)
        for k, window in enumerate(windows):
            own = which == k
            if own.any():
                ends = window.problem.axes[0]
                values[own] = window.field_at(field, np.clip(x[own], ends.left, ends.right), order)
        return values

    def shifted(field: str, x: Array, order: int) -> Array:
        return known(field, x, order) if shift is None else known(field, x, order) + shift(field, x, order)

    for left, right in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        conditions = None
        if windows:
            at = np.array([left])
            conditions = [
                Condition(f"{name}(...)", (Term(name, order, left, 1.0),), (), float(known(name, at, order)[0]))
                for name, highest in problem.order.items()
                for order in range(highest)
            ]
        part = problem.with_delays(shifted).on_window(Domain((Axis(axis.name, left, right),)), conditions)
        window = solved(part, None, tol)
        if not window.converged or over():
            return None
        windows.append(window)
    return shifted
