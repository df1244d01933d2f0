"""One member of a family: fit (or Newton), certify, refine, until the tolerance is met or cannot be."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic

import numpy as np

from gated_xtfc.errors import InputError
from gated_xtfc.gates.coordinate import Coordinates, refined
from gated_xtfc.operator.linearise import Operator
from gated_xtfc.solution.round import Round
from gated_xtfc.solution.status import Status
from gated_xtfc.solver.discretisation import (
    Certificate,
    Convergence,
    Discretisation,
    F,
    Gates,
    L,
    LayoutSize,
    Start,
    coarsened,
)
from gated_xtfc.solver.newton import newton

MOST_GUIDED = 3  # times that gates are set anew from it
# How much a residual is amplified to an error is itself computed with kernels. Those that resolve a mode to 1e-10
# cannot show an amplification above 1e10. One that is not resolved, or was not looked at and is large, is believed only
# when a finer layout finds about the same.
RESOLVED = 0.05  # relative error of the amplification that counts as none
DOUBTFUL = 1e8
DENSER = 1.5  # the finer layout
MOST_DOUBTED = 3  # layouts in a row, each of which shows a much larger one: then it has no bound
BREAKDOWN = 0.01  # part of an estimate that is rounding, above which a layout does not speak against coarser ones
MOST_STEPPED_OVER = 8  # layouts that miss something that the texts do along the solution
SINGULAR = 1e11  # amplification of the residual beyond which the operator counts as nearly singular
FROM_AFAR = 9  # steps: a finer layout that takes more does not begin near its solution
GIGA = 1e9
NOT_FINITE = "no solution is finite in double precision: scale the problem, or smooth its data"


@dataclass(frozen=True)
class Limits:
    """What a solve may take."""

    neurons: int
    rounds: int  # of refinement, for each member
    steps: int  # of Newton's method, in all
    memory: float  # bytes
    until: float = math.inf  # a time of `time.perf_counter` after which nothing is begun
    patient: bool = False  # whether Newton's method is to take its time

    def over(self) -> bool:
        """Whether the time is up."""
        return time.perf_counter() > self.until


@dataclass(frozen=True)
class Adapted(Generic[F]):
    """The best fit of one member, and how it was come by."""

    found: F | None  # the best fit; None when Newton's method did not converge even once
    certificate: Certificate | None
    history: tuple[Round, ...]
    stopped: Status | None  # the budget that a finer layout would have exceeded
    steps: int  # of Newton's method, failed ones too
    confirmed: bool  # whether the amplification of the residual was found again on a finer layout, if it is large

    @property
    def error(self) -> float:
        """The estimated error, infinite where nothing was found."""
        return math.inf if self.certificate is None else self.certificate.error


def adapt(
    space: Discretisation[L, F],
    coordinates: Coordinates,
    start: Start | None,
    tol: float,
    limits: Limits,
    report: Callable[[Round], None] | None = None,
    hopeless: float = math.inf,
    tried: Callable[[Coordinates], bool] = lambda _: False,
    begun: Convergence[F] | None = None,
) -> Adapted[F]:
    """The best fit that refinement from these coordinates leads to.

    `start` is where Newton's method begins; a linear equation needs none. `report` is called with every round. A first
    fit with an error above `hopeless` is not refined, unless the next coordinates are to be `tried` all the same; nor,
    where there is such a bound, is one that the coarser layout has misled. `begun` is what Newton's method
    made of these coordinates, where that is known already.
    """
    highest = max(space.problem.order.values())
    wanted = space.size(coordinates).neurons
    coordinates = coarsened(space, coordinates, limits.neurons)
    blind = wanted > space.blind * space.size(coordinates).neurons
    require_memory(space.size(coordinates).memory, limits.memory, ": allow more, or a smaller max_neurons")
    history: list[Round] = []
    best: tuple[F, Certificate] | None = None
    without_gain, guided, newton_steps, unconfirmed, before = 0, 0, 0, 0, 0.0
    stopped: Status | None = None
    confirmed, stepped_over = True, 0

    def record(found: F, certificate: Certificate, steps: int) -> None:
        history.append(Round(found.neurons, certificate.error, certificate.rounding, max(1, steps)))
        if report is not None:
            report(history[-1])

    while len(history) < limits.rounds and newton_steps < limits.steps:
        if limits.over():
            break
        try:
            remaining = replace(limits, steps=limits.steps - newton_steps)
            outcome = begun or _fitted(space, coordinates, start, best and best[0], tol, remaining)
            begun = None
        except MemoryError:  # less than allowed, and yet more than there is
            if best is None:
                raise
            stopped = Status.MAX_MEMORY
            break
        newton_steps += outcome.steps
        found = outcome.found
        if not outcome.converged or found is None:
            if limits.over() or best is None or start is None or guided >= MOST_GUIDED:
                break
            start, guided = space.as_start(best[0]), guided + 1
            coordinates = guide(space, best[0], tol) or space.refine(*best, tol)
            stopped = _exceeded(space.size(coordinates), limits)
            if stopped is not None:
                break
            continue
        if start is not None:
            start = space.as_start(found)
        certificate = _certified(space, found)
        if certificate is None:
            break
        trusted, confirmed = best is not None and confirmed, _believed(certificate, before, highest)
        before, met = certificate.stability, certificate.error <= tol
        unconfirmed = 0 if confirmed else unconfirmed + met
        if trusted and not confirmed and certificate.rounding > BREAKDOWN * certificate.error:
            # rounding has taken over on this layout; the inverses of coarser ones were resolved
            record(found, certificate, outcome.steps)
            confirmed = True
            break
        if not confirmed:
            # neither this estimate nor those of coarser layouts can be believed
            certificate, best = replace(certificate, error=max(1.0, certificate.error)), None
        elif blind:
            # what the texts hide may stand between all places that were looked at
            certificate = replace(certificate, error=max(1.0, certificate.error))
        elif found.unsettled:
            # what an iteration left undone is part of the error, and no finer layout removes it
            certificate = replace(certificate, rounding=certificate.error)
        record(found, certificate, outcome.steps)
        without_gain = without_gain + 1 if best is not None and certificate.error > 0.5 * best[1].error else 0
        if best is None or certificate.error < best[1].error:
            best = found, certificate
        done = certificate.error <= tol or certificate.rounding > 0.5 * certificate.error
        near = start is not None and confirmed and (done or certificate.error <= space.coarse)
        if near and space.steps_over(found, certificate):
            # the kernels have not seen all of the equations: no estimate of theirs counts
            best = found, replace(certificate, error=max(1.0, certificate.error))
            stepped_over += 1
            coordinates = guide(space, found, tol) or refined(found.coordinates, DENSER)
            stopped = _exceeded(space.size(coordinates), limits)
            if stopped is not None or stepped_over > MOST_STEPPED_OVER:
                break
            continue
        if confirmed and (done or without_gain >= 2):
            break
        if certificate.stability > SINGULAR or unconfirmed > MOST_DOUBTED:
            break
        misled = len(history) > 1 and outcome.steps > FROM_AFAR and certificate.error > space.coarse
        if misled and hopeless < math.inf:
            break
        if not confirmed and met:  # the solution is resolved, what it rests on is not
            coordinates = refined(found.coordinates, DENSER)
        elif start is not None and guided < MOST_GUIDED and (certificate.error > space.coarse or without_gain):
            # gates that hardly add kernels would give the same solution again
            fresh = guide(space, found, tol)
            new = fresh is not None and space.size(fresh).neurons > 1.1 * space.size(coordinates).neurons
            coordinates = fresh if fresh is not None and new else space.refine(found, certificate, tol)
            guided += 1
        else:
            coordinates = space.refine(found, certificate, tol)
        if min(entry.error for entry in history) > hopeless and not tried(coordinates):
            break
        stopped = _exceeded(space.size(coordinates), limits)
        if stopped is not None:
            break
    if stopped is None and limits.over() and (best is None or best[1].error > tol):
        stopped = Status.MAX_SECONDS  # whatever ended it: what was under way may have been left half done for that
    if blind and stopped is None:
        stopped = Status.MAX_NEURONS
    if best is None:
        return Adapted(None, None, tuple(history), stopped, newton_steps, True)
    return Adapted(*best, tuple(history), stopped, newton_steps, confirmed)


def _believed(certificate: Certificate, before: float, highest: int) -> bool:
    """Whether the amplification that a certificate shows is believed; `before` is that of a coarser layout."""
    if certificate.unresolved is not None:
        return certificate.unresolved <= RESOLVED
    # rows are multiplied by the kernel width to the order of the equations: finer ones amplify more by that alone
    return certificate.stability <= max(DOUBTFUL, 2.0 * DENSER**highest * before)


def _exceeded(size: LayoutSize, limits: Limits) -> Status | None:
    """The budget that a layout of this size would exceed."""
    if size.neurons > limits.neurons:
        return Status.MAX_NEURONS
    return Status.MAX_MEMORY if size.memory > limits.memory else None


def _fitted(
    space: Discretisation[L, F],
    coordinates: Coordinates,
    start: Start | None,
    best: F | None,
    tol: float,
    limits: Limits,
) -> Convergence[F]:
    """On one layout: the fit of linear equations, which takes no steps, or Newton's method."""
    try:
        layout = space.lay_out(coordinates)
        if start is None:
            operator = Operator(space.problem)
            near = None if best is None else space.near(layout, best)
            return Convergence(space.fit(layout, operator(layout.points), 1e-3 * tol, near), 0, True)
        iterate = space.iterate(layout, start)
        quick = space.converged_on(layout, iterate, tol, limits.steps, limits.until)
        return quick or newton(space, layout, iterate, 0.01 * tol, limits.steps, limits.until, limits.patient)
    except np.linalg.LinAlgError:
        return Convergence(None, 0, False)  # kernels thinner than the numbers around them


