"""The compiled core, where it was built: otherwise its functions are None, and their twins in NumPy serve."""

from collections.abc import Callable

MOST_FIELDS = 16  # that the compiled core was made for
MOST_DEGREE = 64
MOST_SEEDS = 64  # derivatives of all fields, and unknown constants
MOST_TURNING = 8  # points of one equation
MOST_MOVING = 16  # fields of an equation that evolves
MOST_GATES = 64

solve: Callable[..., bool] | None
evaluate: Callable[..., None] | None
fit: Callable[..., bool] | None
newton: Callable[..., tuple[int, int, float]] | None
linearise: Callable[..., bool] | None
partition: Callable[..., int] | None
predict: Callable[..., bool] | None
moving_eta: Callable[..., None] | None
moving_sides: Callable[..., None] | None
moving_sites: Callable[..., None] | None
moving_step: Callable[..., tuple[int, int, float]] | None
try:
    from gated_xtfc.core._elements import (
        evaluate,
        fit,
        linearise,
        moving_eta,
        moving_sides,
        moving_sites,
        moving_step,
        newton,
        partition,
        predict,
        solve,
    )
except ImportError:
    solve = evaluate = fit = linearise = newton = partition = predict = None
    moving_eta = moving_sides = moving_sites = moving_step = None


def core() -> str:
    """What linear systems on elements are solved with, in a word."""
    return "NumPy" if solve is None else "compiled"
