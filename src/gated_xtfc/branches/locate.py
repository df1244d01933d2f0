"""Folds and branch points between two points of a curve, located by steps from the first of them."""

from dataclasses import dataclass, replace

import numpy as np

from gated_xtfc.branches.family import BranchFamily, BranchState, Direction
from gated_xtfc.branches.point import Point
from gated_xtfc.branches.singular import Modes, modes_at
from gated_xtfc.types import Array

LOCATED = 1e-10  # of a step: how well the place of a fold or a branch point is known
NEARLY = 1e-3  # of the tests at both ends of a step: closer to a branch point the equations are nearly singular
NODES = 7  # through which the place of a branch point is interpolated
TRIES = 30
ASIDE = 0.1  # of a step: from where a fold is told from a branch point


def special_between(
    family: BranchFamily, here: Point, there: Point, along: Direction, step: float, folded: bool
) -> list[Point]:
    """The fold or the branch point between two points of a curve, located; `folded` says that a fold came just now."""
    before = here.direction.constants[-1] if here.direction is not None else along.constants[-1]
    turned = before * there.direction.constants[-1] < 0.0 if there.direction is not None else False
    ends = _passing(here.modes, there.modes)
    found: Point | None = None
    if ends is not None:
        found = _crossing(family, here, there, along, step, ends)
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


def _crossing(
    family: BranchFamily,
    here: Point,
    there: Point,
    along: Direction,
    step: float,
    ends: tuple[float, float],
) -> Point | None:
    """Where a test is zero: regula falsi in the length, then a polynomial through what was seen on the way.

    At a branch point itself the equations are singular even with the length given, and beside it they are not.
    """
    seen = [_Node(0.0, ends[0], here.state, here.modes), _Node(1.0, ends[1], there.state, there.modes)]

    def look(part: float) -> _Node | None:
        state = family.solved(family.pin(here.state, along, part * step), here.state, along, part * step)
        if state is None:
            return None
        modes = modes_at(family, state)
        test = modes.smallest
        if test is None:
            return None
        seen.append(_Node(part, test, state, modes))
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
    if not before.tests or not after.tests or (before.positive - after.positive) % 2 == 0:
        return None
    signs = (1.0, -1.0) if before.positive > after.positive else (-1.0, 1.0)
    picked = []
    for modes, sign in zip((before, after), signs, strict=True):
        picked += sorted((test for test in modes.tests if test * sign > 0.0), key=abs)[:1]
    return (picked[0], picked[1]) if len(picked) == 2 else None
