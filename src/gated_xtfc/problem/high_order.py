"""Equations above fourth order: some derivative becomes a field of its own, u_3 = u''', u''''' = u_3'', ...

Kernels have four derivatives; with as many fields as it takes, an equation has as many as it likes. Orders are shared
out evenly among the fields, for the lower they are the better conditioned are the rows.
"""

import math
import re
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.language.field import HIGHEST_ORDER
from gated_xtfc.problem.statement import Statement, free_name

MOST = 24  # of an order: each four make a field
_PRIMES = str.maketrans({"\u2019": "'", "\u2032": "'", "\u2033": "''", "\u2034": "'''"})


def rewritten(statement: Statement) -> Statement:
    """Equations and conditions with derivatives up to the fourth.

    Functions stay as they are: what they may ask for is known only when they are called.
    """
    coordinate = statement.coordinate
    # primes, u_xxxxx, and both together: the name, coordinates behind it, primes
    primed = re.compile(rf"(?<!\w)([^\W\d]\w*?)(?:_((?:{re.escape(coordinate)})+))?('*)(?![\w'])")

    def order_of(found: re.Match[str]) -> int:
        return len(found[2] or "") // len(coordinate) + len(found[3])

    highest: dict[str, int] = {}
    for text in (one.translate(_PRIMES) for one in statement.texts):
        if "'" * (HIGHEST_ORDER + 1) in text or coordinate * 2 in text:
            for found in primed.finditer(text):
                highest[found[1]] = max(order_of(found), highest.get(found[1], 0))
    for name, order in highest.items():
        if order > MOST:
            raise InputError(f"derivative {order} of {quoted(name)} is not supported: at most order {MOST} is")
    words = {*statement.words}
    made = {name: _Chain.of(name, order, words) for name, order in highest.items() if order > HIGHEST_ORDER}
    if not made:
        return statement

    def lowered(one: Any) -> Any:
        if not isinstance(one, str):
            return one
        return primed.sub(
            lambda found: made[found[1]].derivative(order_of(found)) if found[1] in made else found[0],
            one.translate(_PRIMES),
        )

    links = [link for chain in made.values() for link in chain.links]
    return replace(
        statement,
        equations=(*map(lowered, statement.equations), *links),
        conditions=tuple(map(lowered, statement.conditions)),
        auxiliary=(*(name for chain in made.values() for name in chain.fields[1:]), *statement.auxiliary),
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
