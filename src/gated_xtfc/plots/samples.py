"""Everything a figure shows, sampled once: half of the points uniform in the gated coordinate, half uniform in x."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gated_xtfc.solution import Solution

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Samples:
    """All arrays `(n,)`; `xi` is the gated coordinate moved and scaled onto [0, 1]."""

    x: Array
    xi: Array
    u: Array
    exact: Array | None
    width: Array
    residual: Array

    @classmethod
    def of(cls, solution: Solution) -> "Samples":
        axis = solution.problem.axis
        n = int(np.clip(12 * solution.neurons, 1500, 24_000))  # a wave is a few kernels long: a dozen points each
        x = np.union1d(solution.points(n), np.linspace(axis.left, axis.right, n))
        xi = np.asarray(solution.coordinate(x))
        exact = solution.problem.exact
        return cls(
            x=x,
            xi=(xi - xi[0]) / (xi[-1] - xi[0]),
            u=solution(x),
            exact=None if exact is None else exact(x),
            width=np.asarray(solution.width(x)),
            residual=np.abs(solution.scaled_residual(x)),
        )

    def at(self, x: float) -> float:
        """Where x lies along the gated coordinate, from 0 at the left end to 1 at the right end."""
        return float(np.interp(x, self.x, self.xi))

    def between(self, left: float, right: float) -> "Samples":
        kept = (self.x >= left) & (self.x <= right)
        exact = None if self.exact is None else self.exact[kept]
        return Samples(self.x[kept], self.xi[kept], self.u[kept], exact, self.width[kept], self.residual[kept])

    def turns(self) -> NDArray[np.intp]:
        """Where u turns up or down, by more than a fiftieth of its range: waves, not rounding."""
        span = float(np.ptp(self.u))
        level = np.rint(self.u * (50.0 / span)) if span > 0 else np.zeros_like(self.u)
        steps = np.flatnonzero(np.diff(level))
        found: NDArray[np.intp] = steps[1:][np.diff(np.sign(np.diff(level)[steps])) != 0]
        return found

    def envelope(self, values: Array, cells: int) -> tuple[Array, Array]:
        """The largest of `values` in each of `cells` equal cells of xi: zero crossings make no spikes."""
        cell = np.minimum((self.xi * cells).astype(np.intp), cells - 1)
        largest = np.full(cells, -np.inf)
        np.maximum.at(largest, cell, np.where(np.isfinite(values), values, -np.inf))
        kept = np.isfinite(largest)
        return ((np.arange(cells) + 0.5) / cells)[kept], largest[kept]
