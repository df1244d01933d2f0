"""From the start to the end of time, step by step: how long steps are, and when the layout is made anew.

A step whose solution its layout cannot resolve is taken again on a better one. Between steps a layout is replaced where
the solution outgrows it, where gates crowd each other, where one has left, or where fewer sites would do.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from gated_xtfc.discretise.moving.record import Piece
from gated_xtfc.errors import InputError
from gated_xtfc.solver.moving.at_once import consistent
from gated_xtfc.solver.moving.density import AIM, Choice, chosen, remainder, wanted
from gated_xtfc.solver.moving.estimate import across_anchors, across_switches
from gated_xtfc.solver.moving.foresight import UNSURE, foreseen
from gated_xtfc.solver.moving.layout import ORDER, State, laid_out
from gated_xtfc.solver.moving.radau import METHOD
from gated_xtfc.solver.moving.size import RunningSizes, largest
from gated_xtfc.solver.moving.start import Beginning
from gated_xtfc.solver.moving.step import Stages, gate_velocity, take
from gated_xtfc.solver.moving.time_breaks import TimeBreak, crossed
from gated_xtfc.solver.moving.tracking import adrift, drift
from gated_xtfc.types import Array

CONTROL = 0.3  # of the tolerance: the embedded error of a step
LONGEST = 8  # steps at least
AHEAD = 10.0  # times the remainder of what outgrows its sites: it goes on growing
SUDDEN = 30.0  # by which a remainder is taken to grow from one step to the next, at most
REFUSED = 3.0  # tolerances of remainder above which a step is taken again; one of error that it adds all at once
STILL = 10  # steps, where no step could be taken otherwise
LOOKED = 3  # steps after which gates are looked for that are too fine
REGULAR = 10  # steps after which a layout with fewer sites is looked for
FAILURES = 30  # in a row, at most
REDOS = 8  # of one step, at most
ATONCE = 0.2  # of the goal: what differences in space may add in one step
SPENT = 0.4  # of the goal: what differences in space may add to the error carried along
SPARED = 0.1  # of the goal: what is left for them at least
LEFT = 5.0  # thicknesses: a gate that is farther away does nothing for a front
LACKING = 2.0  # times that: one step is enough to tell
SURELY, ATMOST = 2.0, 30.0  # times what is lacking: by how much errors of space are made less
SEEN = 3e-3  # of the time that is left: a shorter step does not tell what it will have cost
EASY, EASED = 0.1, 0.1  # of what may be added: less asks for fewer sites; and by how much less is asked for at once
FUTILE = 0.3  # of what differences were to add before: more sites have not helped
HARM = 30.0  # by which remainders count for more, at most, where they add as much to the error
BLURRED = 0.01  # of a place's last digit: what is left of a front's, as its errors cancel from step to step
ALIKE = 0.3  # of a change: how far two guesses of it may be apart
UNSETTLED = 10.0  # by which the embedded error of the first step on a new layout may be larger
CONSTANT = 0.5  # power of the length of a step that an embedded error grows with at least, where it is its own


@dataclass
class March:
    """A solution on its way through time."""

    beginning: Beginning
    tol: float
    goal: float  # the tolerance of the whole
    end: float
    most: int  # intervals between sites
    breaks: tuple[TimeBreak, ...] = ()  # times that no step goes across
    state: State = field(init=False)
    pieces: list[Piece] = field(init=False, default_factory=list)
    passed: Array = field(init=False)  # the largest error carried along at a step end so far, of every field, (m,)
    carried: Array = field(init=False)  # the estimated error at the last step end, (m, n), on the sites of its piece
    local: Array = field(init=False)  # the largest embedded error of every field so far, (m,)
    sizes: RunningSizes = field(init=False)
    largest: int = field(init=False, default=0)  # number of sites
    remaps: int = field(init=False, default=0)
    worst: float = field(init=False, default=0.0)  # remainder in space at a step end, relative
    adrift: Array = field(init=False)  # what fronts that rounding may have shifted differ by, (m,)
    failure: str = field(init=False, default="")
    leaps: list[tuple[float, float]] = field(init=False, default_factory=list)  # breaks, and over what they were spread
    switched: Array = field(init=False)  # the same where they switch by a field
    anchored: Array = field(init=False)  # what differences across places where equations switch may cost, (m,)
    skipped: Array = field(init=False)  # what the moments between steps around breaks in time would have changed, (m,)
    stopped: bool = field(init=False, default=False)  # whether it ended before the end, where it was asked to
    unrest: float = field(init=False, default=0.0)  # how far it was from rest where rest ended it
    _noise: float = field(init=False, default=1.0)
    _still: int = field(init=False, default=0)  # steps whose gates stand still, to begin with
    _hoped: float = field(init=False, default=math.inf)  # what differences were to add when they were last made finer
    _futile: bool = field(init=False, default=False)  # whether that did not help
    _lacked: float = field(init=False, default=0.0)  # what `_lacking` was after the step before
    _demand: float = field(init=False, default=1.0)  # by which remainders count for more, as errors of space add up
    _sized: tuple[State, Array] | None = field(init=False, default=None)
    _before: Stages | None = field(init=False, default=None)
    _since: int = field(init=False, default=0)
    _last: float = field(init=False, default=0.0)

    def __post_init__(self) -> None:
        self.state = self.beginning.state
        self.density, self._demand = self.beginning.density, self.beginning.demand
        self.whole = self.end - self.state.t
        self.breaks = tuple(one for one in self.breaks if one.before > self.state.t)
        rates, slopes = self._rates()
        horizon = self.state.layout.system.equations.evolution.horizon
        self.sizes = RunningSizes.of(self.state, rates, min(self.whole, horizon))
        self.local = self.switched = self.anchored = self.passed = self.adrift = np.zeros(len(rates))
        self.carried = self.state.error
        self.skipped = np.zeros(len(rates))
        self.largest = self.state.layout.sites.size
        since = self.state.t - self.state.layout.system.equations.evolution.time.left
        self.step = self._first_step(rates, slopes, since if self.beginning.breaks else math.inf)

    def _rates(self) -> tuple[Array, Array]:
        state, system = self.state, self.state.layout.system
        penalties = system.penalties(state.frame, state.t, state.values)
        right, slopes = system.right_side(state.frame, np.array([state.t]), state.values[None], None, penalties)
        return right[0] * system.mass, slopes[0]

    def _first_step(self, rates: Array, slopes: Array, since: float) -> float:
        """So short that little changes, where sites follow the gates; no longer than the time since a break."""
        size = self.sizes.now(self.state.values)
        rates = rates.copy()
        rates[:, [0, -1]] = 0.0
        if self.state.gates.shape[1]:
            velocity = gate_velocity(self.state, rates, slopes, size)
            rates = rates + slopes * np.einsum("d,dn->n", velocity.ravel(), self.state.frame.motion[0])
        speed = float(np.sqrt(np.mean((rates / size[:, None]) ** 2)))
        longest = min(self.whole, self.state.layout.system.equations.evolution.horizon) / LONGEST
        return min(longest, 0.02 / (speed + 1e-300), since)

    @property
    def done(self) -> bool:
        return self.stopped or (math.isfinite(self.end) and self._arrived(self.end))

    def _arrived(self, at: float) -> bool:
        return at - self.state.t <= 1e-14 * max(abs(at), min(self.whole, at))

    @property
    def blur(self) -> float:
        """What rounding of places alone makes of values in the thinnest layer."""
        thickness = self.state.gates[1].min(initial=self.state.layout.coordinate.width)
        ends = self.state.layout.coordinate
        return BLURRED * float(np.spacing(max(abs(ends.left), abs(ends.right))) / thickness)

    def run(self, proceed: Callable[["March"], bool]) -> None:
        """Steps until the end is reached, `proceed` says no, or nothing goes on: then `failure` says why."""
        failures = redos = 0
        tried, longer = math.inf, 1.0  # the embedded error of a longer step that was refused, and its length
        previous: tuple[float, float] | None = None
        while not self.done:
            while self.breaks and self._arrived(self.breaks[0].before):  # one may lie within what smoothed the last
                if not self._crossed():
                    return
                previous = None
            if self.state.t >= self.end:
                return
            until = self.breaks[0].before if self.breaks else self.end
            step = min(self.step, self.whole / LONGEST, until - self.state.t)
            if self.state.t + 0.1 * step == self.state.t:
                self.failure = "steps became shorter than rounding allows"
                return
            size = self._size()
            found = self._taken(step, size)
            if found is None:
                failures += 1
                if failures > FAILURES:
                    self.failure = "the equations of a step could not be solved"
                    return
                if failures in (4, 12):
                    self._relaid(self._choice(self.state, remainder(self.state, self.state.values, size)))
                self._before = None
                self.step = 0.4 * step
                continue
            embedded = found.embedded / (CONTROL * self.tol)
            safety = 0.9 * 21.0 / (20.0 + found.iterations)
            power = 1.0 / (METHOD.stages + 1)
            factor = min(8.0, safety * max(embedded, 1e-10) ** -power)
            if previous is not None and embedded > 0.0:
                trend = (step / previous[0]) * (previous[1] / embedded) ** power
                factor = min(factor, factor * trend)
            # what values lost by going over to another layout dies out at once, whatever the length of the step
            same = embedded > tried * (step / longer) ** CONSTANT
            lost = self.remaps and not self._since and same
            if embedded > (UNSETTLED if lost else 1.0):
                tried, longer = embedded, step
                self.step = step * max(0.1, min(0.9, factor))
                continue
            raw = np.abs(self.state.layout.sites.remainder(found.after[1]))
            if not self.pieces:  # layers that begin with the step, at ends, are thinner inside of it than when it ends
                sites = self.state.layout.sites
                inside = np.abs(sites.remainder(self.state.values + found.changes)).max(axis=0)
                raw = np.where(sites.beside_ends, np.maximum(raw, inside), raw)
            remainders = (raw / size[:, None]).max(axis=0)
            harm = self._harm(found.spatial, float(remainders.max()))
            carried = largest(self.state.error, size)
            sudden = found.spatial if found.spatial > AHEAD * carried > 0.0 else 0.0
            unresolved = max(float(remainders.max()) / REFUSED, sudden) > self.tol * self._noise
            unresolved = unresolved or found.spatial > ATONCE * self.goal
            if redos < REDOS and unresolved:
                redos += 1
                if self._relaid(self._choice(self.state, harm * remainders)):
                    tried = math.inf
                    continue
            failures = redos = 0
            tried = math.inf
            self._accept(found)
            previous = step, max(embedded, 1e-4)
            self.step = step * max(0.2, factor)
            if not proceed(self):
                return
            self._manage((raw / self._size()[:, None]).max(axis=0), harm, self._lacking(found, size))

    def _harm(self, spatial: float, worst: float) -> float:
        """What differences in space add to the error in a step by the largest remainder, where it is not small."""
        if spatial <= AIM * self.tol or worst <= 0.0:
            return 1.0
        return min(max(1.0, spatial / worst), HARM)

    def _lacking(self, found: Stages, size: Array) -> float:
        """What differences in space are to add to the error by the end of time, by what may be added.

        They add a in a step of length h, of which a share of what is carried along dies out: E' = a/h - k E. A front
        forgets nothing: what shifts it adds up, by time over thickness, though remainders stay what they are.
        """
        steps = (self.end - self.state.t) / found.step
        old, new = (largest(one, size) for one in (found.before.error, found.error))
        grown = min(new - old, found.spatial)
        if not self._since or grown <= 0.0 or new > HARM * old or not 0.0 < steps < 1.0 / SEEN:
            return 0.0  # what is there after a first step tells nothing of the next ones
        forgotten = max(found.spatial - (new - old), 0.0) / old
        ahead = grown * (-math.expm1(-forgotten * steps) / forgotten if forgotten > 0.0 else steps)
        return ahead / self._spare(new)

    def _spare(self, carried: float) -> float:
        """What differences in space may still add to what is carried along."""
        return max(SPENT * self.goal - carried, SPARED * self.goal)

    def _size(self) -> Array:
        """What values are compared with now, (m,)."""
        if self._sized is None or self._sized[0] is not self.state:
            self._sized = self.state, self.sizes.now(self.state.values)
        return self._sized[1]

    def _taken(self, step: float, size: Array) -> Stages | None:
        """A step whose gates follow their fronts; where nothing tells them where to go, one whose gates stand still."""
        if self._still > 0:
            self._still -= 1
            found = self._stepped(step, size, still=True)
            if found is not None and found.embedded <= CONTROL * self.tol:
                return found
            self._still = 0
        found = self._stepped(step, size, still=False)
        if found is None and self.state.gates.size:
            found = self._stepped(step, size, still=True)
            self._still = STILL if found is not None and found.embedded <= CONTROL * self.tol else 0
        return found

    def _stepped(self, step: float, size: Array, still: bool) -> Stages | None:
        state, off = self.state, drift(self.tol)
        if still:
            state, off = replace(state, trail=((state.t - step, state.gates), (state.t, state.gates))), math.inf
        guess = None if self._before is None else _continued(self._before, state, step)
        settle = min(max(1e-6 * self.tol, 1e-12), 1e-9)
        try:
            return take(state, step, size, guess, off, settle)
        except np.linalg.LinAlgError:
            return None

    def _accept(self, found: Stages) -> None:
        state = found.before
        t, values, gates, frame = found.after
        layout = state.layout
        way = float(np.abs(gates[0] - state.gates[0]).max(initial=0.0))
        steep = np.abs(np.diff(values, axis=1)) / np.maximum(np.diff(frame.x[0]), np.spacing(np.abs(frame.x[0, 1:])))
        self.adrift = self.adrift + adrift(way, steep)
        coefficients = [
            (METHOD.dense.T @ one.reshape(len(one), -1)).reshape(one.shape)
            for one in (found.changes, found.gates - state.gates)
        ]
        pieces = (
            np.concatenate([first[None], rest])
            for first, rest in zip((state.values, state.gates), coefficients, strict=True)
        )
        own, path = pieces
        self.pieces.append(Piece(state.t, found.step, layout.coordinate, layout.pins, layout.sites, own, path))
        error = found.error
        trail = (*(state.trail or ((state.t, state.gates),)), (t, gates))[-3:]
        self.state = State(t, layout, gates, frame, values, error, trail)
        self.passed = np.maximum(self.passed, np.abs(error).max(axis=1))
        self.local = np.maximum(self.local, np.maximum(np.abs(found.local), np.abs(found.within)).max(axis=1))
        if layout.system.anchors:
            self.anchored = np.maximum(self.anchored, across_anchors(self.state))
        self.switched = np.maximum(self.switched, across_switches(self.state, t - self.pieces[0].start))
        self.carried = error
        self._before = found

    def _crossed(self) -> bool:
        """Whether the march could go on after the next break in time."""
        at, *rest = self.breaks
        self.breaks = tuple(rest)
        at = replace(at, after=max(at.after, float(np.nextafter(self.state.t, np.inf))))
        before, rates = self.state, self._moving()
        try:
            found = crossed(before, at, self.sizes.now(before.values), self.tol, self.density, self.most)
        except np.linalg.LinAlgError as error:
            self.failure = str(error)
            return False
        self.state, self.density, layout = found.state, found.density, found.state.layout
        still = self.state.values[None], self.state.gates[None]
        over = self.state.t - before.t
        self.pieces.append(Piece(before.t, over, layout.coordinate, layout.pins, layout.sites, *still))
        self.passed = np.maximum(self.passed, np.abs(self.state.error).max(axis=1))
        self.largest = max(self.largest, layout.sites.size)
        self._since, self._before = 0, None
        if found.leaps:
            self.leaps.append((at.at, over))
        self.skipped = self.skipped + over * (rates if found.leaps else np.maximum(rates, self._moving()))
        self.step = min(self.step, self._first_step(*self._rates(), over if found.leaps else math.inf))
        return True

    def _moving(self) -> Array:
        """How fast every field changes inside, (m,)."""
        rates: Array = np.abs(self._rates()[0][:, 1:-1]).max(axis=1)
        return rates

    def _choice(self, state: State, remainders: Array) -> Choice:
        space = state.layout.coordinate
        density = wanted(state, remainders, self.tol, self.density)
        ends, anchors = (space.left, space.right), state.layout.system.anchors
        return chosen(state.x, density, ends, state.gates, anchors)

    def _relaid(self, choice: Choice) -> bool:
        """Another layout for the state, where sites find an order on it."""
        try:
            layout, frame = laid_out(self.state.layout.system, choice.coordinate, choice.gates, self.density, self.most)
            self.state = consistent(self.state.on(layout, frame))
        except (np.linalg.LinAlgError, InputError):
            return False
        self.largest = max(self.largest, layout.sites.size)
        self.remaps += 1
        self._since, self._before, self._lacked = 0, None, 0.0
        return True

    def _manage(self, remainders: Array, harm: float, lacking: float) -> None:
        """A new layout between two steps, where there is a reason for one."""
        state = self.state
        worst = float(remainders.max())
        self.worst = max(self.worst, worst)
        self._since += 1
        limit = self.tol * self._noise
        growth = min(max(1.0, worst / self._last), SUDDEN) if self._last > 0.0 else 1.0
        self._last = worst
        coarse = worst * growth**1.5 > limit
        twice, self._lacked = min(lacking, self._lacked), lacking
        if (lacking > LACKING or twice > 1.0) and self._finer(lacking):
            return
        harm = max(harm, self._demand)
        fine = self._since % LOOKED == 0 and self._too_fine(remainders * self._demand)
        outgrown = coarse or self._crowded() or fine
        if not outgrown and self._since < REGULAR:
            return
        if not outgrown and self._demand > 1.0:
            self._eased()
            harm = self._demand
        choice = self._choice(state, remainders * harm * (AHEAD if coarse else 1.0))
        self._since = 0
        leaner = choice.length * self.density <= 0.75 * state.layout.sites.intervals
        if not (outgrown or leaner or self._left_behind(choice)):
            return
        if self._relaid(choice):
            self._last = float(remainder(self.state, self.state.values, self._size()).max())
        if coarse:  # what refinement does not cure is in the values themselves
            cured = self._last <= 0.5 * worst
            self._noise = max(1.0, 0.7 * self._noise) if cured else max(1.0, 2.0 * self._last / self.tol)

    def _left_behind(self, choice: Choice) -> bool:
        """Whether a gate is wanted far from all there are: what has left its gate crosses sites that stand still."""
        layout, gates = self.state.layout, self.state.gates
        wanted = choice.gates[0, ~layout.at_ends(choice.gates)]
        return bool((np.abs(wanted[:, None] - gates[0]) > LEFT * gates[1]).all(axis=1).any())

    def _ahead(self) -> float:
        """What differences in space may add on the way that is left, by what they may."""
        size = self._size()
        over = min(self.end - self.state.t, self.state.layout.system.equations.evolution.horizon)
        ahead = foreseen(self.state, size, over, drift(self.tol))
        return UNSURE * ahead / self._spare(largest(self.state.error, size))

    def _finer(self, lacking: float) -> bool:
        """Whether the same gates got so many more sites that errors of space become what is left for them.

        One step tells little of what it will have cost: what was lost on the way to this layout is still in it.
        """
        if self._futile:
            return False
        ahead, before = self._ahead(), self._hoped
        self._hoped = ahead
        self._futile = ahead > FUTILE * before  # what is left is not of the differences: more sites only add to it
        if self._futile:
            return False
        self._demanded(float(np.clip(ahead, SURELY * min(lacking, LACKING), ATMOST * lacking)))
        return self._relaid(Choice(self.state.layout.coordinate, self.state.gates))

    def _eased(self) -> None:
        """Less is demanded of sites once what made them dense is gone."""
        ahead = self._ahead()
        if ahead < EASY:
            self._demanded(max(ahead / EASY, EASED, 1.0 / self._demand))

    def _demanded(self, by: float) -> None:
        self._demand *= by
        self.density *= by ** (1.0 / ORDER)

    def _crowded(self) -> bool:
        """Whether cores have come too close, sites give way too much, or a gate has arrived at an end."""
        state = self.state
        layout, gates = state.layout, state.gates
        if not gates.shape[1]:
            return False
        slopes = state.frame.slopes[0][0::2]  # what a core leaves of the room beside it shows in the slope there
        slope = slopes[0] if layout.pins is None else layout.pins.slope
        arrived = layout.at_ends(gates) & layout.free[0]
        return bool(slopes.min() < 0.5 * slope or slopes.max() > 2.5 * slope or arrived.any())

    def _too_fine(self, remainders: Array) -> bool:
        """Whether a gate is much thinner than anything around it."""
        place, thickness = self.state.gates[:, ~np.isin(self.state.gates[0], self.state.layout.system.anchors)]
        if not place.size:
            return False
        density = wanted(self.state, remainders, self.tol, self.density)
        near = np.abs(self.state.x - place[:, None]) <= 3.0 * thickness[:, None]
        most = np.where(near, density, 0.0).max(axis=1)
        return bool((near.any(axis=1) & (1.0 / thickness > 3.0 * most)).any())


def _continued(before: Stages, state: State, step: float) -> Array | None:
    """The changes at the stages (s, m, n) if the polynomial of the step before went on, None where that tells nothing.

    Far ahead its last digits count most: without the start of that step it must lead to about the same.
    """
    theta = 1.0 + METHOD.nodes * step / before.step
    powers = theta[:, None] ** np.arange(1, METHOD.stages + 1)
    ahead = np.tensordot(powers @ METHOD.dense.T, before.changes, 1)
    guess: Array = ahead + before.before.values - state.values
    apart = np.prod(theta[-1] - METHOD.nodes) * np.tensordot(METHOD.dense[:, -1], before.changes, 1)
    return guess if np.abs(apart).max() <= ALIKE * np.abs(guess[-1]).max() else None
