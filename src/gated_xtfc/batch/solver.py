"""A group of members solved at once: partition, rows, elimination, certificate. A pure function of the parameters."""

from typing import NamedTuple, Protocol

import numpy as np

from gated_xtfc.batch.backend import Numbers, jax, jnp
from gated_xtfc.batch.certificate import estimate
from gated_xtfc.batch.condensed import (
    ElementSystem,
    Right,
    element_data,
    factorised,
    joined,
    oriented,
    places,
    scaled,
    signed,
    solve,
    with_conditions,
)
from gated_xtfc.batch.cuts import cut_at_joints
from gated_xtfc.batch.family import ArrayFamily, Parameters
from gated_xtfc.batch.field import PiecewiseFields
from gated_xtfc.batch.partition import Gates, Mesh, PartitionStructure, mesh, node_lengths
from gated_xtfc.batch.tables import tables
from gated_xtfc.types import Array

INSIDE = 1e-11  # of an element


class Fields(Protocol):
    """Solutions of B members, to be evaluated anywhere."""

    @property
    def number(self) -> int: ...

    @property
    def members(self) -> int: ...

    def __call__(self, x: Numbers, order: int = 0, field: int = 0) -> Numbers: ...


class Solved(NamedTuple):
    """The solutions of B members with the estimated error of each, relative to max|u|, (B,)."""

    fields: Fields
    error: Numbers

    def values(self, x: Numbers, order: int = 0) -> Numbers:
        """Of all fields, (F, n, B)."""
        return jnp.stack([self.fields(x, order, number) for number in range(self.fields.number)])


def solve_group(
    family: ArrayFamily,
    structure: PartitionStructure,
    sites: int,
    parameters: Parameters,
    gates: Gates,
    derivatives: int = 0,
) -> Solved:
    """All members, (B,) each parameter, on partitions of one structure; gradients stop at the partition."""
    cut = partition_of(family, structure, parameters, gates)
    elements, members = cut.length.shape
    table = tables(sites)
    middle = family.coefficients(parameters, cut.anchor, cut.offset + 0.5 * cut.length)
    orientation = jax.lax.stop_gradient(oriented(middle, cut))
    length = signed(cut, orientation)

    def rows(t: Array) -> tuple[Numbers, ...]:
        # where the equation switches, a place just inside of the element stands for its end
        inside = np.maximum(t, INSIDE) if family.switches else t
        operator = family.coefficients(parameters, *places(cut, orientation, inside))
        return scaled(operator, length, (len(t), elements, members))

    system, source, values = assembled(family, parameters, cut, rows(table.sites))
    held = jax.lax.stop_gradient(system)
    nothing = jnp.zeros((elements, members))
    right = Right(source, nothing, nothing, values)
    if derivatives:
        factor = factorised(held, orientation, family.coupled)
        unknowns = solve(system, orientation, right, factor)
    else:
        factor = factorised(held, orientation, family.coupled, source, last=True)
        unknowns = joined(factor, system, orientation, right, factor.local.particular)
    fields = PiecewiseFields(cut, orientation.flip, element_data(unknowns, system, orientation), unknowns.bend)
    checks, found = jax.lax.stop_gradient((rows(table.checks), unknowns))
    error, scale = estimate(factor, held, orientation, found, checks, family.bare.turns)
    return Solved(fields, error / jnp.where(scale > 0.0, scale, 1.0))


def assembled(
    family: ArrayFamily, parameters: Parameters, cut: Mesh, rows: tuple[Numbers, ...]
) -> tuple[ElementSystem, Numbers, Numbers]:
    """The linear equations of all members with right sides at the sites and of the conditions."""
    second, first, zeroth, source = rows
    nodes = node_lengths(cut)
    weights, values = with_conditions(family.boundary(parameters, cut.length.shape[-1]), nodes)
    if not family.coupled and family.sides[0][0]:
        weights, values = weights[::-1], values[::-1]  # the one at the left end comes first
    return (
        ElementSystem(second, first, zeroth, cut.length / nodes[:-1], cut.length / nodes[1:], weights),
        source,
        values,
    )


def partition_of(family: ArrayFamily, structure: PartitionStructure, parameters: Parameters, gates: Gates) -> Mesh:
    """The partitions of all members, held, but for the ends of the domain where these are parameters."""
    left, right = (jnp.broadcast_to(end, gates.left.shape) for end in family.interval(parameters))
    gates = completed(gates, structure.inside, left, right)
    cut = mesh(structure, jax.lax.stop_gradient(gates), *jax.lax.stop_gradient((left, right)))
    cut = cut_at_joints(cut, family, structure, jax.lax.stop_gradient(dict(parameters)))
    return _following(cut, left, right) if family.moving_ends else jax.lax.stop_gradient(cut)


def completed(gates: Gates, count: int, left: Numbers, right: Numbers) -> Gates:
    """So many gates inside; where a member has fewer, wide ones between its last one and the right end."""
    thick, places = gates.thicknesses[:count], gates.locations[:count]
    there = jnp.isfinite(thick)
    number = there.sum(0)
    last = jnp.max(jnp.where(there, places, left), axis=0, initial=-jnp.inf) if count else left
    more = jnp.arange(count)[:, None] - number + 1.0
    spare = last + (right - last) * more / (count - number + 1.0)
    return gates._replace(locations=jnp.where(there, places, spare), thicknesses=thick)


def _following(cut: Mesh, left: Numbers, right: Numbers) -> Mesh:
    """The partition as it is, but moving with the ends where these are differentiated: in proportion."""
    a, b, whole = jax.lax.stop_gradient((left, right, right - left))
    first, last = left - a, right - b  # zero, with derivatives
    held = jax.lax.stop_gradient(cut)
    along = (held.anchor - a) / whole
    stretch = (last - first) / whole
    return Mesh(
        held.anchor + first + along * (last - first), held.offset * (1.0 + stretch), held.length * (1.0 + stretch)
    )
