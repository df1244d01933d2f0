"""The fields of a solution as functions of the coordinates, called or taken by name."""

from __future__ import annotations  # help() shows types as they are written here

import math
from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, overload

from numpy.typing import ArrayLike

from gated_xtfc.discretise.chart import Chart
from gated_xtfc.errors import InputError, quoted
from gated_xtfc.operator.linearise import Points
from gated_xtfc.problem.domain import Axis
from gated_xtfc.solution.account import Account
from gated_xtfc.solution.calculus import Calculus
from gated_xtfc.solution.component import Component, of_curve
from gated_xtfc.solution.curve import EPSILON, Curve
from gated_xtfc.types import Array, Orders


class SolvedFields(Account, Calculus):
    """A function of the coordinates for every field, and the unknown constants."""

    def __getitem__(self, name: str) -> Component:
        """One field of a system, as a function: solution["v"](x), solution["v"](x, 1).

        Raises
        ------
        InputError
            Where there is no field of that name.
        """
        fields, pair = self.problem.fields, self.problem.complex_pairs.get(name)
        if pair is not None and pair[0] in fields:
            real, imaginary = (self[part] for part in pair)
            both = lambda at, orders: real.function(at, orders) + 1j * imaginary.function(at, orders)  # noqa: E731
            return replace(real, function=both, error=math.hypot(real.error, imaginary.error))
        if name not in fields:
            raise InputError(f"there is no field {quoted(str(name))}: the fields are {', '.join(fields)}")
        f = fields.index(name)
        error = (self.error + EPSILON) * self.scales[f]
        return self._component(lambda points, orders: self._field(f, points, orders), self._highest[name], error)

    @overload
    def __call__(self, x: float, /, *rest: float | Orders) -> float: ...
    @overload
    def __call__(self, x: ArrayLike, /, *rest: ArrayLike) -> Array: ...
    def __call__(self, x: Any, /, *rest: Any) -> float | Array:
        """The value or a derivative at places of the domain.

        Parameters
        ----------
        x
            Places along the first coordinate, a number or an array.
        *rest
            On a rectangle the places along the second coordinate, which broadcast with the first. Then, where a
            derivative is wanted, its order: a number on an interval, one number for each coordinate on a rectangle.

        Returns
        -------
        float or array
            A float for numbers, an array of the shape of the places for arrays.

        Raises
        ------
        InputError
            For places outside the domain, for orders that are not available, and for a system, whose fields are called
            one by one.
        """
        found: float | Array = self._the_field()(x, *rest)
        return found

    def _the_field(self) -> Component:
        pairs = {part: name for name, parts in self.problem.complex_pairs.items() for part in parts}
        if pairs and len(self.problem.fields) == 2 + len(self.problem.auxiliary):
            return self[pairs[self.problem.fields[0]]]
        if len(self.problem.fields) > 1 + len(self.problem.auxiliary):
            raise InputError(f"say which field: solution[{self.problem.fields[0]!r}](x)")
        return self[self.problem.fields[0]]

    @property
    def window(self) -> tuple[Axis, ...]:
        """The part of the domain that was solved on: all of it, unless an infinite end was cut off."""
        return self.problem.axes

    @property
    def unknown_values(self) -> Mapping[str, float]:
        """The unknown constants by the names of `problem.unknown`: those of a complex problem in two parts each."""
        return MappingProxyType(dict(zip(self.problem.unknown, self._constants, strict=True)))

    @property
    def constants(self) -> Mapping[str, Any]:
        """The unknown constants by name."""
        found: dict[str, Any] = dict(self.unknown_values)
        for name, (real, imaginary) in self.problem.complex_pairs.items():
            if real in found:
                found[name] = complex(found.pop(real), found.pop(imaginary))
        return MappingProxyType(found)

    @property
    @abstractmethod
    def charts(self) -> tuple[Chart, ...]:
        """The gated coordinate of every axis."""

    @property
    def _constants(self) -> tuple[float, ...]:
        return ()

    @abstractmethod
    def _field(self, f: int, points: Points, orders: Orders) -> Array:
        """A derivative of field number f at points, each (n,)."""

    @property
    @abstractmethod
    def _highest(self) -> Mapping[str, int]:
        """The highest order along one coordinate that each field can be asked for."""

    def _component(
        self, function: Callable[[Points, Orders], Array], highest: int = 0, error: float = 0.0
    ) -> Component:
        return Component(self.problem.axes, highest, function, self.charts, error)

    def _curve(self) -> Curve:
        return self._the_field()._curve()

    def _as_function(self, curve: Curve) -> Component:
        return of_curve(curve)
