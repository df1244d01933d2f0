"""Equations of any order, several fields, nonlinear ones: Newton's steps on elements, all members side by side.

A step is the least-squares solution of the equations linearised about the last iterate. When steps have settled, one
more is made with polynomials of a higher degree on the same elements: what it changes is the error of the polynomials
below, and so a safe estimate for those that are kept.

Derivatives with respect to parameters are implicit: c <- c - P F(c, parameters), with the factorisation P held, leaves
a solution as it is and gives it one more order of derivatives each time.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from gated_xtfc.batch.backend import Numbers, jax, jnp
from gated_xtfc.batch.family import ArrayFamily, Conditions, Parameters
from gated_xtfc.batch.least_squares import StateFactor, States, factorised, solve_with
from gated_xtfc.batch.partition import Gates, Mesh, PartitionStructure, node_lengths
from gated_xtfc.batch.shapes import SeriesFields, StateShapes, state_shapes
from gated_xtfc.batch.solver import Solved, partition_of
from gated_xtfc.gauss_legendre import rule
from gated_xtfc.types import Array

RESOLVED = 6.0  # an element's length over that of what it resolves: what rows are scaled by
RAISED = 4  # degrees of the last step above the others
SAFETY = 3.0
FLOOR = 1e-13  # of the size of a field: what evaluating and adding up may lose
COUNTS = 1e-3  # of the largest field: a smaller one is not asked for more digits than that


class Stepped(NamedTuple):
    """An iterate with what the step that led to it was made of."""

    states: States
    factor: StateFactor
    scale: tuple[Numbers, ...]  # of the rows of every equation, (n, K, B)
    change: Numbers  # of the step, the largest over the fields' sizes, (B,)


class Setting(NamedTuple):
    """Members on a partition of their own."""

    family: ArrayFamily
    parameters: Parameters
    mesh: Mesh
    shapes: StateShapes

    @property
    def members(self) -> int:
        return int(self.mesh.length.shape[-1])

    @property
    def offset(self) -> Numbers:
        """Of the sites, (n, K, B)."""
        return self.mesh.offset + self.mesh.length * jnp.asarray(self.shapes.sites)[:, None, None]

    @property
    def weights(self) -> Array:
        """Those of a rule at the sites."""
        return rule(self.shapes.sites.size)[1]

    def newton(self, start: Sequence[Numbers], count: int) -> States:
        """So many steps."""

        def one(_: Any, before: Any) -> Any:
            found = step(self, None, before[0]).states
            return self.jets(found), found

        found: States = jax.lax.fori_loop(0, count, one, (list(start), self.nothing()))[1]
        return found

    def finished(self, states: States, live: "Setting", derivatives: int) -> Solved:
        """The last step with its estimate; `live` is differentiated."""
        return finished(live, states, derivatives)

    def raised(self) -> "Setting":
        return self._replace(shapes=state_shapes(self.shapes.orders, self.shapes.degree + RAISED))

    def held(self) -> "Setting":
        """Without derivatives."""
        parameters, mesh = jax.lax.stop_gradient((self.parameters, self.mesh))
        return self._replace(parameters=parameters, mesh=mesh)

    def nothing(self) -> States:
        elements = self.mesh.length.shape[0]
        bubbles = jnp.zeros((sum(self.shapes.counts), elements, self.members))
        return States(bubbles, jnp.zeros((self.shapes.size, elements + 1, self.members)))

    def conditions(self) -> Conditions:
        """In the units of the states at both ends, rows of size one."""
        rows = self.family.boundary(self.parameters, self.members)
        nodes = node_lengths(self.mesh)
        powers = jnp.asarray([j for order in self.shapes.orders for j in range(order)])[:, None]
        by = jnp.concatenate([nodes[0] ** -powers, nodes[-1] ** -powers])
        weights = rows.weights * by
        size = jax.lax.stop_gradient(jnp.abs(weights).max(axis=1))
        return Conditions(weights / size[:, None], rows.values / size)

    def fields(self, states: States) -> SeriesFields:
        """As functions."""
        parts = zip(self.shapes.series, self.shapes.parts(states, self.mesh), strict=True)
        return SeriesFields(self.mesh, tuple(jnp.einsum("cs,sEB->cEB", jnp.asarray(t), part) for t, part in parts))

    def series(self, states: States) -> SeriesFields:
        """The same; steps of other kinds have other forms."""
        return self.fields(states)

    def jets(self, states: States) -> list[Numbers]:
        """Everything that equations are made of, at the sites."""
        return self.shapes.jets(self.shapes.parts(states, self.mesh), self.mesh, self.shapes.at_sites)

    def missed(self, states: States, scale: Sequence[Numbers]) -> tuple[Numbers, Numbers]:
        """What is missing in the equations (R, K, B) and in the conditions (M, B)."""
        found = self.family.residual(self.parameters, self.mesh.anchor, self.offset, self.jets(states))
        rows = [-own / size for own, size in zip(found, scale, strict=True)]
        return jnp.concatenate(rows), self.unmet(states)

    def unmet(self, states: States) -> Numbers:
        weights, values = self.conditions()
        ends = jnp.concatenate([states.nodes[:, 0], states.nodes[:, -1]])
        return values - (weights * ends).sum(1)


def step(setting: Setting, states: States | None, jets: Sequence[Numbers] | None = None) -> Stepped:
    """One step of Newton's from an iterate; from `jets` at the sites where it is known only there."""
    family, parameters, mesh, shapes = setting
    offset = setting.offset
    about = setting.jets(states) if states is not None else jets
    assert about is not None
    found, partials = family.linearised(parameters, mesh.anchor, offset, about)
    narrow = RESOLVED / mesh.length
    powers = [narrow**j for order in shapes.orders for j in range(order + 1)]
    scale = tuple(
        sum(jnp.abs(own[e]) * power for own, power in zip(partials, powers, strict=True)) + jnp.zeros_like(offset)
        for e in range(len(shapes.orders))
    )
    scaled = [[a / size for a, size in zip(own, scale, strict=True)] for own in partials]
    weights, values = setting.conditions()
    factor = factorised(shapes.rows(scaled, mesh), weights)
    if states is None:
        sums = [sum(own[e] * jet for own, jet in zip(partials, about, strict=True)) for e in range(len(found))]
        right = [(whole - own) / size for whole, own, size in zip(sums, found, scale, strict=True)]
        after = solve_with(factor, jnp.concatenate(right), values)
        return Stepped(after, factor, scale, jnp.full(setting.members, jnp.inf))
    right = [-own / size for own, size in zip(found, scale, strict=True)]
    change = solve_with(factor, jnp.concatenate(right), setting.unmet(states))
    after = jax.tree.map(jnp.add, states, change)
    return Stepped(after, factor, scale, distance(setting, change, after))


