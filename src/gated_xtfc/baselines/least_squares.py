"""min sum_k w |r_k|^2 + ridge |c|^2 over the weights c of the features, r = R c - target, w = 1/n.

"cholesky": the normal equations (R'WR + ridge I) c = R'W target, which see the square of the condition number;
"qr": QR of [sqrt(W) R; sqrt(ridge) I]; "rank": QR with pivoting of R, directions below rounding left out, no ridge.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import blas, lapack, lstsq

from gated_xtfc.baselines.features import Block, Coefficients, Features, assembled
from gated_xtfc.errors import InputError
from gated_xtfc.types import Array

METHODS = ("cholesky", "qr", "rank")
RANK = 1e-15  # a direction this small beside the largest is rounding
FULL = 0.6  # share of a matrix that is not zero from which one large product beats many small ones
MOST_ATTEMPTS = 40


@dataclass(frozen=True)
class Fitted:
    weights: Array  # (size,)
    method: str
    ridge: float  # the one asked for
    ridge_used: float  # larger when Cholesky failed: the first of ridge * 10^j that worked
    rank: int

    def record(self) -> dict[str, float | str | int]:
        return {
            "method": self.method,
            "ridge": self.ridge,
            "ridge_used": self.ridge_used,
            "cholesky_failed": self.method == "cholesky" and self.ridge_used != self.ridge,
            "rank": self.rank,
            "largest_weight": float(np.abs(self.weights).max(initial=0.0)),
        }


def least_squares(
    features: Features, x: Array, coefficients: Coefficients, target: Array, ridge: float, method: str
) -> Fitted:
    """The weights for which the operator with these coefficients, at ascending x, is nearest to the target (n,)."""
    blocks = list(features.blocks(x, coefficients))
    if method == "cholesky" and sum(block.size for _, _, block in blocks) < FULL * x.size * features.size:
        return _cholesky(*_by_blocks(blocks, target, features.size), ridge)
    rows = assembled(blocks, x.size, features.size)
    blocks.clear()  # the larger problems have no room for both
    return dense_least_squares(rows, target, ridge, method)


def dense_least_squares(rows: Array, target: Array, ridge: float, method: str) -> Fitted:
    """The same for a matrix R (n, size) that is at hand; it is not kept."""
    if method == "cholesky":
        weight = 1.0 / target.size
        gram = blas.dsyrk(weight, rows, trans=1, lower=1)
        return _cholesky(gram, weight * (rows.T @ target), ridge)
    if method == "qr":
        return _qr(rows, target, ridge)
    if method == "rank":
        return _rank_revealing(rows, target)
    raise InputError(f"the method {method!r} is not known: it is one of {', '.join(METHODS)}")


def _by_blocks(blocks: list[Block], target: Array, size: int) -> tuple[Array, Array]:
    """R'WR, its lower triangle (size, size), and R'W target, (size,)."""
    weight = 1.0 / target.size
    gram, right = np.zeros((size, size), order="F"), np.zeros(size)
    for i, (rows, columns, block) in enumerate(blocks):
        right[columns] = weight * (block.T @ target[rows])
        for other_rows, other_columns, other in blocks[i:]:
            # columns are zero outside their rows: only common rows count
            first, last = max(rows.start, other_rows.start), min(rows.stop, other_rows.stop)
            if first < last:
                here = block[first - rows.start : last - rows.start]
                there = other[first - other_rows.start : last - other_rows.start]
                gram[other_columns, columns] = weight * (there.T @ here)
    return gram, right


def _cholesky(gram: Array, right: Array, ridge: float) -> Fitted:
    diagonal = np.diag(gram).copy()
    used = ridge
    for _ in range(MOST_ATTEMPTS):
        np.fill_diagonal(gram, diagonal + used)
        factor, failed = lapack.dpotrf(gram, lower=1, clean=0)
        if not failed:
            weights, _ = lapack.dpotrs(factor, right, lower=1)
            return Fitted(weights, "cholesky", ridge, used, right.size)
        used = 10.0 * used if used > 0.0 else 1e-16
    raise InputError("the normal equations are not finite: check the coefficients of the equation")


def _qr(rows: Array, target: Array, ridge: float) -> Fitted:
    count, size = rows.shape
    weight = 1.0 / np.sqrt(count)
    below = size if ridge > 0.0 else 0
    if count + below < size:
        return _rank_revealing(rows, target)
    stacked = np.zeros((count + below, size), order="F")
    np.multiply(rows, weight, out=stacked[:count])
    if below:
        np.fill_diagonal(stacked[count:], np.sqrt(ridge))
    right = np.concatenate([weight * target, np.zeros(below)])[:, None]
    factor, tau, _, _ = lapack.dgeqrf(stacked, lwork=64 * size, overwrite_a=1)
    rotated, _, _ = lapack.dormqr("L", "T", factor, tau, right, 64)
    weights, singular = lapack.dtrtrs(factor[:size], rotated[:size])
    if singular:
        return _rank_revealing(rows, target)
    return Fitted(weights[:, 0], "qr", ridge, ridge, size)


def _rank_revealing(rows: Array, target: Array) -> Fitted:
    # columns are not scaled: those of saturated neurons are rounding, and must stay small
    weights, _, rank, _ = lstsq(rows, target, cond=RANK, lapack_driver="gelsy", check_finite=False)
    return Fitted(np.asarray(weights), "rank", 0.0, 0.0, int(rank))
