"""Elements whose conditions may stand anywhere, tie places together, be integrals, and hold unknown constants.

A node is put at every place of a condition. The states there, and unknown constants, are the border of the chain that
joins elements: conditions give some of these numbers in terms of the others, those of one place, of both ends as where
something is periodic, or of places as close together as numbers allow. Conditions that are integrals see all elements.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np

from gated_xtfc.discretise.partition import Partition
from gated_xtfc.gates.coordinate import AxisCoordinates
from gated_xtfc.gauss_legendre import rule
from gated_xtfc.problem.condition import Condition
from gated_xtfc.problem.nonlinear_condition import Sight, sight_of
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solver.interval.element_layout import (
    CHECKS,
    NO_INTEGRALS,
    SITES,
    ElementLayout,
    EndStates,
    HeldIntegrals,
    element_points,
    lay_out,
    node_lengths,
)
from gated_xtfc.solver.interval.node_places import condition_places, moved_to, node_at
from gated_xtfc.types import Array, Index, Orders

DEPENDENT = 1e-12  # of the largest singular value: conditions that say no more than others


@dataclass(frozen=True)
class Stated:
    """Conditions as they were stated: rows in the border's numbers, values, and those that are integrals."""

    rows: Array  # (q, border)
    values: Array  # (q,)
    integrals: tuple[Condition, ...]
    scales: Array  # (I,) what those were divided by


@dataclass(frozen=True)
class TiedLayout(ElementLayout):
    """As `ElementLayout`, with the states at some nodes and unknown constants tied by conditions."""

    problem: Problem
    kept: Index  # the nodes whose states conditions speak of
    tied: EndStates  # those states, then unknown constants
    held: HeldIntegrals
    stated: Stated
    jumps: Array  # (K, M) what the state on the left of every element has more than that of its neighbour

    @property
    def constants(self) -> int:
        return len(self.problem.unknown)

    @property
    def border(self) -> int:
        return int(self.tied.particular.size)

    @property
    def integrals(self) -> HeldIntegrals:
        return self.held

    @property
    def neurons(self) -> int:
        inner = self.count + 1 - self.kept.size
        return self.count * self.bubbles + inner * self.state + self.tied.free - self.held.values.size

    def columns_of(self, condensed: Array) -> tuple[list[Array], list[Array], list[Array]]:
        m, border = self.state, np.zeros((self.count, condensed.shape[1], self.border))
        for place, own in zip(self.kept.tolist(), self._slots, strict=True):
            if place < self.count:
                border[place, :, own] = condensed[place, :, :m]
            if place > 0:
                border[place - 1, :, own] = condensed[place - 1, :, m : 2 * m]
        border[:, :, self.border - self.constants :] = condensed[:, :, 2 * m :]
        free = [slice(0, 0 if k in self._kept else m) for k in range(self.count + 1)]
        nodes = [condensed[k, :, :m][:, free[k]] for k in range(self.count)]
        after = [condensed[k, :, m : 2 * m][:, free[k + 1]] for k in range(self.count)]
        return nodes, after, list(border)

    @cached_property
    def slots(self) -> Index:
        """Which part of the border the state at every node is, (K + 1,); -1 where it is none."""
        found = np.full(self.count + 1, -1, dtype=np.int32)
        found[self.kept] = np.arange(self.kept.size)
        return found  # type: ignore[return-value]

    @cached_property
    def _kept(self) -> frozenset[int]:
        return frozenset(self.kept.tolist())

    @cached_property
    def _slots(self) -> list[slice]:
        return [slice(k * self.state, (k + 1) * self.state) for k in range(self.kept.size)]

    def in_free_numbers(self, states: Array, beside: Array) -> tuple[list[Array], Array]:
        empty = np.zeros((states.shape[0], 0))
        nodes = [empty if k in self._kept else states[:, k] for k in range(self.count + 1)]
        return nodes, np.concatenate([*(states[:, k] for k in self.kept.tolist()), beside], axis=1)

    def in_free_border(self, rest: Array) -> Array:
        found: Array = rest @ self.tied.basis
        return found

    @property
    def border_basis(self) -> Array:
        return self.tied.basis

    @property
    def border_particular(self) -> Array:
        return self.tied.particular

    @cached_property
    def offsets(self) -> Array:
        return np.concatenate([self.jumps, np.zeros_like(self.jumps)], axis=1)

    def both_states(self, nodes: list[Array], border: Array, offsets: Array) -> Array:
        states = np.zeros((self.count + 1, self.state))
        for k, own in enumerate(nodes):
            if own.size:
                states[k] = own
        states[self.kept] = border[: border.size - self.constants].reshape(-1, self.state)
        both = np.concatenate([states[:-1], states[1:]], axis=1) + offsets
        constants = np.broadcast_to(border[border.size - self.constants :], (self.count, self.constants))
        return np.concatenate([both, constants], axis=1)

    @cached_property
    def ends_of_elements(self) -> Array:
        """Where they stand, (K + 1,)."""
        (axis,) = self.problem.axes
        return np.concatenate([self.elements.anchor + self.elements.offset, [axis.right]])

    @cached_property
    def quadrature(self) -> tuple[Array, Array]:
        """The points of the layout, with weights that integrate over the domain, each (n,)."""
        weights = self.elements.length[:, None] * point_weights(self.degree)
        return self.x.ravel(), weights.ravel()

    def sight(
        self, evaluate: Callable[[int, Array, int], Array], jets: Sequence[Mapping[Orders, Array]], constants: Array
    ) -> Sight | None:
        """What conditions that are not linear see of a function, whose derivatives at the points are known."""
        conditions, names = self.problem.nonlinear_conditions, self.problem.fields
        if not conditions:
            return None
        nodes = self.quadrature

        def seen(name: str, x: Array, order: int) -> Array:
            f = names.index(name)
            return jets[f][order,] if x is nodes[0] else evaluate(f, x, order)

        named = dict(zip(self.problem.unknown, constants.tolist(), strict=True))
        return sight_of(conditions, seen, nodes, named)

    def conditioned(self, conditions: Sequence[Condition]) -> "TiedLayout":
        """The same with conditions that are not linear, as they are linearised, behind the others."""
        found = _tied(self, (*self.problem.conditions, *conditions))
        if found is None:
            raise np.linalg.LinAlgError("conditions depend on one another")
        return found


