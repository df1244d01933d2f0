"""Where the gates of every member go before anything is solved, from the operator and the text as on the line.

Members whose partitions can have the same structure make a group; the number that says which is the `code`.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gated_xtfc.batch.backend import Numbers, jnp
from gated_xtfc.batch.family import ArrayFamily, Coefficients, Parameters
from gated_xtfc.batch.features import SAMPLES, TextFeatures, features
from gated_xtfc.batch.partition import BARE, EXPONENTIAL, GRADED, Gates, PartitionStructure, tail_elements
from gated_xtfc.batch.symbol import (
    DISTANCES,
    decay_rate,
    fastest,
    lags,
    layer_inside,
    roots_at,
    thickness,
    turning_points,
    wave_number,
)
from gated_xtfc.operator.symbol import oscillates

INSIDE = 4  # gates inside that a structure can have
WIDE = 0.2  # of the domain: a feature as thick as that needs no gate
WIDE_TURNING = 0.5  # nor does a layer at a turning point
BESIDE = 0.5  # elements of a graded gate are about as long as this part of the distance from it
RESOLVED = 1.2  # a gate whose elements are no longer than this beside another one's layer resolves that one too
SAME = 1e-12  # of the domain: breaks so close are one
RADIANS = 4.0  # of a wave that an element resolves
MOST_OUTER = 6  # halvings of the domain for the sake of waves
ODD = -1  # the code of members that are solved one by one


class GatesSeen(NamedTuple):
    gates: Gates
    code: Numbers  # (B,)
    ratio: Numbers  # room over thickness of the gates that are graded, the largest, (B,)


def look(family: ArrayFamily, parameters: Parameters, members: int) -> GatesSeen:
    """The gates of all members, (B,) each parameter."""
    left, right = (jnp.atleast_1d(end) for end in family.interval(parameters))
    seen = features(family, parameters, left, right, members)
    of_operator = _of_operator if family.plain else _of_modes
    ends, places, thin, waves, odd = of_operator(family, parameters, left, right, seen)
    left, right = (jnp.broadcast_to(end, (members,)) for end in (left, right))
    length = right - left
    locations = jnp.concatenate([places, seen.places])
    thick = jnp.concatenate([thin, seen.thicknesses])
    forced = np.concatenate([np.zeros(len(places), dtype=bool), seen.breaks])
    odd |= seen.odd | (length <= 0.0)
    (d_left, graded_left), (d_right, graded_right) = ends
    for d in (d_left, d_right):
        odd |= d <= 2.0 * DISTANCES[-1] * length  # thinner than was looked for
    if forced.any():
        # where coefficients jump, the modes on either side can make a layer
        room = jnp.minimum(locations - left, right - locations)[forced]
        beside = layer_inside(family, parameters, locations[forced], jnp.where(room > 0.0, room, length))
        thick = thick.at[np.flatnonzero(forced)].set(jnp.where(jnp.isfinite(thick[forced]), beside, jnp.inf))
    d_left, d_right = jnp.minimum(d_left, seen.left), jnp.minimum(d_right, seen.right)
    wide = np.where(np.arange(len(forced)) < len(places), WIDE_TURNING, WIDE)[:, None] * length
    switching = jnp.isfinite(jnp.concatenate([thin, seen.thicknesses])) & forced[:, None]
    there = (thick < wide) | switching
    locations, thick, near = _merged(locations, jnp.minimum(thick, wide), there, forced, left, right)
    d_left, graded_left = _joined(d_left, graded_left, jnp.minimum(seen.graded_left, near[0]), length)
    d_right, graded_right = _joined(d_right, graded_right, jnp.minimum(seen.graded_right, near[1]), length)
    there = jnp.isfinite(thick)
    count = there.sum(0)
    odd |= count > INSIDE
    order = jnp.argsort(jnp.where(there, locations, jnp.inf), axis=0)[:INSIDE]
    locations, thick, there = (jnp.take_along_axis(a, order, axis=0) for a in (locations, thick, there))
    kinds = [
        jnp.where(d < WIDE * length, jnp.where(graded, GRADED, EXPONENTIAL), BARE)
        for d, graded in ((d_left, graded_left), (d_right, graded_right))
    ]
    outer = jnp.maximum(jnp.ceil(jnp.log2(jnp.maximum(waves, 1.0) / RADIANS)), 1.0).astype(int)
    odd |= outer > MOST_OUTER
    thinnest = jnp.min(jnp.where(there, thick, jnp.inf), axis=0, initial=jnp.inf)
    for d, kind in zip((d_left, d_right), kinds, strict=True):
        thinnest = jnp.minimum(thinnest, jnp.where(kind == GRADED, d, jnp.inf))
    code = kinds[0] + 3 * (kinds[1] + 3 * (count + (INSIDE + 1) * outer))
    gates = Gates(d_left, d_right, locations, thick)
    return GatesSeen(gates, jnp.where(odd, ODD, code), length / thinnest)


def structure_of(family: ArrayFamily, code: int, ratio: float) -> PartitionStructure:
    """What a code means, for gates whose room is at most so many thicknesses."""
    left, rest = code % 3, code // 3
    right, rest = rest % 3, rest // 3
    inside, outer = rest % (INSIDE + 1), (3 if family.varies else 2) << (rest // (INSIDE + 1) - 1)
    tail = tail_elements(0.5 * ratio) * max(1, outer // (2 * (inside + 1)))
    return PartitionStructure(left, right, inside, tail, outer)


def covering(structures: Sequence[PartitionStructure]) -> PartitionStructure:
    """One structure on which members of all of these can be solved."""
    names = ("left", "right", "inside", "tail", "outer", "inner")
    return PartitionStructure(**{name: max(getattr(one, name) for one in structures) for name in names})


def _of_operator(
    family: ArrayFamily, parameters: Parameters, left: Numbers, right: Numbers, seen: TextFeatures
) -> tuple[list[tuple[Numbers, Numbers]], Numbers, Numbers, Numbers, Numbers]:
    """Layers at both ends, places inside with the thickness of layers there, waves, and what is odd."""
    members, length = seen.odd.shape[0], right - left
    count, near = SAMPLES.size, DISTANCES.size
    inward = length * DISTANCES[:, None]
    some = length.shape[0]  # one where all members share the domain
    anchor = jnp.concatenate([jnp.broadcast_to(left, (count + near, some)), jnp.broadcast_to(right, inward.shape)])
    offset = jnp.concatenate([length * SAMPLES[:, None], inward, -inward])
    operator = Coefficients(
        *(jnp.broadcast_to(a, (len(offset), members)) for a in family.coefficients(parameters, anchor, offset))
    )
    odd = ~jnp.isfinite(sum(operator)).all(0) | (operator.second == 0.0).any(0)
    odd |= (jnp.sign(operator.second) != jnp.sign(operator.second[:1])).any(0)
    ends = []
    for side, start in ((1.0, count), (-1.0, count + near)):
        part = Coefficients(*(a[start : start + near] for a in operator))
        ends.append(thickness(decay_rate(part, side), length))
    inside = Coefficients(*(a[:count] for a in operator))
    waves = jnp.maximum(seen.waves, wave_number(inside).max(0) * length)
    empty = jnp.zeros((0, members))
    if not family.turns:
        return ends, empty, empty, waves, odd
    x = left + length * SAMPLES[:, None]
    places, there, number = turning_points(family, parameters, x, inside)
    odd |= number > 2
    room = 2.0 * jnp.minimum(places - left, right - places)
    found = layer_inside(family, parameters, places, room)
    return ends, places, jnp.where(there, found, jnp.inf), waves, odd


def _of_modes(
    family: ArrayFamily, parameters: Parameters, left: Numbers, right: Numbers, seen: TextFeatures
) -> tuple[list[tuple[Numbers, Numbers]], Numbers, Numbers, Numbers, Numbers]:
    """The same for other linear equations: layers at both ends, graded where modes of several rates decay there."""
    members, length = seen.odd.shape[0], right - left

    inside = roots_at(family, parameters, left, length * SAMPLES[:, None])
    waves = jnp.where(oscillates(inside), jnp.abs(inside.imag), 0.0).max(0)
    finite = jnp.isfinite(inside).all(0)
    if inside.ndim > 2:
        waves, finite = waves.max(0), finite.all(0)
    odd = jnp.broadcast_to(~finite, (members,)) | seen.odd
    ends = []
    for side, place in ((1.0, left), (-1.0, right)):
        found = roots_at(family, parameters, place, side * length * DISTANCES[:, None])
        rate = jnp.broadcast_to(fastest(found, side), (DISTANCES.size, members))
        thin, quickens = thickness(rate, jnp.broadcast_to(length, (members,)))
        close = found[:, -1] if found.ndim > 2 else found
        ends.append((thin, quickens | jnp.broadcast_to(lags(close, side, length), (members,))))
    empty = jnp.zeros((0, members))
    return ends, empty, empty, jnp.maximum(seen.waves, waves * length), odd


def _joined(d: Numbers, graded: Numbers, other: Numbers, length: Numbers) -> tuple[Numbers, Numbers]:
    """An end's layer with one of algebraic tails: graded from the thinner on where the other counts."""
    counts = other < WIDE * length
    return jnp.minimum(d, jnp.where(counts, other, jnp.inf)), graded | counts


