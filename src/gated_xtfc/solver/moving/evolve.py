"""solve for equations that evolve: marches with smaller and smaller tolerances until the whole is within tol."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from gated_xtfc.discretise.moving.record import Piece, TimeRecord
from gated_xtfc.errors import InputError
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solution.evolution import EvolutionSolution
from gated_xtfc.solution.round import Round
from gated_xtfc.solution.status import Status
from gated_xtfc.solver.moving.ending import Ending
from gated_xtfc.solver.moving.equations import Equations
from gated_xtfc.solver.moving.features import features
from gated_xtfc.solver.moving.layout import FEWEST
from gated_xtfc.solver.moving.march import March
from gated_xtfc.solver.moving.resume import resumed
from gated_xtfc.solver.moving.start import Beginning, NotSmooth, begin
from gated_xtfc.solver.moving.time_breaks import TimeBreak, time_breaks
from gated_xtfc.solver.moving.well_posed import WellPosed
from gated_xtfc.solver.strategy import Settings
from gated_xtfc.solver.tolerance import Tolerance
from gated_xtfc.types import Array

FIRST = 0.3  # of the tolerance: that of the first march
INSIDE = 2.0  # what the error inside a step is multiplied with
TRUSTED = 1.5  # what the error carried along is multiplied with
TIGHTER = 0.3  # by which the tolerance of a march falls at least from round to round
SHARPEST = 0.02  # and at most
FINEST = 2e-11  # tolerance of a march that rounding allows
ROUNDS = 8
NEARLY, SHRINKING = 30.0, 0.7  # tolerances, and part of the round before: what places that texts switch by may add yet
HOPELESS = 1.0  # tolerances of error at which a march is given up for a better one
EARLY = 8.0  # times as many where a field begins with zero: its size is not known yet
AHEAD = 4.0  # by which the error of such a march is expected to grow at most
BETWEEN = 0.2  # of the remainder of order q: the error between sites, where more of them are used
SITES = 4_000  # times fields, unless max_neurons says otherwise


@dataclass(frozen=True)
class MarchOutcome:
    """A march that has ended, and why it did."""

    march: March
    error: float
    scales: tuple[float, ...]
    estimates: Array  # (k,), after every step
    out_of: str  # what was used up: "time", "steps", or nothing
    turned: str = ""  # a sentence where the equations turned ill-posed on the way


def evolve(problem: Problem, tolerance: Tolerance | None, settings: Settings, guess: Any) -> EvolutionSolution:
    """The solution, or as much of it as there is."""
    count = len(problem.fields)
    most = max(FEWEST, settings.limits.neurons // count or SITES)
    tol, history = FIRST * settings.tol, list[Round]()
    best: MarchOutcome | None = None
    beginning: Beginning | None = None
    spent, switched = 0, math.inf
    rounds = min(settings.limits.rounds, ROUNDS)
    breaks, stop = time_breaks(problem), Ending.stated(settings.stop, problem)
    equations = Equations(problem)
    found = features(problem, equations.evolution) if guess is None else None
    for k in range(rounds):
        try:
            beginning = (
                begin(equations, found, tol, settings.tol, most) if found is not None else resumed(guess, equations)
            )
        except NotSmooth as error:
            raise InputError(f"{error}: give other values at the start, or an equation with diffusion") from None
        except np.linalg.LinAlgError:
            break
        outcome = _marched(
            problem, beginning, tol, most, tolerance, settings, breaks, stop, spent, last=k + 1 == rounds
        )
        spent += len(outcome.march.pieces)
        history.append(Round(count * outcome.march.largest, outcome.error, 0.0, len(outcome.march.pieces)))
        if best is None or (outcome.march.done, -outcome.error) >= (best.march.done, -best.error):
            best = outcome
        finest = tol if _adrift(outcome.march, outcome.scales, settings) else max(FINEST, outcome.march.blur)
        switched, before = _switched(outcome.march, outcome.scales), switched
        apart = outcome.error - switched
        # better marches remove what kinks do, by the square of the distance of two sites, and hardly what leaps do
        shrinks = switched <= SHRINKING * before and outcome.error <= NEARLY * settings.tol
        enough = outcome.error <= settings.tol or (apart <= settings.tol and not shrinks)
        if (outcome.march.done and enough) or outcome.out_of or outcome.turned or tol <= finest:
            break
        if outcome.march.failure and not outcome.march.done and k > 0:
            break
        part = 1.0 if shrinks else max(apart / outcome.error, 0.0)
        lack = settings.tol / max(part * _foreseen(outcome, problem), 1e-300)
        tol = max(tol * min(TIGHTER, max(SHARPEST, 0.5 * lack)), finest)
    if best is None or not best.march.pieces:
        return _nothing(problem, settings, beginning, best, history)
    return _solution(problem, settings, best, history, tol, most, guess, stop)


def _adrift(march: March, scales: tuple[float, ...], settings: Settings) -> bool:
    """Whether rounding alone shifts fronts by more than the tolerance allows."""
    return bool((march.adrift >= settings.tol * np.array(scales)).any())


def _foreseen(outcome: MarchOutcome, problem: Problem) -> float:
    """The error that a march which was given up would have had at the end, growing as it did in its second half."""
    march, estimates = outcome.march, outcome.estimates
    assert problem.evolution is not None
    gone = march.state.t - march.pieces[0].start if march.pieces else 0.0
    if march.done or not gone > 0.0:
        return max(outcome.error, 1e-300)
    ends = np.array([piece.start + piece.length for piece in march.pieces]) - march.pieces[0].start
    half = float(estimates[min(int(np.searchsorted(ends, 0.5 * gone)), estimates.size - 1)])
    power = min(max(math.log2(max(outcome.error / max(half, 1e-300), 1.0)), 0.5), 1.0)
    growth: float = min(AHEAD, (march.whole / gone) ** power)
    return max(outcome.error * growth, 1e-300)


def _marched(
    problem: Problem,
    beginning: Beginning,
    tol: float,
    most: int,
    tolerance: Tolerance | None,
    settings: Settings,
    breaks: tuple[TimeBreak, ...],
    stop: Ending | None,
    spent: int,
    last: bool,
) -> MarchOutcome:
    assert problem.evolution is not None
    march = March(beginning, tol, settings.tol, problem.evolution.time.right, most, breaks)
    out_of = turned = ""
    estimates: list[float] = []
    watch = WellPosed.of(march.state.layout.system.equations)

    def proceed(march: March) -> bool:
        nonlocal out_of, turned
        error, scales = _error(march, tolerance)
        estimates.extend([error] * (len(march.pieces) - len(estimates)))
        if settings.progress is not None:
            settings.progress(Round(march.state.values.size, error, 0.0, 1, march.state.t))
        if stop is not None and stop.comes(march, settings.tol):
            march.stopped = True
            return False
        turned = watch.broken(march.pieces[-1], settings.tol)
        if turned:
            return False
        if settings.limits.over():
            out_of = "time"
        elif spent + len(march.pieces) >= settings.limits.steps:
            out_of = "steps"
        # where the tolerance is missed already, a better march is due
        given_up = HOPELESS * (EARLY if march.sizes.floor.any() else 1.0) * settings.tol
        whole = last or tol <= max(FINEST, march.blur) or _adrift(march, scales, settings)
        apart = _switched(march, scales) + float((march.adrift / np.array(scales)).max())
        return not out_of and (whole or error - apart <= given_up)

    march.run(proceed)
    error, scales = _error(march, tolerance)
    return MarchOutcome(march, error, scales, np.array(estimates), "" if march.done else out_of, turned)


def _switched(march: March, scales: tuple[float, ...]) -> float:
    """The part of the error from places at which fields are switched by, in the same units."""
    return float((march.switched / np.array(scales)).max())


def _error(march: March, tolerance: Tolerance | None) -> tuple[float, tuple[float, ...]]:
    """The estimated error so far, relative to the scales, and these."""
    peak = np.where(march.sizes.peak > 0.0, march.sizes.peak, 1.0) if march.done else march.sizes.scale
    scales = tuple(peak.tolist()) if tolerance is None else tolerance.scales(peak.tolist())
    whole = (
        march.anchored
        + march.switched
        + march.skipped
        + TRUSTED * march.passed
        + INSIDE * march.local
        + march.adrift
        + BETWEEN * march.worst * np.minimum(march.sizes.top, peak)
    )
    return float((whole / np.array(scales)).max()) + (march.unrest if march.stopped else 0.0), scales


def _solution(
    problem: Problem,
    settings: Settings,
    found: MarchOutcome,
    history: list[Round],
    tol: float,
    most: int,
    guess: Any,
    stop: Ending | None,
) -> EvolutionSolution:
    march, error = found.march, found.error
    evolution = problem.evolution
    assert evolution is not None
    pieces = list(march.pieces)
    if march.beginning.breaks and not isinstance(guess, EvolutionSolution):
        first = pieces[0]
        still = Piece(
            evolution.time.left, first.start - evolution.time.left, first.coordinate, first.pins, first.sites,
            first.values[:1], first.gates[:1],
        )  # fmt: skip
        pieces.insert(0, still)
    estimates = np.concatenate([np.zeros(len(pieces) - found.estimates.size), found.estimates])
    if isinstance(guess, EvolutionSolution):
        pieces = [*guess.record.pieces, *pieces[-len(march.pieces) :]]
        estimates = np.concatenate([guess.estimates, estimates[-len(march.pieces) :]])
        error = max(error, guess.error)
    name, end = evolution.time.name, march.state.t
    only = f"the solution could be followed to {name} = {end:.6g} only"
    if not march.done and found.out_of == "time":
        status, message = Status.MAX_SECONDS, f"{only} within the time allowed: allow more with max_seconds"
    elif not march.done and found.out_of == "steps":
        status, message = Status.STOPPED, f"{only} in {settings.limits.steps} steps: allow more with max_steps"
    elif found.turned:
        status, message = Status.STOPPED, f"{only}: {found.turned}"
    elif not march.done:
        status, message = Status.STOPPED, f"{only}: {march.failure or 'its error grew beyond the tolerance'}"
    elif error <= settings.tol:
        status, message = Status.CONVERGED, "the estimated error is within the tolerance"
    elif march.largest >= most:
        status = Status.MAX_NEURONS
        message = f"the estimated error is {error:.1e}, and more than {march.largest} sites are not allowed"
    elif tol <= max(FINEST, march.blur) or _adrift(march, found.scales, settings):
        status, message = Status.ROUNDING, f"the estimated error is {error:.1e}: double precision gives no more"
    else:
        status = Status.RESOLUTION
        message = f"the estimated error is {error:.1e} after {len(history)} rounds"
        if _switched(march, found.scales) > 0.5 * error:
            message += ", for the equation switches by a field or time at places between the sites: smooth the switch"
    if stop is not None and march.done:
        message += f"; {stop.said(march, name)}"
    if march.beginning.breaks:
        over = march.beginning.state.t - evolution.time.left
        message += f"; leaps at the start were smoothed over a first time of {over:.1e}, within which no error is known"
    for at, over in march.leaps:
        message += (
            f"; a leap at {name} = {at:.6g} was smoothed over a time of {over:.1e}, within which no error is known"
        )
    if march.beginning.said:
        message += f"; {march.beginning.said}"
    sites = march.largest
    return EvolutionSolution(
        problem=problem, tol=settings.tol, status=status, message="; ".join([message, *problem.warnings]), error=error,
        scales=found.scales, neurons=sites * len(problem.fields), sites=sites, seconds=0.0, history=tuple(history),
        continuation=None, record=TimeRecord(tuple(pieces)), estimates=estimates, carried=march.carried,
        steady=march.stopped and stop is not None and stop.event is None,
    )  # fmt: skip


def _nothing(
    problem: Problem, settings: Settings, beginning: Beginning | None, found: MarchOutcome | None, history: list[Round]
) -> EvolutionSolution:
    """What is handed over when not one step could be taken: the values at the start."""
    evolution = problem.evolution
    assert evolution is not None
    if beginning is None:
        raise InputError("the values at the start could not be resolved: look for poles in them")
    state = beginning.state
    layout = state.layout
    piece = Piece(
        evolution.time.left, evolution.horizon, layout.coordinate, layout.pins, layout.sites, state.values[None],
        state.gates[None],
    )  # fmt: skip
    why = found.march.failure if found is not None and found.march.failure else "no time was left for it"
    status = Status.MAX_SECONDS if found is not None and found.out_of == "time" else Status.NOT_FOUND
    return EvolutionSolution(
        problem=problem, tol=settings.tol, status=status,
        message=f"not one step in {evolution.time.name} could be taken ({why}): attached are the values at its start",
        error=math.inf, scales=(1.0,) * len(problem.fields), neurons=state.values.size, sites=layout.sites.size,
        seconds=0.0, history=tuple(history), continuation=None, record=TimeRecord((piece,)),
        estimates=np.array([math.inf]), carried=state.error,
    )  # fmt: skip
