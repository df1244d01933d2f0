"""One solve on given lines: values at the sites that meet the conditions, and the equation at every inner site."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gated_xtfc.discretise.axis_grid import Line
from gated_xtfc.linalg.krylov import corrected, gmres
from gated_xtfc.operator.plane_operator import Linear
from gated_xtfc.problem.side import Side
from gated_xtfc.solver.rectangle.differences import factorised
from gated_xtfc.solver.rectangle.sylvester import Separable
from gated_xtfc.types import Array

REFINED = 1e-13  # corrections below this, relative to max(1, max|u|), no longer count
TRIAL = 12  # steps after which two solvers are compared
QUICKLY = 1e-4  # what must be left of the residual after them, where no other solver is to be tried
MOST = 450  # steps in all


@dataclass(frozen=True, eq=False)
class Fit:
    x: Line
    y: Line
    linear: Linear  # the operator at the inner sites
    values: Array  # (n, m) at all sites
    solve: Callable[[Array], Array]  # the nearest operator that can be solved at once, on the inner sites
    exact: bool  # whether that is the operator itself
    rounding: float  # size of a correction that is nothing else
    steps: int
    settled: bool

    @property
    def neurons(self) -> int:
        return self.x.inner.size * self.y.inner.size

    def inverse(self, f: Array, goal: float = 1e-2) -> Array:
        """The values that an additional source (at the inner sites) adds, to a few digits, at the inner sites."""
        if self.exact:
            return self.solve(f)
        first = self.solve(f)
        size = float(np.abs(first).max())
        if size == 0.0:
            return first
        found = corrected(_Product(self.linear, self.x, self.y), self.solve, f / size, first / size, goal, 60)
        return found.values * size


def lift(x: Line, y: Line, sides: tuple[Side, ...]) -> Array:
    """Values at the sites that meet all conditions, zero at every inner site: on the sides of x first, then of y."""
    across = np.stack([side.data(y.sites) for side in sides[:2]])
    along = np.stack([side.data(x.sites) for side in sides[2:]], axis=1)
    first = x.switch @ across
    functionals = y.functionals[:2]
    rest: Array = first + (along - first @ functionals.T) @ y.switch.T
    return rest


def _at_inner(linear: Linear, x: Line, y: Line, u: Array) -> Array:
    """The operator at the inner sites on values at all sites."""
    rows = [[d[line.inner] for d in line.derivatives] for line in (x, y)]
    return linear.applied(rows[0], rows[1], u)


def fit(
    x: Line, y: Line, sides: tuple[Side, ...], linear: Linear, goal: float = REFINED, start: Array | None = None
) -> Fit:
    """Solves the linear equation to `goal`; `start` are values at the inner sites to begin from."""
    fixed = lift(x, y, sides)
    source = linear.source - _at_inner(linear, x, y, fixed) if np.any(fixed) else linear.source
    product = _Product(linear, x, y)
    near = Separable.near(linear)
    solve: Callable[[Array], Array] = near.on(x, y).solve
    begin = np.zeros_like(source) if start is None else start
    if not near.exact:
        solve = _better(solve, lambda: factorised(linear, x, y), product, source)
    found = corrected(product, solve, source, begin, REFINED if near.exact else max(REFINED, goal), MOST, near.exact)
    values = x.reach @ found.values @ y.reach.T + fixed
    return Fit(x, y, linear, values, solve, near.exact, found.last, found.steps, found.settled)


def _better(
    solve: Callable[[Array], Array],
    other: Callable[[], Callable[[Array], Array]],
    product: Callable[[Array], Array],
    source: Array,
) -> Callable[[Array], Array]:
    """The solver that brings GMRES further in a few steps; the other one is not made where the first is quick."""
    first = gmres(lambda v: solve(product(v)), solve(source), QUICKLY, TRIAL).left
    if first <= QUICKLY:
        return solve
    second = other()
    return solve if first <= gmres(lambda v: second(product(v)), second(source), QUICKLY, TRIAL).left else second


class _Product:
    """The operator on values at the inner sites; what varies along one axis alone is one matrix there."""

    def __init__(self, linear: Linear, x: Line, y: Line) -> None:
        self.rest: dict[tuple[int, int], Array] = {}
        self.x, self.y = x, y
        self.left, self.right = np.zeros((x.inner.size,) * 2), np.zeros((y.inner.size,) * 2)
        for (i, j), a in linear.coefficients.items():
            if j == 0 and a.shape[1] == 1:
                self.left += a * x.reduced[i]
            elif i == 0 and a.shape[0] == 1:
                self.right += a.T * y.reduced[j]
            else:
                self.rest[i, j] = a

    def __call__(self, v: Array) -> Array:
        total: Array = self.left @ v + v @ self.right.T
        for (i, j), a in self.rest.items():
            term = v if i == 0 else self.x.reduced[i] @ v
            total += a * (term if j == 0 else term @ self.y.reduced[j].T)
        return total
