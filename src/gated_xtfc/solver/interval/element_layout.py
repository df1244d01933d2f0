"""Elements on an interval: where each begins and ends, its sites, and the conditions at both ends of the interval.

In an element every field is a polynomial, known by its values and derivatives at both ends and by bubbles. Ends are
shared: what is known there, the state, is u, h u', ..., h^(m-1) u^(m-1) of every field, with h the shorter of the
lengths beside. Conditions at an end give some numbers of its state in terms of the others.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from gated_xtfc.discretise.element_basis import ElementTables, site_places, tables
from gated_xtfc.discretise.partition import OUTER, STEP, GatedInterval, Partition
from gated_xtfc.gates import Layer
from gated_xtfc.gates.coordinate import AxisCoordinates, Coordinate
from gated_xtfc.operator.linearise import Points
from gated_xtfc.problem.problem import Problem
from gated_xtfc.types import Array, Index, Mask

SITES, CHECKS = slice(1, None, 2), slice(0, None, 2)  # among the points of an element


@dataclass(frozen=True)
class EndStates:
    """The states at an end that meet its conditions: particular + basis @ z, for any z."""

    basis: Array  # (M, free)
    particular: Array  # (M,)

    @property
    def free(self) -> int:
        """How many numbers the conditions leave."""
        return int(self.basis.shape[1])

    @classmethod
    def of(cls, rows: list[list[float]], values: list[float], size: int) -> "EndStates":
        """From conditions rows @ state = values, by elimination with the largest pivots.

        Numbers are few: plain ones are quicker than arrays.
        """
        table = [[*row, value] for row, value in zip(rows, values, strict=True)]
        pivots: list[int] = []
        for k in range(len(table)):
            _, i, j = max(
                (abs(a) / max(map(abs, row[:size])), -i, -j)
                for i, row in enumerate(table[k:], k)
                for j, a in enumerate(row[:size])
            )
            table[k], table[-i] = table[-i], table[k]
            lead = table[k][-j]
            table[k] = [a / lead for a in table[k]]
            for other in range(len(table)):
                if other != k and table[other][-j] != 0.0:
                    factor = table[other][-j]
                    table[other] = [a - factor * b for a, b in zip(table[other], table[k], strict=True)]
            pivots.append(-j)
        free = [j for j in range(size) if j not in pivots]
        basis, particular = np.zeros((size, len(free))), np.zeros(size)
        basis[free, range(len(free))] = 1.0
        for row, pivot in zip(table, pivots, strict=True):
            basis[pivot] = [-row[j] for j in free]
            particular[pivot] = row[size]
        return cls(basis, particular)


class HeldIntegrals(NamedTuple):
    """Conditions that are integrals: sums over elements, of what is kept at the border, and the values they have."""

    inner: Array  # (I, K, columns) of the coefficients of every element
    outer: Array  # (I, border) of the border's numbers
    values: Array  # (I,)


NO_INTEGRALS = HeldIntegrals(np.zeros((0, 0, 0)), np.zeros((0, 0)), np.zeros(0))


@dataclass(frozen=True)
class ElementLayout:
    """What does not change while equations are linearised again and again."""

    coordinates: AxisCoordinates
    elements: Partition
    degree: int
    orders: tuple[int, ...]  # of every field
    ends: tuple[EndStates, EndStates]

    @cached_property
    def tables(self) -> tuple[ElementTables, ...]:
        """Shape functions for every field."""
        return tuple(tables(self.degree, order) for order in self.orders)

    @property
    def count(self) -> int:
        return int(self.elements.length.size)

    @property
    def state(self) -> int:
        """Numbers known at every end of an element."""
        return sum(self.orders)

    @property
    def bubbles(self) -> int:
        """How many there are in an element."""
        return len(self.orders) * (self.degree + 1) - 2 * self.state

    @cached_property
    def neurons(self) -> int:
        """Numbers that are determined by the equations."""
        return self.count * self.bubbles + (self.count - 1) * self.state + sum(end.free for end in self.ends)

    @property
    def starts(self) -> Index:
        """Where every field begins in a state."""
        return np.cumsum([0, *self.orders[:-1]])

    @property
    def constants(self) -> int:
        """Unknown constants."""
        return 0

    @property
    def border(self) -> int:
        """Numbers that many elements see: the chain that joins elements keeps them to the end."""
        return 0

    @property
    def integrals(self) -> "HeldIntegrals":
        """Conditions that are integrals."""
        return NO_INTEGRALS

    def columns_of(self, condensed: Array) -> tuple[list[Array], list[Array], list[Array]]:
        """Condensed rows (K, h, 2M) in the free numbers of the nodes on both sides, and of the border."""
        m, (left, right) = self.state, self.ends
        near, far = list(condensed[:, :, :m]), list(condensed[:, :, m : 2 * m])
        near[0], far[-1] = near[0] @ left.basis, far[-1] @ right.basis
        return near, far, [np.zeros((condensed.shape[1], 0))] * self.count

    def in_free_numbers(self, states: Array, beside: Array) -> tuple[list[Array], Array]:
        """Functionals of states (n, K + 1, M) and constants (n, constants) in the free numbers, and in the border's."""
        nodes, (left, right) = list(states.transpose(1, 0, 2)), self.ends
        nodes[0], nodes[-1] = nodes[0] @ left.basis, nodes[-1] @ right.basis
        return nodes, np.zeros((states.shape[0], 0))

    def in_free_border(self, rest: Array) -> Array:
        """Rows in the last node's numbers and the border's, in those of them that conditions leave free."""
        return rest

    @property
    def border_basis(self) -> Array:
        """The last node's numbers and the border's, in those that conditions leave free ..."""
        return np.eye(self.ends[1].free)

    @property
    def border_particular(self) -> Array:
        """... and what they are where those are zero."""
        return np.zeros(self.ends[1].free)

    @cached_property
    def offsets(self) -> Array:
        """What is known of the states at both ends of every element beforehand, (K, 2M)."""
        found, (left, right) = np.zeros((self.count, 2 * self.state)), self.ends
        found[0, : self.state] = left.particular
        found[-1, self.state :] = right.particular
        return found

    def both_states(self, nodes: list[Array], border: Array, offsets: Array) -> Array:
        """The states at both ends of every element, then unknown constants, (K, 2M + constants)."""
        left, right = self.ends
        states = np.stack([left.basis @ nodes[0], *nodes[1:-1], right.basis @ nodes[-1]])
        found: Array = np.concatenate([states[:-1], states[1:]], axis=1) + offsets
        return found

    @cached_property
    def state_scales(self) -> Array:
        """What turns columns of shape functions into those of an element's coefficients, (K, columns)."""
        exponents = np.concatenate([np.arange(order) for order in self.orders])
        ratio, nodes = self.elements.length, self.node_lengths
        left = (ratio / nodes[:-1])[:, None] ** exponents
        right = (ratio / nodes[1:])[:, None] ** exponents
        others = np.ones((self.count, self.bubbles)), np.ones((self.count, self.constants))
        return np.concatenate([others[0], left, right, others[1]], axis=1)

    @cached_property
    def middles(self) -> Array:
        """What every field in the middle of every element is made of, (F, K, columns)."""
        rows = middle_rows(self.degree, self.orders, self.constants)
        return rows[:, None, :] * self.state_scales

    @cached_property
    def node_lengths(self) -> Array:
        """The shorter of the lengths on both sides of every end of elements, (K + 1,)."""
        return node_lengths(self.elements.length)

    @cached_property
    def x(self) -> Array:
        """Sites and the points between them, of every element from left to right, (K, 2p + 3)."""
        return self.elements.points(element_points(self.degree))  # type: ignore[no-any-return]

    @property
    def points(self) -> Points:
        return (self.x.ravel(),)


