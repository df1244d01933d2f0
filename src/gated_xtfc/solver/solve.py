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
from gated_xtfc.gates.coordinate import Coordinates, bare
from gated_xtfc.notebook import followed
from gated_xtfc.problem.interchange import stated_problem
from gated_xtfc.problem.problem import Problem, require_known_ends
from gated_xtfc.solution.base import Solution
from gated_xtfc.solution.interval import IntervalSolution
from gated_xtfc.solution.round import Round
from gated_xtfc.solution.status import Status
from gated_xtfc.solver.adapt import Limits, begin, require_memory
from gated_xtfc.solver.continuation import HOMOTOPY
from gated_xtfc.solver.discretisation import Discretisation, F, Gates, L, Start
from gated_xtfc.solver.images import others_in_words
from gated_xtfc.solver.interval.discretisation import IntervalDiscretisation
from gated_xtfc.solver.interval.element_family import FoundAtOnce, found_at_once
from gated_xtfc.solver.interval.element_fit import ElementFit
from gated_xtfc.solver.interval.elements import attempt_elements
from gated_xtfc.solver.interval.fit import IntervalFit
from gated_xtfc.solver.interval.newton_family import BegunAtOnce, begun_at_once
from gated_xtfc.solver.interval.patient_elements import attempt_patiently
from gated_xtfc.solver.interval.undetermined import any_constants_solve
from gated_xtfc.solver.options import check, checked_gates
from gated_xtfc.solver.strategy import Attempt, Settings, attempt, verdict, within
from gated_xtfc.solver.tolerance import Tolerance
from gated_xtfc.solver.warm_start import GatePredictor, attempt_warm

PLAIN = 10_000  # kernels for what is handed over when nothing was found
AMPLIFIED = 1e6  # of residuals: above this, linear problems on an interval are solved with all digits where that can be

PLAINLY = "Newton's method began at the plainest function that meets the conditions"

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
    settings = Settings(tol, limits, continuation, progress, guess is not None, stop)
    if stop is not None and problem.evolution is None:
        raise InputError("stop ends equations that evolve in time: this problem does not")
    try:
        with np.errstate(all="ignore"):  # what is not finite is looked for, and ends in a verdict
            if problem.evolution is not None:
                found = _evolved(problem, tolerance, gates, guess, settings)
            elif problem.deviations is not None:
                found = _solved_with_delays(problem, tolerance, gates, guess, settings)
            elif problem.domain.finite:
                found = _solved(problem, tolerance, gates, guess, settings, begun)
                if not problem.tables:
                    return found  # it knows its time, and a copy costs a good part of the quickest solves
            else:
                found = _solved_on_windows(problem, tolerance, gates, guess, settings)
    except MemoryError:
        raise InputError(
            "there is not enough memory to solve this problem: give a larger tol, or a smaller max_neurons"
        ) from None
    if problem.tables and problem.evolution is None:
        found = _within_tables(found)
    return replace(found, seconds=time.perf_counter() - begun)


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


def _solved(
    problem: Problem, tolerance: Tolerance | None, gates: Any, guess: Any, settings: Settings, begun: float
) -> Solution:
    """On a finite domain."""
    limits, fit = settings.limits, None
    plain = problem.linear and guess is None and gates is None
    if plain:
        at_once = found_at_once(problem, tolerance, settings.tol, limits)
        if at_once is not None and at_once.converged(settings.tol):
            return _on_elements(problem, at_once, (), settings, begun)
        fit = None if at_once is None else at_once.fit
    first = None
    if not problem.linear and guess is None and gates is None:
        first = begun_at_once(problem, tolerance, settings.tol, limits)
        if first is not None and first.converged(settings.tol):
            return _on_elements(problem, first, (), settings, begun).left_open(others_in_words)
    space = space_of(problem, settings.tol, tolerance, limits.until)
    if not limits.neurons:
        settings = replace(settings, limits=replace(limits, neurons=space.most_neurons))
    # fields multiply with each other: without this, too many of them would be found out after minutes only
    least = space.least().memory
    if least > limits.memory:
        fields = f"{len(problem.fields)} field{'s' * (len(problem.fields) > 1)}"
        require_memory(least, limits.memory, f", for its {fields} alone: allow more, or state it with fewer")
    if plain and isinstance(space, IntervalDiscretisation):
        quick = attempt_elements(space, None, None, settings, fit)
        if quick is not None:
            quick = _with_switches(space, quick)
            fit = quick.adapted.found
            if fit is not None and quick.converged(settings.tol):
                return _on_elements(problem, fit, quick.adapted.history, settings, begun)
            return _solution(space, quick, settings, time.perf_counter() - begun)
    attempt = _with_switches(space, _attempted(space, gates, guess, settings, first))
    found = _solution(space, attempt, settings, time.perf_counter() - begun, guess)
    if problem.linear or not found.converged or not isinstance(found, IntervalSolution):
        return found
    return found.left_open(others_in_words)


