"""The rows of a sweep as columns: NumPy arrays by name, and frames or files of other kinds on request."""

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gated_xtfc.errors import InputError, quoted, suggestion
from gated_xtfc.gates import Block, Gate, Layer
from gated_xtfc.gates.coordinate import AxisCoordinates, Coordinate
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solution.archive import unpack_solution
from gated_xtfc.solution.base import Solution
from gated_xtfc.solution.status import Status
from gated_xtfc.sweeps.point import Value
from gated_xtfc.types import Array

if TYPE_CHECKING:  # extras: imported when asked for, and nowhere else
    import pandas
    import polars

Column = NDArray[Any]  # (n,) of numbers, counts, texts or bytes: the name decides


@dataclass(frozen=True, eq=False)
class Table:
    """`table["nu"]`, `table["error"]`, `table["u(0.5)"]`: one value for each point, (n,)."""

    family: Problem | None  # any member; None where the store is empty
    tol: float
    parameters: tuple[str, ...]  # that were swept
    names: tuple[str, ...]  # their columns: the same, unless another column has such a name
    quantities: tuple[str, ...]  # columns of the quantities
    data: dict[str, Column]

    def __len__(self) -> int:
        return len(self.data["status"])

    def __getitem__(self, name: str) -> Column:
        if name not in self.data:
            hint = suggestion(str(name), self.data, f"its columns are {', '.join(self.data)}")
            raise InputError(f"the table has no column {quoted(str(name))}: {hint}")
        return self.data[name]

    def __repr__(self) -> str:
        return f"Table({len(self)} points over {', '.join(self.names)}; {self.tally()})"

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.data)

    @property
    def converged(self) -> NDArray[np.bool_]:
        return np.asarray(self.data["status"] == Status.CONVERGED.value)

    @property
    def points(self) -> Array:
        """The swept parameters, (n, d)."""
        return np.stack([self.data[name] for name in self.names], axis=1)

    def tally(self) -> str:
        """How many of each status: `497 converged, 3 time limit`."""
        statuses, counts = np.unique(self.data["status"], return_counts=True)
        order = np.argsort(-counts, kind="stable")
        return ", ".join(f"{counts[i]} {statuses[i]}" for i in order)

    def problem(self, row: int) -> Problem:
        """The member of the family that a row is about."""
        if self.family is None:
            raise InputError("the table is empty: sweep first")
        return self.family(
            **{name: float(value) for name, value in zip(self.parameters, self.points[row], strict=True)}
        )

    def coordinates(self, row: int) -> AxisCoordinates:
        """The gated coordinate of every piece of an interval, as the last round left it."""
        found: list[Coordinate] = []
        for entry in json.loads(self.data["gates"][row]):
            settings = dict(entry)
            kind = settings.pop("kind")
            if kind == "piece":
                found.append(Coordinate(**settings))
            elif kind == "layer" and found:
                found[-1] = replace(found[-1], layers=(*found[-1].layers, Layer(**settings)))
            elif kind == "block" and found:
                found[-1] = replace(found[-1], blocks=(*found[-1].blocks, Block(**settings)))
        return tuple(found)

    def gates(self, row: int) -> tuple[Gate, ...]:
        """Layers and blocks of all pieces, as `solution.gates`; on a rectangle those of one axis after the other."""
        found: list[Gate] = []
        for entry in json.loads(self.data["gates"][row]):
            settings = {name: value for name, value in entry.items() if name not in ("kind", "axis")}
            if entry["kind"] in ("layer", "block"):
                found.append(Layer(**settings) if entry["kind"] == "layer" else Block(**settings))
        return tuple(found)

    def solution(self, row: int) -> Solution:
        """The solution of a row, where the sweep kept them."""
        if "solution" not in self.data:
            raise InputError("the sweep kept no solutions: sweep with solutions=True")
        blob = self["solution"][row]
        if blob is None:
            raise InputError(f"row {row} has no solution: {self['message'][row]}")
        return unpack_solution(io.BytesIO(blob), f"the solution of row {row}")

    def rows(self) -> Iterator[tuple[Value, ...]]:
        """Plain Python values, without the solutions."""
        return zip(*(column.tolist() for column in self.plain().values()), strict=True)

    def plain(self) -> dict[str, Column]:
        """The columns that other programs understand: all but the solutions."""
        return {name: column for name, column in self.data.items() if name != "solution"}

    def to_csv(self, path: str | Path) -> None:
        with Path(path).open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(self.plain())
            writer.writerows(self.rows())

    def to_pandas(self) -> "pandas.DataFrame":
        try:
            import pandas
        except ImportError:
            raise InputError("pandas is not installed: pip install 'gated-xtfc[pandas]'") from None
        return pandas.DataFrame(self.plain())

    def to_polars(self) -> "polars.DataFrame":
        try:
            import polars
        except ImportError:
            raise InputError("polars is not installed: pip install 'gated-xtfc[polars]'") from None
        return polars.DataFrame({name: column.tolist() for name, column in self.plain().items()})

    def to_parquet(self, path: str | Path) -> None:
        self.to_polars().write_parquet(Path(path))
