"""The window of kernels at a point: the few that reach it, and what an operator makes of them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gated_xtfc.types import Array, Index


@dataclass(frozen=True)
class KernelWindow:
    """The kernels that reach each of some points. A window is as many neighbours as can be above rounding there."""

    jets: list[Array]  # xi and its derivatives in x at the points, each (n,)
    first: Index  # (n,) first kernel of each window
    distance: Array  # (n, window) from the centres, in the coordinate
    kernels: Array  # (n, window) exp(-distance^2 / 2)

    def operator(self, coefficients: Sequence[Array | float]) -> Array:
        """sum_j coefficients[j] d^j/dx^j of every kernel in the window, (n, window)."""
        return self.operator_in_xi(pull_back(self.jets, coefficients))

    def operator_in_xi(self, b: list[Array]) -> Array:
        """sum_m b_m d^m/dxi^m of every kernel in the window, (n, window).

        d^m/dt^m exp(-t^2/2) = (-1)^m He_m(t) exp(-t^2/2): one polynomial in t a row.
        """
        return hermite(self.distance, b) * self.kernels

    def derivative(self, order: int) -> Array:
        """The order-th derivative of every kernel in the window, (n, window)."""
        return self.kernels if order == 0 else self.operator([0.0] * order + [1.0])

    def __getitem__(self, index: Index) -> "KernelWindow":
        return KernelWindow(
            [jet[index] for jet in self.jets], self.first[index], self.distance[index], self.kernels[index]
        )

    def columns(self) -> Index:
        """(n, window) indices of the kernels in each window."""
        result: Index = self.first[:, None] + np.arange(self.kernels.shape[1])
        return result


def row_sums(values: Array, weights: Array) -> Array:
    """Row sums of values * weights, (n,): in a fixed order, so that a point's value does not depend on its company."""
    result: Array = (values * weights).sum(axis=1)
    return result


def dense_from_windows(first: Index, values: Array, size: int) -> Array:
    """Windows laid out as a dense matrix (n, size). Padding beyond the last column holds zeros and is cut off."""
    count, window = values.shape
    dense = np.zeros((count, size + window))
    dense[np.arange(count)[:, None], first[:, None] + np.arange(window)] = values
    return dense[:, :size]


def pull_back(jets: list[Array], a: Sequence[Array | float]) -> list[Array]:
    """The operator's coefficients in the coordinate: sum_j a_j d^j/dx^j = sum_m b_m d^m/dxi^m."""
    order = len(a) - 1
    b = [np.zeros_like(jets[0]) + a[0]]
    if order >= 1:
        b.append(a[1] * jets[1])
    if order >= 2:
        b[1] = b[1] + a[2] * jets[2]
        b.append(a[2] * jets[1] ** 2)
    if order >= 3:
        b[1] = b[1] + a[3] * jets[3]
        b[2] = b[2] + a[3] * (3.0 * jets[1] * jets[2])
        b.append(a[3] * jets[1] ** 3)
    if order >= 4:
        b[1] = b[1] + a[4] * jets[4]
        b[2] = b[2] + a[4] * (4.0 * jets[1] * jets[3] + 3.0 * jets[2] ** 2)
        b[3] = b[3] + a[4] * (6.0 * jets[1] ** 2 * jets[2])
        b.append(a[4] * jets[1] ** 4)
    return b


def hermite(t: Array, b: list[Array]) -> Array:
    """sum_m (-1)^m b_m He_m(t), row by row, by Horner's rule."""
    order = len(b) - 1
    c = [value[:, None] for value in b]
    if order == 0:
        return c[0]
    if order == 1:
        return c[0] - c[1] * t
    if order == 2:
        return (c[2] * t - c[1]) * t + (c[0] - c[2])
    if order == 3:
        return ((-c[3] * t + c[2]) * t + (3.0 * c[3] - c[1])) * t + (c[0] - c[2])
    even = c[0] - c[2] + 3.0 * c[4]
    if order == 4:
        return (((c[4] * t - c[3]) * t + (c[2] - 6.0 * c[4])) * t + (3.0 * c[3] - c[1])) * t + even
    odd = 3.0 * c[3] - c[1] - 15.0 * c[5]
    return ((((-c[5] * t + c[4]) * t + (10.0 * c[5] - c[3])) * t + (c[2] - 6.0 * c[4])) * t + odd) * t + even
