"""Where a function of one place passes zero."""

from collections.abc import Callable

import numpy as np

from gated_xtfc.types import Array

HALVINGS = 60


def zeros_between(function: Callable[[Array], Array], x: Array) -> list[float]:
    """Zeros between neighbouring samples, by halving; one that stands on a sample as it is."""
    values = np.asarray(function(x), dtype=float) + np.zeros_like(x)
    found: list[float] = x[values == 0.0].tolist()
    for i in np.flatnonzero(values[1:] * values[:-1] < 0.0).tolist():
        low, high, sign = float(x[i]), float(x[i + 1]), np.sign(values[i])
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            if np.sign(float(np.ravel(function(np.array([middle])))[0])) == sign:
                low = middle
            else:
                high = middle
        found.append(high)
    return found
