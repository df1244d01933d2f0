"""From an easy member of the family to the one asked for: follow the solution as a parameter goes to its value.

Steps are even in the logarithm of the parameter; they grow where Newton's method is at ease and are halved
where it fails.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic, Protocol, TypeVar

import numpy as np

from gated_xtfc.errors import InputError
from gated_xtfc.operator.linearise import Operator
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solution.interval import Round
from gated_xtfc.solver.adapt import Limits, Settled, Start, begin, guide, settle
from gated_xtfc.solver.interval.guess import plain
from gated_xtfc.types import Array

EASY = 1.0  # where a parameter starts, small or large
LEVEL = 1e-3  # largest tolerance on the way
FIRST = 0.5  # decades of the first step
SHORT = 0.3  # decades below which a level that falls short of its tolerance is taken all the same
LEAST = 0.002  # decades below which there is no way on
MOST_LEVELS = 200


def small_parameter(problem: Problem) -> str | None:
    """The parameter below one that multiplies a highest derivative: the lead follows it most closely."""
    x = problem.axis.left + problem.axis.length * np.linspace(0.03, 0.97, 21)
    lead = _lead(problem, x)
    best, name = 0.1, None
    for parameter, value in problem.parameters.items():
        if 0.0 < value < EASY:
            growth = float(np.log2(np.nanmax(_lead(problem(**{parameter: 2.0 * value}), x) / lead)))
            if growth > best:
                best, name = growth, parameter
    return name


def _lead(problem: Problem, x: Array) -> Array:
    """The size of the highest derivatives' coefficients in each equation, relative to all others, (equations,)."""
    linear = Operator(problem, plain(problem), (1.0,) * len(problem.unknown)).evaluate(x)
    return np.array([max(float(np.abs(jets[-1]).max()) for jets in fields) for fields in linear.coefficients])


class Member(Protocol):
    """A member of the family, solved as far as it would go."""

    @property
    def found(self) -> object | None: ...
    @property
    def history(self) -> tuple[Round, ...]: ...
    @property
    def steps(self) -> int: ...
    @property
    def error(self) -> float: ...


Reached = TypeVar("Reached", bound=Member)


@dataclass(frozen=True)
class Path(Generic[Reached]):
    """How members are solved: the first one from nothing, each other one from the one before; value, tol, steps."""

    parameter: str
    first: Callable[[float, float, int], Reached]
    onward: Callable[[Reached, float, float, int], Reached]

    def walk(
        self, target: float, tol: float, steps: int, report: Callable[[Round], None] | None = None
    ) -> tuple[Reached | None, list[Round]]:
        """The member at `target`, or the last one reached, and the members on the way to it."""
        if target <= 0.0:
            raise InputError(f"continuation in {self.parameter} needs a positive value, not {target:g}")
        path: list[Round] = []
        left, way = steps, -1.0 if target < EASY else 1.0
        for back in range(3):
            # one, or further back from the target
            value = EASY * 10.0 ** (-way * back)
            last = self.first(value, on_the_way(value, tol), left)
            left -= last.steps
            if last.found is not None:
                break
        if last.found is None:
            return None, path
        step = FIRST
        while True:
            path.append(replace(min(last.history, key=lambda entry: entry.error), value=value))
            if report is not None:
                report(path[-1])
            if value == target or len(path) >= MOST_LEVELS or left <= 0:
                return last, path
            while True:
                following = value * 10.0 ** (way * step)
                following = max(following, target) if way < 0 else min(following, target)
                wanted = tol if following == target else on_the_way(following, tol)
                settled = self.onward(last, following, wanted, left)
                left -= settled.steps
                # a member that falls short is worth a shorter step, while there is one
                if settled.error <= wanted or (settled.error <= 10.0 * LEVEL and step <= SHORT):
                    break
                step *= 0.5
                if step < LEAST or left <= 0:
                    return last, path
            easy = max(entry.steps for entry in settled.history) <= 6
            step = min(2.0, step * (2.0 if easy else 1.0))
            value, last = following, settled


def follow(
    problem: Problem,
    parameter: str,
    tol: float,
    density: float,
    limits: Limits,
    guess: Start | None = None,
    report: Callable[[Round], None] | None = None,
) -> tuple[Settled | None, list[Round]]:
    """The solution at the problem's own value of the parameter, or at the last value reached, with the path."""

    def first(value: float, tol: float, steps: int) -> Settled:
        member = problem(**{parameter: value})
        return settle(member, *begin(member, guess), tol, density, replace(limits, steps=steps))

    def onward(last: Settled, value: float, tol: float, steps: int) -> Settled:
        assert last.found is not None
        member = problem(**{parameter: value})
        coordinates = guide(member, last.found) or tuple(basis.coordinate for basis in last.found.pieces.bases)
        return settle(member, coordinates, Start.at(last.found), tol, density, replace(limits, steps=steps))

    return Path(parameter, first, onward).walk(problem.parameters[parameter], tol, limits.steps, report)


def on_the_way(value: float, tol: float) -> float:
    """A corner layer shows in u by no more than the small parameter: unresolved, it would lead the next one astray."""
    return max(tol, min(LEVEL, 0.1 * value))
