"""One solve on a rectangle: values at the sites that meet the conditions, and the equation at every inner site."""

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gated_xtfc.discretise.axis_grid import AxisGrid
from gated_xtfc.gates.coordinate import Coordinates
from gated_xtfc.linalg.krylov import Gmres, solve_by_corrections
from gated_xtfc.operator.linearise import Points
from gated_xtfc.problem.problem import Problem
from gated_xtfc.problem.side import Side
from gated_xtfc.solver.discretisation import Iterate
from gated_xtfc.solver.rectangle.differences import factorised
from gated_xtfc.solver.rectangle.grid_operator import GridOperator, Separable
from gated_xtfc.types import Array, Orders

Solve = Callable[[Array], Array]  # on values at the inner sites

REFINED = 1e-13  # corrections below this, relative to max|u|, no longer count
TRIAL = 12  # steps after which it is seen how fast GMRES converges
FACTORS = 25.0  # steps that take as long as differences take to factorise
MOST = 450  # steps in all
RESPONSE, MOST_RESPONSE = 0.1, 60  # relative error of the inverse where it is for an estimate, and steps for it


@dataclass(frozen=True, eq=False)
class RectangleLayout:
    """Both axes made discrete, and the conditions on all sides."""

    x: AxisGrid
    y: AxisGrid
    sides: tuple[Side, ...]

    @classmethod
    def on(cls, problem: Problem, coordinates: Coordinates) -> "RectangleLayout":
        weights = [side.weights for side in problem.sides]
        x = AxisGrid.on(coordinates[0], (weights[0], weights[1]))
        alike = coordinates[0] == coordinates[1] and weights[:2] == weights[2:]
        y = x if alike else AxisGrid.on(coordinates[1], (weights[2], weights[3]))
        return cls(x, y, problem.sides)

    @property
    def points(self) -> Points:
        """The inner sites of both axes, at whose crossings the equation is asked to hold."""
        return self.x.sites[self.x.inner], self.y.sites[self.y.inner]

    def inner(self, values: Array) -> Array:
        """Of values at all sites those at the inner ones."""
        return values[np.ix_(self.x.inner, self.y.inner)]

    def rows(self) -> tuple[list[Array], list[Array]]:
        """The matrices of the derivatives at the inner sites, by order."""
        first, second = ([matrix[grid.inner] for matrix in grid.derivatives] for grid in (self.x, self.y))
        return first, second

    def iterate(self, values: Array, derivatives: Iterable[Orders]) -> Iterate:
        """Values at all sites, with the derivatives at the inner sites that the equation asks for."""
        along_x, along_y = self.rows()
        jets: dict[Orders, Array] = {(i, j): along_x[i] @ values @ along_y[j].T for i, j in derivatives}
        return Iterate((values,), [jets], np.zeros(0))


@dataclass(frozen=True, eq=False)
class RectangleFit:
    """Values at the sites that solve the linear equation, with the solver that gave them."""

    layout: RectangleLayout
    derivatives: tuple[Orders, ...]  # that the equation asks for
    linear: GridOperator  # the operator at the inner sites
    values: Array  # (n, m) at all sites
    solve: Solve  # the nearest operator that can be solved at once, on the inner sites
    exact: bool  # whether that is the operator itself
    rounding: float  # size of a correction that is nothing else
    steps: int
    settled: bool
    until: float  # when whatever iterates has to end, a time of `time.perf_counter`

    @property
    def coordinates(self) -> Coordinates:
        return self.layout.x.coordinates, self.layout.y.coordinates

    @property
    def neurons(self) -> int:
        return self.layout.x.inner.size * self.layout.y.inner.size

    @property
    def sites(self) -> int:
        return self.layout.x.size * self.layout.y.size

    @property
    def unsettled(self) -> str:
        if self.settled:
            return ""
        return f"the iteration for coefficients that vary along both axes did not settle within {self.steps} steps"

    @property
    def sizes(self) -> tuple[float, ...]:
        return (float(np.abs(self.values).max()) or 1.0,)

    @cached_property
    def iterate(self) -> Iterate:
        return self.layout.iterate(self.values, self.derivatives)

    def inverse(self, f: Array) -> Array:
        """The values that an additional source (at the inner sites) adds, to a digit, at the inner sites.

        Larger by what is not known of them, where that is more.
        """
        first = self.solve(f)
        size = float(np.abs(first).max())
        if self.exact or size == 0.0:
            return first
        product = _Product(self.linear, self.layout)
        found = solve_by_corrections(
            product, self.solve, f / size, first / size, RESPONSE, MOST_RESPONSE, until=self.until
        )
        unknown = 0.0 if found.settled else min(1.0, found.last)
        values: Array = found.values * (size * (1.0 + unknown))
        return values


