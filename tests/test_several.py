"""Several solutions: deflation finds those that the literature lists, each once, and says that there may be more."""

import numpy as np
import pytest

import gated_xtfc as gx

LINE, FIXED = {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0"]


def test_both_solutions_of_bratu_are_found():
    found = gx.solutions(gx.Problem("u'' + k*exp(u) = 0", LINE, FIXED, k=1), count=2, seconds=60)
    heights = sorted(one.maximum().value for one in found)
    np.testing.assert_allclose(heights, [0.14053921, 4.09146724], rtol=1e-6)
    assert all(one.converged for one in found)
    assert "there may be more" in found.message


def test_three_solutions_of_the_pellet_are_found():
    pellet = gx.Problem(
        "u'' = phi^2*u*exp(g*b*(1 - u)/(1 + b*(1 - u)))", LINE, ["u'(0) = 0", "u(1) = 1"], phi=0.2, g=20, b=0.6
    )
    found = gx.solutions(pellet, count=3, seconds=60)
    np.testing.assert_allclose(sorted(one(0.0) for one in found), [0.00424, 0.58165, 0.97491], atol=1e-4)


def test_no_solution_is_listed_twice():
    """u'' + 50 (u - u^3) = 0 has zero and two pairs."""
    found = gx.solutions(gx.Problem("u'' + k*(u - u^3) = 0", LINE, FIXED, k=50), count=5, seconds=60)
    assert len(found) == 5
    x = np.linspace(0, 1, 101)
    for i, one in enumerate(found):
        for other in found[:i]:
            assert np.abs(one(x) - other(x)).max() > 1e-2
    assert len(found[1:3]) == 2


def test_progress_hears_of_every_solution():
    heard = []
    problem = gx.Problem("u'' + k*exp(u) = 0", LINE, FIXED, k=1)
    found = gx.solutions(problem, count=1, progress=heard.append)
    assert heard == list(found)


@pytest.mark.parametrize(
    ("problem", "options", "told"),
    [
        (gx.Problem("u'' = 1", LINE, FIXED), {}, "linear"),
        (gx.Problem("u'' + exp(u) = 0", LINE, FIXED), {"count": 0}, "0 solutions"),
        (gx.Problem("u'' + exp(u) = 0", LINE, FIXED), {"seconds": -1}, "max_seconds"),
    ],
)
def test_what_cannot_be_asked_is_refused(problem, options, told):
    with pytest.raises(gx.InputError, match=told):
        gx.solutions(problem, **options)


@pytest.mark.parametrize(
    ("equation", "guess", "told"),
    [
        ("u'' + 100*(u - u^3) = 0", "sin(pi*x)", "other solutions of the problem: zero, itself with the sign turned"),
        ("u'' + 100*(u - u^3) = 0", "sin(2*pi*x)", "other solutions of the problem: zero, its mirror image"),
        ("u'' + 15*u - u^2 = 0", "5*sin(pi*x)", "another solution of the problem: zero"),
    ],
)
def test_solve_says_which_other_solutions_its_own_tells_of(equation, guess, told):
    solution = gx.solve(gx.Problem(equation, LINE, FIXED), guess=guess)
    assert solution.message.endswith(told)


@pytest.mark.parametrize("equation", ["u'' + exp(u) = 0", "u'' = u^3 + x", "u'' + 100*(u - u^3) = 1e-6"])
def test_solve_claims_no_other_solution_where_it_knows_of_none(equation):
    solution = gx.solve(gx.Problem(equation, LINE, FIXED))
    assert solution.converged, solution.message
    assert "other solution" not in solution.message
