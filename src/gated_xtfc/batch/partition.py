"""A partition that gates define, one for every member: elements between cuts, in closed form.

An exponential layer of thickness d at an end has cuts at fixed multiples of d. A gate inside, or one with algebraic
tails, has a core of such cuts, as a Gaussian of that width needs them, and from there on cuts that widen by a factor,
up to the middle between two gates. How many elements there are is the same for all members of a group; where they are
is not. A cut is known as anchor + offset, so that distances from a layer keep their digits however thin it is.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from gated_xtfc.batch.backend import Numbers, jnp
from gated_xtfc.discretise.partition import DECAY

LADDER = np.array(DECAY)  # cuts of an exponential layer, in thicknesses
REACH = float(LADDER[-1])  # continuity of u' amplifies what a layer's tail leaves by 1/d: it must be followed so far
SHARE = 0.3  # of a piece that the cuts of one of two layers may take
CORE = np.array([0.0, 1.35, 2.8, 4.5, 7.5])  # cuts of a Gaussian-like layer, in thicknesses: about equal errors
CORE_END = float(CORE[-1])
WIDENING = 2.5  # of elements beyond the core, one to the next
STEP = np.array([0.0, 1.0, 2.1, 3.7, 7.0, 18.0])  # cuts beside a step like tanh, in its thicknesses
BARE, EXPONENTIAL, GRADED, STEEP = range(4)  # kinds of gates, the first three at an end
LADDERS = {EXPONENTIAL: LADDER, STEEP: STEP}


class Gates(NamedTuple):
    """Where the layers of every member are, and how thick; all (..., B)."""

    left: Numbers  # thickness of the layer at the left end, infinite where there is none, (B,)
    right: Numbers
    locations: Numbers  # of those inside, from left to right, (m, B)
    thicknesses: Numbers  # (m, B)


@dataclass(frozen=True)
class PartitionStructure:
    """What the partitions of a group of members have in common: only this decides on the shapes of arrays."""

    left: int  # kind of the gate at the left end
    right: int
    inside: int = 0  # gates inside
    tail: int = 2  # elements of a graded gate beyond its core
    outer: int = 2  # elements between layers
    halvings: int = 0  # of every element
    inner: int = GRADED  # kind of the gates inside

    @property
    def elements(self) -> int:
        return self.pieces()[-1] << self.halvings

    def pieces(self) -> tuple[int, ...]:
        """How many elements there are up to the end of each piece between two anchors."""
        counts = [0]
        for left, right in self.sides():
            count = sum(len(LADDERS[kind]) - 1 for kind in (left, right) if kind in LADDERS)
            graded = (left == GRADED) + (right == GRADED)
            if graded:
                count += (len(CORE) - 1 + self.tail) * graded
            else:
                count += self.between(left, right)
            counts.append(counts[-1] + count)
        return tuple(counts)

    def between(self, left: int, right: int) -> int:
        """Elements beside or between layers; a piece without any has a few more."""
        return self.outer if left or right else 2 * self.outer

    def sides(self) -> tuple[tuple[int, int], ...]:
        """The kinds of gates at both ends of every piece."""
        kinds = [self.left, *[self.inner] * self.inside, self.right]
        return tuple(pairwise(kinds))


class Mesh(NamedTuple):
    """Elements from left to right, (K, B) each: they begin at anchor + offset and are `length` long."""

    anchor: Numbers
    offset: Numbers
    length: Numbers


def node_lengths(mesh: Mesh) -> Numbers:
    """The scale of slopes at each node, (K + 1, B): the shorter of the elements beside it."""
    length = mesh.length
    return jnp.concatenate([length[:1], jnp.minimum(length[:-1], length[1:]), length[-1:]])


def mesh(structure: PartitionStructure, gates: Gates, left: Numbers, right: Numbers) -> Mesh:
    """The partitions of all members, (K, B)."""
    zero = jnp.zeros_like(gates.left)
    anchors = [left + zero, *gates.locations, right + zero]
    inside = list(gates.thicknesses)
    begins, finishes = [gates.left, *inside], [*inside, gates.right]
    parts: list[Mesh] = []
    for (kind_left, kind_right), a, b, d, e in zip(
        structure.sides(), anchors[:-1], anchors[1:], begins, finishes, strict=True
    ):
        parts += _piece(structure, (kind_left, kind_right), (a, b), (d, e))
    whole = Mesh(*(jnp.concatenate(columns) for columns in zip(*parts, strict=True)))
    for _ in range(structure.halvings):
        whole = _halved(whole)
    return whole


def _piece(
    structure: PartitionStructure, kinds: tuple[int, int], ends: tuple[Numbers, Numbers], thick: tuple[Numbers, Numbers]
) -> list[Mesh]:
    """The elements between two anchors."""
    length = ends[1] - ends[0]
    most = SHARE if kinds[0] and kinds[1] else 2.0 * SHARE
    reach = [jnp.zeros_like(length)] * 2
    ladders: list[Numbers | None] = [None, None]
    for i in (0, 1):
        if kinds[i] in LADDERS:
            ladder = LADDERS[kinds[i]]
            cuts = ladder[:, None] * jnp.minimum(thick[i], most * length / ladder[-1])
            ladders[i], reach[i] = cuts, cuts[-1]
    room = length - reach[0] - reach[1]
    graded = [kind == GRADED for kind in kinds]
    parts = []
    if ladders[0] is not None:
        parts.append(_from(ends[0], ladders[0], 1.0))
    if not any(graded):
        even = reach[0] + room * np.linspace(0.0, 1.0, structure.between(*kinds) + 1)[:, None]
        parts.append(_from(ends[0], even, 1.0))
    else:
        share = 0.5 if all(graded) else 1.0
        if graded[0]:
            parts.append(_from(ends[0], _widening(thick[0], share * room, structure.tail), 1.0))
        if graded[1]:
            parts.append(_from(ends[1], _widening(thick[1], share * room, structure.tail), -1.0))
    if ladders[1] is not None:
        parts.append(_from(ends[1], ladders[1], -1.0))
    return parts


def _widening(thickness: Numbers, room: Numbers, tail: int) -> Numbers:
    """Cuts from a gate to the end of its room, (n, B)."""
    d = jnp.minimum(thickness, room / (2.0 * CORE_END))
    parts = np.linspace(0.0, 1.0, tail + 1)[1:-1, None]
    beyond = CORE_END * d * (room / (CORE_END * d)) ** parts
    return jnp.concatenate([CORE[:, None] * d, beyond, jnp.broadcast_to(room, d.shape)[None]])


def _from(anchor: Numbers, cuts: Numbers, side: float) -> Mesh:
    """Elements between cuts at distances from an anchor, to the right of it or to the left, from left to right."""
    lengths = cuts[1:] - cuts[:-1]
    offsets = cuts[:-1] if side > 0 else -cuts[1:][::-1]
    return Mesh(jnp.broadcast_to(anchor, lengths.shape), offsets, lengths if side > 0 else lengths[::-1])


def _halved(whole: Mesh) -> Mesh:
    half = 0.5 * whole.length
    pairs = ((whole.anchor, whole.anchor), (whole.offset, whole.offset + half), (half, half))
    return Mesh(*(jnp.stack(pair, axis=1).reshape(-1, half.shape[-1]) for pair in pairs))


def tail_elements(ratio: float) -> int:
    """Elements beyond the core of a graded gate whose room is so many thicknesses."""
    return max(2, int(np.ceil(np.log(max(ratio / CORE_END, 2.0)) / np.log(WIDENING))))
