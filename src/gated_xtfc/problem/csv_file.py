"""Columns of a CSV file: commas, semicolons, tabs or spaces between them; with semicolons also decimal commas."""

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from gated_xtfc.errors import InputError, beside, quoted

SEPARATORS = (";", "\t", ",")


@dataclass(frozen=True)
class CsvFile:
    """Names of columns, and the cells under them with the number of their line."""

    header: list[str]
    rows: list[tuple[int, list[str]]]
    comma: bool  # whether decimals may be written with commas

    @classmethod
    def read(cls, path: str | Path, what: str) -> "CsvFile":
        """A file with a header line; `what` is how messages call it."""
        name = quoted(str(path))
        try:
            with Path(path).open(newline="", encoding="utf-8-sig") as file:
                lines = file.read().splitlines()
            separator = _separator(lines)
            found = [(number, row) for number, row in _rows(lines, separator) if any(map(str.strip, row))]
        except FileNotFoundError:
            raise InputError(f"there is no {what} {name}{beside(path)}") from None
        except (OSError, UnicodeDecodeError, csv.Error, ValueError):
            raise InputError(f"the {what} {name} cannot be read as a table: give a CSV file") from None
        if not found:
            raise InputError(f"the {what} {name} is empty: give a header such as x,u and one line a measurement")
        header = [cell.strip().lstrip("#").strip() for cell in found[0][1]]
        if all(_is_number(cell, separator) for cell in header):
            raise InputError(f"the {what} {name} has no header: its first line should name the columns, x,u")
        # numpy.savetxt writes its header behind a #; any other such line is a remark
        rows = [(number, row) for number, row in found[1:] if not row[0].lstrip().startswith("#")]
        if not rows:
            raise InputError(f"the {what} {name} has a header and no measurements")
        return cls(header, rows, comma=separator == ";")


def _separator(lines: Iterable[str]) -> str:
    """What stands between the columns, by the header: the first of semicolon, tab and comma, otherwise spaces."""
    first = next((line for line in lines if line.strip()), "").lstrip("#").strip()
    return next((one for one in SEPARATORS if one in first), " " if " " in first else ",")


def _rows(lines: list[str], separator: str) -> Iterable[tuple[int, list[str]]]:
    if separator == " ":
        return enumerate((line.replace("#", " ", 1).split() for line in lines), start=1)
    return enumerate(csv.reader(lines, delimiter=separator), start=1)


def _is_number(text: str, separator: str) -> bool:
    try:
        float(text.replace(",", ".") if separator == ";" else text)
    except ValueError:
        return False
    return True
