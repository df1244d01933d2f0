"""The first state: values at the start on a layout that resolves them, breaks smoothed, what follows at once set."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from gated_xtfc.discretise.moving.coordinate import MovingCoordinate
from gated_xtfc.discretise.moving.sites import sites
from gated_xtfc.solver.moving.at_once import consistent, contradicted, follows, missed_at_ends
from gated_xtfc.solver.moving.bent import Bent
from gated_xtfc.solver.moving.breaks import BESIDE, Break, broken, broken_at_anchors, given_values
from gated_xtfc.solver.moving.density import AIM, GRADINGS, Choice, anchored, chosen, density_for, remainder, wanted
from gated_xtfc.solver.moving.equations import Equations
from gated_xtfc.solver.moving.features import StartFeatures, spreading
from gated_xtfc.solver.moving.foresight import UNSURE, foreseen
from gated_xtfc.solver.moving.layout import FEWEST, ORDER, State, laid_out
from gated_xtfc.solver.moving.needles import NARROW
from gated_xtfc.solver.moving.size import field_sizes
from gated_xtfc.solver.moving.smoothing import first_error, first_time, smoothed
from gated_xtfc.solver.moving.system import MovingSystem, weak_values
from gated_xtfc.solver.moving.tracking import drift
from gated_xtfc.types import Array

ROUNDS = 30
FURTHER = 3  # rounds for what errors add up to
FARTHEST = 1e3  # by which one round makes it less
SAMPLES = 4001
LEAST = 1e-12  # tolerance at which breaks are looked for that nothing spreads


class NotSmooth(Exception):
    """The values at the start leap or bend where nothing spreads them."""


@dataclass(frozen=True)
class Beginning:
    """Where a march begins."""

    state: State
    density: float  # of sites
    breaks: tuple[Break, ...]  # that were smoothed
    left_over: float  # the part of the remainder at the start that no layout removed, relative
    said: str = ""  # where it begins with something else than is given
    demand: float = 1.0  # by which remainders count for more, as what they lead to adds up


def begin(equations: Equations, found: StartFeatures, tol: float, goal: float, most: int) -> Beginning:
    """Values at the start, on a layout that resolves them to the tolerance where one does; `found` is in the texts.

    What nothing spreads of breaks is bent away where that is within the tolerance of the whole, `goal`.
    """
    problem, evolution = equations.problem, equations.evolution
    space, time = evolution.space, evolution.time
    ends = space.left, space.right
    joined = found.anchors if equations.hosts is not None else ()
    plain = tuple(x for x in found.breaks if all(abs(x - one) > BESIDE * space.length for one in joined))
    breaks = [*broken(problem, evolution, plain, tol), *broken_at_anchors(equations, joined, tol)]
    weak = weak_values(equations, spreading(equations))
    system = MovingSystem(equations, sites(FEWEST, ORDER), weak, found.anchors, found.needles)
    given = given_values(equations)
    texts = [(one.location, max(NARROW * one.thickness, 1e-14 * space.length)) for one in found.sharp]
    nothing = lambda x: np.zeros((equations.count, x.size))  # noqa: E731
    if any(follows(one, equations) for end in evolution.ends for one in end if one is not None) and not breaks:
        held = Trial(system, given, nothing, time.left, tol, most, ends, held=True)
        breaks = missed_at_ends(settled(held, texts + _steep(given, ends), ()).state, tol)
    slight = [one for one in broken(problem, evolution, (), LEAST) if one not in breaks]  # next to nothing, but sharp
    every = first_time([*breaks, *slight], equations, tol, time.left, given)[1]
    stay = [one.broken for one in every if not one.width > 0.0]
    bent = Bent.of(stay, given, space, goal)
    for one in stay if bent is None else ():
        field, amount = problem.fields[one.field], one.amount()
        if not one.inside:
            raise NotSmooth(
                f"{field} misses its condition at {space.name} = {one.place:.6g} by {amount} at the start, and nothing "
                "spreads the difference; if it flows out there, the condition belongs to the other end"
            )
        raise NotSmooth(
            f"{field} leaps or bends at {space.name} = {one.place:.6g} by {amount} at the start, and nothing "
            "spreads it there"
        )
    breaks = [one for one in breaks if one not in stay]
    tau, spreads = first_time(breaks, equations, tol, time.left, given)
    spread = smoothed(given, spreads, ends)
    away = Bent((), space) if bent is None else bent
    values = lambda x: equations.completed(x, time.left, spread(x) + away(x, equations.count))  # noqa: E731
    gates = [(one.broken.place, 0.5 * one.width) for one in spreads] + texts + _steep(values, ends)
    start = time.left + (tau if breaks else 0.0)
    error = lambda x: first_error(spreads, x, equations.count) + away.error(x, equations.count)  # noqa: E731
    trial = Trial(system, values, error, start, tol, most, ends)
    begun = lasting(settled(trial, gates, tuple(breaks)), trial, evolution.horizon)
    said = away.said(problem.fields, field_sizes(begun.state.values), goal)
    return replace(begun, said="; ".join(one for one in (begun.said, said) if one))


def _steep(values: Callable[[Array], Array], ends: tuple[float, float]) -> list[tuple[float, float]]:
    """Places where samples of the start change most from one to the next, with a thickness."""
    x = np.linspace(*ends, SAMPLES)
    u = values(x)
    change = np.abs(np.diff(u, axis=1) / (np.ptp(u, axis=1) + 1e-300)[:, None]).max(axis=0)
    peak = (change[1:-1] > 0.02) & (change[1:-1] >= change[:-2]) & (change[1:-1] > change[2:])
    gap = (ends[1] - ends[0]) / (SAMPLES - 1)
    return [(float(x[i] + 0.5 * gap), 0.5 * gap / min(float(change[i]), 0.5)) for i in np.flatnonzero(peak) + 1]


@dataclass
class Trial:
    """States of the same values on one layout after the other."""

    system: MovingSystem
    values: Callable[[Array], Array]
    error: Callable[[Array], Array]
    t: float
    tol: float
    most: int
    ends: tuple[float, float]
    held: bool = False  # whether fields with a derivative in time stay as they are at the ends, too

    def on(self, choice: Choice, density: float) -> State:
        layout, frame = laid_out(self.system, choice.coordinate, choice.gates, density, self.most)
        u = self.values(frame.x[0])
        if not np.isfinite(u).all():
            raise np.linalg.LinAlgError("values at the start that are not finite")
        return State(self.t, layout, choice.gates, frame, u, self.error(frame.x[0]))


def _merged(gates: list[tuple[float, float]], held: list[tuple[float, float]], length: float) -> Array:
    """Of gates that are closer than their thickness, the thinnest: (2, g), in order; `held` are there in any case."""
    kept = [
        (place, min([thickness, *(own for other, own in gates if abs(place - other) <= 3.0 * own)]))
        for place, thickness in held
    ]
    most = len(kept) + 16
    for place, thickness in sorted(gates, key=lambda gate: gate[1]):
        if thickness < 0.2 * length and all(abs(place - other) > 3.0 * (thickness + own) for other, own in kept):
            kept.append((place, thickness))
    return np.array(sorted(kept[:most])).reshape(-1, 2).T


def settled(trial: Trial, gates: list[tuple[float, float]], breaks: tuple[Break, ...]) -> Beginning:
    """Layouts made anew from what the last one shows, until one resolves the start with few sites."""
    left, right = trial.ends
    density = density_for(trial.tol)
    anchors = trial.system.anchors
    first = _merged(gates, anchored(anchors, trial.ends), right - left)
    choice = Choice(MovingCoordinate(left, right, (right - left) / 8.0, np.full(first.shape[1], GRADINGS[0])), first)
    state = trial.on(choice, density)
    best: tuple[State, float] | None = None
    slimmer = 0
    worst = np.inf
    for k in range(ROUNDS):
        size = field_sizes(state.values)
        remainders = remainder(state, state.values, size)
        worst = float(remainders.max())
        if not np.isfinite(worst):
            raise np.linalg.LinAlgError("values at the start with a pole")
        enough = worst <= 2.0 * AIM * trial.tol and k > 0
        if enough:
            if best is None or state.layout.sites.size < 0.95 * best[0].layout.sites.size:
                best = state, density
            choice = chosen(state.x, wanted(state, remainders, trial.tol, density), trial.ends, state.gates, anchors)
            if slimmer >= 4 or choice.length * density > 0.9 * state.layout.sites.intervals:
                break
            slimmer += 1
        else:
            hardest = 8.0 if worst > 1e-2 else 3.0
            choice = chosen(
                state.x, wanted(state, remainders, trial.tol, density, hardest), trial.ends, state.gates, anchors
            )
            if choice.same_as(state):
                density *= 1.1
        try:
            state = trial.on(choice, density)
        except np.linalg.LinAlgError:
            break
    if best is not None:
        state, density = best
    else:
        worst = float(remainder(state, state.values, field_sizes(state.values)).max())
    begun = consistent(state, trial.held)
    return Beginning(begun, density, breaks, 0.0 if best is not None else worst, said=contradicted(begun))


def lasting(beginning: Beginning, trial: Trial, over: float) -> Beginning:
    """With so many more sites that what differences in space add over all the time is within the tolerance."""
    state, density = beginning.state, beginning.density
    for _ in range(FURTHER):
        lack = UNSURE * foreseen(state, field_sizes(state.values), over, drift(trial.tol)) / trial.tol
        if not lack > 1.0:
            break
        lack = min(lack, FARTHEST)
        density *= lack ** (1.0 / ORDER)
        try:
            state = trial.on(Choice(state.layout.coordinate, state.gates), density)
        except np.linalg.LinAlgError:
            break
        beginning = replace(
            beginning, state=consistent(state, trial.held), density=density, demand=beginning.demand * lack
        )
    return beginning
