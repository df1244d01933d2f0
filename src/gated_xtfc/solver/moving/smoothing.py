"""Values at the start that leap, bend or disagree with the ends, as diffusion smooths them within a first short time.

A leap J at x_k becomes J erfc((x_k - x)/l)/2 and a kink J l ierfc((x_k - x)/l)/2, with l = 2 sqrt(nu tau); a value that
disagrees with an end leaves J erfc(distance/l), a slope -J l ierfc(distance/l): solutions of u_t = nu u_xx over a time
tau, so short that nothing else matters. Inside, a leap is carried along with the mean of the speeds on its two sides.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import erfc

from gated_xtfc.gates.probe_lines import ProbeLines
from gated_xtfc.gates.text import Feature, Reading, read
from gated_xtfc.language.dual import Dual, unknown
from gated_xtfc.problem.domain import Axis
from gated_xtfc.problem.equation import TextEquation
from gated_xtfc.problem.evolution import HIGHEST, EndCondition, Evolution, InitialValue, Leads, initial_gap, initial_jet
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solver.moving.equations import Equations, Partials
from gated_xtfc.solver.moving.first_layer import carried
from gated_xtfc.solver.moving.needles import lasting, looked_through
from gated_xtfc.types import Array

Values = Callable[[Array], Array]  # of all fields at places (n,): (m, n)

BESIDE = 1e-9  # of the domain: where values left and right of a break are taken
IDLE = 257  # places at which the factors of derivatives in time are looked at
NOTHING = 1e-12  # of the largest of them: it vanishes
NEARBY = 1e-6  # of the domain: over what the slope of nu is taken
NOTICED = 1e-2  # of the tolerance: leaps below, relative to the field, are none
SHORT = 1e-2  # of the tolerance, and of the whole time: the first short time at most
SLIGHTLY = 1e-6  # of the time: what has moved by then does not stand still
LATER = 0.37  # of the time: a needle that is there at the start and then is there always
SECOND = 0.1  # of the square of (speeds' difference) sqrt(tau/nu): the term that follows is below it, a half at an end
SLIGHT = 0.3  # of the tolerance: what is bent away
BENT = 0.05  # of the domain: over what
ALLOWED = 0.1  # of the tolerance: what may be left out over that time


def ierfc(z: Array) -> Array:
    """The integral of erfc from z on."""
    found: Array = np.exp(-np.minimum(z**2, 700.0)) / np.sqrt(np.pi) - z * erfc(z)
    return found


@dataclass(frozen=True)
class Break:
    """A leap or a kink of one field at the start, or a condition at an end that it does not meet."""

    field: int
    place: float
    leap: float
    kink: float
    inside: bool
    joint: bool = False  # whether it is where the two ends of a periodic field meet, as each of them has it
    side: int = 0  # 1 or -1 where it is spread to the right or the left only, from a place where the equation breaks

    def amount(self) -> str:
        """How much it is: of a value, or of a slope."""
        return f"{abs(self.leap):.1e}" if self.leap else f"a slope of {abs(self.kink):.1e}"


@dataclass(frozen=True)
class Bent:
    """What is added to the values at the start so that they meet conditions which they miss by less than the tolerance.

    It is an error like any other, and counted as one.
    """

    breaks: tuple[Break, ...]
    space: Axis

    @classmethod
    def of(cls, breaks: Sequence[Break], given: "Values", space: Axis, goal: float) -> "Bent | None":
        """None where one of them is too large, or no end is where it could be bent away."""
        size = np.ptp(given(np.linspace(space.left, space.right, IDLE)), axis=1)
        found = cls(tuple(breaks), space)
        reach = [abs(one.leap) + abs(one.kink) * found.width for one in breaks]
        small = all(part <= SLIGHT * goal * size[one.field] for one, part in zip(breaks, reach, strict=True))
        return found if small and all(not one.inside or one.joint for one in breaks) else None

    @property
    def width(self) -> float:
        return BENT * self.space.length

    def error(self, x: Array, count: int) -> Array:
        """How far the values are from others that meet the conditions as well, which all are the same at the ends."""
        found = np.zeros((count, x.size))
        for one in self.breaks:
            z = np.abs(x - one.place) / self.width
            found[one.field] += (abs(one.leap) + abs(one.kink) * self.width) * np.sqrt(2.0 * np.e) * z * np.exp(-(z**2))
        return found

    def said(self, fields: Sequence[str], sizes: Array, tol: float) -> str:
        """A sentence where it is more than next to nothing."""
        seen = [one for one in self.breaks if abs(one.leap) > NOTICED * tol * sizes[one.field]]
        parts = [f"{fields[one.field]} by {one.amount()} at {self.space.name} = {one.place:.6g}" for one in seen]
        return f"values at the start were bent to meet conditions: {', '.join(parts)}" if parts else ""

    def __call__(self, x: Array, count: int) -> Array:
        found = np.zeros((count, x.size))
        for one in self.breaks:
            away = x - one.place
            # where two ends meet each of them goes half the way; a leap there is from the right end to the left one
            half = (-0.5 if one.place == self.space.left else 0.5) if one.joint else 1.0
            found[one.field] += half * (one.leap + one.kink * away) * np.exp(-((away / self.width) ** 2))
        return found


@dataclass(frozen=True)
class Spread:
    """What a break has become after a first short time."""

    broken: Break
    width: float  # l
    moved: float  # how far it was carried
    error: float  # what is left out, relative to the leap
    carried: Values | None = None  # what carrying has changed by then, over (x - x_k - moved)/l, or inwards from an end


@dataclass(frozen=True)
class StartFeatures:
    """Where texts say that the start, or an equation, is sharp: gates to begin with."""

    sharp: tuple[Feature, ...]
    breaks: tuple[float, ...]  # of the start
    anchors: tuple[float, ...] = ()  # of the equations, inside: gates that stay
    needles: tuple[Feature, ...] = ()  # of the equations, at all times


def features(problem: Problem, evolution: Evolution) -> StartFeatures:
    """What the texts of the values at the start, and of the equations, show along space."""
    space = evolution.space
    runs: list[Any] = [
        lambda t, _, watch, one=one: one.run(Dual(t, {space.name: 1.0}), watch)
        for one in evolution.initial
        if one is not None
    ]
    ends, time = (space.left, space.right), evolution.time
    sharp: list[Feature] = []
    breaks: set[float] = set()
    anchors: set[float] = set()
    needles: list[Feature] = []
    for run in runs:
        reading = read(ProbeLines(space.name, *ends, 1, run))
        sharp += [one for one in reading.features if space.left <= one.location <= space.right]
        breaks.update(reading.breaks)
    for equation in problem.equations:
        if not isinstance(equation, TextEquation):
            continue
        lines = [_along_space(equation, evolution, at) for at in (time.left, time.left + LATER * evolution.horizon)]
        sharp += [one for one in lines[0].features if space.left <= one.location <= space.right]
        for line, at in zip(lines, (0.0, LATER), strict=True):
            if line.breaks:  # those that stand still, also where they are there for a part of the time only
                later = _along_space(equation, evolution, time.left + (at + SLIGHTLY) * evolution.horizon).breaks
                anchors.update(x for x in line.breaks if any(abs(x - one) <= BESIDE * space.length for one in later))
        needles += lasting(lines, ends)
    anchors.update(idle_places(problem, evolution))
    return StartFeatures(tuple(sharp), tuple(sorted(breaks)), tuple(sorted(anchors)), tuple(needles))


def idle_places(problem: Problem, evolution: Evolution) -> list[float]:
    """Places inside at which the factor of the derivatives in time vanishes, as in (x - 0.5)^2*u_t = u_xx.

    Nothing but u_xx = 0 is left of the equation there: a place like that is joined to what is around it.
    """
    space = evolution.space
    given = stated_values(evolution)
    own, rate = np.array(evolution.evolving), evolution.along(0, 1)
    rows = np.array([any(orders == rate for _, orders in one.derivatives) for one in problem.equations])

    def factor(x: Array) -> Array:
        jets = np.stack([given(x), *np.zeros((2, own.size, x.size))])
        mass = Leads.at(problem.equations, problem.fields, evolution, x, evolution.time.left, jets).mass
        found: Array = np.abs(np.linalg.det(mass[:, rows][:, :, own]))
        return found

    x = np.linspace(space.left, space.right, IDLE)
    size = factor(x)
    found = []
    for i in np.flatnonzero((size[1:-1] <= size[:-2]) & (size[1:-1] < size[2:])) + 1:
        low, high = x[i - 1], x[i + 1]
        while high - low > BESIDE * space.length:
            near = np.linspace(low, high, 9)
            best = int(np.argmin(factor(near)))
            low, high = near[max(best - 1, 0)], near[min(best + 1, 8)]
        place = 0.5 * (low + high)
        if float(factor(np.array([place]))[0]) <= NOTHING * float(size.max()):
            found.append(float(place))
    return found


def _along_space(equation: TextEquation, evolution: Evolution, t: float) -> Reading:
    """What a text shows along space at one time."""
    space, state = evolution.space, {key: unknown(key, 0.3) for key in equation.derivatives}

    def run(x: Any, _: Any, watch: Any) -> Any:
        return equation.residual(evolution.point(Dual(x, {space.name: 1.0}), t), state, watch)

    ends = space.left, space.right
    return looked_through(space.name, ends, run, equation.free_text, **{evolution.time.name: t})


def broken(problem: Problem, evolution: Evolution, places: tuple[float, ...], tol: float) -> list[Break]:
    """Leaps and kinks of the start at these places, and conditions at the ends that it does not meet."""
    space = evolution.space
    found: list[Break] = []
    x = np.linspace(space.left, space.right, 257)
    for f, initial in enumerate(evolution.initial):
        if initial is None or not evolution.evolving[f]:
            continue
        values = initial(x)
        size = max(float(np.ptp(values)), 1e-3 * float(np.abs(values).max()), 1e-300)
        for place in places:
            leap, kink = _across(initial, place, space)
            if abs(leap) > NOTICED * tol * size or abs(kink) * space.length > tol * size:
                found.append(Break(f, place, leap if abs(leap) > NOTICED * tol * size else 0.0, kink, True))
        if evolution.periodic[f]:
            values, slopes = initial_jet(initial, np.array([space.right, space.left]), space.name)
            leap, kink = float(values[1] - values[0]), float(slopes[1] - slopes[0]) * (evolution.orders[f] > 1)
            if abs(leap) > NOTICED * tol * size or abs(kink) * space.length > tol * size:
                found += [Break(f, place, leap, kink, True, True) for place in (space.left, space.right)]
        for own in evolution.ends:
            condition = own[f]
            if condition is not None:
                found += [
                    one
                    for one in _unmet(condition, f, problem, evolution)
                    if abs(one.leap) > NOTICED * tol * size or abs(one.kink) * space.length > tol * size
                ]
    return found


def broken_at_anchors(equations: Equations, places: tuple[float, ...], tol: float) -> list[Break]:
    """The same where the equations break as well: two bodies in contact, whose values or fluxes may not match.

    With u_t = D u_xx and the flux k u_x on each side the value between the two is their mean with weights
    e = k/sqrt(D), and a flux that is q larger on the right makes it grow like 2 q sqrt(t/pi)/(e_l + e_r).
    """
    evolution, found = equations.evolution, list[Break]()
    space = evolution.space
    for f, initial in enumerate(evolution.initial):
        if initial is None or evolution.orders[f] < HIGHEST:
            continue
        values = initial(np.linspace(space.left, space.right, 257))
        size = max(float(np.ptp(values)), 1e-3 * float(np.abs(values).max()), 1e-300)
        for place in places:
            far, near = (_contact(equations, f, place, part * BESIDE * space.length) for part in (1.0, 0.1))
            # what shrinks with the distance is a change, not a leap
            leap, flux = (b if abs(b) > 0.5 * abs(a) else 0.0 for a, b in zip(far[:2], near[:2], strict=True))
            diffusion, weight = near[2:]
            leap = leap if abs(leap) > NOTICED * tol * size else 0.0
            if not (diffusion > 0.0).all():
                found += [Break(f, place, leap, 0.0, True)] if leap else []
                continue
            kink = flux / (weight.sum() * np.sqrt(diffusion))
            if not leap and not float(np.abs(kink).max()) * space.length > tol * size:
                continue
            for own, other, inwards in ((0, 1, -1), (1, 0, 1)):
                to_mean = -inwards * float(weight[other]) * leap / float(weight.sum())
                found.append(Break(f, place, to_mean, -inwards * float(kink[own]), False, side=inwards))
    return found


def _contact(equations: Equations, f: int, place: float, distance: float) -> tuple[float, float, Array, Array]:
    """By how much value and flux of a field leap at the start, and D and k/sqrt(D) on both sides, (2,) each."""
    evolution, fields = equations.evolution, equations.problem.fields
    space = evolution.space
    away = distance * np.array([-1.0, 1.0])
    x, flux = place + away, equations.fluxes[f]
    zero = np.zeros(2)
    jets = [(zero, zero) if one is None else initial_jet(one, x, space.name) for one in evolution.initial]
    u, u_x = (np.stack([jet[k] for jet in jets]) for k in (0, 1))
    diffusion = equations.partials(x, evolution.time.left, (u, u_x, np.zeros_like(u))).second[f, f]
    factor, given = np.ones(2), u_x[f].copy()
    for side in (0, 1) if flux is not None else ():
        assert flux is not None
        state: dict[Any, Any] = {
            (other, k): unknown((other, k), float(part[g, side]))
            for g, other in enumerate(fields)
            for k, part in enumerate((u, u_x))
        }
        here = flux.at(float(x[side]), (space.name, evolution.time.name)).run(evolution.time.left, state)
        assert isinstance(here, Dual)
        partials: dict[Any, Any] = {**here.partials}
        given[side], factor[side] = float(here.value), float(partials.get((fields[f], 1), 0.0))
    left, right = u[f] - u_x[f] * away
    with np.errstate(all="ignore"):
        weight = np.asarray(factor / np.sqrt(diffusion), dtype=np.float64)
    return float(right - left), float(given[1] - given[0]), diffusion, weight


def _across(initial: InitialValue, place: float, space: Axis) -> tuple[float, float]:
    """By how much value and slope leap at a place where the text switches; zero where both sides go on smoothly."""
    found = []
    for distance in (BESIDE, 0.1 * BESIDE):
        values, slopes = initial_jet(initial, place + distance * space.length * np.array([-1.0, 1.0]), space.name)
        found.append((float(values[1] - values[0]), float(slopes[1] - slopes[0])))
    # what shrinks with the distance is a change, not a leap
    leap, kink = (near if abs(near) > 0.5 * abs(far) else 0.0 for far, near in zip(*found, strict=True))
    return leap, kink


def _unmet(condition: EndCondition, f: int, problem: Problem, evolution: Evolution) -> list[Break]:
    """The gap of a condition at the start, in the value or in the slope of its field."""
    fields = problem.fields
    gap = initial_gap(condition, evolution, fields)
    if gap is None or gap[0] == 0.0:
        return []
    jets = {}
    for name in condition.fields:
        initial = evolution.initial[fields.index(name)]
        assert initial is not None
        value, slope = initial_jet(initial, np.array([condition.place]), evolution.space.name)
        jets[name] = float(value[0]), float(slope[0])
    return gap_at_end(condition, f, fields, evolution.time.left, jets)


def gap_at_end(
    condition: EndCondition, f: int, fields: Sequence[str], t: float, jets: Mapping[str, tuple[float, float]],
    follows: Array | None = None,
) -> list[Break]:  # fmt: skip
    """By how much a condition is missed, in the value or in the slope of its field.

    `jets` are these by field; `follows` (m,) is by how much others change with it at once.
    """
    state: dict[Any, Any] = {}
    for name in condition.fields:
        value, slope = jets[name]
        state |= {(name, 0): unknown((name, 0), value), (name, 1): unknown((name, 1), slope)}
    linear = condition.run(t, state)
    assert isinstance(linear, Dual)
    partials: dict[Any, Any] = {**linear.partials}
    share = {name: float(name == fields[f]) if follows is None else float(follows[fields.index(name)]) for name in jets}
    by_value, by_slope = (sum(share[name] * float(partials.get((name, k), 0.0)) for name in share) for k in (0, 1))
    if by_slope:
        return [Break(f, condition.place, 0.0, -float(linear.value) / by_slope, False)]
    if by_value:
        return [Break(f, condition.place, -float(linear.value) / by_value, 0.0, False)]
    return []


def first_time(
    breaks: list[Break], equations: Equations, tol: float, now: float, values: Values
) -> tuple[float, list[Spread]]:
    """The time after which all breaks of the values at the time `now` are smooth, and what they are then."""
    evolution = equations.evolution
    space = evolution.space
    states = [_beside(one, equations, now, values) for one in breaks]
    tau = SHORT * tol * evolution.horizon
    for one, beside in zip(breaks, states, strict=True):
        if one.leap:
            tau = min(tau, beside.time_for(ALLOWED * tol))
    # a shorter time, or thinner layers, would be lost among the numbers around them
    tau = max(tau, 1e5 * float(np.spacing(abs(now)))) if now else tau
    largest = max(abs(space.left), abs(space.right))
    for beside in states:
        if beside.diffusion > 0.0:
            tau = max(tau, (1e6 * np.spacing(largest)) ** 2 / (4.0 * max(beside.diffusion, 1e-300)))
    spreads = []
    for one, beside in zip(breaks, states, strict=True):
        width = 2.0 * float(np.sqrt(max(beside.diffusion, 0.0) * tau))
        change = beside.carried(one, space, width) if one.leap and width > 0.0 else None
        spreads.append(Spread(one, width, beside.mean * tau, beside.error(tau), change))
    return tau, spreads


@dataclass(frozen=True)
class Beside:
    """What the equations do to a break in the first moment."""

    diffusion: float  # nu
    mean: float  # speed with which it is carried along
    apart: float  # by how much speeds differ from that
    growth: float  # rate at which its field grows by itself
    widening: float  # the slope of nu
    speed: Values | None  # by the share of the leap that is there; None where it is not that of one field alone

    def time_for(self, part: float) -> float:
        """The time over which no more than a part of the leap is left out."""
        apart = part**2 if self.speed is None else part / SECOND
        return min(self.diffusion * apart / max(self.apart, 1e-30) ** 2, part / max(self.growth, 1e-30))

    def error(self, time: float) -> float:
        """The part that is left out over a time: of the first order in the width, or of the second."""
        if not self.diffusion > 0.0:
            return float(np.inf)
        square = self.apart**2 * time / self.diffusion
        return float(np.sqrt(square) if self.speed is None else SECOND * square) + self.growth * time

    def carried(self, one: Break, space: Axis, width: float) -> Values | None:
        """What carrying changes while the leap is spread over a width."""
        own = self.speed
        if own is None:
            return None
        inwards = 1.0 if one.inside or one.place == space.left else -1.0
        change = carried(
            one.leap, lambda share: inwards * (own(share) - self.mean), inwards * self.widening, one.inside
        )
        return lambda z: (width / self.diffusion) * change(z)


def _beside(one: Break, equations: Equations, now: float, before: Values) -> Beside:
    space, f = equations.evolution.space, one.field
    beside = BESIDE * space.length * np.array([-1.0, 1.0])
    beside = one.place + beside if not one.joint else np.array([space.right, space.left])
    if one.side:
        beside = np.full(2, beside[(1 + one.side) // 2])
    values = before(np.clip(beside, space.left, space.right))
    if not one.inside:
        values[f, 0 if one.place == space.left or one.side > 0 else 1] += one.leap
    left, right = values[:, :1], values[:, 1:]

    def partials(share: Array, slope: float = 0.0, away: Array | float = 0.0) -> Partials:
        """Where that share of the way from the left to the right value is gone."""
        at = np.full(share.size, one.place) + away
        states = equations.completed(at, now, left + (right - left) * share)
        derivatives = np.full_like(states, slope)
        at = np.full(share.size, one.place + one.side * BESIDE * space.length) + away
        return equations.inserted(equations.partials(at, now, (states, derivatives, derivatives)))

    three = partials(np.array([0.0, 0.5, 1.0]))
    speeds, spread = -three.first[f, f], three.second[f, f]
    growth = float(np.abs(three.value[f]).max())
    apart = float(np.ptp(speeds)) if one.inside else float(np.abs(speeds).max())
    sides = np.clip(one.place + NEARBY * space.length * np.array([-1.0, 1.0]), space.left, space.right) - one.place
    if one.side:
        sides = one.side * NEARBY * space.length * np.array([1.0, 2.0])
    around = partials(np.array([0.5, 0.5]), away=sides).second[f, f]
    widening = float(np.ptp(around) and np.diff(around)[0] / np.diff(sides)[0])
    widening = widening if np.isfinite(widening) else 0.0
    apart += abs(widening)
    mean = float(speeds @ np.array([1.0, 4.0, 1.0])) / 6.0 if one.inside else 0.0
    steep = partials(np.array([0.0, 0.5, 1.0]), 1.0)  # where derivatives matter to them the first layer is another one
    plain = np.array_equal(steep.first, three.first) and np.array_equal(steep.second, three.second)
    alone = equations.count == 1 and plain and bool(np.ptp(spread) <= 1e-12 * np.abs(spread).max())
    at_right = not one.inside and one.place == space.right

    def speed(share: Array) -> Array:
        """A share of the leap is gone on the way to the right, or is there at an end."""
        gone = share if one.inside or at_right else 1.0 - share
        found: Array = -partials(gone).first[f, f]
        return found

    usable = alone and not one.side and bool(np.isfinite(speeds).all())
    growth = growth if np.isfinite(growth) else 0.0
    return Beside(float(spread[1]), mean, apart, growth, widening, speed if usable else None)


def stated_values(evolution: Evolution) -> Values:
    """The values at the start as they are stated; zero where none are."""
    return lambda x: np.stack([np.zeros_like(x) if one is None else one(x) for one in evolution.initial])


def given_values(equations: Equations) -> Values:
    """The values at the start as they are given, or follow place by place from these; zero where neither."""
    stated, start = stated_values(equations.evolution), equations.evolution.time.left
    return lambda x: equations.completed(x, start, stated(x))


def smoothed(before: Values, spreads: list[Spread], space: tuple[float, float]) -> Values:
    """The values before a first short time, (m, n), after diffusion has spread every break over its width."""

    def values(x: Array) -> Array:
        found = before(x)
        for spread in spreads:
            one, width = spread.broken, spread.width
            away = x - one.place
            if one.inside:
                right = away >= 0.0 if one.place < space[1] else np.zeros_like(away)
                here = (away == 0.0) & (right > 0.0)
                if here.any():  # which of the two values a break has itself is anybody's guess
                    found[one.field, here] = before(x[here] + BESIDE * (space[1] - space[0]))[one.field]
                z = (spread.moved - away) / width
                found[one.field] += one.leap * (0.5 * erfc(z) - right)
                if spread.carried is not None:
                    found[one.field] += spread.carried(-z)
                found[one.field] += one.kink * (0.5 * width * ierfc(z) - np.maximum(away, 0.0))
            else:
                inwards = one.side or (1 if one.place == space[0] else -1)
                here = away * inwards >= 0.0
                found[one.field] += here * one.leap * erfc(np.abs(away) / width)
                if spread.carried is not None:
                    found[one.field] += spread.carried(np.abs(away) / width)
                found[one.field] -= here * inwards * one.kink * width * ierfc(np.abs(away) / width)
        return found

    return values


def first_error(spreads: list[Spread], x: Array, fields: int) -> Array:
    """What the first short time may have left out, (m, n)."""
    found = np.zeros((fields, x.size))
    for spread in spreads:
        z = (x - spread.broken.place) / spread.width
        found[spread.broken.field] += spread.error * abs(spread.broken.leap) * np.exp(-np.minimum(z**2, 700.0))
    return found


def spreading(equations: Equations) -> list[bool]:
    """Whether every field is spread by its own second derivative somewhere at the start."""
    space = equations.evolution.space
    x = space.left + space.length * np.linspace(0.0, 1.0, 65)[1:-1] ** 1.1
    u = given_values(equations)(x)
    zero, own = np.zeros_like(u), np.arange(equations.count)
    partials = equations.inserted(equations.partials(x, equations.evolution.time.left, (u, zero, zero)))
    return [bool((row > 0.0).any()) for row in partials.second[own, own]]
