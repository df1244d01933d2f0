"""The compiled core, where it was built: otherwise its functions are None, and their twins in NumPy serve."""

from collections.abc import Callable

MOST_FIELDS = 16  # that the compiled core was made for
MOST_DEGREE = 64
MOST_SEEDS = 64  # derivatives of all fields, and unknown constants
MOST_TURNING = 8  # points of one equation

slopes: Callable[..., bool] | None
solve: Callable[..., bool] | None
evaluate: Callable[..., None] | None
fit: Callable[..., bool] | None
newton: Callable[..., tuple[int, int, float]] | None
linear: Callable[..., tuple[int, int, tuple[float, ...], tuple[tuple[float, float, float], ...], bytes] | None] | None
linearise: Callable[..., bool] | None
partition: Callable[..., int] | None
predict: Callable[..., bool] | None
try:
    from gated_xtfc.core._elements import evaluate, fit, linear, linearise, newton, partition, predict, slopes, solve
except ImportError:
    slopes = solve = evaluate = fit = linear = linearise = newton = partition = predict = None


def core() -> str:
    """What linear systems on elements are solved with, in a word."""
    return "NumPy" if solve is None else "compiled"
