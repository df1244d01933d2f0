"""What is made of columns of numbers can be taken elsewhere: as a CSV file, a frame of pandas or polars, Parquet."""

from __future__ import annotations  # help() shows types as they are written here

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from gated_xtfc.files import replacing
from gated_xtfc.solution.frames import pandas_frame, polars_frame
from gated_xtfc.solution.table import write_csv

if TYPE_CHECKING:  # extras: imported when asked for, and nowhere else
    import pandas
    import polars


class Tabular(ABC):
    """Columns by name, handed on to other programs."""

    @abstractmethod
    def _columns(self) -> Mapping[str, NDArray[Any]]:
        """The columns by name, (n,) each: numbers, counts or texts."""

    def _about(self) -> Mapping[str, Any]:
        """What a frame of them should say of itself."""
        return {}

    def to_csv(self, path: str | Path) -> None:
        """Write a CSV file: a header with the names, then one line for each row, every number with all its digits.

        Parameters
        ----------
        path
            The file; one that is there is replaced.
        """
        columns = self._columns()
        write_csv(path, columns, list(columns.values()))

    def to_pandas(self) -> pandas.DataFrame:
        """The columns as a frame of pandas.

        Returns
        -------
        pandas.DataFrame

        Raises
        ------
        InputError
            Where pandas is not installed (the extra `pandas`).
        """
        return pandas_frame(self._columns(), self._about())

    def to_polars(self) -> polars.DataFrame:
        """The columns as a frame of polars.

        Returns
        -------
        polars.DataFrame

        Raises
        ------
        InputError
            Where polars is not installed (the extra `polars`).
        """
        return polars_frame(self._columns())

    def to_parquet(self, path: str | Path) -> None:
        """Write a Parquet file.

        Parameters
        ----------
        path
            The file; one that is there is replaced.

        Raises
        ------
        InputError
            Where polars, which writes it, is not installed (the extra `polars`).
        """
        frame = self.to_polars()
        with replacing(path) as file:
            frame.write_parquet(file)


@dataclass(frozen=True, eq=False)
class Columns(Tabular):
    """Columns that are there already."""

    data: Mapping[str, NDArray[Any]]
    about: Mapping[str, Any] = field(default_factory=dict)

    def _columns(self) -> Mapping[str, NDArray[Any]]:
        return self.data

    def _about(self) -> Mapping[str, Any]:
        return self.about
