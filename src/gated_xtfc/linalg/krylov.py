"""Linear systems by an approximate solver S: iterative refinement while it converges quickly, otherwise GMRES.

S is a preconditioner on the left: what is made small is S r, an estimate of the error, rather than the residual r.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular

from gated_xtfc.linalg.factor import require_finite
from gated_xtfc.types import Array

Apply = Callable[[Array], Array]
QUICK = 0.2  # a correction shrinks at least this much from step to step where refinement is to go on
ROUNDING = 1e-6  # what GMRES cannot reduce below this is rounding
RESTART = 150  # products before GMRES is restarted: for convection it must be long
KEPT = 0.7  # part of a product that is new, below which it is made orthogonal to the old ones once more
BREAKDOWN = 1e-14  # a new part shorter than this, relative to the product, is rounding
LATE = 6  # steps that tell how fast GMRES converges once it has taken out what is easy


@dataclass(frozen=True)
class Corrected:
    """What refinement and GMRES came to."""

    values: Array  # (n, m)
    last: float  # size of the last correction: what is left of the error, or rounding
    steps: int  # applications of the operator
    settled: bool


def solve_by_corrections(
    apply: Apply,
    solve: Apply,
    source: Array,
    start: Array,
    goal: float,
    most: int,
    exact: bool = False,
    until: float = math.inf,
    begun: "Gmres | None" = None,
) -> Corrected:
    """x with apply(x) = source: until a correction is below `goal`, relative to max|x|, or is rounding.

    `exact` says that S is the inverse up to rounding: then corrections that no longer shrink are rounding. Nothing is
    begun after `until`, a time of `time.perf_counter`. `begun` is GMRES for the correction to `start`,
    to be gone on with.
    """
    x, before, size, steps, tried = start, np.inf, np.inf, 0, np.inf
    while steps < most and (begun is not None or time.perf_counter() < until):
        z = solve(source - apply(x)) if begun is None else begun.right
        steps += 1
        size = float(np.abs(z).max())
        if not np.isfinite(size):
            break
        whole = max(size, float(np.abs(x).max()))
        enough = goal * whole
        at_rest = exact or size <= min(ROUNDING * whole, 30.0 * enough)
        if size <= enough or (size > 0.5 * before and at_rest) or (size > 0.5 * tried and size <= ROUNDING * whole):
            # one that does not shrink any more is rounding, and not added
            return Corrected(x + z if size < before else x, size, steps, True)
        if begun is not None or size > QUICK * before:
            found = begun or Gmres(lambda v: solve(apply(v)), z, float(np.abs(x).max()))
            found.advance(0.3 * goal, found.steps + most - steps, until)
            steps, begun = steps + found.steps, None
            values = found.values
            if not np.isfinite(values).all():
                break
            x, before, tried = x + values, np.inf, size
        else:
            x, before = x + z, size
    if not np.isfinite(before) and np.isfinite(tried):  # what the last steps of GMRES left is not known yet
        size = float(np.abs(solve(source - apply(x))).max())
    return Corrected(x, size, steps, False)


class Gmres:
    """y with apply(y) = right, as nearly as the products so far allow: the least residual over their span.

    What is left of the right side counts relative to max|right|, or to the size of what y is added to if that is more.
    Q turns the Hessenberg matrix of the products into a triangle, by one Givens rotation more for each product; what
    is left of the right side stands in the last place of Q (1, 0, ..., 0).
    """

    def __init__(self, apply: Apply, right: Array, beside: float = 0.0) -> None:
        self.apply, self.right = apply, right
        self.size = float(np.linalg.norm(right))
        self.lefts = [1.0 / max(1.0, beside / (float(np.abs(right).max()) or 1.0))]  # after every step, from none on
        self.basis = np.empty((RESTART + 1, right.size))
        self.basis[0] = right.ravel() / (self.size or 1.0)
        self.turned, self.triangle = np.eye(RESTART + 1), np.zeros((RESTART, RESTART))
        self.ended = not self.size  # whether there is nothing more to be found

    @property
    def steps(self) -> int:
        return len(self.lefts) - 1

    @property
    def left(self) -> float:
        return self.lefts[-1]

    def advance(self, goal: float, most: int = RESTART, until: float = math.inf) -> None:
        """Until no more than `goal` is left, or there were `most` steps in all."""
        most = min(most, RESTART)
        while self.steps < most and self.left > goal and not self.ended and time.perf_counter() < until:
            self._step(self.steps)

    def _step(self, k: int) -> None:
        old, turned = self.basis[: k + 1], self.turned
        along, new, length = _divided(self.apply(old[k].reshape(self.right.shape)).ravel(), old)
        column = turned[: k + 1, : k + 1] @ along
        radius = math.hypot(column[k], length)
        least = BREAKDOWN * math.hypot(length, float(np.linalg.norm(along)))
        self.ended = not length > least
        if not radius > least:  # the operator is singular on what there is
            return
        cosine, sine = column[k] / radius, length / radius
        column[k] = radius
        self.triangle[: k + 1, k] = column
        above = turned[k, : k + 1].copy()
        turned[k, : k + 1], turned[k, k + 1] = cosine * above, sine
        turned[k + 1, : k + 1], turned[k + 1, k + 1] = -sine * above, cosine
        self.lefts.append(self.lefts[0] * abs(float(turned[k + 1, 0])))
        if not self.ended:
            self.basis[k + 1] = new / length

    @property
    def values(self) -> Array:
        k = self.steps
        if k == 0:
            return np.zeros_like(self.right)
        weights = solve_triangular(self.triangle[:k, :k], self.turned[:k, 0], check_finite=False)
        values: Array = self.size * (weights @ self.basis[:k]).reshape(self.right.shape)
        return values

    def missing(self, goal: float) -> float:
        """How many steps more it takes, should it go on as in the last few."""
        late = min(LATE, self.steps)
        before = self.lefts[-1 - late]
        if self.left <= goal:
            return 0.0
        if self.ended or not self.left < before:
            return math.inf
        return late * math.log(self.left / goal) / math.log(before / self.left)


def _divided(w: Array, basis: Array) -> tuple[Array, Array, float]:
    """What w has along the rows of an orthonormal basis, what is beyond them, and the length of that.

    Once leaves rounding of the size of w; where most of w is taken away that adds up, and it is done twice.
    """
    before = float(np.linalg.norm(w))
    along = basis @ w
    require_finite(along)
    w = w - along @ basis
    length = float(np.linalg.norm(w))
    if length < KEPT * before:
        more = basis @ w
        w -= more @ basis
        along += more
        length = float(np.linalg.norm(w))
    return along, w, length
