"""Solutions of a group of members as piecewise polynomials, to be evaluated anywhere."""

from collections.abc import Iterable
from typing import NamedTuple

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

    @property
    def number(self) -> int:
        return 1

    @property
    def members(self) -> int:
        return int(self.bend.shape[-1])

    def __call__(self, x: Numbers, order: int = 0, field: int = 0) -> Numbers:
        """The derivative of that order, 0 to 2, at places (n, B) or (n, 1): (n, B). There is one field."""
        element, t = located(self.mesh, x)

        def pick(a: Numbers) -> Numbers:
            return jnp.take_along_axis(a, element, axis=0)

        t = jnp.where(pick(self.flip), 1.0 - t, t)
        rate = pick(signed(self.mesh, Orientation(self.flip, self.flip)))
        table = tables(self.bend.shape[0])
        series = jnp.asarray(table.series[2 - order])
        if x.shape[0] < self.bend.shape[1]:  # fewer places than elements: only where these are is a series made
            own = jnp.take_along_axis(self.bend, element[None], axis=1)
            found = at_places(jnp.einsum("ck,knB->cnB", series, own), t)
        else:
            found = at_element(jnp.einsum("ck,kEB->cEB", series, self.bend), element, t)
        if order == 0:
            return found + pick(self.data.start) + t * pick(self.data.slope)
        if order == 1:
            return (found + pick(self.data.slope)) / rate
        return found / rate**2


def located(mesh: Mesh, x: Numbers) -> tuple[Numbers, Numbers]:
    """The element that holds each place (n, B) or (n, 1), and the part of it that lies before the place, (n, B)."""
    x = jnp.broadcast_to(x, (x.shape[0], mesh.length.shape[-1]))
    ends = (x[None] - mesh.anchor[:-1, None]) - (mesh.offset + mesh.length)[:-1, None]
    element = (ends > 0.0).sum(0)
    anchor, offset, length = (jnp.take_along_axis(a, element, axis=0) for a in mesh)
    return element, ((x - anchor) - offset) / length


def at_element(series: Numbers, element: Numbers, t: Numbers) -> Numbers:
    """Legendre series (c, K, B) at t of the elements, (n, B)."""
    return at_places((jnp.take_along_axis(c, element, axis=0) for c in series), t)


def at_places(series: Iterable[Numbers], t: Numbers) -> Numbers:
    """Legendre series (c, n, B) at t of their elements, (n, B)."""
    own = list(series)
    pairs = zip(own, _legendre(2.0 * t - 1.0, len(own)), strict=True)
    return sum((c * p for c, p in pairs), jnp.zeros_like(t))


def _legendre(s: Numbers, count: int) -> list[Numbers]:
    found = [jnp.ones_like(s), s]
    for j in range(1, count - 1):
        found.append(((2 * j + 1) * s * found[j] - j * found[j - 1]) / (j + 1))
    return found[:count]
