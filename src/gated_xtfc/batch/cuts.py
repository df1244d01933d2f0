"""More cuts of a partition: where tables join less than smoothly, and beside these places."""

import numpy as np

from gated_xtfc.batch.backend import Numbers, jnp
from gated_xtfc.batch.family import ArrayFamily, Parameters
from gated_xtfc.batch.partition import Mesh, PartitionStructure
from gated_xtfc.batch.symbol import layer_inside

BESIDE = np.array([2.0, 6.0, 18.0])  # thicknesses of the layer at a joint, at which elements beside it are cut
SHARES = np.array([0.1, 0.2, 0.4])  # of the way to the next joint, which these cuts may take
TOUCHING = 1e-9  # an element so much shorter than the next one is a place that is cut twice


def cut_at_joints(whole: Mesh, family: ArrayFamily, structure: PartitionStructure, parameters: Parameters) -> Mesh:
    """The partition with elements cut where tables join, and refined ones also at the layers that these make."""
    if not family.joints:
        return whole
    members = whole.length.shape[-1]
    at = jnp.broadcast_to(np.array(family.joints)[:, None], (len(family.joints), members))
    if not (structure.halvings and family.linear):
        return with_cuts(whole, at, jnp.zeros_like(at))
    left, right = (jnp.broadcast_to(end, (members,)) for end in family.interval(parameters))
    ways = jnp.diff(jnp.concatenate([left[None], at, right[None]]), axis=0)
    before, behind = ways[:-1], ways[1:]
    thick = layer_inside(family, parameters, at, jnp.minimum(before, behind))
    beside = [
        side * jnp.minimum(steps * thick, share * way)
        for side, way, order in ((-1.0, before, -1), (1.0, behind, 1))
        for steps, share in zip(BESIDE[::order], SHARES[::order], strict=True)
    ]
    offsets = jnp.stack([*beside[:3], jnp.zeros_like(at), *beside[3:]], axis=1)  # (n, 7, B), from left to right
    anchors = jnp.broadcast_to(at[:, None], offsets.shape)
    return with_cuts(whole, anchors.reshape(-1, members), offsets.reshape(-1, members))


def with_cuts(whole: Mesh, anchors: Numbers, offsets: Numbers) -> Mesh:
    """The partition with more cuts, (n, B) at anchor + offset, from left to right."""
    count, extra = whole.length.shape[0], anchors.shape[0]
    distance = (whole.anchor - anchors[:, None]) + (whole.offset - offsets[:, None])  # (n, K, B)
    ranks = (distance <= 0.0).sum(1) + np.arange(extra)[:, None]
    slots = np.arange(count + extra)[:, None]
    new = (slots[:, None] == ranks).any(1)  # (K + n, B)
    which = jnp.where(new, count + jnp.cumsum(new, axis=0) - 1, jnp.cumsum(~new, axis=0) - 1)

    def merged(old: Numbers, more: Numbers) -> Numbers:
        return jnp.take_along_axis(jnp.concatenate([old, more]), which, axis=0)

    anchor, offset = merged(whole.anchor, anchors), merged(whole.offset, offsets)
    end = whole.offset[-1:] + whole.length[-1:]

    def lengths(offset: Numbers) -> Numbers:
        ends = jnp.concatenate([anchor[1:], whole.anchor[-1:]]), jnp.concatenate([offset[1:], end])
        return (ends[0] - anchor) + (ends[1] - offset)

    # a cut that meets another one divides the element behind them instead
    length = lengths(offset)
    ahead = jnp.concatenate([length[1:], jnp.zeros_like(length[:1])])
    either = new | jnp.concatenate([new[1:], jnp.zeros_like(new[:1])])
    touching = (length <= TOUCHING * ahead) & either
    moves = jnp.concatenate([jnp.zeros_like(touching[:1]), touching[:-1]])
    offset = jnp.where(moves, offset + 0.5 * length, offset)
    return Mesh(anchor, offset, lengths(offset))
