"""Text to tokens: numbers, names with their primes, operators. Every character is looked at once."""

import math
import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from gated_xtfc.errors import InputError, quoted

LONGEST_TEXT = 100_000
LONGEST_NAME = 64

_TOKEN = re.compile(
    r"((?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)"
    r"|([A-Za-z_][A-Za-z_0-9]*)('*)"
    r"|(\*\*|<=|>=|==|[-+*/^(),<>=])"
    r"|([^ \t\r\n])",
    re.ASCII,
)
# what word processors and keyboards put in place of ' and -
_LOOKALIKES = str.maketrans({"\u2019": "'", "\u2032": "'", "\u2033": "''", "\u2034": "'''", "\u2212": "-", "∞": "inf"})
_HINTS = {
    '"': "write two single primes, u''",
    "[": "use parentheses",
    "]": "use parentheses",
    "{": "use parentheses",
    "}": "use parentheses",
    "!": "only <, <=, > and >= compare",
    "×": "write *",
    "·": "write *",
    "≤": "write <=",
    "≥": "write >=",
    ".": "a point stands inside a number only, and functions have no module before them: exp(x)",
    ":": "write =",
    "%": "write 0.05 for 5 %",
}


class Token(NamedTuple):
    """A number, a name with its primes, or an operator."""

    kind: str  # "number", "name", or the operator itself
    text: str  # without primes
    order: int = 0  # primes of a name
    value: float = 0.0  # of a number


_OPERATORS = {symbol: Token(symbol, symbol) for symbol in ("**", "<=", ">=", "==", *"-+*/(),<>=")}
_OPERATORS["^"] = Token("**", "^")


def tokenize(text: str, what: str) -> tuple[Token, ...]:
    """The tokens of a text that the messages call `what` ("the equation")."""
    # the members of a family are read again and again, from the same short texts
    return _remembered(text, what) if isinstance(text, str) and len(text) < 1000 else _tokens(text, what)


def _tokens(text: str, what: str) -> tuple[Token, ...]:
    if not isinstance(text, str):
        raise InputError(f"{what} must be a text, not {type(text).__name__}")
    if len(text) > LONGEST_TEXT:
        raise InputError(f"{what} has {len(text)} characters, more than the {LONGEST_TEXT} that can be read")
    source = text if text.isascii() else text.translate(_LOOKALIKES)
    tokens: list[Token] = []
    known: dict[str, Token] = {}  # long texts repeat themselves
    for number, name, primes, operator, other in _TOKEN.findall(source):
        if operator:
            tokens.append(_OPERATORS[operator])
            continue
        word = name + primes or number
        token = known.get(word)
        if token is None:
            if not word:
                raise InputError(_unreadable(other, text, what))
            if len(name) > LONGEST_NAME:
                raise InputError(f"the name {quoted(name)} in {what} is longer than {LONGEST_NAME} characters")
            token = Token("name", name, len(primes)) if name else Token("number", number, 0, float(number))
            if token.value == math.inf:
                raise InputError(f"the number {quoted(number)} in {what} is too large for double precision")
            known[word] = token
        tokens.append(token)
    if not tokens:
        raise InputError(f"{what} is empty")
    return tuple(tokens)


_remembered = lru_cache(maxsize=64)(_tokens)


def _unreadable(character: str, text: str, what: str) -> str:
    if character == "'":
        return f"{what} {quoted(text)} has a stray prime: it must follow the name of a field directly, as in u'"
    shown = f"'{character}'" if character.isprintable() else "a character"
    if not character.isascii() or not character.isprintable():
        shown += f" (U+{ord(character):04X}, {unicodedata.name(character, 'no name')})"
    hint = _HINTS.get(character, "use letters a to z, digits and + - * / ^ ( ) only")
    name = unicodedata.name(character, "")
    if name.startswith("GREEK SMALL LETTER "):
        hint = f"write {name.split()[-1].lower()}"
    return f"{what} {quoted(text)} cannot contain {shown}: {hint}"
