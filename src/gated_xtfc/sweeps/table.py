"""The rows of a sweep as columns: NumPy arrays by name, and frames or files of other kinds on request."""

import csv
import io
import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gated_xtfc.errors import InputError, quoted, suggestion
from gated_xtfc.gates import Block, Gate, Layer
from gated_xtfc.gates.coordinate import AxisCoordinates, Coordinate
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solution.archive import unpack_solution
from gated_xtfc.solution.base import Solution
from gated_xtfc.sweeps import frames
from gated_xtfc.sweeps.store import Store, about_of, explained
from gated_xtfc.sweeps.study import FIGURES, Study

TEXTS = ("status", "message", "gates")
COUNTS = ("neurons", "rounds")


@dataclass(frozen=True, eq=False)
class Table:
    """`table["nu"]`, `table["error"]`, `table["u(0.5)"]`: one value for each point, (n,)."""

    family: Problem | None  # any member; None where the store is empty
    tol: float
    parameters: tuple[str, ...]  # that were swept
    names: tuple[str, ...]  # their columns: the same, unless another column has such a name
    quantities: tuple[str, ...]  # columns of the quantities
    data: dict[str, NDArray[Any]]

    def __len__(self) -> int:
        return len(self.data["status"])

    def __getitem__(self, name: str) -> NDArray[Any]:
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
        return np.asarray(self.data["status"] == "converged")

    @property
    def points(self) -> NDArray[np.float64]:
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

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Plain Python values, without the solutions."""
        return zip(*(column.tolist() for name, column in self.data.items() if name != "solution"), strict=True)

    def plain(self) -> dict[str, NDArray[Any]]:
        """The columns that other programs understand: all but the solutions."""
        return {name: column for name, column in self.data.items() if name != "solution"}

    def to_csv(self, path: str | Path) -> None:
        with Path(path).open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(self.plain())
            writer.writerows(self.rows())

    def to_pandas(self) -> Any:
        return frames.pandas_frame(self.plain())

    def to_polars(self) -> Any:
        return frames.polars_frame(self.plain())

    def to_parquet(self, path: str | Path) -> None:
        frames.write_parquet(self.plain(), path)


def open_sweep(path: str | Path) -> Table:
    """All that a store holds, in the order of the swept parameters; a sweep may be going on."""
    file = Path(path).absolute()
    if not file.is_file():
        raise InputError(f"there is no store {quoted(str(path))}")
    # where neither the file nor its folder can be written to, nobody else is writing either
    for mode in ("mode=ro", "immutable=1"):
        try:
            database = sqlite3.connect(f"{file.as_uri()}?{mode}", uri=True)
            try:
                return _read(database, path)
            finally:
                database.close()
        except sqlite3.OperationalError:
            if mode == "immutable=1":
                with explained(path):
                    raise
        except sqlite3.DatabaseError:
            with explained(path):
                raise
    raise AssertionError


def _read(database: sqlite3.Connection, path: str | Path) -> Table:
    tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if not {"study", "points"} <= tables:
        raise InputError(f"{quoted(str(path))} is no sweep of this program: give the store of a sweep")
    about = about_of(database, path)
    rows = database.execute("SELECT * FROM points").fetchall()
    width = len(about["identity"]["names"])
    rows.sort(key=lambda row: row[1 : 1 + width])
    identity = about["identity"]
    stated, family = identity["problem"], None
    if rows:
        values = {**stated["parameters"], **dict(zip(identity["names"], rows[0][1 : 1 + width], strict=True))}
        family = Problem.from_dict({**stated, "parameters": values})
    return tabulated(rows, about["columns"], family, identity["tol"], tuple(identity["names"]))


def gathered(store: Store, study: Study, keys: Iterable[bytes]) -> Table:
    """The rows of these points, in their order."""
    with explained(store.path):
        there = {row[0]: row for row in store.database.execute("SELECT * FROM points")}
    rows = [there[key] for key in keys if key in there]
    return tabulated(rows, store.columns, study.problem, study.tol, study.names)


def tabulated(
    rows: Sequence[tuple[Any, ...]],
    columns: tuple[str, ...],
    family: Problem | None,
    tol: float,
    parameters: tuple[str, ...],
) -> Table:
    data: dict[str, NDArray[Any]] = {}
    for place, name in enumerate(columns, start=1):
        values = [row[place] for row in rows]
        if name in TEXTS:
            data[name] = np.array(values, dtype=str) if name == "status" else np.array(values, dtype=object)
        elif name == "solution":
            data[name] = np.array([*values, None], dtype=object)[:-1]
        elif name in COUNTS:
            data[name] = np.array(values, dtype=np.int64)
        else:
            # SQLite has no NaN: what was one comes back as nothing
            data[name] = np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    width = len(parameters)
    quantities = tuple(name for name in columns[width + len(FIGURES) :] if name != "solution")
    return Table(family, tol, parameters, columns[:width], quantities, data)
