"""Separable operators: A X + X B' = F by the real Schur forms of A and B, and the nearest such operator to any other.

Schur forms are stable where eigenvectors are not: the operators of convection are far from normal. Divided by a
weight w, a general operator becomes p(x) d_xx + q(x) d_x + r(y) d_yy + s(y) d_y + c(x) + d(y) as nearly as it can.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack, schur

from gated_xtfc.discretise.axis_grid import Line
from gated_xtfc.operator.plane_operator import Linear
from gated_xtfc.types import Array

BLOCK = 64  # below this size LAPACK's own substitution is as fast as products of blocks


@dataclass(frozen=True, eq=False)
class Sylvester:
    weight: Array | None  # (n, m) by which the right side is divided first; None for one
    left: tuple[Array, Array]  # Schur form and vectors of A
    right: tuple[Array, Array]

    @classmethod
    def of(cls, a: Array, b: Array, weight: Array | None = None) -> "Sylvester":
        left = schur(a, check_finite=False)
        same = a.shape == b.shape and np.array_equal(a, b)
        return cls(weight, left, left if same else schur(b, check_finite=False))

    def solve(self, f: Array) -> Array:
        (s, u), (t, v) = self.left, self.right
        right = u.T @ (f if self.weight is None else f / self.weight) @ v
        result: Array = u @ _substituted(s, t, right) @ v.T
        return result


def _substituted(s: Array, t: Array, f: Array) -> Array:
    """S X + X T' = F for quasi-triangular S and T: the larger side is halved, so that most of it is products."""
    n, m = f.shape
    if max(n, m) <= BLOCK:
        x, scale, _ = lapack.dtrsyl(s, t, f, tranb="T")
        solved: Array = x / scale
        return solved
    if n >= m:
        k = _split(s)
        low = _substituted(s[k:, k:], t, f[k:])
        return np.vstack([_substituted(s[:k, :k], t, f[:k] - s[:k, k:] @ low), low])
    k = _split(t)
    # in X T' the last columns come first, as the last rows do in S X
    last = _substituted(s, t[k:, k:], f[:, k:])
    return np.hstack([_substituted(s, t[:k, :k], f[:, :k] - last @ t[:k, k:].T), last])


def _split(t: Array) -> int:
    """Halfway, but not through a pair of complex eigenvalues."""
    k = int(t.shape[0]) // 2
    return k + 1 if t[k, k - 1] != 0.0 else k


@dataclass(frozen=True, eq=False)
class Separable:
    """along_x[i] (n, 1) and along_y[j] (1, m) multiply derivatives of that order, in the equation divided by weight."""

    along_x: list[Array]
    along_y: list[Array]
    weight: Array | None  # (n, m), None for one
    exact: bool  # whether it is the operator itself

    @classmethod
    def near(cls, linear: Linear) -> "Separable":
        zero = np.zeros((1, 1))
        a = {o: linear.coefficients.get(o, zero) for o in ((2, 0), (1, 0), (0, 2), (0, 1), (0, 0))}
        alone = a[2, 0].shape[1] == a[1, 0].shape[1] == a[0, 2].shape[0] == a[0, 1].shape[0] == min(a[0, 0].shape) == 1
        if alone and (1, 1) not in linear.coefficients:
            # of a constant each axis gets half, which keeps both regular
            part = 0.5 if a[0, 0].size == 1 else 1.0
            of_x = part * a[0, 0] if a[0, 0].shape[1] == 1 else zero
            of_y = part * a[0, 0] if a[0, 0].shape[0] == 1 else zero
            return cls([of_x, a[1, 0], a[2, 0]], [of_y, a[0, 1], a[0, 2]], None, True)
        full = {o: np.broadcast_to(factor, linear.source.shape) for o, factor in a.items()}
        p, r, weight = _weighed(full[2, 0], full[0, 2])
        rest = full[0, 0] / weight
        half = 0.5 * rest.mean()
        of_x, of_y = rest.mean(axis=1, keepdims=True) - half, rest.mean(axis=0, keepdims=True) - half
        q, s = (full[1, 0] / weight).mean(axis=1, keepdims=True), (full[0, 1] / weight).mean(axis=0, keepdims=True)
        return cls([of_x, q, p], [of_y, s, r], weight, False)

    def on(self, x: Line, y: Line) -> Sylvester:
        a = sum((f * d for f, d in zip(self.along_x, x.reduced, strict=True)), np.zeros((x.inner.size,) * 2))
        b = sum((f.T * d for f, d in zip(self.along_y, y.reduced, strict=True)), np.zeros((y.inner.size,) * 2))
        return Sylvester.of(a, b, self.weight)


def _weighed(a: Array, b: Array) -> tuple[Array, Array, Array]:
    """p (n, 1), r (1, m) and w with a ~ w p and b ~ w r: exact when log(a/b) is a sum of parts in x and in y."""
    floor = 1e-30 * max(float(np.abs(a).max()), float(np.abs(b).max()), 1e-300)
    first, second = (np.log(np.maximum(np.abs(c), floor)) for c in (a, b))
    ratio = first - second
    of_x = ratio.mean(axis=1, keepdims=True)
    of_y = ratio.mean(axis=0, keepdims=True) - ratio.mean()
    weight = np.where(a + b < 0, -1.0, 1.0) * np.exp(0.5 * (first + second - of_x + of_y))
    return np.exp(of_x), np.exp(-of_y), weight
