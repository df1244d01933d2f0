"""Values (s, m, n) of m fields at n sites as vectors (s, m n), site after site, so that matrices are banded.

Where the ends are joined, sites go from both ends inwards, 0, n - 1, 1, n - 2, ...: neighbours across the joint are
near each other then as well, and the band is twice as wide.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gated_xtfc.discretise.moving.sites import Sites
from gated_xtfc.types import Array, Index


@dataclass(frozen=True, eq=False)
class Packing:
    """Where the unknowns of a layout stand in vectors and in the band of a matrix."""

    sites: Sites
    fields: int
    joined: bool

    @cached_property
    def rank(self) -> Index:
        """The position of every site, (n,)."""
        n = self.sites.size
        i = np.arange(n)
        return np.where(i < (n + 1) // 2, 2 * i, 2 * (n - 1 - i) + 1) if self.joined else i

    @cached_property
    def _sorted(self) -> Index:
        return np.argsort(self.rank)

    @cached_property
    def band(self) -> int:
        """Diagonals below and above the main one."""
        reach = int(np.abs(self.rank[self.sites.stencils] - self.rank[:, None]).max())
        if self.sites.cuts:  # at a break the slope on its other side is asked for
            reach += 1 + self.joined
        return self.fields * (max(reach, 1) + 1) - 1

    @property
    def size(self) -> int:
        return self.fields * self.sites.size

    def packed(self, values: Array) -> Array:
        """(s, m, n) to (s, m n)."""
        inner = values[:, :, self._sorted] if self.joined else values
        return inner.transpose(0, 2, 1).reshape(len(values), -1)

    def unpacked(self, vectors: Array) -> Array:
        """(s, m n) to (s, m, n)."""
        inner = vectors.reshape(-1, self.sites.size, self.fields).transpose(0, 2, 1)
        return inner[:, :, self.rank] if self.joined else inner

    def places(self, rows: Index, columns: Index) -> Index:
        """Where entries between sites `rows` and `columns` (...,) stand in the flat band, (m, m, ...)."""
        own = np.arange(self.fields)
        shape = (self.fields, self.fields) + (1,) * rows.ndim
        row = self.rank[rows] * self.fields + own.reshape(shape[0], *(1,) * (rows.ndim + 1))
        column = self.rank[columns] * self.fields + own.reshape(1, shape[1], *(1,) * rows.ndim)
        found: Index = (2 * self.band + row - column) * self.size + column
        return found

    @cached_property
    def by_stencil(self) -> Index:
        """Of the entries of every difference, (m, m, n, order + 1)."""
        stencils = self.sites.stencils
        return self.places(np.broadcast_to(np.arange(self.sites.size)[:, None], stencils.shape), stencils)

    @cached_property
    def by_site(self) -> Index:
        """Of the entries at the sites themselves, (m, m, n)."""
        own = np.arange(self.sites.size)
        return self.places(own, own)
