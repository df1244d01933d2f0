"""References in fifty digits or more: what a closed form loses in double precision is not the solver's fault."""

from collections.abc import Callable, Sequence

import numpy as np
from mpmath import mp, mpf

Values = Callable[[np.ndarray], np.ndarray]
Mode = Callable[[mpf], mpf]
DIGITS = 50


def combination(modes: Sequence[Mode], rows: Sequence[Callable[[Mode], mpf]], values: Sequence[mpf]) -> list[mpf]:
    """The factors of modes for which each functional has its value."""
    matrix = mp.matrix([[row(mode) for mode in modes] for row in rows])
    return list(mp.lu_solve(matrix, mp.matrix(list(values))))


def at_points(formula: Mode, digits: int = DIGITS) -> Values:
    """A formula of one number as a function of an array."""

    def values(x: np.ndarray) -> np.ndarray:
        with mp.workdps(digits):
            return np.array([float(formula(mpf(float(place)))) for place in np.ravel(x)]).reshape(np.shape(x))

    return values


def pieces_of_exponentials(cut: float, rates: Sequence[mpf], values: Sequence[float]) -> Values:
    """On (0, 1), exponentials of both signs on either side of a place, joined with their slopes."""
    place, (p, q) = mpf(cut), rates
    # a exp(-p x) + b exp(p (x - cut)) left of it, c exp(-q (x - cut)) + d exp(q (x - 1)) right of it
    far_left, far_right = mp.exp(-p * place), mp.exp(-q * (1 - place))
    matrix = mp.matrix(
        [
            [1, far_left, 0, 0],
            [0, 0, far_right, 1],
            [far_left, 1, -1, -far_right],
            [-p * far_left, p, q, -q * far_right],
        ]
    )
    a, b, c, d = mp.lu_solve(matrix, mp.matrix([mpf(values[0]), mpf(values[1]), 0, 0]))

    def formula(x: mpf) -> mpf:
        if x < place:
            return a * mp.exp(-p * x) + b * mp.exp(p * (x - place))
        return c * mp.exp(-q * (x - place)) + d * mp.exp(q * (x - 1))

    return at_points(formula)


def through_a_window(left: mpf, right: mpf, height: mpf, values: Sequence[float]) -> Values:
    """On (0, 1), u'' = V u with V = height between two places and zero elsewhere."""
    rate = mp.sqrt(height)

    def carried(u: mpf, v: mpf, x: mpf) -> mpf:
        """u at x from u and u' at zero."""
        if x <= left:
            return u + v * x
        u, reach = u + v * left, min(x, right) - left
        even, odd = mp.cosh(rate * reach), mp.sinh(rate * reach)
        u, v = u * even + v / rate * odd, u * rate * odd + v * even
        return u + v * (x - right) if x > right else u

    start, zero, one = mpf(values[0]), mpf(0), mpf(1)
    slope = (mpf(values[1]) - start * carried(one, zero, one)) / carried(zero, one, one)
    return at_points(lambda x: carried(start, slope, x))
