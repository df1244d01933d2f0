"""solve: the gates are predicted, the equations fitted, the error certified and refined where it comes from.

A nonlinear problem is first tried as it stands, from the plainest guess; where Newton's method does not get there, the
solution is followed from an easier member of the family.
"""

from __future__ import annotations  # help() shows types as they are written here

import math
import os
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from gated_xtfc.errors import InputError
from gated_xtfc.gates import Gate
from gated_xtfc.notebook import followed
from gated_xtfc.problem.interchange import stated_problem
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solution.base import Solution
from gated_xtfc.solution.round import Round
from gated_xtfc.solver.adapt import Limits
from gated_xtfc.solver.bounded import solve_bounded, solver_of
from gated_xtfc.solver.interval.discretisation import IntervalDiscretisation
from gated_xtfc.solver.options import check
from gated_xtfc.solver.strategy import Settings
from gated_xtfc.solver.tolerance import Tolerance
from gated_xtfc.solver.warm_start import GatePredictor

LOOSEST = 1e-3  # tolerance of what is not linear: on coarser layouts Newton's method finds layers where there are none

AT_TABLES = np.linspace(0.0, 1.0, 101)  # of each axis: where a solution is asked whether it stays in the tables


def round_words(fitted: Round) -> str:
    """What is said of a solve on its way."""
    place = "" if fitted.value is None else f"followed to {fitted.value:.3g}: "
    return f"{place}{fitted.neurons} neurons, error {fitted.error:.0e}"


@followed(round_words)
def solve(
    problem: Problem | str | os.PathLike[str],
    tol: float = 1e-8,
    *,
    rtol: float | Mapping[str, float] | None = None,
    atol: float | Mapping[str, float] = 0.0,
    gates: Iterable[Gate] | Mapping[str, Iterable[Gate]] | GatePredictor | None = None,
    guess: Any = None,
    continuation: str | None = None,
    stop: str | None = None,
    max_neurons: int | None = None,
    max_rounds: int = 14,
    max_steps: int = 2_000,
    max_memory: float = 4e9,
    max_seconds: float = math.inf,
    progress: Callable[[Round], None] | None = None,
) -> Solution:
    """Solve a problem to a tolerance, or say why that cannot be done.

    Gates are predicted from the equation, kernels and sites laid out, the equation fitted, the error estimated, and the
    gates refined where the error comes from, until the tolerance is met or cannot be. A nonlinear problem goes through
    Newton's method, and where that fails through continuation from an easier member of its family.

    Parameters
    ----------
    problem
        What is to be solved; or the path of a problem file, whose guess and continuation then hold where none is
        given here.
    tol
        The estimated error asked for, relative to max|u|; at most 1e-3 where equations are not linear.
    rtol, atol
        The same by field, and an error that does not matter: that of field u may be rtol max|u| + atol. Numbers, or
        numbers by the name of the field. `rtol` takes the place of `tol`; without `atol` only the relative error
        counts, in whatever units the problem is written.
    gates
        Where resolution is to go, in the place of what the operator and the text ask for: layers and blocks, on a
        rectangle by the name of the axis; or a model that predicts them, as `learn` gives one.
    guess
        Where Newton's method begins: a text, a number, a function, a Solution, values on a mesh (a pair of arrays),
        or these by the name of the field. Unknown constants begin at the numbers that it has for their names, at one
        where it has none. Linear problems need none.
    continuation
        The parameter to follow where Newton's method fails; without it, the small parameter of the highest
        derivatives, and where that does not lead to a solution either, a homotopy and other parameters.
    stop
        Of equations that evolve, what ends them before the end of time: an equation that a quantity of the fields comes
        to meet, ``"max(u) = 2"``, or ``"steady"``, when nothing moves any more.
    max_neurons
        The most kernels; 50,000 unless given, on a rectangle a million.
    max_rounds
        The most rounds of refinement, for each member solved.
    max_steps
        The most steps of Newton's method, in all.
    max_memory
        The most bytes.
    max_seconds
        The most seconds: nothing is begun after them, and the best so far is returned. A step that is under way is not
        interrupted.
    progress
        Called with every `Round` as it ends; in a continuation, with the best one of every member on the way.

    Returns
    -------
    Solution
        Its `status` is "converged" where the estimated error is at most `tol`. Otherwise it is the best that was found,
        and `status` and `message` say what stood in the way.

    Raises
    ------
    InputError
        Where what is asked for cannot be used. What goes wrong in solving raises nothing: it is a status.

    Examples
    --------
    >>> import gated_xtfc as gx
    >>> problem = gx.Problem("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=1e-4)
    >>> solution = gx.solve(problem, tol=1e-10)
    >>> print(solution.status, f"{solution(0.9999):.6f}")
    converged 0.367879

    A shock is found where it stands, without a guess:

    >>> shock = gx.Problem("eps*u'' + u*u' - u = 0", {"x": (0, 1)}, ["u(0) = -7/6", "u(1) = 3/2"], eps=1e-3)
    >>> solution = gx.solve(shock, tol=1e-6)
    >>> print(solution.status, f"{abs(solution(1 / 3)):.3f}")
    converged 0.000

    A rectangle, with layers on all four sides:

    >>> square = {"x": (0, 1), "y": (0, 1)}
    >>> plateau = gx.solve(gx.Problem("-eps*(u_xx + u_yy) + u = 1", square, ["u = 0 on boundary"], eps=1e-8), tol=1e-6)
    >>> print(plateau.status, f"{plateau(0.5, 0.9999):.4f}")
    converged 0.6321
    """
    begun = time.perf_counter()
    problem, guess, continuation = stated_problem(problem, guess, continuation)
    check(problem, tol, continuation, max_neurons, max_rounds, max_steps, max_memory, max_seconds)
    tolerance = None
    if rtol is not None or atol != 0.0:
        tolerance = Tolerance.of(problem, tol if rtol is None else rtol, atol)
        tol = tolerance.tol
    if not problem.linear and problem.evolution is None:
        tol = min(tol, LOOSEST)
    most = max_neurons or (IntervalDiscretisation.most_neurons if len(problem.axes) == 1 else 0)
    limits = Limits(most, max_rounds, max_steps, max_memory, begun + max_seconds)
    settings = Settings(tol, limits, continuation, progress, guess is not None, stop, tolerance, begun)
    if stop is not None and problem.evolution is None:
        raise InputError("stop ends equations that evolve in time: this problem does not")
    try:
        with np.errstate(all="ignore"):  # what is not finite is looked for, and ends in a verdict
            found = _solved(problem, gates, guess, settings)
    except MemoryError:
        raise InputError(
            "there is not enough memory to solve this problem: give a larger tol, or a smaller max_neurons"
        ) from None
    return _within_tables(found) if problem.tables and problem.evolution is None else found


