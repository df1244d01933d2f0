"""One smooth piece of an axis made discrete: kernels on its gated coordinate, and slightly fewer sites than kernels.

Values u at the sites determine one function, the combination of kernels with least weights that passes through them:
kernels @ pinv(K) @ u, with K the kernels' values at the sites. Its derivatives at the sites are matrices on u,
D_j = K^(j) pinv(K). The k-th site stands where

    N(z) = z/spacing + CROWD tanh(sqrt(z/REACH)) = k

near an end, z the distance from it in the coordinate: as points of least interpolation error do.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular

from gated_xtfc.discretise.gaussian import Gaussian
from gated_xtfc.discretise.kernel_window import dense_from_windows
from gated_xtfc.gates.coordinate import Coordinate
from gated_xtfc.types import Array

DENSITY = 1.75  # kernels a width: with wide kernels a site carries more, with wider ones rounding is felt
CROWD = 8  # additional sites at each end, which stand for the kernels beyond it
REACH = 2.0


@dataclass(frozen=True, eq=False)
class AxisPatch:
    """Kernels, sites and the factorised matrix between them."""

    basis: Gaussian
    sites: Array  # (n,) both ends included
    between: Array  # (n - 1,)
    q: Array  # (kernels, n)
    r: Array  # (n, n): K' = q r

    @classmethod
    def on(cls, coordinate: Coordinate, crowd: int = CROWD) -> "AxisPatch":
        """With `crowd` additional sites at each end."""
        basis = Gaussian.on(coordinate, DENSITY)
        return cls.at(basis, *_sites(basis, crowd))

    @classmethod
    def at(cls, basis: Gaussian, sites: Array, between: Array) -> "AxisPatch":
        """With these sites, and the points between them at which the residual is looked at."""
        window = basis.window(sites, 0)
        return cls(basis, sites, between, *np.linalg.qr(dense_from_windows(window.first, window.kernels, basis.size).T))

    @staticmethod
    def sites_on(coordinate: Coordinate) -> Array:
        """The sites alone, of which there may be more than can be factorised."""
        return _sites(Gaussian.on(coordinate, DENSITY), CROWD)[0]

    @staticmethod
    def count(coordinate: Coordinate) -> int:
        """How many sites it takes."""
        return max(2, int(np.ceil(coordinate.length * DENSITY))) + 2 * CROWD + 1

    def matrices(self, x: Array, order: int) -> list[Array]:
        """Derivatives up to `order` at x from values at the sites, each (x, n)."""
        window = self.basis.window(x, order)
        return np.split(
            self._solved(
                [dense_from_windows(window.first, window.derivative(j), self.basis.size) for j in range(order + 1)]
            ),
            order + 1,
        )

    def matrix(self, x: Array, order: int) -> Array:
        """One of them."""
        window = self.basis.window(x, order)
        return self._solved([dense_from_windows(window.first, window.derivative(order), self.basis.size)])

    def _solved(self, kernels: list[Array]) -> Array:
        """k pinv(K), row by row: backward stable, so that for smooth u rounding stays far below that of pinv(K)."""
        solved: Array = solve_triangular(self.r, (np.vstack(kernels) @ self.q).T, check_finite=False).T
        return solved


def _sites(basis: Gaussian, crowd: int) -> tuple[Array, Array]:
    """Sites, and the points between them."""
    coordinate = basis.coordinate
    x = coordinate.inverse(_places(basis, crowd))
    x[0], x[-1] = coordinate.left, coordinate.right
    return x[::2].copy(), x[1::2].copy()


def _places(basis: Gaussian, crowd: int) -> Array:
    """Sites, and the places halfway between them in number, in the coordinate."""
    length = basis.coordinate.length
    intervals = round(length / basis.spacing)
    end = min(1.0, 0.25 * length)
    near = end * np.linspace(0.0, 1.0, 200) ** 2
    z = np.concatenate([near, np.linspace(end, length - end, 8 * intervals + 2)[1:-1], (length - near)[::-1]])
    number = z / length * intervals + crowd * (np.tanh(np.sqrt(z / REACH)) - np.tanh(np.sqrt((length - z) / REACH)))
    number -= number[0]
    count = intervals + 2 * crowd
    places: Array = np.interp(np.arange(2 * count + 1) * (0.5 * number[-1] / count), number, z)
    return places
