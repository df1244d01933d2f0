"""Conditions at a singular end that contradict what the end itself forces.

At x = 0 the equation eps x u'' + u' - u = 0 leaves bounded solutions no choice: u'(0) = u(0). Kernels can meet
u'(0) = 0 all the same, by a layer of their own as thin as the narrowest of them, in which u hardly changes. Across
the narrowest kernels a derivative changes the less, the narrower they are, be it smooth or a power of the distance.
Where it changes by as much, that is not the equation's doing.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from gated_xtfc.discretise.kernel_sum import KernelSum
from gated_xtfc.gates import Layer
from gated_xtfc.gates.coordinate import AxisCoordinates, Coordinate
from gated_xtfc.gates.prediction import thinnest_resolvable
from gated_xtfc.problem.nonlinear_condition import Place
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solver.refine import GRADED, ROOM

WIDTHS = (1e-4, 1e-9)  # of kernels at the end, as parts of the domain; to the power 1/j for a derivative of order j
ACROSS = 30.0  # of these, across which a layer of the kernels' own is over
KEPT = 0.9  # part of the change on the wider ones that is left on the narrower ones: no power above 0.01 leaves so much
NOISE = 1e5 * float(np.finfo(float).eps)  # of the field over the width to the order: less may be rounding
THIN = 1e-2  # of the domain: where kernels are wider, nothing has asked for narrower ones
SIZES = np.linspace(0.0, 1.0, 33)  # parts of the domain at which the size of the field is taken


def contradicting(
    problem: Problem, coordinates: AxisCoordinates, solved: Callable[[AxisCoordinates], KernelSum]
) -> tuple[str, ...]:
    """The conditions that are met by a layer of the kernels' own alone; `solved` fits on other coordinates.

    Only ends towards which kernels have become narrower are looked at: without, there is no such layer.
    """
    left, right = coordinates[0].left, coordinates[-1].right
    fits: dict[tuple[float, int], list[KernelSum]] = {}
    found = []
    for text, (field, order, place) in _stated(problem):
        piece = coordinates[0] if place == left else coordinates[-1]
        if place not in (left, right) or place not in piece.singular or not _narrow(piece, place, right - left):
            continue
        power, f = max(order, 1), problem.fields.index(field)
        least = ROOM * thinnest_resolvable(place)
        widths = [max(part ** (1.0 / power) * (right - left), least) for part in WIDTHS]
        if (place, power) not in fits:
            fits[place, power] = [solved(_narrowed(coordinates, place, width, widths[-1])) for width in widths]
        functions, changes = fits[place, power], []
        for function, width in zip(functions, widths, strict=True):
            away = place + ACROSS * width if place == left else place - ACROSS * width
            values = function.within(f, np.array([place, away]), order)
            changes.append(abs(float(values[1] - values[0])))
        size = float(np.abs(functions[0].within(f, left + (right - left) * SIZES, 0)).max())
        if changes[1] > max(KEPT * changes[0], NOISE * size / widths[1] ** order):
            found.append(text)
    return tuple(dict.fromkeys(found))


def _stated(problem: Problem) -> Iterator[tuple[str, Place]]:
    """Every value that a condition asks for, with its text."""
    for one in problem.conditions:
        yield from ((one.text, (term.field, term.order, term.point)) for term in one.terms)
    for other in problem.nonlinear_conditions:
        yield from ((other.text, place) for place in other.places)


def _narrow(piece: Coordinate, place: float, length: float) -> bool:
    """Whether kernels at a place are narrow."""
    return bool(piece.jets(np.array([place]), 1)[1][0] * THIN * length > 1.0)


def _narrowed(coordinates: AxisCoordinates, place: float, width: float, near: float) -> AxisCoordinates:
    """With kernels of that width at an end, in the place of those that are there."""
    added = Layer(place, width, GRADED)
    return tuple(
        piece
        if place not in (piece.left, piece.right)
        else replace(
            piece, layers=(added, *(layer for layer in piece.layers if abs(layer.location - place) > near)), blocks=()
        )
        for piece in coordinates
    )
