"""What the JSON of a saved file may hold: each function gives back the value it was given, or says what is wrong.

piece = record(spacing=positive, size=whole(1), layers=several(layer))
piece(entry, "its piece")
"""

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from gated_xtfc.errors import SHOWN
from gated_xtfc.solution.envelope import Unfit
from gated_xtfc.types import Array

Entry = Callable[[Any, str], Any]  # what was found, and what a message calls it


def anything(value: Any, what: str) -> Any:
    """Looked at later."""
    return value


def number(value: Any, what: str) -> float:
    """Also infinite, as the error of what was not found is, or NaN."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Unfit(f"{what} is {str(value)[:SHOWN]!r}, no number")
    try:
        return float(value)
    except OverflowError:
        raise Unfit(f"{what} is too large") from None


def finite(value: Any, what: str) -> float:
    found = number(value, what)
    if not math.isfinite(found):
        raise Unfit(f"{what} is {found:g}")
    return found


def positive(value: Any, what: str) -> float:
    found = finite(value, what)
    if not found > 0.0:
        raise Unfit(f"{what} is {found:g}, not positive")
    return found


def size(value: Any, what: str) -> float:
    """Not negative; it may be infinite."""
    found = number(value, what)
    if not found >= 0.0:
        raise Unfit(f"{what} is {found:g}")
    return found


def text(value: Any, what: str) -> str:
    if not isinstance(value, str):
        raise Unfit(f"{what} is {str(value)[:SHOWN]!r}, no text")
    return value


def flag(value: Any, what: str) -> bool:
    if not isinstance(value, bool):
        raise Unfit(f"{what} is {str(value)[:SHOWN]!r}, neither true nor false")
    return value


def table(value: Any, what: str) -> dict[str, Any]:
    """Keys and values, looked at by whoever reads them."""
    if not isinstance(value, dict):
        raise Unfit(f"{what} is {str(value)[:SHOWN]!r}, not given by keys and values")
    return value


def whole(least: int) -> Entry:
    def read(value: Any, what: str) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value < 2**53:
            raise Unfit(f"{what} is {str(value)[:SHOWN]!r}, not a whole number of at least {least}")
        return value

    return read


def one_of(known: Iterable[str]) -> Entry:
    names = tuple(known)

    def read(value: Any, what: str) -> str:
        if value not in names:
            raise Unfit(f"{what} is {str(value)[:SHOWN]!r}, not one of {', '.join(names)}")
        return str(value)

    return read


def perhaps(kind: Entry) -> Entry:
    return lambda value, what: None if value is None else kind(value, what)


def several(kind: Entry, least: int = 0) -> Entry:
    def read(value: Any, what: str) -> list[Any]:
        if not isinstance(value, list) or len(value) < least:
            raise Unfit(f"{what} is no list of {least} or more")
        return [kind(one, f"{what}[{i}]") for i, one in enumerate(value)]

    return read


def record(**kinds: Entry) -> Entry:
    """By name; all must be there, and others are left out."""

    def read(value: Any, what: str) -> dict[str, Any]:
        if not isinstance(value, dict) or not kinds.keys() <= value.keys():
            raise Unfit(f"{what} does not have all of {', '.join(kinds)}")
        return {name: kind(value[name], f"{what}.{name}") for name, kind in kinds.items()}

    return read


def numbers(values: Array, what: str, *shape: int | None) -> Array:
    """An array of finite numbers; of a shape, where one is given, in which None is any length."""
    fits = len(shape) == values.ndim and all(n in (None, m) for n, m in zip(shape, values.shape, strict=True))
    if shape and not fits:
        wanted = ", ".join("any" if n is None else str(n) for n in shape)
        raise Unfit(f"the shape of {what} is {values.shape}, not ({wanted})")
    if not np.isfinite(values).all():
        raise Unfit(f"{what} has numbers that are not finite")
    return np.asarray(values, dtype=np.float64)
