"""The compiled core, where it was built: otherwise its functions are None, and their twins in NumPy serve."""

from collections.abc import Callable

try:
    import gated_xtfc.core._elements as _elements
except ImportError:
    _elements = None  # type: ignore[assignment]

MOST_FIELDS = 16  # that the compiled core was made for
MOST_DEGREE = 64
MOST_STATES = 16  # fields and derivatives below the highest
MOST_SEEDS = 64  # derivatives of all fields, and unknown constants
MOST_CONSTANTS = 64
MOST_BORDER = 512  # numbers that many elements see
MOST_TURNING = 32  # points of one equation
MOST_MOVING = 16  # fields of an equation that evolves
MOST_GATES = 64


divide: Callable[..., int] | None = getattr(_elements, "divide", None)
evaluate: Callable[..., None] | None = getattr(_elements, "evaluate", None)
fit: Callable[..., bool] | None = getattr(_elements, "fit", None)
linear: Callable[..., tuple[int, int, tuple[float, ...], tuple[tuple[float, float, float], ...], bytes] | None] | None
linear = getattr(_elements, "linear", None)
linearise: Callable[..., bool] | None = getattr(_elements, "linearise", None)
moving_eta: Callable[..., bool] | None = getattr(_elements, "moving_eta", None)
moving_sides: Callable[..., bool] | None = getattr(_elements, "moving_sides", None)
moving_sites: Callable[..., bool] | None = getattr(_elements, "moving_sites", None)
moving_step: Callable[..., tuple[int, int, float, float]] | None = getattr(_elements, "moving_step", None)
newton: Callable[..., tuple[int, int, float]] | None = getattr(_elements, "newton", None)
nonlinear: Callable[..., tuple[int, int, float, int, int, tuple[tuple[float, float, float], ...], bytes] | None] | None
nonlinear = getattr(_elements, "nonlinear", None)
partition: Callable[..., int] | None = getattr(_elements, "partition", None)
predict: Callable[..., bool] | None = getattr(_elements, "predict", None)
slopes: Callable[..., bool] | None = getattr(_elements, "slopes", None)
solve: Callable[..., bool] | None = getattr(_elements, "solve", None)
solve_tied: Callable[..., bool] | None = getattr(_elements, "solve_tied", None)


def core() -> str:
    """What linear systems on elements are solved with, in a word."""
    return "NumPy" if solve is None else "compiled"
