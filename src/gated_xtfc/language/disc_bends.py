"""How large second derivatives of functions are on discs of the complex plane: what their Taylor models leave over.

Of exp, sinh and cosh no derivative is larger than the function's own bound, which stands in `language/disc.py`.
"""

import numpy as np

from gated_xtfc.types import Array

HALF_PI = 0.5 * np.pi


def bend_on(name: str, c: Array, r: Array) -> Array:
    """A bound of |f''| on the discs of radius r around c; infinite where a disc reaches a singularity."""
    found: Array
    size = np.abs(c)
    away = np.fmax(size - r, 0.0)  # of zero, along the real axis
    if name in ("sin", "cos"):
        found = np.cosh(r)
    elif name in ("log", "log10", "sqrt"):
        inner = np.where(c > r, c - r, 0.0)
        found = 0.25 * inner**-1.5 if name == "sqrt" else 1.0 / inner**2
    elif name in ("tanh", "log cosh"):
        # |cosh(x + iy)| is at least sinh(x), and cosh(x) cos(y)
        near = np.where(r < HALF_PI, 1.0 / np.cos(np.minimum(r, HALF_PI)), np.inf)
        past = np.where(away > 1.0, 1.0 / np.tanh(np.fmax(away, 1.0)), np.inf)
        factor = np.minimum(near, past)
        decay = 1.0 / np.cosh(np.minimum(away, 700.0)) ** 2
        found = 2.0 * decay * factor**3 if name == "tanh" else decay * factor**2
    elif name in ("atan", "arctan"):
        gap = np.fmax(np.hypot(1.0, c) - r, 0.0)
        found = 2.0 * (size + r) / gap**4
    elif name in ("asin", "acos", "arcsin", "arccos"):
        gap = np.fmax(1.0 - size - r, 0.0)
        found = (size + r) * (gap * (1.0 + size - r)) ** -1.5
    elif name == "tan":
        off = np.abs(np.remainder(c, np.pi) - HALF_PI)
        gap = np.sin(np.minimum(np.fmax(off - r, 0.0), HALF_PI))
        found = 2.0 * np.cosh(r) / gap**3
    elif name == "erf":
        lowest = np.where(2.0 * r < size, away**2, 0.5 * size**2 - r**2)  # of Re z^2
        found = 4.0 / np.sqrt(np.pi) * (size + r) * np.exp(-lowest)
    else:
        assert name in ("abs", "sign"), name
        found = np.zeros_like(c)
    return found
