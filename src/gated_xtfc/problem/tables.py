"""Tables as they are stated: arrays, a mapping of lists, or a CSV file; each becomes a function of its name."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gated_xtfc.errors import InputError, quoted, suggestion
from gated_xtfc.problem.domain import NAME, Axis

if TYPE_CHECKING:
    from gated_xtfc.language.table import TableFunction
    from gated_xtfc.problem.equation import Equation

KEYS = ("x", "y", "kind", "file", "columns")
SHAPE = '(x, y), (x, y, "spline"), the name of a CSV file, or {"file": "data.csv", "columns": ["x", "k"]}'
LARGEST = 100_000  # knots
PROBES = 65  # places at which a statement is asked whether it stays in its tables


def read_tables(stated: object, folder: str | os.PathLike[str] = "") -> "dict[str, TableFunction]":
    """Tables by name; file names are looked for in `folder`."""
    if not isinstance(stated, Mapping):
        raise InputError(f"tables are given by name, tables={{'f': (x, y)}}, not as {type(stated).__name__}")
    return {_checked_name(name): _table(name, one, folder) for name, one in stated.items()}


def _checked_name(name: object) -> str:
    from gated_xtfc.language.vocabulary import RESERVED

    if not isinstance(name, str) or not NAME.fullmatch(name) or name in RESERVED:
        raise InputError(f"{quoted(str(name))} cannot be the name of a table: use letters, digits and _")
    return name


def _table(name: str, stated: Any, folder: str | os.PathLike[str]) -> "TableFunction":
    from gated_xtfc.language.table import KINDS, TableFunction  # most problems have none

    if isinstance(stated, TableFunction):
        return stated
    what, kind = f"the table {quoted(name)}", "linear"
    if isinstance(stated, str | os.PathLike):
        stated = {"file": stated}
    if isinstance(stated, Mapping):
        for key in stated:
            if key not in KEYS:
                hint = suggestion(str(key), KEYS, f"known are {', '.join(KEYS)}")
                raise InputError(f"{what} has an unknown key {quoted(str(key))}: {hint}")
        kind = stated.get("kind", kind)
        if "file" in stated:
            x, y = _columns(stated["file"], stated.get("columns"), folder, what)
        elif "x" in stated and "y" in stated:
            x, y = stated["x"], stated["y"]
        else:
            raise InputError(f"{what} must have a file, or its values as x and y")
    elif isinstance(stated, Sequence) and len(stated) in (2, 3):
        x, y, *more = stated
        kind = more[0] if more else kind
    else:
        raise InputError(f"{what} must be {SHAPE}, not {type(stated).__name__}")
    if kind not in KINDS:
        raise InputError(f"{what} can be {' or '.join(KINDS)}, not {quoted(str(kind))}")
    return TableFunction(name, *_values(x, y, what), kind)


def _values(x: Any, y: Any, what: str) -> tuple[tuple[float, ...], tuple[float, ...]]:
    import numpy as np

    try:
        at, values = (np.asarray(one, dtype=float) for one in (x, y))
    except (TypeError, ValueError):
        raise InputError(f"{what} must be made of numbers") from None
    if at.ndim != 1 or at.shape != values.shape:
        raise InputError(f"{what} must have as many values as places, not {at.size} places and {values.size} values")
    if not 2 <= at.size <= LARGEST:
        raise InputError(f"{what} must have from 2 to {LARGEST} values, not {at.size}")
    if not (np.isfinite(at).all() and np.isfinite(values).all()):
        raise InputError(f"{what} has a value that is not a finite number")
    order = np.argsort(at, kind="stable")
    at, values = at[order], values[order]
    if not (np.diff(at) > 0.0).all():
        place = at[:-1][np.diff(at) <= 0.0][0]
        raise InputError(f"{what} has two values at {place:g}: leave one out")
    return tuple(at.tolist()), tuple(values.tolist())


def _columns(file: Any, columns: Any, folder: str | os.PathLike[str], what: str) -> tuple[list[float], list[float]]:
    from gated_xtfc.problem.csv_file import CsvFile

    if not isinstance(file, str | os.PathLike):
        raise InputError(f"the file of {what} must be the name of a CSV file, not {quoted(str(file))}")
    path = Path(folder) / file
    found = CsvFile.read(path, "table file")
    if columns is None:
        if len(found.header) != 2:
            listed = ", ".join(found.header)
            raise InputError(f"{what} is in a file with the columns {listed}: say which two, columns = [x, y]")
        columns = found.header
    if not isinstance(columns, Sequence) or isinstance(columns, str) or len(columns) != 2:
        raise InputError(f'the columns of {what} must be two names such as ["x", "k"]')
    for one in columns:
        if one not in found.header:
            hint = suggestion(str(one), found.header, f"it has {', '.join(found.header)}")
            raise InputError(f"there is no column {quoted(str(one))} in {quoted(str(path))}: {hint}")
    numbers: tuple[list[float], list[float]] = ([], [])
    for line, row in found.rows:
        for values, place in zip(numbers, map(found.header.index, columns), strict=True):
            cell = row[place].strip() if place < len(row) else ""
            try:
                values.append(float(cell.replace(",", ".") if found.comma else cell))
            except ValueError:
                raise InputError(
                    f"line {line} of {quoted(str(path))} has {quoted(cell)} where a number is due"
                ) from None
    return numbers


def check_tables(
    tables: "Mapping[str, TableFunction]", used: set[str], taken: Mapping[str, object], equations: "Sequence[Equation]"
) -> None:
    """Every table occurs somewhere, and its name means nothing else."""
    own = {name for equation in equations for name in (*equation.names, *getattr(equation, "tables", ()))}
    for name in tables:
        if name in taken:
            raise InputError(f"{quoted(name)} cannot be the name of a table: it means something else already")
        if name not in used | own:
            raise InputError(f"the table {quoted(name)} occurs nowhere in the problem: leave it out")


def check_ranges(tables: "Mapping[str, TableFunction]", equations: "Sequence[Equation]", axes: Sequence[Axis]) -> None:
    """Refuses what asks a table for values that it does not have, as far as that does not depend on the solution."""
    if not tables:
        return
    import numpy as np

    from gated_xtfc.language.dual import unknown
    from gated_xtfc.language.table import GuardedTable

    guarded = {name: GuardedTable(table, False) for name, table in tables.items()}
    at = np.ix_(*(axis.at(np.linspace(0.0, 1.0, PROBES)) for axis in axes))
    for equation in equations:
        state: dict[Any, Any] = {key: unknown(key, 0.5) for key in equation.derivatives}
        state |= {(name,): unknown((name,), 1.0) for name in getattr(equation, "unknown", ())}
        equation.seeded(guarded).residual(at, state)  # type: ignore[arg-type]
