"""The compiled core, where it was built: otherwise its functions are None, and their twins in NumPy serve."""

from collections.abc import Callable

MOST_FIELDS = 16  # that the compiled core was made for
MOST_DEGREE = 64
MOST_SEEDS = 64  # derivatives of all fields, and unknown constants
MOST_CONSTANTS = 64
MOST_BORDER = 512  # numbers that many elements see
MOST_TURNING = 8  # points of one equation
MOST_MOVING = 16  # fields of an equation that evolves
MOST_GATES = 64

solve: Callable[..., bool] | None
solve_tied: Callable[..., bool] | None
divide: Callable[..., int] | None
evaluate: Callable[..., None] | None
fit: Callable[..., bool] | None
newton: Callable[..., tuple[int, int, float]] | None
linear: Callable[..., tuple[int, int, tuple[float, ...], tuple[tuple[float, float, float], ...], bytes] | None] | None
linearise: Callable[..., bool] | None
partition: Callable[..., int] | None
predict: Callable[..., bool] | None
moving_sides: Callable[..., None] | None
moving_sites: Callable[..., None] | None
moving_step: Callable[..., tuple[int, int]] | None
try:
    from gated_xtfc.core._elements import (
        divide,
        evaluate,
        fit,
        linear,
        linearise,
        moving_sides,
        moving_sites,
        moving_step,
        newton,
        partition,
        predict,
        solve,
        solve_tied,
    )
except ImportError:
    solve = solve_tied = divide = evaluate = fit = linear = linearise = newton = partition = predict = None
    moving_sides = moving_sites = moving_step = None


def core() -> str:
    """What linear systems on elements are solved with, in a word."""
    return "NumPy" if solve is None else "compiled"
