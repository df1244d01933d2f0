"""Columns of numbers as a CSV file."""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

from gated_xtfc.files import replacing_text
from gated_xtfc.types import Array


def write_csv(path: str | Path, header: Iterable[str], columns: Sequence[Array]) -> None:
    """A header line, then one line for each row, to full precision."""
    with replacing_text(path) as file:
        table = csv.writer(file)
        table.writerow(header)
        table.writerows(zip(*(column.tolist() for column in columns), strict=True))
