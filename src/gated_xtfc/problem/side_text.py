"""Conditions on a rectangle read from text: a side is named by a call, `u(0, y) = sin(y)`, by its place,
`u = 0 on x = 1`, or all four at once, `u = 0 on boundary`.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.language.dual import Dual
from gated_xtfc.language.parser import left_minus_right
from gated_xtfc.language.program import Program
from gated_xtfc.language.reader import Reader
from gated_xtfc.language.tokens import Token, tokenize
from gated_xtfc.language.vocabulary import Vocabulary
from gated_xtfc.problem.domain import Axis
from gated_xtfc.problem.side import Place, Side
from gated_xtfc.types import Orders

PROBES = np.linspace(0.0, 1.0, 17) ** 1.1  # where factors are looked at: irregular, so that no wave is missed
SNAP = 1e-15  # a place this close to an end, relative to the ends, is the end


def read_sides(
    texts: Sequence[str], field: str, axes: tuple[Axis, Axis], parameters: Mapping[str, float]
) -> tuple[Side, ...]:
    """The four sides in the order x left, x right, y left, y right: one condition for each."""
    found: dict[Place, Side] = {}
    for text in texts:
        for side in _read(text, field, axes, parameters):
            if side.place in found:
                other = found[side.place].text
                twice = "twice" if other == text else f"and {quoted(other)}"
                raise InputError(
                    f"the side {side.named()} has two conditions, {quoted(text)} {twice}: give one for each side"
                )
            found[side.place] = side
    places: list[Place] = [(0, 0), (0, 1), (1, 0), (1, 1)]
    for axis, end in places:
        if (axis, end) not in found:
            at = axes[axis].right if end else axes[axis].left
            first, second = (f"{at:g}", axes[1].name) if axis == 0 else (axes[0].name, f"{at:g}")
            raise InputError(
                f"the side {axes[axis].name} = {at:g} has no condition: add one such as {field}({first}, {second}) = 0"
            )
    return tuple(found[place] for place in places)


def _read(text: str, field: str, axes: tuple[Axis, Axis], parameters: Mapping[str, float]) -> list[Side]:
    program, places = placed_statement(text, (field,), axes, parameters)
    return [_side(text, place, axes, program, field, parameters) for place in places]


def placed_statement(
    text: str, fields: Sequence[str], axes: tuple[Axis, Axis], parameters: Mapping[str, float]
) -> tuple[Program, list[Place]]:
    """left - right of a condition, and the sides on which it holds."""
    if not isinstance(text, str):
        raise InputError(
            f'a condition must be a text like "u = 0 on boundary", not {quoted(str(text))} ({type(text).__name__})'
        )
    tokens = list(tokenize(text, "the condition"))
    words = Vocabulary((axes[0].name, axes[1].name), frozenset(fields), parameters)
    marks = [i for i, token in enumerate(tokens) if token.kind == "name" and token.text == "on"]
    if marks and "on" not in parameters:
        statement, where = tokens[: marks[-1]], tokens[marks[-1] + 1 :]
        places = _named_places(where, text, words, axes, parameters)
    else:
        statement, places = _called(tokens, text, words, axes, parameters)
    return left_minus_right(text, "the condition", statement, words), places


def _named_places(
    where: Sequence[Token], text: str, words: Vocabulary, axes: tuple[Axis, Axis], parameters: Mapping[str, float]
) -> list[Place]:
    """`boundary`, or `x = 0`."""
    if len(where) == 1 and where[0].text == "boundary":
        return [(0, 0), (0, 1), (1, 0), (1, 1)]
    if len(where) > 2 and where[0].text in words.coordinates and where[1].kind == "=":
        axis = words.coordinates.index(where[0].text)
        return [_place(where[2:], axis, text, axes, parameters)]
    example = f"{axes[0].name} = {axes[0].left:g}"
    raise InputError(f"cannot read where the condition {quoted(text)} holds: write 'on boundary' or 'on {example}'")


def _called(
    tokens: Sequence[Token], text: str, words: Vocabulary, axes: tuple[Axis, Axis], parameters: Mapping[str, float]
) -> tuple[list[Token], list[Place]]:
    """Calls u(0, y) replaced by plain names, and the side they name."""
    statement: list[Token] = []
    places: set[Place] = set()
    index = 0
    while index < len(tokens):
        token = tokens[index]
        index += 1
        opens = index < len(tokens) and tokens[index].kind == "("
        if token.kind != "name" or not opens or words.stem(token.text) not in words.fields:
            statement.append(token)
            continue
        parts, index = call_arguments(tokens, index, text)
        statement.append(token)
        places.add(called_place(parts, token.text, text, words, axes, parameters))
    if not places:
        raise InputError(
            f"the condition {quoted(text)} must say where: write it like u({axes[0].left:g}, {axes[1].name}) = 0, "
            "or end it with 'on boundary'"
        )
    if len(places) > 1:
        raise InputError(f"the condition {quoted(text)} names more than one side: give one condition for each side")
    return statement, sorted(places)


def call_arguments(tokens: Sequence[Token], start: int, text: str) -> tuple[list[list[Token]], int]:
    """The arguments between the parenthesis at `start` and the one that closes it, and where to go on."""
    depth, parts = 0, [list[Token]()]
    for index in range(start, len(tokens)):
        token = tokens[index]
        depth += (token.kind == "(") - (token.kind == ")")
        if depth == 0:
            return parts, index + 1
        if token.kind == "," and depth == 1:
            parts.append([])
        elif index > start:
            parts[-1].append(token)
    raise InputError(f"cannot read {quoted(text)}: a '(' is never closed")


def called_place(
    parts: list[list[Token]],
    name: str,
    text: str,
    words: Vocabulary,
    axes: tuple[Axis, Axis],
    parameters: Mapping[str, float],
) -> Place:
    example = f"{name}({axes[0].left:g}, {axes[1].name})"
    if len(parts) != 2:
        raise InputError(f"{name}(...) in the condition {quoted(text)} takes two places: write it like {example}")
    free = [len(part) == 1 and part[0].text == c for part, c in zip(parts, words.coordinates, strict=True)]
    if sum(free) != 1:
        raise InputError(
            f"{name}(...) in the condition {quoted(text)} must keep one coordinate and fix the other: "
            f"write it like {example}"
        )
    axis = free.index(False)
    return _place(parts[axis], axis, text, axes, parameters)


def _place(
    tokens: Sequence[Token], axis: int, text: str, axes: tuple[Axis, Axis], parameters: Mapping[str, float]
) -> Place:
    """The side at which an axis has the value of an expression."""
    words = Vocabulary((axes[0].name, axes[1].name), parameters=parameters)
    program = Program(text, tuple(Reader(text, "a place", words).read(tokens)))
    clash = program.names.intersection(words.coordinates)
    if clash:
        raise InputError(
            f"the place of the condition {quoted(text)} must be a number, not an expression in {min(clash)}"
        )
    value = float(program.value(parameters))
    ends = axes[axis].left, axes[axis].right
    for end, place in enumerate(ends):
        if math.isfinite(value) and abs(value - place) <= SNAP * max(map(abs, ends)):
            return axis, end
    raise InputError(
        f"{axes[axis].name} = {value:g} in the condition {quoted(text)} is not a side of the rectangle: "
        f"its sides are at {ends[0]:g} and {ends[1]:g}"
    )


def _side(
    text: str,
    place: Place,
    axes: tuple[Axis, Axis],
    program: Program,
    field: str,
    parameters: Mapping[str, float],
) -> Side:
    side = Side(text, place, axes, (1.0, 0.0), program, field, parameters)
    shown = f"the condition {quoted(text)}"
    found = side.run(side.along_axis.left + side.along_axis.length * PROBES)
    if not isinstance(found, Dual) or not found.has_field:
        raise InputError(f"{shown} has no field in it: write it like {field} = 0 on boundary")
    if found.nonlinear:
        raise InputError(f"{shown} is not linear in the field: only linear conditions are supported")
    normal: Orders = (1, 0) if place[0] == 0 else (0, 1)
    weights = []
    partials: dict[Any, Any] = found.partials
    for (_, orders), factor in partials.items():
        if orders not in ((0, 0), normal) and np.any(np.asarray(factor) != 0.0):
            name = side.axes[place[0]].name
            raise InputError(
                f"{shown} can have {field} and {field}_{name} on the side {side.named()}, and no other derivative"
            )
    for key in ((field, (0, 0)), (field, normal)):
        factor = np.asarray(partials.get(key, 0.0), dtype=float)
        if not np.isfinite(factor).all():
            raise InputError(f"{shown} has a factor that is not a finite number")
        if float(np.ptp(factor)) > 1e-13 * float(np.abs(factor).max()):
            raise InputError(f"{shown} has a factor that varies along the side: only constant ones are supported yet")
        weights.append(float(factor.flat[0]))
    if not any(weights):
        raise InputError(f"{shown} has no field left in it: every factor is zero")
    return Side(text, place, axes, (weights[0], weights[1]), program, field, parameters)
