"""Equations of first order along one coordinate, time: M(x, t, u) u_t = F(x, t, u, u_x, u_xx), u given at its start.

Conditions hold at the two ends of the other coordinate for all times; u(a, t) = u(b, t) makes a field periodic.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.language.dual import Dual, Key, Operand, State, unknown, value_of
from gated_xtfc.language.program import Program, Watch
from gated_xtfc.problem.algebraic import completed, grows_without_end, inserted
from gated_xtfc.problem.domain import Axis, derivative_name
from gated_xtfc.problem.equation import Equation
from gated_xtfc.problem.stand_ins import TIME
from gated_xtfc.types import Array, Mask, Number, Orders

HIGHEST = 2  # order of a derivative in space
UNMET = 1e-6  # by which a condition may be missed at the start, relative to the values there, and nothing is said


@dataclass(frozen=True)
class InitialValue:
    """A field at the start, as a text that was solved for the field."""

    text: str
    field: str
    program: Program
    names: tuple[str, str]  # of space and time
    start: float
    parameters: Mapping[str, float]

    def run(self, x: Operand, watch: Watch | None = None) -> Operand:
        """left - right with the field as an unknown at zero; its slope is one."""
        env = {**self.parameters, self.names[0]: x, self.names[1]: self.start}
        return self.program.run(env, {(self.field, (0, 0)): unknown((self.field, (0, 0)))}, watch)

    def __call__(self, x: Array) -> Array:
        """The field at places x, (n,)."""
        found = self.run(x)
        assert isinstance(found, Dual)
        values: Array = np.zeros_like(x) - found.value / np.asarray(found.partials[self.field, (0, 0)])
        return values


@dataclass(frozen=True)
class EndCondition:
    """A condition at one end of space, left - right = 0 for all times, given to the equation of one field."""

    text: str
    end: int  # 0 left, 1 right
    program: Program
    names: tuple[str, str]  # of space and time
    place: float
    parameters: Mapping[str, float]

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """Those that occur in it."""
        return tuple(dict.fromkeys(name for name, _ in self.program.derivatives))

    def run(self, t: Operand, state: State, watch: Watch | None = None) -> Operand:
        """left - right at a time, `state` by field and order in space, {("u", 1): u_x}."""
        env = {**self.parameters, self.names[0]: self.place, self.names[1]: t}
        at = {key: state[key[0], sum(key[1])] for key in self.program.derivatives}
        return self.program.run(env, at, watch)


@dataclass(frozen=True)
class Flux:
    """What stands in (k*u_x)_x: it is the same on both sides of a break, where slopes need not be."""

    program: Program
    parameters: Mapping[str, Any]

    def at(self, place: float, names: tuple[str, str]) -> EndCondition:
        """Its value at a place, as conditions have theirs."""
        return EndCondition(self.program.text, 0, self.program, names, place, self.parameters)


@dataclass(frozen=True)
class Evolution:
    """What makes a problem one of evolution: which coordinate is time, how fields begin, what holds at the ends.

    Attributes
    ----------
    space, time
        The coordinates.
    time_first
        Whether time is the first coordinate of the problem.
    orders
        Of the derivatives in space, by field, once plain fields are inserted.
    evolving
        For every field whether its derivative in time occurs; the others follow from the equations at every time.
    initial
        What every evolving field is at the start.
    ends
        For each end the conditions there, by field; None where a field needs none.
    periodic
        Fields that are the same at both ends.
    own
        The number of every field's equation; one without a derivative in time is given to a field without one.
    plain
        Fields whose equation has no derivative at all, so that they follow from the others place by place.
    waves
        Groups of fields of first order that carry one another, or are carried by plain fields.
    """

    space: Axis
    time: Axis
    time_first: bool
    orders: tuple[int, ...]
    evolving: tuple[bool, ...]
    initial: tuple[InitialValue | None, ...]
    ends: tuple[tuple[EndCondition | None, ...], tuple[EndCondition | None, ...]]
    periodic: tuple[bool, ...]
    own: tuple[int, ...]
    plain: tuple[bool, ...]
    waves: tuple[tuple[int, ...], ...] = ()

    @property
    def horizon(self) -> float:
        """The whole time; one where there is no end to it."""
        return self.time.length if self.time.finite else 1.0

    def along(self, space: int, time: int) -> Orders:
        """The orders of a derivative, as the problem counts its coordinates."""
        return (time, space) if self.time_first else (space, time)

    def point(self, x: Any, t: Any) -> tuple[Any, Any]:
        """A place and a time in the order of the problem's coordinates."""
        return (t, x) if self.time_first else (x, t)


