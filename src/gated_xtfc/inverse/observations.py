"""What was measured: values of fields, or of their derivatives, at points of the domain, by quantity.

(x, y)    (x, y, sigma)    {"u": (x, y), "v'": (x, y, sigma)}    a table with named columns, or a file with one
"""

import os
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gated_xtfc.errors import InputError, quoted, suggestion
from gated_xtfc.inverse.data_frame import as_table
from gated_xtfc.inverse.data_table import Columns
from gated_xtfc.problem.problem import Problem
from gated_xtfc.types import Array

Measured = Sequence[ArrayLike] | Array  # of one quantity: (x, y) or (x, y, sigma)
# a frame is known by what it can do, so its type is any
Data = Measured | Mapping[str, Measured] | str | os.PathLike[str] | Any

QUANTITY = re.compile(r"(?P<field>[A-Za-z_]\w*?)(?P<order>'*|_(?P<axis>[A-Za-z]+))", re.ASCII)


@dataclass(frozen=True)
class Series:
    """Measurements of one quantity."""

    quantity: str  # as it is written: u, v'
    field: int
    order: int
    x: Array  # (n,)
    y: Array  # (n,)
    sigma: Array | None  # (n,) standard deviations where they come with the data
    missing: int = 0  # rows of a table in which it has no value
    t: Array | None = None  # (n,) times, where equations evolve

    @property
    def points(self) -> Array:
        """Where it was measured: x (n,), or x and t, (2, n)."""
        return self.x if self.t is None else np.stack([self.x, self.t])


@dataclass(frozen=True)
class Observations:
    """All measurements; vectors over them run from series to series."""

    series: tuple[Series, ...]

    @property
    def size(self) -> int:
        return sum(one.x.size for one in self.series)

    @property
    def y(self) -> Array:
        return np.concatenate([one.y for one in self.series])

    @cached_property
    def slices(self) -> tuple[slice, ...]:
        """Where each series stands in these vectors."""
        ends = np.cumsum([0, *(one.x.size for one in self.series)]).tolist()
        return tuple(slice(a, b) for a, b in pairwise(ends))


def observed(problem: Problem, data: object, columns: Columns = ()) -> Observations:
    """Data as the user gives them, checked; `columns` are for tables."""
    table = as_table(problem, data, named=bool(columns))
    if table is not None:
        found = table.measured(problem, columns)
        return Observations(tuple(_series(problem, name, one.columns, one.missing) for name, one in found.items()))
    if columns:
        raise InputError(f"columns are those of a table or a CSV file, but the data are a {type(data).__name__}")
    if isinstance(data, Mapping):
        if not data:
            raise InputError("the data are empty: give them like {'u': (x, y)}")
        return Observations(tuple(_series(problem, str(name), given) for name, given in data.items()))
    if len(problem.fields) > 1:
        first = problem.fields[0]
        raise InputError(
            f"the problem has the fields {', '.join(problem.fields)}: say which one was measured, "
            f"such as data={{{first!r}: (x, y)}}"
        )
    return Observations((_series(problem, problem.fields[0], data),))


def quantity(problem: Problem, name: str) -> tuple[int, int]:
    """Number of the field and order of the derivative of "u", "v'" or "u_x"."""
    if name in problem.fields:
        return problem.fields.index(name), 0
    match = QUANTITY.fullmatch(name.strip())
    axis = (problem.axes[0] if problem.evolution is None else problem.evolution.space).name
    field = match["field"] if match else name
    if match is None or field not in problem.fields:
        known = f"the fields are {', '.join(problem.fields)}"
        hint = suggestion(field, problem.fields, known)
        raise InputError(f"{quoted(name)} is not a field of the problem or a derivative of one: {hint}")
    text = match["axis"]
    order = len(match["order"]) if text is None else len(text) // len(axis)
    if text is not None and text != axis * order:
        raise InputError(f"{quoted(name)} is not a derivative with respect to {axis}: write it like {field}'")
    evolution = problem.evolution
    highest = problem.order[field] if evolution is None else evolution.orders[problem.fields.index(field)]
    if order > highest:
        raise InputError(f"{quoted(name)} was measured, but the equations have {field} up to derivative {highest} only")
    return problem.fields.index(field), order


def _series(problem: Problem, name: str, given: object, missing: int = 0) -> Series:
    field, order = quantity(problem, name)
    names = "xys" if problem.evolution is None else "xtys"
    shapes = (len(names) - 1, len(names))
    if isinstance(given, np.ndarray) and given.ndim == 2 and len(given) not in shapes and given.shape[1] in shapes:
        shape = " x ".join(map(str, given.shape))
        raise InputError(f"the data of {name} are an array of {shape}: give its columns, which are rows of data.T")
    if isinstance(given, str) or not isinstance(given, Collection) or len(given) not in shapes:
        like = "(x, y) or (x, y, sigma)" if len(names) == 3 else "(x, t, y) or (x, t, y, sigma)"
        raise InputError(f"the data of {name} must be {like}, not {type(given).__name__}")
    columns = [vector(column, f"{what} of the data of {name}") for column, what in zip(given, names, strict=False)]
    if len({column.size for column in columns}) > 1:
        sizes = ", ".join(str(column.size) for column in columns)
        raise InputError(f"the columns of the data of {name} have different lengths: {sizes}")
    places, y = columns[: len(names) - 2], columns[len(names) - 2]
    if not y.size:
        raise InputError(f"the data of {name} are empty: give at least one measurement")
    evolution = problem.evolution
    axes = problem.axes if evolution is None else (evolution.space, evolution.time)
    for axis, at in zip(axes, places, strict=True):
        outside = np.flatnonzero(~((at >= axis.left) & (at <= axis.right)))
        if outside.size:
            raise InputError(
                f"measurement {outside[0] + 1} of {name} is at {axis.name} = {at[outside[0]]:.6g}, outside the domain "
                f"[{axis.left:.6g}, {axis.right:.6g}]: leave it out"
            )
    sigma = columns[-1] if len(columns) == len(names) else None
    if sigma is not None:
        require_positive(sigma, f"the standard deviations of {name}")
    return Series(name, field, order, places[0], y, sigma, missing, places[1] if len(places) > 1 else None)


def vector(column: object, what: str) -> Array:
    """Finite numbers as a flat array."""
    try:
        values = np.array(column, dtype=float).ravel()
    except (TypeError, ValueError):
        raise InputError(f"{what} must be numbers, not {quoted(str(column))}") from None
    bad = np.flatnonzero(~np.isfinite(values))
    if bad.size:
        raise InputError(f"{what} has {values[bad[0]]} at measurement {bad[0] + 1}: give finite numbers")
    return values


def require_positive(sigma: Array, what: str) -> None:
    bad = np.flatnonzero(~(sigma > 0.0))
    if bad.size:
        raise InputError(f"{what} must be positive, not {sigma[bad[0]]:g} at measurement {bad[0] + 1}")
