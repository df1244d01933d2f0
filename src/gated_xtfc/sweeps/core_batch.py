"""Whole arrays of members where there is no JAX: the compiled core does the work, behind the same call and results."""

from __future__ import annotations  # help() shows types as they are written here

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Never

import numpy as np

from gated_xtfc.batch.array_batch import ArrayBatch, Ends, Told
from gated_xtfc.errors import InputError
from gated_xtfc.extras import install
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solution.base import Solution
from gated_xtfc.solution.status import Status
from gated_xtfc.sweeps.design import Design
from gated_xtfc.sweeps.many import Solutions, solve_many
from gated_xtfc.types import Array


@dataclass(frozen=True, eq=False)
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
        moves = any(isinstance(end, str) for ends in stated.values() for end in ends)
        points = np.stack(list(given.values()), axis=1).tolist()
        members = (dict(zip(given, point, strict=True)) for point in (points if moves else points[:1]))
        axes = [self.problem(**member).axes[0] for member in members]
        return np.array([axis.left for axis in axes]), np.array([axis.right for axis in axes])

    def _told(self, given: Mapping[str, Array], x: Array | None, one_by_one: bool) -> Told:
        found = solve_many(self.problem, Design(tuple(given), np.stack(list(given.values()), axis=1)), self.tol)
        others = {number: found[number] for number in np.flatnonzero(~found.converged).tolist()}
        statuses = {number: str(found.status[number]) for number in others}
        messages = {number: one.message for number, one in others.items()}
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
        return np.stack([_at(one, name, own, order) for one, own in zip(self.found, each, strict=True)])


def _at(solution: Solution, name: str, x: Array, order: int) -> Array:
    if solution.status is Status.CONVERGED or np.isfinite(solution.error):
        return np.asarray(solution[name](x, order))
    return np.full(x.shape, np.nan)