def _with_switches(space: Any, attempt: Attempt[Any]) -> Attempt[Any]:
    """With the error from places of switches that the text does not determine to the last digit."""
    found, certificate = attempt.adapted.found, attempt.adapted.certificate
    problem = space.problem
    if len(problem.axes) > 1 or attempt.translation or found is None or certificate is None or not attempt.arrived:
        return attempt
    if len(found.coordinates[0]) < 2 or not problem.is_text:
        return attempt
    # imported here, so that problems that switch nowhere need not wait for it
    from gated_xtfc.solver.interval.switch_places import with_switches

    certified = with_switches(problem, found, certificate, _start_of(space, found))
    if isinstance(found, ElementFit):
        found = replace(found, certificate=certified)
    return replace(attempt, adapted=replace(attempt.adapted, found=found, certificate=certified))


def _start_of(space: IntervalDiscretisation, found: IntervalFit | ElementFit) -> Start:
    """A fit as a function along which texts can be read."""
    if isinstance(found, IntervalFit):
        return space.as_start(found)
    return Start(lambda f, points, orders: found.function(f, points[0], orders[0]), (), solves=True)


def _on_elements(
    problem: Problem,
    fit: ElementFit | FoundAtOnce | BegunAtOnce,
    history: tuple[Round, ...],
    settings: Settings,
    begun: float,
) -> IntervalSolution:
    """The solution that was certified on elements at once: there is nothing left to decide."""
    certificate, neurons = fit.certificate, fit.neurons
    assert certificate is not None
    if not history:
        steps = fit.steps if isinstance(fit, BegunAtOnce) else 1
        history = (Round(neurons, certificate.error, certificate.rounding, steps),)
        if settings.progress is not None:
            settings.progress(history[0])
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
        neurons=neurons,
        sites=fit.sites,
        seconds=time.perf_counter() - begun,
        history=history,
        continuation=None,
        function=fit.function,
        values=fit.constants if isinstance(fit, ElementFit) else (),
    )


def _solved_with_delays(
    problem: Problem, tolerance: Tolerance | None, gates: Any, guess: Any, settings: Settings
) -> Solution:
    """With values at other places, which follow from the solution."""
    from gated_xtfc.solver.delayed import solve_delayed  # imported here, so that others need not wait for it

    return solve_delayed(problem, settings.tol, _inner(tolerance, gates, settings), guess, settings.limits.over)


def _solved_on_windows(
    problem: Problem, tolerance: Tolerance | None, gates: Any, guess: Any, settings: Settings
) -> Solution:
    """With infinite ends, which are cut off."""
    # imported here, so that problems with finite ends need not wait for it
    from gated_xtfc.solver.unbounded import solve_unbounded

    return solve_unbounded(problem, settings.tol, _inner(tolerance, gates, settings), guess, settings.limits.over)


def _inner(
    tolerance: Tolerance | None, gates: Any, settings: Settings
) -> Callable[[Problem, Any, float], IntervalSolution]:
    """A solve among several that a problem takes."""
    own = None if isinstance(gates, GatePredictor) else gates

    def solved(problem: Problem, start: Any, tol: float) -> IntervalSolution:
        found = _solved(problem, tolerance, own, start, replace(settings, tol=tol), time.perf_counter())
        assert isinstance(found, IntervalSolution)
        return found

    return solved


def _attempted(
    space: Discretisation[Any, Any],
    gates: Iterable[Gate] | Mapping[str, Iterable[Gate]] | GatePredictor | None,
    guess: Any,
    settings: Settings,
    first: BegunAtOnce | None = None,
) -> Attempt[Any]:
    """The usual way; before it the one that a model of the gates knows, or the fast one where it serves."""
    problem = space.problem
    start = None if guess is None else space.start_from_guess(guess)
    if gates is not None:
        require_known_ends(problem, "a solve with gates given")
    model = gates if gates is not None and isinstance(gates, GatePredictor) else None
    warm = None if model is None or start is not None else model.warm_start(problem)
    chosen = None if model is not None else checked_gates(gates, problem.axes)
    ways: list[Callable[[], Attempt[Any] | None]] = []
    if warm is not None:
        ways.append(lambda: attempt_warm(space, warm, settings))
    if isinstance(space, IntervalDiscretisation) and not (problem.linear and guess is None and gates is None):
        # a start is worth more than the faster way, and a linear problem needs none
        ways.insert(
            0 if problem.linear else len(ways), lambda: attempt_elements(space, chosen, start, settings, None, first)
        )
    for way in ways:
        found = way()
        if found is not None:
            return found
    if isinstance(space, IntervalDiscretisation) and problem.linear:
        return _with_all_digits(space, chosen, settings)
    return attempt(space, chosen, start, settings)


