"""Elements whose conditions may stand anywhere: a node is put at every place of a condition, and ties its states.

Conditions give some numbers of the states that they speak of in terms of the others: those of one place, of both ends
as where something is periodic, or of places as close together as numbers allow.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gated_xtfc.discretise.partition import Partition
from gated_xtfc.gates.coordinate import AxisCoordinates
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solver.interval.element_layout import ElementLayout, EndStates, node_lengths
from gated_xtfc.types import Array, Index

UNEVEN = 100.0  # an element's length over a neighbour's
DEPENDENT = 1e-12  # of the largest singular value: conditions that say no more than others


@dataclass(frozen=True)
class TiedLayout(ElementLayout):
    """As `ElementLayout`, with the states at some nodes tied by conditions."""

    tied: EndStates  # the states that conditions speak of
    where: Index  # which of all states those are

    @property
    def neurons(self) -> int:
        """Numbers that are determined by the equations."""
        return self.count * self.bubbles + int(self.basis.shape[1])

    @cached_property
    def basis(self) -> Array:
        """All states in terms of the numbers that conditions leave free, ((K + 1) M, free)."""
        size = (self.count + 1) * self.state
        others = np.setdiff1d(np.arange(size), self.where)
        found = np.zeros((size, others.size + self.tied.free))
        # numbered from left to right, so that the factorisation that joins elements stays close to a band
        owners = np.concatenate([others, self.where[self.tied.basis.argmax(axis=0)]])
        place = np.argsort(np.argsort(owners, kind="stable"), kind="stable")
        found[others, place[: others.size]] = 1.0
        found[np.ix_(self.where, place[others.size :])] = self.tied.basis
        return found

    @cached_property
    def particular(self) -> Array:
        """States that meet the conditions and vanish where there are none, ((K + 1) M,)."""
        found = np.zeros((self.count + 1) * self.state)
        found[self.where] = self.tied.particular
        return found


def condition_places(problem: Problem) -> list[float]:
    """The places that conditions speak of, from left to right."""
    return sorted({float(term.point) for condition in problem.conditions for term in condition.terms})


def cut_at(elements: Partition, places: list[float]) -> Partition:
    """Elements that end at these places too."""
    for place in places:
        distance = (place - elements.anchor) - elements.offset
        inside = np.flatnonzero((distance > 0.0) & (distance < elements.length))
        if inside.size:
            elements = _cut(elements, int(inside[0]), float(distance[inside[0]]))
    return elements


def balanced(elements: Partition) -> Partition:
    """None much longer than its neighbours: slopes that short elements determine would be lost beside long ones."""
    k = 0
    while k < elements.length.size:
        length = elements.length
        before, after = (UNEVEN * float(length[j]) if 0 <= j < length.size else np.inf for j in (k - 1, k + 1))
        if before < length[k] <= 2.0 * before or after < length[k] <= 2.0 * after:
            elements = _cut(elements, k, 0.5 * float(length[k]))
        elif before < length[k]:
            elements = _cut(elements, k, before)
        elif after < length[k]:
            elements = _cut(elements, k, float(length[k]) - after)
            continue  # what is left of it may be too long for what comes before
        k += 1
    return elements


def _cut(elements: Partition, k: int, near: float) -> Partition:
    """One element divided at some distance from its left end."""
    anchor, offset, length = (np.insert(values, k + 1, values[k]) for values in elements)
    length[k], length[k + 1] = near, length[k + 1] - near
    offset[k + 1] = offset[k] + near
    return Partition(anchor, offset, length)


def lay_out_tied(problem: Problem, coordinates: AxisCoordinates, elements: Partition, degree: int) -> TiedLayout | None:
    """Elements with the conditions of a problem; None where these depend on one another."""
    orders, (axis,) = tuple(problem.order.values()), problem.axes
    size, starts = sum(orders), dict(zip(problem.order, np.cumsum([0, *orders[:-1]]).tolist(), strict=True))
    ends = np.concatenate([elements.anchor + elements.offset, [axis.right]])
    lengths = node_lengths(elements.length)
    column: dict[int, int] = {}
    rows: list[dict[int, float]] = []
    for condition in problem.conditions:
        row: dict[int, float] = {}
        for term in condition.terms:
            node = int(np.abs(ends - float(term.point)).argmin())
            for order in range(size):  # all that is known at a node is spoken of together
                column.setdefault(node * size + order, len(column))
            at = node * size + starts[term.field] + term.order
            row[at] = row.get(at, 0.0) + term.weight / float(lengths[node]) ** term.order
        rows.append(row)
    table = np.zeros((len(rows), len(column)))
    for k, row in enumerate(rows):
        for at, weight in row.items():
            table[k, column[at]] = weight
    largest = np.abs(table).max(axis=1, keepdims=True)
    if not (largest > 0.0).all():
        return None
    singular = np.linalg.svd(table / largest, compute_uv=False)
    if singular[-1] <= DEPENDENT * singular[0]:
        return None
    tied = EndStates.of(table.tolist(), [condition.value for condition in problem.conditions], len(column))
    free = EndStates.of([], [], size)
    return TiedLayout(coordinates, elements, degree, orders, (free, free), tied, np.array(list(column)))
