"""Infinite ends: cut off, solved, cut off further out, until the solution no longer changes.

A solution is compared with that of a wider window, beyond its own end too. If what the cut leaves wrong falls like a
power p of the reach, two changes in a row, d1 by a factor f1 and d2 by a factor f2, give p and what is still missing:

    d2/d1 = f1^-p (1 - f2^-p)/(1 - f1^-p),        missing = d2 f2^-p/(1 - f2^-p).

An exponential has any p. A far field that falls too slowly for the tolerance, or not at all, shows a small p or none.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gated_xtfc.errors import InputError
from gated_xtfc.gates.text import read
from gated_xtfc.operator import symbol
from gated_xtfc.operator.linearise import Operator
from gated_xtfc.problem.problem import Problem
from gated_xtfc.problem.transform import Truncation
from gated_xtfc.solution.interval import IntervalSolution
from gated_xtfc.solution.status import Status
from gated_xtfc.solver.interval.discretisation import probe_lines
from gated_xtfc.solver.interval.guess import plain

Solved = Callable[[Problem, Any, float], IntervalSolution]  # a problem on a finite window, a guess, the tolerance

LENGTHS = 5.0  # natural lengths in the first window, from the finite end or from the middle
TRIED = (1.0, 0.5, 2.0, 0.25, 4.0)  # times that, where no solution is found at first
PARTS = np.array([0.25, 0.5, 0.75])  # of a window, where modes are asked for
OCTAVES = 120  # in which a natural length is looked for
DECADES = 6  # of natural lengths in which the texts are read
WINDOWS = 24
LEAST, FAR, WIDEST = 1.5, 8.0, 64.0  # times the window before: after a failure, with a power that is known, without one
NEAR = 1e-3  # change below which the power is believed
STEEP = 4.0  # power above which the far field falls like an exponential: a window twice as wide squares what is missing
FASTEST = 1.0  # part of a change that counts as missing at the least: faster terms may hide slower ones
SLOWEST = 0.2  # power below which it counts as not falling
PATIENCE = 6  # changes in a row that do not fall
MANY = 1000  # neurons with which two such changes are enough
BUDGETS = (Status.MAX_NEURONS, Status.MAX_MEMORY, Status.MAX_SECONDS)
ROUGH, FINER = 1e-5, 1e-3  # tolerance of the first windows, and of the others as a part of the last change
SHARE = 0.5  # of the tolerance that goes to each, the window and the cut


@dataclass(frozen=True)
class Windows:
    """Windows on an infinite axis, by their reach from the finite end or from the middle."""

    problem: Problem
    middle: float

    @classmethod
    def on(cls, problem: Problem) -> "Windows":
        (axis,) = problem.axes
        ends = [end for end in (axis.left, axis.right) if math.isfinite(end)]
        places = _places(problem)
        return cls(problem, ends[0] if ends else 0.5 * (min(places) + max(places)) if places else 0.0)

    def cut(self, reach: float) -> Problem:
        """The problem with its infinite ends cut off."""
        return self.problem.transformed(Truncation(self.middle - reach, self.middle + reach))

    def first(self) -> float:
        """Natural lengths enough to see the far field, and room for all that the conditions and texts name."""
        length = self._natural_length()
        places = (*_places(self.problem), *self._features(length))
        return max([LENGTHS * length, *(1.5 * abs(place - self.middle) for place in places)])

    def _natural_length(self) -> float:
        """The length over which the modes change by a factor e, about the plainest start."""
        length = max(1.0, abs(self.middle))
        grows = self._phase(length) < 1.0
        for _ in range(OCTAVES):
            other = length * (2.0 if grows else 0.5)
            if not math.isfinite(other) or (self._phase(other) < 1.0) != grows:
                return other if grows else length
            length = other
        return max(1.0, abs(self.middle))  # there is none

    def _phase(self, length: float) -> float:
        window = self.cut(length)
        start = None if window.linear else plain(window)
        operator = Operator(window) if start is None else Operator(window, start.about, start.constants)
        linear = operator.evaluate((window.axes[0].at(PARTS),))
        if not linear.finite:
            return math.inf
        return length * float(np.abs(symbol.modes(linear.by_order)).max())

    def _features(self, length: float) -> list[float]:
        """Where texts have features, as far out as they are looked for."""
        if not all(equation.is_text for equation in self.problem.equations):
            return []
        found: list[float] = []
        for decade in range(1, DECADES + 1):
            window = self.cut(length * 10.0**decade)
            reading = read(probe_lines(Operator(window)))
            places = (*(feature.location for feature in reading.features), *reading.breaks)
            found += [place for place in places if place not in (window.axes[0].left, window.axes[0].right)]
        return found


def _places(problem: Problem) -> list[float]:
    """The points that conditions name, but for infinity."""
    found = [term.point for condition in problem.conditions for term in condition.terms]
    found += [jump.place for jump in problem.jumps]
    found += [point for condition in problem.nonlinear_conditions for _, _, point in condition.places]
    return [point for point in found if math.isfinite(point)]


def solve_unbounded(
    problem: Problem, tol: float, solved: Solved, guess: Any, over: Callable[[], bool]
) -> IntervalSolution:
    """The solution on an infinite domain; `solved` solves on a window, to its share of the tolerance."""
    windows = Windows.on(problem)
    share = SHARE * tol
    goal = max(share, ROUGH)  # of the next window: those on the way need not be better than they are wide
    reach, found = _begun(windows, solved, guess, goal)
    if not found.converged:
        return _told(found, problem, tol, found.status, f"with {_cut(found)}, {found.message}")
    found = replace(found, problem=problem)
    factor, slow, missing = 2.0, 0, math.inf
    before: tuple[float, float] | None = None  # the change before, and by which factor
    power: float | None = None
    for _ in range(WINDOWS):
        if over():
            return _told(
                found, problem, tol, Status.MAX_SECONDS, f"no time is left to cut further out than {_cut(found)}"
            )
        wider = _wider(windows.cut(reach * factor), solved, found, goal)
        if not wider.converged:
            if slow:
                break
            if factor > LEAST:
                factor = math.sqrt(factor)
                continue
            fallen = "the far field has not fallen when the budget is spent: " * (wider.status in BUDGETS)
            return _told(found, problem, tol, wider.status, f"{fallen}with {_cut(wider)}, {wider.message}")
        wider = replace(wider, problem=problem)
        change = distance(found, wider)
        if before is not None:
            missing, power = _missing(before[0], change, before[1], factor)
            slow = slow + 1 if power < SLOWEST else 0
        else:
            missing = change if change <= 0.1 * tol else math.inf
        found, reach, before = wider, reach * factor, (change, factor)
        if missing <= share < goal:
            wider = replace(_wider(windows.cut(reach), solved, found, share), problem=problem)
            if not wider.converged:
                return _told(found, problem, tol, wider.status, f"with {_cut(wider)}, {wider.message}")
        goal = max(share, min(ROUGH, FINER * change))
        if missing <= share:
            total = wider.error + missing
            way = wider.message.split("; ")[1:]
            reached = f"estimated error {total:.1e} is within the tolerance {tol:.1e}"
            message = "; ".join([reached, *way, f"{_cut(wider)}, which adds about {missing:.1e} to the error"])
            return replace(wider, tol=tol, error=total, message=message)
        if slow >= PATIENCE or (slow >= 2 and wider.neurons > MANY):  # waves without end take kernels without end
            break
        factor = factor if power is None else _next(factor, missing / share, power, change)
    much = f"by {change:.1e}" if change < 1.0 else "altogether"
    what = f"the far field does not fall fast enough: with {_cut(found)} the solution still changes {much}"
    return _told(found, problem, tol, Status.RESOLUTION, f"{what} (tolerance {tol:.1e})")


def _begun(windows: Windows, solved: Solved, guess: Any, goal: float) -> tuple[float, IntervalSolution]:
    """The first window on which there is a solution; where there is none, the first that was tried."""
    first, failed = windows.first(), None
    for factor in TRIED if not windows.problem.linear else TRIED[:1]:
        found = solved(windows.cut(first * factor), guess, goal)
        if found.converged:
            return first * factor, found
        failed = failed or found
    assert failed is not None
    return first, failed


def _wider(window: Problem, solved: Solved, found: IntervalSolution, goal: float) -> IntervalSolution:
    """The solution on a window, from that of a narrower one; what cannot begin there is not converged."""
    try:
        return solved(window, None if window.linear else found, goal)
    except InputError as error:
        return replace(found, status=Status.NOT_FOUND, message=str(error))


def _told(found: IntervalSolution, problem: Problem, tol: float, status: Status, message: str) -> IntervalSolution:
    """What there is, with why it is not more."""
    return replace(found, problem=problem, tol=tol, status=status, error=math.inf, message=message)


def _cut(solution: IntervalSolution) -> str:
    """Where the ends were cut off, in words."""
    (axis,), (window,) = solution.problem.axes, solution.window
    left, right = f"{window.left:.4g}", f"{window.right:.4g}"
    return f"{axis.name} cut off to [{left}, {right}]"


def _next(factor: float, excess: float, power: float, change: float) -> float:
    """How much wider the next window is: as the power asks for, and twice as much as before where there is none."""
    if power < SLOWEST or excess > 1e200:
        return min(WIDEST, 2.0 * factor)
    if change > NEAR or power > STEEP:
        return 2.0
    return min(FAR, max(2.0, 1.2 * math.pow(excess, 1.0 / power)))


def distance(one: IntervalSolution, other: IntervalSolution) -> float:
    """The largest change from one solution to one on a wider window, relative to the size of each field.

    Of a field that grows towards infinity the derivatives that do not vanish there are compared as well.
    """
    x = np.concatenate([one.points(301), other.points(601)])
    found = []
    for f, (field, scale) in enumerate(zip(one.problem.fields, other.scales, strict=True)):
        orders = max(len(far.derivatives) for far in (*one.far_fields[f], *other.far_fields[f]))
        for j in range(orders):
            mine, theirs = one[field](x, j), other[field](x, j)
            size = scale if j == 0 else float(np.abs(theirs).max())
            found.append(float(np.abs(mine - theirs).max()) / size)
    for first, second in zip(one.values, other.values, strict=True):
        found.append(abs(first - second) / (abs(second) or 1.0))
    return max(found)


def _missing(first: float, second: float, by_first: float, by_second: float) -> tuple[float, float]:
    """What is missing after two changes, by the factors given, and the power with which it falls."""
    if second == 0.0:
        return 0.0, math.inf

    def ratio(p: float) -> float:
        return math.pow(by_first, -p) * (1.0 - math.pow(by_second, -p)) / (1.0 - math.pow(by_first, -p))

    low, high = 1e-3, 60.0
    if first == 0.0 or second / first >= ratio(low):
        return math.inf, 0.0
    for _ in range(60):
        p = 0.5 * (low + high)
        low, high = (p, high) if ratio(p) > second / first else (low, p)
    rest = math.pow(by_second, -low)
    return second * max(rest / (1.0 - rest), FASTEST), low
