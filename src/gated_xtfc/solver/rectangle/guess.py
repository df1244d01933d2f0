"""Where Newton's method starts on a rectangle: a smooth surface that meets the conditions, or what the user gives."""

from collections.abc import Callable
from typing import Any

import numpy as np

from gated_xtfc.discretise.axis_grid import Line
from gated_xtfc.errors import InputError, quoted
from gated_xtfc.language.plane_vocabulary import PlaneVocabulary
from gated_xtfc.language.program import Program
from gated_xtfc.language.reader import Reader
from gated_xtfc.language.tokens import tokenize
from gated_xtfc.operator.plane_operator import Linear, PlaneOperator
from gated_xtfc.problem.plane_problem import PlaneProblem
from gated_xtfc.solver.rectangle.fit import fit
from gated_xtfc.types import Array

Start = Callable[[Array, Array], Array]  # values on the grid of x (n,) and y (m,)


def plain(operator: PlaneOperator, x: Line, y: Line) -> Array:
    """Values at the sites of the surface with u_xx + u_yy = k u that meets the conditions; k makes it unique."""
    one = np.ones((1, 1))
    source = np.zeros((x.inner.size, y.inner.size))
    decay = 1.0 / sum(axis.length**2 for axis in operator.problem.axes)
    return fit(x, y, operator.problem.sides, Linear({(2, 0): one, (0, 2): one, (0, 0): -decay * one}, source)).values


def given(guess: Any, problem: PlaneProblem) -> Start:
    """A guess of the user's: a text, a number, a function of x and y, or a solution on a rectangle."""
    if hasattr(guess, "surface"):
        first, second = (axis for axis in guess.problem.axes)
        return lambda x, y: np.asarray(
            guess.surface.grid(np.clip(x, first.left, first.right), np.clip(y, second.left, second.right))
        )
    names = problem.axes[0].name, problem.axes[1].name
    if isinstance(guess, str):
        words = PlaneVocabulary(names, parameters=problem.parameters.keys())
        program = Program(guess, tuple(Reader(guess, "the guess", words).read(tokenize(guess, "the guess"))))
        return lambda x, y: _grid(
            lambda a, b: program.run({**problem.parameters, names[0]: a, names[1]: b}), x, y, names
        )
    if callable(guess):
        return lambda x, y: _grid(guess, x, y, names)
    if isinstance(guess, int | float) and not isinstance(guess, bool):
        return lambda x, y: np.full((x.size, y.size), float(guess))
    raise InputError(
        f"the guess must be a text, a number, a function of {names[0]} and {names[1]} or a solution, "
        f"not {quoted(str(guess))} ({type(guess).__name__})"
    )


def _grid(function: Callable[[Any, Any], Any], x: Array, y: Array, names: tuple[str, str]) -> Array:
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
