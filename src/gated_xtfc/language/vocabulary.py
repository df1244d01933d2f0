"""Which name means what in a text: functions, constants, coordinates, parameters, fields and their derivatives."""

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gated_xtfc.errors import InputError, nearest, quoted, suggestion
from gated_xtfc.language.field import highest_order, orders_in
from gated_xtfc.language.functions import FUNCTIONS
from gated_xtfc.language.program import FIELD, NAME, NUMBER, Instruction
from gated_xtfc.language.tokens import Token
from gated_xtfc.language.written import ALIASES, WRITTEN
from gated_xtfc.types import Orders

UNIT = "i"
CONSTANTS = {"pi": math.pi, "e": math.e}
CALLABLE = frozenset(FUNCTIONS).union(ALIASES, WRITTEN, {"min", "max", "where", "integral"})
RESERVED = CALLABLE | CONSTANTS.keys()
LEIBNIZ = re.compile(r"d\d?[a-z]\d?")  # du, d2u, dx2: parts of du/dx
DERIVATIVES = "derivatives are written u', u'' or u_x, u_xx"
# what functions are called in other languages
ELSEWHERE = {
    "diff": DERIVATIVES, "Derivative": DERIVATIVES, "D": DERIVATIVES, "grad": DERIVATIVES,
    "int": "write integral(...), in a condition", "if": "write where(x < 0.5, a, b)",
    "piecewise": "write where(x < 0.5, a, b)", "arctan2": "write atan(y/x)",
}  # fmt: skip
INFINITE = frozenset(
    {"inf", "infinity", "infty", "oo"}
)  # in small letters: an end of a domain, or a point of a condition
NO_NUMBERS = INFINITE | {"nan"}  # what cannot be the name of a parameter either, whoever makes one of an unknown name


def infinite(tokens: Sequence[Token]) -> float | None:
    """Plus or minus infinity where the tokens say so and nothing else; None where they do not."""
    signs, words = tokens[:-1], tokens[-1:]
    named = bool(words) and words[0].kind == "name" and words[0].text.lower() in INFINITE and not words[0].order
    if not named or len(signs) > 1 or any(sign.kind not in ("+", "-") for sign in signs):
        return None
    return -math.inf if signs and signs[0].kind == "-" else math.inf


def tables_among(parameters: Collection[str] | None) -> dict[str, Any]:
    """The tables of values among what names stand for, where that is known."""
    given = parameters if isinstance(parameters, Mapping) else {}
    return {name: value for name, value in given.items() if hasattr(value, "applied")}


