"""Conditions as rows: what each linear functional gives on every kernel of every field, and on a sum of kernels.

A break of the domain adds conditions of its own: u, u', ..., u^(order - 1) of every field agree from both sides.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gated_xtfc.discretise.gaussian import Piecewise
from gated_xtfc.problem.condition import Condition
from gated_xtfc.types import Array, Index

# Sixteen Gauss-Legendre points a kernel width integrate kernels to rounding.
GAUSS = 16


@dataclass(frozen=True)
class Functionals:
    """All functionals of one problem on one basis: its conditions, then the joints."""

    basis: Piecewise
    fields: tuple[str, ...]
    orders: tuple[int, ...]  # of the equations in each field: what must be continuous at a break
    conditions: tuple[Condition, ...]

    @property
    def size(self) -> int:
        """Columns: kernels times fields."""
        return self.basis.size * len(self.fields)

    def near(self) -> "Functionals":
        """Those conditions that live at one place each: the ones that keep the rows banded."""
        return Functionals(self.basis, self.fields, self.orders, tuple(c for c in self.conditions if c.local))

    def far(self) -> "Functionals":
        """The other conditions, which tie distant places together, without the joints."""
        none = (0,) * len(self.fields)
        return Functionals(self.basis, self.fields, none, tuple(c for c in self.conditions if not c.local))

    def rows(self) -> Array:
        """(number of functionals, columns)."""
        count = len(self.fields)
        rows = np.zeros((len(self.conditions), self.size))
        for (f, order), (owner, points, weights) in self._terms.items():
            np.add.at(rows[:, f::count], owner, weights[:, None] * self.basis.matrix(points, order))
        for k, f, order, x, density in self._densities:
            window = self.basis.window(x, order)
            entries = (density[:, None] * window.derivative(order)).ravel()
            found = np.bincount(window.columns().ravel(), entries, minlength=self.basis.size)
            rows[k, f::count] += found[: self.basis.size]
        return np.vstack([rows, *self._joints]) if self._joints else rows

    def on(self, weights: Array) -> Array:
        """The functionals of a sum of kernels with these weights (columns,), (number of functionals,).

        Computed from the same sums that evaluate the solution, not from `rows`: then what is added to meet a condition
        cancels exactly what evaluation will find there.
        """
        count = len(self.fields)
        found = np.zeros(len(self.conditions))
        for (f, order), (owner, points, factors) in self._terms.items():
            np.add.at(found, owner, factors * self.basis.evaluate(points, order, weights[f::count]))
        for k, f, order, x, density in self._densities:
            found[k] += np.sum(density * self.basis.evaluate(x, order, weights[f::count]))
        return np.append(found, [joint @ weights for joint in self._joints])

    def values(self) -> Array:
        return np.array([condition.value for condition in self.conditions] + [0.0] * len(self._joints))

    def names(self) -> list[str]:
        joints = [f"continuity at {x:.6g}" for x in self.basis.breaks for _ in range(sum(self.orders))]
        return [condition.text for condition in self.conditions] + joints

    @cached_property
    def _terms(self) -> dict[tuple[int, int], tuple[Index, Array, Array]]:
        """By field and order of derivative: which condition, where, with which weight."""
        found: dict[tuple[int, int], list[tuple[int, float, float]]] = {}
        for k, condition in enumerate(self.conditions):
            for term in condition.terms:
                key = (self.fields.index(term.field), term.order)
                found.setdefault(key, []).append((k, term.point, term.weight))
        return {
            key: (np.array([t[0] for t in terms]), np.array([t[1] for t in terms]), np.array([t[2] for t in terms]))
            for key, terms in found.items()
        }

    @cached_property
    def _densities(self) -> list[tuple[int, int, int, Array, Array]]:
        """Integrals: which condition, field, order, quadrature points, weights times what multiplies the field."""
        found = []
        for k, condition in enumerate(self.conditions):
            for integral in condition.integrals:
                x, w = self._nodes
                for (field, order), coefficient in integral.coefficients(x).items():
                    found.append((k, self.fields.index(field), order, x, integral.weight * coefficient * w))
        return found

    @cached_property
    def _joints(self) -> list[Array]:
        found = []
        for p, at in enumerate(self.basis.breaks.tolist()):
            for f, order in enumerate(self.orders):
                for j in range(order):
                    row = np.zeros(self.size)
                    row[f :: len(self.fields)] = self.basis.alone(p, at, j) - self.basis.alone(p + 1, at, j)
                    found.append(row)
        return found

    @cached_property
    def _nodes(self) -> tuple[Array, Array]:
        return quadrature(self.basis)


def quadrature(basis: Piecewise) -> tuple[Array, Array]:
    """Points and weights that integrate sums of kernels over the domain, each (n,)."""
    nodes, factors = np.polynomial.legendre.leggauss(GAUSS)
    points, weights = [], []
    for coordinate in basis.coordinates:
        edges = coordinate.inverse(np.linspace(0.0, coordinate.length, int(np.ceil(coordinate.length)) + 1))
        edges[0], edges[-1] = coordinate.left, coordinate.right
        half = 0.5 * np.diff(edges)[:, None]
        points.append((edges[:-1, None] + half * (1.0 + nodes)).ravel())
        weights.append((half * factors).ravel())
    return np.concatenate(points), np.concatenate(weights)
