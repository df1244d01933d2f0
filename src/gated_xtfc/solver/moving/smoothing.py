"""Values at the start that leap, bend or disagree with the ends, as diffusion smooths them within a first short time.

A leap J at x_k becomes J erfc((x_k - x)/l)/2 and a kink J l ierfc((x_k - x)/l)/2, with l = 2 sqrt(nu tau); a value that
disagrees with an end leaves J erfc(distance/l), a slope -J l ierfc(distance/l): solutions of u_t = nu u_xx over a time
tau, so short that nothing else matters. Inside, a leap is carried along with the mean of the speeds on its two sides.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import erfc

from gated_xtfc.problem.domain import Axis
from gated_xtfc.solver.moving.breaks import BESIDE, Break, Values
from gated_xtfc.solver.moving.equations import Equations, Partials
from gated_xtfc.solver.moving.first_layer import carried
from gated_xtfc.types import Array

NEARBY = 1e-6  # of the domain: over what the slope of nu is taken
SHORT = 1e-2  # of the tolerance, and of the whole time: the first short time at most
SECOND = 0.1  # of the square of (speeds' difference) sqrt(tau/nu): the term that follows is below it, a half at an end
ALLOWED = 0.1  # of the tolerance: what may be left out over that time


def ierfc(z: Array) -> Array:
    """The integral of erfc from z on."""
    found: Array = np.exp(-np.minimum(z**2, 700.0)) / np.sqrt(np.pi) - z * erfc(z)
    return found


@dataclass(frozen=True)
class Spread:
    """What a break has become after a first short time."""

    broken: Break
    width: float  # l
    moved: float  # how far it was carried
    error: float  # what is left out, relative to the leap
    carried: Values | None = None  # what carrying has changed by then, over (x - x_k - moved)/l, or inwards from an end


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