def _with_all_digits(space: IntervalDiscretisation, gates: Gates | None, settings: Settings) -> Attempt[Any]:
    """The usual way of a linear problem on an interval, and where it does not lead to the tolerance a patient one.

    Where kernels amplify much, rounding in their rows decides how large a mode is: with all digits it does not.
    """
    usual, refused = None, None
    try:
        usual = attempt(space, gates, None, settings)
    except InputError as refusal:  # kernels may not tell conditions apart that are close together
        refused = refusal
    certificate = None if usual is None else usual.adapted.certificate
    if usual is not None and usual.converged(settings.tol) and certificate and certificate.stability <= AMPLIFIED:
        return usual
    patient = attempt_patiently(space, gates, settings)
    if patient is not None:
        return patient
    if usual is None:
        assert refused is not None
        raise refused
    return usual


def _evolved(problem: Problem, tolerance: Tolerance | None, gates: Any, guess: Any, settings: Settings) -> Solution:
    """Equations that evolve march through time: they take no gates, and no way from an easier member."""
    for name, given in (("gates", gates), ("continuation", settings.continuation)):
        if given is not None:
            raise InputError(f"{name} cannot be given where equations evolve: gates follow the solution through time")
    # imported here, so that other problems need not wait for it
    from gated_xtfc.solver.moving.evolve import evolve

    return evolve(problem, tolerance, settings, guess)


def space_of(
    problem: Problem, tol: float, tolerance: Tolerance | None = None, until: float = math.inf
) -> Discretisation[Any, Any]:
    """The space that a problem lives in, with its way of solving."""
    if len(problem.axes) == 1:
        return IntervalDiscretisation.to(problem, tol, tolerance)
    # imported here, so that problems on an interval need not wait for it
    from gated_xtfc.solver.rectangle.discretisation import RectangleDiscretisation

    return RectangleDiscretisation(problem, tolerance, until)


def _solution(
    space: Discretisation[L, F], attempt: Attempt[F], settings: Settings, seconds: float, guess: Any = None
) -> Solution:
    tol = settings.tol
    problem, adapted, translation = space.problem, attempt.adapted, attempt.translation
    status, message = verdict(adapted, tol, translation, problem.linear)
    if status == Status.CONVERGED and not problem.linear:
        message += f"; {_way(attempt, settings)}"
    if status != Status.CONVERGED and problem.free_ends is not None:
        names = " and ".join(problem.free_ends.starts)
        message += (
            f"; the domain ends at the unknown {names}: where its length goes to zero, or the fields are constant, any "
            f"length may do, so give a guess for {names} and for the fields"
        )
    if status != Status.CONVERGED and problem.free_ends is None and any_constants_solve(problem):
        names = " and ".join(problem.unknown)
        message += (
            f"; where {names} = 0, fields that are constant solve the equations whatever they are, and draw Newton's "
            f"method there: give a guess for {names} and for the fields, as of a period"
        )
    if attempt.note:
        message += f"; {attempt.note}"
    found, certificate = adapted.found, adapted.certificate
    if found is None or certificate is None:
        remarks: list[str] = []
        plenty = min(settings.limits.neurons, PLAIN)
        found, scales, error = _as_guessed(space, plenty, guess), (1.0,) * len(problem.fields), math.inf
    else:
        scales, error = certificate.scales, certificate.error
        remarks = space.remarks(found, translation, status == Status.CONVERGED)
    if status == Status.NEARLY_SINGULAR or (status != Status.CONVERGED and error <= tol):
        # an estimate through the inverse of an operator that has none, or on layers thinner than the numbers
        error = max(1.0, error)
    parameter, reached = attempt.parameter, attempt.reached
    if not attempt.arrived and parameter is not None and reached is not None:
        status, error = Status.STOPPED, math.inf
        message = (
            f"the solution could be followed to {parameter} = {reached:.6g} only, not to "
            f"{problem.parameters[parameter]:.6g}: what is attached is the solution at {parameter} = {reached:.6g}"
        )
        problem = problem(**{parameter: reached})
        space = space.for_problem(problem)
    return space.solution(
        found,
        translation,
        problem=problem,
        tol=tol,
        status=status,
        message="; ".join([message, *remarks, *problem.warnings]),
        error=error,
        scales=scales,
        neurons=found.neurons,
        sites=found.sites,
        seconds=seconds,
        history=attempt.history,
        continuation=parameter,
    )


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