def time_axis(equations: Sequence[Equation], axes: Sequence[Axis]) -> int | None:
    """The number of the coordinate along which the equations evolve; None where they do not."""
    if len(axes) != 2:
        return None
    derivatives = [orders for equation in equations for _, orders in equation.derivatives]
    highest = [max((orders[k] for orders in derivatives), default=0) for k in (0, 1)]
    names = [axis.name for axis in axes]
    first_order = [k for k in (0, 1) if highest[k] == 1 and (highest[1 - k] > 1 or names[k] == TIME)]
    if not first_order:
        return None
    time = first_order[0]
    for equation in equations:
        for field, orders in equation.derivatives:
            shown = derivative_name(field, orders, axes)
            if orders[time] and orders[1 - time]:
                raise InputError(
                    f"{shown} in {quoted(equation.text)} is a derivative in space and time at once: "
                    f"only {derivative_name(field, _unit(time), axes)} itself can stand in an equation of evolution"
                )
    return time


def _unit(time: int) -> Orders:
    return (1, 0) if time == 0 else (0, 1)


def split_equations(
    equations: Sequence[Equation], fields: Sequence[str], time: int, axes: Sequence[Axis]
) -> tuple[tuple[int, ...], tuple[bool, ...]]:
    """Orders in space and whether it evolves, by field; as many equations with time in them as evolving fields."""
    seen = {key for equation in equations for key in equation.derivatives}
    unit = _unit(time)
    orders = tuple(max(o[1 - time] for name, o in seen if name == field) for field in fields)
    evolving = tuple((field, unit) in seen for field in fields)
    with_time = sum(any(o == unit for _, o in equation.derivatives) for equation in equations)
    if with_time != sum(evolving):
        listed = ", ".join(derivative_name(f, unit, axes) for f, e in zip(fields, evolving, strict=True) if e)
        raise InputError(
            f"{listed} stand in {with_time} equation{'s' * (with_time != 1)}: as many equations must have derivatives "
            f"in {axes[time].name} as there are fields with one"
        )
    return orders, evolving


@dataclass(frozen=True)
class Leads:
    """The factors of the derivatives at places and one time, (n, equations, fields) each.

    The first and second ones are those once plain fields are inserted.
    """

    x: Array
    mass: Array  # of those in time
    value: Array  # of the fields themselves
    carried: Array  # of the first ones in space
    spread: Array  # of the second ones
    blank: Mask  # (n,): where the equations have no value

    @classmethod
    def at(
        cls, equations: Sequence[Equation], fields: Sequence[str], evolution: Evolution, x: Array, t: float, jets: Array
    ) -> "Leads":
        """For fields and derivatives in space, (3, m, n)."""
        state: dict[Key, Operand] = {}
        for f, field in enumerate(fields):
            for k in range(HIGHEST + 1):
                key = field, evolution.along(k, 0)
                state[key] = unknown(key, jets[k, f])
            state[field, evolution.along(0, 1)] = unknown((field, evolution.along(0, 1)), np.zeros_like(x))
        mass, value, carried, spread = (np.zeros((x.size, len(fields), len(fields))) for _ in range(4))
        blank = np.zeros(x.shape, dtype=bool)
        for e, equation in enumerate(equations):
            found = equation.residual(evolution.point(x, t), state)
            blank |= np.isnan(np.asarray(value_of(found)))
            partials: dict[Key, Number] = {} if not isinstance(found, Dual) else {**found.partials}
            for f, field in enumerate(fields):
                mass[:, e, f] = partials.get((field, evolution.along(0, 1)), 0.0)
                value[:, e, f] = partials.get((field, evolution.along(0, 0)), 0.0)
                carried[:, e, f] = partials.get((field, evolution.along(1, 0)), 0.0)
                spread[:, e, f] = partials.get((field, evolution.along(2, 0)), 0.0)
        own = cls(x, mass, value, carried, spread, blank)
        carried, spread = inserted(own, evolution)
        return replace(own, carried=carried, spread=spread)