def _certified(space: Discretisation[L, F], found: F) -> Certificate | None:
    """None where the estimate is not finite."""
    try:
        certificate = space.certify(found)
    except np.linalg.LinAlgError:
        return None
    return certificate if np.isfinite(certificate.error) else None


def begin(
    space: Discretisation[L, F], tol: float, guess: Start | None = None, gates: Gates | None = None
) -> tuple[Coordinates, Start]:
    """The first coordinates of a nonlinear problem, and where Newton's method starts."""
    try:
        start = guess or space.default_start()
        return space.predict(tol, start, gates, [start.layers] if start.layers else ()), start
    except InputError as error:
        if space.problem.linear:  # which comes here for what is handed over when nothing was found
            raise InputError(NOT_FINITE) from None
        raise InputError(
            f"Newton's method cannot start, for at the first guess {error}, or give another guess"
        ) from None


def guide(space: Discretisation[L, F], found: F, tol: float) -> Coordinates | None:
    """Gates anew: from the equations linearised about this solution, and from where the solution itself bends.

    None where the linearisation is not finite, as it may be about a poor solution.
    """
    try:
        return space.predict(tol, space.as_start(found), seen=space.layers_shown(found))
    except InputError:
        return None


def require_memory(need: float, allowed: float, advice: str) -> None:
    """Refuses a problem that needs more bytes than allowed."""
    if need > allowed:
        raise InputError(
            f"the problem needs about {need / GIGA:.3g} GB of memory, more than the {allowed / GIGA:.3g} GB of "
            f"max_memory{advice}"
        )
