"""Problems on a rectangle: what the statement means, and what is said of one that cannot be used."""

import pickle
from typing import Any

import numpy as np
import pytest

import gated_xtfc as gx
from gated_xtfc.errors import InputError
from gated_xtfc.operator.linearise import Operator
from gated_xtfc.problem.file import from_mapping

SQUARE: dict[str, Any] = {"x": (0, 1), "y": (0, 1)}
ZERO = ["u = 0 on boundary"]
SIDES = ["u(0, y) = 0", "u(1, y) = 0", "u(x, 0) = 0", "u(x, 1) = 0"]


def coefficients(equation: Any, **parameters: float) -> dict[tuple[int, int], float]:
    problem = gx.Problem(equation, SQUARE, ZERO, **parameters)
    linear = Operator(problem)((np.array([0.5]), np.array([0.25])))
    return {orders: float(a[0, 0]) for orders, a in linear.coefficients[0][0].items()}


def sides(conditions: list[str], **parameters: float) -> Any:
    return gx.Problem("u_xx + u_yy = 0", SQUARE, conditions, **parameters).sides


def refused(equation: Any = "u_xx + u_yy = 1", domain: Any = SQUARE, conditions: Any = ZERO, **more: Any) -> str:
    with pytest.raises(InputError) as caught:
        gx.Problem(equation, domain, conditions, **more)
    return str(caught.value)


