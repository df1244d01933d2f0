"""Nodes where conditions stand: elements cut at their places, and none of them much longer than its neighbours."""

from collections.abc import Sequence

import numpy as np

from gated_xtfc.discretise.partition import Partition
from gated_xtfc.problem.problem import Problem
from gated_xtfc.types import Array

UNEVEN = 100.0  # an element's length over a neighbour's
ROUNDED = 2.0  # spacings of numbers: an end so close to a place stands there
NEAR = 0.15  # of the elements beside: an end so close to a place is moved there, rather than another one made


def condition_places(problem: Problem) -> list[float]:
    """The places that conditions and jumps speak of, from left to right."""
    found = {float(term.point) for condition in problem.conditions for term in condition.terms}
    found |= {float(x) for condition in problem.nonlinear_conditions for _, _, x in condition.places}
    return sorted(found | {float(jump.place) for jump in problem.jumps})


def moved_to(elements: Partition, places: Sequence[float], fixed: Sequence[float]) -> Partition:
    """Elements that end at these places: an end close by is moved there, unless it is among those that are `fixed`."""
    held, uneven = list(fixed), False
    for place in places:
        cuts = (elements.anchor + elements.offset)[1:]
        distance = (place - elements.anchor[1:]) - elements.offset[1:]
        if distance.size and place not in held:
            k = int(np.abs(distance).argmin())
            left, right = elements.length[k], elements.length[k + 1]
            near = abs(distance[k]) <= NEAR * min(left, right)
            if near and distance[k] != 0.0 and not any(abs(cuts[k] - one) <= abs(distance[k]) for one in held):
                elements = Partition(*(values.copy() for values in elements))
                elements.length[k] += distance[k]
                elements.length[k + 1] -= distance[k]
                elements.offset[k + 1] += distance[k]
        more = cut_at(elements, [place])
        if more.length.size > elements.length.size:
            k = node_at((more.anchor + more.offset), place)
            uneven |= not 1.0 <= UNEVEN * more.length[k] / more.length[k - 1] <= UNEVEN**2
        elements = more
        held.append(place)
    return balanced(elements) if uneven else elements


def node_at(ends: Array, place: float) -> int:
    """The end of elements that stands at a place."""
    return int(np.abs(ends - place).argmin())


def cut_at(elements: Partition, places: list[float]) -> Partition:
    """Elements that end at these places too."""
    for place in places:
        distance = (place - elements.anchor) - elements.offset
        rounding = ROUNDED * np.spacing(np.maximum(np.abs(elements.anchor), abs(place)))
        inside = np.flatnonzero((distance > rounding) & (distance < elements.length - rounding))
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
