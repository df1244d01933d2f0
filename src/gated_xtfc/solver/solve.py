"""solve: the gates are predicted, the equations fitted, the error certified and refined where it comes from.

A nonlinear problem is first tried as it stands, from the plainest guess; where Newton's method does not get there, the
solution is followed from an easier member of the family.
"""

import math
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from gated_xtfc.gates import Gate
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solution.base import Round, Solution
from gated_xtfc.solution.status import Status
from gated_xtfc.solver.adapt import Limits, begin
from gated_xtfc.solver.discretisation import Discretisation, F, L
from gated_xtfc.solver.interval.discretisation import IntervalDiscretisation
from gated_xtfc.solver.options import check, checked_gates
from gated_xtfc.solver.strategy import Attempt, Settings, attempt, verdict
from gated_xtfc.solver.warm_start import GatePredictor, attempt_warm


def solve(
    problem: Problem,
    tol: float = 1e-8,
    *,
    gates: Iterable[Gate] | Mapping[str, Iterable[Gate]] | GatePredictor | None = None,
    guess: Any = None,
    continuation: str | None = None,
    max_neurons: int | None = None,
    max_rounds: int = 14,
    max_steps: int = 2_000,
    max_memory: float = 4e9,
    progress: Callable[[Round], None] | None = None,
) -> Solution:
    """Solve a problem to a tolerance, or say why that cannot be done.

    Parameters
    ----------
    problem
        What is to be solved.
    tol
        The estimated error asked for, relative to max(1, max|u|).
    gates
        Where resolution is to go, in the place of what the operator and the text ask for: layers and blocks, on a
        rectangle by the name of the axis; or a model that predicts them, as `learn` gives one.
    guess
        Where Newton's method begins: a text, a number, a function, a Solution, or these by field.
    continuation
        The parameter to follow if Newton's method fails from there; without it a small parameter is looked for.
    max_neurons, max_rounds, max_steps, max_memory
        The budget: kernels (50,000 unless given, on a rectangle a million), rounds of refinement for each member,
        steps of Newton's method in all, bytes.
    progress
        Called with every `Round`, and with every member solved on the way.

    Returns
    -------
    Solution
        With `status` "converged" where the estimated error is at most `tol`; otherwise the best found, and why.

    Raises
    ------
    InputError
        Where what is asked for cannot be used; what goes wrong in solving is a status.

    Examples
    --------
    >>> import gated_xtfc as gx
    >>> shock = gx.Problem("eps*u'' + u*u' - u = 0", {"x": (0, 1)}, ["u(0) = -7/6", "u(1) = 3/2"], eps=1e-3)
    >>> solution = gx.solve(shock, tol=1e-6)
    >>> print(solution.status, f"{abs(solution(1 / 3)):.3f}")
    converged 0.000
    """
    begun = time.perf_counter()
    check(problem, tol, continuation, max_neurons, max_rounds, max_steps, max_memory)
    space = space_of(problem, tol)
    neurons = space.most_neurons if max_neurons is None else max_neurons
    settings = Settings(tol, Limits(neurons, max_rounds, max_steps, max_memory), continuation, progress)
    start = None if guess is None else space.guessed(guess)
    found = None
    if gates is not None and isinstance(gates, GatePredictor):
        warm = gates.warm_start(problem) if start is None else None
        found = None if warm is None else attempt_warm(space, warm, settings)
        gates = None  # the usual way is always open
    if found is None:
        found = attempt(space, checked_gates(gates, problem.axes), start, settings)
    return replace(_solution(space, found, tol), seconds=time.perf_counter() - begun)


def space_of(problem: Problem, tol: float) -> Discretisation[Any, Any]:
    """The space that a problem lives in, with its way of solving."""
    if len(problem.axes) == 1:
        return IntervalDiscretisation.to(problem, tol)
    # on a line nobody should wait for it
    from gated_xtfc.solver.rectangle.discretisation import RectangleDiscretisation

    return RectangleDiscretisation(problem)


def _solution(space: Discretisation[L, F], attempt: Attempt[F], tol: float) -> Solution:
    problem, adapted, translation = space.problem, attempt.adapted, attempt.translation
    status, message = verdict(adapted, tol, translation, problem.linear)
    found, certificate = adapted.found, adapted.certificate
    if found is None or certificate is None:
        found, scales, error = _as_guessed(space), (1.0,) * len(problem.fields), math.inf
    else:
        scales, error = certificate.scales, certificate.error
    if status == Status.NEARLY_SINGULAR:
        error = max(1.0, error)  # an estimate through the inverse of an operator that has none
    parameter, reached = attempt.parameter, attempt.reached
    if not attempt.arrived and parameter is not None and reached is not None:
        status, error = Status.STOPPED, math.inf
        message = (
            f"the solution could be followed to {parameter} = {reached:.6g} only, not to "
            f"{problem.parameters[parameter]:.6g}: what is attached is the solution at {parameter} = {reached:.6g}"
        )
        problem = problem(**{parameter: reached})
        space = space.of(problem)
    return space.solution(
        found,
        translation,
        problem=problem,
        tol=tol,
        status=status,
        message="; ".join([message, *problem.warnings]),
        error=error,
        scales=scales,
        neurons=found.neurons,
        sites=found.sites,
        seconds=0.0,
        history=attempt.history,
        continuation=parameter,
    )


def _as_guessed(space: Discretisation[L, F]) -> F:
    """What is handed over when nothing was found: the plain start itself, meeting the conditions."""
    coordinates, start = begin(space, 1e-3)
    layout = space.lay_out(coordinates)
    return space.standing(layout, space.iterate(layout, start))
