"""Initial value problems on long domains, against an integrator of high order."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import gated_xtfc as gx
from gated_xtfc.solver.adapt import Limits
from gated_xtfc.solver.marching import initial_end, marched
from gated_xtfc.solver.spaces import space_of
from gated_xtfc.solver.stepping import stepped

LIMITS = Limits(50_000, 14, 2_000, 4e9)


def lorenz(t, y):
    return [10 * (y[1] - y[0]), y[0] * (28 - y[2]) - y[1], y[0] * y[1] - 8 / 3 * y[2]]


def pull(t, y):
    cube = (y[0] ** 2 + y[1] ** 2) ** 1.5
    return [y[2], y[3], -y[0] / cube, -y[1] / cube]


VAN_DER_POL = gx.Problem("u'' - mu*(1 - u^2)*u' + u = 0", {"t": (0, 30)}, ["u(0) = 2", "u'(0) = 0"], mu=3)
LORENZ = gx.Problem(
    ["x' = 10*(y - x)", "y' = x*(28 - z) - y", "z' = x*y - 8/3*z"], {"t": (0, 6)}, ["x(0) = 1", "y(0) = 1", "z(0) = 1"]
)
KEPLER = gx.Problem(
    ["x'' = -x/(x^2 + y^2)^1.5", "y'' = -y/(x^2 + y^2)^1.5"],
    {"t": (0, "4*pi")},
    ["x(0) = 0.4", "y(0) = 0", "x'(0) = 0", "y'(0) = 2"],
)


@pytest.mark.parametrize(
    ("problem", "right", "begin"),
    [
        (VAN_DER_POL, lambda t, y: [y[1], 3 * (1 - y[0] ** 2) * y[1] - y[0]], [2, 0]),
        (LORENZ, lorenz, [1, 1, 1]),
        (KEPLER, pull, [0.4, 0, 0, 2]),
    ],
    ids=["van der Pol", "Lorenz", "Kepler"],
)
def test_a_long_way_is_within_its_estimate_of_an_integrator(problem, right, begin):
    solution = gx.solve(problem)
    assert solution.converged, solution.message
    assert "windows" in solution.message
    (axis,) = problem.axes
    t = np.linspace(axis.left, axis.right, 201)
    known = solve_ivp(right, (axis.left, axis.right), begin, "DOP853", t, rtol=2.3e-14, atol=1e-14).y
    for name, values, scale in zip(problem.fields, known, solution.scales, strict=False):
        assert np.abs(solution[name](t) - values).max() <= solution.error * scale


def test_the_solution_is_smooth_where_windows_meet():
    solution = gx.solve(VAN_DER_POL)
    assert len(solution.breaks) > 3
    places = np.array(solution.breaks)
    for order in (0, 1):
        gap = np.abs(solution(places + 1e-11, order) - solution(places - 1e-11, order))
        assert gap.max() <= 1e-9
    assert solution(0.0) == 2.0
    assert abs(solution(0.0, 1)) <= 1e-16


def test_a_way_backward_is_the_way_forward_mirrored():
    mirrored = gx.Problem("u'' + mu*(1 - u^2)*u' + u = 0", {"t": (-30, 0)}, ["u(0) = 2", "u'(0) = 0"], mu=3)
    t = np.linspace(0, 30, 101)
    np.testing.assert_allclose(gx.solve(mirrored)(-t), gx.solve(VAN_DER_POL)(t), atol=1e-8)


def test_before_a_blow_up_the_message_says_how_far_it_went():
    solution = gx.solve(gx.Problem("u' = u^2", {"t": (0, 2)}, ["u(0) = 1"]))
    assert not solution.converged
    assert "t = 1 and no further" in solution.message


def test_windows_cover_the_domain_side_by_side():
    march = marched(space_of(VAN_DER_POL, 1e-8), 0.0, 1e-8, LIMITS)
    assert march.reached == 30.0
    edges = [window.axis for window in march.windows]
    assert edges[0].left == 0.0
    assert edges[-1].right == 30.0
    assert all(a.right == b.left for a, b in pairwise(edges))


@pytest.mark.parametrize(
    ("conditions", "end"),
    [
        (["u(0) = 1", "u'(0) = 0"], 0.0),
        (["u(1)*u'(1) = 1", "u'(1) = 2"], 1.0),
        (["u(0) = 1", "u(1) = 0"], None),
        (["u(0) = 1", "integral(u) = 0"], None),
        (["u(0.5) = 1", "u'(0.5) = 0"], None),
    ],
)
def test_an_initial_value_problem_has_all_conditions_at_one_end(conditions, end):
    assert initial_end(gx.Problem("u'' = u^2", {"x": (0, 1)}, conditions)) == end


RELAXATION = gx.Problem(["y' = v", "v' = mu*(1 - y^2)*v - y"], {"t": (0, 200)}, ["y(0) = 2", "v(0) = 0"], mu=100)
ROBERTSON = gx.Problem(
    ["a' = -0.04*a + 1e4*b*c", "b' = 0.04*a - 1e4*b*c - 3e7*b^2", "c' = 3e7*b^2"],
    {"t": (0, 400)}, ["a(0) = 1", "b(0) = 0", "c(0) = 0"],
)  # fmt: skip
OREGONATOR = gx.Problem(
    ["a' = 77.27*(b + a*(1 - 8.375e-6*a - b))", "b' = (c - (1 + a)*b)/77.27", "c' = 0.161*(a - c)"],
    {"t": (0, 360)}, ["a(0) = 1", "b(0) = 2", "c(0) = 3"],
)  # fmt: skip


def relaxation(t, y):
    return [y[1], 100 * (1 - y[0] ** 2) * y[1] - y[0]]


def robertson(t, y):
    slow, fast, faster = 0.04 * y[0], 1e4 * y[1] * y[2], 3e7 * y[1] ** 2
    return [fast - slow, slow - fast - faster, faster]


def oregonator(t, y):
    return [
        77.27 * (y[1] + y[0] * (1 - 8.375e-6 * y[0] - y[1])), (y[2] - (1 + y[0]) * y[1]) / 77.27, 0.161 * (y[0] - y[2]),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("problem", "right", "begin"),
    [(RELAXATION, relaxation, [2, 0]), (ROBERTSON, robertson, [1, 0, 0]), (OREGONATOR, oregonator, [1, 2, 3])],
    ids=["van der Pol", "Robertson", "Oregonator"],
)
def test_what_is_stiff_is_within_its_estimate_of_an_integrator(problem, right, begin):
    solution = gx.solve(problem, 1e-6)
    assert solution.converged, solution.message
    (axis,) = problem.axes
    t = np.concatenate([[0.0], axis.right * np.logspace(-6, 0, 200), np.linspace(0.01, 0.99, 300) * axis.right])
    t = np.unique(t)
    known = solve_ivp(right, (0.0, axis.right), begin, "Radau", t, rtol=1e-11, atol=1e-18).y
    for name, values, scale in zip(problem.fields, known, solution.scales, strict=True):
        assert np.abs(solution[name](t) - values).max() <= solution.error * scale


def test_steps_go_backward_too_and_serve_equations_that_are_implicit():
    implicit = gx.Problem("u'^3 + u' + 50*u = 0", {"t": (-3, 0)}, ["u(0) = 1"])
    march = stepped(implicit, 0.0, 1e-8, 4, LIMITS)
    assert march.reached == -3.0
    start = march.windows[0].start
    t = np.linspace(-3.0, 0.0, 50)
    slope = start.about(0, (t,), (1,))
    assert np.abs(slope**3 + slope + 50 * start.about(0, (t,), (0,))).max() <= 1e-4
    edges = [window.axis for window in march.windows]
    assert all(one.right == two.left for one, two in pairwise(edges))


def test_a_solution_that_slides_along_a_switch_is_said_to():
    solution = gx.solve(gx.Problem("u' = -sign(u - 0.5)", {"t": (0, 2)}, ["u(0) = 0"]), 1e-6)
    assert not solution.converged
    assert "it led to t = 0.5 and no further, where it may slide along a switch" in solution.message
