"""branch: solutions of a problem followed along a parameter, past folds, and on the curves that branch off."""

from __future__ import annotations  # help() shows types as they are written here

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np

from gated_xtfc.branches.branch import Branch, BranchPoint
from gated_xtfc.branches.family import BranchFamily, BranchState, Direction
from gated_xtfc.branches.singular import modes_at
from gated_xtfc.branches.trace import BranchBudget, Point, near_state, trace
from gated_xtfc.errors import InputError, quoted
from gated_xtfc.notebook import followed
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solution.interval import IntervalSolution
from gated_xtfc.solver.adapt import Limits
from gated_xtfc.solver.interval.discretisation import MOST_NEURONS
from gated_xtfc.solver.options import check
from gated_xtfc.solver.solve import solve
from gated_xtfc.sweeps.quantities import Quantity
from gated_xtfc.types import Array

NEWTON = 14  # steps for one point
ROUNDS = 8  # of refinement for one point
ASIDE = (0.05, 0.02, 0.1, 0.2)  # lengths of the step off a branch point that are tried
SAME = 1e-4  # distance of two solutions that are one
BOW = 0.03  # of a chord: how far a curve may be from it
MOST_CURVES = 12


@followed(lambda point: f"a solution at {point.parameter:.6g}")
def branch(
    problem: Problem,
    parameter: str,
    between: tuple[float, float],
    tol: float = 1e-8,
    *,
    show: str | Sequence[str] = (),
    guess: Any = None,
    switch: bool = True,
    max_points: int = 200,
    max_seconds: float = math.inf,
    progress: Callable[[BranchPoint], None] | None = None,
) -> Branch:
    """Follow solutions along a parameter, past folds and onto the curves that branch off.

    The parameter is one more unknown, and the length along the curve the condition that fixes it: pseudo-arclength
    continuation in the solver itself, with its gates, its refinement and its error estimate at every point.

    Parameters
    ----------
    problem
        What is to be followed; its own value of the parameter does not matter.
    parameter
        The name of the parameter.
    between
        The range of the parameter. The first solution is looked for at its first end, then at its second, then at the
        value that the problem has.
    tol
        The error asked for at every point, relative to max|u|.
    show
        Quantities for the table and the diagram, such as ``"max(u)"`` or ``"u(0.5)"``; without them the integral of the
        square of the first field.
    guess
        Where Newton's method begins for the first solution.
    switch
        Whether the curves that pass through branch points are followed, too.
    max_points
        The most points on each curve in each direction.
    max_seconds
        The most seconds: nothing is begun after them.
    progress
        Called with every point.

    Returns
    -------
    Branch
        Points with their solutions, folds and branch points located, stability, and why every curve ends.

    Raises
    ------
    InputError
        Where there is no such parameter, the range cannot be used, or no solution is found in it to begin with.

    Examples
    --------
    >>> import gated_xtfc as gx
    >>> bratu = gx.Problem("u'' + k*exp(u) = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0"], k=1)
    >>> branch = gx.branch(bratu, "k", (0.5, 4), show="max(u)", max_points=60)
    >>> fold = branch.folds[0]
    >>> print(f"{fold.parameter:.7f} {fold.quantities[0]:.4f}")
    3.5138307 1.1868
    >>> [point.stable for point in (branch.points[0], branch.points[-1])]  # cool solutions are stable, hot ones not
    [True, False]
    """
    begun = time.perf_counter()
    check(problem, tol, max_seconds=max_seconds)
    if not (isinstance(max_points, int) and max_points >= 1):
        raise InputError(f"max_points is {max_points!r}: give a whole number of at least 1")
    low, high = _range(between)
    limits = Limits(MOST_NEURONS, ROUNDS, NEWTON, 4e9, begun + max_seconds)
    family = BranchFamily.of(problem, parameter, high - low, tol, limits)
    texts = (show,) if isinstance(show, str) else tuple(show)
    quantities = [Quantity.stated(text, problem) for text in texts or (f"integral({problem.fields[0]}^2)",)]
    with np.errstate(all="ignore"):
        start = _begin(family, between, guess)
        family = replace(family, reference=start.fit.sizes)
        diagram = _Diagram(family, quantities, tuple(one.text for one in quantities), progress)
        budget = BranchBudget(max_points, begun + max_seconds, low, high)
        _follow_all(diagram, start, budget, switch)
    return Branch(
        problem=problem,
        name=parameter,
        low=low,
        high=high,
        show=diagram.show,
        points=tuple(diagram.points),
        reasons=tuple(diagram.reasons),
        tol=tol,
        seconds=time.perf_counter() - begun,
    )


@dataclass
class _Diagram:
    """What has been found so far."""

    family: BranchFamily
    quantities: list[Quantity]
    show: tuple[str, ...]
    progress: Callable[[BranchPoint], None] | None
    points: list[BranchPoint] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    curves: list[list[BranchState]] = field(default_factory=list)

    def named(self, point: Point, curve: int) -> BranchPoint:
        solution = self.family.solution(point.state)
        growth = point.modes.growth
        return BranchPoint(
            curve=curve,
            parameter=point.parameter,
            kind=point.kind,
            stable=None if growth is None or point.kind else growth < 0.0,
            growth=growth,
            quantities=tuple(quantity(solution) for quantity in self.quantities),
            solution=solution,
        )

    def report(self, curve: int) -> Callable[[Point], None]:
        def told(point: Point) -> None:
            if self.progress is not None:
                self.progress(self.named(point, curve))

        return told

    def add(self, points: Sequence[Point], curve: int, reason: str) -> None:
        self.points += [self.named(point, curve) for point in points]
        self.curves.append([point.state for point in points])
        self.reasons.append(reason)

    def known(self, state: BranchState) -> bool:
        """Whether a solution is on a curve already: on the chord of two of its neighbouring points."""
        x, sizes = state.places(), self.family.sizes(state)
        span = self.family.span

        def vector(one: BranchState) -> Array:
            parts = [one.fields(f, x, 0) / size for f, size in enumerate(sizes)]
            return np.append(np.concatenate(parts) / np.sqrt(x.size * sizes.size), one.parameter / span)

        here = vector(state)
        for states in self.curves:
            vectors = [vector(one) for one in states]
            for a, b in pairwise(vectors):
                length = float(np.linalg.norm(b - a))
                part = float(np.clip((here - a) @ (b - a) / max(length, 1e-300) ** 2, 0.0, 1.0))
                if np.linalg.norm(here - a - part * (b - a)) <= max(SAME, BOW * length):
                    return True
        return False