def distance(setting: Setting, change: States, states: States) -> Numbers:
    """The largest of a change over the size of its field, (B,)."""
    sizes, own = _sizes(setting, states), _sizes(setting, change)
    sizes = jnp.maximum(sizes, COUNTS * sizes.max(0))
    return (own / jnp.where(sizes > 0.0, sizes, 1.0)).max(0)


def _sizes(setting: Setting, states: States) -> Numbers:
    """max|u| of every field, (F, B)."""
    values = [table[:1] for table in setting.shapes.at_sites]
    jets = setting.shapes.jets(setting.shapes.parts(states, setting.mesh), setting.mesh, tuple(values))
    nodes = [jnp.abs(states.nodes[start]).max(0) for start in setting.shapes.starts]
    return jnp.stack([jnp.maximum(jnp.abs(u).max((0, 1)), at) for u, at in zip(jets, nodes, strict=True)])


def finished(setting: Setting, states: States, derivatives: int) -> Solved:
    """The last step, of a higher degree, with its estimate; and as many orders of derivatives as are asked for."""
    held = setting.raised().held()
    start = setting.shapes.raised(jax.lax.stop_gradient(states), held.shapes)
    last = step(held, start)
    found, live = jax.lax.stop_gradient(last.states), setting.raised()
    for _ in range(derivatives):
        missing = live.missed(found, last.scale)
        found = jax.tree.map(jnp.add, found, solve_with(last.factor, *missing))
    return Solved(live.fields(found), SAFETY * last.change + FLOOR)


def solve_linear(
    family: ArrayFamily,
    structure: PartitionStructure,
    degree: int,
    parameters: Parameters,
    gates: Gates,
    derivatives: int = 0,
) -> Solved:
    """Linear members: one step, and the one of a higher degree."""
    cut = partition_of(family, structure, parameters, gates)
    setting = Setting(family, parameters, cut, state_shapes(family.orders, degree))
    return finished(setting, step(setting.held(), setting.nothing()).states, derivatives)
