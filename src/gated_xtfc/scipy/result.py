"""What solve_bvp hands over: the fields of SciPy's result, the solution as a piecewise polynomial of high degree."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.polynomial.chebyshev import chebder, chebvander
from scipy.interpolate import PPoly
from scipy.optimize import OptimizeResult

from gated_xtfc.gauss_legendre import rule
from gated_xtfc.types import Array

DEGREE = 9  # of the pieces
PIECES = 2.0  # for each kernel width: a Gaussian is a polynomial of that degree there, to the last digits
SPACING = 8.0  # floating-point numbers that nodes are apart at least


class BVPResult(OptimizeResult):  # type: ignore[misc]
    """The solution with its figures, as attributes and as keys of a dictionary.

    Attributes
    ----------
    sol
        The solution as a `scipy.interpolate.PPoly`: ``sol(x)`` has one row for each component, ``sol(x, 1)`` its
        derivative.
    p
        The unknown parameters found, or None where there are none.
    x, y, yp
        Nodes of the mesh, and the solution and its derivative there.
    rms_residuals
        Root mean square of the relative residuals over each interval of the mesh.
    niter
        Fits that it took.
    status, message, success
        0 where the tolerance is met; 1 where it would take more than `max_nodes`; 2 where the equations and conditions
        do not determine a solution, or have no value where they are asked for; 3 where the conditions are not met; 4
        where no solution was found to the tolerance. `message` says so in words.
    error
        The estimated error of y, relative to the largest value of each component: this one is not in SciPy's result.

    Examples
    --------
    >>> import numpy as np
    >>> from gated_xtfc.scipy import solve_bvp
    >>> x = np.linspace(0, 1, 5)
    >>> found = solve_bvp(lambda x, y: np.vstack((y[1], -y[0])), lambda a, b: [a[0], b[0] - 1], x, np.zeros((2, 5)))
    >>> found.status, f"{found.sol(0.5)[0]:.6f}"
    (0, '0.569747')
    """


def mesh_of(pieces: Sequence[Array]) -> Array:
    """The nodes of several meshes with the same ends, without those too close to each other."""
    x = np.unique(np.concatenate(pieces))
    gaps = np.diff(x) > SPACING * np.spacing(np.abs(x[1:]))
    keep = np.concatenate([[True], gaps])
    keep[-1] = True
    if len(x) > 2 and not gaps[-1]:
        keep[-2] = False
    found: Array = x[keep]
    return found


@dataclass(frozen=True)
class Pieces:
    """A solution by its values, (n, m - 1, nodes), at Chebyshev's points of every interval of a mesh, ends included."""

    x: Array  # (m,)
    values: Any

    @classmethod
    def of(cls, function: Callable[[Array], Any], x: Array) -> "Pieces":
        """Through a function's values, (n, m)."""
        at = x[:-1, None] + np.diff(x)[:, None] * piece_nodes()
        at[:, -1] = x[1:]
        values = function(at.ravel())
        return cls(x, values.reshape(len(values), *at.shape))

    @property
    def sol(self) -> PPoly:
        """As SciPy's polynomials."""
        (_, to_powers), width = _conversion(), np.diff(self.x)
        # by way of Chebyshev coefficients, which fall: powers are then sums of falling terms, and no digits are lost
        c = (self.values @ to_powers[0] @ to_powers[1]).transpose(0, 2, 1)  # (n, powers, m - 1), highest first
        c[:, -1] = self.values[:, :, 0]
        c = c / width ** np.arange(DEGREE, -1, -1)[:, None]
        return PPoly.construct_fast(np.ascontiguousarray(c.transpose(1, 2, 0)), self.x, extrapolate=True, axis=1)

    def at_nodes(self, order: int = 0) -> Any:
        """The values, or the slopes, at the nodes of the mesh, (n, m)."""
        found = self._along(np.array([0.0, 1.0]), order)
        return np.concatenate([found[:, :, 0], found[:, -1:, 1]], axis=1)

    def rms_residuals(self, slope: Callable[[Array, Any], Any]) -> Array:
        """Of every interval: the root mean square of (y' - f)/(1 + |f|), the norm taken over the components."""
        nodes, weights = rule(3)
        parts = 0.5 + 0.5 * nodes
        at = (self.x[:-1, None] + np.diff(self.x)[:, None] * parts).ravel()
        y, rate = (self._along(parts, order).reshape(len(self.values), -1) for order in (0, 1))
        with np.errstate(all="ignore"):
            f = slope(at, y)
            relative = (rate - f) / (1.0 + np.abs(f))
        squares = np.sum(np.abs(relative) ** 2, axis=0).reshape(-1, nodes.size)
        found: Array = np.sqrt(squares @ (0.5 * weights))
        return found

    def _along(self, parts: Array, order: int) -> Any:
        """At the same parts, from 0 to 1, of every interval, (n, m - 1, parts)."""
        found = self.values @ _at_parts(tuple(parts.tolist()), order)
        return found / np.diff(self.x)[:, None] if order else found


def piece_nodes() -> Array:
    """Chebyshev's points from 0 to 1."""
    return _conversion()[0]


@cache
def _at_parts(parts: tuple[float, ...], order: int) -> Array:
    """From values at the nodes to values or slopes at parts of an interval, (nodes, parts)."""
    t = 2.0 * np.array(parts) - 1.0
    from_values = _conversion()[1][0].T
    if order:
        return np.asarray(2.0 * chebvander(t, DEGREE - 1) @ chebder(from_values)).T
    return np.asarray(chebvander(t, DEGREE) @ from_values).T


@cache
def _conversion() -> tuple[Array, tuple[Array, Array]]:
    """Nodes on [0, 1]; from values to Chebyshev coefficients, and from these to powers, highest first."""
    nodes = -np.cos(np.pi * np.arange(DEGREE + 1) / DEGREE)
    powers = np.zeros((DEGREE + 1, DEGREE + 1))  # T_k(2 t - 1) by power of t: whole numbers
    powers[0, 0], powers[1, :2] = 1.0, (-1.0, 2.0)
    for k in range(2, DEGREE + 1):
        powers[k] = 4.0 * np.roll(powers[k - 1], 1) - 2.0 * powers[k - 1] - powers[k - 2]
    inverse: Array = np.asarray(np.linalg.inv(chebvander(nodes, DEGREE)).T, dtype=float)
    return 0.5 + 0.5 * nodes, (inverse, powers[:, ::-1])
