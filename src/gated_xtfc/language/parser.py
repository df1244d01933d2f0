"""Texts to Programs: expressions, equations (one `=`, residual = left - right), conditions and quantities."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.language.program import NUMBER, SUBTRACT, Program
from gated_xtfc.language.reader import Reader
from gated_xtfc.language.tokens import Token, tokenize
from gated_xtfc.language.vocabulary import Vocabulary, tables_among

MOST_HELD = 2000  # values that wait for their operator at the same time


def parse(
    text: str,
    fields: Collection[str] = (),
    parameters: Collection[str] | None = None,
    coordinates: Sequence[str] = ("x",),
    what: str = "the expression",
) -> Program:
    """An expression; `parameters` None admits any name as a parameter."""
    tokens = tokenize(text, what)
    words = Vocabulary(tuple(coordinates), frozenset(fields), parameters)
    words = replace(words, fields=words.fields | words.fields_in(tokens))
    return Program(text, tuple(Reader(text, what, words).read(tokens)))


def parse_equation(
    text: str,
    fields: Collection[str] = (),
    parameters: Collection[str] | None = None,
    coordinates: Sequence[str] = ("x",),
) -> Program:
    """The residual left - right of one equation; the members of a family share it."""
    tables = tables_among(parameters)
    # what a text means depends on which names are tables, and on no other value
    known = None if parameters is None else tuple((name, tables.get(name)) for name in parameters)
    return _equation(text, frozenset(fields), known, tuple(coordinates))


@lru_cache(256)
def _equation(
    text: str, fields: frozenset[str], known: tuple[tuple[str, Any], ...] | None, coordinates: tuple[str, ...]
) -> Program:
    tokens = tokenize(text, "the equation")
    words = Vocabulary(coordinates, fields, None if known is None else dict(known))
    words = replace(words, fields=words.fields | words.fields_in(tokens))
    return left_minus_right(text, "the equation", tokens, words)


def parse_condition(
    text: str, fields: Collection[str], parameters: Collection[str] | None = None, coordinates: Sequence[str] = ("x",)
) -> Program:
    """left - right of a condition, where fields are taken at points or under integrals."""
    words = Vocabulary(tuple(coordinates), frozenset(fields), parameters, points=True)
    return left_minus_right(text, "the condition", tokenize(text, "the condition"), words)


def parse_quantity(
    text: str, fields: Collection[str], parameters: Collection[str], coordinates: Sequence[str] = ("x",)
) -> Program:
    """A number that a solution has: fields at points, under integrals, and their extremes over the domain."""
    words = Vocabulary(tuple(coordinates), frozenset(fields), parameters, points=True, extremes=True)
    return Program(text, tuple(Reader(text, "the quantity", words).read(tokenize(text, "the quantity"))))


def require_shallow(program: Program) -> Program:
    """The program, where it may be evaluated at thousands of points: each value that waits is then an array."""
    if program.held > MOST_HELD:
        raise InputError(
            f"cannot read {quoted(program.text)}: {program.held} values wait for their operators, more than "
            f"{MOST_HELD}: nest it less deeply"
        )
    return program


def left_minus_right(text: str, what: str, tokens: Sequence[Token], words: Vocabulary) -> Program:
    """left - right of the tokens of a text that the messages call `what`."""
    signs = [index for index, token in enumerate(tokens) if token.kind == "="]
    if any(token.kind == "==" for token in tokens):
        raise InputError(f"{what} {quoted(text)} has '==': write a single '='")
    if len(signs) != 1:
        found = f"{len(signs)} '=' signs" if signs else "no '='"
        raise InputError(f"{what} {quoted(text)} has {found}: write it as left = right")
    sides = [Reader(text, f"the {side} side of {what}", words) for side in ("left", "right")]
    left, right = sides[0].read(tokens[: signs[0]]), sides[1].read(tokens[signs[0] + 1 :])
    whole = left if right == [(NUMBER, 0.0)] else [*left, *right, (SUBTRACT, None)]
    return require_shallow(Program(text, tuple(whole), tuple(one for side in sides for one in side.fluxes)))
