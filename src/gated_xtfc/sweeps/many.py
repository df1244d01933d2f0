"""solve_many: members of a family side by side, each with its own gates, its own certificate and its own Solution."""

from __future__ import annotations  # help() shows types as they are written here

from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import NDArray

from gated_xtfc.errors import InputError
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solution.base import Solution
from gated_xtfc.solution.interval import IntervalSolution
from gated_xtfc.solution.round import Round
from gated_xtfc.solution.status import RowStatus, Status
from gated_xtfc.solver.interval.batch import BatchFamily, BatchResult
from gated_xtfc.solver.options import check
from gated_xtfc.solver.solve import solve
from gated_xtfc.solver.verdict import within
from gated_xtfc.sweeps.design import Design, Over
from gated_xtfc.types import Array

TOGETHER = 512  # members that go through the core in one call: their arrays stay close to the processor


@dataclass(frozen=True, eq=False)
class Solutions(Sequence[Solution]):
    """What `solve_many` returns: a Solution for every member, in the order of the points.

    Solutions are made when they are asked for; status and error of all members are there at once.

    Attributes
    ----------
    problem
        The family.
    design
        The points: `design.points` has a row for each member.
    tol
        The error that was asked for.
    status
        The `Status` of every member, an array.
    error
        The estimated errors, an array.
    batches, others
        What the solutions are made of: members that went through the core together, and those solved one by one.

    Examples
    --------
    >>> import gated_xtfc as gx
    >>> problem = gx.Problem("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=1e-4)
    >>> found = gx.solve_many(problem, {"nu": [1e-2, 1e-4, 1e-6]})
    >>> found
    Solutions(3 members over nu; 3 converged)
    >>> print(f"{found[1](0.9999):.6f}", bool((found.error <= 1e-8).all()))
    0.367879 True
    """

    problem: Problem
    design: Design
    tol: float
    status: NDArray[np.object_]
    error: Array
    batches: tuple[BatchResult, ...]  # TOGETHER members each
    others: dict[int, Solution]  # those that were solved one by one

    def __repr__(self) -> str:
        told = ", ".join(f"{count} {status}" for status, count in Counter(map(str, self.status)).items())
        return f"Solutions({len(self)} members over {', '.join(self.design.names)}; {told})"

    def __len__(self) -> int:
        return len(self.design)

    @property
    def converged(self) -> NDArray[np.bool_]:
        """Which members have the status "converged", an array."""
        found: NDArray[np.bool_] = self.status == Status.CONVERGED
        return found

    @overload
    def __getitem__(self, index: int) -> Solution: ...
    @overload
    def __getitem__(self, index: slice) -> list[Solution]: ...
    def __getitem__(self, index: int | slice) -> Solution | list[Solution]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        at = range(len(self))[index]
        return self.others[at] if at in self.others else self._made(at)

    def __iter__(self) -> Iterator[Solution]:
        return (self[i] for i in range(len(self)))

    def _made(self, at: int) -> Solution:
        number, member = divmod(at, TOGETHER)
        batch = self.batches[number]
        certificate, function = batch.certificate(member), batch.function(member)
        count, _, shapes = function.coefficients.shape
        problem = self.problem(**dict(zip(self.design.names, self.design.points[at].tolist(), strict=True)))
        neurons = batch.neurons
        return IntervalSolution(
            problem=problem,
            tol=self.tol,
            status=Status.CONVERGED,
            message=within(certificate.error, self.tol),
            error=certificate.error,
            scales=certificate.scales,
            neurons=neurons,
            sites=count * shapes,
            seconds=batch.seconds,
            history=(Round(neurons, certificate.error, certificate.rounding),),
            continuation=None,
            function=function,
        )


def solve_many(problem: Problem, over: Over, tol: float = 1e-8, *, threads: int = 1) -> Solutions:
    """Solve many members of a family, side by side where that is possible.

    Linear problems with conditions at the ends, coefficients that do not vary along the interval, and a source whose
    text hides nothing go through the compiled core together, tens of thousands in a second. Members that are not
    certified there, and all members of other families, are solved one by one.

    Parameters
    ----------
    problem
        Any member of the family.
    over
        The points, as in `sweep`: ``{"nu": values, "a": values}`` is every combination, ``[{"nu": 1e-4, "a": 1}, ...]``
        a list, and a `Design` fills a box.
    tol
        The estimated error asked for, as in `solve`.
    threads
        How many threads the core may use.

    Returns
    -------
    Solutions
        A Solution for every point, with arrays of status and error.

    Raises
    ------
    InputError
        Where what is asked for cannot be used.

    Examples
    --------
    >>> import gated_xtfc as gx
    >>> reaction = gx.Problem("-eps*u'' + u = 1", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0"], eps=1e-4)
    >>> found = gx.solve_many(reaction, {"eps": [10.0**-k for k in range(1, 9)]}, tol=1e-6)
    >>> print(found)
    Solutions(8 members over eps; 8 converged)
    """
    if not isinstance(problem, Problem):
        raise InputError(f"solve_many takes a Problem, not {type(problem).__name__}")
    if isinstance(threads, bool) or not isinstance(threads, int) or threads < 1:
        raise InputError(f"threads is {threads!r}: give a whole number of at least 1")
    design = Design.of(over)
    check(problem, tol)
    problem(**dict(zip(design.names, design.points[0].tolist(), strict=True)))  # refuses names that it does not have
    return members_of(problem, design, tol, threads)


def members_of(
    problem: Problem, design: Design, tol: float, threads: int = 1, refused: dict[int, str] | None = None
) -> Solutions:
    """The same; members that `solve` refuses go with its words into `refused` where that is given."""
    status = np.full(len(design), Status.CONVERGED, dtype=object)
    error = np.full(len(design), np.inf)
    family = BatchFamily.of(problem, design.names)
    batches = () if family is None else _together(family, design, tol, threads)
    certified = np.zeros(len(design), dtype=bool)
    for number, batch in enumerate(batches):
        part = slice(number * TOGETHER, number * TOGETHER + batch.certified.size)
        certified[part], error[part] = batch.certified, batch.figures[0]
    others = {}
    for at in np.flatnonzero(~certified).tolist():
        try:
            others[at] = solve(problem(**dict(zip(design.names, design.points[at].tolist(), strict=True))), tol)
        except InputError as reason:
            if refused is None:
                raise
            refused[at], status[at], error[at] = str(reason), RowStatus.FAILED, np.inf
            continue
        status[at], error[at] = others[at].status, others[at].error
    for values in (status, error):
        values.setflags(write=False)
    return Solutions(problem, design, tol, status, error, batches, others)


def _together(family: BatchFamily, design: Design, tol: float, threads: int) -> tuple[BatchResult, ...]:
    """The members through the core, TOGETHER at a time."""

    def part(start: int) -> BatchResult:
        points = design.points[start : start + TOGETHER]
        columns = zip(design.names, points.T, strict=True)
        with np.errstate(all="ignore"):
            return family.solve({name: np.ascontiguousarray(column) for name, column in columns}, tol)

    starts = range(0, len(design), TOGETHER)
    if threads == 1:
        return tuple(map(part, starts))
    with ThreadPoolExecutor(threads) as pool:
        return tuple(pool.map(part, starts))
