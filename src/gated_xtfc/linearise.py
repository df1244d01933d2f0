"""An equation as a linear operator: sum_j a_j(x) u^(j) = source(x), exact by dual numbers.

A linear equation is its own linearisation, about zero; a nonlinear one will be linearised about the current iterate.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gated_xtfc.arrays import Array
from gated_xtfc.errors import InputError
from gated_xtfc.field import Dual
from gated_xtfc.problem import Problem


@dataclass(frozen=True)
class Operator:
    problem: Problem
    field: str
    order: int

    @classmethod
    def of(cls, problem: Problem) -> "Operator":
        field = problem.fields[0]
        return cls(problem, field, problem.order[field])

    def __call__(self, x: Array) -> tuple[list[Array], Array]:
        """Coefficients a_0 .. a_order, each (n,), and the source (n,); refuses values that are not finite."""
        coefficients, source = self.evaluate(x)
        self.require_finite(x, coefficients, source)
        return coefficients, source

    def require_finite(self, x: Array, coefficients: list[Array], source: Array) -> None:
        bad = ~np.isfinite(source)
        for a in coefficients:
            bad |= ~np.isfinite(a)
        if bad.any():
            raise InputError(self._blame(x[bad], coefficients, source, bad))

    def evaluate(self, x: Array) -> tuple[list[Array], Array]:
        """As a call, finite or not."""
        residual = self.residual(x)
        if not isinstance(residual, Dual):
            residual = Dual(residual, {})
        zero = np.zeros_like(x)
        coefficients = [zero + residual.partials.get((self.field, j), 0.0) for j in range(self.order + 1)]
        return coefficients, zero - residual.value

    def residual(self, x: Any, watch: Any = None) -> Any:
        state = {(self.field, j): Dual(0.0, {(self.field, j): 1.0}) for j in range(self.order + 1)}
        return self.problem.equations[0].residual(x, state, watch)

    def _blame(self, where: Array, coefficients: list[Array], source: Array, bad: NDArray[np.bool_]) -> str:
        names = [f"the coefficient of {self.field}{chr(39) * j}" for j in range(self.order + 1)]
        culprits = [n for n, a in zip(names, coefficients, strict=True) if not np.isfinite(a[bad]).all()]
        what = culprits[-1] if culprits else "the source"
        axis = self.problem.axis
        return (
            f"{what} is not finite at {axis.name} = {where[0]:.6g}: "
            f"the equation must be regular on [{axis.left:.6g}, {axis.right:.6g}]"
        )
