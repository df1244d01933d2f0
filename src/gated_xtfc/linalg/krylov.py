"""Linear systems by an approximate solver S: iterative refinement while it converges quickly, otherwise GMRES.

S is a preconditioner on the left: what is made small is S r, an estimate of the error, rather than the residual r.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gated_xtfc.linalg.factor import require_finite
from gated_xtfc.types import Array

Apply = Callable[[Array], Array]
QUICK = 0.2  # a correction shrinks at least this much from step to step where refinement is to go on
ROUNDING = 1e-6  # what GMRES cannot reduce below this is rounding
RESTART = 150  # products before GMRES is restarted: for convection it must be long


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
) -> Corrected:
    """x with apply(x) = source: until a correction is below `goal`, relative to max|x|, or is rounding.

    `exact` says that S is the inverse up to rounding: then corrections that no longer shrink are rounding. Nothing is
    begun after `until`, a time of `time.perf_counter`.
    """
    x, before, size, steps, tried = start, np.inf, np.inf, 0, np.inf
    while steps < most and time.perf_counter() < until:
        z = solve(source - apply(x))
        steps += 1
        size = float(np.abs(z).max())
        if not np.isfinite(size):
            break
        whole = max(size, float(np.abs(x).max()))
        enough = goal * whole
        stalled = size > 0.5 * before and (exact or size <= 30.0 * enough)
        if size <= enough or stalled or (size > 0.5 * tried and size <= ROUNDING * whole):
            # one that does not shrink any more is rounding, and not added
            return Corrected(x + z if size < before else x, size, steps, True)
        if size > QUICK * before:
            found = gmres(lambda v: solve(apply(v)), z, 0.3 * enough / size, min(RESTART, most - steps), until)
            steps += found.steps
            if not np.isfinite(found.values).all():
                break
            x, before, tried = x + found.values, np.inf, size
        else:
            x, before = x + z, size
    return Corrected(x, size, steps, False)


@dataclass(frozen=True)
class Least:
    """What GMRES came to."""

    values: Array
    remaining: float  # size of the residual over that of the right side
    steps: int


def gmres(apply: Apply, right: Array, goal: float, most: int, until: float = math.inf) -> Least:
    """y with apply(y) = right, as nearly as `most` products allow: the least residual over their span."""
    size = float(np.linalg.norm(right))
    if size == 0.0 or most < 1:
        return Least(np.zeros_like(right), 0.0 if size == 0.0 else 1.0, 0)
    basis = np.empty((most + 1, right.size))
    basis[0] = right.ravel() / size
    small, target = np.zeros((most + 1, most)), np.zeros(most + 1)
    target[0] = 1.0
    weights: Any = np.zeros(0)
    remaining, steps = 1.0, 0
    while steps < most and remaining > goal and time.perf_counter() < until:
        k, steps = steps, steps + 1
        w = apply(basis[k].reshape(right.shape)).ravel()
        for _ in range(2):  # once leaves rounding that adds up
            h = basis[:steps] @ w
            w -= h @ basis[:steps]
            small[:steps, k] += h
        small[steps, k] = np.linalg.norm(w)
        require_finite(small[: steps + 1, :steps])
        weights, *_ = np.linalg.lstsq(small[: steps + 1, :steps], target[: steps + 1], rcond=None)
        remaining = float(np.linalg.norm(small[: steps + 1, :steps] @ weights - target[: steps + 1]))
        if not small[steps, k] > 1e-15:
            break
        basis[steps] = w / small[steps, k]
    if not steps:
        return Least(np.zeros_like(right), 1.0, 0)
    return Least(size * (weights @ basis[:steps]).reshape(right.shape), remaining, steps)
