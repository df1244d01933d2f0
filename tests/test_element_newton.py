"""Newton's method in the compiled core goes the steps of its twin in NumPy, and its programs are those of the texts."""

from dataclasses import replace

import numpy as np
import pytest

from gated_xtfc import Problem, solve
from gated_xtfc.core import compiled
from gated_xtfc.language.functions import FUNCTIONS
from gated_xtfc.operator.linearise import Operator
from gated_xtfc.solver.interval.discretisation import IntervalDiscretisation
from gated_xtfc.solver.interval.element_newton import by_steps, converged_on
from gated_xtfc.solver.interval.element_space import ElementDiscretisation
from gated_xtfc.solver.tolerance import Tolerance

LINE = {"x": (0, 1)}
ENDS = ["u(0) = 0", "u(1) = 0.5"]
SWIRL = ["u(0) = 0", "u'(0) = 0", "u(1) = 1", "u'(1) = 0"]
PENDULUM = ["z' = sin(a)", "a' = m", "m' = -q", "q' = (z - 1)*cos(a) - m*(1/cos(a) + q*tan(a))"]
CASES = {
    "Bratu": Problem("u'' + lam*exp(u) = 0", LINE, ["u(0) = 0", "u(1) = 0"], lam=3),
    "Troesch": Problem("u'' - 4*sinh(4*u) = 0", LINE, ["u(0) = 0", "u(1) = 1"]),
    "shock": Problem("nu*u'' + u*u' - u = 0", LINE, ["u(0) = -7/6", "u(1) = 3/2"], nu=0.05),
    "powers": Problem("u'' = u^3 - 2^u*x + (u + 2)^1.5/(1 + u^2) + u^x", LINE, ["u(0) = 1", "u(1) = 2"]),
    "swirl": Problem("nu*u'''' - u'*u'' + u*u''' = 0", LINE, SWIRL, nu=0.1),
    "system": Problem(PENDULUM, LINE, ["z(0) = 0", "m(0) = 0", "z(1) = 0", "m(1) = 0"]),
    "mixed orders": Problem(["u'' = v*u", "v' = -u^2 - v"], LINE, [*ENDS, "v(0) = 1"]),
}  # fmt: skip


def begun(problem, tol=1e-6):
    space = ElementDiscretisation(IntervalDiscretisation.to(problem, tol), 12)
    start = space.default_start()
    layout = space.lay_out(space.predict(tol, start))
    return layout, space.iterate(layout, start)


def agree(first, second):
    assert (first.steps, first.converged) == (second.steps, second.converged)
    a, b = first.found, second.found
    np.testing.assert_allclose(a.shapes, b.shapes, rtol=0, atol=1e-10 * np.abs(b.shapes).max())
    np.testing.assert_allclose(a.certificate.error, b.certificate.error, rtol=0.02, atol=1e-12)
    np.testing.assert_allclose(a.certificate.stability, b.certificate.stability, rtol=1e-4)
    np.testing.assert_allclose(a.sizes, b.sizes, rtol=1e-9)


@pytest.mark.skipif(compiled.newton is None, reason="no compiler was at hand")
@pytest.mark.parametrize("name", CASES)
def test_the_compiled_core_goes_the_steps_of_its_twin(name):
    problem, tolerance = CASES[name], Tolerance.of(CASES[name], 1e-6, 0.5)
    layout, start = begun(problem)
    assert Operator(problem).programs is not None
    agree(
        converged_on(Operator(problem), layout, start, 1e-6, 25),
        by_steps(Operator(problem), layout, start, 1e-7, 25, None),
    )
    agree(
        converged_on(Operator(problem), layout, start, 1e-6, 25, tolerance),
        by_steps(Operator(problem), layout, start, 1e-7, 25, tolerance),
    )


@pytest.mark.skipif(compiled.newton is None, reason="no compiler was at hand")
@pytest.mark.parametrize("function", sorted(FUNCTIONS))
def test_every_function_of_the_language_is_one_of_the_core(function):
    problem = Problem(f"u'' = {function}(u/4 + x/9 + 0.1) + log(cosh(u))", LINE, ENDS)
    layout, start = begun(problem)
    agree(
        converged_on(Operator(problem), layout, start, 1e-6, 25),
        by_steps(Operator(problem), layout, start, 1e-7, 25, None),
    )


def test_functions_of_the_users_are_solved_all_the_same():
    problem = Problem(lambda x, u: u.xx - u**2, LINE, ENDS)
    assert Operator(problem).programs is None
    assert solve(problem, 1e-6).converged


@pytest.mark.parametrize("text", ["u'' = log(u - 5)", "u'' = 1/(u - u)", "u'' = exp(exp(exp(40*u + 20)))"])
def test_numbers_that_are_not_finite_end_in_no_solution(text):
    problem = Problem("u'' = 0", LINE, ENDS)
    layout, start = begun(problem)
    found = converged_on(Operator(Problem(text, LINE, ENDS)), layout, start, 1e-6, 25)
    assert not found.converged
    assert found.found is None


@pytest.mark.skipif(compiled.newton is None, reason="no compiler was at hand")
@pytest.mark.parametrize("code", [[4, 0], [0, 7], [3, 3], [99, 0], [10, 40], [3, 0, 3, 0], [3, -1], [3], []])
def test_programs_that_are_not_sound_are_refused(code, monkeypatch):
    problem = CASES["Bratu"]
    layout, start = begun(problem)
    ((sound, values),) = Operator(problem).programs
    broken = replace(sound, codes=np.array(code, dtype=np.int32))
    monkeypatch.setattr(Operator, "programs", [(broken, values)])
    with pytest.raises(ValueError, match="fit together"):
        converged_on(Operator(problem), layout, start, 1e-6, 25)


def test_without_a_compiled_core_nonlinear_problems_are_solved_as_well(monkeypatch):
    fast = solve(CASES["shock"], 1e-8)
    monkeypatch.setattr(compiled, "newton", None)
    monkeypatch.setattr(compiled, "solve", None)
    plain = solve(CASES["shock"], 1e-8)
    assert fast.status == plain.status == "converged"
    x = np.linspace(0, 1, 101)
    assert np.abs(fast(x) - plain(x)).max() <= fast.error + plain.error
