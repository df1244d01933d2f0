"""What the engines of batches have in common: they are called alike, and what they find is told alike."""

from __future__ import annotations  # help() shows types as they are written here

import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gated_xtfc.batch.given import checked_values
from gated_xtfc.batch.result import BatchSolutions, BatchValues, places
from gated_xtfc.errors import InputError
from gated_xtfc.problem.problem import Problem, require_interval
from gated_xtfc.solution.base import Solution
from gated_xtfc.solution.status import RowStatus
from gated_xtfc.types import Array

Ends = tuple[Array, Array]  # the left and the right end of every member's domain, (B,) each


class Told(NamedTuple):
    """What became of an array of members; by their number that of those that are not plainly within the tolerance."""

    values: BatchValues
    error: Array
    statuses: Mapping[int, str]
    messages: Mapping[int, str]
    solutions: Mapping[int, Solution]


class ArrayBatch(ABC):
    """A family of problems, ready to be solved for arrays of parameters."""

    problem: Problem  # any member
    names: tuple[str, ...]  # of what varies

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.problem!r} over {', '.join(self.names)})"

    def __call__(
        self, *, x: ArrayLike | None = None, one_by_one: bool = True, **parameters: ArrayLike
    ) -> BatchSolutions:
        """Solve all members.

        Parameters
        ----------
        x
            Places, (n,) or (B, n). Where they are given, values there are all that is kept.
        one_by_one
            Whether members whose estimate does not meet the tolerance go on to `solve`. Without JAX they always do.
        **parameters
            An array (B,) or a number for each; those left out keep the value that the problem has.

        Returns
        -------
        BatchSolutions

        Raises
        ------
        InputError
            Where names or shapes do not fit, a value is not finite, or there is no member that can be solved.
        """
        found = self.verdicts(parameters, x, one_by_one)
        if set(found.statuses.values()) == {RowStatus.FAILED.value} and len(found.statuses) == len(found):
            raise InputError(found.messages[0])
        return found

    def verdicts(
        self, parameters: Mapping[str, ArrayLike], x: ArrayLike | None = None, one_by_one: bool = True
    ) -> BatchSolutions:
        """The same, also where there is no member that can be solved."""
        begun = time.perf_counter()
        given = self._checked(parameters)
        axis = require_interval(self.problem, "batches are made of problems")
        count = next(iter(given.values())).shape[0]
        left, right = (np.broadcast_to(np.asarray(end), (count,)) for end in self._ends(given))
        at = None if x is None else np.atleast_1d(places(x, (left, right), count))
        told = self._told(given, at, one_by_one)
        seconds = time.perf_counter() - begun
        return BatchSolutions(
            given,
            told.error,
            told.statuses,
            told.messages,
            told.solutions,
            seconds,
            self.problem.fields,
            axis.name,
            told.values,
            (left, right),
        )

    def _checked(self, parameters: Mapping[str, ArrayLike]) -> dict[str, Array]:
        """As arrays of as many members each."""
        return checked_values(self.names, parameters)

    @abstractmethod
    def _ends(self, given: Mapping[str, Array]) -> Ends:
        """The ends of the domains, which broadcast to (B,)."""

    @abstractmethod
    def _told(self, given: Mapping[str, Array], x: Array | None, one_by_one: bool) -> Told:
        """What becomes of these members."""
