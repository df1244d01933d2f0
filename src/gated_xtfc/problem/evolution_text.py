"""Conditions of a problem of evolution read from text: `u(x, 0) = sin(x)` at the start, `u_x(1, t) = 0` at an end,
`u(0, t) = u(1, t)` for a field that is periodic.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.language.dual import Dual, unknown
from gated_xtfc.language.program import (
    ADD,
    CALL,
    COMPARE,
    DIVIDE,
    FIELD,
    MULTIPLY,
    NAME,
    NEGATE,
    NUMBER,
    POWER,
    SUBTRACT,
    Program,
)
from gated_xtfc.language.tokens import tokenize
from gated_xtfc.language.total_derivative import total_derivative
from gated_xtfc.language.vocabulary import Vocabulary
from gated_xtfc.problem.algebraic import Following, check_determined
from gated_xtfc.problem.domain import Axis, derivative_name
from gated_xtfc.problem.end_conditions import shared, speeds_at_start, wave_groups
from gated_xtfc.problem.equation import Equation
from gated_xtfc.problem.evolution import EndCondition, Evolution, InitialValue, split_equations
from gated_xtfc.problem.side_text import call_arguments, called_place, placed_statement
from gated_xtfc.problem.stand_ins import StandIns

Both = tuple[Axis, Axis]
SMOOTH = {ADD, CALL, DIVIDE, FIELD, MULTIPLY, NAME, NEGATE, NUMBER, POWER, SUBTRACT}


def read_evolution(
    texts: Sequence[str],
    equations: Sequence[Equation],
    fields: tuple[str, ...],
    axes: Both,
    time: int,
    parameters: Mapping[str, float],
    stand_ins: StandIns,
) -> Evolution:
    """The conditions of equations that evolve along axis number `time`."""
    named = stand_ins.stated(fields)
    orders, evolving = split_equations(equations, fields, time, axes)
    names = axes[1 - time].name, axes[time].name
    initial: dict[str, InitialValue] = {}
    ends: tuple[list[EndCondition], list[EndCondition]] = ([], [])
    programs: tuple[list[Program], list[Program]] = ([], [])
    joined: dict[tuple[str, int], str] = {}
    for text in texts:
        pair = _joined(text, named, axes, time, parameters, stand_ins)
        if pair is not None:
            if pair in joined:
                raise InputError(f"the condition {quoted(text)} is given twice: leave one out")
            joined[pair] = text
            continue
        stated, places = placed_statement(text, named, axes, parameters)
        program = stand_ins.program(stated)
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
                start = _initial(text, program, axes, time, parameters)
                if start.field in initial:
                    raise InputError(
                        f"{start.field} begins with {quoted(initial[start.field].text)} and with {quoted(text)}: "
                        "give one of them"
                    )
                initial[start.field] = start
            else:
                place = axes[axis].right if end else axes[axis].left
                condition = EndCondition(text, end, program, names, place, parameters)
                _check_end(condition, named, axes, time)
                ends[end].append(condition)
                programs[end].append(stated)
    for field, evolves in zip(fields, evolving, strict=True):
        if evolves and field not in initial:
            where = f"{axes[time].left:g}"
            called = f"{field}({where}, {names[0]})" if time == 0 else f"{field}({names[0]}, {where})"
            raise InputError(f"{field} has no value at {names[1]} = {where}: add a condition such as {called} = 0")
    following = Following.of(equations, fields, orders, evolving, time, axes)
    high = dict(zip(fields, orders, strict=True))
    passive = tuple(_passive(*own, stand_ins, high, axes) for own in zip(ends, programs, strict=True))
    for own, as_stated in zip(ends, programs, strict=True):
        own.extend(_of_rates(own, as_stated, stand_ins, high, axes))
    periodic = _periodic(joined, fields, following.orders, stand_ins)
    # of what stands for a derivative of odd order the slope goes on, too, over the ends that are joined
    spread = tuple(
        2 if order and joint and not evolves else order
        for order, joint, evolves in zip(following.orders, periodic, evolving, strict=True)
    )
    none = (None,) * len(fields)
    started = Evolution(
        axes[1 - time], axes[time], time == 0, spread if stand_ins else following.orders, evolving,
        tuple(initial.get(field) for field in fields), (none, none), periodic, following.own, following.plain,
    )  # fmt: skip
    started = replace(started, waves=wave_groups(equations, fields, started))
    check_determined(equations, fields, started)
    speeds = speeds_at_start(equations, fields, started)
    return replace(started, ends=shared(ends, equations, fields, started, speeds, stand_ins, passive))


def _joined(
    text: str, fields: Sequence[str], axes: Both, time: int, parameters: Mapping[str, float], stand_ins: StandIns
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
    most = max(stand_ins.orders.get(field, 0) - 1, 1)
    if along[time] or along[1 - time] > most:
        which = "its first derivative" if most == 1 else f"its derivatives up to the order {most}"
        raise InputError(f"the condition {quoted(text)} can join {field} and {which}, and no other one")
    return field, along[1 - time]


def _periodic(
    joined: Mapping[tuple[str, int], str], fields: Sequence[str], orders: Sequence[int], stand_ins: StandIns
) -> tuple[bool, ...]:
    """Which fields are, by field: what stands for a derivative is as that field is."""
    whole = set[str]()
    own = dict(zip(fields, orders, strict=True))
    for field in stand_ins.stated(fields):
        order = max(own[field], stand_ins.orders.get(field, 0))
        given = sum((field, k) in joined for k in range(order + 1))
        if given and given != order:
            further = "its first derivative" if order == 2 else f"its derivatives up to the order {order - 1}"
            raise InputError(
                f"{field} is of order {order} in space: to make it periodic, join the two ends by {order} "
                f"condition{'s' * (order != 1)}, for the field{f' and {further}' * (order > 1)}"
            )
        whole.update([field] * bool(given))
    return tuple(bool(own[field]) and stand_ins.of_field.get(field, field) in whole for field in fields)


def _of_rates(
    conditions: Sequence[EndCondition],
    programs: Sequence[Program],
    stand_ins: StandIns,
    orders: Mapping[str, int],
    axes: Both,
) -> list[EndCondition]:
    """The derivatives in time of conditions, for fields that stand for rates and are differentiated in space."""
    found = []
    names = axes[0].name, axes[1].name
    for (stated, k, j), name in stand_ins.made.items():
        if not k or j or not orders[name]:
            continue
        if orders[name] == 1 and conditions:
            slope = derivative_name(name, (0, 1) if stand_ins.time == 0 else (1, 0), axes)
            raise InputError(
                f"{slope} stands in the equations of {stated}, which are of second order in "
                f"{axes[stand_ins.time].name}: such a derivative is supported where {stated} is periodic"
            )
        for condition, program in zip(conditions, programs, strict=True):
            if stated not in program.fields:
                continue
            if any(code == COMPARE for code, _ in program.instructions):
                raise InputError(
                    f"the condition {quoted(condition.text)} switches, and its derivative in {condition.names[1]} is "
                    f"needed as a condition for {name}: give one without a switch"
                )
            code = list(program.instructions)
            for _ in range(k):
                code = total_derivative(code, names, condition.names[1], condition.text)
            found.append(replace(condition, program=stand_ins.program(Program(condition.text, tuple(code)))))
    return found


def _passive(
    conditions: Sequence[EndCondition],
    programs: Sequence[Program],
    stand_ins: StandIns,
    orders: Mapping[str, int],
    axes: Both,
) -> dict[str, EndCondition]:
    """The same for fields that are not differentiated in space, such as u_t of u_tt = u_xx: u does without them.

    But the rate at an end would be found from u_xx there, as badly as differences of one side have it.
    """
    found: dict[str, EndCondition] = {}
    names = axes[0].name, axes[1].name
    for (stated, k, j), name in stand_ins.made.items():
        own = [
            (stand_ins.height(condition.program), condition, program)
            for condition, program in zip(conditions, programs, strict=True)
            if [*program.fields] == [stated] and all(code in SMOOTH for code, _ in program.instructions)
        ]
        if not k or j or orders[name] or not own:
            continue
        _, condition, program = min(own, key=lambda one: one[0])
        code = list(program.instructions)
        for _ in range(k):
            code = total_derivative(code, names, condition.names[1], condition.text)
        lowered = stand_ins.program(Program(f"({condition.text})_{condition.names[1] * k}", tuple(code)))
        if all(not o[stand_ins.time] and o[1 - stand_ins.time] <= 1 for _, o in lowered.derivatives):
            found[name] = replace(condition, text=lowered.text, program=lowered)
    return found


def clamped(texts: Sequence[str], stand_ins: StandIns, axes: Both, parameters: Mapping[str, float]) -> set[str]:
    """The fields as stated that have two conditions or more at an end for themselves and their slope alone."""
    fields = stand_ins.stated(name for name, k, j in stand_ins.made if not k and not j)
    own: dict[tuple[str, int], int] = {}
    for text in texts:
        if _joined(text, fields, axes, stand_ins.time, parameters, stand_ins) is not None:
            continue
        program, places = placed_statement(text, fields, axes, parameters)
        most = {name: max(o[1 - stand_ins.time] for field, o in program.derivatives if field == name)
                for name in program.fields}  # fmt: skip
        for axis, end in places:
            for name in most if axis != stand_ins.time and max(most.values()) <= 1 else ():
                own[name, end] = own.get((name, end), 0) + 1
    return {name for (name, _), count in own.items() if count > 1}


def _initial(text: str, program: Program, axes: Both, time: int, parameters: Mapping[str, float]) -> InitialValue:
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
