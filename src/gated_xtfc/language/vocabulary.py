"""Which name means what in a text: functions, constants, coordinates, parameters, fields and their derivatives."""

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from gated_xtfc.errors import InputError, nearest, quoted, suggestion
from gated_xtfc.language.field import HIGHEST_ORDER
from gated_xtfc.language.functions import FUNCTIONS
from gated_xtfc.language.program import FIELD, NAME, NUMBER, Instruction
from gated_xtfc.language.tokens import Token

CONSTANTS = {"pi": math.pi, "e": math.e}
CALLABLE = frozenset(FUNCTIONS) | {"min", "max", "where", "integral"}
RESERVED = CALLABLE | CONSTANTS.keys()


@dataclass(frozen=True)
class Vocabulary:
    """`parameters` None admits any name; `points` says that fields are taken at points, u(0), as in conditions;
    `extremes` that max(u) and min(u) run over the domain as well, as in quantities of interest."""

    coordinates: tuple[str, ...] = ("x",)
    fields: frozenset[str] = frozenset()
    parameters: Collection[str] | None = None
    points: bool = False
    extremes: bool = False

    def fields_in(self, tokens: Iterable[Token]) -> frozenset[str]:
        """The fields that show themselves by a derivative, u' or u_x."""
        taken = RESERVED.union(self.coordinates, self.parameters or ())
        found = set()
        for token in tokens:
            if token.kind == "name" and token.text not in taken:
                stem, order = self._suffixed(token.text)
                if order + token.order and stem not in taken:
                    found.add(stem)
        return frozenset(found)

    def stem(self, name: str) -> str:
        """u from u_xx, u from u."""
        return self._suffixed(name)[0]

    def put(self, token: Token, text: str) -> Instruction:
        """The instruction that puts what a bare name stands for on the stack."""
        kind, name, order = self._meaning(token, text)
        if kind == "field":
            if self.points:
                shown = token.text + "'" * token.order
                raise InputError(f"the {self._noun} {quoted(text)} must say where: write {shown}(0) instead of {shown}")
            return FIELD, (name, order)
        if kind == "constant":
            return NUMBER, CONSTANTS[name]
        if kind == "function":
            raise InputError(f"'{name}' is a function: write {name}(...) in {quoted(text)}")
        if kind == "coordinate" and self.points:
            raise InputError(f"'{name}' has no value in the {self._noun} {quoted(text)}: name a point, as in u(0)")
        if kind == "unknown":
            raise InputError(self._unknown_name(name, text))
        return NAME, name

    def called(self, token: Token, text: str) -> tuple[str, int] | None:
        """(field, order) when a name before a parenthesis is a field at a point, None when it is a function."""
        kind, name, order = self._meaning(token, text)
        if kind == "function":
            if name == "integral" and not self.points:
                raise InputError(
                    f"integral(...) can stand in conditions only, and not inside another one: {quoted(text)}"
                )
            return None
        if kind == "field":
            if not self.points:
                raise InputError(f"write {token.text} instead of {token.text}(...) in {quoted(text)}")
            return name, order
        if kind == "unknown" or (kind == "parameter" and self.parameters is None):
            known = CALLABLE | self.fields if self.points else CALLABLE - {"integral"}
            hint = suggestion(name, known, f"known are {', '.join(sorted(known))}")
            raise InputError(f"unknown function '{name}' in {quoted(text)}: {hint}")
        raise InputError(f"'{name}' is not a function in {quoted(text)}: write {name}*(...) for a product")

    @property
    def _noun(self) -> str:
        return "quantity" if self.extremes else "condition"

    def _meaning(self, token: Token, text: str) -> tuple[str, str, int]:
        """(kind, name, order)."""
        name, order = token.text, token.order
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
            stem, suffix_order = (name, 0) if name in self.fields else self._suffixed(name)
            if stem in self.fields:
                kind, name, order = "field", stem, order + suffix_order
                if order > HIGHEST_ORDER:
                    raise InputError(f"derivative {order} of {name} in {quoted(text)}: at most order {HIGHEST_ORDER}")
            elif self.parameters is None and not order:
                kind = "parameter"
        if order and kind not in ("field", "unknown"):
            raise InputError(f"the {kind} '{name}' has no derivative, so it takes no prime in {quoted(text)}")
        return kind, name, order

    def _suffixed(self, name: str) -> tuple[str, int]:
        """("u", 2) from u_xx, ("u", 0) from u."""
        stem, _, suffix = name.rpartition("_")
        for coordinate in self.coordinates if stem and suffix else ():
            times = len(suffix) // len(coordinate)
            if suffix == coordinate * times:
                return stem, times
        return name, 0

    def _unknown_name(self, name: str, text: str) -> str:
        close = nearest(name, RESERVED.union(self.coordinates, self.fields, self.parameters or ()))
        value = f"a parameter needs a value, {name}=..."
        hint = f"did you mean '{close}' ({value})?" if close else value
        return f"unknown name '{name}' in {quoted(text)}: {hint}"
