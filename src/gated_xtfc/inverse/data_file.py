"""Measurements from a CSV file with a header: x,u or x,u,sigma; other names are said by the columns."""

import csv
import math
from collections.abc import Sequence
from pathlib import Path

from gated_xtfc.errors import InputError, quoted, suggestion
from gated_xtfc.problem.problem import Problem

SIGMA = "sigma"

Row = tuple[int, list[str]]  # its number in the file, and its cells
Places = dict[str, tuple[int, int | None]]  # by quantity: where its values and their standard deviations stand


def read_data(path: str | Path, problem: Problem, columns: Sequence[str] = ()) -> dict[str, tuple[list[float], ...]]:
    """{quantity: (x, y) or (x, y, sigma)}; `columns` are the names of x, the values and the standard deviations, or
    say what columns hold, x=NAME, u'=NAME, sigma=NAME.

    Without `columns` the header itself says what was measured: the coordinate, then a field or a derivative, then
    perhaps sigma; several fields of a system side by side share x.
    """
    header, rows = _table(path)
    x, values = _places(header, problem, columns)
    return {
        name: tuple([_number(row, at, header) for row in rows] for at in (x, y, sigma) if at is not None)
        for name, (y, sigma) in values.items()
    }


def _table(path: str | Path) -> tuple[list[str], list[Row]]:
    try:
        with Path(path).open(newline="", encoding="utf-8-sig") as file:
            lines = [(number, row) for number, row in enumerate(csv.reader(file), start=1) if any(map(str.strip, row))]
    except FileNotFoundError:
        raise InputError(f"there is no data file {quoted(str(path))}") from None
    except (OSError, UnicodeDecodeError, csv.Error):
        raise InputError(f"the data file {quoted(str(path))} cannot be read as a table: give a CSV file") from None
    if not lines:
        raise InputError(
            f"the data file {quoted(str(path))} is empty: give a header such as x,u and one line a measurement"
        )
    header = [name.strip() for name in lines[0][1]]
    if all(_is_number(name) for name in header):
        raise InputError(
            f"the data file {quoted(str(path))} has no header: its first line should name the columns, x,u"
        )
    if len(lines) == 1:
        raise InputError(f"the data file {quoted(str(path))} has a header and no measurements")
    return header, lines[1:]


def _places(header: list[str], problem: Problem, columns: Sequence[str]) -> tuple[int, Places]:
    """Where x, the values and the standard deviations stand."""
    if any("=" in name for name in columns):
        # called by what they hold from here on
        held = {column.strip(): name.strip() for name, _, column in (one.partition("=") for one in columns)}
        for column in held:
            _column(column, header)
        header = [held.get(name, "") for name in header]
    elif columns:
        if len(columns) not in (2, 3):
            raise InputError(f"columns takes two or three names, for x, the values and sigma, not {len(columns)}")
        field = problem.fields[0]
        if len(problem.fields) > 1:
            raise InputError(
                f"the problem has the fields {', '.join(problem.fields)}: name the columns of the file after them"
            )
        at = [_column(name, header) for name in columns]
        return at[0], {field: (at[1], at[2] if len(at) == 3 else None)}
    x = _column(problem.axes[0].name, header)
    values: Places = {}
    for i, name in enumerate(header):
        if not name or i == x or name == SIGMA or name.startswith(f"{SIGMA}_"):
            continue
        _require_once(name, header)
        stem = name.rstrip("'").split("_")[0]
        if stem not in problem.fields:
            hint = suggestion(name, problem.fields, f"the fields are {', '.join(problem.fields)}")
            raise InputError(f"the column {quoted(name)} is not a field: {hint}; or say which columns to use")
        own = f"{SIGMA}_{name}"
        spread = own if own in header else SIGMA if SIGMA in header else None
        sigma = None if spread is None else _column(spread, header)
        values[name] = i, sigma
    if not values:
        raise InputError(f"the data file has no column with measurements: its columns are {', '.join(header)}")
    if SIGMA in header and len(values) > 1:
        raise InputError(f"the column sigma fits one quantity only: name them sigma_{next(iter(values))} and so on")
    return x, values


def _column(name: str, header: list[str]) -> int:
    if name not in header:
        hint = suggestion(name, header, f"its columns are {', '.join(header)}")
        raise InputError(f"the data file has no column {quoted(name)}: {hint}")
    _require_once(name, header)
    return header.index(name)


def _require_once(name: str, header: list[str]) -> None:
    if header.count(name) > 1:
        raise InputError(
            f"the data file has {header.count(name)} columns {quoted(name)}: give each a name of its own, or leave all "
            "but one out"
        )


def _number(line: Row, at: int, header: list[str]) -> float:
    number, row = line
    where = f"row {number}, column {header[at]}"
    if at >= len(row) or not row[at].strip():
        raise InputError(f"{where} of the data file is empty: give a number")
    try:
        value = float(row[at])
    except ValueError:
        raise InputError(f"{where} of the data file is {quoted(row[at])}, not a number") from None
    if not math.isfinite(value):
        raise InputError(f"{where} of the data file is {row[at].strip()}: give a finite number")
    return value


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
