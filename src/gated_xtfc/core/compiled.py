"""The compiled core, where it was built: otherwise its functions are None, and their twins in NumPy serve."""

from collections.abc import Callable
from typing import Any

try:
    import gated_xtfc.core._elements as _elements
except ImportError:
    _elements = None  # type: ignore[assignment]

MOST_FIELDS = 16  # that the compiled core was made for
MOST_DEGREE = 64
MOST_SEEDS = 64  # derivatives of all fields, and unknown constants
MOST_CONSTANTS = 64
MOST_BORDER = 512  # numbers that many elements see
MOST_TURNING = 8  # points of one equation
MOST_MOVING = 16  # fields of an equation that evolves
MOST_GATES = 64


def _core(name: str) -> Any:
    return getattr(_elements, name, None)


divide: Callable[..., int] | None = _core("divide")
evaluate: Callable[..., None] | None = _core("evaluate")
fit: Callable[..., bool] | None = _core("fit")
linear: Callable[..., tuple[int, int, tuple[float, ...], tuple[tuple[float, float, float], ...], bytes] | None] | None
linear = _core("linear")
linearise: Callable[..., bool] | None = _core("linearise")
moving_eta: Callable[..., None] | None = _core("moving_eta")
moving_sides: Callable[..., None] | None = _core("moving_sides")
moving_sites: Callable[..., None] | None = _core("moving_sites")
moving_step: Callable[..., tuple[int, int, float]] | None = _core("moving_step")
newton: Callable[..., tuple[int, int, float]] | None = _core("newton")
partition: Callable[..., int] | None = _core("partition")
predict: Callable[..., bool] | None = _core("predict")
slopes: Callable[..., bool] | None = _core("slopes")
solve: Callable[..., bool] | None = _core("solve")
solve_tied: Callable[..., bool] | None = _core("solve_tied")


def core() -> str:
    """What linear systems on elements are solved with, in a word."""
    return "NumPy" if solve is None else "compiled"