def check_forward(equations: Sequence[Equation], fields: Sequence[str], evolution: Evolution) -> None:
    """Refuses what is not linear in the derivatives in time, what has no value, what runs backwards, u_t = -u_xx, and
    conditions where a field flows out, about the values at the start.

    No solution depends on its data smoothly where something runs backwards.
    """
    space, start = evolution.space, evolution.time.left
    x = space.left + space.length * np.linspace(0.0, 1.0, 101)[1:-1] ** 1.1
    jets = jets_at_start(equations, fields, evolution, x)
    _check_linear(equations, fields, evolution, x, jets)
    leads = Leads.at(equations, fields, evolution, x, start, jets)
    rows, own = np.any(leads.mass != 0.0, axis=(0, 2)), np.array(evolution.evolving)
    if rows.sum() != own.sum() or not rows.any():
        raise InputError(
            f"the factor of the derivative in {evolution.time.name} is zero everywhere in {shown_system(equations)}: "
            "give it another value"
        )
    with np.errstate(all="ignore"):
        gone = np.linalg.det(leads.mass[:, rows][:, :, own]) == 0.0
    if (gone[1:] & gone[:-1]).any():
        at = x[1:][gone[1:] & gone[:-1]]
        raise InputError(
            f"the factor of the derivative in {evolution.time.name} is zero from {space.name} = {at[0]:.3g} to "
            f"{at[-1]:.3g} in {shown_system(equations)}, where nothing is left that evolves: give it a small value "
            "there"
        )
    blank = leads.blank & np.isfinite(jets).all(axis=(0, 1))
    known = all(one or own is not None for one, own in zip(evolution.plain, evolution.initial, strict=True))
    if blank.any() and known:
        raise InputError(
            f"{shown_system(equations)} cannot be computed at {space.name} = {x[blank][0]:.3g}, "
            f"{evolution.time.name} = {start:g}: look for roots and logarithms of negative numbers, and for 0/0"
        )
    turned = runs_backwards(equations, evolution, leads, 1e-9) or flows_out(fields, evolution, leads, 1e-9)
    if turned:
        raise InputError(turned)


def jets_at_start(equations: Sequence[Equation], fields: Sequence[str], evolution: Evolution, x: Array) -> Array:
    """Values and slopes of all fields at the start, at places in order, (3, m, n): zero what is not known."""
    jets = np.zeros((HIGHEST + 1, len(fields), x.size))
    for f, initial in enumerate(evolution.initial):
        if initial is not None:
            jets[0, f] = initial(x)
    jets[0] = completed(equations, fields, evolution, x, evolution.time.left, jets[0])
    jets[1] = np.gradient(jets[0], x, axis=1)
    return jets


def shown_system(equations: Sequence[Equation]) -> str:
    """The equation, or equations, in a sentence."""
    return quoted(equations[0].text) if len(equations) == 1 else "the system"


def _check_linear(
    equations: Sequence[Equation], fields: Sequence[str], evolution: Evolution, x: Array, jets: Array
) -> None:
    """Refuses u_t^2 and sin(u_t): the factors of derivatives in time must not depend on these."""
    rates = [(field, evolution.along(0, 1)) for field in fields]
    base: dict[Key, Operand] = {
        (field, evolution.along(k, 0)): jets[k, f] for f, field in enumerate(fields) for k in range(HIGHEST + 1)
    }
    wide = np.logspace(-12.0, 12.0, x.size)  # the unit of the rates is not known
    for equation in equations:
        factors = []
        for size in (wide, -2.0 * wide):
            state = base | {key: unknown(key, size) for key in rates}
            found = equation.residual(evolution.point(x, evolution.time.left), state)
            factors.append({**found.partials} if isinstance(found, Dual) else {})
        for key in rates:
            one, other = (np.asarray(partials.get(key, 0.0), dtype=float) for partials in factors)
            with np.errstate(all="ignore"):
                differ = np.abs(one - other) > 1e-9 * (np.abs(one) + np.abs(other))
            if np.any(differ):
                rate = derivative_name(key[0], _unit(0 if evolution.time_first else 1), _axes(evolution))
                raise InputError(f"{quoted(equation.text)} is not linear in {rate}: solve it for {rate}")


def _axes(evolution: Evolution) -> tuple[Axis, Axis]:
    return (evolution.time, evolution.space) if evolution.time_first else (evolution.space, evolution.time)


def runs_backwards(equations: Sequence[Equation], evolution: Evolution, leads: Leads, least: float) -> str:
    """A sentence where a second derivative has a factor below zero by so much of the largest; else nothing."""
    rows, own = np.any(leads.mass != 0.0, axis=(0, 2)), np.array(evolution.evolving)
    if rows.sum() != own.sum():
        return ""
    inner, spread = leads.mass[:, rows][:, :, own], leads.spread[:, rows][:, :, own]
    with np.errstate(all="ignore"):
        whole: Mask = np.array(np.isfinite(inner).all(axis=(1, 2)) & np.isfinite(spread).all(axis=(1, 2)))
        whole[whole] &= np.abs(np.linalg.det(inner[whole])) > 0.0
    if not whole.any():
        return ""
    factors = np.linalg.eigvals(-np.linalg.solve(inner[whole], spread[whole])).real
    if not factors.min() < -least * np.abs(factors).max():
        if grows_without_end(equations, evolution, leads, least):
            rest = f"with the fields without a derivative in {evolution.time.name} inserted, " * (not own.all())
            return (
                f"{shown_system(equations)} is ill-posed: {rest}the finest waves grow the fastest, as in a heat "
                "equation that runs backwards"
            )
        return ""
    at = leads.x[whole][np.argmin(factors.min(axis=1))]
    return (
        f"{shown_system(equations)} is ill-posed: solved for the derivative in {evolution.time.name}, the factor of "
        f"the second derivative is negative at {evolution.space.name} = {at:.3g}, as in a heat equation that runs "
        "backwards"
    )


