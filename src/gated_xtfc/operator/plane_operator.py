"""An equation on a rectangle as a linear operator: sum over (i, j) of a_ij(x, y) d^(i+j)u/dx^i dy^j = source(x, y).

Exact by dual numbers, as on a line. Coefficients keep the shape they have: a number, one that varies along x alone
(n, 1), along y alone (1, m), or along both (n, m), for that is what decides how the system is solved.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gated_xtfc.errors import InputError
from gated_xtfc.language.dual import Dual
from gated_xtfc.language.field import unknown
from gated_xtfc.language.plane_vocabulary import VALUE, Orders
from gated_xtfc.language.program import Watch
from gated_xtfc.problem.plane_problem import PlaneProblem
from gated_xtfc.types import Array

Jets = Mapping[Orders, Array]  # derivatives of an iterate, each (n, m)


@dataclass(frozen=True)
class Linear:
    coefficients: dict[Orders, Array]  # each of a shape that broadcasts to (n, m)
    source: Array  # (n, m)

    @cached_property
    def finite(self) -> bool:
        return all(bool(np.isfinite(a).all()) for a in (*self.coefficients.values(), self.source))

    def applied(self, along_x: Sequence[Array], along_y: Sequence[Array], u: Array) -> Array:
        """The operator on values u; the matrices of the derivatives, by order, are (n, values) and (m, values)."""
        total: Array = np.zeros(self.source.shape)
        for (i, j), a in self.coefficients.items():
            total = total + a * (along_x[i] @ u @ along_y[j].T)
        return total

    def scale(self, slope_x: Array, slope_y: Array) -> Array:
        """The operator's size on a kernel as wide as the local ones, (n, m)."""
        total: Array = np.zeros(self.source.shape)
        for (i, j), a in self.coefficients.items():
            total = total + np.abs(a) * slope_x[:, None] ** i * slope_y**j
        return total


@dataclass(frozen=True)
class PlaneOperator:
    problem: PlaneProblem
    about: Callable[[Array, Array], Jets] | None = None  # the iterate, on the grid of x (n,) and y (m,); zero for none

    def residual(self, x: Any, y: Any, jets: Jets | None = None, watch: Watch | None = None) -> Any:
        """left - right with its partial derivatives, about an iterate or about zero."""
        field = self.problem.equation.field
        state = {(field, o): unknown((field, o), 0.0 if jets is None else jets[o]) for o in self.asked}
        return self.problem.equation.at(x, y, state, watch)

    @property
    def asked(self) -> frozenset[Orders]:
        """The derivatives in the equation, and the value."""
        return self.problem.equation.asked | {VALUE}

    def __call__(self, x: Array, y: Array, jets: Jets | None = None) -> Linear:
        """The operator on the grid of x (n,) and y (m,), linearised about an iterate where there is one."""
        jets = self.about(x, y) if jets is None and self.about is not None else jets
        found = self.residual(x[:, None], y[None, :], jets)
        if not isinstance(found, Dual):
            found = Dual(found, {})
        field = self.problem.equation.field
        coefficients: dict[Orders, Array] = {}
        source: Array = np.zeros((x.size, y.size)) - found.value
        for key, factor in found.partials.items():
            if isinstance(key, str) or key[0] != field:
                continue
            a = np.asarray(factor, dtype=float)
            coefficients[key[1]] = a.reshape((1,) * (2 - a.ndim) + a.shape)
            if jets is not None:
                source = source + a * jets[key[1]]
        return Linear(coefficients, source)

    def require_regular(self) -> None:
        """Also on the sides, where no equation is asked to hold: a pole there would be refined for ever."""
        x, y = (axis.left + axis.length * np.array([0.0, 0.3, 0.7, 1.0]) for axis in self.problem.axes)
        self.require_finite(x, y, self(x, y))

    def require_finite(self, x: Array, y: Array, linear: Linear) -> None:
        if linear.finite:
            return
        first, second = (axis.name for axis in self.problem.axes)
        field = self.problem.equation.field
        named = {f"the coefficient of {field}_{first * i}{second * j}".rstrip("_"): a
                 for (i, j), a in linear.coefficients.items()}  # fmt: skip
        for what, values in {**named, "the source": linear.source}.items():
            bad = np.argwhere(~np.isfinite(np.broadcast_to(values, linear.source.shape)))
            if bad.size:
                p, q = bad[0]
                raise InputError(
                    f"{what} is not finite at {first} = {x[p]:.6g}, {second} = {y[q]:.6g}: "
                    "the equation must be regular on the whole rectangle"
                )
