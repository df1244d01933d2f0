"""Calculus on functions: what solutions, their fields and everything made of them can be asked.

Integrals, roots and extremes are found in the gated coordinate, so that layers count like everything else.
"""

from __future__ import annotations  # help() shows types as they are written here

import operator
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.language.dual import Dual, Operand
from gated_xtfc.solution.curve import Curve, Extreme
from gated_xtfc.solution.places import checked_places
from gated_xtfc.types import Array

if TYPE_CHECKING:
    from gated_xtfc.solution.component import Component

INTERPOLATED = 2  # derivatives of what is made of functions, from polynomials through its values


class Calculus(ABC):
    """Integrals, roots, extremes, derivatives and arithmetic of a function on an interval."""

    @abstractmethod
    def _curve(self) -> Curve:
        """The function as a curve; refuses what is none."""

    @abstractmethod
    def _as_function(self, curve: Curve) -> Component:
        """A curve as a function that can be asked the same."""

    def integral(self, left: float | None = None, right: float | None = None) -> float:
        """The integral between two places, or over the whole domain.

        Parameters
        ----------
        left, right
            Places in the domain; its ends unless given.

        Returns
        -------
        float
            To the accuracy of the solution, layers included; with the sign turned where right is left of left.
        """
        curve = self._curve()
        low, high = (
            end if given is None else float(checked_places(curve.axis, given))
            for given, end in ((left, curve.axis.left), (right, curve.axis.right))
        )
        return curve.integral(low, high)

    def roots(self, value: float = 0.0) -> Array:
        """All places where the function has a value.

        Parameters
        ----------
        value
            What is looked for; zero unless given.

        Returns
        -------
        array
            Places in increasing order: crossings, and touchings as far as the error of the function can tell them. A
            stretch on which the function cannot be told from the value is left out.
        """
        if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not np.isfinite(value):
            raise InputError(f"roots takes a finite number as the value to look for, not {quoted(str(value))}")
        return self._curve().roots(float(value))

    def maximum(self) -> Extreme:
        """The largest value, and where it is taken: ``value, at = solution.maximum()``."""
        return self._curve().extreme(1.0)

    def minimum(self) -> Extreme:
        """The smallest value, and where it is taken: ``value, at = solution.minimum()``."""
        return self._curve().extreme(-1.0)

    def derivative(self, order: int = 1) -> Component:
        """A derivative as a function that can be asked the same.

        Parameters
        ----------
        order
            Of the derivative; up to the order of the equation in the field, and 2 for what is made of functions.

        Returns
        -------
        Component
            Its error is that of the function divided by the kernel width, once for each order.
        """
        curve = self._curve()
        if isinstance(order, bool) or not isinstance(order, int | np.integer) or not 0 <= order <= curve.highest:
            raise InputError(f"derivative order {order!r} was asked for: orders 0 to {curve.highest} are available")
        k = int(order)
        steep = max(float(chart.slope(chart.points(501)).max()) for chart in curve.charts)
        error = curve.error * steep**k * 2.0 ** max(0, k - 1)
        shifted = Curve(curve.axis, curve.charts, lambda x, j: curve.function(x, j + k), curve.highest - k, error)
        return self._as_function(shifted)

    def __neg__(self) -> Component:
        return self._linear([-1.0], [])

    def __add__(self, other: Calculus | float) -> Component:
        return self._linear([1.0, 1.0], [other])

    __radd__ = __add__

    def __sub__(self, other: Calculus | float) -> Component:
        return self._linear([1.0, -1.0], [other])

    def __rsub__(self, other: Calculus | float) -> Component:
        return self._linear([-1.0, 1.0], [other])

    def __mul__(self, other: Calculus | float) -> Component:
        if isinstance(other, int | float):
            return self._linear([float(other)], [])
        return self._combined(operator.mul, self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Calculus | float) -> Component:
        return self._combined(operator.truediv, self, other)

    def __rtruediv__(self, other: Calculus | float) -> Component:
        return self._combined(operator.truediv, other, self)

    def __pow__(self, other: Calculus | float) -> Component:
        return self._combined(operator.pow, self, other)

    def __abs__(self) -> Component:
        return self._combined(abs, self)

    def _linear(self, weights: list[float], others: list[Calculus | float]) -> Component:
        """A sum with weights, whose derivatives are those of its parts."""
        curves = [_operand(one) for one in (self, *others)]
        parts = [one for one in curves if isinstance(one, Curve)]
        pairs = list(zip(weights, curves, strict=True))

        def function(x: Array, order: int) -> Array:
            total = np.zeros_like(x)
            for weight, one in pairs:
                if isinstance(one, Curve):
                    total = total + weight * one.function(x, order)
                elif order == 0:
                    total = total + weight * one
            return total

        error = sum(abs(weight) * one.error for weight, one in pairs if isinstance(one, Curve))
        highest = min(one.highest for one in parts)
        return self._as_function(Curve(_same_axis(parts).axis, _charts(parts), function, highest, error))

    def _combined(self, operation: Callable[..., Any], *operands: Calculus | float) -> Component:
        return self._as_function(combined(operation, [_operand(one) for one in operands]))


