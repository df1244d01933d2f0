"""branch: solutions of a problem followed along a parameter, past folds, and on the curves that branch off."""

from __future__ import annotations  # help() shows types as they are written here

import math
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from gated_xtfc.branches.branch import Branch, BranchPoint
from gated_xtfc.branches.diagram import Diagram
from gated_xtfc.branches.family import BranchFamily, BranchState
from gated_xtfc.branches.point import Point
from gated_xtfc.branches.singular import modes_at
from gated_xtfc.branches.store import BranchStore
from gated_xtfc.branches.trace import BranchBudget
from gated_xtfc.errors import InputError, quoted
from gated_xtfc.notebook import followed
from gated_xtfc.problem.problem import Problem, require_problem
from gated_xtfc.solution.interval import IntervalSolution
from gated_xtfc.solver.adapt import Limits
from gated_xtfc.solver.interval.discretisation import MOST_NEURONS
from gated_xtfc.solver.options import check
from gated_xtfc.solver.solve import solve
from gated_xtfc.sweeps.quantities import Quantity
from gated_xtfc.sweeps.study import Study, texts

NEWTON = 14  # steps for one point
ROUNDS = 8  # of refinement for one point


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
    store: str | Path | None = None,
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
        value that the problem has; with a guess at the problem's own value first.
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
    store
        A file that points go into as they are found, the SQLite store of a sweep. Whatever stops the call, the same one
        goes on from there, and `open_sweep` reads what is there.
    progress
        Called with every point, those of the store first.

    Returns
    -------
    Branch
        Points with their solutions, folds and branch points located, stability, and why every curve ends.

    Raises
    ------
    InputError
        Where there is no such parameter, the range cannot be used, no solution is found in it to begin with, or the
        store holds something else.

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
    require_problem(problem, "branch")
    check(problem, tol, max_seconds=max_seconds)
    if isinstance(max_points, bool) or not isinstance(max_points, int) or max_points < 1:
        raise InputError(f"max_points is {max_points!r}: give a whole number of at least 1")
    low, high = _range(between)
    limits = Limits(MOST_NEURONS, ROUNDS, NEWTON, 4e9, begun + max_seconds)
    family = BranchFamily.of(problem, parameter, high - low, tol, limits)
    asked = texts(show) or (f"integral({problem.fields[0]}^2)",)
    quantities = [Quantity.stated(text, problem) for text in asked]
    with np.errstate(all="ignore"), ExitStack() as closing:
        kept: BranchStore | None = None
        if store is not None:
            options: Any = {} if guess is None else {"guess": guess}
            study = Study(problem, (parameter,), tol, options, asked, solutions=True)
            kept = closing.enter_context(BranchStore(store, study, {"between": [*between], "switch": switch}))
        there = [] if kept is None else kept.points_of("0+", 0)
        start = family.first(there[0].point.solution) if there else _begin(family, between, guess)
        if start is None:
            raise InputError(f"the solutions in {quoted(str(store))} cannot be found again: give another file")
        family = replace(family, reference=start.fit.sizes)
        budget = BranchBudget(max_points, begun + max_seconds, low, high)
        diagram = Diagram(family, quantities, budget, progress, kept, begun)
        diagram.follow(Point(start, modes_at(family, start)), switch)
    return Branch(
        problem=problem,
        name=parameter,
        low=low,
        high=high,
        show=asked,
        points=tuple(diagram.points),
        reasons=tuple(diagram.reasons),
        tol=tol,
        seconds=time.perf_counter() - begun,
    )


def _begin(family: BranchFamily, between: tuple[float, float], guess: Any) -> BranchState:
    """The first solution."""
    own = family.problem.parameters[family.name]
    low, high = min(between), max(between)
    inside = [own] if low < own < high else []
    values = [*between, *inside] if guess is None else [*inside, *between]  # a guess is one for the problem as stated
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
