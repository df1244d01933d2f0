"""A statement on its way to a Problem: texts, and what rewritings of them have made so far.

A rewriting takes a statement to another one that says the same in simpler words: an integral becomes a field, a complex
equation two real ones, a derivative of fifth order one of second order of another field.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from gated_xtfc.problem.deviation import Deviation
from gated_xtfc.problem.jumps import PointSource


@dataclass(frozen=True)
class Statement:
    """Equations and conditions of an interval, texts or functions, and what the names in them stand for."""

    equations: tuple[Any, ...]
    conditions: tuple[Any, ...]
    coordinate: str
    ends: tuple[Any, Any]  # numbers or texts
    given: Mapping[str, Any]  # parameters and tables, by name
    unknown: tuple[str, ...] = ()
    starts: Mapping[str, float] = field(default_factory=dict)  # of unknown constants that were made
    auxiliary: tuple[str, ...] = ()  # fields that were made
    settled: tuple[str, ...] = ()  # of these, and of the constants made, those that brought a condition each
    pairs: Mapping[str, tuple[str, str]] = field(default_factory=dict)  # complex names, by those of their parts
    jumps: tuple[str, ...] = ()  # conditions that prescribe one
    sources: tuple[PointSource, ...] = ()
    fluxes: Mapping[str, str] = field(default_factory=dict)  # fields, by the text of the flux without spaces
    fluxed: frozenset[str] = frozenset()  # fields of which these are fluxes
    deviations: tuple[Deviation, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Those that have a meaning already, fields apart."""
        return (*self.given, *self.unknown)

    @property
    def texts(self) -> tuple[str, ...]:
        """Equations that are texts."""
        return tuple(one for one in self.equations if isinstance(one, str))

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word in it: what a new name must not be."""
        every = (one for one in (*self.equations, *self.conditions) if isinstance(one, str))
        return frozenset(self.names).union(*(re.findall(r"\w+", text) for text in every))


Rewriting = Callable[[Statement], Statement]


def free_name(name: str, words: set[str]) -> str:
    """The name, with as many _ behind it as it takes to be new; it joins the words."""
    while name in words:
        name += "_"
    words.add(name)
    return name
