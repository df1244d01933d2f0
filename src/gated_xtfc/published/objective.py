"""What the outer searches minimise: the residual on points that the fit has not seen, on a line and on a rectangle.

The text takes the mean square on a uniform grid. The released scripts take the root of the integral on a line; on a
rectangle the largest value on a grid warped towards a point: t = c + sign(s) s^2 of what is left.
"""

from dataclasses import dataclass

import numpy as np

from gated_xtfc.baselines.checks import check_one_of, check_whole
from gated_xtfc.baselines.surrogate import Surrogate
from gated_xtfc.problem.domain import Axis
from gated_xtfc.published.plane_surrogate import PlaneSurrogate
from gated_xtfc.published.soft_split import SoftSplit, grid
from gated_xtfc.types import Array


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
        check_one_of(("energy", "root"), measure=self.measure)
        check_one_of(("uniform", "blocks"), placement=self.placement)
        check_whole(4, points=self.points)

    def grid(self, split: SoftSplit, axis: Axis) -> Array:
        closed = split.closed if self.closed is None else self.closed
        splits = () if self.placement == "uniform" else split.splits
        return grid(np.array([axis.left, *splits, axis.right]), self.points // (len(splits) + 1), closed)

    def __call__(self, surrogate: Surrogate, split: SoftSplit) -> float:
        x = self.grid(split, surrogate.problem.axes[0])
        squared = np.asarray(surrogate.residual(x)) ** 2
        if self.measure == "energy":
            return float(squared.mean())
        return float(np.sqrt(np.diff(x) @ (squared[1:] + squared[:-1]) / 2.0))


@dataclass(frozen=True)
class PlaneObjective:
    """`measure`: "energy", the mean of r^2, or "largest", max|r|; `focus`: where the grid gathers, as fractions."""

    points: int = 200  # along each axis
    measure: str = "energy"
    focus: tuple[float, float] | None = None  # None: a uniform grid

    def __post_init__(self) -> None:
        check_one_of(("energy", "largest"), measure=self.measure)
        check_whole(4, points=self.points)

    def grid(self, axes: tuple[Axis, Axis]) -> tuple[Array, Array]:
        places = self.focus or (None, None)
        x, y = (
            axis.left + axis.length * gathered(self.points, place) for axis, place in zip(axes, places, strict=True)
        )
        return x, y

    def __call__(self, surrogate: PlaneSurrogate) -> float:
        residual = surrogate.grid_residual(*self.grid(surrogate.rectangle.axes))
        return float((residual**2).mean() if self.measure == "energy" else np.abs(residual).max())


def gathered(count: int, focus: float | None) -> Array:
    """`count` points of [0, 1], uniform or quadratically denser at the focus."""
    if focus is None:
        return np.linspace(0.0, 1.0, count)
    s = np.linspace(-1.0, 1.0, count)
    return np.where(s < 0.0, focus * (1.0 - s * s), focus + (1.0 - focus) * s * s)
