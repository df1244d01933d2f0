"""Everything a figure of a solution on a rectangle shows, sampled once on grids along both axes."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gated_xtfc.solution.rectangle import RectangleSolution

Array = NDArray[np.float64]
HALF = 121  # points on an axis: as many uniform in the gated coordinate as uniform in x


@dataclass(frozen=True)
class PlaneSamples:
    """`x`, `y` (n,), (m,); `xi`, `eta` are their gated coordinates scaled onto [0, 1]; surfaces are (n, m)."""

    x: Array
    y: Array
    xi: Array
    eta: Array
    values: Array
    width_x: Array
    width_y: Array
    residual: Array  # dimensionless
    error: float | None  # the largest against the exact solution, relative to the scale

    @classmethod
    def of(cls, solution: RectangleSolution) -> "PlaneSamples":
        dense = [points.ravel() for points in solution.grid(HALF)]
        even = [np.linspace(axis.left, axis.right, HALF) for axis in solution.problem.axes]
        x, y = (np.union1d(*pair) for pair in zip(dense, even, strict=True))
        xi, eta = solution.coordinates(x, y)
        width_x, width_y = solution.widths(x, y)
        grid = x[:, None], y[None, :]
        values = np.asarray(solution(*grid))
        exact = solution.problem.exact
        return cls(
            x,
            y,
            (xi - xi[0]) / (xi[-1] - xi[0]),
            (eta - eta[0]) / (eta[-1] - eta[0]),
            values,
            width_x,
            width_y,
            np.abs(np.asarray(solution.scaled_residual(*grid))),
            None if exact is None else float(np.abs(values - exact(*grid)).max()) / solution.scale,
        )

    def at(self, axis: int, place: float) -> float:
        """Where a place lies along the gated coordinate of an axis, from 0 to 1."""
        points, gated = (self.x, self.xi) if axis == 0 else (self.y, self.eta)
        return float(np.interp(place, points, gated))

    def hides(self, pixels: int) -> bool:
        """Whether half of what the values range over is passed within one of so many pixels along an axis."""
        most = 0.0
        for points, values in ((self.x, self.values), (self.y, self.values.T)):
            pixel = np.floor((points - points[0]) / (points[-1] - points[0]) * pixels)
            starts = np.flatnonzero(np.diff(pixel, prepend=-1.0))
            passed = np.maximum.reduceat(values, starts) - np.minimum.reduceat(values, starts)
            most = max(most, float(passed.max()))
        return most > 0.5 * float(np.ptp(self.values)) > 0.0
