"""Everything a figure shows, sampled once: half of the points uniform in the gated coordinate, half uniform in x."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gated_xtfc.solution.interval import IntervalSolution

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Samples:
    """All arrays `(n,)`; `xi` is the gated coordinate moved and scaled onto [0, 1]."""

    x: Array
    xi: Array
    fields: dict[str, Array]
    exacts: dict[str, Array]  # of those fields whose exact solution is known
    width: Array
    residual: Array  # the largest of all equations
    error: Array | None = None  # the largest of all known ones, relative to the scale of the field

    @classmethod
    def of(cls, solution: IntervalSolution) -> "Samples":
        problem, axis = solution.problem, solution.window[0]
        # a wave is a few kernels long: a dozen points each
        n = int(np.clip(12 * solution.neurons / len(problem.fields), 1500, 24_000))
        x = np.union1d(solution.points(n), np.linspace(axis.left, axis.right, n))
        xi = np.asarray(solution.coordinate(x))
        fields = {name: solution[name](x) for name in problem.fields}
        exacts = {name: np.asarray(exact(x), dtype=float) for name, exact in problem.exacts.items()}
        scales = dict(zip(problem.fields, solution.scales, strict=True))
        errors = [np.abs(fields[name] - exact) / scales[name] for name, exact in exacts.items()]
        return cls(
            x=x,
            xi=(xi - xi[0]) / (xi[-1] - xi[0]),
            fields=fields,
            exacts=exacts,
            width=np.asarray(solution.width(x)),
            residual=largest(solution.scaled_residual(x)) / max(solution.scales),
            error=np.max(errors, axis=0) if errors else None,
        )

    def at(self, x: float) -> float:
        """Where x lies along the gated coordinate, from 0 at the left end to 1 at the right end."""
        return float(np.interp(x, self.x, self.xi))

    def between(self, left: float, right: float) -> "Samples":
        kept = (self.x >= left) & (self.x <= right)
        return Samples(
            self.x[kept],
            self.xi[kept],
            {name: u[kept] for name, u in self.fields.items()},
            {name: u[kept] for name, u in self.exacts.items()},
            self.width[kept],
            self.residual[kept],
            None if self.error is None else self.error[kept],
        )

    def turns(self) -> NDArray[np.intp]:
        """Where the field that turns most often turns up or down."""
        return max((turns(u) for u in self.fields.values()), key=len)

    def envelope(self, values: Array, cells: int) -> tuple[Array, Array]:
        """The largest of `values` in each of `cells` equal cells of xi: zero crossings make no spikes."""
        cell = np.minimum((self.xi * cells).astype(np.intp), cells - 1)
        highest = np.full(cells, -np.inf)
        np.maximum.at(highest, cell, np.where(np.isfinite(values), values, -np.inf))
        kept = np.isfinite(highest)
        return ((np.arange(cells) + 0.5) / cells)[kept], highest[kept]


def turns(u: Array) -> NDArray[np.intp]:
    """Where u turns up or down, by more than a fiftieth of its range: waves, not rounding."""
    span = float(np.ptp(u))
    level = np.rint(u * (50.0 / span)) if span > 0 else np.zeros_like(u)
    steps = np.flatnonzero(np.diff(level))
    found: NDArray[np.intp] = steps[1:][np.diff(np.sign(np.diff(level)[steps])) != 0]
    return found


def largest(residual: float | Array) -> Array:
    """Over the equations of a system, which come as rows."""
    sizes: Array = np.abs(np.atleast_2d(residual)).max(axis=0)
    return sizes
