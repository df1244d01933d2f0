"""Initial value problems on long domains, against an integrator of high order."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import gated_xtfc as gx
from gated_xtfc.solver.adapt import Limits
from gated_xtfc.solver.marching import initial_end, marched
from gated_xtfc.solver.spaces import space_of

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
