"""Integrals in equations, and limits of integrals: each becomes a field or an unknown constant of its own.

    integral(f, a, x)   a field w with w' = f, w(a) = 0         (Volterra)
    integral(f, a, b)   a constant c with integral(f) = c, f cut off outside of the limits   (Fredholm)

Where no equation has a derivative, c is w(b) of such a field w: there is nothing else that conditions could speak of.
The integrand is a function of the coordinate, as all of the equation is: a kernel is written as a sum of products,
exp(x)*integral(exp(-x)*u, 0, 1).
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.language.tokens import arguments, tokenize
from gated_xtfc.language.vocabulary import Vocabulary
from gated_xtfc.problem.domain import evaluated
from gated_xtfc.problem.statement import Statement

INTEGRAL = re.compile(r"(?<!\w)integral\s*\(")
SHAPE = (
    "integral takes an integrand, and two limits if there are any: integral(u^2), integral(u^2, 0, 1); a kernel is "
    "written as a sum of products, exp(x)*integral(exp(-x)*u, 0, x)"
)


@dataclass
class _Unfolding:
    """What is made while texts are rewritten."""

    coordinate: str
    ends: tuple[str, str]
    parameters: Mapping[str, float]
    words: set[str]
    differential: bool  # whether an equation has a derivative in it
    equations: list[str] = field(default_factory=list)
    conditions: list[str] = field(default_factory=list)
    fields: dict[str, str] = field(default_factory=dict)  # by the integral that each stands for
    constants: dict[str, str] = field(default_factory=dict)

    def in_equation(self, integrand: str, limits: tuple[str, str] | None, text: str) -> str:
        low, high = limits or self.ends
        if self.coordinate in (low, high):
            if low == high:
                raise InputError(f"an integral from {low} to {high} in {quoted(text)} is zero: leave it out")
            begin, sign = (low, "") if high == self.coordinate else (high, "-")
            self._refuse_moving(begin, text)
            return f"({sign}{self._field(integrand, begin)})"
        self._refuse_moving(low + " " + high, text)
        whole = self.in_condition(integrand, limits, text)
        if whole not in self.constants:
            name = self._free("integral")
            self.constants[whole] = name
            made = whole if self.differential else f"{self._field(integrand, low)}({high})"
            self.conditions.append(f"{made} = {name}")
        return self.constants[whole]

    def in_condition(self, integrand: str, limits: tuple[str, str] | None, text: str) -> str:
        if limits is None or limits == self.ends:
            return f"integral({integrand})"
        low, high = limits
        self._check_inside(low, high, text)
        inside = integrand if high == self.ends[1] else f"where({self.coordinate} < ({high}), {integrand}, 0)"
        return f"integral({inside if low == self.ends[0] else f'where({self.coordinate} < ({low}), 0, {inside})'})"

    def _check_inside(self, low: str, high: str, text: str) -> None:
        """Limits in the order of the coordinate, and in the domain."""
        what = f"a limit of an integral in {quoted(text)}"
        at = [evaluated(end, self.parameters, what) for end in (*self.ends, low, high)]
        if not at[0] <= at[2] < at[3] <= at[1]:
            raise InputError(
                f"the integral in {quoted(text)} runs from {at[2]:g} to {at[3]:g}: its limits must be in the domain "
                f"[{at[0]:g}, {at[1]:g}], the smaller one first"
            )

    def _field(self, integrand: str, begin: str) -> str:
        key = f"{integrand} from {begin}"
        if key not in self.fields:
            name = self._free("integral")
            self.fields[key] = name
            self.equations.append(f"{name}' = {integrand}")
            self.conditions.append(f"{name}({begin}) = 0")
        return self.fields[key]

    def _free(self, stem: str) -> str:
        number = 1
        while f"{stem}_{number}" in self.words:
            number += 1
        self.words.add(f"{stem}_{number}")
        return f"{stem}_{number}"

    def _refuse_moving(self, limits: str, text: str) -> None:
        if re.search(rf"(?<!\w){re.escape(self.coordinate)}(?!\w)", limits):
            raise InputError(
                f"a limit of an integral in {quoted(text)} moves with {self.coordinate}: a limit can be a number or "
                f"{self.coordinate} itself, as in integral(u, 0, {self.coordinate})"
            )


def rewritten(statement: Statement) -> Statement:
    """The statement without integrals in equations and without limits; functions stay as they are."""
    every = [one for one in (*statement.equations, *statement.conditions) if isinstance(one, str)]
    if not any(INTEGRAL.search(one) for one in every):
        return statement
    ends = _shown(statement.ends[0]), _shown(statement.ends[1])
    words = Vocabulary((statement.coordinate,), parameters=statement.given)
    differential = any(words.fields_in(tokenize(one, "the equation")) for one in statement.texts)
    differential = differential or len(statement.texts) < len(statement.equations)
    work = _Unfolding(statement.coordinate, ends, statement.given, {*statement.words}, differential)
    stated = tuple(_rewritten(one, work.in_equation) for one in statement.equations)
    held = tuple(_rewritten(one, work.in_condition) for one in statement.conditions)
    fields, constants = tuple(work.fields.values()), tuple(work.constants.values())
    return replace(
        statement,
        equations=(*stated, *work.equations),
        conditions=(*held, *work.conditions),
        unknown=(*statement.unknown, *constants),
        starts={**statement.starts, **dict.fromkeys(constants, 1.0)},
        auxiliary=(*statement.auxiliary, *fields),
        settled=(*statement.settled, *fields, *constants),
    )


def _shown(end: object) -> str:
    """A limit as text, alike for 0, 0.0 and "0"."""
    text = str(end).replace(" ", "")
    try:
        return repr(float(text))
    except ValueError:
        return text


def _rewritten(statement: Any, instead: Callable[[str, tuple[str, str] | None, str], str]) -> Any:
    """The text with every integral replaced by what stands for it."""
    if not isinstance(statement, str):
        return statement
    done, rest = "", statement
    while found := INTEGRAL.search(rest):
        parts, end = arguments(rest, found.end(), statement)
        if len(parts) not in (1, 3):
            raise InputError(f"cannot read {quoted(statement)}: {SHAPE}")
        if any(INTEGRAL.search(part) for part in parts):
            raise InputError(f"an integral cannot stand inside another one: {quoted(statement)}")
        limits = None if len(parts) == 1 else (_shown(parts[1]), _shown(parts[2]))
        done += rest[: found.start()] + instead(parts[0].strip(), limits, statement)
        rest = rest[end:]
    return done + rest
