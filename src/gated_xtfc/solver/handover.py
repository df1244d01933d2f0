"""What a solve hands over: what was found with its status, or the best that there is and what stood in the way."""

import math
import time
from typing import Any

import numpy as np

from gated_xtfc.gates.coordinate import Coordinates, bare
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solution.base import Solution
from gated_xtfc.solution.interval import IntervalSolution
from gated_xtfc.solution.round import Round
from gated_xtfc.solution.status import Status
from gated_xtfc.solver.adapt import begin
from gated_xtfc.solver.continuation import HOMOTOPY
from gated_xtfc.solver.discretisation import Discretisation, F, L
from gated_xtfc.solver.interval.element_family import FoundAtOnce
from gated_xtfc.solver.interval.newton_family import BegunAtOnce
from gated_xtfc.solver.interval.undetermined import any_constants_solve
from gated_xtfc.solver.strategy import Attempt, Settings
from gated_xtfc.solver.verdict import verdict, within

PLAIN = 10_000  # kernels for what is handed over when nothing was found

PLAINLY = "Newton's method began at the plainest function that meets the conditions"


def certified_solution(problem: Problem, found: FoundAtOnce | BegunAtOnce, settings: Settings) -> IntervalSolution:
    """The solution that the compiled core has certified: there is nothing left to decide."""
    certificate, steps = found.certificate, found.steps if isinstance(found, BegunAtOnce) else 1
    assert certificate is not None
    only = Round(found.neurons, certificate.error, certificate.rounding, steps)
    if settings.progress is not None:
        settings.progress(only)
    told = within(certificate.error, settings.tol)
    if not problem.linear:
        told = f"{told}; {PLAINLY}"
    return IntervalSolution(
        problem=problem,
        tol=settings.tol,
        status=Status.CONVERGED,
        message="; ".join([told, *problem.warnings]) if problem.warnings else told,
        error=certificate.error,
        scales=certificate.scales,
        neurons=only.neurons,
        sites=found.sites,
        seconds=time.perf_counter() - settings.begun,
        history=(only,),
        continuation=None,
        function=found.function,
        values=(),
    )


def judged_solution(space: Discretisation[L, F], attempt: Attempt[F], settings: Settings, guess: Any) -> Solution:
    """The solution as far as it was found, with the verdict on it."""
    problem, adapted, translation = space.problem, attempt.adapted, attempt.translation
    status, message = verdict(adapted, settings.tol, translation, problem.linear)
    said = [message, *_hints(problem, status, attempt, settings)]
    found, certificate = adapted.found, adapted.certificate
    remarks: list[str] = []
    if found is None or certificate is None:
        plenty = min(settings.limits.neurons, PLAIN)
        found, scales, error = _as_guessed(space, plenty, guess), (1.0,) * len(problem.fields), math.inf
    else:
        scales, error = certificate.scales, certificate.error
        remarks = space.remarks(found, translation, status == Status.CONVERGED)
    if status == Status.NEARLY_SINGULAR or (status != Status.CONVERGED and error <= settings.tol):
        # an estimate through the inverse of an operator that has none, or on layers thinner than the numbers
        error = max(1.0, error)
    parameter, reached = attempt.parameter, attempt.reached
    if not attempt.arrived and parameter is not None and reached is not None:
        status, error = Status.STOPPED, math.inf
        said = [
            f"the solution could be followed to {parameter} = {reached:.6g} only, not to "
            f"{problem.parameters[parameter]:.6g}: what is attached is the solution at {parameter} = {reached:.6g}"
        ]
        problem = problem(**{parameter: reached})
        space = space.for_problem(problem)
    return space.solution(
        found,
        translation,
        problem=problem,
        tol=settings.tol,
        status=status,
        message="; ".join([*said, *remarks, *problem.warnings]),
        error=error,
        scales=scales,
        neurons=found.neurons,
        sites=found.sites,
        seconds=time.perf_counter() - settings.begun,
        history=attempt.history,
        continuation=parameter,
    )


def _hints(problem: Problem, status: Status, attempt: Attempt[F], settings: Settings) -> list[str]:
    """What else there is to say than the verdict: the way to a solution, or what may lead to one."""
    found: list[str] = []
    if status == Status.CONVERGED and not problem.linear:
        found.append(_way(attempt, settings))
    elif status != Status.CONVERGED and problem.free_ends is not None:
        names = " and ".join(problem.free_ends.starts)
        found.append(
            f"the domain ends at the unknown {names}: where its length goes to zero, or the fields are constant, any "
            f"length may do, so give a guess for {names} and for the fields"
        )
    elif status != Status.CONVERGED and any_constants_solve(problem):
        names = " and ".join(problem.unknown)
        found.append(
            f"where {names} = 0, fields that are constant solve the equations whatever they are, and draw Newton's "
            f"method there: give a guess for {names} and for the fields, as of a period"
        )
    return [*found, attempt.note] if attempt.note else found


def _way(attempt: Attempt[F], settings: Settings) -> str:
    """Where a solution of a nonlinear problem was come to from: there may be others."""
    if attempt.windows:
        return f"it was followed from the conditions on, through {attempt.windows} windows"
    if attempt.parameter == HOMOTOPY:
        larger = 1.0 + (attempt.path[0].value or 0.0)
        return f"it was followed in a homotopy from a problem with highest derivatives {larger:.2g} times as large"
    if attempt.parameter is not None:
        # who guessed one solution may be looking at another
        lost = ", since the guess did not lead to one" if settings.guessed and not settings.continuation else ""
        return f"it was followed in {attempt.parameter} from {attempt.path[0].value:g}{lost}"
    if settings.guessed:
        return "Newton's method began at the guess"
    return PLAINLY


def _as_guessed(space: Discretisation[L, F], neurons: int, guess: Any) -> F:
    """What is handed over when nothing was found: where Newton's method began, meeting the conditions."""
    coordinates, start = begin(space, 1e-3, None if guess is None else space.start_from_guess(guess))

    def on(chosen: Coordinates) -> F:
        layout = space.lay_out(chosen)
        return space.fit_through(layout, space.iterate(layout, start))

    try:
        return on(space.coarsened_to(coordinates, neurons) or bare(coordinates))
    except np.linalg.LinAlgError:  # gates thinner than the numbers around them
        return on(bare(coordinates))
