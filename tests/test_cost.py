"""What a solution costs, in unknowns, rounds and steps: not seconds, which belong to the machine."""

import pytest

from gated_xtfc import Problem, solve
from gated_xtfc.operator.linearise import Operator
from gated_xtfc.solver.rectangle.discretisation import RectangleDiscretisation
from gated_xtfc.solver.rectangle.fit import FACTORS, RectangleFit

SQUARE = {"x": (0, 1), "y": (0, 1)}
ZERO = ["u(0, y) = 0", "u(1, y) = 0", "u(x, 0) = 0", "u(x, 1) = 0"]


@pytest.mark.parametrize("tol", [1e-4, 1e-6, 1e-9])
def test_corners_are_resolved_at_once_and_not_at_any_price(tol: float) -> None:
    # kernels that widen too fast away from a corner take more rounds, kernels that hardly do take far more unknowns
    solution = solve(Problem("u_xx + u_yy = -1", SQUARE, ZERO), tol)
    assert solution.converged
    assert len(solution.history) == 1
    assert solution.neurons <= {1e-4: 7_000, 1e-6: 14_000, 1e-9: 30_000}[tol]


def fitted(equation: str) -> RectangleFit:
    problem = Problem(equation, SQUARE, ZERO)
    space = RectangleDiscretisation(problem)
    layout = space.lay_out(space.predict(1e-6))
    return space.fit(layout, Operator(problem)(layout.points), 1e-10)


@pytest.mark.parametrize(
    "equation",
    ["-1e-2*(u_xx + u_yy) + (y - 0.5)*u_x - (x - 0.5)*u_y = 1", "-1e-2*(u_xx + u_yy) + (1 + 100*x*y)*u = 1"],
    ids=["flow in a circle", "reaction stronger in one corner"],
)
def test_far_from_any_operator_of_separate_variables_it_costs_no_more_than_differences(equation: str) -> None:
    # differences take a dozen steps, and are factorised in the time of FACTORS others
    fit = fitted(equation)
    assert fit.settled
    assert fit.steps <= FACTORS + 15


@pytest.mark.parametrize(
    "equation",
    ["(1 + 9*exp(-50*((x - 0.5)^2 + (y - 0.5)^2)))*(u_xx + u_yy) = -1", "u_xx + u_yy - (1 + x*y)*u = -1"],
    ids=["a factor alone", "a small term"],
)
def test_near_an_operator_of_separate_variables_it_takes_a_few_steps(equation: str) -> None:
    fit = fitted(equation)
    assert fit.settled
    assert fit.steps <= 6


def test_separate_variables_take_no_iteration() -> None:
    fit = fitted("-1e-3*(u_xx + u_yy) + (1 + x)*u_x + y*u_y + x*u = exp(y)")
    assert fit.exact
    assert fit.steps <= 3  # the last ones remove rounding
