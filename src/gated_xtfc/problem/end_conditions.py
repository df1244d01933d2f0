"""Which conditions belong to which equations at an end.

One at each end for a field with a second derivative; for fields of first order as many as waves come in there.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.language.dual import Dual, Key, Operand, unknown
from gated_xtfc.problem.algebraic import follows, is_slope, reached
from gated_xtfc.problem.equation import Equation
from gated_xtfc.problem.evolution import EndCondition, Evolution, Leads, jets_at_start, outflow, shown_system
from gated_xtfc.problem.stand_ins import StandIns
from gated_xtfc.types import Array, Number

Shared = tuple[tuple[EndCondition | None, ...], tuple[EndCondition | None, ...]]

PLACES = 33  # at which speeds are looked at, to know what a small one is
SLOW = 1e-9  # of the largest speed: no speed at all
UNMET = 1e-9  # of the factors in a condition: what comes in has no part in it
CLAMP = 1e3  # over the length: how fast a slope that is given is met
COMPLEX = 1e-6  # of it: an imaginary part that is none of rounding


def wave_groups(
    equations: Sequence[Equation], fields: Sequence[str], evolution: Evolution
) -> tuple[tuple[int, ...], ...]:
    """Fields of first order that carry one another, as the texts have it, or that plain fields carry."""
    own = [e and order == 1 for e, order in zip(evolution.evolving, evolution.orders, strict=True)]
    step, rate = evolution.along(1, 0), evolution.along(0, 1)
    leader, through = list(range(len(fields))), set[int]()
    for equation in equations:
        if not any(orders == rate for _, orders in equation.derivatives):
            continue
        together: list[int] = []
        for name, orders in equation.derivatives:
            f = fields.index(name)
            if orders == step and evolution.plain[f]:
                behind = [g for g in reached(f, equations, fields, evolution.own, evolution.plain) if own[g]]
                together += behind
                through.update(behind)
            elif orders in (step, rate) and own[f]:
                together.append(f)
        for f in together[1:]:
            old, new = leader[f], leader[together[0]]
            leader = [new if one == old else one for one in leader]
    groups = [tuple(f for f in range(len(fields)) if leader[f] == one and own[f]) for one in sorted(set(leader))]
    return tuple(group for group in groups if len(group) > 1 or through.intersection(group))


def incoming(speeds: Array, count: int) -> tuple[Array, Array]:
    """A basis (k, p) of the fastest waves that come in, and what speeds (k, k) inwards are in it, a triangle (p, p)."""
    from scipy.linalg import schur  # few problems have waves

    if count == len(speeds):
        triangle, basis = schur(speeds)
    else:
        order = np.sort(np.linalg.eigvals(speeds).real)[::-1]
        least = 0.5 * (order[count - 1] + order[count])
        triangle, basis, _ = schur(speeds, sort=lambda real, _: bool(real > least))
    return np.asarray(basis[:, :count]), np.asarray(triangle[:count, :count])


@dataclass(frozen=True)
class Speeds:
    """The factors of the first derivatives among the fields of first order at both ends, solved for those in time."""

    groups: tuple[tuple[int, ...], ...]  # those that carry one another; all others alone
    matrices: Array  # (2, m, m): positive to the right
    size: float  # the largest anywhere
    follows: Array  # (2, m, m): by how much fields change with those that are not plain
    jets: Array  # (2, m, 2): values and slopes

    def inwards(self, group: Sequence[int], end: int) -> Array:
        """The speeds of a group into the domain."""
        found: Array = np.linalg.eigvals(self.matrices[end][np.ix_(group, group)]) * (1.0 if end == 0 else -1.0)
        return found

    def entering(self, group: Sequence[int], end: int, least: float = SLOW) -> tuple[int, int]:
        """How many waves come in for sure, and how many at most, where those slower than a part of the largest do."""
        speeds = self.inwards(group, end).real
        if not np.isfinite(speeds).all():
            return 0, len(group)
        return int((speeds > least * self.size).sum()), int((speeds >= -least * self.size).sum())


def end_speeds(
    equations: Sequence[Equation], fields: Sequence[str], evolution: Evolution, leads: Leads, jets: Array
) -> Speeds | None:
    """The speeds at the first and the last place of `leads`, for `jets` (3, m, n).

    None without fields of first order that evolve.
    """
    own = [f for f, order in enumerate(evolution.orders) if order == 1 and evolution.evolving[f]]
    if not own:
        return None
    groups = wave_groups(equations, fields, evolution)
    groups += tuple((f,) for f in own if not any(f in group for group in groups))
    evolving = np.array(evolution.evolving)
    timed = np.unique(np.array(evolution.own)[evolving])
    mass, carried = leads.mass[:, timed][:, :, evolving], leads.carried[:, timed][:, :, evolving]
    with np.errstate(all="ignore"):
        whole: Any = np.isfinite(mass).all(axis=(1, 2)) & np.isfinite(carried).all(axis=(1, 2))
        whole[whole] &= np.abs(np.linalg.det(mass[whole])) > 0.0
        found = np.full((leads.x.size, len(fields), len(fields)), np.nan)
        inner = np.full(mass.shape, np.nan)
        inner[whole] = np.linalg.solve(mass[whole], carried[whole])
    found[np.ix_(np.arange(leads.x.size), np.flatnonzero(evolving), np.flatnonzero(evolving))] = inner
    among = np.abs(found[:, own][:, :, own])
    size = float(np.nanmax(among)) if np.isfinite(among).any() else 0.0
    at_ends = np.moveaxis(jets[:2][:, :, [0, -1]], (0, 2), (2, 0))
    return Speeds(groups, found[[0, -1]], size, follows(leads, evolution)[[0, -1]], at_ends)


def speeds_at_start(equations: Sequence[Equation], fields: Sequence[str], evolution: Evolution) -> Speeds | None:
    """The same for the values at the start; refuses complex speeds."""
    space = evolution.space
    x = space.left + space.length * np.linspace(0.0, 1.0, PLACES)
    jets = jets_at_start(equations, fields, evolution, x)
    leads = Leads.at(equations, fields, evolution, x, evolution.time.left, jets)
    found = end_speeds(equations, fields, evolution, leads, jets)
    for group in found.groups if found else ():
        for end in (0, 1):
            speeds = found.inwards(group, end) if found else np.zeros(0)
            if np.isfinite(speeds).all() and np.abs(speeds.imag).max() > COMPLEX * np.abs(speeds).max():
                place = space.right if end else space.left
                raise InputError(
                    f"{shown_system(equations)} is ill-posed at {space.name} = {place:g}: solved for the derivatives "
                    f"in {evolution.time.name}, the factors of the first ones in {space.name} have complex "
                    "eigenvalues, so that nothing travels at a speed"
                )
    return found


def waves_turned(
    equations: Sequence[Equation], fields: Sequence[str], evolution: Evolution, leads: Leads, jets: Array, least: float
) -> str:
    """A sentence where another number of waves comes in at an end than conditions are given for."""
    found = end_speeds(equations, fields, evolution, leads, jets)
    for group in found.groups if found else ():
        for end, place in enumerate((evolution.space.left, evolution.space.right)):
            if found is None or any(evolution.periodic[f] for f in group):
                continue
            given = sum(evolution.ends[end][f] is not None for f in group)
            low, high = found.entering(group, end, least)
            if not low <= given <= high:
                listed, now = ", ".join(fields[f] for f in group), low if given < low else high
                return (
                    f"{now} of the waves of {listed} come{'s' * (now == 1)} in at {evolution.space.name} = {place:g} "
                    f"now, where {given} condition{'s' * (given != 1)} {'is' if given == 1 else 'are'} given"
                )
    return ""


def shared(
    ends: tuple[list[EndCondition], list[EndCondition]],
    equations: Sequence[Equation],
    fields: tuple[str, ...],
    evolution: Evolution,
    speeds: Speeds | None,
    stand_ins: StandIns,
    passive: Sequence[Mapping[str, EndCondition]],
) -> Shared:
    """Every condition given to the equation of one field that occurs in it, or of what stands for its derivatives.

    `passive` are those at both ends of fields that are not differentiated in space.
    """
    own = _Sharing(equations, fields, evolution, speeds, stand_ins)
    found = own.at(0, ends[0], ends[1]), own.at(1, ends[1], ends[0])
    own.check_odd(found, ends)
    own.check_single(found)
    left, right = (
        tuple(one or further.get(name) for one, name in zip(side, fields, strict=True))
        for side, further in zip(found, passive, strict=True)
    )
    return left, right


@dataclass(frozen=True)
class _Sharing:
    equations: Sequence[Equation]
    fields: tuple[str, ...]
    evolution: Evolution
    speeds: Speeds | None
    stand_ins: StandIns

    def _among(self, condition: EndCondition) -> set[int]:
        """The fields in a condition, and those that its plain fields follow from."""
        found = set[int]()
        for name in condition.fields:
            f = self.fields.index(name)
            found.add(f)
            evolution = self.evolution
            if evolution.plain[f]:
                found |= reached(f, self.equations, self.fields, evolution.own, evolution.plain)
            elif not evolution.evolving[f] and is_slope(f, self.equations, self.fields, evolution.own):
                found |= {self.fields.index(other) for other in self.equations[evolution.own[f]].orders}
        return found

    def _coupled(self, f: int) -> tuple[int, ...]:
        return next((group for group in self.evolution.waves if f in group), ())

    def _room(self, end: int) -> list[int]:
        """The fields that may take a condition at an end: of a group as many as waves come in."""
        evolution, room = self.evolution, list[int]()
        for f, order in enumerate(evolution.orders):
            if not order or evolution.periodic[f]:
                continue
            group = self._coupled(f) or (f,)
            carried = order == 1 and evolution.evolving[f] and self.speeds is not None
            if not carried or (self.speeds and group.index(f) < self.speeds.entering(group, end)[1]):
                room.append(f)
        return room

    def at(
        self, end: int, conditions: Sequence[EndCondition], others: Sequence[EndCondition]
    ) -> tuple[EndCondition | None, ...]:
        """The conditions at one end by field; `others` are those at the other end."""
        evolution, name = self.evolution, self.evolution.space.name
        place = evolution.space.right if end else evolution.space.left
        room, owner = self._room(end), dict[int, EndCondition]()

        def give(condition: EndCondition, tried: set[int]) -> bool:
            among = self._among(condition)
            for f in room:
                if f not in tried and among.intersection(self._coupled(f) or (f,)):
                    tried.add(f)
                    if f not in owner or give(owner[f], tried):
                        owner[f] = condition
                        return True
            return False

        for condition in sorted(conditions, key=lambda one: self.stand_ins.height(one.program)):
            if not give(condition, set()) and not self._passed_on(condition, end, room, owner):
                many = [self._counted(f, end, conditions, others) for f in self._among(condition)]
                raise InputError(next(filter(None, many), "") or self._too_much(condition, end, others))
        for f in range(len(self.fields)):
            same = self._counted(f, end, conditions, others)
            if same and not self._independent(f, conditions):
                raise InputError(same)
        for f, order in enumerate(evolution.orders):
            if order == 2 and f not in owner and not evolution.periodic[f]:
                raise InputError(
                    self._counted(f, end, conditions, others)
                    or f"{self.fields[f]} has no condition at {name} = {place:g}: "
                    f"add one such as {self.fields[f]} = 0 on {name} = {place:g}"
                )
        for group in evolution.waves if self.speeds is not None else ():
            assert self.speeds is not None
            given, least = sum(f in owner for f in group), self.speeds.entering(group, end)[0]
            if given < least and not any(evolution.periodic[f] for f in group):
                listed = ", ".join(self.fields[f] for f in group)
                raise InputError(
                    f"{least} of the waves of {listed} come{'s' * (least == 1)} in at {name} = {place:g}, but "
                    f"{given} condition{'s' * (given != 1)} {'is' if given == 1 else 'are'} given for them there: add "
                    f"{least - given}, such as {self.fields[group[0]]} = 0 on {name} = {place:g}"
                )
            for f in group:
                if f in owner and any(sum(orders) for _, orders in owner[f].program.derivatives):
                    raise InputError(
                        f"the condition {quoted(owner[f].text)} is for waves that come in and has a derivative in it: "
                        "give values there"
                    )
            self._check_met(group, end, [owner[f] for f in group if f in owner])
        return tuple(owner.get(f) for f in range(len(self.fields)))

    def _passed_on(
        self, condition: EndCondition, end: int, room: Sequence[int], owner: dict[int, EndCondition]
    ) -> bool:
        """Gives a condition to a field that belongs to one in it: both stand for derivatives of one field as stated."""
        chains = self.stand_ins.chains
        own = {chains.get(name) for name in condition.fields} - {None}
        for f in room:
            name = self.fields[f]
            if f in owner or chains.get(name) not in own:
                continue
            if self.evolution.evolving[f] and any(sum(orders) for _, orders in condition.program.derivatives):
                owner[f] = condition
                return True
            below = self.stand_ins.below(name)
            if name not in self.stand_ins.copies or below is None:
                continue
            state = {(one, k): unknown((one, k), 0.7) for one in condition.fields for k in (0, 1)}
            found = condition.run(self.evolution.time.at(np.array(0.3)), state)
            steep = float(np.asarray(found.partials.get((below, 1), 0.0))) if isinstance(found, Dual) else 0.0
            if not steep:
                continue
            weight = CLAMP / (self.evolution.space.length * steep) * (1.0 if end else -1.0)
            owner[f] = replace(condition, program=self.stand_ins.clamped(condition.program, name, weight))
            return True
        return False

    def _check_met(self, group: Sequence[int], end: int, given: Sequence[EndCondition]) -> None:
        """Refuses conditions that the waves which come in do not enter."""
        assert self.speeds is not None
        matrix = self.speeds.matrices[end][np.ix_(group, group)] * (1.0 if end == 0 else -1.0)
        if not given or not np.isfinite(matrix).all():
            return
        values, name = self.speeds.jets[end], self.evolution.space.name
        by = np.zeros((len(given), len(self.fields)))
        for i, condition in enumerate(given):
            state: dict[Key, Operand] = {}
            for field in condition.fields:
                state |= {(field, k): unknown((field, k), values[self.fields.index(field), k]) for k in (0, 1)}
            found = condition.run(self.evolution.time.left, state)
            for key, part in {**found.partials}.items() if isinstance(found, Dual) else ():
                by[i, self.fields.index(key[0])] = float(np.asarray(part))
        met = (by @ self.speeds.follows[end])[:, list(group)] @ incoming(matrix, len(given))[0]
        if np.isfinite(met).all() and np.linalg.svd(met)[1][-1] <= UNMET * np.abs(by).max():
            listed = " and ".join(quoted(one.text) for one in given)
            raise InputError(
                f"{listed} {'does' if len(given) == 1 else 'do'} not determine what comes in at {name} = "
                f"{given[0].place:g}: the waves that come in there have no part in it, or none of their own"
            )

    def _counted(self, f: int, end: int, conditions: Sequence[EndCondition], others: Sequence[EndCondition]) -> str:
        """How many conditions a field of higher order takes, and how many it has; nothing for other ones."""
        of_field, space = self.stand_ins.of_field, self.evolution.space
        stated = of_field.get(self.fields[f], "")
        order = self.stand_ins.orders.get(stated, 0)
        if order <= 2:
            return ""
        here, there = (
            sum(any(of_field.get(name) == stated for name in one.fields) for one in side)
            for side in (conditions, others)
        )
        place, other = (space.right, space.left) if end else (space.left, space.right)
        where = "at each end" if order == 4 else "at one end and one at the other"
        listed = ", ".join(f"{stated}_{space.name * k}" if k else stated for k in range(order - 1))
        return (
            f"{stated} is of order {order} in {space.name} and takes two different conditions {where}, on {listed} or "
            f"{stated}_{space.name * (order - 1)}: {here} given at {space.name} = {place:g}, {there} at {space.name} = "
            f"{other:g}"
        )

    def _independent(self, f: int, conditions: Sequence[EndCondition]) -> bool:
        """Whether none of the conditions for a field and its derivatives says what others say."""
        stated = self.stand_ins.of_field[self.fields[f]]
        keys = [(name, k) for name in self.fields for k in (0, 1)]
        rows = []
        for one in conditions:
            if any(self.stand_ins.of_field.get(name) == stated for name in one.fields):
                found = one.run(self.evolution.time.at(np.array(0.3)), {key: unknown(key, 0.7) for key in keys})
                partials: dict[Key, Number] = {**found.partials} if isinstance(found, Dual) else {}
                row = np.array([float(np.asarray(partials.get(key, 0.0))) for key in keys])
                rows.append(row / max(float(np.abs(row).max()), 1e-300))
        return len(rows) < 2 or bool(np.linalg.svd(np.array(rows))[1][-1] > UNMET)

    def check_odd(self, found: Shared, given: tuple[Sequence[EndCondition], Sequence[EndCondition]]) -> None:
        """Third derivatives, u_t = -a u_xxx: two conditions at the right where a > 0, at the left where a < 0."""
        evolution, space, stands = self.evolution, self.evolution.space, self.stand_ins
        for f, field in enumerate(self.fields):
            below = stands.below(field)
            if below is None or evolution.orders[f] != 1:
                continue
            if sum(side[f] is not None for side in found) != 1:
                raise InputError(self._counted(f, 0, *given))
            end = int(found[1][f] is not None)
            x = space.left + space.length * np.linspace(0.0, 1.0, PLACES)
            jets = jets_at_start(self.equations, self.fields, evolution, x)
            leads = Leads.at(self.equations, self.fields, evolution, x, evolution.time.left, jets)
            own = self.fields.index(below)
            row = evolution.own[own]
            with np.errstate(all="ignore"):
                factor = leads.carried[[0, -1], row, f] / leads.mass[[0, -1], row, own] * (1.0 if end else -1.0)
            if np.isfinite(factor).all() and factor.max() < 0.0:
                places = (space.left, space.right) if end else (space.right, space.left)
                raise InputError(
                    f"the sign of {stands.of_field[field]}_{space.name * 3} in {quoted(self.equations[row].text)} asks "
                    f"for two conditions at {space.name} = {places[0]:g} and one at {space.name} = {places[1]:g}: here "
                    "they are the other way round"
                )

    def _too_much(self, condition: EndCondition, end: int, others: Sequence[EndCondition]) -> str:
        evolution, space = self.evolution, self.evolution.space
        among, other = self._among(condition), space.left if end else space.right
        for group in evolution.waves:
            if among.intersection(group) and self.speeds is not None:
                listed, most = ", ".join(self.fields[f] for f in group), self.speeds.entering(group, end)[1]
                return (
                    f"the condition {quoted(condition.text)} is one too many at {space.name} = {condition.place:g}: "
                    f"{most} of the waves of {listed} come{'s' * (most == 1)} in there"
                )
        alone = [f for f in sorted(among) if evolution.orders[f] == 1 and evolution.evolving[f]]
        gone = [f for f in alone if self.speeds is not None and not self.speeds.entering((f,), end)[1]]
        if gone and self.speeds is not None:
            field = self.fields[gone[0]]
            if any(field in one.fields for one in others) or not self.speeds.entering(gone[:1], 1 - end)[1]:
                return (
                    f"{field} flows out at {space.name} = {condition.place:g}, where {quoted(condition.text)} stands: "
                    "leave that out, it takes conditions at the end where it flows in"
                )
            return outflow(field, condition, space.name, other)
        return (
            f"the condition {quoted(condition.text)} is one too many at {space.name} = {condition.place:g}: a field "
            "takes one at each end where its second derivative occurs, one in all where only its first does"
        )

    def check_single(self, found: Shared) -> None:
        """A field of first order takes one condition in all; one that flows by itself one wherever it flows in."""
        evolution = self.evolution
        for f, field in enumerate(self.fields):
            if evolution.orders[f] != 1 or evolution.periodic[f] or self._coupled(f):
                continue
            given = [side[f] is not None for side in found]
            known = self.speeds is not None and evolution.evolving[f]
            need = [self.speeds.entering((f,), end)[0] for end in (0, 1)] if known and self.speeds else [0, 0]
            if sum(given) == 1 and not known:
                continue
            if not known or any(one < least for one, least in zip(given, need, strict=True)):
                raise InputError(
                    f"{field} has no second derivative in {evolution.space.name}: it takes one condition at "
                    f"{'each end, for it flows in at both' if sum(need) == 2 else 'the end where it flows in'}, but "
                    f"{sum(given)} given"
                )
