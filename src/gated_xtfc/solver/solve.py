"""solve: the gates are predicted, the equations fitted, the error certified and refined where it comes from.

A nonlinear problem is first tried as it stands, from the plainest guess; where Newton's method does not get there, the
solution is followed from an easier member of the family.
"""

import math
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Protocol, cast

import numpy as np

from gated_xtfc.gates import Gate
from gated_xtfc.operator.linearise import Linear, Operator
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solution.interval import Round, Solution
from gated_xtfc.solver.adapt import Limits, Start, begin, settle
from gated_xtfc.solver.interval.fit import Fit, Layout, fit
from gated_xtfc.solver.interval.guess import constants, given
from gated_xtfc.solver.settings import MOST_NEURONS, MOST_ON_A_RECTANGLE, check, checked_gates
from gated_xtfc.solver.strategy import Attempt, How, attempted, kernel_density, too_thin
from gated_xtfc.solver.verdict import verdict
from gated_xtfc.solver.warm_start import Advice, Adviser


class Method(Protocol):
    """Gates that bring a method of their own, as the published ones do."""

    def solve(self, problem: Problem) -> Any: ...


def solve(
    problem: Problem,
    tol: float = 1e-8,
    *,
    gates: Iterable[Gate] | Mapping[str, Iterable[Gate]] | Method | Adviser | None = None,
    guess: Any = None,
    continuation: str | None = None,
    max_neurons: int | None = None,
    max_rounds: int = 14,
    max_steps: int = 2_000,
    max_memory: float = 4e9,
    progress: Callable[[Round], None] | None = None,
) -> Solution:
    """The solution with an estimated error of at most `tol`, relative to max(1, max|u|), or the best found and why.

    `guess` starts Newton's method: a text, a function, a Solution, or these by field; `continuation` names the
    parameter to follow if it fails; `progress` is called with every member solved on the way. The budget is in
    `max_neurons` (50,000 unless given, on a rectangle a million), in rounds of refinement for each member, in steps of
    Newton's method in all and, on a rectangle, in bytes of `max_memory`. Gates on a rectangle are given by axis.
    """
    if gates is not None and hasattr(gates, "solve"):
        return cast(Solution, gates.solve(problem))  # evaluates like a Solution; it certifies nothing
    begun = time.perf_counter()
    plane = len(problem.domain.axes) == 2
    neurons = (MOST_ON_A_RECTANGLE if plane else MOST_NEURONS) if max_neurons is None else max_neurons
    check(problem, tol, continuation, neurons, max_rounds, max_steps)
    if plane:
        # on a line nobody should wait for it
        from gated_xtfc.solver.rectangle import solve as plane_forward

        limits = neurons, max_rounds, max_steps, max_memory
        found = plane_forward.solve(problem, tol, gates, guess, continuation, limits, progress)
        return cast(Solution, found)  # evaluates like a Solution, in two coordinates
    how = How(tol, kernel_density(tol), Limits(neurons, max_rounds, max_steps), continuation, progress)
    start = None if guess is None else Start(given(guess, problem), constants(guess, problem))
    if gates is not None and hasattr(gates, "advise"):
        advice = gates.advise(problem) if start is None else None
        solution = None if advice is None else _advised(problem, advice, how)
        if solution is not None and solution.converged:
            return replace(solution, seconds=time.perf_counter() - begun)
        gates = None  # the way without advice is always open
    layers = None if gates is None else checked_gates(gates, problem.axis)
    solution = _solution(problem, attempted(problem, layers, start, how), how)
    return replace(solution, seconds=time.perf_counter() - begun)


def _advised(problem: Problem, advice: Advice, how: How) -> Solution | None:
    """What comes of the advice; None where it cannot be followed."""
    coordinates = advice.begin(problem)
    if coordinates is None or not (problem.linear or advice.start is not None):
        return None
    settled = settle(problem, coordinates, advice.start, how.tol, how.density, how.limits, how.progress)
    attempt = Attempt(settled, [], None)
    return _solution(problem, attempt, how) if settled.found is not None and too_thin(attempt) is None else None


def _solution(problem: Problem, attempt: Attempt, how: How) -> Solution:
    settled, path, parameter, origin = attempt.settled, attempt.path, attempt.parameter, attempt.origin
    history = tuple(path[:-1]) + tuple(replace(entry, value=attempt.reached) for entry in settled.history)
    if settled.found is None or settled.certificate is None:
        found, scales, error = _as_guessed(problem, how.density), (1.0,) * len(problem.fields), math.inf
        status = "not found"
        message = "Newton's method found no solution: give another guess, or a parameter to follow by continuation"
    else:
        found, scales, error = settled.found, settled.certificate.scales, settled.certificate.error
        status, message = verdict(
            found, settled.certificate, how.tol, len(settled.history), settled.full, settled.steady, origin
        )
    if status == "nearly singular":
        error = max(1.0, error)  # an estimate through the inverse of an operator that has none
    if not attempt.arrived and parameter is not None and attempt.reached is not None:
        status, error = "stopped", math.inf
        message = (
            f"the solution could be followed to {parameter} = {attempt.reached:.6g} only, not to "
            f"{problem.parameters[parameter]:.6g}: what is attached is the solution at "
            f"{parameter} = {attempt.reached:.6g}"
        )
        problem = problem(**{parameter: attempt.reached})
    for weights in (found.free, found.switch):
        weights.setflags(write=False)
    return Solution(
        problem=problem,
        tol=how.tol,
        status=status,
        message=message,
        error=error,
        scales=scales,
        neurons=found.neurons,
        sites=found.rows.x.size,
        seconds=0.0,
        history=history,
        pieces=found.pieces,
        free=found.free,
        switch=found.switch,
        values=tuple(found.constants.tolist()),
        continuation=parameter,
        origin=origin,
    )


def _as_guessed(problem: Problem, density: float) -> Fit:
    """What is handed over when nothing was found: the guess itself, meeting the conditions."""
    coordinates, start = begin(problem)
    layout = Layout.on(Operator(problem), coordinates, density)
    one, zero = np.ones_like(layout.points), np.zeros_like(layout.points)
    orders = Operator(problem).orders
    rows = [
        [[one if e == f and j == 0 else zero for j in range(m + 1)] for f, m in enumerate(orders)]
        for e in range(len(orders))
    ]
    source = [start.about(f, layout.points, 0) for f in range(len(orders))]
    found = fit(layout, Linear(rows, source, [[] for _ in orders]))
    return replace(found, constants=np.array(start.constants))
