"""A condition on one side of a rectangle: value_weight u + slope_weight du/dn = data along it, n the axis it bounds."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.language.dual import Dual, Operand, unknown, value_of
from gated_xtfc.language.free_text import FreeText
from gated_xtfc.language.program import Program, Watch
from gated_xtfc.problem.domain import Axis
from gated_xtfc.types import Array, Orders

CLASH = 1e-9  # corner values further apart than this, relative to the data, contradict each other
Place = tuple[int, int]  # (axis that is fixed, 0 for its left end or 1 for its right one)


@dataclass(frozen=True)
class Side:
    """The condition on one side of a rectangle, on which one coordinate is fixed and the other runs along."""

    text: str
    place: Place
    axes: tuple[Axis, Axis]
    weights: tuple[float, float]  # of the value and of the derivative along the fixed axis
    program: Program
    field: str
    parameters: Mapping[str, float]

    @property
    def position(self) -> float:
        """The value of the fixed coordinate."""
        axis, end = self.place
        return self.axes[axis].right if end else self.axes[axis].left

    @property
    def along_axis(self) -> Axis:
        """The axis that runs along the side."""
        return self.axes[1 - self.place[0]]

    @property
    def free_text(self) -> FreeText:
        """The condition with its parameters, to be bounded over cells of the axis along the side."""
        fixed = {**self.parameters, self.axes[self.place[0]].name: self.position}
        return FreeText(self.program, fixed, (self.along_axis.name,))

    def run(self, t: Operand, watch: Watch | None = None) -> Operand:
        """left - right at t along the side, with the field and its derivatives as unknowns at zero."""
        env = {**self.parameters, self.axes[self.place[0]].name: self.position, self.along_axis.name: t}
        return self.program.run(env, _state(self.field), watch)

    def data(self, t: Array) -> Array:
        """The right side along the side, with all that has no unknown in it, (n,)."""
        values: Array = np.zeros_like(t)
        if self.homogeneous:
            return values
        values -= value_of(self.run(t))
        if not np.isfinite(values).all():
            where = t[~np.isfinite(values)][0]
            place = f"{self.named()}, {self.along_axis.name} = {where:.6g}"
            raise InputError(f"the condition {quoted(self.text)} is not finite at {place}")
        return values

    def slope(self, t: Array) -> Array:
        """The derivative of the data along the side, (n,)."""
        found = self.run(Dual(t, {self.along_axis.name: 1.0}))
        values: Array = np.zeros_like(t) - (
            found.partials.get(self.along_axis.name, 0.0) if isinstance(found, Dual) else 0.0
        )
        return values

    def jet(self, t: float) -> tuple[float, float]:
        """Data and their derivative along the side at one place."""
        found = self.run(Dual(t, {self.along_axis.name: 1.0}))
        if not isinstance(found, Dual):
            return 0.0 - float(found), 0.0
        return 0.0 - float(found.value), 0.0 - float(found.partials.get(self.along_axis.name, 0.0))

    @cached_property
    def homogeneous(self) -> bool:
        """Whether the data are zero all along."""
        axis = self.along_axis
        return axis.name not in self.program.names and value_of(self.run(axis.left)) == 0.0

    def named(self) -> str:
        """The side in words: x = 0."""
        return f"{self.axes[self.place[0]].name} = {self.position:g}"


def _state(field: str) -> dict[tuple[str, Orders], Dual]:
    orders: list[Orders] = [(i, j) for i in range(3) for j in range(3)]
    return {(field, order): unknown((field, order)) for order in orders}


def clashes(sides: Sequence[Side]) -> tuple[str, ...]:
    """One sentence for each corner where the conditions of its two sides cannot both hold."""
    found = []
    for across in sides[:2]:
        for along in sides[2:]:
            at = across.position, along.position
            one, two = across.jet(at[1]), along.jet(at[0])
            first = along.weights[0] * one[0] + along.weights[1] * one[1]
            second = across.weights[0] * two[0] + across.weights[1] * two[1]
            size = max(
                1e-300, *(abs(w * v) for w, v in zip((*along.weights, *across.weights), (*one, *two), strict=True))
            )
            if math.isfinite(first) and math.isfinite(second) and abs(first - second) > CLASH * size:
                corner = f"{across.axes[0].name} = {at[0]:g}, {across.axes[1].name} = {at[1]:g}"
                found.append(
                    f"the conditions {quoted(across.text)} and {quoted(along.text)} contradict each other "
                    f"at the corner {corner} ({first:.6g} against {second:.6g})"
                )
    return tuple(found)