@lru_cache
def element_points(degree: int) -> Array:
    """Sites and the points between them, as parts of an element, from left to right."""
    found = np.empty(2 * degree + 3)
    found[SITES], found[CHECKS] = site_places(degree)
    return found


@lru_cache
def middle_rows(degree: int, orders: tuple[int, ...], constants: int = 0) -> Array:
    """What every field in the middle of an element is made of, states not scaled, (F, columns)."""
    state, bubbles = sum(orders), sum(degree + 1 - 2 * order for order in orders)
    found = np.zeros((len(orders), bubbles + 2 * state + constants))
    bubble, start = 0, bubbles
    for row, m in zip(found, orders, strict=True):
        own, size = tables(degree, m).at_middle, degree + 1 - 2 * m
        row[bubble : bubble + size] = own[m:-m]
        row[start : start + m] = own[:m]
        row[start + state : start + state + m] = own[-m:]
        bubble, start = bubble + size, start + m
    return found


def node_lengths(length: Array) -> Array:
    """The shorter of the lengths on both sides of every end of elements, (K + 1,)."""
    return np.concatenate([length[:1], np.minimum(length[:-1], length[1:]), length[-1:]])


class RefinedPieces(tuple[Coordinate, ...]):
    """Coordinates with elements of their own, some of them shorter than gates alone ask for."""

    elements: Partition

    @classmethod
    def of(cls, coordinates: AxisCoordinates, elements: Partition) -> "RefinedPieces":
        found = cls(coordinates)
        found.elements = elements
        return found


