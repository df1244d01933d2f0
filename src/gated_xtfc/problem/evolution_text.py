"""Conditions of a problem of evolution read from text: `u(x, 0) = sin(x)` at the start, `u_x(1, t) = 0` at an end,
`u(0, t) = u(1, t)` for a field that is periodic.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.language.dual import Dual, unknown
from gated_xtfc.language.program import Program
from gated_xtfc.language.tokens import tokenize
from gated_xtfc.language.vocabulary import Vocabulary
from gated_xtfc.problem.domain import Axis
from gated_xtfc.problem.equation import Equation
from gated_xtfc.problem.evolution import EndCondition, Evolution, InitialValue, outflow, outflows, split_equations
from gated_xtfc.problem.side_text import call_arguments, called_place, placed_statement

Both = tuple[Axis, Axis]


def read_evolution(
    texts: Sequence[str],
    equations: Sequence[Equation],
    fields: tuple[str, ...],
    axes: Both,
    time: int,
    parameters: Mapping[str, float],
) -> Evolution:
    """The conditions of equations that evolve along axis number `time`."""
    orders, evolving = split_equations(equations, fields, time, axes)
    names = axes[1 - time].name, axes[time].name
    initial: dict[str, InitialValue] = {}
    ends: tuple[list[EndCondition], list[EndCondition]] = ([], [])
    joined: dict[tuple[str, int], str] = {}
    for text in texts:
        pair = _joined(text, fields, axes, time, parameters)
        if pair is not None:
            if pair in joined:
                raise InputError(f"the condition {quoted(text)} is given twice: leave one out")
            joined[pair] = text
            continue
        program, places = placed_statement(text, fields, axes, parameters)
        for axis, end in places:
            if (
                axis == time and len(places) > 1
            ):  # the boundary of what evolves: its start and its end are no part of it
                continue
            if axis == time:
                if end:
                    raise InputError(
                        f"the condition {quoted(text)} is for {names[1]} = {axes[time].right:g}, where the solution "
                        f"ends: give values at its start, {names[1]} = {axes[time].left:g}"
                    )
                start = _initial(text, program, fields, axes, time, parameters)
                if start.field in initial:
                    raise InputError(
                        f"{start.field} begins with {quoted(initial[start.field].text)} and with {quoted(text)}: "
                        "give one of them"
                    )
                initial[start.field] = start
            else:
                place = axes[axis].right if end else axes[axis].left
                condition = EndCondition(text, end, program, names, place, parameters)
                _check_end(condition, fields, axes, time)
                ends[end].append(condition)
    for field, evolves in zip(fields, evolving, strict=True):
        if evolves and field not in initial:
            where = f"{axes[time].left:g}"
            called = f"{field}({where}, {names[0]})" if time == 0 else f"{field}({names[0]}, {where})"
            raise InputError(f"{field} has no value at {names[1]} = {where}: add a condition such as {called} = 0")
    periodic = _periodic(joined, fields, orders)
    plain = _plain(equations, evolving, fields, time)
    none = (None,) * len(fields)
    started = Evolution(
        axes[1 - time], axes[time], time == 0, orders, evolving, tuple(initial.get(field) for field in fields),
        (none, none), periodic, tuple(plain.items()),
    )  # fmt: skip
    leaving = outflows(equations, fields, started)
    return replace(started, ends=_shared(ends, fields, orders, plain, periodic, leaving, names, axes[1 - time]))


def _joined(
    text: str, fields: Sequence[str], axes: Both, time: int, parameters: Mapping[str, float]
) -> tuple[str, int] | None:
    """Field and order of `u(0, t) = u(1, t)`; None for any other condition."""
    tokens = list(tokenize(text, "the condition"))
    words = Vocabulary((axes[0].name, axes[1].name), frozenset(fields), parameters)
    signs = [i for i, token in enumerate(tokens) if token.kind == "="]
    if len(signs) != 1:
        return None
    halves = tokens[: signs[0]], tokens[signs[0] + 1 :]
    found = []
    for half in halves:
        if len(half) < 4 or half[1].kind != "(" or words.stem(half[0].text) not in fields:
            return None
        parts, stop = call_arguments(half, 1, text)
        if stop != len(half):
            return None
        found.append((half[0].text, called_place(parts, half[0].text, text, words, axes, parameters)))
    (name, first), (other, second) = found
    if name != other or {first, second} != {(1 - time, 0), (1 - time, 1)}:
        return None
    field, along = words.derivative(name)
    if along[time] or along[1 - time] > 1:
        raise InputError(f"the condition {quoted(text)} can join {field} and its first derivative, and no other one")
    return field, along[1 - time]


def _periodic(joined: Mapping[tuple[str, int], str], fields: Sequence[str], orders: Sequence[int]) -> tuple[bool, ...]:
    found = []
    for field, order in zip(fields, orders, strict=True):
        given = sum((field, k) in joined for k in (0, 1))
        if given and given != order:
            raise InputError(
                f"{field} is of order {order} in space: to make it periodic, join the two ends by {order} "
                f"condition{'s' * (order != 1)}, for the field{' and its first derivative' * (order == 2)}"
            )
        found.append(bool(given))
    return tuple(found)


def _initial(
    text: str, program: Program, fields: Sequence[str], axes: Both, time: int, parameters: Mapping[str, float]
) -> InitialValue:
    shown = f"the condition {quoted(text)}"
    names = axes[1 - time].name, axes[time].name
    if len(program.derivatives) != 1 or any(program.derivatives[0][1]):
        raise InputError(f"{shown} must give one field at {names[1]} = {axes[time].left:g}, and no derivative of it")
    field = program.derivatives[0][0]
    value = InitialValue(text, field, program, names, axes[time].left, parameters)
    space = axes[1 - time]
    x = space.left + space.length * np.linspace(0.0, 1.0, 17)
    found = value.run(x)
    if (
        not isinstance(found, Dual)
        or found.nonlinear
        or not np.all(np.asarray(found.partials.get((field, (0, 0)), 0.0)))
    ):
        raise InputError(f"{shown} must give the field as a function: write it like {field}({names[0]}, 0) = ...")
    if not np.isfinite(value(x)).all():
        where = x[~np.isfinite(value(x))][0]
        raise InputError(f"{shown} is not finite at {names[0]} = {where:.6g}")
    return value


def _check_end(condition: EndCondition, fields: Sequence[str], axes: Both, time: int) -> None:
    shown = f"the condition {quoted(condition.text)}"
    if not condition.program.derivatives:
        raise InputError(
            f"{shown} has no field in it: write it like {fields[0]}({condition.place:g}, {axes[time].name}) = 0"
        )
    for field, orders in condition.program.derivatives:
        if orders[time] or orders[1 - time] > 1:
            raise InputError(f"{shown} can have {field} and {field}_{axes[1 - time].name}, and no other derivative")
    state: dict[Any, Any] = {(f, k): unknown((f, k), 0.7) for f in condition.fields for k in (0, 1)}
    found = condition.run(float(axes[time].at(np.array(0.3))), state)
    if not isinstance(found, Dual) or not any(np.any(np.asarray(p) != 0.0) for p in found.partials.values()):
        raise InputError(f"{shown} has no field left in it: every factor is zero")


def _plain(equations: Sequence[Equation], evolving: Sequence[bool], fields: Sequence[str], time: int) -> dict[int, int]:
    """By number of a field whose own equation has no derivative at all, the field that takes its conditions instead."""
    unit = (1, 0) if time == 0 else (0, 1)
    timed = [any(o == unit for _, o in one.derivatives) for one in equations]
    own = {
        g: next(one for one in equations if (fields[g], unit) in one.derivatives)
        for g in np.flatnonzero(evolving).tolist()
    }
    rest = np.flatnonzero(~np.array(evolving))
    own |= dict(zip(rest.tolist(), (one for one, t in zip(equations, timed, strict=True) if not t), strict=True))
    found: dict[int, int] = {}
    for f in rest.tolist():
        if any(sum(o) for _, o in own[f].derivatives):
            continue
        for g in np.flatnonzero(evolving).tolist():
            other = own[g].derivatives
            carries = any(name == fields[f] and sum(o) > 1 for name, o in other)
            if carries and g not in found.values() and not any(n == fields[g] and o[1 - time] for n, o in other):
                found[f] = g
                break
    return found


def _shared(
    ends: tuple[list[EndCondition], list[EndCondition]],
    fields: tuple[str, ...],
    orders: Sequence[int],
    plain: Mapping[int, int],
    periodic: Sequence[bool],
    leaving: tuple[Sequence[bool], Sequence[bool]],
    names: tuple[str, str],
    space: Axis,
) -> tuple[tuple[EndCondition | None, ...], tuple[EndCondition | None, ...]]:
    """Every condition given to the equation of one field that occurs in it, one for each end and field of order two."""
    found: list[tuple[EndCondition | None, ...]] = []
    for end, conditions in enumerate(ends):
        owner: dict[int, EndCondition] = {}

        def give(condition: EndCondition, tried: set[int], owner: dict[int, EndCondition] = owner) -> bool:
            for f, field in enumerate(fields):
                if not orders[f] or periodic[f] or leaving[condition.end][f]:
                    continue
                if field in condition.fields and f not in tried:
                    tried.add(f)
                    if f not in owner or give(owner[f], tried, owner):
                        owner[f] = condition
                        return True
            return False

        place = space.right if end else space.left
        for condition in conditions:
            if not give(condition, set()):
                gone = [field for f, field in enumerate(fields) if field in condition.fields and leaving[end][f]]
                if gone:
                    raise InputError(outflow(gone[0], condition, names[0], space.left if end else space.right))
                raise InputError(
                    f"the condition {quoted(condition.text)} is one too many at {names[0]} = {place:g}: a field "
                    "takes one at each end where its second derivative occurs, one in all where only its first does"
                )
        for f, field in enumerate(fields):
            if orders[f] == 2 and f not in owner and not periodic[f]:
                raise InputError(
                    f"{field} has no condition at {names[0]} = {place:g}: "
                    f"add one such as {field} = 0 on {names[0]} = {place:g}"
                )
        # an equation like v = u^3 holds at an end as well: a condition for v is given to the equation with v_xx in it
        rows = {plain.get(f, f): condition for f, condition in owner.items()}
        found.append(tuple(rows.get(f) for f in range(len(fields))))
    for f, field in enumerate(fields):
        given = [side[plain.get(f, f)] for side in found if side[plain.get(f, f)] is not None]
        if orders[f] == 1 and not periodic[f] and len(given) != 1:
            raise InputError(
                f"{field} has no second derivative in {names[0]}: it takes one condition, at the end where it flows "
                f"in, but {len(given)} given"
            )
    return found[0], found[1]
