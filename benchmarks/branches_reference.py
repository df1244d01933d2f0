"""Folds by other means: F = 0, F_u v = 0 and c v = 1 by Newton's method, on polynomials or cosines of one resolution.

The place to begin is taken from our own solution; where Newton's method settles has nothing to do with it.
"""

from collections.abc import Callable

import numpy as np

from spectra_peer import chebyshev_matrix

Residual = Callable[[np.ndarray, complex], np.ndarray]
STEP = 1e-30  # of complex steps, which lose no digits
SETTLED = 1e-11


def fold(residual: Residual, start: np.ndarray, parameter: float) -> float:
    """The parameter of the fold next to a start."""
    size = start.size

    def slope(u: np.ndarray, v: np.ndarray, k: float) -> np.ndarray:
        return residual(u + 1j * STEP * v, k).imag / STEP

    def jacobian(u: np.ndarray, k: float) -> np.ndarray:
        return np.stack([slope(u, unit, k) for unit in np.eye(size)], axis=1)

    left, _, right = np.linalg.svd(jacobian(start, parameter))
    u, v, k = start, right[-1], parameter
    pin = v.copy()
    for _ in range(12):
        a = jacobian(u, k)
        by_k = residual(u, k + 1j * STEP).imag / STEP
        h = 1e-6 * max(1.0, float(np.abs(u).max()))
        bent = (jacobian(u + h * v, k) - jacobian(u - h * v, k)) / (2.0 * h)  # F_uu v: for the way alone
        by_k_slope = (slope(u, v, k + h) - slope(u, v, k - h)) / (2.0 * h)
        whole = np.block(
            [
                [a, np.zeros_like(a), by_k[:, None]],
                [bent, a, by_k_slope[:, None]],
                [np.zeros((1, size)), pin[None, :], np.zeros((1, 1))],
            ]
        )
        left = np.concatenate([residual(u, k).real, slope(u, v, k), [pin @ v - 1.0]])
        step = np.linalg.lstsq(whole, -left)[0]
        u, v, k = u + step[:size], v + step[size:-1], k + float(step[-1])
        if abs(step[-1]) <= SETTLED:
            break
    return k


def swirling(length: float, count: int) -> tuple[Residual, np.ndarray]:
    """The flow over a rotating disk as five equations of first order, and the places of its fields."""
    d, x = chebyshev_matrix(count)
    d, x = 2.0 / length * d, 0.5 * length * (x + 1.0)

    def residual(z: np.ndarray, s: complex) -> np.ndarray:
        f, p, q, g, h = z.reshape(5, count)
        rows = np.stack(
            [d @ f - p, d @ p - q, d @ q + 2 * f * q - p**2 + g**2 - s**2, d @ g - h, d @ h + 2 * f * h - 2 * g * p]
        )
        rows[0, 0], rows[1, 0], rows[3, 0] = f[0], p[0], g[0] - 1.0
        rows[2, -1], rows[4, -1] = p[-1], g[-1] - s
        return rows.ravel()

    return residual, x


def snaking(length: float, count: int, b: float) -> tuple[Residual, np.ndarray]:
    """Swift and Hohenberg's equation with even ends, on cosines."""
    x = (np.arange(count) + 0.5) / count * length
    waves = np.arange(count) * np.pi / length
    table = np.cos(x[:, None] * waves)
    linear = (table * (1.0 - waves**2) ** 2) @ np.linalg.inv(table)

    def residual(u: np.ndarray, r: complex) -> np.ndarray:
        return linear @ u - r * u - b * u**2 + u**3

    return residual, x


def pellet(count: int, g: float, b: float) -> tuple[Residual, np.ndarray]:
    """A reaction in a catalyst, with its heat."""
    d, x = chebyshev_matrix(count)
    d, x = 2.0 * d, 0.5 * (x + 1.0)
    twice = d @ d

    def residual(u: np.ndarray, phi: complex) -> np.ndarray:
        rows = twice @ u - phi**2 * u * np.exp(g * b * (1 - u) / (1 + b * (1 - u)))
        rows[0], rows[-1] = d[0] @ u, u[-1] - 1.0
        return rows

    return residual, x
