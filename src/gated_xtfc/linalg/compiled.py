"""The compiled core, where it was built: otherwise `solve` is None, and its twin in NumPy serves."""

from collections.abc import Callable

MOST_FIELDS = 16  # that the compiled core was made for

solve: Callable[..., None] | None
try:
    from gated_xtfc.linalg._elements import solve
except ImportError:
    solve = None


def core() -> str:
    """What linear systems on elements are solved with, in a word."""
    return "NumPy" if solve is None else "compiled"
