"""Newton's steps for one equation of second order, on condensed elements.

Collocation at Radau points keeps balances over an element to twice the order of its polynomials. Where a shock stands
is decided by such balances, and anything less would move it: least squares lose as many digits there as it is thin.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from gated_xtfc.batch.backend import Numbers, jax, jnp
from gated_xtfc.batch.condensed import (
    CondensedFactor,
    ElementData,
    ElementSystem,
    Orientation,
    Right,
    Unknowns,
    apply,
    element_data,
    factorised,
    jets,
    joined,
    oriented,
    places,
    scaled,
    signed,
    site_jets,
    solve_with,
)
from gated_xtfc.batch.family import ArrayFamily, Coefficients, Parameters
from gated_xtfc.batch.field import PiecewiseFields
from gated_xtfc.batch.partition import Mesh
from gated_xtfc.batch.shapes import SeriesFields
from gated_xtfc.batch.solver import INSIDE, Solved, assembled
from gated_xtfc.batch.systems import FLOOR, RAISED, SAFETY
from gated_xtfc.batch.tables import tables
from gated_xtfc.types import Array


class CondensedStep(NamedTuple):
    """What a step of Newton's led to, and what it was made of."""

    unknowns: Unknowns
    system: ElementSystem
    factor: CondensedFactor


class CondensedSetting(NamedTuple):
    """Members on a partition, its elements walked in directions that are held while steps are made."""

    family: ArrayFamily
    parameters: Parameters
    mesh: Mesh
    orientation: Orientation
    sites: int

    @classmethod
    def about(
        cls, family: ArrayFamily, parameters: Parameters, mesh: Mesh, sites: int, jets: Sequence[Numbers]
    ) -> "CondensedSetting":
        """With directions from an iterate in the middle of every element, (K, B) each."""
        operator = _operator(family, parameters, mesh.anchor, mesh.offset + 0.5 * mesh.length, jets)
        return cls(family, parameters, mesh, oriented(operator, mesh), sites)

    @property
    def members(self) -> int:
        return int(self.mesh.length.shape[-1])

    def at(self, t: Array) -> tuple[Numbers, Numbers]:
        """Anchor and offset of parts of the elements, counted as they are walked."""
        return places(self.mesh, self.orientation, np.maximum(t, INSIDE) if self.family.switches else t)

    @property
    def offset(self) -> Numbers:
        """Of the sites, (k, K, B)."""
        return self.at(tables(self.sites).sites)[1]

    @property
    def weights(self) -> Array:
        """Those of a rule at the sites."""
        return tables(self.sites).totals[0]

    def step(self, about: Sequence[Numbers], last: bool = False) -> CondensedStep:
        """One step of Newton's from an iterate, given at the sites; `last` where its factors serve nothing else."""
        operator = _operator(self.family, self.parameters, self.mesh.anchor, self.offset, about)
        length = signed(self.mesh, self.orientation)
        rows = scaled(operator, length, (self.sites, *length.shape))
        system, source, values = assembled(self.family, self.parameters, self.mesh, rows)
        factor = factorised(system, self.orientation, self.family.coupled, source, last)
        nothing = jnp.zeros_like(length)
        right = Right(source, nothing, nothing, values)
        unknowns = joined(factor, system, self.orientation, right, factor.local.particular)
        return CondensedStep(unknowns, system, factor)

    def jets(self, unknowns: Unknowns) -> list[Numbers]:
        """u, u', u'' at the sites."""
        return self._in_x(site_jets(self._data(unknowns), unknowns.bend))

    def newton(self, start: Sequence[Numbers], count: int) -> Unknowns:
        """So many steps."""
        elements, members = self.mesh.length.shape
        nodes = jnp.zeros((elements + 1, members))

        def one(_: Any, before: Any) -> Any:
            found = self.step(before[0], last=True).unknowns
            return self.jets(found), found

        first = list(start), Unknowns(nodes, nodes, jnp.zeros((self.sites, elements, members)))
        found: Unknowns = jax.lax.fori_loop(0, count, one, first)[1]
        return found

    def fields(self, unknowns: Unknowns) -> PiecewiseFields:
        return PiecewiseFields(self.mesh, self.orientation.flip, self._data(unknowns), unknowns.bend)

    def series(self, unknowns: Unknowns) -> SeriesFields:
        """The same as Legendre series, counted from left to right."""
        data, table = self._data(unknowns), tables(self.sites)
        twice = jnp.einsum("ck,kEB->cEB", jnp.asarray(table.series[2]), unknowns.bend)
        line = jnp.stack([data.start + 0.5 * data.slope, 0.5 * data.slope])
        whole = jnp.concatenate([twice[:2] + line, twice[2:]])
        turned = whole * ((-1.0) ** np.arange(whole.shape[0]))[:, None, None]
        return SeriesFields(self.mesh, (jnp.where(self.orientation.flip, turned, whole),))

    def finished(self, unknowns: Unknowns, live: "CondensedSetting", derivatives: int) -> Solved:
        """One step with more sites; what it changes is the estimate. `live` is differentiated."""
        finer, live = (one._replace(sites=self.sites + RAISED) for one in (self, live))
        t = tables(finer.sites).sites
        before = self._in_x(jets(self._data(unknowns), unknowns.bend, t, tables(self.sites).at(t)))
        last = finer.step(before)
        after = finer.jets(last.unknowns)[0]
        size = jnp.abs(after).max((0, 1))
        change = jnp.abs(after - before[0]).max((0, 1)) / jnp.where(size > 0.0, size, 1.0)
        found = last.unknowns
        for _ in range(derivatives):
            more = solve_with(last.factor, last.system, self.orientation, live.missed(found))
            found = jax.tree.map(jnp.add, found, more)
        return Solved(live.fields(found), SAFETY * change + FLOOR)

    def missed(self, unknowns: Unknowns) -> Right:
        """What is missing in all equations, in rows as those of a step from there."""
        about = self.jets(unknowns)
        (found,) = self.family.residual(self.parameters, self.mesh.anchor, self.offset, about)
        length = signed(self.mesh, self.orientation)
        held = jax.lax.stop_gradient(about)
        operator = _operator(self.family, self.parameters, self.mesh.anchor, self.offset, held)
        parts = operator.second, operator.first * length, operator.zeroth * length**2
        size = jax.lax.stop_gradient(sum(jnp.abs(part) for part in parts))
        system, values = self._frame()
        there = apply(system, self.orientation, unknowns)
        return Right(-found * length**2 / size, -there.end, -there.other, values - there.conditions)

    def _frame(self) -> tuple[ElementSystem, Numbers]:
        """Lengths and conditions; the equations at the sites are left out."""
        nothing = jnp.zeros((self.sites, *self.mesh.length.shape))
        system, _, values = assembled(self.family, self.parameters, self.mesh, (nothing,) * 4)
        return system, values

    def _data(self, unknowns: Unknowns) -> ElementData:
        return element_data(unknowns, self._frame()[0], self.orientation)

    def _in_x(self, found: Sequence[Numbers]) -> list[Numbers]:
        length = signed(self.mesh, self.orientation)
        return [one / length**j for j, one in enumerate(found)]


def _operator(
    family: ArrayFamily, parameters: Parameters, anchor: Numbers, offset: Numbers, about: Sequence[Numbers]
) -> Coefficients:
    """The equation linearised about an iterate, with the source that makes up for what it is about."""
    (found,), ((zeroth,), (first,), (second,)) = family.linearised(parameters, anchor, offset, about)
    source = zeroth * about[0] + first * about[1] + second * about[2] - found
    return Coefficients(second, first, zeroth, source)
