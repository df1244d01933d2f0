"""The residual of the equations: what the fields of a solution leave of them."""

from __future__ import annotations  # help() shows types as they are written here

from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from gated_xtfc.language.dual import Dual
from gated_xtfc.operator.linearise import Jets, Operator, Points
from gated_xtfc.solution.fields import SolvedFields
from gated_xtfc.types import Array, Number, Orders


class Residual(SolvedFields):
    """Left side less right side, as it is and in the units of the solution."""

    @overload
    def residual(self, x: float, /, *rest: float) -> float: ...
    @overload
    def residual(self, x: ArrayLike, /, *rest: ArrayLike) -> Array: ...
    def residual(self, x: Any, /, *rest: Any) -> float | Array:
        """The left side of the equation less its right side.

        Parameters
        ----------
        x, *rest
            Places, one number or array for each coordinate.

        Returns
        -------
        float or array
            As for a call; of a system one row for each equation.
        """

        def values(points: Points, _: Orders) -> Array:
            found = self._residuals(points)
            return _rows([np.zeros_like(points[0]) + one.value for one in found])

        found: float | Array = self._component(values)(x, *rest)
        return found

    @overload
    def scaled_residual(self, x: float, /, *rest: float) -> float: ...
    @overload
    def scaled_residual(self, x: ArrayLike, /, *rest: ArrayLike) -> Array: ...
    def scaled_residual(self, x: Any, /, *rest: Any) -> float | Array:
        """The residual divided by the size of the operator on a kernel as wide as the local ones.

        It has the dimension of the solution, so layers and the places between them can be compared.

        Parameters
        ----------
        x, *rest
            Places, one number or array for each coordinate.

        Returns
        -------
        float or array
            As for a call; of a system one row for each equation.
        """

        def scaled(points: Points, _: Orders) -> Array:
            slopes = [chart.slope(x) for chart, x in zip(self.charts, points, strict=True)]
            rows = []
            for one in self._residuals(points):
                scale = np.zeros_like(points[0])
                partials: dict[Any, Number] = {**one.partials}
                for key, a in partials.items():
                    if len(key) == 2:  # of a field, not of an unknown constant
                        powers = (slope**order for slope, order in zip(slopes, key[1], strict=True))
                        scale = scale + np.abs(a) * np.prod(list(powers), axis=0)
                rows.append(one.value / scale)
            return _rows(rows)

        found: float | Array = self._component(scaled)(x, *rest)
        return found

    def _residuals(self, points: Points) -> list[Dual]:
        """left - right of every equation as dual numbers, at points (n,)."""
        operator = Operator(self.problem)
        jets: Jets = [
            {orders: self._field(f, points, orders) for orders in own} for f, own in enumerate(operator.derivatives)
        ]
        return operator.residuals_at(points, jets, self._constants)


def _rows(values: list[Array]) -> Array:
    return values[0] if len(values) == 1 else np.stack(values)
