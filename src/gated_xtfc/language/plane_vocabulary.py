"""Names in texts about a rectangle: as on a line, but a derivative is counted for each axis, u_xxy is ("u", (2, 1))."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.language.program import Instruction
from gated_xtfc.language.tokens import Token
from gated_xtfc.language.vocabulary import CALLABLE, CONSTANTS, RESERVED, Vocabulary

Orders = tuple[int, int]
VALUE: Orders = (0, 0)


@dataclass(frozen=True)
class PlaneVocabulary(Vocabulary):
    def fields_in(self, tokens: Iterable[Token]) -> frozenset[str]:
        """The fields that show themselves by a derivative, u_x."""
        taken = RESERVED.union(self.coordinates, self.parameters or ())
        found = set()
        for token in tokens:
            if token.kind == "name" and token.text not in taken:
                stem, orders = self.derivative(token.text)
                if sum(orders) and stem not in taken:
                    found.add(stem)
        return frozenset(found)

    def stem(self, name: str) -> str:
        return self.derivative(name)[0]

    def put(self, token: Token, text: str) -> Instruction:
        if token.order:
            first, second = self.coordinates
            raise InputError(
                f"'{token.text}{chr(39) * token.order}' does not say along which axis in {quoted(text)}: "
                f"write {token.text}_{first * token.order} or {token.text}_{second * token.order}"
            )
        return super().put(token, text)

    def derivative(self, name: str) -> tuple[str, Orders]:
        """("u", (1, 1)) from u_xy, ("u", (0, 0)) from u."""
        stem, _, suffix = name.rpartition("_")
        first, second = self.coordinates
        i = j = 0
        while stem and suffix:
            if suffix.startswith(first):
                i, suffix = i + 1, suffix[len(first) :]
            elif suffix.startswith(second):
                j, suffix = j + 1, suffix[len(second) :]
            else:
                return name, VALUE
        return (stem, (i, j)) if stem and i + j else (name, VALUE)

    def _meaning(self, token: Token, text: str) -> tuple[str, str, Any]:
        """(kind, name, orders)."""
        name = token.text
        if name in CALLABLE:
            return "function", name, 0
        if name in CONSTANTS:
            return "constant", name, 0
        if name in self.coordinates:
            return "coordinate", name, 0
        if self.parameters is not None and name in self.parameters:
            return "parameter", name, 0
        stem, orders = (name, VALUE) if name in self.fields else self.derivative(name)
        if stem in self.fields:
            return "field", stem, orders
        return ("parameter" if self.parameters is None else "unknown"), name, 0

    def _unknown_name(self, name: str, text: str) -> str:
        stem, _, suffix = name.rpartition("_")
        if stem in self.fields:
            first, second = self.coordinates
            return (
                f"'{name}' in {quoted(text)} is no derivative: the coordinates are {first} and {second}, not {suffix}"
            )
        return super()._unknown_name(name, text)
