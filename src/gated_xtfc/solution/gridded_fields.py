"""The fields of a solution as a table: places dense in its layers, and what it should not be without."""

from __future__ import annotations  # help() shows types as they are written here

from abc import abstractmethod
from typing import Any

import numpy as np

from gated_xtfc.errors import InputError
from gated_xtfc.solution.fields import SolvedFields
from gated_xtfc.solution.frames import Grid
from gated_xtfc.solution.gridded import Gridded
from gated_xtfc.types import Array


class GriddedFields(SolvedFields, Gridded):
    """Places from end to end, uniform in the gated coordinate, and the fields there."""

    @abstractmethod
    def points(self, count: int = 1001) -> Array:
        """Places from end to end, uniform in the gated coordinate and so dense in the layers.

        Parameters
        ----------
        count
            How many; on a rectangle as many as the next square number.

        Returns
        -------
        array
            x, of shape (n,), on an interval; x and y as two rows, (2, n), on a rectangle, so that
            ``solution(*solution.points())`` works there.
        """

    def _grid(self, points: int | None) -> Grid:
        """Places along every axis, dense in the layers, and the fields over all of them; a space may add more."""
        count = (1001 if len(self.problem.axes) == 1 else 101) if points is None else points
        along = [self._axis_points(k, count) for k in range(len(self.problem.axes))]
        everywhere = np.meshgrid(*along, indexing="ij")
        places = {axis.name: one for axis, one in zip(self.problem.axes, along, strict=True)}
        return places, {name: np.asarray(self[name](*everywhere)) for name in self.problem.fields}

    def _about(self) -> dict[str, Any]:
        """What a table of the solution should not be without."""
        return {
            "equation": "; ".join(self.problem.texts),
            **self.problem.parameters,
            **{name: value for name, value in self.unknown_values.items() if name not in self.problem.parameters},
            "status": str(self.status),
            "error": self.error,
            "tol": self.tol,
        }

    def _axis_points(self, axis: int, count: int) -> Array:
        """Points of one axis from end to end, uniform in the gated coordinate, so dense in the layers."""
        if not (isinstance(count, int | np.integer) and count >= 2):
            raise InputError(f"{count!r} points were asked for: give a whole number of at least 2")
        x, ends = self.charts[axis].points(int(count)), self.window[axis]
        x[0], x[-1] = ends.left, ends.right
        inside: Array = np.minimum(np.maximum(x, x[0]), x[-1])
        return inside
