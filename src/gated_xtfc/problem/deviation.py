"""Fields at other places than the equation's own, u(x - tau) or u(q*x): each is a function of x with a name of its own.

What it is follows from the solution, u at theta(x); where theta(x) lies outside of the domain, from what a condition
says there, u = cos(x) on x < 0. Until a solution is at hand nothing is known of it.
"""

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.language.dual import Dual, Operand, value_of
from gated_xtfc.language.program import Program
from gated_xtfc.problem.domain import Axis
from gated_xtfc.types import Array

Evaluated = Callable[[str, Array, int], Array]  # a derivative of a field at places of the domain
SLACK = 1e-12  # of the domain: theta may miss an end by rounding
SAMPLES = 257
MOST_BREAKS = 48
HALVINGS = 60  # of an interval in which a zero is found
SMOOTH = 12  # derivatives up to which a joint counts


@dataclass(frozen=True)
class Deviation:
    """A field, or a derivative of it, at another place."""

    name: str
    field: str
    order: int
    text: str  # as it stands in the equation
    place: Program  # theta, in the coordinate and the parameters
    before: Program | None  # what the field is left of the domain, in the coordinate and the parameters
    after: Program | None  # ... and right of it
    axis: Axis
    parameters: Mapping[str, Any] = dataclasses.field(compare=False)

    def theta(self, x: Operand) -> Operand:
        return self.place.run({**self.parameters, self.axis.name: x}) + 0.0 * x

    def history(self, at: Array, program: Program) -> Array:
        """The derivative that is asked for, of what was said outside of the domain."""
        env = {**self.parameters, self.axis.name: at if not self.order else Dual(at, {"": 1.0})}
        found = program.run(env)
        if self.order:
            found = found.partials.get("", 0.0) if isinstance(found, Dual) else 0.0
        return np.zeros_like(at) + value_of(found)

    def check(self) -> None:
        """Refuses places outside of the domain of which nothing was said."""
        theta = np.asarray(value_of(self.theta(self.axis.at(np.linspace(0.0, 1.0, SAMPLES)))))
        if not np.isfinite(theta).all():
            raise InputError(f"the place in {self.text} is not a finite number everywhere in the domain")
        slack = SLACK * self.axis.length
        for outside, known, sign, furthest in (
            (theta < self.axis.left - slack, self.before, "<", theta.min()),
            (theta > self.axis.right + slack, self.after, ">", theta.max()),
        ):
            end = self.axis.left if sign == "<" else self.axis.right
            if outside.any() and known is None:
                raise InputError(
                    f"{self.text} reaches {self.axis.name} = {furthest:.6g}, outside of the domain "
                    f"[{self.axis.left:g}, {self.axis.right:g}]: say what {self.field} is there, in a condition such "
                    f"as {self.field} = 1 on {self.axis.name} {sign} {end:g}"
                )
        if self.order > 1 and (self.before or self.after):
            raise InputError(
                f"{self.text} has a derivative above the first of what {self.field} is outside of the domain"
            )

    @property
    def lag(self) -> float:
        """By how much theta(x) stays behind x at the least; not positive where it does not."""
        x = self.axis.at(np.linspace(0.0, 1.0, SAMPLES))
        return float(np.min(x - np.asarray(value_of(self.theta(x)))))


@dataclass(frozen=True)
class Unread:
    """In the place of a deviation while a statement is read."""

    breaks = ()

    def applied(self, a: Operand, order: int = 0) -> Operand:
        return 0.0 * a


@dataclass(frozen=True)
class Unsolved:
    """In the place of a deviation until its solution is known."""

    text: str
    breaks = ()

    def applied(self, a: Operand, order: int = 0) -> Operand:
        raise InputError(f"{self.text} is a value at another place: of equations with delays solve gives the solution")


@dataclass(frozen=True)
class Delayed:
    """A deviation of a known function, as the texts call it."""

    deviation: Deviation
    of: Evaluated
    breaks: tuple[float, ...] = ()  # where it is not smooth

    def applied(self, a: Operand, order: int = 0) -> Operand:
        """The derivative of that order along the coordinate, the first at the most."""
        value, slope = self._at(np.asarray(value_of(a), dtype=float))
        shown = slope if order else value
        if isinstance(a, Dual):
            return a.chained(shown, 0.0 * slope if order else slope)
        return float(shown) if isinstance(a, float) else shown

    def _at(self, x: Array) -> tuple[Array, Array]:
        own, axis = self.deviation, self.deviation.axis
        theta = own.theta(Dual(x, {"": 1.0}))
        assert isinstance(theta, Dual)
        at, rate = np.zeros_like(x) + theta.value, np.zeros_like(x) + theta.partials.get("", 0.0)
        flat = at.ravel()
        inside = np.clip(flat, axis.left, axis.right)
        value, slope = self.of(own.field, inside, own.order), self.of(own.field, inside, own.order + 1)
        slack = SLACK * axis.length
        for outside, known in ((flat < axis.left - slack, own.before), (flat > axis.right + slack, own.after)):
            if known is not None and outside.any():
                value = np.where(outside, own.history(flat, known), value)
                slope = np.where(outside, 0.0, slope)
        return value.reshape(at.shape), slope.reshape(at.shape) * rate


def joints(deviations: tuple[Deviation, ...], order: int) -> tuple[float, ...]:
    """Places at which a delayed solution need not be smooth: where theta reaches an end, and so on from there.

    Each time that a joint is passed on, the solution has `order` derivatives more.
    """
    axis = deviations[0].axis
    x = axis.at(np.linspace(0.0, 1.0, SAMPLES))
    found: list[float] = []
    newest = [axis.left, axis.right]
    for _ in range(SMOOTH // order + 1):
        following: list[float] = []
        for own in deviations:
            for target in newest:
                following += _passes(own, x, target)
        inner = {place for place in following if axis.left < place < axis.right}
        newest = [place for place in sorted(inner) if all(abs(place - one) > 1e-9 * axis.length for one in found)]
        found += newest
        if not newest or len(found) > MOST_BREAKS:
            break
    return tuple(sorted(found)[:MOST_BREAKS])


def _passes(own: Deviation, x: Array, target: float) -> list[float]:
    """Where theta passes a place."""
    return _zeros_between(lambda at: np.asarray(value_of(own.theta(at))) - target, x)


@dataclass(frozen=True)
class Deviations:
    """All of a problem, to be bound to a solution."""

    every: tuple[Deviation, ...]
    order: int  # of the equations, the lowest

    @cached_property
    def breaks(self) -> tuple[float, ...]:
        return joints(self.every, max(self.order, 1))

    def bound(self, of: Evaluated) -> dict[str, Any]:
        """What the names stand for where the fields are known."""
        return {one.name: Delayed(one, of, self.breaks) for one in self.every}


def unsolved(deviations: tuple[Deviation, ...]) -> dict[str, Any]:
    return {one.name: Unsolved(quoted(one.text)) for one in deviations}


def _zeros_between(function: Callable[[Array], Array], x: Array) -> list[float]:
    """Zeros between neighbouring samples, by halving; one that stands on a sample as it is."""
    values = np.asarray(function(x), dtype=float) + np.zeros_like(x)
    found: list[float] = x[values == 0.0].tolist()
    for i in np.flatnonzero(values[1:] * values[:-1] < 0.0).tolist():
        low, high, sign = float(x[i]), float(x[i + 1]), np.sign(values[i])
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            if np.sign(float(np.ravel(function(np.array([middle])))[0])) == sign:
                low = middle
            else:
                high = middle
        found.append(high)
    return found
