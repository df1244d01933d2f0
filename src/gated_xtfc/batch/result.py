"""The solutions of a batch: values anywhere, an estimated error and a status for every member."""

from __future__ import annotations  # help() shows types as they are written here

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.solution.base import Solution
from gated_xtfc.solution.frames import xarray_dataset
from gated_xtfc.solution.status import Status
from gated_xtfc.types import Array, Mask

if TYPE_CHECKING:  # an extra
    import xarray


_LONGEST = f"<U{max(len(word.value) for word in Status)}"


class BatchValues(Protocol):
    """What an engine found: values at places that were given beforehand, or functions."""

    @property
    def orders(self) -> tuple[int, ...]:
        """That of every field."""

    @property
    def x(self) -> Array | None:
        """The places, where they were given, (n,) or (B, n)."""

    @property
    def values(self) -> Array | None:
        """Of all fields there, (F, B, n)."""

    def at(self, each: Array, order: int, field: int) -> Array:
        """A derivative of a field of every member, at places (B, n)."""


@dataclass(frozen=True, eq=False)
class BatchSolutions:
    """The solutions of all members of a batch.

    Attributes
    ----------
    parameters
        Those that were given, by name, (B,) each.
    error
        The estimated error of every member, relative to max|u|, (B,).
    statuses
        How the solve of those members ended that are not within the tolerance, or were solved one by one, by their
        number, as the words of `Status`; "failed" where the values of a member make no problem, as its message says.
    messages
        What is to be said of members that were solved one by one, by their number.
    solutions
        Those members themselves, by their number.
    seconds
        The time that it all took.
    fields, coordinate
        The names of what was solved for, and of what it is a function of.
    members
        What the engine found, from which values are taken.
    ends
        The left and the right end of every member's domain, (B,) each.

    Examples
    --------
    >>> import numpy as np
    >>> import gated_xtfc as gx
    >>> layer = gx.Problem("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=1e-2)
    >>> result = gx.compile(layer, over=["nu"])(nu=np.geomspace(1e-6, 1e-2, 5))
    >>> result
    BatchSolutions(5 members over nu; 5 converged)
    >>> result([0.5, 1.0]).shape, result(1.0).round(8).tolist()
    ((5, 2), [1.0, 1.0, 1.0, 1.0, 1.0])
    """

    parameters: Mapping[str, Array]
    error: Array
    statuses: Mapping[int, str]
    messages: Mapping[int, str]
    solutions: Mapping[int, Solution]
    seconds: float
    fields: tuple[str, ...]
    coordinate: str
    members: BatchValues
    ends: tuple[Array, Array]

    def __len__(self) -> int:
        return self.error.size

    def __repr__(self) -> str:
        return f"BatchSolutions({len(self)} members over {', '.join(self.parameters)}; {self.tally()})"

    @cached_property
    def status(self) -> NDArray[np.str_]:
        """How the solve of every member ended, as the words of `Status`, (B,)."""
        found = np.full(len(self), Status.CONVERGED.value, dtype=_LONGEST)
        for number, word in self.statuses.items():
            found[number] = word
        return found

    @property
    def converged(self) -> Mask:
        """Which members are within the tolerance, (B,)."""
        found = np.ones(len(self), dtype=bool)
        found[[number for number, word in self.statuses.items() if word != Status.CONVERGED.value]] = False
        return found

    def tally(self) -> str:
        """How many members there are of each status.

        Returns
        -------
        str
            Such as ``997 converged, 3 nearly singular``.
        """
        words, counts = np.unique(self.status, return_counts=True)
        order = np.argsort(-counts, kind="stable")
        return ", ".join(f"{counts[i]} {words[i]}" for i in order)

    def __call__(self, x: ArrayLike, order: int = 0, field: str | None = None) -> Array:
        """Values of all members, or a derivative.

        Parameters
        ----------
        x
            Places: a number, (n,) for all members, or (B, n) for each its own.
        order
            That of the derivative, up to the order of the equation.
        field
            Which one, of a system.

        Returns
        -------
        array
            (B,) for a number, otherwise (B, n).

        Raises
        ------
        InputError
            Where a place is outside of a member's domain, the batch was solved for given places only, or it is not said
            which field of a system is meant.
        """
        if self.members.values is not None:
            raise InputError(
                "this batch kept values at the x it was given only: call it without x to evaluate anywhere"
            )
        number = self._number(field)
        highest = self.members.orders[number]
        if order not in range(highest + 1):
            raise InputError(f"derivative {order!r} of a batch is not known: ask for one from 0 to {highest}")
        at = places(x, self.ends, len(self))
        each = at if at.ndim == 2 else np.broadcast_to(at.reshape(1, -1), (len(self), at.size))
        found = self.members.at(each, order, number)
        for one, solution in self.solutions.items():
            if np.isfinite(self.error[one]):  # values of no known error are NaN
                found[one] = solution[self.fields[number]](each[one], order)
        return found[:, 0] if at.ndim == 0 else found

    @property
    def values(self) -> Array:
        """What was found at the x that the batch was solved for, (B, n)."""
        return self.by_field[self.fields[self._number(None)]]

    @property
    def by_field(self) -> dict[str, Array]:
        """What was found at the x that the batch was solved for, by the names of the fields, (B, n) each."""
        found = self.members.values
        if found is None:
            raise InputError("this batch was solved for no x: call the result with some, as in result(x)")
        return dict(zip(self.fields, found, strict=True))

    def _number(self, field: str | None) -> int:
        if field is None and len(self.fields) == 1:
            return 0
        if field not in self.fields:
            raise InputError(f"say which field, as in result(x, field={self.fields[0]!r})")
        return self.fields.index(field)

    def to_xarray(self, x: ArrayLike | None = None) -> xarray.Dataset:
        """The batch as a data set: fields over member and x, with parameters, error and status along member.

        Parameters
        ----------
        x
            Places, (n,); needed unless the batch was solved for some.

        Returns
        -------
        xarray.Dataset

        Raises
        ------
        InputError
            Where xarray is not installed (the extra `xarray`), or places are missing or differ between members.
        """
        given = self.members.x if x is None else np.asarray(x, dtype=float)
        if given is None or given.ndim != 1:
            raise InputError("a data set needs places that all members share: give x as a list of numbers")
        if self.members.values is not None:
            values = self.by_field
        else:
            values = {name: self(given, field=name) for name in self.fields}
        along: dict[str, Any] = {
            name: (("member", f"{name}_number")[: column.ndim], column) for name, column in self.parameters.items()
        }
        grid = {"member": np.arange(len(self), dtype=float), self.coordinate: given}, values
        found = xarray_dataset(grid, {})
        return found.assign_coords(**along, status=("member", self.status)).assign(error=("member", self.error))


def places(x: ArrayLike, ends: tuple[Array, Array], members: int) -> Array:
    """Checked: a number, (n,) or (B, n), within the domains."""
    try:
        at = np.asarray(x, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"x must be numbers, not {quoted(str(x))}") from None
    if at.ndim > 2 or (at.ndim == 2 and at.shape[0] != members):
        raise InputError(f"x has the shape {at.shape}: give (n,) places for all members, or ({members}, n)")
    if at.ndim < 2 and at.size and at.min() >= ends[0].max() and at.max() <= ends[1].min():
        return at  # within all of them
    left, right = (end[:, None] for end in ends)
    slack = 1e-12 * (right - left)
    bad = ~((at >= left - slack) & (at <= right + slack))
    if bad.any():
        row, column = (int(i) for i in np.argwhere(bad)[0])
        where = float(np.broadcast_to(at, bad.shape)[row, column])
        raise InputError(f"x = {where:g} is outside of the domain [{left[row, 0]:g}, {right[row, 0]:g}]")
    return at
