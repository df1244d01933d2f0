"""Whole arrays of members where there is no JAX: the compiled core does the work, behind the same call and results."""

from __future__ import annotations  # help() shows types as they are written here

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Never

import numpy as np

from gated_xtfc.batch.array_batch import ArrayBatch, Ends, Told
from gated_xtfc.errors import InputError
from gated_xtfc.extras import install
from gated_xtfc.problem.domain import Axis
from gated_xtfc.problem.problem import Problem
from gated_xtfc.sweeps.design import Design
from gated_xtfc.sweeps.many import Solutions, members_of
from gated_xtfc.types import Array


@dataclass(frozen=True, eq=False, repr=False)
class CoreBatch(ArrayBatch):
    """A family of problems, ready to be solved for arrays of parameters: what `compile` gives where JAX is missing.

    Attributes
    ----------
    problem
        Any member.
    names
        The parameters that vary.
    tol
        The estimated error asked for.

    Examples
    --------
    >>> import gated_xtfc as gx
    >>> from gated_xtfc.sweeps.core_batch import CoreBatch
    >>> layer = gx.Problem("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=1e-2)
    >>> CoreBatch(layer, ("nu",), 1e-8)(nu=[1e-3, 1e-2], x=[1.0]).values.round(6).tolist()
    [[1.0], [1.0]]
    """

    problem: Problem
    names: tuple[str, ...]
    tol: float

    def _ends(self, given: Mapping[str, Array]) -> Ends:
        stated = self.problem.statement()["domain"]
        points = np.stack(list(given.values()), axis=1).tolist()
        if not any(isinstance(end, str) for ends in stated.values() for end in ends):
            points = [[]]
        axes = [self._axis(dict(zip(given, point, strict=False))) for point in points]
        return np.array([axis.left for axis in axes]), np.array([axis.right for axis in axes])

    def _axis(self, values: Mapping[str, float]) -> Axis:
        try:
            return self.problem(**values).axes[0]
        except InputError:
            return self.problem.axes[0]  # of what makes no problem nothing is evaluated

    def _told(self, given: Mapping[str, Array], x: Array | None, one_by_one: bool) -> Told:
        messages: dict[int, str] = {}
        design = Design(tuple(given), np.stack(list(given.values()), axis=1))
        found = members_of(self.problem, design, self.tol, refused=messages)
        others = np.flatnonzero(~found.converged).tolist()
        statuses = {number: str(found.status[number]) for number in others}
        messages |= {number: found[number].message for number in others if number not in messages}
        return Told(ManyValues(found, x), found.error, statuses, messages, {})

    @property
    def function(self) -> Never:
        """Refused: a function of JAX needs JAX."""
        raise InputError(f"a batch that can be differentiated needs JAX, which is not installed: {install('jax')}")


class ManyValues:
    """The solutions of `solve_many` as a batch takes values from them."""

    def __init__(self, found: Solutions, x: Array | None) -> None:
        self.found, self.x = found, x
        self.orders = tuple(found.problem.order.values())
        self.values: Array | None = None
        if x is not None:
            each = x if x.ndim == 2 else np.broadcast_to(x, (len(found), x.size))
            self.values = np.stack([self.at(each, 0, number) for number in range(len(self.orders))])

    def at(self, each: Array, order: int, field: int) -> Array:
        """A derivative of a field of every member, at places (B, n)."""
        name = self.found.problem.fields[field]
        values = np.full(each.shape, np.nan)
        for number in np.flatnonzero(np.isfinite(self.found.error)).tolist():
            values[number] = self.found[number][name](each[number], order)
        return values