def elements_on(coordinates: AxisCoordinates, slower: bool = False) -> Partition:
    """The elements that gated coordinates ask for, those of all pieces side by side.

    `slower` says that more than one mode may decay from a layer, and not only on the scale of its thickness.
    """
    if isinstance(coordinates, RefinedPieces):
        return coordinates.elements
    parts = [_elements_of(coordinate, slower) for coordinate in coordinates]
    return parts[0] if len(parts) == 1 else Partition(*(np.concatenate(values) for values in zip(*parts, strict=True)))


def _elements_of(coordinate: Coordinate, slower: bool) -> Partition:
    layers = coordinate.layers
    if coordinate.blocks:
        return _uniform(coordinate)
    left, right = coordinate.left, coordinate.right
    outer = max(OUTER, (right - left) / (STEP * coordinate.width))
    location, thickness = [layer.location for layer in layers], [layer.thickness for layer in layers]
    grading = [layer.grading for layer in layers]
    return GatedInterval(left, right, location, thickness, grading, outer, slower).partition()


def _uniform(coordinate: Coordinate) -> Partition:
    """Elements of equal length in the gated coordinate, where blocks say more than the layers do."""
    count = max(2, int(np.ceil(coordinate.length / STEP)))
    cuts = coordinate.inverse(np.linspace(0.0, coordinate.length, count + 1))
    cuts[0], cuts[-1] = coordinate.left, coordinate.right
    anchors = np.array([coordinate.left, coordinate.right, *(layer.location for layer in coordinate.layers)])
    anchor = anchors[np.abs(0.5 * (cuts[1:] + cuts[:-1])[:, None] - anchors).argmin(axis=1)]
    return Partition(anchor, cuts[:-1] - anchor, (cuts[1:] - anchor) - (cuts[:-1] - anchor))


def halved(elements: Partition, which: Mask, part: Array | None = None) -> Partition:
    """Some elements divided into two, halves unless a part of each is given."""
    twice = np.where(which, 2, 1)
    anchor, offset, length = (np.repeat(values, twice) for values in elements)
    parts = np.repeat(np.full(which.size, 0.5) if part is None else part, twice)
    second = np.zeros(anchor.size, dtype=bool)
    second[np.cumsum(twice)[which] - 1] = True
    divided = np.repeat(which, twice)
    first = parts * length
    offset = np.where(second, offset + first, offset)
    return Partition(anchor, offset, np.where(divided, np.where(second, length - first, first), length))


