"""Initial value problems: where all conditions stand at one end, the solution is followed from there, window by window.

Each window begins with the values that the last one ends with; windows grow where Newton's method is at ease and are
halved where it fails. What they give is the start, with the kernels, of one fit over the whole domain: so there is one
solution at the end, and its estimate sees the growth of every error from where it is made.
"""

from dataclasses import dataclass, replace

import numpy as np

from gated_xtfc.errors import InputError
from gated_xtfc.gates.coordinate import AxisCoordinates
from gated_xtfc.operator.linearise import Points
from gated_xtfc.problem.condition import Condition, Term
from gated_xtfc.problem.domain import Axis, Domain, derivative_name
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solver.adapt import Adapted, Limits, adapt, begin
from gated_xtfc.solver.discretisation import Discretisation, F, L, Start
from gated_xtfc.types import Array, Orders

FIRST = 1e-3  # of the domain: the first window
SHORTEST = 1e-8  # of the domain: a window below which there is no going on
MOST_WINDOWS = 300
FULL = 120  # neurons a field in a window beyond which the next one is no longer
EASY = 10  # steps of Newton's method with which the next window is longer
FINEST, COARSEST = 1e-11, 1e-9  # tolerances of windows


@dataclass(frozen=True)
class Window:
    """A part of the domain, and the solution there."""

    axis: Axis
    start: Start
    coordinates: AxisCoordinates


@dataclass(frozen=True)
class WindowMarch:
    """The windows from the end where the conditions stand to the place reached."""

    windows: tuple[Window, ...]  # from left to right
    reached: float
    steps: int


def initial_end(problem: Problem) -> float | None:
    """The end at which all conditions of a nonlinear problem stand; None where they do not."""
    if len(problem.axes) > 1 or problem.unknown or problem.linear or not problem.domain.finite:
        return None
    points = {term.point for condition in problem.conditions for term in condition.terms}
    points |= {point for condition in problem.nonlinear_conditions for _, _, point in condition.places}
    if len(points) != 1 or problem.integrals:
        return None
    (point,), (axis,) = points, problem.axes
    return point if point in (axis.left, axis.right) else None


def marched(space: Discretisation[L, F], end: float, tol: float, limits: Limits) -> WindowMarch:
    """Windows from `end` on, as far as there are solutions."""
    problem = space.problem
    (axis,) = problem.axes
    forward = end == axis.left
    goal = axis.right if forward else axis.left
    length, here, steps = FIRST * axis.length, end, 0
    wanted = min(max(0.1 * tol, FINEST), COARSEST)
    windows: list[Window] = []
    while here != goal and len(windows) < MOST_WINDOWS and steps < limits.steps and not limits.over():
        there = here + length if forward else here - length
        remaining = abs(goal - here)
        if length >= 0.9 * remaining:
            there = goal
        place = Axis(axis.name, min(here, there), max(here, there))
        given = _values(problem, windows[-1], here, forward) if windows else None
        window = space.for_problem(problem.on_window(Domain((place,)), given))
        found = _solved(window, wanted, replace(limits, steps=limits.steps - steps))
        if found is None or found.found is None or found.error > 100.0 * wanted:
            steps += 1 if found is None else found.steps
            length = 0.5 * abs(there - here)
            if length < SHORTEST * axis.length:
                break
            continue
        steps += found.steps
        windows.append(Window(place, window.as_start(found.found), found.found.coordinates[0]))
        crowded = found.found.neurons > FULL * len(problem.fields)
        length = abs(there - here) * (0.7 if crowded else 2.0 if found.steps <= EASY else 1.0)
        here = there
    return WindowMarch(tuple(windows if forward else windows[::-1]), here, steps)


def joined(space: Discretisation[L, F], march: WindowMarch, tol: float, limits: Limits) -> Adapted[F]:
    """One fit over the whole domain, from what the windows gave."""
    edges = np.array([window.axis.right for window in march.windows[:-1]])

    def about(f: int, points: Points, orders: Orders) -> Array:
        (x,) = points
        which = np.searchsorted(edges, x, side="left")
        values = np.empty_like(x)
        for k in np.unique(which).tolist():
            window, inside = march.windows[k], which == k
            at = np.clip(x[inside], window.axis.left, window.axis.right)
            values[inside] = window.start.about(f, (at,), orders)
        return values

    coordinates = tuple(piece for window in march.windows for piece in window.coordinates)
    return adapt(space, (coordinates,), Start(about, (), solves=True), tol, limits)


def _values(problem: Problem, window: Window, at: float, forward: bool) -> list[Condition]:
    """The values and derivatives that a window ends with, as conditions for the next one."""
    end = window.axis.right if forward else window.axis.left
    found = []
    for f, (name, order) in enumerate(problem.order.items()):
        for j in range(order):
            value = float(window.start.about(f, (np.array([end]),), (j,))[0])
            text = f"{derivative_name(name, (j,), problem.axes)}({at:.6g}) = {value:.6g}"
            found.append(Condition(text, (Term(name, j, at, 1.0),), (), value))
    return found


def _solved(space: Discretisation[L, F], tol: float, limits: Limits) -> Adapted[F] | None:
    """A window's solution; None where there is none to begin with."""
    try:
        return adapt(space, *begin(space, tol), tol, limits)
    except InputError:  # an equation that is not finite there
        return None
