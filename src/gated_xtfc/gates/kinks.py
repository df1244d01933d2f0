"""Kinks of a function that is only sampled, such as np.interp: where second differences stand out, at every step size.

Where a slope jumps by s the second difference over a step h is s h, where it does not it is of the order of h^2.
"""

from collections.abc import Callable

import numpy as np

from gated_xtfc.types import Array

Values = Callable[[Array], Array]  # functions at points (n,): (count, n), each in units of its range

STANDS_OUT = 10.0  # times the second differences around it
ROUNDING = 1e-13  # of the range: smaller second differences are rounding
CLOSE = 1e-10  # of the range: what the second difference falls to before the lines on both sides are intersected
MOST = 500
POINTS = 33


def kinks(values: Values, x: Array) -> list[float]:
    """Places of kinks between samples x, as far as the samples show them."""
    bend = _bends(values(x))
    padded = np.pad(bend, 3)
    around = np.maximum(padded[:-6], padded[6:])
    top = (bend >= padded[2:-4]) & (bend > padded[4:-2]) & (bend > STANDS_OUT * np.maximum(around, ROUNDING))
    places = (np.flatnonzero(top) + 1)[:MOST]
    found = [_kink(values, float(x[i - 1]), float(x[i + 1])) for i in places.tolist()]
    return sorted({place for place in found if place is not None})


def _bends(values: Array) -> Array:
    """The largest second difference at each inner point."""
    bends: Array = np.abs(values[:, :-2] - 2.0 * values[:, 1:-1] + values[:, 2:]).max(axis=0)
    return bends


def _kink(values: Values, low: float, high: float) -> float | None:
    """The kink between two places; None where closer looks show a smooth bend."""
    while high - low > 64.0 * np.spacing(max(abs(low), abs(high))):
        x = np.linspace(low, high, POINTS)
        bend = _bends(values(x))
        i = int(np.argmax(bend))
        away = np.abs(np.arange(bend.size) - i) >= 2
        if bend[i] < STANDS_OUT * max(float(np.median(bend[away])), ROUNDING):
            return None
        low, high = float(x[i]), float(x[i + 2])
        if bend[i] < CLOSE:
            break
    return _crossing(values, low, high)


def _crossing(values: Values, low: float, high: float) -> float:
    """Where the lines through two points on each side of a small interval meet."""
    step = high - low
    at = np.array([low - step, low, high, high + step])
    v = values(at)
    left, right = (v[:, 1] - v[:, 0]) / step, (v[:, 3] - v[:, 2]) / step
    k = int(np.argmax(np.abs(right - left)))
    if right[k] == left[k]:
        return 0.5 * (low + high)
    # left line at low + t equals right line at high - (step - t)
    t = (v[k, 2] - v[k, 1] - right[k] * step) / (left[k] - right[k])
    return low + float(np.clip(t, 0.0, step))
