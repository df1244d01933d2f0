"""The first state: values at the start on a layout that resolves them, breaks smoothed, what follows at once set."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_banded

from gated_xtfc.discretise.moving.coordinate import MovingCoordinate
from gated_xtfc.discretise.moving.sites import sites
from gated_xtfc.solver.moving.density import AIM, GRADINGS, Choice, anchored, chosen, density_for, remainder, wanted
from gated_xtfc.solver.moving.equations import Equations
from gated_xtfc.solver.moving.layout import FEWEST, ORDER, State, laid_out
from gated_xtfc.solver.moving.needles import NARROW
from gated_xtfc.solver.moving.size import field_sizes
from gated_xtfc.solver.moving.smoothing import (
    BESIDE,
    Break,
    StartFeatures,
    broken,
    broken_at_anchors,
    first_error,
    first_time,
    given_values,
    smoothed,
    spreading,
)  # fmt: skip
from gated_xtfc.solver.moving.system import MovingSystem, weak_values
from gated_xtfc.types import Array

ROUNDS = 30
SAMPLES = 4001


class NotSmooth(Exception):
    """The values at the start leap or bend where nothing spreads them."""


@dataclass(frozen=True)
class Beginning:
    """Where a march begins."""

    state: State
    density: float  # of sites
    breaks: tuple[Break, ...]  # that were smoothed
    left_over: float  # the part of the remainder at the start that no layout removed, relative


def begin(equations: Equations, found: StartFeatures, tol: float, most: int) -> Beginning:
    """Values at the start, on a layout that resolves them to the tolerance where one does; `found` is in the texts."""
    problem, evolution = equations.problem, equations.evolution
    space, time = evolution.space, evolution.time
    ends = space.left, space.right
    joined = found.anchors if equations.hosts is not None else ()
    plain = tuple(x for x in found.breaks if all(abs(x - one) > BESIDE * space.length for one in joined))
    breaks = [*broken(problem, evolution, plain, tol), *broken_at_anchors(equations, joined, tol)]
    weak = weak_values(equations, spreading(equations))
    system = MovingSystem(equations, sites(FEWEST, ORDER), weak, found.anchors, found.needles)
    given = given_values(evolution)
    tau, spreads = first_time(breaks, equations, tol, time.left, given)
    for one in spreads:
        if not one.width > 0.0 and not one.broken.inside:
            raise NotSmooth(
                f"{problem.fields[one.broken.field]} does not meet its condition at {space.name} = "
                f"{one.broken.place:.6g} at the start, and nothing spreads the difference; if it flows out there, "
                "the condition belongs to the other end"
            )
        if not one.width > 0.0:
            raise NotSmooth(
                f"{problem.fields[one.broken.field]} leaps or bends at {space.name} = {one.broken.place:.6g} at the "
                "start, and nothing spreads it there"
            )
    values = smoothed(given, spreads, ends)
    gates = [(one.broken.place, 0.5 * one.width) for one in spreads]
    gates += [(one.location, max(NARROW * one.thickness, 1e-14 * space.length)) for one in found.sharp]
    gates += _steep(values, ends)
    start = time.left + (tau if breaks else 0.0)
    trial = Trial(system, values, lambda x: first_error(spreads, x, equations.count), start, tol, most, ends)
    return settled(trial, gates, tuple(breaks))


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
    return Beginning(consistent(state), density, breaks, 0.0 if best is not None else worst)


def consistent(state: State) -> State:
    """What follows at once, such as fields without a derivative in time, set so that its equations hold."""
    system = state.layout.system
    packing, mass = system.packing, system.packed_mass
    if mass.all():
        return state
    values, t = state.values, np.array([state.t])
    band, size = packing.band, packing.size
    row = np.arange(size) + np.arange(-band, band + 1)[:, None]
    inside = (row >= 0) & (row < size)
    kept = np.where(inside, mass[np.clip(row, 0, size - 1)], 0.0) == 1.0
    for _ in range(8):
        penalties = system.penalties(state.frame, state.t, values)
        right = packing.packed(system.right_side(state.frame, t, values[None], None, penalties)[0])[0]
        matrix = system.jacobian(state.frame, state.t, values, None, penalties)[band:]
        matrix[kept] = 0.0
        matrix[band, mass == 1.0] = 1.0
        step = solve_banded((band, band), matrix, np.where(mass == 1.0, 0.0, -right))
        values = values + packing.unpacked(step[None])[0]
        if not np.isfinite(values).all():
            raise np.linalg.LinAlgError("fields without a derivative in time are not determined by the equations")
        if np.abs(step).max() <= 1e-12 * np.abs(values).max():
            break
    return State(state.t, state.layout, state.gates, state.frame, values, state.error)