def combined(operation: Callable[..., Any], operands: list[Curve | float]) -> Curve:
    """The curve that an operation makes of others; its error follows from its partial derivatives."""
    parts = [one for one in operands if isinstance(one, Curve)]

    def value(x: Array) -> Array:
        with np.errstate(all="ignore"):
            found: Array = operation(*(one.function(x, 0) if isinstance(one, Curve) else one for one in operands))
        return found + np.zeros_like(x)

    def seeded(x: Array) -> Operand:
        seeds = [
            Dual(one.function(x, 0), {(k,): 1.0}) if isinstance(one, Curve) else float(one)
            for k, one in enumerate(operands)
        ]
        with np.errstate(all="ignore"):
            result: Operand = operation(*seeds)
        return result

    errors = {(k,): one.error for k, one in enumerate(operands) if isinstance(one, Curve)}
    return composed(_same_axis(parts), _charts(parts), value, seeded, errors)


def composed(
    like: Curve,
    charts: tuple[Any, ...],
    value: Callable[[Array], Array],
    seeded: Callable[[Array], Operand],
    errors: dict[Any, float],
) -> Curve:
    """A curve of values, with derivatives from polynomials through them, and the error of what the values are of."""
    plain = Curve(like.axis, charts, lambda x, order: value(x), 0, 0.0)

    def function(x: Array, order: int) -> Array:
        return value(x) if order == 0 else plain.interpolated(order)(x)

    found = seeded(plain.samples[0])
    partials: dict[Any, Any] = {**found.partials} if isinstance(found, Dual) else {}
    spread = sum(np.abs(partial) * errors[key] for key, partial in partials.items() if key in errors)
    finite = np.asarray(spread)[np.isfinite(spread)]
    error = float(finite.max()) if finite.size else 0.0
    return Curve(like.axis, charts, function, INTERPOLATED, error)


def _operand(given: Any) -> Curve | float:
    if isinstance(given, Calculus):
        return given._curve()
    if isinstance(given, bool) or not isinstance(given, int | float | np.number):
        raise InputError(f"arithmetic with functions takes functions and numbers, not {type(given).__name__}")
    return float(given)


def _same_axis(parts: list[Curve]) -> Curve:
    first = parts[0]
    for other in parts[1:]:
        if (other.axis.left, other.axis.right) != (first.axis.left, first.axis.right):
            domains = " and ".join(f"[{one.axis.left:g}, {one.axis.right:g}]" for one in (first, other))
            raise InputError(f"the functions live on different domains, {domains}: take two on the same one")
    return first


def _charts(parts: list[Curve]) -> tuple[Any, ...]:
    kept: list[Any] = []
    for part in parts:
        kept += [chart for chart in part.charts if not any(chart is other for other in kept)]
    return tuple(kept)