@lru_cache
def point_weights(degree: int) -> Array:
    """Weights of all points of an element, exact for polynomials through them, (2p + 3,); all are positive."""
    points = 2.0 * element_points(degree) - 1.0
    values = np.polynomial.legendre.legvander(points, points.size - 1)
    return np.linalg.solve(values.T, np.eye(points.size)[0])


@lru_cache
def site_weights(degree: int) -> Array:
    """Gauss' weights at the sites among all points of an element, (2p + 3,)."""
    found = np.zeros(2 * degree + 3)
    found[SITES] = 0.5 * rule(degree + 1)[1]
    return found


def simple(problem: Problem) -> bool:
    """Whether every condition is linear and lives at one end, without unknown constants."""
    (axis,) = problem.axes
    if problem.unknown or problem.nonlinear_conditions or problem.jumps:
        return False
    return all(one.local and one.terms[0].point in (axis.left, axis.right) for one in problem.conditions)


def layout_of(problem: Problem, coordinates: AxisCoordinates, elements: Partition, degree: int) -> ElementLayout:
    """Elements with the conditions of a problem, wherever they stand."""
    if simple(problem):
        return lay_out(problem, coordinates, elements, degree)
    breaks = [piece.right for piece in coordinates[:-1]]
    found = lay_out_tied(problem, coordinates, moved_to(elements, condition_places(problem), breaks), degree)
    if found is None:
        raise np.linalg.LinAlgError("conditions depend on one another")
    return found


def lay_out_tied(problem: Problem, coordinates: AxisCoordinates, elements: Partition, degree: int) -> TiedLayout | None:
    """Elements with the linear conditions of a problem; None where these depend on one another."""
    orders, (axis,) = tuple(problem.order.values()), problem.axes
    ends = np.concatenate([elements.anchor + elements.offset, [axis.right]])
    places = [node_at(ends, place) for place in (axis.left, axis.right, *condition_places(problem))]
    kept, size = np.unique(places), sum(orders)
    jumps, lengths = np.zeros((elements.length.size, size)), node_lengths(elements.length)
    starts = _starts(problem)
    for jump in problem.jumps:
        node = node_at(ends, jump.place)
        jumps[node, starts[jump.field] + jump.order] += jump.value * float(lengths[node]) ** jump.order
    free = EndStates.of([], [], size)
    border = EndStates.of([], [], kept.size * size + len(problem.unknown))
    nothing = Stated(np.zeros((0, border.free)), np.zeros(0), (), np.zeros(0))
    found = TiedLayout(
        coordinates, elements, degree, orders, (free, free), problem, kept, border, NO_INTEGRALS, nothing, jumps
    )
    return found if problem.nonlinear_conditions else _tied(found, problem.conditions)


