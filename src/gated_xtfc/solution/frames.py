"""Columns of numbers as frames of pandas and polars and as datasets of xarray: the one place that knows them."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gated_xtfc.errors import InputError
from gated_xtfc.extras import install
from gated_xtfc.types import Array

if TYPE_CHECKING:  # extras: imported when asked for, and nowhere else
    import pandas
    import polars
    import xarray

Grid = tuple[dict[str, Array], dict[str, Array]]  # coordinates (n,) each, and quantities over all of them (n, m, ...)


def pandas_frame(columns: Mapping[str, NDArray[Any]], about: Mapping[str, Any] | None = None) -> "pandas.DataFrame":
    """`about` becomes the attributes of the frame."""
    try:
        import pandas
    except ImportError:
        raise InputError(f"pandas is not installed: {install('pandas')}") from None
    frame = pandas.DataFrame(dict(columns))
    frame.attrs.update(about or {})
    return frame


def polars_frame(columns: Mapping[str, NDArray[Any]]) -> "polars.DataFrame":
    try:
        import polars
    except ImportError:
        raise InputError(f"polars is not installed: {install('polars')}") from None
    return polars.DataFrame({name: column.tolist() for name, column in columns.items()})


def xarray_dataset(grid: Grid, about: Mapping[str, Any]) -> "xarray.Dataset":
    try:
        import xarray
    except ImportError:
        raise InputError(f"xarray is not installed: {install('xarray')}") from None
    coordinates, quantities = grid
    names = tuple(coordinates)
    return xarray.Dataset({name: (names, values) for name, values in quantities.items()}, coordinates, dict(about))


def columns_of(grid: Grid) -> dict[str, Array]:
    """Coordinates and quantities side by side, one row for each place."""
    coordinates, quantities = grid
    places = np.meshgrid(*coordinates.values(), indexing="ij")
    return {name: one.ravel() for name, one in (*zip(coordinates, places, strict=True), *quantities.items())}
