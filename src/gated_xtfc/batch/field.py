"""Solutions of a group of members as piecewise polynomials, to be evaluated anywhere."""

from typing import NamedTuple

import numpy as np

from gated_xtfc.batch.backend import Numbers, jnp
from gated_xtfc.batch.condensed import ElementData, Orientation, signed
from gated_xtfc.batch.partition import Mesh
from gated_xtfc.batch.tables import tables


class PiecewiseFields(NamedTuple):
    """The solutions of B members."""

    mesh: Mesh
    flip: Numbers  # (K, B)
    data: ElementData
    bend: Numbers  # u_tt at the sites, (k, K, B)

    def __call__(self, x: Numbers, order: int = 0) -> Numbers:
        """The derivative of that order, 0 to 2, at places (n, B) or (n, 1): (n, B)."""
        mesh, members = self.mesh, self.bend.shape[-1]
        x = jnp.broadcast_to(x, (x.shape[0], members))
        ends = (x[None] - mesh.anchor[:-1, None]) - (mesh.offset + mesh.length)[:-1, None]
        element = (ends > 0.0).sum(0)  # (n, B)

        def pick(a: Numbers) -> Numbers:
            return jnp.take_along_axis(a, element, axis=0)

        flip, length = pick(self.flip), pick(mesh.length)
        t = ((x - pick(mesh.anchor)) - pick(mesh.offset)) / length
        t = jnp.where(flip, 1.0 - t, t)
        rate = pick(signed(mesh, Orientation(self.flip, self.flip)))
        table = tables(self.bend.shape[0])
        series = jnp.einsum("ck,kEB->cEB", jnp.asarray(table.series[2 - order]), self.bend)
        polynomials = _legendre(2.0 * t - 1.0, series.shape[0])
        found = sum((pick(c) * p for c, p in zip(series, polynomials, strict=True)), jnp.zeros_like(t))
        if order == 0:
            return found + pick(self.data.start) + t * pick(self.data.slope)
        if order == 1:
            return (found + pick(self.data.slope)) / rate
        return found / rate**2

    def nodes(self) -> Numbers:
        """Places at which solutions are well seen, (n, B): those of all sites."""
        t = np.linspace(0.0, 1.0, 9)[:, None, None]
        x = self.mesh.anchor + (self.mesh.offset + t * self.mesh.length)
        return jnp.moveaxis(x, 0, 1).reshape(-1, x.shape[-1])


def _legendre(s: Numbers, count: int) -> list[Numbers]:
    found = [jnp.ones_like(s), s]
    for j in range(1, count - 1):
        found.append(((2 * j + 1) * s * found[j] - j * found[j - 1]) / (j + 1))
    return found[:count]
