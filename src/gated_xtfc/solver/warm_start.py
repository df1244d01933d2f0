"""A solve that begins with what is known of other members of the family: gates, and a start for Newton's method."""

from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

import numpy as np

from gated_xtfc.errors import InputError
from gated_xtfc.gates.coordinate import AxisCoordinates, Coordinate
from gated_xtfc.problem.problem import Problem
from gated_xtfc.problem.transform import Translation
from gated_xtfc.solver.adapt import adapt
from gated_xtfc.solver.discretisation import Discretisation, F, L, Start
from gated_xtfc.solver.strategy import Attempt, Settings, translation_needed

COARSER = 0.75  # of the learned density; where predicted kernels are sparser than this, a learned block is added


@dataclass(frozen=True)
class WarmStart:
    """Learned coordinates, and where Newton's method begins."""

    coordinates: AxisCoordinates  # one for each piece
    start: Start | None = None  # a linear problem needs none


@runtime_checkable
class GatePredictor(Protocol):
    """Gates that depend on the member of a family, as learned ones do."""

    def warm_start(self, problem: Problem) -> WarmStart | None:
        """Where a solve of this member begins; None where nothing better is known than the usual beginning."""


def attempt_warm(space: Discretisation[L, F], warm: WarmStart, settings: Settings) -> Attempt[F] | None:
    """The solution from a warm start; None where it does not reach the tolerance, and the usual way is to be taken."""
    coordinates = _begin(space, warm, settings.tol)
    if coordinates is None or not (space.problem.linear or warm.start is not None):
        return None
    adapted = adapt(space, (coordinates,), warm.start, settings.tol, settings.limits, settings.progress)
    found = Attempt(adapted, Translation((0.0,)))
    return found if found.converged(settings.tol) and translation_needed(found) is None else None


def _begin(space: Discretisation[L, F], warm: WarmStart, tol: float) -> AxisCoordinates | None:
    """Predicted and learned coordinates joined; None where what was learned does not fit the problem."""
    layers = [layer for coordinate in warm.coordinates for layer in coordinate.layers]
    try:
        (predicted,) = space.predict(tol, warm.start, seen=[layers])
    except InputError:
        return None
    if len(predicted) != len(warm.coordinates):
        return None
    return tuple(joined(own, learned) for own, learned in zip(predicted, warm.coordinates, strict=True))


def joined(predicted: Coordinate, learned: Coordinate) -> Coordinate:
    """The predicted coordinate, which has the learned layers already, with the learned width and blocks as well."""
    found = replace(predicted, width=min(predicted.width, learned.width))
    for block in learned.blocks:
        ends = np.clip(np.array([block.left_x, block.right_x]), found.left, found.right)
        middle = found.inverse(found(ends).mean(keepdims=True))
        if found.jets(middle, 1)[1][0] < COARSER * learned.jets(middle, 1)[1][0]:
            span = found(ends)
            found = found.with_block(float(span[0]), float(span[1]), block.factor)
    return found
