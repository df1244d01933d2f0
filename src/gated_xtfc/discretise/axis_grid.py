"""One axis made discrete, with the conditions at its two ends built in.

Values u at the sites meet B u = b, the conditions at the ends and, where pieces join, continuity of value and slope:
u = reach @ v + switch @ b for every choice of values v at the inner sites. This is the constrained expression of the
axis; the supports of its switching functions are the cardinal functions of the sites at the ends of pieces.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import block_diag

from gated_xtfc.discretise.axis_patch import CROWD, AxisPatch
from gated_xtfc.discretise.gaussian import Piecewise
from gated_xtfc.gates.coordinate import AxisCoordinates
from gated_xtfc.types import Array, Index

Weights = tuple[float, float]  # of value and slope, in the condition at an end
POOR = 1e-2  # a pivot smaller than this part of its row is a bad one


@dataclass(frozen=True, eq=False)
class AxisGrid:
    """The patches of one axis and the matrices that act along it."""

    patches: tuple[AxisPatch, ...]
    conditions: tuple[Weights, Weights]  # at the left end and at the right end

    @classmethod
    def on(cls, coordinates: AxisCoordinates, conditions: tuple[Weights, Weights]) -> "AxisGrid":
        """The grid on these coordinates.

        A condition at an end is solved for the value at that end. Where value and slope have opposite signs, the factor
        of that value may happen to be close to zero; one site more at each end changes it.
        """
        grid = cls(tuple(AxisPatch.on(coordinate) for coordinate in coordinates), conditions)
        if not grid._well_conditioned:
            grid = cls(tuple(AxisPatch.on(coordinate, CROWD + 1) for coordinate in coordinates), conditions)
        return grid

    @cached_property
    def basis(self) -> Piecewise:
        return Piecewise(tuple(patch.basis for patch in self.patches))

    @property
    def coordinates(self) -> AxisCoordinates:
        return self.basis.coordinates

    @cached_property
    def sites(self) -> Array:
        """(n,) both ends of every piece included, so each break twice."""
        return np.concatenate([patch.sites for patch in self.patches])

    @cached_property
    def between(self) -> Array:
        """(n - pieces,)"""
        return np.concatenate([patch.between for patch in self.patches])

    @cached_property
    def starts(self) -> Index:
        """The first site of each piece, then the number of sites."""
        return np.cumsum([0, *(patch.sites.size for patch in self.patches)])

    @property
    def size(self) -> int:
        return int(self.starts[-1])

    @cached_property
    def ends(self) -> Index:
        """The sites at the ends of pieces, (2 pieces,)."""
        return np.stack([self.starts[:-1], self.starts[1:] - 1], axis=1).ravel()

    @cached_property
    def inner(self) -> Index:
        """The other sites: those at which the equation is asked to hold."""
        return np.delete(np.arange(self.size), self.ends)

    def coordinate(self, of_between: bool = False) -> list[Array]:
        """xi, counted through all pieces, and its slope at the sites, or between them."""
        offset, parts = 0.0, []
        for patch in self.patches:
            xi, slope = patch.basis.coordinate.jets(patch.between if of_between else patch.sites, 1)
            parts.append((offset + xi, slope))
            offset += patch.basis.coordinate.length
        return [np.concatenate(part) for part in zip(*parts, strict=True)]

    @cached_property
    def derivatives(self) -> list[Array]:
        """Value, first and second derivative at the sites, each (n, n)."""
        # the computed values at sites are the identity up to rounding times a condition number: take it as it is meant
        return [np.eye(self.size), *_blocks([patch.matrices(patch.sites, 2)[1:] for patch in self.patches])]

    @cached_property
    def derivatives_between(self) -> list[Array]:
        """The same between the sites, (n - pieces, n)."""
        return _blocks([patch.matrices(patch.between, 2) for patch in self.patches])

    def rows(self, x: Array, order: int) -> Array:
        """The order-th derivative at any points from values at the sites, (x, n)."""
        result = np.zeros((x.size, self.size))
        for p, here in enumerate(self.basis.split(x)):
            result[here, self.starts[p] : self.starts[p + 1]] = self.patches[p].matrix(x[here], order)
        if order < 2:
            # at the ends to the last bit what the conditions are made of
            for end in (0, self.size - 1):
                result[x == self.sites[end]] = self.derivatives[order][end]
        return result

    def conditions_on(self, first: Array) -> Array:
        """B, (2 pieces, n), with `first` the matrix of first derivatives: left end, right end, then the joints."""
        value = np.eye(self.size)
        rows = [
            of_value * value[place] + of_slope * first[place]
            for (of_value, of_slope), place in zip(self.conditions, (0, self.size - 1), strict=True)
        ]
        for start in self.starts[1:-1]:
            rows += [value[start] - value[start - 1], first[start] - first[start - 1]]
        return np.stack(rows)

    @cached_property
    def functionals(self) -> Array:
        """B: the conditions at the ends and the joints on values at the sites, (2 pieces, n)."""
        # where kernels are thinner than the numbers around them, derivatives are not finite: the solver looks
        with np.errstate(invalid="ignore"):
            return self.conditions_on(self.derivatives[1])

    @cached_property
    def _well_conditioned(self) -> bool:
        rows = self.functionals
        return all(abs(rows[k, place]) > POOR * np.abs(rows[k]).max() for k, place in enumerate((0, self.size - 1)))

    @cached_property
    def switch(self) -> Array:
        """(n, 2): values at the sites of the switching functions of the two ends."""
        result = np.zeros((self.size, 2))
        result[self.ends] = np.linalg.inv(self.functionals[:, self.ends])[:, :2]
        return result

    @cached_property
    def extension(self) -> Array:
        """(n, inner): values at all sites from those at the inner ones, with all conditions zero."""
        return self.extended(self.functionals)

    def extended(self, functionals: Array) -> Array:
        """As `reach`, for other functionals than its own."""
        result = np.zeros((self.size, self.inner.size))
        result[self.inner, np.arange(self.inner.size)] = 1.0
        result[self.ends] = -np.linalg.solve(functionals[:, self.ends], functionals[:, self.inner])
        return result

    @cached_property
    def inner_derivatives(self) -> list[Array]:
        """Derivatives at the inner sites from values at the inner sites, conditions zero, each (inner, inner)."""
        found = [np.eye(self.inner.size)]
        support = self.extension[self.ends]
        for matrix in self.derivatives[1:]:
            rows = matrix[self.inner]
            found.append(rows[:, self.inner] + rows[:, self.ends] @ support)
        return found


def _blocks(parts: list[list[Array]]) -> list[Array]:
    return parts[0] if len(parts) == 1 else [block_diag(*matrices) for matrices in zip(*parts, strict=True)]