def _starts(problem: Problem) -> dict[str, int]:
    """Where every field begins in a state."""
    return dict(zip(problem.order, np.cumsum([0, *problem.order.values()]).tolist(), strict=False))


def _tied(layout: TiedLayout, conditions: Sequence[Condition]) -> TiedLayout | None:
    """A layout with these conditions; None where they depend on one another."""
    problem, size, width = layout.problem, layout.state, layout.border
    lengths, starts = layout.node_lengths, _starts(problem)
    table, values = np.zeros((len(conditions), width)), np.array([one.value for one in conditions])
    for row, condition in zip(table, conditions, strict=True):
        for term in condition.terms:
            node = node_at(layout.ends_of_elements, float(term.point))
            slot = int(np.searchsorted(layout.kept, node)) * size
            row[slot + starts[term.field] + term.order] += term.weight / float(lengths[node]) ** term.order
        for name, weight in condition.constants:
            row[width - layout.constants + problem.unknown.index(name)] += weight
    if not (np.isfinite(table).all() and np.isfinite(values).all()):
        return None
    integral = np.array([bool(one.all_integrals) for one in conditions], dtype=bool)
    plain = table[~integral]
    largest = np.abs(plain).max(axis=1, keepdims=True)
    if not (largest > 0.0).all():
        return None
    if plain.shape[0]:
        singular = np.linalg.svd(plain / largest, compute_uv=False)
        if plain.shape[0] > width or singular[-1] <= DEPENDENT * singular[0]:
            return None
    tied = EndStates.of(plain.tolist(), values[~integral].tolist(), width)
    inner = [_integral(layout, one) for one, held in zip(conditions, integral, strict=True) if held]
    if not inner:
        return replace(layout, tied=tied, held=NO_INTEGRALS, stated=Stated(table, values, (), np.zeros(0)))
    outer, wanted = table[integral], values[integral]
    scale = np.maximum(np.abs(outer).max(axis=1), [float(np.abs(one).sum(axis=0).max()) for one in inner])
    held = HeldIntegrals(np.stack(inner) / scale[:, None, None], outer / scale[:, None], wanted / scale)
    integrals = tuple(one for one in conditions if one.all_integrals)
    return replace(layout, tied=tied, held=held, stated=Stated(table, values, integrals, scale))


def _integral(layout: TiedLayout, condition: Condition) -> Array:
    """The integrals of a condition as a functional of the coefficients of every element, (K, columns)."""
    nb, m, points = layout.bubbles, layout.state, layout.x.shape[1]
    found = np.zeros((layout.count, nb + 2 * m + layout.constants))
    bubbles = np.cumsum([0, *(layout.degree + 1 - 2 * order for order in layout.orders)])
    for f, order, density in densities(layout, condition):
        own, start = layout.tables[f], int(layout.starts[f])
        table = np.empty((points, layout.degree + 1))
        table[SITES], table[CHECKS] = own.at_sites[order], own.at_checks[order]
        length = layout.elements.length[:, None]
        values = (density * point_weights(layout.degree) * length / length**order) @ table
        found[:, bubbles[f] : bubbles[f + 1]] += values[:, own.order : -own.order]
        found[:, nb + start : nb + start + own.order] += values[:, : own.order]
        found[:, nb + m + start : nb + m + start + own.order] += values[:, -own.order :]
    answer: Array = found * layout.state_scales
    return answer


def densities(layout: TiedLayout, condition: Condition) -> Iterator[tuple[int, int, Array]]:
    """Under the integrals of a condition: fields, orders of derivatives, and what multiplies them, (K, n)."""
    names, (x, _) = list(layout.problem.order), layout.quadrature
    for integral in condition.all_integrals:
        for (name, order), factor in integral.coefficients(x).items():
            there = np.broadcast_to(integral.weight * factor, x.shape).reshape(layout.x.shape)
            yield names.index(name), order, there
