"""Whole arrays of members where there is no JAX: the compiled core does the work, behind the same call and results."""

from __future__ import annotations  # help() shows types as they are written here

import time
from dataclasses import dataclass
from typing import Never

import numpy as np
from numpy.typing import ArrayLike

from gated_xtfc.batch.given import checked_values
from gated_xtfc.batch.result import BatchSolutions, places
from gated_xtfc.errors import InputError
from gated_xtfc.extras import install
from gated_xtfc.problem.problem import Problem, require_interval
from gated_xtfc.solution.base import Solution
from gated_xtfc.solution.status import Status
from gated_xtfc.sweeps.design import Design
from gated_xtfc.sweeps.many import Solutions, solve_many
from gated_xtfc.types import Array


@dataclass(frozen=True, eq=False)
class CoreBatch:
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

    def __repr__(self) -> str:
        return f"CoreBatch({self.problem!r} over {', '.join(self.names)})"

    def __call__(
        self, *, x: ArrayLike | None = None, one_by_one: bool = True, **parameters: ArrayLike
    ) -> BatchSolutions:
        """Solve all members.

        Parameters
        ----------
        x
            Places, (n,) or (B, n). Where they are given, values there are kept at once.
        one_by_one
            Has no effect: the core hands on what it cannot certify.
        **parameters
            An array (B,) or a number for each; those left out keep the value that the problem has.

        Returns
        -------
        BatchSolutions

        Raises
        ------
        InputError
            Where names or shapes do not fit, or a value is not finite.
        """
        begun = time.perf_counter()
        given = checked_values(self.names, parameters)
        design = Design(tuple(given), np.stack(list(given.values()), axis=1))
        axis = require_interval(self.problem, "batches are made of problems")
        count = len(design)
        members = [self.problem(**dict(zip(design.names, point, strict=True))) for point in _ends(self.problem, design)]
        ends = tuple(
            np.broadcast_to(np.array([getattr(one.axes[0], end) for one in members]), (count,))
            for end in ("left", "right")
        )
        at = None if x is None else np.atleast_1d(places(x, (ends[0], ends[1]), count))
        found = solve_many(self.problem, design, self.tol)
        values = ManyValues(found, at)
        others = {number: one for number, one in enumerate(found) if not found.converged[number]}
        return BatchSolutions(
            given,
            found.error,
            {number: str(found.status[number]) for number in others},
            {number: one.message for number, one in others.items()},
            {},
            time.perf_counter() - begun,
            self.problem.fields,
            axis.name,
            values,
            (ends[0], ends[1]),
        )

    @property
    def function(self) -> Never:
        """Refused: a function of JAX needs JAX."""
        raise InputError(f"a batch that can be differentiated needs JAX, which is not installed: {install('jax')}")


def _ends(problem: Problem, design: Design) -> list[list[float]]:
    """Points that tell where the domain ends: one, unless that depends on what varies."""
    stated = problem.statement()["domain"]
    moves = any(isinstance(end, str) for ends in stated.values() for end in ends)
    points: list[list[float]] = design.points.tolist()
    return points if moves else points[:1]


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
