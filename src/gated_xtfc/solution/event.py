"""Events of a solution that evolves: times at which a quantity of it has a value, max(u) = 2, u(0.5) = 0.3.

A quantity is a number that the fields have at one time, as functions of space: values at places, integrals, extremes.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import brentq

from gated_xtfc.discretise.moving.record import Piece
from gated_xtfc.errors import InputError, quoted
from gated_xtfc.language.parser import parse_quantity
from gated_xtfc.language.program import Program
from gated_xtfc.problem.evolution import HIGHEST
from gated_xtfc.problem.problem import Problem
from gated_xtfc.types import Array

LOOKED = np.linspace(0.0, 1.0, 9)  # parts of a step at which a quantity is compared
PANELS, NODES = 60, 8  # of Gauss' rule along the moving coordinate
PLACES = 1201  # for an extreme


@dataclass(frozen=True)
class InstantQuantity:
    """A number that a solution has at one time."""

    text: str
    program: Program
    problem: Problem

    @classmethod
    def stated(cls, text: str, problem: Problem) -> "InstantQuantity":
        """From a text like max(u)."""
        assert problem.evolution is not None
        space = problem.evolution.space
        program = parse_quantity(text, problem.fields, tuple(problem.parameters), (space.name,))
        for field, orders in program.derivatives_throughout:
            if sum(orders) > HIGHEST:
                raise InputError(
                    f"the quantity {quoted(text)} has derivative {sum(orders)} of {field} in {space.name}: the "
                    f"solution has them up to {HIGHEST}"
                )
        return cls(text, program, problem)

    def at(self, piece: Piece, t: float) -> float:
        """Its value at a time within a piece."""
        env: dict[str, float] = dict(self.problem.parameters)
        return float(np.asarray(self.program.value(env, _Instant(self.problem, piece, t, env))))


@dataclass(frozen=True)
class Event:
    """Times at which the two sides of a text are equal."""

    text: str
    sides: tuple[InstantQuantity, InstantQuantity]

    @classmethod
    def stated(cls, text: object, problem: Problem) -> "Event":
        """From a text like u(0.5) = 0.3."""
        assert problem.evolution is not None
        shown, field = quoted(str(text)), problem.fields[0]
        like = f"write it like max({field}) = 2 or {field}({problem.evolution.space.left:g}) = 0.3"
        if not isinstance(text, str) or text.count("=") != 1:
            raise InputError(f"the event {shown} is no equation: {like}")
        left, right = (InstantQuantity.stated(side.strip(), problem) for side in text.split("="))
        if not (left.program.derivatives_throughout or right.program.derivatives_throughout):
            raise InputError(f"the event {shown} has no field in it: {like}")
        return cls(text, (left, right))

    def gap(self, piece: Piece, t: float) -> float:
        left, right = self.sides
        return left.at(piece, t) - right.at(piece, t)

    def within(self, piece: Piece) -> list[float]:
        """Times inside a step at which the gap changes its sign, in order."""
        times = piece.start + LOOKED * piece.length
        gaps = np.array([self.gap(piece, float(t)) for t in times])
        found = []
        for k in np.flatnonzero((np.sign(gaps[:-1]) * np.sign(gaps[1:]) < 0.0) | (gaps[1:] == 0.0)):
            a, b = float(times[k]), float(times[k + 1])
            if gaps[k + 1] == 0.0:
                found.append(b)
            else:
                found.append(float(brentq(lambda t: self.gap(piece, t), a, b, xtol=1e-14 * max(abs(a), abs(b)))))
        return found


class _Instant(dict[Any, float]):
    """What a quantity asks of a solution at one time, found when asked."""

    def __init__(self, problem: Problem, piece: Piece, t: float, env: Mapping[str, float]) -> None:
        assert problem.evolution is not None
        self.problem, self.piece, self.t, self.env = problem, piece, t, env
        self.space = problem.evolution.space

    def __missing__(self, key: Any) -> float:
        if len(key) == 3:
            field, orders, place = key
            if not self.space.left <= place <= self.space.right:
                raise InputError(
                    f"{self.space.name} = {place:g} is outside [{self.space.left:g}, {self.space.right:g}]"
                )
            values = self.piece.at(np.array([float(place)]), self.t, sum(orders))
            self[key] = float(values[self.problem.fields.index(field), 0])
        elif key[0] == "integral":
            self[key] = self._integral(key[1])
        else:
            self[key] = self._extreme(key[1], 1.0 if key[0] == "max" else -1.0)
        return self[key]

    def _values(self, program: Program, x: Array) -> Array:
        orders = {sum(orders) for _, orders in program.derivatives_throughout}
        jets = {order: self.piece.at(x, self.t, order) for order in orders}
        fields = self.problem.fields
        state = {
            (name, orders): jets[sum(orders)][fields.index(name)] for name, orders in program.derivatives_throughout
        }
        found: Array = np.zeros_like(x) + program.value({**self.env, self.space.name: x}, state)
        return found

    def _integral(self, program: Program) -> float:
        node, weight = np.polynomial.legendre.leggauss(NODES)
        eta = ((np.arange(PANELS)[:, None] + 0.5 * (node + 1.0)) / PANELS).ravel()
        x, slope = self.piece.lines(self.t, eta)
        return float(np.tile(0.5 * weight / PANELS, PANELS) @ (self._values(program, x) / slope))

    def _extreme(self, program: Program, sign: float) -> float:
        """The largest value at places dense in the layers, and of the parabola through it and its neighbours."""
        values = sign * self._values(program, self.piece.places(self.t, PLACES))
        k = int(np.clip(np.argmax(values), 1, values.size - 2))
        before, top, after = values[k - 1 : k + 2]
        bend = before - 2.0 * top + after
        turn = 0.5 * (before - after) / bend if bend < 0.0 else 0.0
        peak = top - 0.25 * (before - after) * turn if abs(turn) <= 1.0 else top
        return sign * float(max(peak, values.max()))
