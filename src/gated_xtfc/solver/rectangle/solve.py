"""solve on a rectangle: gates predicted for both axes, the equation fitted, the error certified, both axes refined."""

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gated_xtfc.discretise.tensor_function import Surface
from gated_xtfc.errors import InputError, quoted
from gated_xtfc.gates import Gate
from gated_xtfc.operator.plane_operator import Linear, PlaneOperator
from gated_xtfc.problem.plane_problem import PlaneProblem
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solution.interval import Round
from gated_xtfc.solution.rectangle import PlaneSolution
from gated_xtfc.solver.rectangle.continuation import follow, member, small_parameter
from gated_xtfc.solver.rectangle.fit import Fit, fit
from gated_xtfc.solver.rectangle.guess import given, plain
from gated_xtfc.solver.rectangle.predict import predict
from gated_xtfc.solver.rectangle.settle import Limits, Settled, begin, lines, settle
from gated_xtfc.solver.rectangle.verdict import verdict
from gated_xtfc.solver.settings import checked_gates


@dataclass(frozen=True)
class Attempt:
    settled: Settled
    history: tuple[Round, ...]
    parameter: str | None = None  # the one followed
    reached: float | None = None  # its value, where that is not the one asked for


def solve(
    problem: Problem,
    tol: float,
    gates: Any,
    guess: Any,
    continuation: str | None,
    budget: tuple[int, int, int, Any],
    progress: Callable[[Round], None] | None,
) -> PlaneSolution:
    """As `gated_xtfc.solve` hands it over; the budget is in neurons, rounds, steps and bytes."""
    assert isinstance(problem, PlaneProblem)
    begun, memory = time.perf_counter(), budget[3]
    if isinstance(memory, bool) or not isinstance(memory, int | float) or not memory > 0:
        raise InputError(f"max_memory is {memory!r}: give a positive number of bytes such as 4e9")
    by_axis, limits, operator = checked(gates, problem), Limits(*budget), PlaneOperator(problem)
    if problem.linear:
        operator.require_regular()
        settled = settle(operator, predict(operator, tol, by_axis), None, tol, limits, progress)
        attempt = Attempt(settled, settled.history)
    else:
        attempt = _nonlinear(problem, tol, by_axis, guess, continuation, limits, progress)
    return replace(_solution(problem, attempt, tol), seconds=time.perf_counter() - begun)


def _nonlinear(
    problem: PlaneProblem,
    tol: float,
    gates: tuple[tuple[Gate, ...] | None, tuple[Gate, ...] | None],
    guess: Any,
    continuation: str | None,
    limits: Limits,
    progress: Callable[[Round], None] | None,
) -> Attempt:
    operator = PlaneOperator(problem)
    start = None if guess is None else given(guess, problem)
    settled = settle(operator, *begin(operator, tol, start, gates), tol, limits, progress)
    parameter = None if settled.error <= tol else continuation or small_parameter(problem)
    if parameter is not None:
        rest = replace(limits, steps=max(1, limits.steps - settled.steps))
        followed, path = follow(problem, parameter, tol, rest, start, progress)
        arrived = bool(path) and path[-1].value == problem.parameters[parameter]
        if followed is not None and (settled.found is None or (arrived and followed.error < settled.error)):
            reached = path[-1].value
            history = (*path[:-1], *(replace(entry, value=reached) for entry in followed.history))
            return Attempt(followed, history, parameter, None if arrived else reached)
    return Attempt(settled, settled.history)


def checked(gates: Any, problem: PlaneProblem) -> Any:
    """Gates of the user's for each axis, by its name; an axis that is left out keeps the predicted ones."""
    if gates is None:
        return None, None
    names = [axis.name for axis in problem.axes]
    if not isinstance(gates, Mapping):
        raise InputError(f"gates on a rectangle are given by axis, like {{{names[0]!r}: [Layer(0.5, 1e-3)]}}")
    for name in gates:
        if name not in names:
            raise InputError(f"gates names {quoted(str(name))}, which is no coordinate: they are {' and '.join(names)}")
    return tuple(checked_gates(gates[axis.name], axis) if axis.name in gates else None for axis in problem.axes)


def _solution(problem: PlaneProblem, attempt: Attempt, tol: float) -> PlaneSolution:
    settled = attempt.settled
    status, message = verdict(settled, tol, problem.warnings)
    if settled.found is None or settled.certificate is None:
        found, scale, error = _as_guessed(problem), 1.0, math.inf
    else:
        found, scale, error = settled.found, settled.certificate.scale, settled.certificate.error
    if status == "nearly singular":
        error = max(1.0, error)  # an estimate through the inverse of an operator that has none
    if attempt.reached is not None and attempt.parameter is not None:
        name, wanted = attempt.parameter, problem.parameters[attempt.parameter]
        status, error = "stopped", math.inf
        message = (
            f"the solution could be followed to {name} = {attempt.reached:.6g} only, not to {wanted:.6g}: "
            f"what is attached is the solution at {name} = {attempt.reached:.6g}"
        )
        problem = member(problem, name, attempt.reached)
    found.values.setflags(write=False)
    return PlaneSolution(
        problem=problem,
        tol=tol,
        status=status,
        message=message,
        error=error,
        scale=scale,
        neurons=found.neurons,
        sites=found.x.size * found.y.size,
        seconds=0.0,
        history=attempt.history,
        surface=Surface(problem.sides, found.x, found.y, found.values),
        continuation=attempt.parameter,
    )


def _as_guessed(problem: PlaneProblem) -> Fit:
    """What is handed over when nothing was found: a smooth surface that meets the conditions."""
    operator = PlaneOperator(problem)
    x, y = lines(operator, predict(operator, 1e-3))
    values = plain(operator, x, y)[np.ix_(x.inner, y.inner)]
    return fit(x, y, problem.sides, Linear({(0, 0): np.ones((1, 1))}, values))
