"""The chain that joins elements: their condensed rows, each of which sees the states at two nodes, by reflections.

From left to right the numbers of every node are eliminated. What many rows may see stays to the end, a border: the
states that conditions tie together, and unknown constants. There conditions that are integrals join, for they see all:

    rows seen from the border   R w ~ t,     w = particular + basis f,     H f = v

States at nodes in between follow from their neighbours by least squares with those at both ends held; nothing is asked
of the directions in which modes grow or decay.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gated_xtfc import lapack
from gated_xtfc.types import Array


@dataclass(frozen=True)
class Link:
    """The rows of one element: what they say of the numbers of the node on its left, and the reflections."""

    orthogonal: Array  # (h, h)
    near: Array  # (w, w) the triangle of the node
    far: Array  # (w, ...) the columns of the next node ...
    border: Array  # (w, W) ... and of the border

    @property
    def width(self) -> int:
        return int(self.near.shape[0])


@dataclass(frozen=True)
class Chain:
    """Links from left to right, and the rows that are left of the last node and the border."""

    links: tuple[Link, ...]
    rest: Array  # (r, n) in the last node's numbers and the border's
    height: int  # rows of an element

    @classmethod
    def of(cls, near: Sequence[Array], far: Sequence[Array], border: Sequence[Array]) -> "Chain":
        """From the columns of the rows of every element, in the numbers of its nodes and of the border."""
        links, height = [], near[0].shape[0]
        carried = np.zeros((0, near[0].shape[1] + border[0].shape[1]))
        for left, right, beside in zip(near, far, border, strict=True):
            width, beyond = left.shape[1], right.shape[1]
            block = np.zeros((carried.shape[0] + height, width + beyond + beside.shape[1]))
            block[: carried.shape[0], :width] = carried[:, :width]
            block[: carried.shape[0], width + beyond :] = carried[:, width:]
            block[carried.shape[0] :] = np.hstack([left, right, beside])
            orthogonal, upper = np.linalg.qr(block, mode="complete")
            own = upper[:width]
            link = Link(orthogonal, own[:, :width], own[:, width : width + beyond], own[:, width + beyond :])
            links.append(link)
            carried = upper[width : min(upper.shape), width:]
        return cls(tuple(links), carried, height)

    def forward(self, right: Array) -> tuple[list[Array], Array]:
        """Right sides (K, height) turned: those of every node's triangle, and of the rest."""
        found, carried = [], np.zeros(0)
        for link, own in zip(self.links, right, strict=True):
            turned = np.concatenate([carried, own]) @ link.orthogonal
            kept = link.far.shape[1] + link.border.shape[1]
            found.append(turned[: link.width])
            carried = turned[link.width : link.width + min(kept, turned.size - link.width)]
        return found, carried

    def backward(self, turned: Sequence[Array], last: Array, border: Array) -> list[Array]:
        """The numbers of every node, from what is known at the end."""
        found = [last]
        for link, right in zip(self.links[::-1], turned[::-1], strict=True):
            found.append(solved(link.near, right - link.far @ found[-1] - link.border @ border))
        return found[::-1]

    def reduced(self, nodes: Sequence[Array], border: Array) -> tuple[list[Array], Array]:
        """Functionals (n, w) of the numbers of every node and of the border (n, W), as functionals of what is turned.

        The second part is what they are of the rest.
        """
        found, here = [], nodes[0]
        for link, following in zip(self.links, nodes[1:], strict=True):
            own = solved(link.near, here.T, trans=1).T
            found.append(own)
            here, border = following - own @ link.far, border - own @ link.border
        return found, np.hstack([here, border])

    def adjoint(self, turned: Sequence[Array], rest: Array) -> Array:
        """What functionals of turned right sides are of the right sides themselves, (K, n, height)."""
        found, carried = np.empty((len(self.links), rest.shape[0], self.height)), rest
        for k in range(len(self.links) - 1, -1, -1):
            orthogonal, own = self.links[k].orthogonal, np.hstack([turned[k], carried])
            back = own @ orthogonal[:, : own.shape[1]].T
            found[k] = back[:, back.shape[1] - self.height :]
            carried = back[:, : back.shape[1] - self.height]
        return found


@dataclass(frozen=True)
class Ending:
    """The numbers f of the border that are left free: f = from_rows t + from_values v."""

    from_rows: Array  # (f, r)
    from_values: Array  # (f, I)

    @classmethod
    def of(cls, rows: Array, held: Array) -> "Ending":
        """The least squares of `rows` f ~ t among those with `held` f = v.

        Units of constants may be anything: columns are brought to one size, by powers of two.
        """
        count, sizes = held.shape[0], np.abs(np.concatenate([rows, held])).max(axis=0)
        units = np.ldexp(1.0, -np.frexp(np.where(sizes > 0.0, sizes, 1.0))[1])
        rows, held = rows * units, held * units
        orthogonal, upper = np.linalg.qr(held.T, mode="complete")
        values = orthogonal[:, :count] @ solved(upper[:count], np.eye(count), trans=1) if count else held.T
        free = orthogonal[:, count:]
        q, r = np.linalg.qr(rows @ free)
        inverse = free @ solved(r, q.T)
        return cls(units[:, None] * inverse, units[:, None] * (values - inverse @ (rows @ values)))


def solved(upper: Array, right: Array, trans: int = 0) -> Array:
    """The solution of R x = right, or of the transposed system, with an upper triangle."""
    if not upper.size:
        return np.zeros(right.shape)
    if upper.shape[0] != upper.shape[1]:
        raise np.linalg.LinAlgError("fewer rows than numbers")
    found, singular = lapack.dtrtrs(upper, right, trans=trans)
    if singular:
        raise np.linalg.LinAlgError("the joined rows are singular")
    answer: Array = found
    return answer
