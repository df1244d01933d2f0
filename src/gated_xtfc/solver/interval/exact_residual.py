"""The residual of polynomials on elements without the digits that thin elements cost.

On an element of length h the derivative u^(m) is a difference of values over h^m: values that are known to rounding
make it, and every row of the equations, uncertain by rounding over h^m, although the solution itself is not. With
factors of shape functions as pairs of numbers and tables of 32 digits the differences keep their digits. What is left
of the rounding is that of the coefficients and the source: what double precision leaves of the problem itself. Sites
are where the floating-point numbers next to them are.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import factorial

import numpy as np
from numpy.polynomial import legendre

from gated_xtfc.discretise.element_basis import hermite_monomials, site_places
from gated_xtfc.linalg.twofold import Twofold, from_fractions, twofold
from gated_xtfc.operator.linearise import Linearisation
from gated_xtfc.solver.interval.condensed import row_scales
from gated_xtfc.solver.interval.element_layout import CHECKS, SITES, ElementLayout, element_points
from gated_xtfc.types import Array


@lru_cache
def exact_tables(degree: int, order: int) -> tuple[Twofold, ...]:
    """Shape functions at all points of an element, derivatives up to the order, each (2p + 3, p + 1), to 32 digits."""
    s = [Fraction(float(place)) for place in element_points(degree)]
    t = np.array([2 * place - 1 for place in s])
    polynomials = [t * 0 + 1, t]
    for j in range(1, degree):
        polynomials.append(((2 * j + 1) * t * polynomials[j] - j * polynomials[j - 1]) / (j + 1))
    levels = [polynomials]  # level i: i-fold integrals of P_i, ..., P_(degree - i)
    for i in range(order):
        below = levels[-1]
        levels.append([(below[j + 2] - below[j]) / (2 * (i + 1 + j) + 1) for j in range(len(below) - 2)])
    found = []
    for i in range(order + 1):
        bubbles = levels[order - i][i : degree + 1 - 2 * order + i]
        left = _hermite(np.array(s), order, i)
        right = _hermite(np.array([1 - place for place in s]), order, i)
        columns = [*left, *(2**i * own for own in bubbles)]
        columns += [(-1) ** (i + k) * own for k, own in enumerate(right)]
        found.append(from_fractions(np.stack(columns, axis=1)))
    return tuple(found)


def _hermite(s: Array, order: int, derivative: int) -> list[Array]:
    """A derivative of the functions of the left end, as fractions."""
    found = []
    for k, column in enumerate(hermite_monomials(order, derivative).T.tolist()):
        value = s * 0
        for factor in column[::-1]:
            value = value * s + int(factor)
        found.append(value / factorial(k))
    return found


@lru_cache
def _slopes(degree: int) -> Array:
    """The derivative at all points of an element of a polynomial known at the sites, (2p + 3, p + 1)."""
    sites, _ = site_places(degree)
    at = 2.0 * element_points(degree) - 1.0
    columns = [legendre.legval(at, legendre.legder(unit)) for unit in np.eye(degree + 1)]
    found: Array = 2.0 * np.stack(columns, axis=1) @ np.linalg.inv(legendre.legvander(2.0 * sites - 1.0, degree))
    return found


@dataclass(frozen=True)
class ExactResidual:
    """left - right of the equations at all points of a layout, scaled as the rows are."""

    misfit: Array  # (K, R) at the sites
    between: Array  # (K, n E) between them
    entries: Array  # (K, R) the sizes of the terms that are added up at the sites


def exact_residual(layout: ElementLayout, linear: Linearisation, shapes: Twofold) -> ExactResidual:
    """That of polynomials with these factors of the shape functions, (K, F, p + 1)."""
    shape, length = layout.x.shape, layout.elements.length[:, None]
    astray = _astray(layout)
    jets = [_jets(layout, shapes.at((slice(None), f)), f, astray) for f in range(len(layout.orders))]
    residuals, terms = [], []
    scales = row_scales(layout, linear)
    for fields, source, scale in zip(linear.by_order, linear.source, scales, strict=True):
        right = source.reshape(shape)
        parts = [
            a.reshape(shape) * value / length**j
            for factors, own in zip(fields, jets, strict=True)
            for j, (a, value) in enumerate(zip(factors, own, strict=True))
        ]
        residuals.append((sum(parts) - right) / scale)
        terms.append((sum(np.abs(part) for part in parts) + np.abs(right)) / scale)
    residual, size = np.stack(residuals, axis=2), np.stack(terms, axis=2)  # (K, 2p + 3, E)
    flat = shape[0], -1
    return ExactResidual(
        residual[:, SITES].reshape(flat), residual[:, CHECKS].reshape(flat), size[:, SITES].reshape(flat)
    )


def _astray(layout: ElementLayout) -> Array:
    """How far each point is from its place in the element, over its length: numbers are where they are."""
    anchor, offset, length = (values[:, None] for values in layout.elements)
    found: Array = ((layout.x - anchor) - (offset + length * element_points(layout.degree))) / length
    return found


def _jets(layout: ElementLayout, shapes: Twofold, f: int, astray: Array) -> list[Array]:
    """A field and its derivatives in s at all points, each (K, 2p + 3)."""
    order, found = layout.orders[f], []
    for table in exact_tables(layout.degree, order):
        total = twofold(np.zeros(layout.x.shape))
        for c in range(layout.degree + 1):
            total = total.plus(table.at((None, slice(None), c)).times(shapes.at((slice(None), c, None))))
        found.append(total.high)
    steeper = [*found[1:], found[-1][:, SITES] @ _slopes(layout.degree).T]
    return [value + astray * slope for value, slope in zip(found, steeper, strict=True)]
