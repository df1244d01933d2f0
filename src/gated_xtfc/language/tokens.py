"""Text to tokens: numbers, names with their primes, operators. Every character is looked at once.

The page's spelling is taken for what it means: Greek letters are letters, pi is the circle's, ln is log, |x| is abs(x).
"""

import math
import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from gated_xtfc.errors import InputError, quoted

LONGEST_TEXT = 100_000
LONGEST_NAME = 64

GREEK = "Α-Ωα-ω"
_TOKEN = re.compile(
    r"([ \t\r\n]*)(?:"
    r"((?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)"
    rf"|([A-Za-z_{GREEK}][A-Za-z_0-9{GREEK}]*)('*)"
    r"|(\*\*|<=|>=|==|[-+*/^(),<>=])"
    r"|([^ \t\r\n]))",
    re.ASCII,
)
# what word processors and keyboards put in place of ' and -
_LOOKALIKES = str.maketrans(
    {"\u2019": "'", "\u2032": "'", "\u2033": "''", "\u2034": "'''", "\u2212": "-", "∞": "inf"}
    | {"·": "*", "×": "*", "⋅": "*", "≤": "<=", "≥": ">=", "²": "^2", "³": "^3"}
    # one letter in two shapes: micro, and the variants of epsilon, theta, phi, rho, pi
    | {"\u00b5": "μ", "\u03f5": "ε", "\u03d1": "θ", "\u03d5": "φ", "\u03f1": "ρ", "\u03d6": "π"}
)
_SPELLINGS = {"π": "pi"}
_CALLED = {"ln": "log"}  # before a parenthesis
_HINTS = {
    '"': "write two single primes, u''",
    "[": "use parentheses",
    "]": "use parentheses",
    "{": "use parentheses",
    "}": "use parentheses",
    "!": "only <, <=, > and >= compare",
    ".": "a point stands inside a number only, and functions have no module before them: exp(x)",
    ":": "write =",
    "%": "write 0.05 for 5 %",
}


class Token(NamedTuple):
    """A number, a name with its primes, or an operator."""

    kind: str  # "number", "name", or the operator itself
    text: str  # without primes
    order: int = 0  # primes of a name, or of what a closing parenthesis ends
    value: float = 0.0  # of a number
    spaced: bool = False  # whether there is room before a name or a number


_OPERATORS = {symbol: Token(symbol, symbol) for symbol in ("**", "<=", ">=", "==", *"-+*/(),<>=")}
_OPERATORS["^"] = Token("**", "^")


def spelled(text: str) -> str:
    """The text with one shape for each letter and sign."""
    return text if text.isascii() else text.translate(_LOOKALIKES)


def tokenize(text: str, what: str) -> tuple[Token, ...]:
    """The tokens of a text that the messages call `what` ("the equation")."""
    # the members of a family are read again and again, from the same short texts
    return _remembered(text, what) if isinstance(text, str) and len(text) < 1000 else _tokens(text, what)


def _tokens(text: str, what: str) -> tuple[Token, ...]:
    if not isinstance(text, str):
        raise InputError(f"{what} must be a text, not {type(text).__name__}")
    if len(text) > LONGEST_TEXT:
        raise InputError(f"{what} has {len(text)} characters, more than the {LONGEST_TEXT} that can be read")
    source = spelled(text)
    tokens: list[Token] = []
    known: dict[str, Token] = {}  # long texts repeat themselves
    bars = 0
    for room, number, name, primes, operator, other in _TOKEN.findall(source):
        if operator:
            if operator == "(" and tokens and tokens[-1].text in _CALLED:
                tokens[-1] = tokens[-1]._replace(text=_CALLED[tokens[-1].text])
            tokens.append(_OPERATORS[operator])
            continue
        if other == "'" and not room and tokens and tokens[-1].kind == ")":
            tokens[-1] = tokens[-1]._replace(order=tokens[-1].order + 1)
            continue
        if other == "|":
            bars += 1
            tokens += [Token("name", "abs"), _OPERATORS["("]] if bars % 2 else [_OPERATORS[")"]]
            continue
        word = room[:1] + (name + primes or number)
        token = known.get(word)
        if token is None:
            if other:
                raise InputError(_unreadable(other, text, what))
            if len(name) > LONGEST_NAME:
                raise InputError(f"the name {quoted(name)} in {what} is longer than {LONGEST_NAME} characters")
            named = Token("name", _SPELLINGS.get(name, name), len(primes), 0.0, bool(room))
            token = named if name else Token("number", number, 0, float(number), bool(room))
            if token.value == math.inf:
                raise InputError(f"the number {quoted(number)} in {what} is too large for double precision")
            known[word] = token
        tokens.append(token)
    if not tokens:
        raise InputError(f"{what} is empty")
    if bars % 2:
        raise InputError(f"{what} {quoted(text)} has a '|' without another: write abs(...)")
    return tuple(tokens)


_remembered = lru_cache(maxsize=64)(_tokens)


def _unreadable(character: str, text: str, what: str) -> str:
    if character == "'":
        return f"{what} {quoted(text)} has a stray prime: it must follow a field or a parenthesis directly, as in u'"
    shown = f"'{character}'" if character.isprintable() else "a character"
    if not character.isascii() or not character.isprintable():
        shown += f" (U+{ord(character):04X}, {unicodedata.name(character, 'no name')})"
    hint = _HINTS.get(character, "use letters a to z, digits and + - * / ^ ( ) only")
    return f"{what} {quoted(text)} cannot contain {shown}: {hint}"


def arguments(text: str, start: int, statement: str) -> tuple[list[str], int]:
    """What stands between the parentheses that open before `start`, parted by commas, and the place behind them.

    `statement` is what messages show.
    """
    depth, parts, begin = 1, [], start
    for at in range(start, len(text)):
        depth += (text[at] == "(") - (text[at] == ")")
        if depth == 0 or (depth == 1 and text[at] == ","):
            parts.append(text[begin:at])
            begin = at + 1
        if depth == 0:
            return parts, at + 1
    raise InputError(f"cannot read {quoted(statement)}: a '(' is never closed")
