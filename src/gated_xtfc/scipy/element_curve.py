"""Polynomials on elements by their values at Chebyshev's points: from these to values, slopes and other elements."""

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from numpy.polynomial.chebyshev import chebder, chebvander

from gated_xtfc.gauss_legendre import rule
from gated_xtfc.types import Array


@dataclass(frozen=True)
class Basis:
    """Polynomials of one degree on [-1, 1], by their values at Chebyshev's points."""

    nodes: Array  # (k + 1,)
    points: Array  # (k,), of Gauss
    values: Array  # (k, k + 1): at the points
    slopes: Array  # (k, k + 1)
    coefficients: Array  # (k + 1, k + 1): from values to Chebyshev's coefficients

    def at(self, t: Array, order: int = 0) -> Array:
        """From values at the nodes to those of a derivative at places, (m, k + 1)."""
        c = self.coefficients
        for _ in range(order):
            c = np.asarray(chebder(c), dtype=float)
        found: Array = chebvander(t, len(c) - 1) @ c
        return found


@cache
def basis(degree: int) -> Basis:
    nodes = -np.cos(np.pi * np.arange(degree + 1) / degree)
    points, _ = rule(degree)
    coefficients: Array = np.asarray(np.linalg.inv(chebvander(nodes, degree)), dtype=float)
    values = chebvander(points, degree) @ coefficients
    slopes = chebvander(points, degree - 1) @ chebder(coefficients)
    return Basis(nodes, points, values, slopes, coefficients)


@cache
def slope_blocks(degree: int, fields: int) -> Array:
    """The slopes at the points of several fields by their values at the nodes, (k, n, k + 1, n)."""
    return basis(degree).slopes[:, None, :, None] * np.eye(fields)[None, :, None, :]


@cache
def transfer(degree: int, other: int) -> Array:
    """From values at the nodes of one degree to those at the nodes of another."""
    return basis(degree).at(basis(other).nodes)


@cache
def samples(degree: int, count: int) -> tuple[Array, Array, Array]:
    """Places inside of an element, and what takes values at the nodes to values and slopes there, (k + 1, count)."""
    t = np.linspace(-1.0, 1.0, count + 2)[1:-1]
    return t, basis(degree).at(t).T, basis(degree).at(t, 1).T


@cache
def at_pieces(degree: int, count: int, nodes: tuple[float, ...]) -> Array:
    """From values at the nodes of an element to those at nodes, from 0 to 1, of equal pieces of it."""
    parts = (np.arange(count)[:, None] + np.array(nodes)) / count
    return basis(degree).at((2.0 * parts - 1.0).ravel()).T


@dataclass(frozen=True)
class ElementCurve:
    """Values at the nodes of every element, (groups, fields, elements, k + 1), and the constants."""

    edges: Array  # (elements + 1,)
    y: Array
    p: Array

    @property
    def degree(self) -> int:
        return int(self.y.shape[-1]) - 1

    @cached_property
    def lengths(self) -> Array:
        return self.edges[1:] - self.edges[:-1]

    def on(self, edges: Array, degree: int) -> "ElementCurve":
        """The same at the nodes of other elements."""
        if edges is self.edges:
            return ElementCurve(edges, self.y @ transfer(self.degree, degree).T, self.p)
        x = places(edges, basis(degree).nodes)
        values = self(x.ravel()).reshape(*self.y.shape[:2], *x.shape)
        return ElementCurve(edges, values, self.p)

    def __call__(self, x: Array) -> Array:
        """The values at places, (groups, fields, m)."""
        which = np.clip(np.searchsorted(self.edges, x, side="right") - 1, 0, self.edges.size - 2)
        t = np.clip(2.0 * (x - self.edges[which]) / self.lengths[which] - 1.0, -1.0, 1.0)
        found: Array = np.einsum("gfmk,mk->gfm", self.y[:, :, which], basis(self.degree).at(t))
        return found


def places(edges: Array, t: Array) -> Array:
    """Places of every element, (elements, m); its ends are its ends."""
    return edges[:-1, None] + (edges[1:] - edges[:-1])[:, None] * (0.5 + 0.5 * t)
