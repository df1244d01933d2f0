"""Collocation condensed element by element: sigma = u_tt at Radau sites, joined by a chain of rotations.

In an element with t from 0 to 1 the unknowns are sigma at the sites; u_t is integrated from the end towards which the
fast mode grows, u from the other end, which is a site. These are equations of the second kind, of condition 1e2 however
thin the layers are: elimination needs no pivoting. Two relations an element between u and u_t at its ends remain, and
one orthogonal elimination of a 3 x 2 block each solves them. Arrays have the members last: (k, K, B) for k sites in
each of K elements of B members.
"""

from typing import Any, NamedTuple

from gated_xtfc.batch.backend import Numbers, jax, jnp
from gated_xtfc.batch.chain import Chain, Relations, chain_solve, chained, responses
from gated_xtfc.batch.elimination import Inverse, divided, eliminated, inverted
from gated_xtfc.batch.family import Coefficients, Conditions
from gated_xtfc.batch.fused import fused, fusible
from gated_xtfc.batch.partition import Mesh
from gated_xtfc.batch.tables import tables


class Orientation(NamedTuple):
    """How each element is walked, (K, B): from its right end where `flip`; `late` where u_t is given at t = 1.

    Oscillating elements take both data at t = 0: given at two ends, they could resonate.
    """

    flip: Numbers
    late: Numbers


class Unknowns(NamedTuple):
    """u and u' times the node's length at the nodes, (K + 1, B), and u_tt at the sites, (k, K, B)."""

    value: Numbers
    slope: Numbers
    bend: Numbers


class Right(NamedTuple):
    """Right sides of the equations at sites, (k, K, B), the two relations, (K, B), and the conditions, (2, B)."""

    sites: Numbers
    end: Numbers
    other: Numbers
    conditions: Numbers


class ElementSystem(NamedTuple):
    """The linear equations of all members; `second`, `first`, `zeroth` multiply u_tt, u_t, u, (k, K, B)."""

    second: Numbers
    first: Numbers
    zeroth: Numbers
    to_left: Numbers  # length of the element over that of its left node, (K, B)
    to_right: Numbers
    weights: Numbers  # of the conditions, for values and scaled slopes at the ends, (2, 4, B)


class ElementData(NamedTuple):
    """What determines the polynomial of each element beside sigma, (K, B): u and u_t at t = 0."""

    start: Numbers
    slope: Numbers


def column(a: Any) -> Numbers:
    """A vector of sites beside elements and members, (k, 1, 1)."""
    return jnp.asarray(a)[:, None, None]


def signed(mesh: Mesh, orientation: Orientation) -> Numbers:
    """dx/dt in each element."""
    return jnp.where(orientation.flip, -mesh.length, mesh.length)


def places(mesh: Mesh, orientation: Orientation, t: Any) -> tuple[Numbers, Numbers]:
    """Anchor (K, B) and offset (n, K, B) of t in each element."""
    start = jnp.where(orientation.flip, mesh.offset + mesh.length, mesh.offset)
    return mesh.anchor, start + signed(mesh, orientation) * column(t)


def scaled(operator: Coefficients, length: Numbers, shape: tuple[int, ...]) -> tuple[Numbers, ...]:
    """The operator in t, rows of size one."""
    parts = operator.second, operator.first * length, operator.zeroth * length**2, operator.source * length**2
    size = jax.lax.stop_gradient(jnp.abs(parts[0]) + jnp.abs(parts[1]) + jnp.abs(parts[2]))
    return tuple(jnp.broadcast_to(part / size, shape) for part in parts)


def oriented(operator: Coefficients, mesh: Mesh) -> Orientation:
    """From the operator in the middle of each element."""
    sign = jnp.sign(operator.second)
    drift, stiffness = operator.first * mesh.length * sign, operator.zeroth * mesh.length**2 * sign
    oscillates = 4.0 * stiffness * jnp.abs(operator.second) > drift**2
    shape = mesh.length.shape
    return Orientation(jnp.broadcast_to(drift > 0, shape), jnp.broadcast_to(~oscillates, shape))


