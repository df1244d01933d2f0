"""A program with its parameters, free of any place: it is bounded over cells, or known to hide nothing at once."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, Any

from gated_xtfc.language import program as op
from gated_xtfc.language.program import Program

if TYPE_CHECKING:
    from gated_xtfc.language.bounds import Bound, Bounds

LOW_DEGREE = 6.0  # of polynomials that vary no faster than kernels across the domain
_BINARY = (op.ADD, op.SUBTRACT, op.MULTIPLY, op.DIVIDE, op.POWER)


@dataclass(frozen=True)
class FreeText:
    """A program with what its names stand for, ready to be bounded over cells of some coordinates."""

    program: Program
    parameters: Mapping[str, Any]
    coordinates: tuple[str, ...]
    unknown: tuple[str, ...] = ()

    def bounds(self, at: "Mapping[str, Bound]") -> "Bounds":
        """Terms and switches where the coordinates are enclosures."""
        # most texts hide nothing at once, and need not wait for what the others are bounded with
        from gated_xtfc.language.bounds import bounds

        return bounds(self.program, {**self.parameters, **at}, self.unknown)

    @property
    def plain(self) -> bool:
        """Whether no coordinate occurs but in polynomials of low degree, which hide nothing."""
        names = self.program.names
        return not any(name in names for name in self.coordinates) or self._degree <= LOW_DEGREE

    @property
    def quiet(self) -> bool:
        """Whether it is plain, and no function takes a coordinate: then it shows nothing either.

        Powers of a coordinate count as such functions, so that this does not depend on parameters: a family shares it.
        """
        known, key = self.program.translations, ("quiet", self.coordinates)
        if key not in known:
            known[key] = not self.program.heard(self.coordinates) and self.plain
        return bool(known[key])

    @property
    def switches(self) -> bool:
        """Whether there is a comparison, or another function with a kink, in it."""
        return any(
            code in (op.COMPARE, op.MINIMUM, op.MAXIMUM, op.TABLE) or (code == op.CALL and argument in ("abs", "sign"))
            for code, argument in self.program.instructions
        )

    @cached_property
    def _degree(self) -> float:
        """The degree in the coordinates, infinite where it is no polynomial."""
        stack: list[tuple[float, Any]] = []  # degree, and the value where it is a number at hand
        for code, argument in self.program.instructions:
            if code == op.NUMBER:
                stack.append((0.0, argument))
            elif code == op.NAME:
                stack.append((1.0, None) if argument in self.coordinates else (0.0, self.parameters.get(argument)))
            elif code in _BINARY:
                (second, value), (first, _) = stack.pop(), stack.pop()
                stack.append((_degree_of(code, first, second, value), None))
            elif code in (op.NEGATE, op.CALL):
                stack[-1] = (0.0 if stack[-1][0] == 0.0 else inf if code == op.CALL else stack[-1][0]), None
            elif code == op.TABLE:  # its breaks are known: where its argument is linear it hides nothing
                stack[-1] = (inf if stack[-1][0] > 1.0 else 3.0 * stack[-1][0]), None
            elif code in (op.FIELD, op.POINT, op.INTEGRAL, op.OVER_DOMAIN):
                stack.append((0.0, None))
            else:  # a switch
                return inf
            if stack[-1][0] > LOW_DEGREE:
                return inf
        return max(degree for degree, _ in stack)


def _degree_of(code: int, first: float, second: float, value: Any) -> float:
    if code in (op.ADD, op.SUBTRACT):
        return max(first, second)
    if code == op.MULTIPLY:
        return first + second
    if second:
        return inf
    if code == op.DIVIDE or not first:
        return first
    return first * value if isinstance(value, float) and value >= 0.0 and value.is_integer() else inf
