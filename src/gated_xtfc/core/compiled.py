"""The compiled core, where it was built: otherwise its functions are None, and their twins in NumPy serve."""

from collections.abc import Callable

MOST_FIELDS = 16  # that the compiled core was made for
MOST_DEGREE = 64

solve: Callable[..., None] | None
evaluate: Callable[..., None] | None
newton: Callable[..., tuple[int, int, float]] | None
try:
    from gated_xtfc.core._elements import evaluate, newton, solve
except ImportError:
    solve = evaluate = newton = None


def core() -> str:
    """What linear systems on elements are solved with, in a word."""
    return "NumPy" if solve is None else "compiled"