@dataclass(frozen=True)
class Vocabulary:
    """What the names in a text stand for.

    `parameters` None admits any name; `points` says that fields are taken at points, u(0), as in conditions;
    `extremes` that max(u) and min(u) run over the domain as well, as in quantities of interest.
    """

    # parameters, as a mapping, may have tables among its values
    coordinates: tuple[str, ...] = ("x",)
    fields: frozenset[str] = frozenset()
    parameters: Collection[str] | None = None
    points: bool = False
    extremes: bool = False

    @property
    def real(self) -> bool:
        """Whether what is read is real: the imaginary unit, where it is one, is among the names of a text."""
        return UNIT not in (self.parameters or ())

    def fields_in(self, tokens: Iterable[Token]) -> frozenset[str]:
        """The fields that show themselves by a derivative, u' or u_x."""
        taken = RESERVED.union(self.coordinates, self.parameters or ())
        found = set()
        for token in tokens:
            if token.kind == "name" and token.text not in taken:
                stem, orders = self.derivative(token.text)
                if sum(orders) + token.order and stem not in taken:
                    found.add(stem)
        return frozenset(found)

    def derivative(self, name: str) -> tuple[str, Orders]:
        """("u", (1, 1)) from u_xy, ("u", (0, 0)) from u."""
        stem, _, suffix = name.rpartition("_")
        orders = orders_in(suffix, self.coordinates) if stem and suffix else None
        return (name, (0,) * len(self.coordinates)) if orders is None else (stem, orders)

    def stem(self, name: str) -> str:
        """u from u_xx, u from u."""
        return self.derivative(name)[0]

    def instruction_for(self, token: Token, text: str) -> Instruction:
        """The instruction that puts what a bare name stands for on the stack."""
        kind, name, orders = self._meaning(token, text)
        if kind == "field":
            if self.points:
                shown = token.text + "'" * token.order
                raise InputError(f"the {self._noun} {quoted(text)} must say where: write {shown}(0) instead of {shown}")
            return FIELD, (name, orders)
        if kind == "constant":
            return NUMBER, CONSTANTS[name]
        if kind == "function":
            raise InputError(f"'{name}' is a function: write {name}(...) in {quoted(text)}")
        if kind == "coordinate" and self.points:
            raise InputError(f"'{name}' has no value in the {self._noun} {quoted(text)}: name a point, as in u(0)")
        if kind == "unknown":
            raise InputError(self._unknown_name(name, text))
        return NAME, name

    def is_table(self, name: str) -> bool:
        """Whether a name stands for a table of values."""
        return name in tables_among(self.parameters)

    def written_out(self, token: Token, inside: Sequence[Token]) -> bool:
        """Whether this is a field with its own coordinates in parentheses, u(x), which is u."""
        listed = [one.text for one in inside if one.kind == "name" and not one.order]
        commas = [one.kind for one in inside if one.kind != "name"] == [","] * (len(self.coordinates) - 1)
        return not self.points and commas and listed == list(self.coordinates) and self.stem(token.text) in self.fields

    def called(self, token: Token, text: str) -> tuple[str, Orders] | None:
        """(field, orders) when a name before a parenthesis is a field at a point, None when it is a function."""
        kind, name, orders = self._meaning(token, text)
        if kind == "function":
            if name == "integral" and not self.points:
                raise InputError(
                    "integral(...) can stand in real equations and in conditions on an interval, not inside another "
                    f"one: {quoted(text)}"
                )
            return None
        if kind == "field":
            if not self.points:
                raise InputError(
                    f"write {token.text} instead of {token.text}(...) in {quoted(text)}: values at another place than "
                    "the equation's own (delays) can stand in real equations on an interval only"
                )
            return name, orders
        if kind == "unknown" or (kind == "parameter" and self.parameters is None):
            known = CALLABLE | self.fields if self.points else CALLABLE - {"integral"}
            fields = f"the fields are {', '.join(sorted(self.fields))}, and the functions " if self.points else ""
            own = nearest(name, self.parameters or ())
            hint = suggestion(name, known, f"{fields or 'known are '}{', '.join(sorted(known - self.fields))}")
            hint = f"did you mean the parameter '{own}', in a product {own}*(...)?" if own else hint
            raise InputError(f"unknown function '{name}' in {quoted(text)}: {ELSEWHERE.get(name, hint)}")
        raise InputError(f"'{name}' is not a function in {quoted(text)}: write {name}*(...) for a product")

    @property
    def _noun(self) -> str:
        return "quantity" if self.extremes else "condition"

    def _meaning(self, token: Token, text: str) -> tuple[str, str, Orders]:
        """(kind, name, orders)."""
        name, primes = token.text, token.order
        orders: Orders = ()
        kind = "unknown"
        if name in CALLABLE:
            kind = "function"
        elif name in CONSTANTS:
            kind = "constant"
        elif name in self.coordinates:
            kind = "coordinate"
        elif self.parameters is not None and name in self.parameters:
            kind = "parameter"
        else:
            stem, orders = (name, (0,) * len(self.coordinates)) if name in self.fields else self.derivative(name)
            if stem in self.fields:
                kind, name, orders = "field", stem, self._primed(orders, token, text)
            elif self.parameters is None and not primes:
                kind = "parameter"
        if primes and kind not in ("field", "unknown"):
            raise InputError(f"the {kind} '{name}' has no derivative, so it takes no prime in {quoted(text)}")
        return kind, name, orders

    def _primed(self, orders: Orders, token: Token, text: str) -> Orders:
        """The orders with the primes counted in."""
        if token.order and len(orders) > 1:
            ways = " or ".join(f"{token.text}_{coordinate * token.order}" for coordinate in self.coordinates)
            shown = token.text + "'" * token.order
            raise InputError(f"'{shown}' does not say along which axis in {quoted(text)}: write {ways}")
        total, most = sum(orders) + token.order, highest_order(self.coordinates)
        if total > most:
            stem = self.stem(token.text)
            raise InputError(f"derivative {total} of {stem} in {quoted(text)}: at most order {most}")
        return (total,) if token.order else orders

    def _unknown_name(self, name: str, text: str) -> str:
        stem, _, suffix = name.rpartition("_")
        if stem in self.fields and len(self.coordinates) > 1:
            known = " and ".join(self.coordinates)
            return f"'{name}' in {quoted(text)} is no derivative: the coordinates are {known}, not {suffix}"
        if name.lower() in INFINITE:
            return (
                f"'{name}' in {quoted(text)} is no number: it can be an end of the domain, or the point of a condition "
                "as in u(inf) = 0"
            )
        # what the problem itself has is more likely to be meant than a function
        own = nearest(name, self.parameters or ()) or nearest(name, (*self.coordinates, *self.fields))
        close = own or nearest(name, RESERVED)
        given = f" (given are {', '.join(self.parameters)})" if self.parameters and not own else ""
        value = f"a parameter needs a value, {name}=...{given}"
        if LEIBNIZ.fullmatch(name) and not own:
            return f"unknown name '{name}' in {quoted(text)}: {DERIVATIVES}"
        if len(name) == 1 and not close:
            value += f", and the coordinate here is {' and '.join(self.coordinates)}" if self.coordinates else ""
        if not close:
            hint = value
        elif own:
            hint = f"did you mean '{close}' ({value})?"
        else:  # eps is close to exp, but a name without a bracket behind it is rarely a function
            hint = f"{value}, or did you mean '{close}'?"
        return f"unknown name '{name}' in {quoted(text)}: {hint}"
