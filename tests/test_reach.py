"""How far Newton's method, and the ways around it, reach: no problem here comes with a guess."""

import numpy as np
import pytest
from scipy.integrate import solve_bvp

import gated_xtfc as gx
from gated_xtfc.operator.linearise import Operator
from gated_xtfc.solver.continuation import HOMOTOPY, homotopy, other_parameters
from gated_xtfc.solver.damping import damped
from gated_xtfc.solver.spaces import space_of

LINE = {"x": (0, 1)}
STIFF = gx.Problem("u'' = exp(u)", LINE, ["u(0) = 4", "u(1) = 0"])


def first_step(problem):
    """The first step of Newton's method from the plain start, with what it was made of."""
    space = space_of(problem, 1e-8)
    start = space.default_start()
    layout = space.lay_out(space.predict(1e-8, start))
    here = space.iterate(layout, start)
    linear = space.linearise(layout, here)
    return space, layout, here, linear, space.fit(layout, linear, 1e-10, here)


def test_the_next_correction_by_the_same_inverse_is_predicted_without_a_fit():
    space, layout, here, linear, found = first_step(STIFF)
    part = 0.3
    there = here.toward(found.iterate, part)
    after = space.linearise(layout, there)
    bend = found.bend(linear, here, after, there, part)
    # the same from a fit: the old operator with the residual of the new place
    operator = Operator(STIFF)
    residual = operator.residuals(layout.points, there.jets)[0].value
    (factors,) = linear.coefficients[0]
    source = sum(a * there.jets[0][orders] for orders, a in factors.items()) - residual
    again = space.fit(layout, type(linear)(linear.coefficients, [source], linear.constant_columns), 1e-10)
    expected = again.iterate.values[0] - there.values[0]
    whole = found.iterate.values[0] - here.values[0]
    np.testing.assert_allclose((1 - part) * whole + bend.values[0], expected, atol=1e-9 * np.abs(expected).max())


def test_a_step_is_taken_as_far_as_it_makes_the_next_correction_shorter():
    problem = gx.Problem("u'' = 100*sinh(4*u)", LINE, ["u(0) = 6", "u'(1) = 0"])
    space, layout, here, linear, found = first_step(problem)
    step = damped(space, layout, found, linear, here, ([6.0], np.zeros(0)), [6.0], None)
    assert 0.0 < step.part <= 1.0
    assert np.abs(step.following[0][0]).max() / 6.0 <= (1 - step.part / 4) * step.length


def test_damping_does_not_depend_on_the_units_of_the_equation():
    parts = []
    for factor in (1.0, 2.0**40):
        problem = gx.Problem("k*u'' = k*atan(30*u) - k*x", LINE, ["u(0) = -5", "u(1) = 40"], k=factor)
        space, layout, here, linear, found = first_step(problem)
        parts.append(damped(space, layout, found, linear, here, ([40.0], np.zeros(0)), [40.0], None).part)
    assert parts[0] == parts[1]


def reference(right, left_value, right_value, order=0):
    """u'' = right(u) with u(1) = right_value and u(0) or u'(0) = left_value, by collocation from a good guess."""
    x = np.linspace(0, 1, 401)
    guess = np.stack([right_value * x**4, 4 * right_value * x**3])
    ends = lambda ya, yb: np.array([ya[order] - left_value, yb[0] - right_value])  # noqa: E731
    found = solve_bvp(lambda x, y: np.stack([y[1], right(y[0])]), ends, x, guess, tol=1e-9, max_nodes=100_000)
    assert found.success
    return lambda x: found.sol(x)[0]


def test_a_catalyst_pellet_is_found_by_a_homotopy():
    rate = "u'' = u*exp(4*(1 - u)/(1 + 0.2*(1 - u)))"
    solution = gx.solve(gx.Problem(rate, LINE, ["u'(0) = 0", "u(1) = 1"]))
    assert solution.converged
    assert solution.continuation == HOMOTOPY
    assert "homotopy" in solution.message
    known = reference(lambda u: u * np.exp(4 * (1 - u) / (1 + 0.2 * (1 - u))), 0.0, 1.0, order=1)
    x = np.linspace(0, 1, 50)
    assert np.abs(solution(x) - known(x)).max() <= 1e-6


def test_a_large_parameter_is_followed_as_its_inverse_is():
    large = gx.solve(gx.Problem("u'' = mu*sinh(mu*u)", LINE, ["u(0) = 0", "u(1) = 1"], mu=40))
    small = gx.solve(gx.Problem("eps*u'' = sinh(u/eps)", LINE, ["u(0) = 0", "u(1) = 1"], eps=1 / 40))
    assert large.converged
    assert small.converged
    assert (large.continuation, small.continuation) == ("mu", "eps")
    x = 1 - np.geomspace(1e-9, 1, 200)
    assert np.abs(large(x) - small(x)).max() <= 2e-8


def test_a_small_number_in_the_text_is_as_good_as_a_parameter():
    ends = ["u(0) = -7/6", "u(1) = 3/2"]
    literal = gx.solve(gx.Problem("0.001*u'' + u*u' - u = 0", LINE, ends))
    assert literal.converged
    x = np.linspace(0, 1, 200)
    named = gx.solve(gx.Problem("eps*u'' + u*u' - u = 0", LINE, ends, eps=1e-3))
    assert np.abs(literal(x) - named(x)).max() <= 1e-7


@pytest.mark.parametrize(
    ("equation", "conditions", "parameters"),
    [
        ("u'' = exp(u)", ["u(0) = 30", "u(1) = 0"], {}),
        ("u'' = k*sinh(k*u)", ["u(0) = 0", "u(1) = 1"], {"k": 50}),
        ("u'' = a*sinh(z*u)", ["u(0) = 10", "u'(1) = 0"], {"a": 1, "z": 4}),
    ],
)
def test_more_steps_are_taken_where_fewer_do_not_do(equation, conditions, parameters):
    assert gx.solve(gx.Problem(equation, LINE, conditions, **parameters)).converged


def test_the_homotopy_ends_at_the_problem_itself():
    space = space_of(STIFF, 1e-8)
    way = homotopy(space)
    assert way.member(0.0) is space
    value, values = way.beginnings[0], []
    while value != way.target:
        values.append(value := way.after(value, 0.5))
    assert values == sorted(values, reverse=True)
    assert values[-1] == 0.0
    assert way.member(3.0).problem.equations[0].residual((0.5,), {("u", (0,)): 0.0, ("u", (2,)): 1.0}) == 4.0 - 1.0


def test_parameters_far_from_one_are_followed_first():
    problem = gx.Problem("a*u'' = b*u^2 + c*d", LINE, ["u(0) = 0", "u(1) = 1"], a=2, b=1e-4, c=100, d=1)
    assert other_parameters(space_of(problem, 1e-8), None) == ["b", "c"]
    assert other_parameters(space_of(problem, 1e-8), "b") == ["c"]


def test_functions_are_followed_as_texts_are():
    function = lambda x, u: u.xx - u * np.exp(4 * (1 - u) / (1 + 0.2 * (1 - u)))  # noqa: E731
    assert gx.solve(gx.Problem(function, LINE, ["u'(0) = 0", "u(1) = 1"])).continuation == HOMOTOPY


def test_what_has_no_solution_is_still_not_found():
    solution = gx.solve(gx.Problem("u'' = -5*exp(u)", LINE, ["u(0) = 0", "u(1) = 0"]))  # beyond the fold at 3.51
    assert not solution.converged
    assert solution.error >= 1.0