def lift(layout: RectangleLayout) -> Array:
    """Values at the sites that meet all conditions, zero at every inner site: on the sides of x first, then of y."""
    x, y, sides = layout.x, layout.y, layout.sides
    across = np.stack([side.data(y.sites) for side in sides[:2]])
    along = np.stack([side.data(x.sites) for side in sides[2:]], axis=1)
    first = x.switch @ across
    rest: Array = first + (along - first @ y.functionals[:2].T) @ y.switch.T
    return rest


def fit(
    layout: RectangleLayout,
    linear: GridOperator,
    derivatives: tuple[Orders, ...],
    goal: float = REFINED,
    start: Array | None = None,
    until: float = math.inf,
) -> RectangleFit:
    """Solves the linear equation to `goal`; `start` are values at the inner sites to begin from."""
    x, y = layout.x, layout.y
    fixed = lift(layout)
    source = linear.source - linear.applied(*layout.rows(), fixed) if np.any(fixed) else linear.source
    product = _Product(linear, layout)
    itself = Separable.of(linear)
    begin = np.zeros_like(source) if start is None else start
    begun: Gmres | None = None
    if itself is not None:
        solve: Solve = itself.on(x, y).solve
        goal = REFINED
    else:
        goal = max(REFINED, goal)
        slopes = (grid.coordinate()[1][grid.inner] for grid in (x, y))
        near = Separable.near(linear, *slopes).on(x, y).solve
        left = source if start is None else source - product(start)
        trial = _Trial(product, left, float(np.abs(begin).max()), goal, until)
        solve, begun = trial.quicker(near, lambda: factorised(linear, x, y))
    exact = itself is not None
    found = solve_by_corrections(product, solve, source, begin, goal, MOST, exact, until, begun)
    values = x.extension @ found.values @ y.extension.T + fixed
    return RectangleFit(
        layout, derivatives, linear, values, solve, exact, found.last, found.steps, found.settled, until
    )


@dataclass(frozen=True)
class _Trial:
    """GMRES with one solver or another, for a few steps."""

    product: Solve
    source: Array
    beside: float  # size of what the values are added to
    goal: float
    until: float

    def quicker(self, solve: Solve, other: Callable[[], Solve]) -> tuple[Solve, Gmres]:
        """The solver that will sooner be done, to judge by the last of the steps, and its steps.

        The other one is not made where the first needs no more steps than it takes to make it.
        """
        first = self._steps(solve)
        if first.missing(self.goal) <= FACTORS or time.perf_counter() > self.until:
            return solve, first
        different = other()
        second = self._steps(different)
        sooner = (first.missing(self.goal), first.left) <= (second.missing(self.goal), second.left)
        return (solve, first) if sooner else (different, second)

    def _steps(self, solve: Solve) -> Gmres:
        begun = Gmres(lambda v: solve(self.product(v)), solve(self.source), self.beside)
        begun.advance(self.goal, TRIAL, self.until)
        return begun


class _Product:
    """The operator on values at the inner sites; what varies along one axis alone is one matrix there."""

    def __init__(self, linear: GridOperator, layout: RectangleLayout) -> None:
        self.rest: dict[Orders, Array] = {}
        x, y = layout.x, layout.y
        self.x, self.y = x, y
        self.left, self.right = np.zeros((x.inner.size,) * 2), np.zeros((y.inner.size,) * 2)
        for (i, j), a in linear.coefficients.items():
            if j == 0 and a.shape[1] == 1:
                self.left += a * x.inner_derivatives[i]
            elif i == 0 and a.shape[0] == 1:
                self.right += a.T * y.inner_derivatives[j]
            else:
                self.rest[i, j] = a

    def __call__(self, v: Array) -> Array:
        total: Array = self.left @ v + v @ self.right.T
        for (i, j), a in self.rest.items():
            term = v if i == 0 else self.x.inner_derivatives[i] @ v
            total += a * (term if j == 0 else term @ self.y.inner_derivatives[j].T)
        return total
