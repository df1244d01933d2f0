"""Banded matrices with conditions built in: raw[:, free] - raw[:, supports] @ couple, a window of entries a raw row.

The supports are columns that conditions have taken for themselves; `couple` says what of them goes with each free
column.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gated_xtfc.types import Array, Index


@dataclass(frozen=True)
class WindowedMatrix:
    """Such a matrix, (m, n), kept as the window of the free columns and the entries in the supports."""

    first: Index  # (m,) first column of each row
    values: Array  # (m, window)
    supports: Array  # (m, q) entries in the supports' columns
    couple: Array  # (q, n) what a unit of each column takes from the supports

    @classmethod
    def of(cls, first: Index, values: Array, pivots: Index, free: Index, couple: Array) -> "WindowedMatrix":
        """Windows over all kernels, turned into windows over the free ones: the supports' columns are taken out."""
        supports = np.zeros((first.size, pivots.size))
        kept = values.copy()
        shifted = first.copy()
        # from the right, so that the columns further left keep their numbers
        for k in range(pivots.size - 1, -1, -1):
            at = pivots[k] - shifted
            inside = np.flatnonzero((at >= 0) & (at < kept.shape[1]))
            supports[inside, k] = kept[inside, at[inside]]
            for i in np.unique(at[inside]):
                rows = inside[at[inside] == i]
                kept[rows, i:-1] = kept[rows, i + 1 :]
                kept[rows, -1] = 0.0
            shifted = np.where(at < 0, shifted - 1, shifted)
        return cls(shifted, kept, supports, couple)

    @property
    def size(self) -> int:
        return int(self.couple.shape[1])

    def __call__(self, rows: Index, start: int, stop: int) -> Array:
        """The dense piece of these rows in the columns start .. stop - 1, which hold all they have."""
        window = self.values.shape[1]
        dense = np.zeros((rows.size, stop - start + window))
        dense[np.arange(rows.size)[:, None], self.first[rows, None] - start + np.arange(window)] = self.values[rows]
        piece: Array = dense[:, : stop - start] - self.supports[rows] @ self.couple[:, start:stop]
        return piece

    def times(self, coefficients: Array) -> Array:
        """The matrix times coefficients (n, r)."""
        padded = np.vstack([coefficients, np.zeros((self.values.shape[1], coefficients.shape[1]))])
        band = np.einsum("ij,ijk->ik", self.values, padded[self.first[:, None] + np.arange(self.values.shape[1])])
        result: Array = band - self.supports @ (self.couple @ coefficients)
        return result

    def left_times(self, rows: Array) -> Array:
        """Rows (p, m) times the matrix, (p, n)."""
        at = self._columns.ravel()
        band = [np.bincount(at, (self.values * row[:, None]).ravel(), minlength=self.size)[: self.size] for row in rows]
        result: Array = np.array(band).reshape(-1, self.size) - (rows @ self.supports) @ self.couple
        return result

    def ranges(self) -> tuple[Index, Index]:
        """First and one past the last column of every row, with what the supports bring in."""
        low = np.minimum(self.first, self.size - 1)
        high = np.minimum(self.first + self.values.shape[1], self.size)
        for k in range(self.couple.shape[0]):
            touched = np.flatnonzero(self.supports[:, k])
            reached = np.flatnonzero(self.couple[k])
            if touched.size and reached.size:
                low[touched] = np.minimum(low[touched], reached[0])
                high[touched] = np.maximum(high[touched], reached[-1] + 1)
        return low, high

    @cached_property
    def _columns(self) -> Index:
        result: Index = self.first[:, None] + np.arange(self.values.shape[1])
        return result

    def norms(self) -> Array:
        """Lengths of the columns, those of empty ones set to one, (n,)."""
        squares = np.bincount(self._columns.ravel(), (self.values**2).ravel(), minlength=self.size)[: self.size]
        result: Array = np.sqrt(squares)
        result[result == 0.0] = 1.0
        return result
