"""Tables of other libraries as ours, known by what they can do: none of them is imported, none is needed."""

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from gated_xtfc.errors import InputError
from gated_xtfc.inverse.data_file import read_table
from gated_xtfc.inverse.data_table import DataTable
from gated_xtfc.problem.problem import Problem

WHAT = "the table"


def as_table(problem: Problem, data: Any, named: bool = False) -> DataTable | None:
    """A path of a CSV file, a frame of pandas, polars or pyarrow, a dataset of xarray, a structured array, or columns
    by name; None for what is none of these. `named` says that its columns have other names than ours."""
    if isinstance(data, DataTable):
        return data
    if isinstance(data, str | os.PathLike):
        return read_table(os.fspath(data))
    columns = _columns(problem, data, named)
    if columns is None:
        return None
    lengths = {len(column) for _, column in columns}
    if len(lengths) > 1:
        raise InputError(f"the columns of the table have different lengths: {', '.join(map(str, sorted(lengths)))}")
    rows = list(enumerate(zip(*(column for _, column in columns), strict=True), start=1))
    if not rows:
        raise InputError("the table has no rows: give at least one measurement")
    return DataTable(WHAT, [str(name).strip() for name, _ in columns], rows)


def _columns(problem: Problem, data: Any, named: bool) -> list[tuple[object, list[Any]]] | None:
    if hasattr(data, "to_dataframe") and hasattr(data, "coords"):  # xarray
        data = data.to_dataframe() if hasattr(data, "data_vars") else data.to_dataframe(data.name or problem.fields[0])
    if hasattr(data, "collect") and hasattr(data, "lazy"):  # a frame of polars that is still to be made
        data = data.collect()
    if hasattr(data, "iloc") and hasattr(data, "columns"):  # pandas; an index with a name is a column too
        indexed = any(name is not None for name in data.index.names)
        frame = data.reset_index() if indexed else data
        return [(name, frame.iloc[:, i].tolist()) for i, name in enumerate(frame.columns)]
    if hasattr(data, "column_names"):  # pyarrow
        return [(name, data[name].to_pylist()) for name in data.column_names]
    if hasattr(data, "columns") and hasattr(data, "to_dict"):  # polars
        return [(name, data[name].to_list()) for name in data.columns]
    if isinstance(data, np.ndarray) and data.dtype.names:
        return [(name, data[name].ravel().tolist()) for name in data.dtype.names]
    if isinstance(data, Mapping) and (named or problem.axes[0].name in data):
        return [(name, np.ravel(np.asarray(column, dtype=object)).tolist()) for name, column in data.items()]
    return None
