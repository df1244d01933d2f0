"""The estimated error of derivatives, and of what is made of a solution."""

from __future__ import annotations  # help() shows types as they are written here

import math
from collections.abc import Mapping, Sequence
from itertools import product
from types import MappingProxyType
from typing import Any

import numpy as np

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.language.dual import Dual
from gated_xtfc.language.parser import parse
from gated_xtfc.solution.calculus import composed
from gated_xtfc.solution.component import Component
from gated_xtfc.solution.curve import EPSILON
from gated_xtfc.solution.fields import SolvedFields
from gated_xtfc.types import Array, Orders

SHOWN = 501  # places at which derivatives are measured


class Estimated(SolvedFields):
    """Derivatives and expressions with errors that follow from that of the fields."""

    @property
    def errors(self) -> Mapping[Any, float]:
        """The estimated error of the solution and of its derivatives, each relative to its own largest size.

        An error that kernels make changes over their width, so a derivative has it divided by that width: where they
        are narrow, a derivative may be off by much more than the field. Keys are the orders that a call takes: numbers
        on an interval, one number for each coordinate on a rectangle.
        """
        slopes, sharpest = self._steepest, self._sharpest
        axes = [chart.points(SHOWN if len(slopes) == 1 else 101) for chart in self.charts]
        points = tuple(one.ravel() for one in np.meshgrid(*axes, indexing="ij"))
        found: dict[Any, float] = {}
        for orders in product(*(range(max(self._highest.values()) + 1) for _ in slopes)):
            part = self._relative_error(orders, slopes, sharpest)
            own = [
                part * scale / size
                for f, scale in enumerate(self.scales)
                if sum(orders) <= self._highest[self.problem.fields[f]]
                and (size := float(np.abs(self._field(f, points, orders)).max())) > 0.0
            ]
            if own:
                found[orders if len(orders) > 1 else orders[0]] = max(own)
        return MappingProxyType(found | {0 if len(slopes) == 1 else (0,) * len(slopes): self.error})

    def _relative_error(self, orders: Orders, slopes: Sequence[float], sharpest: Sequence[float]) -> float:
        """The estimated error of a derivative, relative to the scale of its field."""
        steepness = math.prod(slope**order for slope, order in zip(slopes, orders, strict=True))
        rounding = EPSILON * math.prod((4.0 * s) ** order for s, order in zip(sharpest, orders, strict=True))
        return self.error * 2.0 ** max(0, sum(orders) - 1) * steepness + rounding

    @property
    def _steepest(self) -> Sequence[float]:
        """Along each axis one over the width of the narrowest kernels."""
        return [float(chart.slope(chart.points(SHOWN)).max()) for chart in self.charts]

    @property
    def _sharpest(self) -> Sequence[float]:
        """Along each axis one over the distance in which rounding of what the solution is made of can change."""
        return self._steepest

    def evaluate(self, text: str) -> Component:
        """An expression in the fields, their derivatives, the coordinate, the parameters and the constants.

        Parameters
        ----------
        text
            Such as ``"u'^2 + x*u"``, in the language of equations.

        Returns
        -------
        Component
            A function of the coordinate, with integrals, roots, extremes, derivatives and arithmetic of its own.

        Raises
        ------
        InputError
            Where the text cannot be read, or asks for derivatives that the solution does not have.

        Examples
        --------
        >>> import gated_xtfc as gx
        >>> problem = gx.Problem("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=1e-4)
        >>> solution = gx.solve(problem, tol=1e-10)
        >>> print(f"{solution.evaluate('nu*u_x^2').integral():.8f}")  # all of it from the layer
        0.50000000
        """
        like = self[self.problem.fields[0]]._curve()  # refuses a rectangle
        names = {**self.problem.given, **dict.fromkeys(self.problem.unknown)}
        program = parse(text, self.problem.fields, names, self.problem.domain.coordinates)
        for field, (order,) in program.derivatives:
            if field not in self.problem.fields or order > self._highest[field]:
                raise InputError(f"{quoted(text)} asks for derivative {order} of {field}, which the solution has not")
        env: dict[str, Any] = {**self.problem.given, **self.unknown_values}
        slopes, sharpest = self._steepest, self._sharpest
        fields = {key: self.problem.fields.index(key[0]) for key in program.derivatives}
        errors: dict[Any, float] = {
            key: self._relative_error(key[1], slopes, sharpest) * self.scales[f] for key, f in fields.items()
        }

        def run(x: Array, seeded: bool) -> Any:
            values = {key: self._field(f, (x,), key[1]) for key, f in fields.items()}
            state = {key: Dual(u, {key: 1.0}) for key, u in values.items()} if seeded else values
            return program.run({**env, like.axis.name: x}, state)

        curve = composed(like, like.charts, lambda x: run(x, False) + np.zeros_like(x), lambda x: run(x, True), errors)
        return self._as_function(curve)