def _follow_all(diagram: _Diagram, start: BranchState, budget: BranchBudget, switch: bool) -> None:
    """The curve of the first solution, then those that pass through its branch points, and so on."""
    family = diagram.family
    first = Point(start, modes_at(family, start))
    along = family.tangent(start)
    if along is None:
        raise InputError(f"the solution at {family.name} = {start.parameter:.6g} is singular: begin with another range")
    both = budget.low < start.parameter < budget.high
    inward = 1.0 if both or start.parameter == budget.low else -1.0
    ahead, reason = trace(family, first, along.scaled(inward), budget, diagram.report(0))
    points, reasons = [first, *ahead], [reason]
    if both and reason != "the curve closes":
        behind, reason = trace(family, first, along.scaled(-1.0), budget, diagram.report(0))
        points, reasons = [*reversed(behind), *points], [reason, *reasons]
    diagram.add(points, 0, "; ".join(dict.fromkeys(reasons)))
    waiting = [point for point in points if point.kind == "branch point"] if switch else []
    seen: list[BranchState] = [point.state for point in waiting]
    while waiting and len(diagram.reasons) < MOST_CURVES and time.perf_counter() < budget.until:
        origin = waiting.pop(0)
        for side in (1.0, -1.0):
            begun = _aside(family, origin, side)
            if begun is None or diagram.known(begun.state) or begun.direction is None:
                continue
            curve = len(diagram.reasons)
            found, reason = trace(family, begun, begun.direction, budget, diagram.report(curve))
            points = [origin, begun, *found]
            diagram.add(points[1:], curve, reason)
            for point in found:
                if point.kind == "branch point" and all(near_state(family, point.state, s) > SAME for s in seen):
                    waiting.append(point)
                    seen.append(point.state)


def _aside(family: BranchFamily, origin: Point, side: float) -> Point | None:
    """A point beside a branch point on the other curve, and its direction there."""
    along = origin.direction
    if origin.modes.null is None or along is None:
        return None
    null = family.unit(origin.modes.null, origin.state)
    tangent = family.unit(along, origin.state)
    part = family.inner(null, tangent, origin.state)
    across = Direction(
        lambda f, x, order: null.fields(f, x, order) - part * tangent.fields(f, x, order),
        null.constants - part * tangent.constants,
    )
    across = family.unit(across, origin.state).scaled(side)
    for length in ASIDE:
        state = family.solved(family.pin(origin.state, across, length), origin.state, across, length)
        if state is not None:
            chord = family.between(origin.state, state)
            if family.inner(chord, chord, origin.state) <= (5.0 * length) ** 2:
                aside = family.tangent(state) or family.unit(chord, state)
                outward = 1.0 if family.inner(aside, chord, state) > 0.0 else -1.0
                return Point(state, modes_at(family, state), direction=aside.scaled(outward))
    return None


def _begin(family: BranchFamily, between: tuple[float, float], guess: Any) -> BranchState:
    """The first solution."""
    own = family.problem.parameters[family.name]
    low, high = min(between), max(between)
    values = [*between, *([own] if low < own < high else [])]
    for value in dict.fromkeys(float(value) for value in values):
        try:
            found = solve(family.member(value), family.tol, guess=guess)
        except InputError:
            if guess is not None:
                raise
            continue
        if found.converged and isinstance(found, IntervalSolution) and found.function.chart.origin == 0.0:
            state = family.first(found)
            if state is not None:
                return state
    tried = " and ".join(f"{value:g}" for value in dict.fromkeys(values))
    raise InputError(f"no solution was found at {family.name} = {tried} to begin with: give a guess or another range")


def _range(between: Any) -> tuple[float, float]:
    try:
        first, second = (float(end) for end in between)
    except (TypeError, ValueError):
        raise InputError(f"the range is {quoted(str(between))}: give two numbers such as (0, 10)") from None
    if not (math.isfinite(first) and math.isfinite(second)) or first == second:
        raise InputError(f"the range is {first:g} to {second:g}: give two different finite numbers")
    return min(first, second), max(first, second)


def solutions_at(found: Branch, value: float) -> list[IntervalSolution]:
    """What `Branch.at` gives."""
    solutions: list[IntervalSolution] = []
    for number in range(len(found.reasons)):
        points = found.curve(number)
        for a, b in pairwise(points):
            if a.parameter == value:
                solutions.append(a.solution)
            elif (a.parameter - value) * (b.parameter - value) < 0.0:
                near = min((a, b), key=lambda point: abs(point.parameter - value))
                solution = solve(found.problem(**{found.name: value}), found.tol, guess=near.solution)
                if solution.converged and isinstance(solution, IntervalSolution):
                    solutions.append(solution)
        if points and points[-1].parameter == value:
            solutions.append(points[-1].solution)
    return sorted(solutions, key=lambda one: one[one.problem.fields[0]].maximum().value)
