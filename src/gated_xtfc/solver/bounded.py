"""Problems on a finite domain: at once where the compiled core has the answer, else by attempts in their order."""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from gated_xtfc.problem.problem import Problem
from gated_xtfc.solution.base import Solution
from gated_xtfc.solution.interval import IntervalSolution
from gated_xtfc.solver.adapt import require_memory
from gated_xtfc.solver.attempts import attempt_in_turn
from gated_xtfc.solver.handover import certified_solution, judged_solution
from gated_xtfc.solver.images import others_in_words
from gated_xtfc.solver.interval.element_family import FoundAtOnce, found_at_once
from gated_xtfc.solver.interval.newton_family import BegunAtOnce, begun_at_once
from gated_xtfc.solver.spaces import space_of
from gated_xtfc.solver.strategy import Settings
from gated_xtfc.solver.warm_start import GatePredictor


def solve_bounded(problem: Problem, gates: Any, guess: Any, settings: Settings) -> Solution:
    """The solution on a finite domain."""
    tol, tolerance, limits = settings.tol, settings.tolerance, settings.limits
    first: FoundAtOnce | BegunAtOnce | None = None
    if guess is None and gates is None:
        core = found_at_once if problem.linear else begun_at_once
        first = core(problem, tolerance, tol, limits)
        if first is not None and first.converged(tol):
            return _open(certified_solution(problem, first, settings))
    space = space_of(problem, tol, tolerance, limits.until)
    if not limits.neurons:
        settings = replace(settings, limits=replace(limits, neurons=space.most_neurons))
    # fields multiply with each other: without this, too many of them would be found out after minutes only
    least = space.least().memory
    if least > limits.memory:
        fields = f"{len(problem.fields)} field{'s' * (len(problem.fields) > 1)}"
        require_memory(least, limits.memory, f", for its {fields} alone: allow more, or state it with fewer")
    attempt = attempt_in_turn(space, gates, guess, settings, first)
    return _open(judged_solution(space, attempt, settings, guess))


def _open(found: Solution) -> Solution:
    """Whether a problem that is not linear has other solutions is looked for when its message is read."""
    if found.problem.linear or not found.converged or not isinstance(found, IntervalSolution):
        return found
    return found.left_open(others_in_words)


def solver_of(gates: Any, settings: Settings) -> Callable[[Problem, Any, float], IntervalSolution]:
    """A solve among several that a problem takes: of a problem on an interval, from a start, to a tolerance."""
    own = None if isinstance(gates, GatePredictor) else gates

    def solved(problem: Problem, start: Any, tol: float) -> IntervalSolution:
        found = solve_bounded(problem, own, start, replace(settings, tol=tol, begun=time.perf_counter()))
        assert isinstance(found, IntervalSolution)
        return found

    return solved
