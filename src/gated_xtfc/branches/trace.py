"""One curve of solutions, step by step: predict along the tangent, correct at a given length, look, choose a step.

A step is taken back where the curve turns more than it should, or where Newton's method has trouble; it grows where
both are at ease.
"""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from gated_xtfc.branches.family import BranchFamily, BranchState, Direction
from gated_xtfc.branches.locate import special_between
from gated_xtfc.branches.point import Point
from gated_xtfc.branches.singular import modes_at

FIRST = 0.02  # length of the first step
LONGEST = 0.12
SHORTEST = 1e-6
STRAIGHT = 0.97  # cosine of the angle between chords above which a step may grow
BENT = 0.85  # ... below which it is taken back
EASY = 5  # steps of Newton's method with which a step may grow
CLOSED = 0.5  # of a step: closer than this to its beginning, and in the same direction, a curve is a loop
MOST_POINTS = "the number of points that max_points allows is reached"
NO_TIME = "the time that max_seconds allows is over"
NEAREST = 1e-6  # of its range: a parameter that comes so close to an end goes there without arriving
BUDGETS = MOST_POINTS, NO_TIME  # reasons that another call may do away with
CLOSES = "the curve closes"


@dataclass(frozen=True)
class BranchBudget:
    """What a curve may take."""

    points: int
    until: float  # a time of `time.perf_counter`
    low: float  # range of the parameter
    high: float


@dataclass(frozen=True, eq=False)
class Walk:
    """How far a curve has been followed, and all that the next step depends on."""

    begin: Point  # with the direction in which it was left
    here: Point
    along: Direction
    step: float = FIRST
    travelled: float = 0.0
    kinds: tuple[str, ...] = ()  # of the points so far

    @classmethod
    def first(cls, begin: Point, family: BranchFamily) -> "Walk":
        assert begin.direction is not None
        return cls(begin, begin, family.unit(begin.direction, begin.state))


def trace(
    family: BranchFamily,
    walk: Walk,
    budget: BranchBudget,
    arrived: Callable[[Sequence[Point], Walk], None],
) -> str:
    """Follow a curve, and say why it ends.

    `arrived` is called after every step with its points, a fold or a branch point on the way before its end, and with
    the walk from which the next one begins.
    """
    while True:
        here, along, step = walk.here, walk.along, walk.step
        if len(walk.kinds) >= budget.points:
            return MOST_POINTS
        if time.perf_counter() > budget.until:
            return NO_TIME
        taken = _step(family, here, along, step)
        if taken is None:
            walk = replace(walk, step=0.4 * step)
            if walk.step < SHORTEST:
                return f"no solution was found beyond {family.name} = {here.parameter:.6g}"
            continue
        state, cosine = taken
        if not budget.low <= state.parameter <= budget.high:
            ended = _at_end(family, here, state, budget)
            if ended is None and step > SHORTEST:
                walk = replace(walk, step=0.5 * step)
                continue
            if ended is not None:
                arrived([Point(ended, modes_at(family, ended))], walk)
            return f"{family.name} leaves its range"
        chord = oriented(family, state, here.state)
        there = Point(state, modes_at(family, state), direction=chord)
        special = special_between(family, here, there, along, step, "fold" in walk.kinds[-2:])
        points = [*special, there]
        grow = cosine > STRAIGHT and state.steps <= EASY
        longer = min(LONGEST, step * (1.5 if grow else 1.0 if cosine > 0.5 * (STRAIGHT + BENT) else 0.7))
        kinds = (*walk.kinds, *(one.kind for one in points))
        walk = Walk(walk.begin, there, chord, longer, walk.travelled + step, kinds)
        arrived(points, walk)
        if _at_rest(here, there, budget):
            return f"{family.name} goes to the end of its range without getting there: it is {there.parameter:.3g}"
        if walk.travelled > 4.0 * step and _closed(family, walk.begin, there, step):
            return CLOSES


def _step(family: BranchFamily, here: Point, along: Direction, step: float) -> tuple[BranchState, float] | None:
    """A state further along, and the cosine of the angle by which the curve turned; None where it turned too much."""
    state = family.solved(family.pin(here.state, along, step), here.state, along, step)
    if state is None:
        return None
    chord = family.between(here.state, state)
    length = math.sqrt(max(family.inner(chord, chord, here.state), 1e-300))
    cosine = family.inner(chord, along, here.state) / length
    return None if cosine < BENT else (state, cosine)


def oriented(family: BranchFamily, state: BranchState, before: BranchState) -> Direction:
    """The direction of the curve at a state, away from one before it: the tangent, or the chord where there is none."""
    chord, tangent = family.unit(family.between(before, state), state), family.tangent(state)
    if tangent is None:
        return chord
    return tangent if family.inner(tangent, chord, state) > 0.0 else tangent.scaled(-1.0)


def _at_end(family: BranchFamily, here: Point, beyond: BranchState, budget: BranchBudget) -> BranchState | None:
    """The solution at the end of the range."""
    end = budget.low if beyond.parameter < budget.low else budget.high
    if here.parameter == end:
        return None
    chord = family.between(here.state, beyond)
    part = (end - here.parameter) / (beyond.parameter - here.parameter)
    return family.solved(family.fixed(end), here.state, chord, part)


def _at_rest(here: Point, there: Point, budget: BranchBudget) -> bool:
    """Whether the parameter goes to an end of its range without arriving: solutions may grow without bound there."""
    before, after = here.state.parameter, there.state.parameter
    end = budget.low if after < before else budget.high
    return abs(after - end) <= NEAREST * (budget.high - budget.low) and before != end


def _closed(family: BranchFamily, begin: Point, there: Point, step: float) -> bool:
    assert begin.direction is not None
    assert there.direction is not None
    gap = family.between(begin.state, there.state)
    near = math.sqrt(max(family.inner(gap, gap, there.state), 0.0)) <= CLOSED * step
    return near and family.inner(there.direction, begin.direction, there.state) > 0.0
