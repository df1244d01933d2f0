"""Banded least squares in O(n): an orthogonal factorisation that walks along the band, a block of columns at a time.

Each step puts what the last one left over on top of the rows that begin in this block, and makes the stack triangular.
A ridge of 1e-15 keeps directions that no row determines at zero.
"""

from dataclasses import dataclass

import numpy as np

from gated_xtfc import lapack
from gated_xtfc.linalg.windowed import WindowedMatrix
from gated_xtfc.types import Array, Index

BLOCK = 48
RIDGE = 1e-15


@dataclass(frozen=True)
class Step:
    """One block of columns made triangular."""

    start: int  # first column of the block
    width: int  # columns of the block
    factor: Array  # (rows, reach) R above, reflectors below
    tau: Array
    rows: Index  # matrix rows that enter here
    carried: int  # rows left over from the step before

    @property
    def reach(self) -> int:
        return int(self.factor.shape[1])

    @property
    def triangle(self) -> Array:
        return self.factor[: self.width, : self.width]

    @property
    def right_block(self) -> Array:
        return self.factor[: self.width, self.width :]

    def apply_q(self, vectors: Array, transpose: str) -> Array:
        """Q ("N") or its transpose ("T") times stacked vectors (rows, r)."""
        # a step may have fewer rows than columns: then there are as many reflectors as rows
        reflectors = self.factor[:, : self.tau.size]
        turned, _, _ = lapack.dormqr("L", transpose, reflectors, self.tau, vectors, 64 * vectors.shape[1])
        result: Array = turned
        return result


@dataclass(frozen=True)
class Banded:
    """The orthogonal factorisation of a banded matrix, block by block."""

    steps: tuple[Step, ...]
    norms: Array  # (n,) column lengths divided out
    matrix: WindowedMatrix
    rank: int

    @classmethod
    def of(cls, matrix: WindowedMatrix) -> "Banded":
        first, last = matrix.ranges()
        norms = matrix.norms()
        size = norms.size
        order = np.argsort(first, kind="stable")
        starts = list(range(0, size, BLOCK))
        edges = np.searchsorted(first[order], [*starts[1:], size]).tolist()
        steps: list[Step] = []
        left_over, done, rank = np.zeros((0, 0)), 0, 0
        for start, edge in zip(starts, edges, strict=True):
            width = min(BLOCK, size - start)
            rows, done = order[done:edge], edge
            carried = left_over.shape[0]
            end = max(start + width, start + left_over.shape[1], int(last[rows].max(initial=0)))
            stack = np.zeros((carried + rows.size + width, end - start), order="F")
            stack[:carried, : left_over.shape[1]] = left_over
            stack[carried : carried + rows.size] = matrix(rows, start, end) / norms[start:end]
            ridge = np.arange(width)
            stack[carried + rows.size + ridge, ridge] = RIDGE
            factor, tau, _, _ = lapack.dgeqrf(stack, lwork=64 * stack.shape[1], overwrite_a=1)
            left_over = np.triu(factor[width : min(factor.shape), width:])
            steps.append(Step(start, width, factor, tau, rows, carried))
            rank += int(np.count_nonzero(np.abs(np.diag(factor)[:width]) > 10.0 * RIDGE))
        return cls(tuple(steps), norms, matrix, rank)

    @property
    def height(self) -> int:
        return int(self.matrix.first.size)

    def times(self, coefficients: Array) -> Array:
        return self.matrix.times(coefficients)

    def left_times(self, rows: Array) -> Array:
        return self.matrix.left_times(rows)

    def homogeneous(self, target: Array) -> Array:
        """As `solve`, for there are no conditions beside the rows."""
        return self.solve(target)

    def solve(self, target: Array) -> Array:
        """Coefficients (n, r) that fit the targets (m, r)."""
        count = target.shape[1]
        left_over = np.zeros((0, count))
        tops = []
        for step in self.steps:
            stack = np.zeros((step.factor.shape[0], count), order="F")
            stack[: step.carried] = left_over
            stack[step.carried : step.carried + step.rows.size] = target[step.rows]
            turned = step.apply_q(stack, "T")
            tops.append(turned[: step.width])
            left_over = turned[step.width : min(step.factor.shape)]
        found = np.zeros((self.norms.size, count))
        for step, top in zip(reversed(self.steps), reversed(tops), strict=True):
            stop, end = step.start + step.width, step.start + step.reach
            found[step.start : stop] = lapack.dtrtrs(step.triangle, top - step.right_block @ found[stop:end])[0]
        return found / self.norms[:, None]

    def adjoint(self, features: Array) -> Array:
        """features @ pseudo-inverse, (p, m)."""
        pending = (features / self.norms).T.copy()
        tops = []
        for step in self.steps:
            stop, end = step.start + step.width, step.start + step.reach
            top = lapack.dtrtrs(step.triangle, pending[step.start : stop], trans=1)[0]
            pending[stop:end] -= step.right_block.T @ top
            tops.append(top)
        seen = np.zeros((self.height, features.shape[0]))
        below = np.zeros((0, features.shape[0]))
        for step, top in zip(reversed(self.steps), reversed(tops), strict=True):
            stack = np.zeros((step.factor.shape[0], features.shape[0]), order="F")
            stack[: step.width] = top
            stack[step.width : step.width + below.shape[0]] = below
            turned = step.apply_q(stack, "N")
            seen[step.rows] = turned[step.carried : step.carried + step.rows.size]
            below = turned[: step.carried]
        transposed: Array = seen.T
        return transposed
