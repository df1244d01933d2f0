"""One curve of solutions, step by step: predict along the tangent, correct at a given length, look, choose a step.

A step is taken back where the curve turns more than it should, or where Newton's method has trouble; it grows where
both are at ease. Where the linearised equations are singular there is a fold if the parameter turns there, otherwise a
branch point; both are located by steps from the last point.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from gated_xtfc.branches.family import BranchFamily, BranchState, Direction
from gated_xtfc.branches.singular import Modes, modes_at
from gated_xtfc.types import Array

FIRST = 0.02  # length of the first step
LONGEST = 0.12
SHORTEST = 1e-6
STRAIGHT = 0.97  # cosine of the angle between chords above which a step may grow
BENT = 0.85  # ... below which it is taken back
EASY = 5  # steps of Newton's method with which a step may grow
CLOSED = 0.5  # of a step: closer than this to its beginning, and in the same direction, a curve is a loop
LOCATED = 1e-10  # of a step: how well the place of a fold or a branch point is known
NEARLY = 1e-3  # of the tests at both ends of a step: closer to a branch point the equations are nearly singular
NODES = 7  # through which the place of a branch point is interpolated
TRIES = 30
ASIDE = 0.1  # of a step: from where a fold is told from a branch point


@dataclass(frozen=True, eq=False)
class Point:
    """A solution on a curve, with what was seen there."""

    state: BranchState
    modes: Modes
    kind: str = ""  # "fold", "branch point", or nothing
    direction: Direction | None = None  # of the curve there

    located: float | None = None  # the parameter, where it is known better than by the state

    @property
    def parameter(self) -> float:
        return self.state.parameter if self.located is None else self.located


@dataclass(frozen=True)
class BranchBudget:
    """What a curve may take."""

    points: int
    until: float  # a time of `time.perf_counter`
    low: float  # range of the parameter
    high: float


def trace(
    family: BranchFamily,
    begin: Point,
    direction: Direction,
    budget: BranchBudget,
    report: Callable[[Point], None] | None = None,
    met: Callable[[BranchState], bool] | None = None,
) -> tuple[list[Point], str]:
    """The curve from a point in a direction, and why it ends. The first point is not among those returned.

    `met` tells whether a state is on another curve.
    """
    points: list[Point] = []
    here, along, step, first = begin, family.unit(direction, begin.state), FIRST, begin
    travelled = 0.0
    while True:
        if len(points) >= budget.points:
            return points, "the number of points that max_points allows is reached"
        if time.perf_counter() > budget.until:
            return points, "the time that max_seconds allows is over"
        taken = _step(family, here, along, step)
        if taken is None:
            step *= 0.4
            if step < SHORTEST:
                return points, f"no solution was found beyond {family.name} = {here.parameter:.6g}"
            continue
        state, cosine = taken
        if not budget.low <= state.parameter <= budget.high:
            ended = _at_end(family, here, along, step, state, budget)
            if ended is None and step > SHORTEST:
                step *= 0.5
                continue
            if ended is not None:
                points.append(Point(ended, modes_at(family, ended)))
                if report is not None:
                    report(points[-1])
            return points, f"{family.name} leaves its range"
        modes = modes_at(family, state)
        chord = _oriented(family, family.tangent(state), family.unit(family.between(here.state, state), state), state)
        there = Point(state, modes, direction=chord)
        folded = any(one.kind == "fold" for one in points[-2:])
        special = _between(family, here, there, along, step, folded)
        for one in (*special, there):
            points.append(one)
            if report is not None:
                report(one)
        travelled += step
        if travelled > 4.0 * step and _closed(family, first, direction, there, chord, step):
            return points, "the curve closes"
        if met is not None and met(state):
            return points, "the curve runs into another one"
        grow = cosine > STRAIGHT and state.steps <= EASY
        here, along = there, chord
        step = min(LONGEST, step * (1.5 if grow else 1.0 if cosine > 0.5 * (STRAIGHT + BENT) else 0.7))


def _step(family: BranchFamily, here: Point, along: Direction, step: float) -> tuple[BranchState, float] | None:
    """A state further along, and the cosine of the angle by which the curve turned; None where it turned too much."""
    state = family.solved(family.pin(here.state, along, step), here.state, along, step)
    if state is None:
        return None
    chord = family.between(here.state, state)
    length = math.sqrt(max(family.inner(chord, chord, here.state), 1e-300))
    cosine = family.inner(chord, along, here.state) / length
    return None if cosine < BENT else (state, cosine)


def _oriented(family: BranchFamily, tangent: Direction | None, chord: Direction, state: BranchState) -> Direction:
    """The tangent in the direction of a chord."""
    if tangent is None:
        return chord
    return tangent if family.inner(tangent, chord, state) > 0.0 else tangent.scaled(-1.0)


def _at_end(
    family: BranchFamily, here: Point, along: Direction, step: float, beyond: BranchState, budget: BranchBudget
) -> BranchState | None:
    """The solution at the end of the range."""
    end = budget.low if beyond.parameter < budget.low else budget.high
    if here.parameter == end:
        return None
    chord = family.between(here.state, beyond)
    part = (end - here.parameter) / (beyond.parameter - here.parameter)
    return family.solved(family.fixed(end), here.state, chord, part)


def _between(
    family: BranchFamily, here: Point, there: Point, along: Direction, step: float, folded: bool
) -> list[Point]:
    """The fold or the branch point between two points of a curve, located; `folded` says that a fold came just now."""
    before = here.direction.constants[-1] if here.direction is not None else along.constants[-1]
    turned = before * there.direction.constants[-1] < 0.0 if there.direction is not None else False
    found: Point | None = None
    if here.modes.tests and there.modes.tests and (here.modes.positive - there.modes.positive) % 2 != 0:
        found = _crossing(family, here, there, along, step)
    elif turned and not folded:
        found = _fold(family, here, along, step)
    return [] if found is None else [found]


def _fold(family: BranchFamily, here: Point, along: Direction, step: float) -> Point | None:
    """Where the parameter turns: the extreme of k(s), by parabolas through the three best lengths."""
    known: dict[float, BranchState] = {0.0: here.state}

    def at(length: float) -> BranchState | None:
        if length not in known:
            found = family.solved(family.pin(here.state, along, length), here.state, along, length)
            if found is None:
                return None
            known[length] = found
        return known[length]

    pairs = [(0.0, here.state.parameter)]
    for length in (0.5 * step, step, 1.5 * step, -0.5 * step):
        state = at(length)
        if state is not None:
            pairs.append((length, state.parameter))
    sign = -1.0 if at(step) is None or _lower_inside(pairs) else 1.0
    for _ in range(TRIES):
        if len(pairs) < 3:
            return None
        pairs.sort(key=lambda pair: -sign * pair[1])
        s, k = (np.array(column) for column in zip(*pairs[:4], strict=True))
        turns = np.polynomial.Polynomial.fit(s, k, min(3, s.size - 1)).deriv().roots()
        real = [float(root.real) for root in np.atleast_1d(turns) if abs(root.imag) <= 1e-6 * step]
        place = min(real, key=lambda root: abs(root - pairs[0][0]), default=pairs[0][0])
        if abs(place - pairs[0][0]) <= 1e-6 * step or not -step <= place <= 2.5 * step:
            break
        state = at(place)
        if state is None:
            break
        pairs.append((place, state.parameter))
    best = max(pairs, key=lambda pair: sign * pair[1])[0]
    state = known[best]
    return Point(state, modes_at(family, state), "fold", along)


def _lower_inside(pairs: list[tuple[float, float]]) -> bool:
    """Whether the smallest of some values, rather than the largest, is taken inside."""
    places = [place for place, _ in pairs]
    lowest = min(pairs, key=lambda pair: pair[1])[0]
    return min(places) < lowest < max(places)


def _crossing(family: BranchFamily, here: Point, there: Point, along: Direction, step: float) -> Point | None:
    """Where a test is zero: regula falsi in the length, then a polynomial through what was seen on the way.

    At a branch point itself the equations are singular even with the length given, and beside it they are not.
    """
    ends = _passing(here.modes, there.modes)
    if ends is None:
        return None
    seen = [_Node(0.0, ends[0], here.state, here.modes), _Node(1.0, ends[1], there.state, there.modes)]

    def look(part: float) -> _Node | None:
        state = family.solved(family.pin(here.state, along, part * step), here.state, along, part * step)
        modes = None if state is None else modes_at(family, state)
        if state is None or modes is None or modes.smallest is None:
            return None
        seen.append(_Node(part, modes.smallest, state, modes))
        return seen[-1]

    low, high = seen
    for _ in range(TRIES):
        part = high.part - high.test * (high.part - low.part) / (high.test - low.test)
        node = look(part)
        if node is None or abs(node.test) <= NEARLY * max(abs(ends[0]), abs(ends[1])):
            break
        if node.test * high.test < 0.0:
            low, high = high, node
        else:
            # Anderson and Bjorck's weight: neither end stays behind
            low, high = replace(low, test=low.test * high.test / (high.test + node.test)), node
        if abs(high.part - low.part) <= LOCATED:
            break
    place = part
    for aside in (-0.15, 0.15, -0.3, 0.3):
        look(place + aside)
    near = sorted((node for node in seen if abs(node.part - place) <= 0.45), key=lambda node: abs(node.test))[:NODES]
    tests = np.array([node.test for node in near])
    closest, furthest = (pick(near, key=lambda node: abs(node.part - place)) for pick in (min, max))
    if len(near) < 3 or abs(closest.test) > abs(furthest.test):
        return None  # a pole of the test, not a zero
    parts, k = np.array([node.part for node in near]), np.array([node.state.parameter for node in near])
    root = _interpolated(tests, parts, 0.0)
    if not -0.5 <= root <= 1.5:
        root = place
    values = [_interpolated(parts, k, root + aside) for aside in (-ASIDE, 0.0, ASIDE)]
    best = near[0]
    if abs(values[2] - values[0]) < abs(values[2] - 2.0 * values[1] + values[0]):
        node = look(root) or best
        return Point(node.state, node.modes, "fold", along)
    return Point(best.state, best.modes, "branch point", along, values[1])


@dataclass(frozen=True, eq=False)
class _Node:
    """What was seen at a part of a step."""

    part: float
    test: float
    state: BranchState
    modes: Modes


def _interpolated(x: Array, y: Array, at: float) -> float:
    """The polynomial through points, by Neville's scheme."""
    values = y.astype(float).copy()
    for k in range(1, x.size):
        spread = x[: x.size - k] - x[k:]
        values = ((at - x[k:]) * values[:-1] + (x[: x.size - k] - at) * values[1:]) / spread
    return float(values[0])


def _passing(before: Modes, after: Modes) -> tuple[float, float] | None:
    """The test that passes zero, before and after."""
    signs = (1.0, -1.0) if before.positive > after.positive else (-1.0, 1.0)
    picked = []
    for modes, sign in zip((before, after), signs, strict=True):
        picked += sorted((test for test in modes.tests if test * sign > 0.0), key=abs)[:1]
    return (picked[0], picked[1]) if len(picked) == 2 else None


def _closed(
    family: BranchFamily, first: Point, direction: Direction, there: Point, chord: Direction, step: float
) -> bool:
    gap = family.between(first.state, there.state)
    near = math.sqrt(max(family.inner(gap, gap, there.state), 0.0)) <= CLOSED * step
    return near and family.inner(chord, family.unit(direction, there.state), there.state) > 0.0


def near_state(family: BranchFamily, a: BranchState, b: BranchState) -> float:
    """The distance of two states."""
    gap = family.between(a, b)
    return float(np.sqrt(max(family.inner(gap, gap, a), 0.0)))
