"""The rows of a sweep as columns: NumPy arrays by name, and frames or files of other kinds on request."""

import io
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gated_xtfc.errors import InputError, quoted, suggestion
from gated_xtfc.gates import Block, Gate, Layer
from gated_xtfc.gates.coordinate import AxisCoordinates, Coordinate
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solution.archive import unpack_solution
from gated_xtfc.solution.base import Solution
from gated_xtfc.solution.html import table_html
from gated_xtfc.solution.status import Status
from gated_xtfc.solution.tabular import Tabular
from gated_xtfc.sweeps.point import Value
from gated_xtfc.types import Array

Column = NDArray[Any]  # (n,) of numbers, counts, texts or bytes: the name decides


@dataclass(frozen=True, eq=False)
class Table(Tabular):
    """The rows of a sweep, as columns: ``table["nu"]`` has one value for each point, (n,).

    Beside the swept parameters and the quantities there are the columns status, message, error, neurons, rounds,
    seconds and gates. A status is that of a solution, or "failed" (the message says why), "time limit" or
    "worker died". Numbers that could not be had are NaN.

    Attributes
    ----------
    family
        A member of the family that was swept; None where the table is empty.
    tol
        The tolerance of the solves.
    parameters
        The names of the swept parameters.
    names
        Their columns: the same, with an underscore where another column has such a name.
    quantities
        The columns of the quantities, which are called by their texts.
    data
        All columns by name.

    Examples
    --------
    >>> import gated_xtfc as gx
    >>> layer = gx.Problem("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=1e-2)
    >>> table = gx.sweep(layer, {"nu": [1e-3, 1e-2]}, quantities="max(u)", solutions=True, workers=1)
    >>> table
    Table(2 points over nu; 2 converged)
    >>> table["nu"].tolist(), table["max(u)"].round(6).tolist(), bool(table.converged.all())
    ([0.001, 0.01], [1.0, 1.0], True)
    >>> [row["nu"] for row in table if row["status"] == "converged"]
    [0.001, 0.01]
    >>> table.problem(0).parameters["nu"], round(table.solution(0)(0.999), 6)
    (0.001, 0.367879)
    """

    family: Problem | None
    tol: float
    parameters: tuple[str, ...]
    names: tuple[str, ...]
    quantities: tuple[str, ...]
    data: dict[str, Column]

    def __len__(self) -> int:
        return len(self.data["status"])

    def __getitem__(self, name: str) -> Column:
        """A column by its name, (n,)."""
        if name not in self.data:
            hint = suggestion(str(name), self.data, f"its columns are {', '.join(self.data)}")
            raise InputError(f"the table has no column {quoted(str(name))}: {hint}")
        return self.data[name]

    def __iter__(self) -> Iterator[dict[str, Value]]:
        """The rows one after the other, each by the names of the columns, without the solutions."""
        names = tuple(self.plain())
        return (dict(zip(names, row, strict=True)) for row in self.rows())

    def __repr__(self) -> str:
        return f"Table({len(self)} points over {', '.join(self.names)}; {self.tally()})"

    def _repr_html_(self) -> str:
        """What a notebook shows: the first and the last rows, and how many there are of each status."""
        left_out = {"gates", *(["message"] if self.converged.all() else [])}  # too long for eyes; all alike
        shown = {name: column for name, column in self.plain().items() if name not in left_out}
        return table_html(shown, self.tally())

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns."""
        return tuple(self.data)

    @property
    def converged(self) -> NDArray[np.bool_]:
        """Which rows are within the tolerance, (n,)."""
        return np.asarray(self.data["status"] == Status.CONVERGED.value)

    @property
    def points(self) -> Array:
        """The swept parameters, (n, d)."""
        return np.stack([self.data[name] for name in self.names], axis=1)

    def tally(self) -> str:
        """How many rows there are of each status, the most frequent first.

        Returns
        -------
        str
            Such as ``497 converged, 3 time limit``.
        """
        statuses, counts = np.unique(self.data["status"], return_counts=True)
        order = np.argsort(-counts, kind="stable")
        return ", ".join(f"{counts[i]} {statuses[i]}" for i in order)

    def problem(self, row: int) -> Problem:
        """The member of the family that a row is about.

        Parameters
        ----------
        row
            Its number, from 0.

        Returns
        -------
        Problem

        Raises
        ------
        InputError
            Where the table is empty.
        """
        if self.family is None:
            raise InputError("the table is empty: sweep first")
        return self.family(
            **{name: float(value) for name, value in zip(self.parameters, self.points[row], strict=True)}
        )

    def coordinates(self, row: int) -> AxisCoordinates:
        """The gated coordinate that the solve of a row ended with.

        Parameters
        ----------
        row
            Its number, from 0.

        Returns
        -------
        tuple of Coordinate
            One for each piece of the interval; none for a rectangle, and where nothing was solved.
        """
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
        """The gates that the solve of a row ended with.

        Parameters
        ----------
        row
            Its number, from 0.

        Returns
        -------
        tuple of Layer and Block
            As `Solution.gates` has them; on a rectangle those of one axis after the other.
        """
        found: list[Gate] = []
        for entry in json.loads(self.data["gates"][row]):
            settings = {name: value for name, value in entry.items() if name not in ("kind", "axis")}
            if entry["kind"] in ("layer", "block"):
                found.append(Layer(**settings) if entry["kind"] == "layer" else Block(**settings))
        return tuple(found)

    def solution(self, row: int) -> Solution:
        """The solution of a row, where the sweep kept them.

        Parameters
        ----------
        row
            Its number, from 0.

        Returns
        -------
        Solution

        Raises
        ------
        InputError
            Where the sweep was without ``solutions=True``, or the row has none.
        """
        if "solution" not in self.data:
            raise InputError("the sweep kept no solutions: sweep with solutions=True")
        blob = self["solution"][row]
        if blob is None:
            raise InputError(f"row {row} has no solution: {self['message'][row]}")
        return unpack_solution(io.BytesIO(blob), f"the solution of row {row}")

    def rows(self) -> Iterator[tuple[Value, ...]]:
        """The rows one after the other, as plain Python values.

        Returns
        -------
        iterator of tuple
            In the order of the columns, without the solutions.
        """
        return zip(*(column.tolist() for column in self.plain().values()), strict=True)

    def plain(self) -> dict[str, Column]:
        """The columns that other programs understand.

        Returns
        -------
        dict
            All columns by name, except the solutions.
        """
        return {name: column for name, column in self.data.items() if name != "solution"}

    def _columns(self) -> dict[str, Column]:
        return self.plain()
