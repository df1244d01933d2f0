"""A function as a table of its values: places dense in the layers, and the fields with their derivatives there."""

from __future__ import annotations  # help() shows types as they are written here

from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gated_xtfc.solution.frames import Grid, columns_of, xarray_dataset
from gated_xtfc.solution.tabular import Columns
from gated_xtfc.types import Array

if TYPE_CHECKING:  # extras: imported when asked for, and nowhere else
    import pandas
    import polars
    import xarray


class Gridded(ABC):
    """Tables of a function at as many places as are asked for."""

    @abstractmethod
    def _grid(self, points: int | None) -> Grid:
        """Places along every axis, and the fields with their derivatives over all of them."""

    @abstractmethod
    def _about(self) -> dict[str, Any]:
        """What a table should not be without: what was solved, and how well."""

    def _table(self, points: int | None) -> dict[str, Array]:
        """The same side by side, one row for each place."""
        return columns_of(self._grid(points))

    def to_csv(self, path: str | Path, points: int | None = None) -> None:
        """Write the coordinates and every field with its derivatives, at places dense in the layers.

        Parameters
        ----------
        path
            The file to write.
        points
            How many places, 1001 unless given; with several coordinates how many along each, 101 unless given. What
            moves is given at 21 times, each with 201 places of its own unless given.
        """
        Columns(self._table(points)).to_csv(path)

    def to_pandas(self, points: int | None = None) -> pandas.DataFrame:
        """The same as a frame of pandas: one row for each place, one column for each coordinate, field and derivative.

        Parameters
        ----------
        points
            As for `to_csv`.

        Returns
        -------
        pandas.DataFrame
            Its `attrs` say what was solved and how well.

        Raises
        ------
        InputError
            Where pandas is not installed (the extra `pandas`).
        """
        return Columns(self._table(points), self._about()).to_pandas()

    def to_polars(self, points: int | None = None) -> polars.DataFrame:
        """The same as a frame of polars.

        Parameters
        ----------
        points
            As for `to_csv`.

        Returns
        -------
        polars.DataFrame

        Raises
        ------
        InputError
            Where polars is not installed (the extra `polars`).
        """
        return Columns(self._table(points)).to_polars()

    def to_xarray(self, points: int | None = None) -> xarray.Dataset:
        """Fields and their derivatives as variables over the coordinates.

        Parameters
        ----------
        points
            As for `to_csv`; of what moves, how many even places and times, 101 unless given.

        Returns
        -------
        xarray.Dataset
            Its `attrs` say what was solved and how well.

        Raises
        ------
        InputError
            Where xarray is not installed (the extra `xarray`).
        """
        return xarray_dataset(self._grid(points), self._about())
