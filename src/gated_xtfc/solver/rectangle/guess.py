"""Where Newton's method starts on a rectangle: a smooth surface that meets the conditions, or what the user gives."""

from collections.abc import Callable
from typing import Any

import numpy as np

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.language.parser import parse, require_shallow
from gated_xtfc.operator.linearise import Points
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solution.rectangle import RectangleSolution
from gated_xtfc.solver.discretisation import Start
from gated_xtfc.solver.rectangle.fit import RectangleLayout, fit
from gated_xtfc.solver.rectangle.grid_operator import GridOperator
from gated_xtfc.types import Array, Orders

VALUE: Orders = (0, 0)


def plain(problem: Problem, layout: RectangleLayout) -> Start:
    """The surface with u_xx + u_yy = k u that meets the conditions; k makes it unique."""
    one, source = np.ones((1, 1)), np.zeros(tuple(x.size for x in layout.points))
    decay = 1.0 / sum(axis.length**2 for axis in problem.axes)
    smooth = GridOperator({(2, 0): one, (0, 2): one, VALUE: -decay * one}, source)
    return through(layout, fit(layout, smooth, ()).values)


def through(layout: RectangleLayout, values: Array) -> Start:
    """The kernels' sum through values at the sites, with its derivatives."""
    x, y = layout.x, layout.y

    def about(_: int, points: Points, orders: Orders) -> Array:
        found: Array = x.rows(points[0], orders[0]) @ values @ y.rows(points[1], orders[1]).T
        return found

    return Start(about)


def given(guess: Any, problem: Problem, layout: RectangleLayout) -> Start:
    """A guess of the user's: a text, a number, a function of x and y, or a solution on a rectangle.

    Texts and functions come without derivatives: they get those of the kernels through their values at the sites.
    """
    if isinstance(guess, RectangleSolution):
        return _of_solution(guess)
    function = _function(guess, problem)
    names = problem.domain.coordinates
    smooth = through(layout, _grid(function, (layout.x.sites, layout.y.sites), names))

    def about(f: int, points: Points, orders: Orders) -> Array:
        return _grid(function, points, names) if orders == VALUE else smooth.about(f, points, orders)

    return Start(about)


def _of_solution(guess: RectangleSolution) -> Start:
    """A solution with all its layers; beyond its own domain it goes on as it ends."""
    axes = guess.problem.axes

    def about(_: int, points: Points, orders: Orders) -> Array:
        x, y = (np.clip(one, axis.left, axis.right) for one, axis in zip(points, axes, strict=True))
        return guess.function.grid(x, y, orders)

    return Start(about)


def _function(guess: Any, problem: Problem) -> Callable[[Any, Any], Any]:
    first, second = problem.domain.coordinates
    if isinstance(guess, str):
        read = parse(guess, parameters=problem.given, coordinates=(first, second), what="the guess")
        program = require_shallow(read)
        return lambda x, y: program.run({**problem.given, first: x, second: y})
    if callable(guess):
        function: Callable[[Any, Any], Any] = guess
        return function
    if isinstance(guess, int | float) and not isinstance(guess, bool):
        return lambda x, y: float(guess)
    raise InputError(
        f"the guess must be a text, a number, a function of {first} and {second} or a solution, "
        f"not {quoted(str(guess))} ({type(guess).__name__})"
    )


def _grid(function: Callable[[Any, Any], Any], points: Points, names: tuple[str, ...]) -> Array:
    x, y = points
    try:
        with np.errstate(all="ignore"):
            values: Array = np.asarray(function(x[:, None], y[None, :]), dtype=float) + np.zeros((x.size, y.size))
    except InputError:
        raise
    except Exception as error:
        raise InputError(f"the guess failed with {type(error).__name__}: {str(error)[:200]}") from None
    bad = np.argwhere(~np.isfinite(values))
    if bad.size:
        i, j = bad[0]
        raise InputError(f"the guess is not finite at {names[0]} = {x[i]:.6g}, {names[1]} = {y[j]:.6g}")
    return values
