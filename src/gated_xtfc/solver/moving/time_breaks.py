"""Times at which texts switch, as in u(0, t) = where(t < 0.5, 0, 1), or have a needle: no step goes across them.

What leaps at an end there is spread by diffusion over a first short time, as a leap at the start is.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from gated_xtfc.language.dual import Dual, unknown
from gated_xtfc.language.free_text import FreeText
from gated_xtfc.problem.equation import TextEquation
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solver.moving.at_once import consistent
from gated_xtfc.solver.moving.breaks import NOTICED, Break, gap_at_end
from gated_xtfc.solver.moving.layout import State
from gated_xtfc.solver.moving.needles import STEPS, lasting, looked_through
from gated_xtfc.solver.moving.smoothing import first_error, first_time, smoothed
from gated_xtfc.solver.moving.start import Trial, settled
from gated_xtfc.solver.moving.system import ENDS
from gated_xtfc.types import Array

FAR = (10.0, 1e4)  # how far texts are read along a time without end
LINES = (0.31, 0.77)  # of space: what switches at the same time on both lines switches everywhere
ALIKE = 2.0  # times as much as in the same time after it: what changes no more across a break does not leap
AROUND = 1e-13  # of the time: steps end and begin so far from a break


@dataclass(frozen=True)
class TimeBreak:
    """A time at which a text switches, and the two around it at which steps end and begin."""

    at: float
    before: float
    after: float

    @property
    def later(self) -> float:
        """As long after the break as it takes to go across it."""
        return 2.0 * self.after - self.before


def time_breaks(problem: Problem) -> tuple[TimeBreak, ...]:
    """In the order of time, inside of it."""
    evolution = problem.evolution
    assert evolution is not None
    name, space = evolution.time.name, evolution.space
    runs: list[list[tuple[Any, FreeText | None, dict[str, float]]]] = []
    for side in evolution.ends:
        for condition in side:
            if condition is not None and name in condition.program.names:
                state: dict[Any, Any] = {(f, k): unknown((f, k), 0.3) for f in condition.fields for k in (0, 1)}
                runs.append([(lambda t, _, w, c=condition, s=state: c.run(Dual(t, {name: 1.0}), s, w), None, {})])
    for equation in problem.equations:
        if isinstance(equation, TextEquation) and name in equation.program.names:
            state = {key: unknown(key, 0.3) for key in equation.derivatives}
            places = [space.left + part * space.length for part in LINES]
            runs.append([
                (
                    lambda t, _, w, e=equation, s=state, x=x: e.residual(
                        evolution.point(x, Dual(t, {name: 1.0})), s, w
                    ),
                    equation.free_text,
                    {space.name: x},
                )
                for x in places
            ])  # fmt: skip
    left, right = evolution.time.left, evolution.time.right
    spans = [(left, right)] if evolution.time.finite else [(left, left + FAR[0]), (left + FAR[0], left + FAR[1])]
    found: set[float] = set()
    for ends in spans:
        least = AROUND * (ends[1] - ends[0])
        for lines in runs:
            seen = [looked_through(name, ends, run, text, **at) for run, text, at in lines]
            found |= {t for t in seen[0].breaks if all(any(abs(t - o) <= least for o in own.breaks) for own in seen)}
            for needle in lasting(seen, ends):
                times = needle.location + needle.thickness * STEPS
                found |= {float(t) for t in times if ends[0] + least < t < ends[1] - least}
    breaks: list[TimeBreak] = []
    for t in sorted(found):
        around = AROUND * max(abs(t), evolution.horizon)
        if not breaks or t - around > breaks[-1].after:
            breaks.append(TimeBreak(t, t - around, t + around))
    return tuple(breaks)


@dataclass(frozen=True)
class Crossing:
    """The state after a break in time, on a layout of that density; `leaps` where an end asks for something else."""

    state: State
    density: float
    leaps: tuple[Break, ...]
    width: float  # of the time over which they were spread


def _smooth(before: list[Break], after: list[Break], later: list[Break]) -> list[bool]:
    """Which gaps after a break come from what goes on changing as fast, and are no leaps."""
    if len(before) != len(after) or len(later) != len(after):
        return [False] * len(after)
    found = []
    for old, now, new in zip(before, after, later, strict=True):
        leap, kink = abs(now.leap - old.leap), abs(now.kink - old.kink)
        found.append(leap <= ALIKE * abs(new.leap - now.leap) and kink <= ALIKE * abs(new.kink - now.kink))
    return found


def crossed(state: State, at: TimeBreak, size: Array, tol: float, density: float, most: int) -> Crossing:
    """The same solution after a break in time; LinAlgError where a leap is spread by nothing."""
    system, layout = state.layout.system, state.layout
    equations, space = system.equations, system.equations.evolution.space
    names = equations.problem.fields
    slopes = state.frame.slope[0] * layout.sites.derivatives(state.values)[0]
    follows = system.follows_at_ends(state.frame, state.t, state.values)
    leaps: list[Break] = []
    for end, site, _ in ENDS:
        jets = {name: (float(state.values[f, site]), float(slopes[f, site])) for f, name in enumerate(names)}
        for f, condition in enumerate(equations.evolution.ends[end]):
            if condition is not None:
                by = follows[:, f, end]
                gaps = [gap_at_end(condition, f, names, t, jets, by) for t in (at.before, at.after, at.later)]
                leaps += [
                    one
                    for one, smooth in zip(gaps[1], _smooth(*gaps), strict=True)
                    if not smooth
                    and (abs(one.leap) > NOTICED * tol * size[f] or abs(one.kink) * space.length > tol * size[f])
                ]
    if not leaps:
        after = State(at.after, layout, state.gates, state.frame, state.values, state.error)
        # what follows at once leaps there where its equations do
        return Crossing(consistent(after) if system.at_once.any() else after, density, (), 0.0)
    tau, spreads = first_time(leaps, equations, tol, at.after, state.at)
    for one in spreads:
        if not one.width > 0.0:
            raise np.linalg.LinAlgError(
                f"{names[one.broken.field]} leaps at {space.name} = {one.broken.place:.6g}, and nothing spreads it"
            )
    ends = space.left, space.right

    def error(x: Array) -> Array:
        eta = layout.coordinate.eta(x, state.gates, layout.pins)
        return layout.sites.interpolated(state.error, eta, 4) + first_error(spreads, x, len(names))

    trial = Trial(system, smoothed(state.at, spreads, ends), error, at.after + tau, tol, most, ends)
    gates = [(one.broken.place, 0.5 * one.width) for one in spreads] + list(zip(*state.gates.tolist(), strict=True))
    begun = settled(trial, gates, tuple(leaps))
    return Crossing(begun.state, begun.density, begun.breaks, tau)
