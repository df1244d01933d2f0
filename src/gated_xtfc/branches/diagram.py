"""A diagram as it grows: ways along curves, from the first solution and aside from branch points, stored as they go."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise

import numpy as np

from gated_xtfc.branches.branch import BranchPoint
from gated_xtfc.branches.family import BranchFamily, BranchState, Direction
from gated_xtfc.branches.point import Point
from gated_xtfc.branches.singular import modes_at
from gated_xtfc.branches.store import BranchStore, StoredPoint
from gated_xtfc.branches.trace import BUDGETS, CLOSES, BranchBudget, Walk, oriented, trace
from gated_xtfc.errors import InputError
from gated_xtfc.solution.interval import IntervalSolution
from gated_xtfc.sweeps.quantities import Quantity
from gated_xtfc.types import Array

ASIDE = (0.05, 0.02, 0.1, 0.2)  # lengths of the step off a branch point that are tried
SAME = 1e-4  # distance of two solutions that are one
BOW = 0.03  # of a chord: how far a curve may be from it
MOST_CURVES = 12
NOTHING = "a known curve"  # the end of a way aside that is none of its own

Make = Callable[[], Point]
Begin = Callable[[BranchState | None], Point | None]  # of a way; given the state of its first point where that is known


@dataclass
class TracedWay:
    """One way along a curve, as far as it was followed, and why it ends.

    `crossings` are its branch points: made again from what is stored, where that is all there is of them.
    """

    name: str
    points: list[BranchPoint]
    reason: str = ""
    crossings: list[tuple[str, BranchPoint, Make]] = field(default_factory=list)


@dataclass
class Diagram:
    """What has been found so far."""

    family: BranchFamily
    quantities: Sequence[Quantity]
    budget: BranchBudget
    progress: Callable[[BranchPoint], None] | None = None
    store: BranchStore | None = None
    begun: float = 0.0
    points: list[BranchPoint] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)

    def follow(self, first: Point, switch: bool) -> None:
        """The curve of the first solution, then those that pass through its branch points, and so on."""
        family, budget, start = self.family, self.budget, first.state
        along = family.tangent(start)
        if along is None:
            raise InputError(
                f"the solution at {family.name} = {start.parameter:.6g} is singular: begin with another range"
            )
        both = budget.low < start.parameter < budget.high
        inward = 1.0 if both or start.parameter == budget.low else -1.0
        ways = [self.way("0+", 0, lambda _: Point(start, first.modes, direction=along.scaled(inward)))]
        if both and ways[0].reason != CLOSES:
            ways.insert(0, self.way("0-", 0, lambda _: Point(start, first.modes, direction=along.scaled(-1.0))))
        behind = list(reversed(ways[0].points[1:])) if len(ways) > 1 else []
        self._add([*behind, *ways[-1].points], "; ".join(dict.fromkeys(way.reason for way in ways)))
        waiting = [crossing for way in ways for crossing in way.crossings] if switch else []
        seen = [point.solution for _, point, _ in waiting]
        while waiting and len(self.reasons) < MOST_CURVES and time.perf_counter() < budget.until:
            name, _, origin = waiting.pop(0)
            for sign, side in (("+", 1.0), ("-", -1.0)):
                begin = partial(self._aside, origin, side)
                way = self.way(f"{name}{sign}", len(self.reasons), begin)
                if not way.points:
                    continue
                self._add(way.points, way.reason)
                for crossing in way.crossings:
                    if all(self.distance(crossing[1].solution, one) > SAME for one in seen):
                        waiting.append(crossing)
                        seen.append(crossing[1].solution)

    def way(self, name: str, curve: int, begin: Begin) -> TracedWay:
        """A way, its first point included: what the store has of it, then what is not there yet."""
        past = [] if self.store is None else self.store.points_of(name, curve)
        end = None if self.store is None else self.store.end_of(name)
        found = TracedWay(name, [stored.point for stored in past], end or "")
        for stored in past:
            self._tell(stored.point)
        for number, stored in enumerate(past):
            if stored.point.kind == "branch point":
                found.crossings.append((f"{name}/{number}", stored.point, partial(self._crossing, past, number)))
        if end is not None:
            return found
        start = begin(self._state(past[0].point) if past else None)
        if start is None:
            if time.perf_counter() < self.budget.until:
                self._end(name, NOTHING)
            return found
        walk = self._resumed(start, past)
        if not past:
            self._arrived(found, curve, [start], None)

        def arrived(points: Sequence[Point], onward: Walk) -> None:
            self._arrived(found, curve, points, onward)

        found.reason = trace(self.family, walk, self.budget, arrived)
        if found.reason not in BUDGETS:
            self._end(name, found.reason)
        return found

    def known(self, state: BranchState) -> bool:
        """Whether a solution is on a curve already: on the chord of two of its neighbouring points."""
        x, sizes = state.places(), self.family.sizes(state)
        fields, span = range(sizes.size), self.family.span

        def vector(values: Sequence[Array], parameter: float) -> Array:
            parts = [own / size for own, size in zip(values, sizes, strict=True)]
            return np.append(np.concatenate(parts) / np.sqrt(x.size * sizes.size), parameter / span)

        here = vector([state.fields(f, x, 0) for f in fields], state.parameter)
        for curve in range(len(self.reasons)):
            own = [point.solution for point in self.points if point.curve == curve]
            vectors = [vector([one.function(f, x, 0) for f in fields], self._parameter(one)) for one in own]
            for a, b in pairwise(vectors):
                length = float(np.linalg.norm(b - a))
                part = float(np.clip((here - a) @ (b - a) / max(length, 1e-300) ** 2, 0.0, 1.0))
                if np.linalg.norm(here - a - part * (b - a)) <= max(SAME, BOW * length):
                    return True
        return False

    def distance(self, a: IntervalSolution, b: IntervalSolution) -> float:
        """That of two solutions, relative to the sizes of the fields."""
        x = a.points(41)
        gaps = [np.mean((a.function(f, x, 0) - b.function(f, x, 0)) ** 2) for f in range(len(a.scales))]
        square = float(np.mean(np.array(gaps) / np.maximum(np.array(a.scales), self.family.reference) ** 2))
        return float(np.sqrt(square + ((self._parameter(a) - self._parameter(b)) / self.family.span) ** 2))

    def _parameter(self, solution: IntervalSolution) -> float:
        return float(solution.problem.parameters[self.family.name])

    def _add(self, points: Sequence[BranchPoint], reason: str) -> None:
        self.points += points
        self.reasons.append(reason)

    def _tell(self, point: BranchPoint) -> None:
        if self.progress is not None:
            self.progress(point)

    def _end(self, name: str, reason: str) -> None:
        if self.store is not None:
            self.store.ended(name, reason)

    def _arrived(self, way: TracedWay, curve: int, points: Sequence[Point], onward: Walk | None) -> None:
        """Points of a way have come; `onward` is what the next step depends on, for the last of them."""
        made = []
        for point in points:
            solution = self.family.solution(point.state)
            quantities = tuple(quantity(solution) for quantity in self.quantities)
            growth = point.modes.growth
            made.append(BranchPoint.made(curve, point.parameter, point.kind, growth, quantities, solution))
        if self.store is not None:
            stored = [StoredPoint(point) for point in made]
            if onward is not None:
                stored[-1] = StoredPoint(made[-1], onward.step, onward.travelled)
            self.store.arrived_at(way.name, len(way.points), stored, time.perf_counter() - self.begun)
        for point, branch_point in zip(points, made, strict=True):
            if point.kind == "branch point":
                way.crossings.append((f"{way.name}/{len(way.points)}", branch_point, partial(_itself, point)))
            way.points.append(branch_point)
            self._tell(branch_point)

    def _resumed(self, begin: Point, past: Sequence[StoredPoint]) -> Walk:
        """The walk as it was when the last points were stored."""
        steps = [stored for stored in past if stored.step is not None]
        if not steps:
            return Walk.first(begin, self.family)
        states = [self._state(stored.point) for stored in steps[-2:]]
        before, last = (begin.state, *states)[-2:]
        assert steps[-1].step is not None
        here = Point(last, modes_at(self.family, last), direction=oriented(self.family, last, before))
        assert here.direction is not None
        kinds = tuple(stored.point.kind for stored in past[1:])
        return Walk(begin, here, here.direction, steps[-1].step, steps[-1].travelled, kinds)

    def _crossing(self, past: Sequence[StoredPoint], number: int) -> Point:
        """A branch point as it was when it was stored, with the direction of the step that passed it."""
        state = self._state(past[number].point)
        before = next(one for one in reversed(past[:number]) if not one.point.kind)
        along = oriented(self.family, state, self._state(before.point))
        point = past[number].point
        return Point(state, modes_at(self.family, state), point.kind, along, point.parameter)

    def _state(self, point: BranchPoint) -> BranchState:
        state = self.family.first(point.solution)
        if state is None:
            raise InputError(
                f"the solution stored at {self.family.name} = {point.parameter:.6g} cannot be found again: give "
                "another file"
            )
        return state

    def _aside(self, make: Make, side: float, there: BranchState | None) -> Point | None:
        """A point beside a branch point on the other curve, and its direction there; None where that is known."""
        origin, family = make(), self.family
        state = there if there is not None else self._state_aside(origin, side)
        if state is None or (there is None and self.known(state)):
            return None
        return Point(state, modes_at(family, state), direction=oriented(family, state, origin.state))

    def _state_aside(self, origin: Point, side: float) -> BranchState | None:
        """A step along the mode that is annihilated, across the curve that is known."""
        if origin.modes.null is None or origin.direction is None:
            return None
        family, at = self.family, origin.state
        null, tangent = family.unit(origin.modes.null, at), family.unit(origin.direction, at)
        part = family.inner(null, tangent, at)
        across = Direction(
            lambda f, x, order: null.fields(f, x, order) - part * tangent.fields(f, x, order),
            null.constants - part * tangent.constants,
        )
        # a mode has no sign of its own, but the two sides must be the same ones when a run goes on
        x = at.places()
        first = sum(float(np.linspace(1.0, 2.3, x.size) @ across.fields(f, x, 0)) for f in range(len(at.fit.sizes)))
        across = family.unit(across, at).scaled(side if first > 0.0 else -side)
        for length in ASIDE:
            state = family.solved(family.pin(at, across, length), at, across, length)
            if state is not None:
                chord = family.between(at, state)
                if family.inner(chord, chord, at) <= (5.0 * length) ** 2:
                    return state
        return None


def _itself(point: Point) -> Point:
    return point
