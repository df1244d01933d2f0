"""Where a problem lives: an interval per coordinate, of which there are one or two. An interval may have no end."""

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import SupportsFloat

import numpy as np

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.language.parser import parse
from gated_xtfc.language.tokens import GREEK, tokenize
from gated_xtfc.language.vocabulary import RESERVED, infinite
from gated_xtfc.types import Array, Orders

NAME = re.compile(rf"[A-Za-z_{GREEK}][A-Za-z_0-9{GREEK}]{{0,63}}", re.ASCII)
NARROWEST = 1e-12  # relative to the ends: below, rounding leaves too few numbers in between


@dataclass(frozen=True)
class Axis:
    """One coordinate, from its left to its right end, of which either may be infinite."""

    name: str
    left: float
    right: float

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not NAME.fullmatch(self.name) or self.name in RESERVED:
            raise InputError(f"{quoted(str(self.name))} cannot name a coordinate: use a letter such as x")
        shown = f"the domain {self.name} = [{self.left:g}, {self.right:g}]"
        if math.isnan(self.left) or math.isnan(self.right):
            raise InputError(f"{shown} has an end that is no number: give two ends, left < right")
        if self.left == self.right:
            raise InputError(f"{shown} is empty: give two ends, left < right")
        if self.left > self.right:
            raise InputError(f"{shown} is reversed: give the smaller end first")
        if not self.finite:
            return
        if not math.isfinite(self.right - self.left) or self.length <= NARROWEST * max(abs(self.left), abs(self.right)):
            raise InputError(f"{shown} is too {'wide' if self.length > 1 else 'narrow'} for double precision")

    @property
    def length(self) -> float:
        return self.right - self.left

    @property
    def finite(self) -> bool:
        """Whether both ends are."""
        return math.isfinite(self.left) and math.isfinite(self.right)

    def at(self, parts: Array) -> Array:
        """Places at parts (0 to 1) of it; of an infinite one, places at distances from next to nothing to a million."""
        if self.finite:
            return self.left + self.length * parts
        t = np.minimum(np.maximum(parts, 1e-6), 1.0 - 1e-6)
        far = t / (1.0 - t)
        if math.isfinite(self.left):
            return self.left + max(1.0, abs(self.left)) * far
        return self.right - max(1.0, abs(self.right)) * far if math.isfinite(self.right) else far - 1.0 / far


@dataclass(frozen=True)
class Domain:
    """An interval or a rectangle."""

    axes: tuple[Axis, ...]

    def __post_init__(self) -> None:
        if not self.axes:
            raise InputError('the domain has no coordinate: write it like {"x": (0, 1)}')
        if len(self.axes) > 2:
            names = ", ".join(axis.name for axis in self.axes)
            raise InputError(f"the domain has {len(self.axes)} coordinates ({names}): one or two are supported")

    def require_finite_sides(self, time: int | None) -> None:
        """Refuses a rectangle with an infinite side, but for the end of the time, the coordinate of that number."""
        sides = [axis.finite or (k == time and math.isfinite(axis.left)) for k, axis in enumerate(self.axes)]
        if len(self.axes) > 1 and not all(sides):
            raise InputError(
                "a rectangle has four finite sides: infinite ends are supported in one coordinate only, and for the "
                "end of the time of what evolves"
            )

    @property
    def coordinates(self) -> tuple[str, ...]:
        return tuple(axis.name for axis in self.axes)

    @cached_property
    def finite(self) -> bool:
        """Whether all ends are."""
        return all(axis.finite for axis in self.axes)

    @classmethod
    def stated(cls, statement: object, parameters: Mapping[str, float]) -> "Domain":
        """From {"x": (0, "L")}: ends are numbers or expressions in the parameters."""
        if isinstance(statement, Domain):
            return statement
        if not isinstance(statement, Mapping):
            raise InputError(f'the domain must be given like {{"x": (0, 1)}}, not as {type(statement).__name__}')
        axes = []
        for name, ends in statement.items():
            if isinstance(ends, str) or not hasattr(ends, "__len__") or len(ends) != 2:
                raise InputError(f"the domain of {quoted(str(name))} must be two ends, like (0, 1)")
            for end in ends if len(statement) > 1 else ():
                _refuse_moving(name, end, statement)
            left, right = (
                _end(end, parameters, f"the {side} end of the domain")
                for side, end in zip(("left", "right"), ends, strict=True)
            )
            axes.append(Axis(name, left, right))
        return cls(tuple(axes))


def _end(statement: object, parameters: Mapping[str, float], what: str) -> float:
    """An end of the domain: as `evaluated`, or infinity in one of its spellings."""
    words = tokenize(statement, what) if isinstance(statement, str) else ()
    beyond = infinite(words)
    return evaluated(statement, parameters, what) if beyond is None else beyond


def _refuse_moving(name: str, end: object, coordinates: Collection[str]) -> None:
    """An end that moves with another coordinate makes another shape than a rectangle."""
    words = {token.text for token in tokenize(end, "the domain")} if isinstance(end, str) else set()
    if callable(end) or words.intersection(coordinates):
        raise InputError(
            f"the domain of {name} ends at {quoted(str(end))}, which is no number: "
            "only rectangles are supported yet, other shapes are not"
        )


def derivative_name(field: str, orders: Orders, axes: Sequence[Axis]) -> str:
    """u'' on an interval, u_xy on a rectangle: as it is written in an equation."""
    if len(axes) == 1:
        return field + "'" * orders[0]
    suffix = "".join(axis.name * order for axis, order in zip(axes, orders, strict=True))
    return f"{field}_{suffix}" if suffix else field


def evaluated(statement: object, parameters: Mapping[str, float], what: str) -> float:
    """A number, or the value of an expression in the parameters."""
    if not isinstance(statement, str):
        return real(statement, what)
    value = float(parse(statement, parameters=parameters, coordinates=(), what=what).value(parameters))
    if not math.isfinite(value):
        raise InputError(f"{what} {quoted(statement)} is not a finite number")
    return value


def real(number: object, what: str) -> float:
    """Any real number (a fraction, a decimal, of NumPy) as a float; infinities pass, booleans and texts do not."""
    if type(number) is float:  # as nearly all are
        return number
    kind = getattr(number, "dtype", None)
    is_number = (
        hasattr(number, "as_integer_ratio") if kind is None else kind.kind in "iuf" and getattr(number, "ndim", 0) == 0
    )
    if isinstance(number, bool) or not is_number or not isinstance(number, SupportsFloat):
        raise InputError(f"{what} must be a number, not {quoted(str(number))} ({type(number).__name__})")
    try:
        return float(number)
    except OverflowError as error:
        raise InputError(f"{what} is too large for double precision") from error
