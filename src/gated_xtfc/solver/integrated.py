"""Initial value problems where windows lead no further: a first guess from an implicit integrator.

Fields that begin with nothing and stay far below others, as the radicals of a reaction do, have no scale yet by which
a window could be solved. An integrator with an absolute tolerance passes that; what it finds is where Newton's method
starts on the whole domain, no more.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from gated_xtfc.problem.highest import Highest, given_values
from gated_xtfc.problem.problem import Problem
from gated_xtfc.types import Array

BLOWN = 1e6  # of the largest value at the start: where a solution is taken to have left through a pole
RELATIVE, ABSOLUTE = 1e-6, 1e-12
MOST = 20_000  # evaluations of the equations
SHORTEST, SHORTER = 1e-9, 1e-3  # of the domain, and of the longest step so far: a step that leads nowhere


class _TooMany(Exception):
    """More evaluations than a guess is worth, or equations that have no solution."""


def integrated(problem: Problem, over: Callable[[], bool]) -> tuple[dict[str, Any], int] | None:
    """The fields as functions, and how many steps led to them; None where none did before it was `over`."""
    from scipy.integrate import OdeSolution, Radau  # few problems come here

    begun = None if problem.nonlinear_conditions else given_values(problem.order, problem.conditions)
    if begun is None:
        return None
    start, values = begun
    (axis,) = problem.axes
    own = Highest(problem.equations, problem.order)
    lower = own.lower
    first = own.from_any(np.array([start]), values[:, None])
    if first is None or not lower:
        return None
    fields = list(problem.order)
    last, calls = first, 0

    def rates(x: float, given: Array) -> Array:
        nonlocal last, calls
        calls += 1
        top, done = own.solved(np.array([x]), given[:, None], last)
        if calls > MOST or not done[0] or over():
            raise _TooMany
        last = top
        found = [top[fields.index(name), 0] if j + 1 == problem.order[name] else given[k + 1]
                 for k, (name, (j,)) in enumerate(lower)]  # fmt: skip
        return np.array(found)

    goal = axis.right if start == axis.left else axis.left
    begun_with = float(np.abs(values).max())
    level = ABSOLUTE * max(begun_with, 1e-3)
    times, tops, pieces, longest = [start], [first], list[Any](), 0.0
    try:
        way = Radau(rates, start, values, goal, rtol=RELATIVE, atol=level)
        while way.status == "running":
            way.step()
            longest = max(longest, way.step_size)
            if begun_with and np.abs(way.y).max() > BLOWN * begun_with:
                return None  # implicit steps go across poles
            if way.status == "failed" or way.step_size < min(SHORTEST * axis.length, SHORTER * longest):
                return None
            pieces.append(way.dense_output())
            times.append(way.t)
            tops.append(own.solved(np.array([way.t]), way.y[:, None], tops[-1])[0])
    except (_TooMany, np.linalg.LinAlgError, ValueError):
        return None
    known, t = np.concatenate(tops, axis=1), np.array(times)
    along, order = OdeSolution(t, pieces), np.argsort(t)

    def field(name: str) -> Any:
        def at(x: Array) -> Array:
            places = np.ravel(np.asarray(x, dtype=float))
            given = along(places)
            if problem.order[name]:
                return np.asarray(given[lower.index((name, (0,)))].reshape(np.shape(x)))
            near = order[np.clip(np.searchsorted(t[order], places), 0, order.size - 1)]
            found: Array = own.solved(places, given, known[:, near])[0][fields.index(name)].reshape(np.shape(x))
            return found

        return at

    return {name: field(name) for name in fields}, len(pieces)
