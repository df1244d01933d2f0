"""Where a solve begins when somebody knows the family: gates that join the predicted ones, and a start."""

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from gated_xtfc.errors import InputError
from gated_xtfc.gates.coordinate import Coordinate
from gated_xtfc.gates.predict import predict
from gated_xtfc.operator.linearise import Operator
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solver.adapt import Start

COARSER = 0.75  # of the advised density: below, a block of the advice is missing


class Adviser(Protocol):
    """Gates that depend on the member of a family, as learned ones do; None where they know nothing better."""

    def advise(self, problem: Problem) -> "Advice | None": ...


@dataclass(frozen=True)
class Advice:
    coordinates: tuple[Coordinate, ...]  # one for each piece
    start: Start | None = None  # of Newton's method; a linear problem needs none

    def begin(self, problem: Problem) -> tuple[Coordinate, ...] | None:
        """The predicted coordinates, nowhere coarser than predicted; None where the advice does not fit the problem."""
        layers = [layer for coordinate in self.coordinates for layer in coordinate.layers]
        start = self.start
        operator = Operator(problem) if start is None else Operator(problem, start.about, start.constants)
        try:
            predicted = predict(operator, seen=layers)
        except InputError:
            return None
        if len(predicted) != len(self.coordinates):
            return None
        return tuple(joined(own, advised) for own, advised in zip(predicted, self.coordinates, strict=True))


def joined(predicted: Coordinate, advised: Coordinate) -> Coordinate:
    """The predicted coordinate, which has the advised layers already, with the advised width and blocks as well."""
    found = replace(predicted, width=min(predicted.width, advised.width))
    for block in advised.blocks:
        ends = np.clip(np.array([block.left_x, block.right_x]), found.left, found.right)
        middle = found.inverse(found(ends).mean(keepdims=True))
        if found.jets(middle, 1)[1][0] < COARSER * advised.jets(middle, 1)[1][0]:
            span = found(ends)
            found = found.with_block(float(span[0]), float(span[1]), block.factor)
    return found
