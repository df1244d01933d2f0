"""GMRES, the two solvers it is helped by on a rectangle, and what is said when time ends it."""

import math
import time

import numpy as np
import pytest

import gated_xtfc as gx
from gated_xtfc.linalg.krylov import Gmres, solve_by_corrections
from gated_xtfc.operator.linearise import Operator
from gated_xtfc.solver.rectangle.differences import factorised
from gated_xtfc.solver.rectangle.discretisation import RectangleDiscretisation
from gated_xtfc.solver.rectangle.fit import RectangleLayout, fit
from gated_xtfc.solver.rectangle.grid_operator import GridOperator, Separable
from gated_xtfc.types import Array

SQUARE = {"x": (0, 1), "y": (0, 1)}
RIGHT = np.random.default_rng(4).normal(size=(8, 5))
MATRIX = np.random.default_rng(5).normal(size=(40, 40)) + 6 * np.eye(40)


def times(v: Array) -> Array:
    found: Array = (MATRIX @ v.ravel()).reshape(v.shape)
    return found


@pytest.mark.parametrize("steps", [1, 5, 20, 39])
def test_what_gmres_says_is_left_is_left(steps: int) -> None:
    found = Gmres(times, RIGHT)
    found.advance(0.0, steps)
    left = np.linalg.norm(times(found.values) - RIGHT) / np.linalg.norm(RIGHT)
    assert found.steps == steps
    assert found.left == pytest.approx(left, rel=1e-6, abs=1e-13)
    assert np.all(np.diff(found.lefts) <= 0.0)


def test_gmres_goes_on_where_it_was_left() -> None:
    once, twice = Gmres(times, RIGHT), Gmres(times, RIGHT)
    once.advance(1e-9)
    twice.advance(0.1)
    twice.advance(1e-9)
    assert np.array_equal(once.values, twice.values)


def test_of_a_singular_operator_gmres_finds_what_there_is() -> None:
    found = Gmres(lambda v: v * (np.arange(v.size).reshape(v.shape) > 0), np.ones((1, 6)))
    found.advance(1e-12)
    assert np.isfinite(found.values).all()
    assert found.left == pytest.approx(1.0 / math.sqrt(6.0))


def test_corrections_that_time_ends_know_how_far_they_are() -> None:
    begun = Gmres(times, RIGHT)
    begun.advance(0.0, 15)
    found = solve_by_corrections(
        times, lambda r: r, RIGHT, np.zeros_like(RIGHT), 1e-12, 99, until=time.perf_counter(), begun=begun
    )
    assert not found.settled
    assert np.array_equal(found.values, begun.values)
    assert found.last == pytest.approx(np.abs(RIGHT - times(begun.values)).max())


def laid_out(equation: str, **parameters: float) -> tuple[RectangleDiscretisation, RectangleLayout, GridOperator]:
    problem = gx.Problem(equation, SQUARE, ["u = 0 on boundary"], **parameters)  # type: ignore[arg-type]
    space = RectangleDiscretisation(problem)
    layout = space.lay_out(space.predict(1e-6))
    return space, layout, GridOperator.of(Operator(problem)(layout.points))


@pytest.mark.parametrize(
    "equation",
    [
        "-eps*(u_xx + u_yy) + (1 + x*y)*u_x + (2 - x)*u_y = x",
        "-(1 + 9*x*y)*u_xx - (2 - y*x)*u_yy + 0.1*sin(x*y)*u_xy + u = 1",
        "-eps*(u_xx + u_yy) + (2*y - 1)*(1 - (2*x - 1)^2)*u_x - (2*x - 1)*(1 - (2*y - 1)^2)*u_y + u = x",
    ],
)
def test_whichever_solver_helps_the_solution_is_the_same(equation: str) -> None:
    space, layout, linear = laid_out(equation, **({"eps": 1e-2} if "eps" in equation else {}))
    whole = fit(layout, linear, space.derivatives, 1e-11)
    slopes = (grid.coordinate()[1][grid.inner] for grid in (layout.x, layout.y))
    near = Separable.near(linear, *slopes).on(layout.x, layout.y).solve
    rows = layout.rows()

    def product(v: Array) -> Array:
        return linear.applied(*rows, layout.x.extension @ v @ layout.y.extension.T)

    for solve in (near, factorised(linear, layout.x, layout.y)):
        found = solve_by_corrections(product, solve, linear.source, np.zeros_like(linear.source), 1e-11, 300)
        assert found.settled
        assert np.abs(found.values - layout.inner(whole.values)).max() < 1e-9 * np.abs(whole.values).max()


def test_a_separable_operator_is_its_own_nearest_one() -> None:
    _, layout, linear = laid_out("-(1 + x)*u_xx - (2 + y)*u_yy + x*u_x + 3*u = 1")
    itself = Separable.of(linear)
    slopes = (grid.coordinate()[1][grid.inner] for grid in (layout.x, layout.y))
    near = Separable.near(linear, *slopes)
    assert itself is not None
    a, b = (one.on(layout.x, layout.y).solve(linear.source) for one in (itself, near))
    # the parts along x and y have other sizes: near it is, but for those that the weight cannot make separable
    assert np.abs(a - b).max() < 0.05 * np.abs(a).max()


def test_a_finer_layout_begins_where_the_coarse_one_ended() -> None:
    space, layout, linear = laid_out("-u_xx - (1 + x*y)*u_yy + u = 1")
    first = fit(layout, linear, space.derivatives, 1e-11)
    again = space.near(layout, first)
    assert again is not None
    second = fit(layout, linear, space.derivatives, 1e-9, layout.inner(again.values[0]))
    assert second.steps < 0.5 * first.steps
    assert np.abs(second.values - first.values).max() < 1e-8 * np.abs(first.values).max()


def test_an_iteration_that_time_ends_says_so_and_hands_over_what_it_has() -> None:
    equation = "-eps*(u_xx + u_yy) + (1 + x*y)*u_x + (2 - x*x)*u_y = x"
    problem = gx.Problem(equation, SQUARE, ["u = 0 on boundary"], eps=1e-5)
    solution = gx.solve(problem, tol=1e-9, max_seconds=0.3)
    assert solution.status == "max_seconds"
    assert solution.error > 1e-9
    assert np.isfinite(solution(0.5, 0.5))