def test_problems_on_an_interval_and_on_a_rectangle_are_of_one_class_and_have_the_same_attributes() -> None:
    square = gx.Problem("u_xx + u_yy = exp(-x*y)", SQUARE, ZERO)
    line = gx.Problem("u'' = 1", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0"])
    assert type(square) is type(line) is gx.Problem
    for name in (name for name in dir(gx.Problem) if not name.startswith("_")):
        getattr(square, name)
        getattr(line, name)
    assert (len(line.conditions), len(line.sides)) == (2, 0)
    assert (len(square.conditions), len(square.sides)) == (0, 4)


def test_the_operator_is_read_off_the_text() -> None:
    found = coefficients("-eps*(u_xx + 2*u_yy) + x*u_x - u_y/y + 0.1*u_xy + 3*u = 1", eps=0.1)
    expected = {(2, 0): -0.1, (0, 2): -0.2, (1, 0): 0.5, (0, 1): -4.0, (1, 1): 0.1, (0, 0): 3.0}
    assert found == pytest.approx(expected)


def test_mixed_derivatives_may_be_written_either_way() -> None:
    assert coefficients("u_xx + u_yy + 0.5*u_xy = 0") == coefficients("u_xx + u_yy + 0.5*u_yx = 0")


def test_a_function_states_the_same_as_its_text() -> None:
    text = coefficients("u_xx + u_yy - k*x*u_y + 0.5*u_xy = 0", k=3.0)
    assert coefficients(lambda x, y, u, k: u.xx + u.yy - k * x * u.y + 0.5 * u.xy, k=3.0) == text


@pytest.mark.parametrize(
    "conditions",
    [
        SIDES,
        ["u = 0 on x = 0", "u = 0 on x = 1", "u = 0 on y = 0", "u = 0 on y = 1"],
        ["u(x, 1) = 0", "u = 0 on x = 1", "u(0, y) = 0", "u(x, 0) = 0"],
    ],
)
def test_sides_can_be_named_in_every_way_and_order(conditions: list[str]) -> None:
    for one, other in zip(sides(conditions), sides(ZERO), strict=True):
        assert (one.place, one.weights, one.homogeneous) == (other.place, other.weights, True)


def test_a_robin_condition_keeps_its_factors_and_its_data() -> None:
    side = sides(["k*u(0, y) - 2*u_x(0, y) = sin(y) + 1", *SIDES[1:]], k=3.0)[0]
    assert side.weights == (3.0, -2.0)
    assert side.data(np.array([0.0, 0.5])) == pytest.approx([1.0, 1.0 + np.sin(0.5)])


def test_places_of_sides_may_use_parameters() -> None:
    problem = gx.Problem(
        "u_xx + u_yy = 1", {"x": (0, "L"), "y": (-1, 1)}, ["u(L, y)=y", "u=y on x=0", "u=y on y=-1", "u(x, 1)=1"], L=2.0
    )  # fmt: skip
    assert [side.position for side in problem.sides] == [0.0, 2.0, -1.0, 1.0]


def test_a_problem_comes_back_from_pickle_dictionary_and_file_alike() -> None:
    problem = gx.Problem("-eps*(u_xx + u_yy) + u_x = 1", SQUARE, ZERO, exact="x*y", eps=0.1)
    assert pickle.loads(pickle.dumps(problem)) == problem
    assert gx.Problem.from_dict(problem.to_dict()) == problem
    assert from_mapping(problem.to_dict()) == problem
    assert problem(eps=0.2).parameters["eps"] == 0.2
    assert "on boundary" in repr(problem)


def test_linear_and_nonlinear_are_told_apart() -> None:
    assert gx.Problem("u_xx + u_yy + x*y*u = 1", SQUARE, ZERO).linear
    assert not gx.Problem("u_xx + u_yy + exp(u) = 0", SQUARE, ZERO).linear


def test_conditions_that_contradict_each_other_name_the_corner() -> None:
    problem = gx.Problem("u_xx + u_yy = 0", SQUARE, ["u(0, y) = 0", "u(1, y) = 0", "u(x, 0) = 0", "u(x, 1) = x"])
    (warning,) = problem.warnings
    assert "corner x = 1, y = 1 (0 against 1)" in warning


def test_a_slope_that_contradicts_the_value_beside_it_names_the_corner() -> None:
    conditions = ["u_x(0, y) = 1", "u(1, y) = 0", "u(x, 0) = 0", "u(x, 1) = x - 1"]
    problem = gx.Problem("u_xx + u_yy = 0", SQUARE, conditions)
    assert [("corner x = 0, y = 0" in text) for text in problem.warnings] == [True]


def test_data_that_agree_at_the_corners_give_no_warning() -> None:
    problem = gx.Problem("u_xx + u_yy = 0", SQUARE, ["u_x(0, y) = y", "u(1, y) = y", "u(x, 0) = 0", "u(x, 1) = x"])
    assert problem.warnings == ()


@pytest.mark.parametrize(
    ("conditions", "says"),
    [
        (SIDES[:3], "the side y = 1 has no condition: add one such as u(x, 1) = 0"),
        ([*SIDES, "u_x(0, y) = 0"], "the side x = 0 has two conditions"),
        ([*ZERO, "u(0, y) = 0"], "the side x = 0 has two conditions"),
        ([*SIDES[1:], "u(0.5, y) = 0"], "x = 0.5 in the condition"),
        ([*SIDES[1:], "u = 0 on x = 2"], "is not a side of the rectangle"),
        ([*SIDES[1:], "u(0, z) = 0"], "must keep one coordinate and fix the other"),
        ([*SIDES[1:], "u(0, 0) = 0"], "must keep one coordinate and fix the other"),
        ([*SIDES[1:], "u(0) = 0"], "takes two places"),
        ([*SIDES[1:], "u = 0"], "must say where"),
        ([*SIDES[1:], "u = 0 on left"], "cannot read where the condition"),
        ([*SIDES[1:], "u(0, y) = u(1, y)"], "names more than one side"),
        ([*SIDES[1:], "u(0, y)**2 = 1"], "is not linear"),
        ([*SIDES[1:], "u_y(0, y) = 1"], "no other derivative"),
        ([*SIDES[1:], "u(0, y) + y*u_x(0, y) = 1"], "varies along the side"),
        ([*SIDES[1:], "0*u(0, y) = 1"], "every factor is zero"),
        ([*SIDES[1:], "1 = 1 on x = 0"], "has no field in it"),
        ([*SIDES[1:], "u(0, y) = w"], "unknown name 'w'"),
        ([*SIDES[1:], "u(0, y = 0"], "never closed"),
        ([*SIDES[1:], 5], "must be"),
    ],
)
def test_bad_conditions(conditions: Any, says: str) -> None:
    assert says in refused(conditions=conditions)


@pytest.mark.parametrize(
    ("equation", "says"),
    [
        ("u_xxx + u_yy = 0", "is of order 3: on a rectangle it must be of order 2"),
        ("u_x + u_y = 0", "is of order 1"),
        ("u = x", "has no derivative"),
        ("u_xx + u_zz = 0", "the coordinates are x and y, not zz"),
        ("u'' + u_yy = 0", "does not say along which axis"),
        ("u_xx + v_yy = 0", "systems on a rectangle are not supported yet"),
        (["u_xx + u_yy = v", "v_xx + v_yy = u"], "systems on a rectangle are not supported yet"),
        ("u_xx - u_yy = 0", "is not elliptic"),
        ("u_xx - u_yy + u^3 = 1", "is not elliptic"),
        ("u_xx + u_yy + 3*u_xy = 0", "is not elliptic"),
        (lambda x, y: x, "takes no field"),
        (lambda x, y, u: 1.0, "must return left minus right"),
        (lambda x, y, u: u.zz, "has no 'zz'"),
    ],
)
def test_bad_equations(equation: Any, says: str) -> None:
    assert says in refused(equation)


@pytest.mark.parametrize(
    ("domain", "says"),
    [
        ({"x": (0, 1), "y": (0, "x")}, "only rectangles are supported yet"),
        ({"x": (0, 1), "y": (0, lambda x: x)}, "only rectangles are supported yet"),
        ({"x": (0, 1), "y": (1, 0)}, "is reversed"),
        ({"x": (0, 1), "y": (0, 1, 2)}, "must be two ends"),
        ({"x": (0, 1), "y": (0, 1), "z": (0, 1)}, "one or two are supported"),
        ([(0, 0), (1, 0), (0, 1)], "must be given like"),
    ],
)
def test_bad_domains(domain: Any, says: str) -> None:
    assert says in refused(domain=domain)


def test_what_is_for_a_line_only_is_refused() -> None:
    assert "on a line only" in refused("u_xx + k*u_yy = 0", unknown=["k"])


def test_parameters_are_checked() -> None:
    assert "occurs nowhere" in refused(k=1.0)
    assert "unknown name 'k'" in refused("u_xx + k*u_yy = 0")
    assert "zero everywhere" in refused("eps*(u_xx + u_yy) + u_x = 0", eps=0.0)


@pytest.mark.parametrize(
    ("equation", "said"),
    [
        ("u_xx + u_yy + u/x = 1", "the coefficient of u is not finite at x = 0"),
        ("u_xx + u_yy = log(1 - y)", "the source is not finite at x = 0, y = 1"),
    ],
)
def test_a_pole_on_a_side_is_refused(equation: str, said: str) -> None:
    problem = gx.Problem(equation, {"x": (0, 1), "y": (0, 1)}, ["u = 0 on boundary"])
    with pytest.raises(gx.InputError, match=said):
        gx.solve(problem)


def test_a_layer_thinner_than_the_numbers_around_it_says_so_without_a_warning() -> None:
    problem = gx.Problem("-eps*(u_xx + u_yy) + u = 1", {"x": (0, 1), "y": (0, 1)}, ["u = 0 on boundary"], eps=1e-24)
    solution = gx.solve(problem)
    assert solution.status == "rounding"
    assert "thinner than the spacing" in solution.message
