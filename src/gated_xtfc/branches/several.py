"""solutions: as many solutions of one problem as can be found in a given time, from many starts, by deflation."""

from __future__ import annotations  # help() shows types as they are written here

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, overload

import numpy as np

from gated_xtfc.branches.deflation import Deflated
from gated_xtfc.branches.starts import bump, from_solution, mirrored, on_top, together, turned, wave
from gated_xtfc.errors import InputError
from gated_xtfc.gates.coordinate import Coordinates, refined
from gated_xtfc.problem.domain import Axis
from gated_xtfc.problem.problem import Problem, require_interval, require_problem
from gated_xtfc.problem.transform import Translation
from gated_xtfc.solution.base import Solution
from gated_xtfc.solution.interval import IntervalSolution
from gated_xtfc.solution.round import Round
from gated_xtfc.solution.status import Status
from gated_xtfc.solver.discretisation import Start
from gated_xtfc.solver.interval.discretisation import IntervalDiscretisation
from gated_xtfc.solver.interval.fit import IntervalFit
from gated_xtfc.solver.options import check
from gated_xtfc.solver.solve import solve
from gated_xtfc.types import Array

SAME = 1e-4  # distance, relative to the sizes of the fields, of solutions that are one
COARSE = 1e-6  # tolerance of the layout on which solutions are looked for
WIDTHS = 24.0  # kernel widths across the domain at the least
MOST_WIDTHS = 160.0
NARROW = 1.5  # kernel widths over the length on which a solution changes by its size
SHAPES = 6  # waves of the starts
AMPLITUDES = (1.0, -1.0, 3.0, -3.0, 10.0, -10.0, 30.0, -30.0, 0.3, -0.3)  # of the starts, in the size of what is known
UNITS = (1.0, 5.0, 25.0)  # in which distances are measured, in the size of what is known
MOST_BUMPS = 400
PARTNERS = 6  # earlier solutions that a new one is joined with
GOLDEN, SILVER = 0.6180339887498949, 0.4142135623730951  # multiples of these fill an interval evenly


@dataclass(frozen=True, eq=False)
class SolutionList(Sequence[IntervalSolution]):
    """What `solutions` returns: the solutions found, the first one first.

    Attributes
    ----------
    found
        The solutions.
    message
        How many there are, how they were looked for, and that there may be more.
    starts
        Starts of Newton's method that were tried.
    seconds
        The time taken.

    Examples
    --------
    >>> import gated_xtfc as gx
    >>> bratu = gx.Problem("u'' + k*exp(u) = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0"], k=1)
    >>> found = gx.solutions(bratu, count=2)
    >>> print(len(found), [f"{one.maximum().value:.4f}" for one in found])
    2 ['0.1405', '4.0915']
    """

    found: tuple[IntervalSolution, ...]
    message: str
    starts: int
    seconds: float

    def __len__(self) -> int:
        return len(self.found)

    @overload
    def __getitem__(self, number: int) -> IntervalSolution: ...
    @overload
    def __getitem__(self, number: slice) -> tuple[IntervalSolution, ...]: ...
    def __getitem__(self, number: int | slice) -> IntervalSolution | tuple[IntervalSolution, ...]:
        return self.found[number]

    def __repr__(self) -> str:
        return f"SolutionList({len(self)} solutions)"


def solutions(
    problem: Problem,
    count: int | None = None,
    seconds: float = 10.0,
    tol: float = 1e-8,
    *,
    guess: Any = None,
    progress: Callable[[IntervalSolution], None] | None = None,
) -> SolutionList:
    """Find several solutions of a nonlinear problem.

    The first is that of `solve`. From then on Newton's method runs away from what is known (deflation), again from the
    same start and from many others: waves and bumps of several heights. Every solution is then solved for to the
    tolerance. That no more are found is no proof that there are none.

    Parameters
    ----------
    problem
        What is to be solved.
    count
        Enough solutions; as many as the time allows unless given.
    seconds
        The most seconds: nothing is begun after them.
    tol
        The error asked for, relative to max|u|.
    guess
        A start for the first solution, as `solve` takes it.
    progress
        Called with every new solution.

    Returns
    -------
    SolutionList
        A sequence of solutions, all different, none of them twice; empty where none was found.

    Raises
    ------
    InputError
        Where what is asked for cannot be used. A linear problem has one solution and is refused.

    Examples
    --------
    >>> import gated_xtfc as gx
    >>> pellet = gx.Problem(
    ...     "u'' = phi^2*u*exp(g*b*(1 - u)/(1 + b*(1 - u)))", {"x": (0, 1)}, ["u'(0) = 0", "u(1) = 1"],
    ...     phi=0.2, g=20, b=0.6,
    ... )
    >>> sorted(f"{one(0.0):.3f}" for one in gx.solutions(pellet, count=3))
    ['0.004', '0.582', '0.975']
    """
    begun = time.perf_counter()
    require_problem(problem, "solutions")
    check(problem, tol, max_seconds=seconds)
    require_interval(problem, "several solutions are looked for of problems")
    if count is not None and (isinstance(count, bool) or not isinstance(count, int) or count < 1):
        raise InputError(f"{count!r} solutions were asked for: give a whole number of at least 1")
    if problem.linear:
        raise InputError("the problem is linear, so it has one solution at the most: give it to solve")
    until = begun + seconds
    with np.errstate(all="ignore"):
        hunt = _Hunt(problem, tol, until, progress, [])
        hunt.run(math.inf if count is None else count, guess)
    number = len(hunt.found)
    over = "the time was over" if time.perf_counter() > until else "all starts were tried"
    why = "as many as asked for" if count is not None and number >= count else over
    what = "1 solution was found" if number == 1 else f"{number} solutions were found"
    message = f"{what} from {hunt.starts} starts ({why}): there may be more"
    return SolutionList(tuple(hunt.found), message, hunt.starts, time.perf_counter() - begun)


