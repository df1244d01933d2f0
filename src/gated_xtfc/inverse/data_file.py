"""A CSV file of measurements as a table."""

from pathlib import Path

from gated_xtfc.inverse.data_table import DataTable
from gated_xtfc.problem.csv_file import CsvFile

WHAT = "the data file"


def read_table(path: str | Path) -> DataTable:
    """The columns of a file with a header line."""
    found = CsvFile.read(path, "data file")
    return DataTable(WHAT, found.header, found.rows, comma=found.comma)
