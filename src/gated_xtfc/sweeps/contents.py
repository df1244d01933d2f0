"""What a store holds, read as a Table."""

import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.problem.problem import Problem
from gated_xtfc.sweeps.point import Row, Value
from gated_xtfc.sweeps.store import Store, about, column_name, explained
from gated_xtfc.sweeps.study import FIGURES, Study
from gated_xtfc.sweeps.table import Column, Table

TEXTS = ("message", "gates")
COUNTS = ("neurons", "rounds")


def open_sweep(path: str | Path) -> Table:
    """Read all that the store of a sweep holds; the sweep may be going on.

    Parameters
    ----------
    path
        The file that was given to `sweep` as its store.

    Returns
    -------
    Table
        A row for each point that is done, in ascending order of the swept parameters.

    Raises
    ------
    InputError
        Where there is no such file, or it is no sweep that this version can read.

    Examples
    --------
    >>> import gated_xtfc as gx
    >>> layer = gx.Problem("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=1e-2)
    >>> gx.sweep(layer, {"nu": [1e-2, 1e-3]}, store="two_layers.sqlite", workers=1)
    Table(2 points over nu; 2 converged)
    >>> gx.open_sweep("two_layers.sqlite")["nu"].tolist()
    [0.001, 0.01]
    """
    file = Path(path).absolute()
    if not file.is_file():
        raise InputError(f"there is no store {quoted(str(path))}")
    with explained(path):
        try:
            return _read(file, path, "mode=ro")
        except sqlite3.OperationalError:
            # where neither the file nor its folder can be written to, nobody else is writing either
            return _read(file, path, "immutable=1")


def _read(file: Path, path: str | Path, mode: str) -> Table:
    with closing(sqlite3.connect(f"{file.as_uri()}?{mode}", uri=True)) as database:
        tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if not {"study", "points"} <= tables:
            raise InputError(f"{quoted(str(path))} is no sweep of this program: give the store of a sweep")
        there = about(database, path)
        identity = there.identity
        assert identity is not None  # of a file it is always there
        names = tuple(identity["names"])
        order = ", ".join(map(column_name, there.columns[: len(names)]))
        rows = database.execute(f"SELECT * FROM points ORDER BY {order}").fetchall()
    stated, family = identity["problem"], None
    if rows:
        first = dict(zip(names, rows[0][1 : 1 + len(names)], strict=True))
        family = Problem.from_dict({**stated, "parameters": {**stated["parameters"], **first}})
    return tabulated(rows, there.columns, family, identity["tol"], names)


def gathered(store: Store, study: Study, keys: Iterable[bytes]) -> Table:
    """The rows of these points, in their order."""
    with explained(store.path):
        there: dict[bytes, Row] = {row[0]: row for row in store.database.execute("SELECT * FROM points")}
    rows = [there[key] for key in keys if key in there]
    return tabulated(rows, store.columns, study.problem, study.tol, study.names)


def tabulated(
    rows: Sequence[Row],
    columns: tuple[str, ...],
    family: Problem | None,
    tol: float,
    parameters: tuple[str, ...],
) -> Table:
    data = {name: _column(name, [row[place] for row in rows]) for place, name in enumerate(columns, start=1)}
    width = len(parameters)
    quantities = tuple(name for name in columns[width + len(FIGURES) :] if name != "solution")
    return Table(family, tol, parameters, columns[:width], quantities, data)


def _column(name: str, values: Sequence[Value]) -> Column:
    if name == "status":
        return np.array(values, dtype=str)
    if name in TEXTS:
        return np.array(values, dtype=object)
    if name == "solution":
        return np.array([*values, None], dtype=object)[:-1]  # None keeps NumPy from making one array of all bytes
    if name in COUNTS:
        return np.array(values, dtype=np.int64)
    # SQLite has no NaN: what was one comes back as nothing
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
