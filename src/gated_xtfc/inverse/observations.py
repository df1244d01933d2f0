"""What was measured: values of fields, or of their derivatives, at points of the domain, by quantity.

(x, y)    (x, y, sigma)    {"u": (x, y), "v'": (x, y, sigma)}
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from gated_xtfc.errors import InputError, quoted, suggestion
from gated_xtfc.problem.problem import Problem
from gated_xtfc.types import Array

Measured = Sequence[ArrayLike] | Array  # of one quantity: (x, y) or (x, y, sigma)
Data = Measured | Mapping[str, Measured]

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

    @property
    def slices(self) -> tuple[slice, ...]:
        """Where each series stands in these vectors."""
        ends = np.cumsum([0, *(one.x.size for one in self.series)]).tolist()
        return tuple(slice(a, b) for a, b in pairwise(ends))


def observed(problem: Problem, data: object) -> Observations:
    """Data as the user gives them, checked."""
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
    axis = problem.axes[0].name
    field = match["field"] if match else name
    if match is None or field not in problem.fields:
        known = f"the fields are {', '.join(problem.fields)}"
        hint = suggestion(field, problem.fields, known)
        raise InputError(f"{quoted(name)} is not a field of the problem or a derivative of one: {hint}")
    text = match["axis"]
    order = len(match["order"]) if text is None else len(text) // len(axis)
    if text is not None and text != axis * order:
        raise InputError(f"{quoted(name)} is not a derivative with respect to {axis}: write it like {field}'")
    highest = problem.order[field]
    if order > highest:
        raise InputError(f"{quoted(name)} was measured, but the equations have {field} up to derivative {highest} only")
    return problem.fields.index(field), order


def _series(problem: Problem, name: str, given: object) -> Series:
    field, order = quantity(problem, name)
    if isinstance(given, str) or not isinstance(given, Collection) or len(given) not in (2, 3):
        raise InputError(f"the data of {name} must be (x, y) or (x, y, sigma), not {type(given).__name__}")
    columns = [vector(column, f"{what} of the data of {name}") for column, what in zip(given, "xys", strict=False)]
    if len({column.size for column in columns}) > 1:
        sizes = ", ".join(str(column.size) for column in columns)
        raise InputError(f"the columns of the data of {name} have different lengths: {sizes}")
    x, y = columns[:2]
    if not x.size:
        raise InputError(f"the data of {name} are empty: give at least one measurement")
    (axis,) = problem.axes
    outside = np.flatnonzero(~((x >= axis.left) & (x <= axis.right)))
    if outside.size:
        raise InputError(
            f"measurement {outside[0] + 1} of {name} is at {axis.name} = {x[outside[0]]:.6g}, outside the domain "
            f"[{axis.left:.6g}, {axis.right:.6g}]: leave it out"
        )
    sigma = columns[2] if len(columns) == 3 else None
    if sigma is not None:
        require_positive(sigma, f"the standard deviations of {name}")
    return Series(name, field, order, x, y, sigma)


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
