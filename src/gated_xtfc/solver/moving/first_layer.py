"""What carrying does to a leap while diffusion spreads it: the next term of the solution for short times.

u_t = (nu + nu' (x - x_0)) u_xx - c(u) u_x, z = (x - x_0)/s, s = 2 sqrt(nu t): u = U(z) + (s/nu) V(z) + O(s^2), U the
error function between the two values and V'' + 2 z V' - 2 V = (c(U) + 2 nu' z^2) U'. Without V what is left out is of
the order of s, and the first short time would have to be so short that thin layers lose their digits.
"""

from collections.abc import Callable

import numpy as np
from numpy.polynomial import chebyshev
from scipy.special import erf

from gated_xtfc.types import Array

FAR = 7.0  # in z: the error function is there what it tends to
DEGREE = 64


def profile(z: Array, inside: bool) -> Array:
    """The share of a leap that is there at z: from 0 to 1 across a leap inside, 1 at an end and 0 far from it."""
    found: Array = 0.5 * (1.0 + erf(z)) if inside else 1.0 - erf(z)
    return found


def carried(leap: float, speed: Callable[[Array], Array], widening: float, inside: bool) -> Callable[[Array], Array]:
    """V for a leap whose speed c is known by the share of it that is there, and nu'; zero far away and at an end."""
    low = -FAR if inside else 0.0
    half = 0.5 * (FAR - low)
    nodes = chebyshev.chebpts2(DEGREE + 1)
    z = low + half * (nodes + 1.0)
    basis = np.eye(DEGREE + 1)
    values, first, second = (
        chebyshev.chebval(nodes, chebyshev.chebder(basis, order) / half**order).T for order in (0, 1, 2)
    )
    matrix = second + 2.0 * z[:, None] * first - 2.0 * values
    matrix[[0, -1]] = values[[0, -1]]
    slope = leap * (1.0 if inside else -2.0) * np.exp(-(z**2)) / np.sqrt(np.pi)
    right = (speed(profile(z, inside)) + 2.0 * widening * z**2) * slope
    right[[0, -1]] = 0.0
    coefficients = np.linalg.solve(matrix, right)

    def found(at: Array) -> Array:
        near = (at >= low) & (at <= FAR)
        return np.where(near, chebyshev.chebval(np.clip((at - low) / half - 1.0, -1.0, 1.0), coefficients), 0.0)

    return found