def _merged(
    locations: Numbers, thick: Numbers, there: Numbers, forced: Numbers, left: Numbers, right: Numbers
) -> tuple[Numbers, Numbers, tuple[Numbers, Numbers]]:
    """Gates without those that another one resolves; those at an end become the end's. Breaks stay."""
    length = right - left
    number = locations.shape[0]
    there &= ((locations > left) & (locations < right)) | ~forced[:, None]
    none = jnp.full(left.shape, jnp.inf)
    ends = []
    for at in (left, right):
        close = there & ~forced[:, None] & (jnp.abs(locations - at) < thick)
        ends.append(jnp.min(jnp.where(close, thick, jnp.inf), axis=0, initial=jnp.inf) if number else none)
        there &= ~close
    if number < 2:
        return locations, jnp.where(there, thick, jnp.inf), (ends[0], ends[1])
    # every gate i beside every gate j, (m, m, B)
    distance = jnp.abs(locations[:, None] - locations[None])
    both = there[:, None] & there[None]
    before = np.triu(np.ones((number, number), dtype=bool), 1)[:, :, None]
    first, second = forced[:, None, None], forced[None, :, None]
    lends = both & first & ~second & (distance < thick[None])  # to a break, what is near gives its thickness
    thinner = (thick[:, None] < thick[None]) | ((thick[:, None] == thick[None]) & before)
    resolves = jnp.maximum(thick[:, None], BESIDE * distance) <= RESOLVED * thick[None]
    drops = lends | (both & ~first & ~second & thinner & resolves)
    drops |= both & first & second & before & (distance <= SAME * length)
    thick = jnp.minimum(thick, jnp.where(lends, thick[None], jnp.inf).min(1))
    return locations, jnp.where(there & ~drops.any(0), thick, jnp.inf), (ends[0], ends[1])