def merged(elements: Partition, share: Array, most: float, order: int) -> Partition:
    """Neighbours as one element, where what the residual of each may add to the error stays below `most`.

    It grows with the length to the power `order`.
    """
    length = elements.length
    both = length[:-1] + length[1:]
    with np.errstate(all="ignore"):
        grown = np.maximum(share[:-1] * (both / length[:-1]) ** order, share[1:] * (both / length[1:]) ** order)
    kept, first = [], 0
    while first < length.size:
        pair = first + 1 < length.size and grown[first] <= most
        kept.append((first, both[first] if pair else length[first]))
        first += 2 if pair else 1
    at = np.array([index for index, _ in kept])
    return Partition(elements.anchor[at], elements.offset[at], np.array([own for _, own in kept]))


def halfway(elements: Partition, layers: Sequence[Layer]) -> Array:
    """Where elements are divided, as parts of them: half-way along the stretch of the layer that is densest there.

    Away from a layer elements become longer and longer; one that is too long there is too long on the layer's side.
    """
    part, densest = np.full(elements.length.size, 0.5), np.zeros(elements.length.size)
    for layer in layers:
        left = (elements.anchor - layer.location) + elements.offset
        right = left + elements.length
        density = 1.0 / np.hypot(layer.thickness, layer.grading * 0.5 * np.abs(left + right))
        near, far = np.minimum(np.abs(left), np.abs(right)), np.maximum(np.abs(left), np.abs(right))
        unit = layer.grading / layer.thickness
        middle = np.sinh(0.5 * (np.arcsinh(unit * near) + np.arcsinh(unit * far))) / unit
        own = np.where(left >= 0.0, (middle - near) / elements.length, (far - middle) / elements.length)
        known = (left * right >= 0.0) & (own > 0.0) & (own < 1.0)
        part = np.where(density > densest, np.where(known, own, 0.5), part)
        densest = np.maximum(densest, density)
    return part


def lay_out(problem: Problem, coordinates: AxisCoordinates, elements: Partition, degree: int) -> ElementLayout:
    """Elements with the conditions of a problem, each of which lives at one end."""
    (axis,), length, orders = problem.axes, elements.length, tuple(problem.order.values())
    ends = _given_states(problem, (float(length[0]), float(length[-1])))
    if ends is None:
        left = end_states(problem, axis.left, float(length[0]))
        ends = left, end_states(problem, axis.right, float(length[-1]))
    return ElementLayout(coordinates, elements, degree, orders, ends)


def _starts(problem: Problem) -> tuple[dict[str, int], int]:
    """Where every field begins in a state, and how many numbers a state has."""
    starts, size = {}, 0
    for field, order in problem.order.items():
        starts[field] = size
        size += order
    return starts, size


def _given_states(problem: Problem, lengths: tuple[float, float]) -> tuple[EndStates, EndStates] | None:
    """The states of both ends where each condition gives one number of them; None where one does more."""
    (axis,), (starts, size) = problem.axes, _starts(problem)
    given: tuple[dict[int, float], dict[int, float]] = {}, {}
    for condition in problem.conditions:
        term = condition.terms[0]
        own, length = (given[0], lengths[0]) if term.point == axis.left else (given[1], lengths[1])
        at = starts[term.field] + term.order
        if len(condition.terms) > 1 or term.weight == 0.0 or at in own:
            return None
        own[at] = condition.value / term.weight * length**term.order
    left, right = (
        EndStates(_free_states(size, frozenset(own)), np.array([own.get(j, 0.0) for j in range(size)])) for own in given
    )
    return left, right


@lru_cache
def _free_states(size: int, given: frozenset[int]) -> Array:
    """States in terms of the numbers that are not given, (M, free)."""
    basis = np.ascontiguousarray(np.delete(np.eye(size), sorted(given), axis=1))
    basis.setflags(write=False)
    return basis


def end_states(problem: Problem, place: float, length: float) -> EndStates:
    """The states that meet the conditions at one end; `length` is that of the element there."""
    starts, size = _starts(problem)
    rows, values = [], []
    for condition in problem.conditions:
        if condition.terms[0].point == place:
            row = [0.0] * size
            for term in condition.terms:
                row[starts[term.field] + term.order] += term.weight / length**term.order
            rows.append(row)
            values.append(condition.value)
    return EndStates.of(rows, values, size)