@dataclass
class _Hunt:
    """Solutions found so far, and the ways to more."""

    problem: Problem
    tol: float
    until: float
    progress: Callable[[IntervalSolution], None] | None
    found: list[IntervalSolution]
    starts: int = 0
    used: int = 0  # solutions that were started from
    steepest: float = 0.0  # slope of those found, relative to their size

    def run(self, most: float, guess: Any) -> None:
        self._add(solve(self.problem, self.tol, guess=guess, max_seconds=max(1e-3, self.until - time.perf_counter())))
        space = IntervalDiscretisation.to(self.problem, COARSE)
        default = space.default_start() if guess is None else space.start_from_guess(guess)
        for start, unit in self._all_starts(default):
            while len(self.found) < most and time.perf_counter() < self.until:
                self.starts += 1
                if not self._once(space, start, unit):
                    break
            if len(self.found) >= most or time.perf_counter() > self.until:
                return

    def _once(self, space: IntervalDiscretisation, start: Start, unit: float) -> bool:
        """Whether a start leads to a solution that was not known."""
        layout = space.lay_out(self._coordinates(space))
        sizes = unit * self._sizes()
        known = [
            np.concatenate([one.function(f, layout.x, 0) / size for f, size in enumerate(sizes)]) for one in self.found
        ]
        deflated = Deflated(space, layout, known, sizes, self.until)
        fit = deflated.from_(space.iterate(layout, start))
        if fit is None or deflated.distance(fit) * unit < SAME:
            return False
        left = max(1e-3, self.until - time.perf_counter())
        return self._add(solve(self.problem, self.tol, guess=_as_solution(space, fit), max_seconds=left))

    def _add(self, solution: Solution) -> bool:
        if not solution.converged or not isinstance(solution, IntervalSolution):
            return False
        x, sizes = solution.points(401), self._sizes()
        for other in self.found:
            fields = range(len(sizes))
            gaps = [np.abs(solution.function(f, x, 0) - other.function(f, x, 0)).max() / sizes[f] for f in fields]
            if max(gaps) < SAME:
                return False
        self.found.append(solution)
        for f, (size, order) in enumerate(zip(solution.scales, self.problem.order.values(), strict=True)):
            if order:  # what an algebraic equation gives is steep where the others are
                self.steepest = max(self.steepest, float(np.abs(solution.function(f, x, 1)).max()) / size)
        if self.progress is not None:
            self.progress(solution)
        return True

    def _sizes(self) -> Array:
        """How large every field is in the solutions known."""
        if not self.found:
            return np.ones(len(self.problem.fields))
        largest: Array = np.array([one.scales for one in self.found]).max(axis=0)
        return largest

    def _coordinates(self, space: IntervalDiscretisation) -> Coordinates:
        """Kernels of one width everywhere, as narrow as the solutions known are steep: a spike may stand anywhere."""
        coordinates = space.predict(COARSE, space.default_start())
        length = sum(piece.length for piece in coordinates[0])
        (axis,) = self.problem.axes
        wanted = float(np.clip(NARROW * self.steepest * axis.length, WIDTHS, MOST_WIDTHS))
        return refined(coordinates, wanted / length) if length < wanted else coordinates

    def _all_starts(self, default: Start) -> Iterator[tuple[Start, float]]:
        """Starts, and the unit in which distances from what is known are measured.

        The plainest first, with several units; then what is known itself and its mirror images; then waves and bumps on
        top of it, at places and of heights that fill their ranges evenly.
        """
        (axis,) = self.problem.axes
        for unit in UNITS:
            yield default, unit
        yield from self._from_known(axis)
        for height in AMPLITUDES:
            for number in range(1, SHAPES + 1):
                yield on_top(default, axis, partial(wave, number=number), height * self._sizes()), 1.0
                yield from self._from_known(axis)
        for count in range(1, MOST_BUMPS):
            place, part = (count * GOLDEN) % 1.0, (count * SILVER) % 1.0
            width = 0.01 * 20.0**part
            height = (1.5, -1.5, 3.0, 0.7)[count % 4]
            base = default if not self.found else from_solution(self.found[count % len(self.found)])
            yield on_top(base, axis, partial(bump, place=place, width=width), height * self._sizes()), 1.0
            yield from self._from_known(axis)

    def _from_known(self, axis: Axis) -> Iterator[tuple[Start, float]]:
        """Solutions that were not started from yet: deflation drives away from them; mirrored and turned as well."""
        while self.used < len(self.found):
            one = from_solution(self.found[self.used])
            self.used += 1
            yield on_top(one, axis, partial(wave, number=2), 0.01 * self._sizes()), 1.0
            yield mirrored(one, axis), 1.0
            yield turned(one), 1.0
            # spikes of one and of another solution together, on what both have in common
            first = from_solution(self.found[0])
            for other in self.found[1 : self.used - 1][-PARTNERS:]:
                yield together(one, from_solution(other), first), 1.0


def _as_solution(space: IntervalDiscretisation, fit: IntervalFit) -> IntervalSolution:
    """A fit as a guess for `solve`, which takes solutions with all their layers."""
    figures = {
        "problem": space.problem, "tol": COARSE, "status": Status.RESOLUTION, "message": "", "error": 1.0,
        "scales": fit.sizes, "neurons": fit.neurons, "sites": fit.sites, "seconds": 0.0,
        "history": (Round(fit.neurons, 1.0, 0.0),), "continuation": None,
    }  # fmt: skip
    return space.solution(fit, Translation((0.0,)), **figures)
