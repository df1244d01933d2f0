"""Prescribed jumps, jump(u', 0.5) = 1, and point sources, u'' = delta(x - 0.3): what joins two pieces of the domain.

A source c delta(x - a) in an equation with the leading term b u^(m) makes u^(m-1) jump by c/b there.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.language.dual import Dual, Key, Operand, unknown
from gated_xtfc.language.parser import parse
from gated_xtfc.problem.domain import Axis, evaluated
from gated_xtfc.problem.equation import Equation, TextEquation
from gated_xtfc.types import Array, Number

JUMP = re.compile(r"\s*jump\s*\((?P<what>.*),(?P<place>[^,]*)\)\s*=(?P<value>[^=]*)", re.DOTALL)
FACTOR = re.compile(r"\s*(?:(?P<factor>.*)\*)?\s*(?P<field>[^\W\d]\w*)(?P<primes>'*)\s*", re.DOTALL)
STATES = (0.0, 0.9, 1.7)  # about which factors are asked for: they must not depend on the solution
SAME = 1e-6
BESIDE = 1e-9  # of the axis: where a coefficient is looked at on both sides of a point source


@dataclass(frozen=True)
class Jump:
    """field^(order) on the right of a place less what it is on the left."""

    field: str
    order: int
    place: float
    value: float


@dataclass(frozen=True)
class PointSource:
    """A source in one equation, by the name of the parameter that stands for it there."""

    name: str
    text: str  # what stands in delta(...)
    equation: int


def is_jump(condition: object) -> bool:
    """Whether a condition prescribes a jump."""
    return isinstance(condition, str) and re.match(r"\s*jump\s*\(", condition) is not None


def stated_jump(
    text: str, axis: Axis, orders: Mapping[str, int], fluxes: Mapping[str, str], values: Mapping[str, float]
) -> Jump:
    """From its text; `fluxes` are the fields that stand for an expression, by its text without spaces."""
    found = JUMP.fullmatch(text)
    if found is None:
        raise InputError(f"the condition {quoted(text)} cannot be read: write it like jump(u', 0.5) = 1")
    place = evaluated(found["place"], values, f"the place in {quoted(text)}")
    value = evaluated(found["value"], values, f"the value in {quoted(text)}")
    _check_inside(place, axis, f"the condition {quoted(text)}")
    flux = fluxes.get("".join(found["what"].split()))
    if flux is not None:
        return Jump(flux, 0, place, value)
    parts = FACTOR.fullmatch(found["what"])
    if parts is None or parts["field"] not in orders:
        raise InputError(
            f"the condition {quoted(text)} must be on a field, a derivative or a flux: write it like jump(u', 0.5) = 1"
        )
    name, order = parts["field"], len(parts["primes"])
    if order >= orders[name]:
        raise InputError(f"the condition {quoted(text)} must be on a derivative of {name} below {orders[name]}")
    factor = 1.0
    if parts["factor"] is not None:
        factor = evaluated(parts["factor"], {**values, axis.name: place}, f"the factor in {quoted(text)}")
    if factor == 0.0:
        raise InputError(f"the condition {quoted(text)} has the factor zero: leave it out")
    return Jump(name, order, place, value / factor)


def jump_of(
    source: PointSource, equation: Equation, axis: Axis, orders: Mapping[str, int], values: Mapping[str, float]
) -> Jump:
    """What a point source makes jump, and by how much."""
    shown = f"delta({source.text.strip()})"
    program = parse(source.text, parameters=values, coordinates=(axis.name,), what="the place of a point source")
    at = [float(program.value({**values, axis.name: x})) for x in (0.0, 1.0, 2.0)]
    slope = at[1] - at[0]
    if slope == 0.0 or abs(at[2] - 2.0 * at[1] + at[0]) > 1e-12 * max(map(abs, at)):
        raise InputError(f"{shown} must be of the coordinate less a place, as in delta({axis.name} - 0.3)")
    place = -at[0] / slope
    _check_inside(place, axis, shown)
    beside = np.array([place - BESIDE * axis.length, place + BESIDE * axis.length])
    assert isinstance(equation, TextEquation)
    found = [_partials(source.name, equation, beside, value) for value in STATES]
    leads = [(field, order) for field, order in orders.items() if (field, (order,)) in found[0]]
    if len(leads) != 1:
        raise InputError(f"{shown} must stand in an equation with one highest derivative: make the others fields")
    (field, order) = leads[0]
    # (states, sides) each
    strength, lead = (
        np.array([np.zeros(2) + one.get(key, 0.0) for one in found]) for key in (source.name, (field, (order,)))
    )
    if not (np.ptp(lead) <= SAME * np.abs(lead).min() and np.ptp(strength) <= SAME * np.abs(strength).max()):
        raise InputError(
            f"{shown} stands where its own factor or that of the highest derivative jumps, vanishes or depends on the "
            "solution: write the equation in conservative form, (k*u')' = ..."
        )
    return Jump(field, order - 1, place, -float(strength.mean() / lead.mean()) / abs(slope))


def _partials(name: str, equation: TextEquation, x: Array, value: float) -> dict[Key, Number]:
    """Partial derivatives of an equation in its derivatives and in what stands for a point source, about one state."""
    state: dict[Key, Operand] = {key: unknown(key, value) for key in equation.derivatives}
    state |= {(constant,): unknown((constant,), 1.0 + value) for constant in equation.unknown}
    residual = equation.seeded({name: unknown(name, 0.0)}).residual((x,), state)
    assert isinstance(residual, Dual)
    return {**residual.partials}


def _check_inside(place: float, axis: Axis, shown: str) -> None:
    if not axis.left < place < axis.right:
        raise InputError(
            f"{shown} is at {place:.6g}, which is not inside of the domain [{axis.left:g}, {axis.right:g}]"
        )
