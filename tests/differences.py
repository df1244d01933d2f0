"""Slopes by central differences of eighth order: what closed forms of derivatives are checked against."""

from collections.abc import Callable

import numpy as np

WEIGHTS = np.array([4 / 5, -1 / 5, 4 / 105, -1 / 280])


def slope(function: Callable[[np.ndarray], np.ndarray], x: np.ndarray, step: np.ndarray) -> np.ndarray:
    """The derivative of `function` at x, (n,) or (n, m), from eight points at whole steps."""
    # powers of two, so that x + k step is exact wherever the last bits of x allow it
    step = 2.0 ** np.round(np.log2(step)) * np.ones_like(x)
    total = sum(w * (function(x + k * step) - function(x - k * step)) for k, w in enumerate(WEIGHTS, start=1))
    return (total.T / step).T
