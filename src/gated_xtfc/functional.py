"""Conditions as rows: what each linear functional gives on every kernel of a basis, and on a sum of kernels.

A break of the domain adds conditions of its own: u, u', ..., u^(order - 1) agree from both sides.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gated_xtfc.arrays import Array
from gated_xtfc.bases import Pieces
from gated_xtfc.condition import Condition

# Sixteen Gauss-Legendre points a kernel width integrate kernels to rounding.
GAUSS = 16


@dataclass(frozen=True)
class Functionals:
    """All functionals of one problem on one basis: its conditions, then the joints."""

    pieces: Pieces
    conditions: tuple[Condition, ...]
    order: int

    def near(self) -> "Functionals":
        """Those conditions that live at one place each: the ones that keep the rows banded."""
        return Functionals(self.pieces, tuple(c for c in self.conditions if c.local), self.order)

    def far(self) -> "Functionals":
        """The other conditions, which tie distant places together, without the joints."""
        return Functionals(self.pieces, tuple(c for c in self.conditions if not c.local), 0)

    def rows(self) -> Array:
        """(number of functionals, number of kernels)."""
        rows = np.zeros((len(self.conditions), self.pieces.size))
        for order, (owner, points, weights) in self._terms.items():
            np.add.at(rows, owner, weights[:, None] * self.pieces.matrix(points, order))
        for k, order, x, density in self._densities:
            view = self.pieces.see(x, order)
            entries = (density[:, None] * view.derivative(order)).ravel()
            rows[k] += np.bincount(view.columns().ravel(), entries, minlength=self.pieces.size)[: self.pieces.size]
        joints = [self._joint(p, j) for p in range(self.pieces.breaks.size) for j in range(self.order)]
        return np.vstack([rows, *joints]) if joints else rows

    def on(self, weights: Array) -> Array:
        """The functionals of sum_i weights_i kernel_i, (number of functionals,).

        Computed from the same sums that evaluate the solution, not from `rows`: then what is added to meet a condition
        cancels exactly what evaluation will find there.
        """
        found = np.zeros(len(self.conditions))
        for order, (owner, points, factors) in self._terms.items():
            np.add.at(found, owner, factors * self.pieces.evaluate(points, order, weights))
        for k, order, x, density in self._densities:
            found[k] += np.sum(density * self.pieces.evaluate(x, order, weights))
        joints = [self._joint(p, j) @ weights for p in range(self.pieces.breaks.size) for j in range(self.order)]
        return np.append(found, joints)

    def values(self) -> Array:
        joints = self.pieces.breaks.size * self.order
        return np.array([condition.value for condition in self.conditions] + [0.0] * joints)

    def names(self) -> list[str]:
        joints = [f"continuity at {x:.6g}" for x in self.pieces.breaks for _ in range(self.order)]
        return [condition.text for condition in self.conditions] + joints

    @cached_property
    def _terms(self) -> dict[int, tuple[NDArray[np.intp], Array, Array]]:
        """By order of derivative: which condition, where, with which weight."""
        found: dict[int, list[tuple[int, float, float]]] = {}
        for k, condition in enumerate(self.conditions):
            for term in condition.terms:
                found.setdefault(term.order, []).append((k, term.point, term.weight))
        return {
            order: (np.array([t[0] for t in terms]), np.array([t[1] for t in terms]), np.array([t[2] for t in terms]))
            for order, terms in found.items()
        }

    @cached_property
    def _densities(self) -> list[tuple[int, int, Array, Array]]:
        """Integrals: which condition, order of derivative, quadrature points, weights times what multiplies u."""
        found = []
        for k, condition in enumerate(self.conditions):
            for integral in condition.integrals:
                x, w = self._quadrature
                for (_, order), coefficient in integral.coefficients(x).items():
                    found.append((k, order, x, integral.weight * coefficient * w))
        return found

    def _joint(self, p: int, order: int) -> Array:
        at = float(self.pieces.breaks[p])
        return self.pieces.alone(p, at, order) - self.pieces.alone(p + 1, at, order)

    @cached_property
    def _quadrature(self) -> tuple[Array, Array]:
        nodes, factors = np.polynomial.legendre.leggauss(GAUSS)
        points, weights = [], []
        for basis in self.pieces.bases:
            coordinate = basis.coordinate
            edges = coordinate.inverse(np.linspace(0.0, coordinate.length, int(np.ceil(coordinate.length)) + 1))
            edges[0], edges[-1] = coordinate.left, coordinate.right
            half = 0.5 * np.diff(edges)[:, None]
            points.append((edges[:-1, None] + half * (1.0 + nodes)).ravel())
            weights.append((half * factors).ravel())
        return np.concatenate(points), np.concatenate(weights)