def _solved(problem: Problem, gates: Any, guess: Any, settings: Settings) -> Solution:
    """By what the problem is. What few problems need is imported here, so that others need not wait for it."""
    found: Solution
    if problem.evolution is not None:
        for name, given in (("gates", gates), ("continuation", settings.continuation)):
            if given is not None:  # no way leads there from an easier member
                raise InputError(
                    f"{name} cannot be given where equations evolve: gates follow the solution through time"
                )
        from gated_xtfc.solver.moving.evolve import evolve

        found = evolve(problem, settings.tolerance, settings, guess)
    elif problem.deviations is not None:
        from gated_xtfc.solver.delayed import solve_delayed

        found = solve_delayed(problem, settings.tol, solver_of(gates, settings), guess, settings.limits.over)
    elif problem.domain.finite:
        return solve_bounded(problem, gates, guess, settings)  # it knows its time, and quick ones feel a copy
    else:
        from gated_xtfc.solver.unbounded import solve_unbounded

        found = solve_unbounded(problem, settings.tol, solver_of(gates, settings), guess, settings.limits.over)
    return replace(found, seconds=time.perf_counter() - settings.begun)


def _within_tables(found: Solution) -> Solution:
    """Refuses a solution that asks a table for values that it does not have; of one that is none yet it is a remark."""
    at = [np.unique(np.concatenate([axis.at(AT_TABLES), [axis.left, axis.right]])) for axis in found.window]
    try:
        replace(found, problem=found.problem.guarded())._residuals(tuple(np.broadcast_arrays(*np.ix_(*at))))
    except InputError as outside:
        if found.converged:
            raise
        return replace(found, message=f"{found.message}; {outside}")
    return found
