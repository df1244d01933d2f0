"""Texts as MathML, for eyes: fractions, powers, Greek letters and primes as on paper. Browsers draw it by themselves.

What a text means is decided elsewhere; what cannot be set is shown as it was written.
"""

import re
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from gated_xtfc.errors import InputError
from gated_xtfc.language.functions import FUNCTIONS
from gated_xtfc.language.tokens import Token, tokenize

MOST = 400  # tokens: what is longer is no formula for eyes
GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "eps": "ε", "zeta": "ζ", "eta": "η",
    "theta": "θ", "kappa": "κ", "lambda": "λ", "lam": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ",
    "sigma": "σ", "tau": "τ", "phi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω", "Delta": "Δ", "Omega": "Ω",
    "Phi": "Φ", "Psi": "Ψ", "Lambda": "Λ", "Gamma": "Γ",
}  # fmt: skip
SIGNS = {"<": "&lt;", ">": "&gt;", "<=": "≤", ">=": "≥", "=": "=", "==": "="}
PRIMES = {1: "′", 2: "″", 3: "‴", 4: "⁗"}
TIMES = '<mo>&#x2062;</mo><mspace width="0.17em"/>'
COORDINATES = {*"rtxyz"}
PARTS = re.compile(r"(?P<stem>[A-Za-z]+)_?(?P<below>\w*)")


class Set(NamedTuple):
    """A piece of a formula."""

    markup: str
    grouped: bool = False  # between parentheses of its own, which a fraction or an exponent does not need

    @property
    def whole(self) -> str:
        return f"<mrow><mo>(</mo>{self.markup}<mo>)</mo></mrow>" if self.grouped else self.markup


def mathml(text: str) -> str:
    """A text as a MathML element; as code where it cannot be set, or is too long for eyes."""
    before, _, place = text.partition(" on ")  # "u = 0 on boundary"
    try:
        found = _set(before)
        if place:
            found += f"<mtext>&#xa0;on&#xa0;</mtext>{_set(place)}"
    except (InputError, IndexError, RecursionError):
        return f"<code>{escape(text)}</code>"
    return f'<math><mstyle displaystyle="true">{found}</mstyle></math>'


def name(text: str, order: int = 0) -> str:
    """nu as ν, u'' with its primes, k1 and u_xx with what stands below."""
    found = PARTS.fullmatch(text)
    stem, below = (found["stem"], found["below"]) if found else (text, "")
    letter = f"<mi>{GREEK.get(stem, escape(stem))}</mi>"
    primes = f"<mo>{PRIMES.get(order, '′' * order)}</mo>" if order else ""
    # one letter an element, and so slanted, where they are coordinates; what is a word stands upright
    letters = below if {*below} <= COORDINATES else [below]
    lower = "".join(f"<mi>{GREEK.get(one, escape(one))}</mi>" for one in letters)
    lower = f"<mrow>{lower}</mrow>" if below else ""
    if lower and primes:
        return f"<msubsup>{letter}{lower}{primes}</msubsup>"
    return f"<msub>{letter}{lower}</msub>" if lower else f"<msup>{letter}{primes}</msup>" if primes else letter


def _set(text: str) -> str:
    tokens = tokenize(text, "the text")
    if len(tokens) > MOST:
        raise InputError("it is too long to be set")
    reader = _Typesetter(tokens)
    found = reader.relation()
    if reader.at < len(tokens):
        raise InputError("it cannot be set")
    return found.whole


class _Typesetter:
    """Recursive descent: relation, sum, product, sign, power, operand."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = tokens
        self.at = 0

    @property
    def kind(self) -> str:
        return self.tokens[self.at].kind if self.at < len(self.tokens) else ""

    def take(self) -> Token:
        self.at += 1
        return self.tokens[self.at - 1]

    def relation(self) -> Set:
        found = self.sum()
        while self.kind in SIGNS:
            sign = SIGNS[self.take().kind]
            found = Set(f"{found.whole}<mo>{sign}</mo>{self.sum().whole}")
        return found

    def sum(self) -> Set:
        found = self.product()
        while self.kind in ("+", "-"):
            sign = "−" if self.take().kind == "-" else "+"
            found = Set(f"{found.whole}<mo>{sign}</mo>{self.product().whole}")
        return found

    def product(self) -> Set:
        found = self.signed()
        while self.kind in ("*", "/", "name", "number", "("):  # a product may do without its star
            if self.kind == "/":
                self.take()
                below = self.signed()
                found = Set(f"<mfrac><mrow>{found.markup}</mrow><mrow>{below.markup}</mrow></mfrac>")
            else:
                if self.kind == "*":
                    self.take()
                number = self.kind == "number"
                found = Set(f"{found.whole}{'<mo>⋅</mo>' if number else TIMES}{self.signed().whole}")
        return found

    def signed(self) -> Set:
        if self.kind in ("+", "-"):
            sign = "−" if self.take().kind == "-" else "+"
            return Set(f"<mo>{sign}</mo>{self.signed().whole}")
        return self.power()

    def power(self) -> Set:
        base = self.operand()
        if self.kind != "**":
            return base
        self.take()
        return Set(f"<msup><mrow>{base.whole}</mrow><mrow>{self.signed().markup}</mrow></msup>")

    def operand(self) -> Set:
        token = self.take()
        if token.kind == "number":
            return Set(_number(token.text))
        if token.kind == "(":
            inside = self.relation()
            self._close()
            return Set(inside.whole, grouped=True)
        if token.kind != "name":
            raise InputError("it cannot be set")
        if self.kind != "(":
            return Set(name(token.text, token.order))
        self.take()
        arguments = [self.relation()]
        while self.kind == ",":
            self.take()
            arguments.append(self.relation())
        self._close()
        return Set(_called(token, arguments))

    def _close(self) -> None:
        if self.take().kind != ")":
            raise InputError("it cannot be set")


def _called(token: Token, arguments: list[Set]) -> str:
    inside = "<mo>,</mo>".join(one.whole for one in arguments)
    if token.text == "sqrt":
        return f"<msqrt>{inside}</msqrt>"
    if token.text == "abs":
        return f"<mrow><mo>|</mo>{inside}<mo>|</mo></mrow>"
    if token.text == "exp":
        return f"<msup><mi>e</mi><mrow>{arguments[0].markup}</mrow></msup>"
    called = f"<mi>{token.text}</mi>" if token.text in FUNCTIONS else name(token.text, token.order)
    return f"<mrow>{called}<mo>(</mo>{inside}<mo>)</mo></mrow>"


def _number(text: str) -> str:
    digits, _, exponent = text.lower().partition("e")
    if not exponent:
        return f"<mn>{digits}</mn>"
    power = f"<msup><mn>10</mn><mn>{str(int(exponent)).replace('-', '−')}</mn></msup>"
    return power if digits in ("1", "1.") else f"<mn>{digits}</mn><mo>×</mo>{power}"