def flows_out(fields: Sequence[str], evolution: Evolution, leads: Leads, least: float) -> str:
    """A sentence where the one condition of a field without second derivatives stands where it flows out."""
    ends, name = evolution.ends, evolution.space.name
    if len(fields) > 1 or evolution.orders[0] != 1 or evolution.periodic[0]:
        return ""
    with np.errstate(all="ignore"):
        speeds = np.nan_to_num(leads.carried[:, 0, 0] / leads.mass[:, 0, 0], posinf=0.0, neginf=0.0)
    for condition, other, outwards in ((ends[0][0], evolution.space.right, -speeds[0]),
                                       (ends[1][0], evolution.space.left, speeds[-1])):  # fmt: skip
        if condition is not None and outwards > least * np.abs(speeds).max():
            return outflow(fields[0], condition, name, other)
    return ""


def outflow(field: str, condition: EndCondition, name: str, other: float) -> str:
    """What is said of a condition at an end of outflow; `other` is the other end."""
    return (
        f"{field} flows out at {name} = {condition.place:g}, where {quoted(condition.text)} stands: "
        f"give it a condition at {name} = {other:g}, where it flows in"
    )


def mismatches(evolution: Evolution, fields: Sequence[str]) -> tuple[str, ...]:
    """One sentence for each condition, and each joint of a periodic field, that the values at the start do not meet."""
    found = []
    start, space = evolution.time.left, evolution.space
    for field, periodic, initial in zip(fields, evolution.periodic, evolution.initial, strict=True):
        if not periodic or initial is None:
            continue
        values = initial(space.left + space.length * np.linspace(0.0, 1.0, 65))
        if abs(values[-1] - values[0]) > UNMET * np.abs(values).max():
            found.append(
                f"{field} is periodic, and its values at {evolution.time.name} = {start:g} are not: {values[0]:.6g} at "
                f"{space.name} = {space.left:g} and {values[-1]:.6g} at {space.name} = {space.right:g}"
            )
    for own in evolution.ends:
        for condition in own:
            if condition is None:
                continue
            gap = initial_gap(condition, evolution, fields)
            if gap is not None and abs(gap[0]) > UNMET * max(gap[1], 1e-300):
                found.append(
                    f"the condition {quoted(condition.text)} does not hold for the values at {evolution.time.name} = "
                    f"{start:g}, {space.name} = {condition.place:g}: the solution leaps there at the start"
                )
    return tuple(found)


def initial_gap(condition: EndCondition, evolution: Evolution, fields: Sequence[str]) -> tuple[float, float] | None:
    """left - right of a condition for the values at the start, and their size; None where not all are given."""
    state: dict[Key, Operand] = {}
    size = 0.0
    name = evolution.space.name
    for field in condition.fields:
        initial = evolution.initial[fields.index(field)]
        if initial is None:
            return None
        values, slopes = initial_jet(initial, np.array([condition.place]), name)
        state[field, 0], state[field, 1] = float(values[0]), float(slopes[0])
        whole = initial(evolution.space.left + evolution.space.length * np.linspace(0.0, 1.0, 65))
        size = max(size, float(np.abs(whole).max()), abs(float(slopes[0])) * evolution.space.length)
    plain = float(np.asarray(value_of(condition.run(evolution.time.left, state))))
    zero = abs(float(np.asarray(value_of(condition.run(evolution.time.left, dict.fromkeys(state, 0.0))))))
    return (plain, max(size, zero)) if np.isfinite(plain) else None


def initial_jet(initial: InitialValue, x: Array, name: str) -> tuple[Array, Array]:
    """The values at the start and their slopes, (n,) each."""
    found = initial.run(Dual(x, {name: 1.0}))
    assert isinstance(found, Dual)
    partials: dict[Key, Number] = {**found.partials}
    slope = partials.get(name, 0.0)
    return initial(x), np.zeros_like(x) - slope / np.asarray(partials[initial.field, (0, 0)])
