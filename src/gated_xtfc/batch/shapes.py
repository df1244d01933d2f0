"""States and bubbles as functions: what equations of any order and of several fields are made of on elements."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np
from numpy.polynomial import legendre

from gated_xtfc.batch.backend import Numbers, jnp
from gated_xtfc.batch.field import at_element, located
from gated_xtfc.batch.least_squares import ElementRows, States
from gated_xtfc.batch.partition import Mesh, node_lengths
from gated_xtfc.discretise.element_basis import shape_functions, site_places
from gated_xtfc.types import Array


@dataclass(frozen=True)
class StateShapes:
    """Polynomials of one degree for fields of these orders."""

    orders: tuple[int, ...]
    degree: int

    @property
    def size(self) -> int:
        """Numbers of a state."""
        return sum(self.orders)

    @property
    def starts(self) -> tuple[int, ...]:
        return tuple(int(one) for one in np.cumsum([0, *self.orders[:-1]]))

    @property
    def counts(self) -> tuple[int, ...]:
        """Bubbles of every field."""
        return tuple(self.degree + 1 - 2 * order for order in self.orders)

    @cached_property
    def sites(self) -> Array:
        return site_places(self.degree)[0]

    def tables(self, s: Array) -> tuple[tuple[Array, ...], ...]:
        """Of every field and order, the shape functions at s, (n, p + 1)."""
        return tuple(tuple(shape_functions(s, self.degree, order, order)) for order in self.orders)

    @cached_property
    def at_sites(self) -> tuple[tuple[Array, ...], ...]:
        return self.tables(self.sites)

    @cached_property
    def series(self) -> tuple[Array, ...]:
        """Of every field, shape functions -> Legendre coefficients, (p + 1, p + 1)."""
        through = np.linalg.inv(legendre.legvander(2.0 * self.sites - 1.0, self.degree))
        return tuple(np.asarray(through @ own[0]) for own in self.at_sites)

    def parts(self, states: States, mesh: Mesh) -> list[Numbers]:
        """Factors of the shape functions of every field, (p + 1, K, B)."""
        left, right = self.scales(mesh)
        found, first = [], 0
        for start, order, count in zip(self.starts, self.orders, self.counts, strict=True):
            own = slice(start, start + order)
            parts = left[own] * states.nodes[own, :-1], states.bubbles[first : first + count]
            found.append(jnp.concatenate([*parts, right[own] * states.nodes[own, 1:]]))
            first += count
        return found

    def jets(self, parts: Sequence[Numbers], mesh: Mesh, tables: tuple[tuple[Array, ...], ...]) -> list[Numbers]:
        """All derivatives of all fields at the points of `tables`, (n, K, B) each."""
        return [
            jnp.einsum("nc,cEB->nEB", jnp.asarray(table), own) / mesh.length**j
            for own, several in zip(parts, tables, strict=True)
            for j, table in enumerate(several)
        ]

    def scales(self, mesh: Mesh) -> tuple[Numbers, Numbers]:
        """What turns states, in the units of their nodes, into those of the elements beside, (M, K, B) each."""
        nodes = node_lengths(mesh)
        powers = np.concatenate([np.arange(order) for order in self.orders])[:, None, None]
        return (mesh.length / nodes[:-1]) ** powers, (mesh.length / nodes[1:]) ** powers

    def rows(self, partials: Sequence[Sequence[Numbers]], mesh: Mesh) -> ElementRows:
        """The matrix of the equations at the sites, from `partials` by everything in the jets, (n, K, B) each."""
        left_scale, right_scale = self.scales(mesh)
        equations = []
        for e in range(len(self.orders)):
            columns: list[list[Numbers]] = [[], [], []]
            number = 0
            for tables, start, order in zip(self.at_sites, self.starts, self.orders, strict=True):
                values = sum(
                    (partials[number + j][e] / mesh.length**j)[:, None] * jnp.asarray(table)[:, :, None, None]
                    for j, table in enumerate(tables)
                )
                own = slice(start, start + order)
                columns[0].append(values[:, order:-order])
                columns[1].append(values[:, :order] * left_scale[own])
                columns[2].append(values[:, -order:] * right_scale[own])
                number += order + 1
            equations.append([jnp.concatenate(part, axis=1) for part in columns])
        return ElementRows(*(jnp.concatenate(part) for part in zip(*equations, strict=True)))

    def raised(self, states: States, other: "StateShapes") -> States:
        """The same functions with bubbles of a higher degree, which are zero."""
        found, first = [], 0
        for count, more in zip(self.counts, other.counts, strict=True):
            own = states.bubbles[first : first + count]
            found += [own, jnp.zeros((more - count, *own.shape[1:]))]
            first += count
        return States(jnp.concatenate(found), states.nodes)


@cache
def state_shapes(orders: tuple[int, ...], degree: int) -> StateShapes:
    """Made once."""
    return StateShapes(orders, degree)


class SeriesFields(NamedTuple):
    """The fields of B members as Legendre series on elements."""

    mesh: Mesh
    series: tuple[Numbers, ...]  # of every field, (p + 1, K, B)

    @property
    def number(self) -> int:
        return len(self.series)

    @property
    def members(self) -> int:
        return int(self.series[0].shape[-1])

    def __call__(self, x: Numbers, order: int = 0, field: int = 0) -> Numbers:
        """A derivative at places (n, B) or (n, 1): (n, B)."""
        element, t = located(self.mesh, x)
        series = self.series[field]
        if order:
            slope = legendre.legder(np.eye(series.shape[0]), order, scl=2.0)
            series = jnp.einsum("dc,cEB->dEB", jnp.asarray(slope), series)
        found = at_element(series, element, t)
        return found / jnp.take_along_axis(self.mesh.length, element, axis=0) ** order
