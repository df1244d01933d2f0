"""Equations above fourth order: some derivative becomes a field of its own, u_3 = u''', u''''' = u_3'', ...

Kernels have four derivatives; with as many fields as it takes, an equation has as many as it likes. Orders are shared
out evenly among the fields, for the lower they are the better conditioned are the rows.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.language.field import HIGHEST_ORDER

MOST = 24  # of an order: each four make a field
_PRIMES = str.maketrans({"\u2019": "'", "\u2032": "'", "\u2033": "''", "\u2034": "'''"})


def lowered(
    equations: Sequence[Any], conditions: Sequence[Any], coordinate: str, taken: Sequence[str]
) -> tuple[tuple[Any, ...], tuple[Any, ...], tuple[str, ...]]:
    """Equations and conditions with derivatives up to the fourth, and the names of the fields that were made for it.

    Functions stay as they are: what they may ask for is known only when they are called.
    """
    # primes, u_xxxxx, and both together: the name, coordinates behind it, primes
    primed = re.compile(rf"(?<!\w)([^\W\d]\w*?)(?:_((?:{re.escape(coordinate)})+))?('*)(?![\w'])")
    texts = [one.translate(_PRIMES) for one in equations if isinstance(one, str)]

    def order_of(found: re.Match[str]) -> int:
        return len(found[2] or "") // len(coordinate) + len(found[3])

    highest: dict[str, int] = {}
    for text in texts:
        if "'" * (HIGHEST_ORDER + 1) in text or coordinate * 2 in text:
            for found in primed.finditer(text):
                highest[found[1]] = max(order_of(found), highest.get(found[1], 0))
    for name, order in highest.items():
        if order > MOST:
            raise InputError(f"derivative {order} of {quoted(name)} is not supported: at most order {MOST} is")
    words = {*taken, *(word for text in texts for word in re.findall(r"\w+", text))}
    made = {name: _Chain.of(name, order, words) for name, order in highest.items() if order > HIGHEST_ORDER}
    if not made:
        return tuple(equations), tuple(conditions), ()

    def rewritten(statement: Any) -> Any:
        if not isinstance(statement, str):
            return statement
        return primed.sub(
            lambda found: made[found[1]].derivative(order_of(found)) if found[1] in made else found[0],
            statement.translate(_PRIMES),
        )

    links = [link for chain in made.values() for link in chain.links]
    return (
        (*(rewritten(one) for one in equations), *links),
        tuple(rewritten(one) for one in conditions),
        tuple(name for chain in made.values() for name in chain.fields[1:]),
    )


@dataclass(frozen=True)
class _Chain:
    """A field with those that stand for some of its derivatives."""

    fields: tuple[str, ...]
    step: int  # how many derivatives lie between one field and the next

    @classmethod
    def of(cls, name: str, order: int, words: set[str]) -> "_Chain":
        step = math.ceil(order / math.ceil(order / HIGHEST_ORDER))
        return cls((name, *(free_name(f"{name}_{k}", words) for k in range(step, order, step))), step)

    @property
    def links(self) -> list[str]:
        return [f"{low}{chr(39) * self.step} = {high}" for low, high in pairwise(self.fields)]

    def derivative(self, order: int) -> str:
        which = min(order // self.step, len(self.fields) - 1)
        return self.fields[which] + "'" * (order - self.step * which)


def free_name(name: str, words: set[str]) -> str:
    """The name, with as many _ behind it as it takes to be new."""
    while name in words:
        name += "_"
    return name
