"""A table of the coordinate in a batch: the polynomial of the piece that a place is in, of every member.

In an element that is the piece of its middle, for elements are cut where pieces join.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from gated_xtfc.batch.backend import Numbers, jnp
from gated_xtfc.language.table import TableFunction
from gated_xtfc.types import Array

OWN_ENDS = {"linear": 1, "spline": 2}  # knots at each end at which no values make it less than smooth


@dataclass(frozen=True)
class Lookup:
    """A table, with values of each member's own where these vary."""

    table: TableFunction
    values: Numbers | None = None  # (knots, B)

    def __call__(self, anchor: Numbers, offset: Numbers, order: int) -> Numbers:
        """The derivative of that order at anchor + offset, (K, B) and (n, K, B) for sites of elements."""
        anchor, offset = jnp.asarray(anchor, dtype=float), jnp.asarray(offset, dtype=float)
        of_elements = offset.ndim == anchor.ndim + 1 == 3
        middle = offset.mean(0) if of_elements else offset
        knots = self.table.knots
        inner = knots[1:-1].reshape(-1, *[1] * max(anchor.ndim, middle.ndim))
        piece = ((anchor - inner) + middle >= 0.0).sum(0)
        distance = (anchor - jnp.asarray(knots)[piece]) + offset
        rows = [_taken(row, piece) for row in self._coefficients(order)]
        found = rows[-1] + jnp.zeros_like(distance)
        for row in rows[-2::-1]:
            found = found * distance + row
        return found

    def _coefficients(self, order: int) -> Iterable[Numbers]:
        """Of the powers of the distance, (pieces,) each, or (pieces, B)."""
        if self.values is None:
            return [jnp.asarray(row) for row in self.table.coefficients(order)]
        if self.table.kind == "linear":
            slope = jnp.diff(self.values, axis=0) / np.diff(self.table.knots)[:, None]
            return [self.values[:-1], slope][order:] or [0.0 * slope]
        # a spline is linear in its values
        units: list[Array] = [
            replace(self.table, y=tuple(unit)).coefficients(order) for unit in np.eye(len(self.table.x)).tolist()
        ]
        found: Iterable[Numbers] = jnp.einsum("tpk,kB->tpB", np.stack(units, axis=-1), self.values)
        return found


def joints(table: TableFunction, varies: bool) -> tuple[float, ...]:
    """Where two pieces of it may join less than smoothly."""
    own = OWN_ENDS[table.kind]
    return table.x[own:-own] if varies else table.breaks


def _taken(row: Numbers, piece: Numbers) -> Numbers:
    """The entries for these pieces."""
    if row.ndim == 1:
        return row[piece]
    members = row.shape[-1]
    each = jnp.broadcast_to(piece, (*piece.shape[:-1], members)) if piece.ndim else jnp.broadcast_to(piece, (members,))
    return jnp.take_along_axis(row, each.reshape(-1, members), axis=0).reshape(each.shape)