def with_conditions(rows: Conditions, nodes: Numbers) -> tuple[Numbers, Numbers]:
    """Weights for scaled slopes and values of the conditions, each row of size one."""
    first, last = nodes[0], nodes[-1]
    one = jnp.ones_like(first)
    by = jnp.stack([one, 1.0 / first, one, 1.0 / last])
    weights = rows.weights * by
    size = jax.lax.stop_gradient(jnp.abs(weights).max(axis=1))
    return weights / size[:, None], rows.values / size


def element_data(unknowns: Unknowns, system: ElementSystem, orientation: Orientation) -> ElementData:
    """u and u_t at t = 0 of each element."""
    flip, late = orientation
    start = jnp.where(flip, unknowns.value[1:], unknowns.value[:-1])
    given, _ = _slopes(unknowns.slope, system, orientation)
    once, _ = tables(unknowns.bend.shape[0]).totals
    return ElementData(start, given - jnp.where(late, (column(once) * unknowns.bend).sum(0), 0.0))


def _slopes(slope: Numbers, system: ElementSystem, orientation: Orientation) -> tuple[Numbers, Numbers]:
    """u_t where it is given, and at the other end."""
    flip, late = orientation
    sign = jnp.where(flip, -1.0, 1.0)
    left, right = sign * system.to_left * slope[:-1], sign * system.to_right * slope[1:]
    on_left = flip == late
    return jnp.where(on_left, left, right), jnp.where(on_left, right, left)


def jets(data: ElementData, bend: Numbers, t: Any, at: Any) -> tuple[Numbers, Numbers, Numbers]:
    """u, u_t and u_tt at t, (n, K, B) each; `at` holds the tables of t."""
    value, once, twice = (jnp.einsum("nk,kEB->nEB", jnp.asarray(one), bend) for one in at)
    return data.start + column(t) * data.slope + twice, data.slope + once, value


