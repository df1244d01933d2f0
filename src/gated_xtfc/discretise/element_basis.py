"""Polynomials on an element, s from 0 to 1, that know their values and derivatives at both ends.

Of degree p for an equation of order m: the 2m Hermite functions of the end values u, ..., u^(m-1), and between them
bubbles, the m-fold integrals of Legendre polynomials of degree m to p - m, which vanish at both ends with m - 1
derivatives. Bubbles are differences of Legendre polynomials, (P_(j+1) - P_(j-1))/(2j + 1) for one integral: they vanish
to the last bit, so that what is prescribed at an end is met to the last bit.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import comb, factorial

import numpy as np

from gated_xtfc.gauss_legendre import rule
from gated_xtfc.types import Array

# Where in every element the response is looked at, beside its ends. In the middle would be a node of modes that have
# nodes at both ends of an element: they would go unseen.
WITNESS = 0.382


def shape_functions(s: Array, degree: int, order: int, highest: int) -> list[Array]:
    """Derivatives in s from the zeroth to `highest` of all functions, each (n, degree + 1).

    The columns are those of the left end's values, the bubbles, and those of the right end's values.
    """
    left, right = _polynomials(s, order, highest), _polynomials(1.0 - s, order, highest)
    flips = (-1.0) ** np.arange(order)
    bubbles = _bubbles(s, degree, order, highest)
    return [np.concatenate([left[i], bubbles[i], (-1.0) ** i * flips * right[i]], axis=1) for i in range(highest + 1)]


@lru_cache
def _hermite(order: int) -> Array:
    """Monomial coefficients of the functions that have one derivative at zero and nothing else at both ends.

    Column i is s^i/i! (1 - s)^m sum_l C(m - 1 + l, l) s^l, times i!: all numbers are whole.
    """
    found = np.zeros((2 * order, order))
    power = np.array([(-1.0) ** k * comb(order, k) for k in range(order + 1)])
    for i in range(order):
        series = np.array([float(comb(order - 1 + k, k)) for k in range(order - i)])
        product = np.convolve(power, series)
        found[i : i + product.size, i] = product
    return found


@lru_cache
def hermite_monomials(order: int, derivative: int) -> Array:
    """Monomial coefficients of a derivative of the functions of the left end, (2m - derivative, m), times i!.

    All are whole numbers, so that what vanishes at the other end vanishes to the last bit.
    """
    found = _hermite(order)
    for _ in range(derivative):
        found = found[1:] * np.arange(1.0, found.shape[0])[:, None]
    found.setflags(write=False)
    return found


def _polynomials(s: Array, order: int, highest: int) -> list[Array]:
    """Hermite functions and their derivatives, each (n, m)."""
    found, scale = [], np.array([float(factorial(i)) for i in range(order)])
    for j in range(highest + 1):
        value = np.zeros((s.size, order))
        for row in hermite_monomials(order, j)[::-1]:
            value = value * s[:, None] + row
        found.append(value / scale)
    return found


def _bubbles(s: Array, degree: int, order: int, highest: int) -> list[Array]:
    """Derivatives in s of the bubbles, each (n, p + 1 - 2m): integrals of Legendre polynomials, one less each time."""
    t = 2.0 * s - 1.0
    legendre = np.empty((degree + 1, s.size))
    legendre[0], legendre[1] = 1.0, t
    for j in range(1, degree):
        legendre[j + 1] = ((2 * j + 1) * t * legendre[j] - j * legendre[j - 1]) / (j + 1)
    levels = [legendre]  # level i holds the i-fold integrals of P_i, ..., P_(degree - i)
    for i in range(order):
        before = levels[-1]
        size = 2.0 * np.arange(i + 1, degree - i) + 1.0
        levels.append((before[2:] - before[:-2]) / size[:, None])
    # in t they are integrals of P_j: each derivative in s brings a factor of two
    return [
        2.0**i * levels[order - i][i : degree + 1 - 2 * order + i].T
        if i <= order
        else np.zeros((s.size, degree + 1 - 2 * order))
        for i in range(highest + 1)
    ]


@dataclass(frozen=True)
class ElementTables:
    """Shape functions at the sites of an element, Gauss' points, and at points between them where residuals show."""

    degree: int
    order: int
    sites: Array  # (p + 1,)
    checks: Array  # (p + 2,)
    at_sites: tuple[Array, ...]  # derivatives in s, each (p + 1, p + 1)
    at_checks: tuple[Array, ...]  # (p + 2, p + 1)
    at_middle: Array  # (p + 1,)


@lru_cache
def tables(degree: int, order: int) -> ElementTables:
    """Computed once for every degree and order."""
    sites, checks = site_places(degree)
    middle = shape_functions(np.array([WITNESS]), degree, order, 0)[0][0]
    at = [tuple(shape_functions(s, degree, order, order)) for s in (sites, checks)]
    return ElementTables(degree, order, sites, checks, at[0], at[1], middle)


@lru_cache
def site_places(degree: int) -> tuple[Array, Array]:
    """Sites of an element and the points between them, the outermost close to its ends."""
    nodes, _ = rule(degree + 1)
    sites = 0.5 * (1.0 + nodes)
    middles = 0.5 * (sites[1:] + sites[:-1])
    return sites, np.concatenate([[sites[0] / 3.0], middles, [1.0 - sites[0] / 3.0]])
