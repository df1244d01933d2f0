"""Tables as frames of pandas or polars, and as Parquet: both are extras, imported here and nowhere else."""

from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from gated_xtfc.errors import InputError

Columns = dict[str, NDArray[Any]]


def pandas_frame(columns: Columns) -> Any:
    try:
        import pandas
    except ImportError:
        raise InputError("pandas is not installed: pip install 'gated-xtfc[pandas]'") from None
    return pandas.DataFrame(columns)


def polars_frame(columns: Columns) -> Any:
    try:
        import polars
    except ImportError:
        raise InputError("polars is not installed: pip install 'gated-xtfc[polars]'") from None
    return polars.DataFrame({name: column.tolist() for name, column in columns.items()})


def write_parquet(columns: Columns, path: str | Path) -> None:
    polars_frame(columns).write_parquet(Path(path))
