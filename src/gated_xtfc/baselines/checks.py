"""Settings are checked as soon as they are given: one sentence names the setting, its value and what to give."""

import math
from collections.abc import Collection
from typing import TypeGuard

from gated_xtfc.errors import InputError


def check_whole(least: int, **given: object) -> None:
    for name, value in given.items():
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise InputError(f"{name} is {value!r}: give a whole number of at least {least}")


def check_positive(**given: object) -> None:
    for name, value in given.items():
        if not finite(value) or value <= 0:
            raise InputError(f"{name} is {value!r}: give a positive number")


def check_not_negative(**given: object) -> None:
    for name, value in given.items():
        if not finite(value) or value < 0:
            raise InputError(f"{name} is {value!r}: give a number that is not negative")


def check_one_of(known: Collection[str], **given: object) -> None:
    for name, value in given.items():
        if value not in known:
            raise InputError(f"the {name} {value!r} is not known: it is one of {', '.join(known)}")


def finite(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
