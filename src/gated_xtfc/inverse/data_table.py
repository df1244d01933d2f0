"""Measurements from a table with named columns: x,u or x,u,sigma; other names are said by `columns`.

A cell without a value says that the quantity was not measured there: such a measurement is left out, and counted.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gated_xtfc.errors import InputError, quoted, suggestion
from gated_xtfc.problem.problem import Problem

SIGMA = "sigma"
ABSENT = frozenset({"", "-", "na", "n/a", "nan", "nat", "none", "null", "<na>"})  # in small letters

Columns = Sequence[str] | Mapping[str, str]
Places = dict[str, tuple[int, int | None]]  # by quantity: where its values and their standard deviations stand


@dataclass(frozen=True)
class Measurements:
    """What a table says of one quantity."""

    columns: tuple[list[float], ...]  # x, y, and where there are any the standard deviations
    missing: int  # rows in which it has no value


@dataclass(frozen=True)
class DataTable:
    """Named columns of cells, as a file or a frame has them."""

    what: str  # how messages call it: "the data file"
    header: list[str]
    rows: Sequence[tuple[int, Sequence[object]]]  # number of a row as its owner counts, and its cells
    comma: bool = False  # whether numbers may be written 0,5

    def measured(self, problem: Problem, columns: Columns = ()) -> dict[str, Measurements]:
        """{quantity: its measurements}; `columns` are the names of x, the values and the standard deviations, or say
        what columns hold, {"x": NAME, "u'": NAME, "sigma": NAME}.

        Without `columns` the header itself says what was measured: the coordinate, then a field or a derivative, then
        perhaps sigma; several fields of a system side by side share x.
        """
        at, values = self._places(problem, columns)
        return {name: self._series(at, y, sigma) for name, (y, sigma) in values.items()}

    def _series(self, places: tuple[int, ...], y: int, sigma: int | None) -> Measurements:
        found: list[tuple[float, ...]] = []
        for number, row in self.rows:
            value = self._number(number, row, y)
            if value is None:
                continue
            beside = (*places, *(() if sigma is None else (sigma,)))
            others = [self._number(number, row, at) for at in beside]
            for at, other in zip(beside, others, strict=True):
                if other is None:
                    where, name = f"row {number}, column {self.header[at]}", self.header[y]
                    raise InputError(f"{where} of {self.what} is empty beside a value of {name}: give a number")
            plain = [float(other) for other in others if other is not None]
            found.append((*plain[: len(places)], value, *plain[len(places) :]))
        if not found:
            raise InputError(
                f"the column {quoted(self.header[y])} of {self.what} has no measurement: give at least one"
            )
        return Measurements(tuple(map(list, zip(*found, strict=True))), len(self.rows) - len(found))

    def _places(self, problem: Problem, columns: Columns) -> tuple[tuple[int, ...], Places]:
        """Where the coordinates, the values and the standard deviations stand."""
        header, evolution = self.header, problem.evolution
        axes = problem.axes if evolution is None else (evolution.space, evolution.time)
        coordinates = [axis.name for axis in axes]
        if isinstance(columns, Mapping):
            held = {str(column): str(name) for name, column in columns.items()}  # called by what they hold from here on
            for column in held:
                self._column(column, header)
            header = [held.get(name, "") for name in header]
        elif columns:
            least = len(axes) + 1
            if isinstance(columns, str) or len(columns) not in (least, least + 1):
                count = "a text" if isinstance(columns, str) else len(columns)
                some = "two or three" if least == 2 else "three or four"
                raise InputError(
                    f"columns takes {some} names, for {', '.join(coordinates)}, the values and sigma, not {count}"
                )
            if len(problem.fields) > 1:
                fields = ", ".join(problem.fields)
                raise InputError(f"the problem has the fields {fields}: name the columns of the file after them")
            at = [self._column(name, header) for name in columns]
            places, rest = tuple(at[: least - 1]), at[least - 1 :]
            return places, {problem.fields[0]: (rest[0], rest[1] if len(rest) == 2 else None)}
        x = tuple(self._column(name, header) for name in coordinates)
        values: Places = {}
        for i, name in enumerate(header):
            if not name or i in x or name == SIGMA or name.startswith(f"{SIGMA}_"):
                continue
            self._require_once(name, header)
            stem = name.rstrip("'").split("_")[0]
            if stem not in problem.fields:
                hint = suggestion(name, problem.fields, f"the fields are {', '.join(problem.fields)}")
                raise InputError(
                    f"the column {quoted(name)} of {self.what} is not a field: {hint}; or say which columns to use"
                )
            own = f"{SIGMA}_{name}"
            spread = own if own in header else SIGMA if SIGMA in header else None
            values[name] = i, None if spread is None else self._column(spread, header)
        if not values:
            raise InputError(f"{self.what} has no column with measurements: its columns are {', '.join(header)}")
        if SIGMA in header and len(values) > 1:
            raise InputError(f"the column sigma fits one quantity only: name them sigma_{next(iter(values))} and so on")
        return x, values

    def _column(self, name: str, header: list[str]) -> int:
        if name not in header:
            hint = suggestion(name, header, f"its columns are {', '.join(header)}")
            raise InputError(f"{self.what} has no column {quoted(name)}: {hint}; or say which columns to use")
        self._require_once(name, header)
        return header.index(name)

    def _require_once(self, name: str, header: list[str]) -> None:
        if header.count(name) > 1:
            raise InputError(
                f"{self.what} has {header.count(name)} columns {quoted(name)}: give each a name of its own, or leave "
                "all but one out"
            )

    def _number(self, number: int, row: Sequence[object], at: int) -> float | None:
        """The value of a cell; None where it has none."""
        cell = row[at] if at < len(row) else None
        text = "" if cell is None else str(cell).strip()
        if text.lower() in ABSENT:
            return None
        where = f"row {number}, column {self.header[at]} of {self.what}"
        try:
            value = float(text.replace(",", ".") if self.comma else text)
        except ValueError:
            raise InputError(f"{where} is {quoted(text)}, not a number") from None
        if not math.isfinite(value):
            raise InputError(f"{where} is {text}: give a finite number, or leave the cell empty")
        return value
