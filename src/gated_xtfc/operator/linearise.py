"""Equations as a linear operator: sum_(f, j) a_(e f j)(x) u_f^(j) = source_e(x), exact by dual numbers.

A linear problem is its own linearisation, about zero; a nonlinear one is linearised about an iterate v, so that the
solution of its linearisation is the next iterate: a = dF/du^(j) at v, source = sum a v^(j) - F(v).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gated_xtfc.errors import InputError
from gated_xtfc.language.field import Dual
from gated_xtfc.problem.problem import Problem
from gated_xtfc.types import Array

# An iterate: (field number, x, j) -> v_f^(j)(x).
About = Callable[[int, Array, int], Array]
Jets = list[list[Array]]  # [field][order], each (n,)


@dataclass(frozen=True)
class Linear:
    """The operator at some points."""

    coefficients: list[Jets]  # [equation][field][order], each (n,)
    source: list[Array]  # [equation], each (n,)
    border: list[list[Array]]  # [equation][unknown constant], each (n,): what multiplies the constant

    @cached_property
    def finite(self) -> bool:
        arrays = [a for fields in self.coefficients for jets in fields for a in jets]
        arrays += self.source + [a for row in self.border for a in row]
        return all(bool(np.isfinite(a).all()) for a in arrays)


@dataclass(frozen=True)
class Operator:
    problem: Problem
    about: About | None = None  # the iterate; zero when there is none
    constants: tuple[float, ...] = ()  # values of the unknown constants in the iterate

    @property
    def orders(self) -> tuple[int, ...]:
        """The order of the equations in each field."""
        return tuple(self.problem.order[field] for field in self.problem.fields)

    def __call__(self, x: Array) -> Linear:
        """The operator at x; refuses values that are not finite."""
        linear = self.evaluate(x)
        self.require_finite(x, linear)
        return linear

    def evaluate(self, x: Array) -> Linear:
        """As a call, finite or not."""
        if self.about is None:
            return self.at(x, [[0.0] * (order + 1) for order in self.orders], self.constants)
        about = self.about
        return self.at(x, [[about(f, x, j) for j in range(m + 1)] for f, m in enumerate(self.orders)], self.constants)

    def at(self, x: Array, iterate: Sequence[Sequence[Any]], constants: Sequence[float] = ()) -> Linear:
        """As `evaluate`, about an iterate given by its values and derivatives at x."""
        fields, names, zero = self.problem.fields, self.problem.unknown, np.zeros_like(x)
        coefficients, sources, border = [], [], []
        for residual in self.residuals(x, iterate, constants):
            dual = residual if isinstance(residual, Dual) else Dual(residual, {})
            source = zero - dual.value
            own = []
            for f, jets in zip(fields, iterate, strict=True):
                row = [zero + dual.partials.get((f, j), 0.0) for j in range(len(jets))]
                for a, v in zip(row, jets, strict=True):
                    if isinstance(v, np.ndarray):
                        source = source + a * v
                own.append(row)
            beside = [zero + dual.partials.get((name,), 0.0) for name in names]
            for a, value in zip(beside, constants, strict=False):
                source = source + a * value
            coefficients.append(own)
            sources.append(source)
            border.append(beside)
        return Linear(coefficients, sources, border)

    def residuals(
        self, x: Any, iterate: Sequence[Sequence[Any]] | None = None, constants: Sequence[float] = (), watch: Any = None
    ) -> list[Any]:
        """left - right of every equation, with its partial derivatives; about zero without an iterate."""
        values = [[0.0] * (order + 1) for order in self.orders] if iterate is None else iterate
        state: dict[Any, Any] = {}
        for f, jets in zip(self.problem.fields, values, strict=True):
            for j, v in enumerate(jets):
                state[f, j] = Dual(v, {(f, j): 1.0})
        given = list(constants) or [0.0] * len(self.problem.unknown)
        for name, value in zip(self.problem.unknown, given, strict=True):
            state[(name,)] = Dual(value, {(name,): 1.0})
        return [equation.residual(x, state, watch) for equation in self.problem.equations]

    def require_finite(self, x: Array, linear: Linear) -> None:
        if linear.finite:
            return
        axis = self.problem.axis
        for e, source in enumerate(linear.source):
            named = [("the source", source)]
            for field, jets in zip(self.problem.fields, linear.coefficients[e], strict=True):
                named += [(f"the coefficient of {field}{chr(39) * j}", a) for j, a in enumerate(jets)]
            for what, values in reversed(named):
                bad = ~np.isfinite(values)
                if bad.any():
                    raise InputError(
                        f"{what} is not finite at {axis.name} = {x[bad][0]:.6g}: "
                        f"the equation must be regular on [{axis.left:.6g}, {axis.right:.6g}]"
                    )