def site_jets(data: ElementData, bend: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """The same at the sites."""
    table = tables(bend.shape[0])
    once, twice = (jnp.einsum("nk,kEB->nEB", jnp.asarray(one), bend) for one in table.integrals)
    return data.start + column(table.sites) * data.slope + twice, data.slope + once, bend


def apply(system: ElementSystem, orientation: Orientation, unknowns: Unknowns) -> Right:
    """The matrix times the unknowns."""
    flip, late = orientation
    data = element_data(unknowns, system, orientation)
    value, first, second = site_jets(data, unknowns.bend)
    sites = system.second * second + system.first * first + system.zeroth * value
    once, twice = ((column(one) * unknowns.bend).sum(0) for one in tables(unknowns.bend.shape[0]).totals)
    end = jnp.where(flip, unknowns.value[:-1], unknowns.value[1:])
    given, other = _slopes(unknowns.slope, system, orientation)
    ends = jnp.stack([unknowns.value[0], unknowns.slope[0], unknowns.value[-1], unknowns.slope[-1]])
    return Right(
        sites,
        end - data.start - data.slope - twice,
        other - given + jnp.where(late, once, -once),
        (system.weights * ends).sum(1),
    )


class LocalFactor(NamedTuple):
    """An element's matrix inverted or eliminated, and what is left of it for the chain."""

    inverse: Inverse | None  # None where no other right side was announced
    particular: Numbers  # sigma for the source alone, or for none at all where that was not given, (k, K, B)
    unit: Numbers  # sigma for a unit of residual at all sites, (k, K, B)
    by_value: Numbers  # sigma for a unit of u at t = 0, and of the given u_t, less the sign, (k, K, B)
    by_slope: Numbers
    to_end: Numbers  # weights of sigma in the two relations, (k, K, B)
    to_other: Numbers


def local_factor(
    system: ElementSystem, orientation: Orientation, source: Numbers | None, last: bool = False
) -> LocalFactor:
    """Of all elements; `last` where no right side will come but the one that is given."""
    k = system.second.shape[0]
    total, double = tables(k).totals
    late = orientation.late
    inverse = None
    if last and fusible(k, late.size):
        by_value, by_slope, unit, *rest = fused(system.second, system.first, system.zeroth, late, source)
    else:
        slope = system.first + system.zeroth * column(tables(k).sites)  # of the row, for a unit of u_t at t = 0
        inverse = _inverse(system, late, slope)
        several = [system.zeroth, slope, jnp.ones_like(slope), *([] if source is None else [source])]
        by_value, by_slope, unit, *rest = jnp.moveaxis(divided(inverse, jnp.stack(several, axis=1)), 1, 0)
    particular = rest[0] if rest else jnp.zeros_like(unit)
    to_end = column(double) - jnp.where(late, 1.0, 0.0) * column(total)
    return LocalFactor(
        inverse, particular, unit, by_value, by_slope, to_end, jnp.where(late, 1.0, -1.0) * column(total)
    )


def _inverse(system: ElementSystem, late: Numbers, slope: Numbers) -> Inverse:
    k = system.second.shape[0]
    once, twice = tables(k).integrals
    matrix = (
        jnp.eye(k)[:, :, None, None] * system.second[:, None]
        + once[:, :, None, None] * system.first[:, None]
        + twice[:, :, None, None] * system.zeroth[:, None]
        - jnp.where(late, slope, 0.0)[:, None] * column(tables(k).totals[0])
    )
    return inverted(matrix) if jax.default_backend() == "cpu" else eliminated(matrix)


def relations(factor: LocalFactor, system: ElementSystem, orientation: Orientation) -> Relations:
    """The two rows that each element leaves, of u, u' at its left node and at its right one, (K, B) each."""
    flip, late = orientation
    end_u, end_v = ((factor.to_end * one).sum(0) for one in (factor.by_value, factor.by_slope))
    other_u, other_v = ((factor.to_other * one).sum(0) for one in (factor.by_value, factor.by_slope))
    one, zero = jnp.ones_like(end_u), jnp.zeros_like(end_u)
    sign, on_left = jnp.where(flip, -1.0, 1.0), flip == late
    rows = []
    for at_end, at_start, given, other in (
        (one, end_u - 1.0, end_v - 1.0, zero),
        (zero, -other_u, -(1.0 + other_v), one),
    ):
        rows.append(
            (
                jnp.where(flip, at_end, at_start),
                sign * system.to_left * jnp.where(on_left, given, other),
                jnp.where(flip, at_start, at_end),
                sign * system.to_right * jnp.where(on_left, other, given),
            )
        )
    return rows[0], rows[1]


class CondensedFactor(NamedTuple):
    local: LocalFactor
    chain: Chain
    beside: Any  # where conditions tie both ends together: nodes for a unit of u at either end, and a 2 x 2 inverse


def factorised(
    system: ElementSystem, orientation: Orientation, coupled: bool, source: Numbers | None = None, last: bool = False
) -> CondensedFactor:
    """Everything that does not depend on the right side; a source that is known already is divided along with it.

    `last` says that no other one will come.
    """
    local = local_factor(system, orientation, source, last)
    rows = relations(local, system, orientation)
    if not coupled:
        return CondensedFactor(local, chained(rows, system.weights[0, :2]), None)
    # conditions that tie both ends together, or stand at one: u at both ends is found from them afterwards
    unit = _value_row(system)
    chain = chained(rows, unit)
    zero = jnp.zeros((system.to_left.shape[0], 2, system.to_left.shape[1]))
    ones = jnp.eye(2)[:, :, None] + jnp.zeros_like(unit[0])
    nodes = chain_solve(chain, zero, zero, ones[0], unit, ones[1])
    (a, b), (c, d) = conditions_of(system, *nodes)
    determinant = a * d - b * c
    return CondensedFactor(local, chain, (nodes, jnp.stack([jnp.stack([d, -b]), jnp.stack([-c, a])]) / determinant))


def _value_row(system: ElementSystem) -> Numbers:
    members = system.weights.shape[-1]
    return jnp.stack([jnp.ones(members), jnp.zeros(members)])


def conditions_of(system: ElementSystem, values: Numbers, slopes: Numbers) -> Numbers:
    """The conditions of m solutions by their nodes (K + 1, m, B): (2, m, B)."""
    ends = jnp.stack([values[0], slopes[0], values[-1], slopes[-1]])
    return (system.weights[:, :, None] * ends).sum(1)


def nodes_for(
    factor: CondensedFactor, system: ElementSystem, end: Numbers, other: Numbers, conditions: Numbers
) -> tuple[Numbers, Numbers]:
    """Values and slopes at the nodes, (K + 1, m, B), for right sides of the relations (K, m, B) and the conditions."""
    if factor.beside is None:
        return chain_solve(factor.chain, end, other, conditions[0], system.weights[1, 2:], conditions[1])
    nothing = jnp.zeros_like(conditions[0])
    row = _value_row(system)
    values, slopes = chain_solve(factor.chain, end, other, nothing, row, nothing)
    (unit_values, unit_slopes), inverse = factor.beside
    misfit = conditions - conditions_of(system, values, slopes)
    ends = (inverse[:, :, None] * misfit[None]).sum(1)  # u at both ends, (2, m, B)
    values = values + unit_values[:, :1] * ends[0] + unit_values[:, 1:] * ends[1]
    return values, slopes + unit_slopes[:, :1] * ends[0] + unit_slopes[:, 1:] * ends[1]


def responses_of(factor: CondensedFactor, system: ElementSystem, end: Numbers, other: Numbers) -> Numbers:
    """The largest |u| at any node for the right sides of the relations of one element alone, for each one, (K, B)."""
    if factor.beside is None:
        return responses(factor.chain, end, other, system.weights[1, 2:])
    elements, members = end.shape
    alone = jnp.eye(elements)[:, :, None]
    values, _ = nodes_for(
        factor, system, alone * end[:, None], alone * other[:, None], jnp.zeros((2, elements, members))
    )
    return jnp.abs(values).max(0)


def solve_with(factor: CondensedFactor, system: ElementSystem, orientation: Orientation, right: Right) -> Unknowns:
    """The unknowns for one right side."""
    particular = divided(factor.local.inverse, right.sites[:, None])[:, 0]
    return joined(factor, system, orientation, right, particular)


def joined(
    factor: CondensedFactor, system: ElementSystem, orientation: Orientation, right: Right, particular: Numbers
) -> Unknowns:
    """The unknowns from those that the source alone makes in every element."""
    local = factor.local
    end = right.end + (local.to_end * particular).sum(0)
    other = right.other - (local.to_other * particular).sum(0)
    values, slopes = nodes_for(factor, system, end[:, None], other[:, None], right.conditions[:, None])
    value, slope = values[:, 0], slopes[:, 0]
    start = jnp.where(orientation.flip, value[1:], value[:-1])
    given, _ = _slopes(slope, system, orientation)
    return Unknowns(value, slope, particular - local.by_value * start - local.by_slope * given)


def solve(system: ElementSystem, orientation: Orientation, right: Right, factor: CondensedFactor) -> Unknowns:
    """The unknowns, differentiated implicitly: forward, backward, and again.

    `factor` is that of the system held, without derivatives.
    """
    held = jax.lax.stop_gradient(system)
    k, elements, members = right.sites.shape

    def matrix(packed: Numbers) -> Numbers:
        return _packed_right(apply(system, orientation, unpacked(packed)))

    def inverse(packed: Numbers) -> Numbers:
        return _packed(solve_with(factor, held, orientation, unpacked_right(packed)))

    def unpacked(packed: Numbers) -> Unknowns:
        bend, value, slope = jnp.split(packed, [k * elements, k * elements + elements + 1])
        return Unknowns(value, slope, bend.reshape(k, elements, members))

    def unpacked_right(packed: Numbers) -> Right:
        sites, end, other, conditions = jnp.split(packed, [k * elements, (k + 1) * elements, (k + 2) * elements])
        return Right(sites.reshape(k, elements, members), end, other, conditions)

    given = _packed_right(right)
    found = jax.lax.custom_linear_solve(
        matrix,
        given,
        solve=lambda _, one: inverse(one),
        transpose_solve=lambda _, one: jax.linear_transpose(inverse, given)(one)[0],
    )
    return unpacked(found)


# Unknowns and right sides look alike to JAX as one array, what belongs to sites first, (k K + 2 K + 2, B). In several
# arrays a part that nothing differentiated reaches would be no right side of the transposed equations.


def _packed(unknowns: Unknowns) -> Numbers:
    bend = unknowns.bend.reshape(-1, unknowns.bend.shape[-1])
    return jnp.concatenate([bend, unknowns.value, unknowns.slope])


def _packed_right(right: Right) -> Numbers:
    sites = right.sites.reshape(-1, right.sites.shape[-1])
    return jnp.concatenate([sites, right.end, right.other, right.conditions])
