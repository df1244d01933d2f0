"""What the outer search minimises: the residual on points that the fit has not seen."""

from dataclasses import dataclass

import numpy as np

from gated_xtfc.baselines.surrogate import Surrogate
from gated_xtfc.errors import InputError
from gated_xtfc.problem.domain import Axis
from gated_xtfc.published.layout import grid
from gated_xtfc.published.soft_split import SoftSplit
from gated_xtfc.types import Array

MEASURES = ("energy", "root")
PLACEMENTS = ("uniform", "blocks")


@dataclass(frozen=True)
class Objective:
    """`measure`: "energy", the mean of r^2, or "root", sqrt(integral of r^2) by the trapezoidal rule, as released.

    `placement`: "uniform", or "blocks" with as many points in every block, so that the layer is seen.
    `closed`: whether the right end is one of the points; None is as in the layout of the fit.
    """

    points: int = 800
    measure: str = "energy"
    placement: str = "uniform"
    closed: bool | None = None

    def __post_init__(self) -> None:
        if self.measure not in MEASURES or self.placement not in PLACEMENTS:
            raise InputError(
                f"the objective is {self.measure!r} on {self.placement!r} points: "
                f"give one of {', '.join(MEASURES)} and one of {', '.join(PLACEMENTS)}"
            )
        if not isinstance(self.points, int) or self.points < 4:
            raise InputError(f"the objective has {self.points!r} points: give a whole number of at least 4")

    def grid(self, split: SoftSplit, axis: Axis) -> Array:
        closed = split.closed if self.closed is None else self.closed
        splits = () if self.placement == "uniform" else split.splits
        return grid(np.array([axis.left, *splits, axis.right]), self.points // (len(splits) + 1), closed)

    def __call__(self, surrogate: Surrogate, split: SoftSplit) -> float:
        x = self.grid(split, surrogate.problem.axis)
        squared = np.asarray(surrogate.residual(x)) ** 2
        if self.measure == "energy":
            return float(squared.mean())
        return float(np.sqrt(np.diff(x) @ (squared[1:] + squared[:-1]) / 2.0))
