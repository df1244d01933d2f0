"""Members solved side by side are those that solve gives, each with its own gates, or they are solved one by one."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import gated_xtfc as gx
from gated_xtfc import InputError, Problem, solve, solve_many
from gated_xtfc.core import compiled
from gated_xtfc.solver.interval.batch import BatchFamily

LINE = {"x": (0, 1)}
ENDS = ["u(0) = 0", "u(1) = 1"]
LAYER = Problem("u' - nu*u'' = 0", LINE, ENDS, exact="(exp((x-1)/nu) - exp(-1/nu))/(1 - exp(-1/nu))", nu=1e-4)
FAMILIES = {
    "outflow": LAYER,
    "two layers, a source": Problem("-nu*u'' + u = 1 + x*x*a", LINE, ENDS, nu=1e-4, a=1),
    "drift and decay": Problem("-nu*u'' + a*u' + 2*u = x", {"x": (-1, 2)}, ["u(-1) = 1", "u'(2) = 0"], nu=1e-3, a=1),
    "Robin": Problem("-nu*u'' + u' = 1", LINE, ["u(0) - 2*u'(0) = 0", "u(1) + 3*u'(1) = 1"], nu=1e-3),
    "beam": Problem("nu*u'''' - u'' = 1", LINE, ["u(0) = 0", "u(1) = 0", "u'(0) = 0", "u'(1) = 0"], nu=1e-4),
    "system": Problem(["u' = v", "nu*v' = u - x"], LINE, ["u(0) = 1", "u(1) = 0"], nu=1e-4),
    "first order": Problem("nu*u' + u = x", LINE, ["u(0) = 1"], nu=1e-2),
}
ONE_BY_ONE = {
    "a varying coefficient": Problem("nu*u'' + (x - 0.4)*u' = 0", LINE, ENDS, nu=1e-3),
    "a text to be read": Problem("u' - nu*u'' = exp(-((x - 0.3)/nu)^2)", LINE, ENDS, nu=1e-2),
    "a parameter in a condition": Problem("u' - nu*u'' = 0", LINE, ["u(0) = nu", "u(1) = 1"], nu=1e-2),
    "a parameter in the domain": Problem("u' - 0.01*u'' = 0", {"x": (0, "nu")}, ["u(0) = 0", "u'(0) = 1"], nu=1),
    "nonlinear": Problem("nu*u'' - u - u^3 = 1", LINE, ENDS, nu=1e-1),
    "a function": Problem(lambda x, u, nu: u.x - nu * u.xx, LINE, ENDS, nu=1e-2),
}
needs_core = pytest.mark.skipif(compiled.solve is None, reason="there is no compiled core on this machine")
VALUES = np.logspace(-7, -1, 13)


@needs_core
@pytest.mark.parametrize("name", FAMILIES)
def test_members_side_by_side_are_those_that_solve_gives(name):
    problem = FAMILIES[name]
    assert BatchFamily.of(problem, ("nu",)) is not None
    found = solve_many(problem, {"nu": VALUES}, 1e-8)
    assert found.converged.all()
    for nu, one in zip(VALUES, found, strict=True):
        alone = solve(problem(nu=nu), 1e-8)
        assert one.problem == alone.problem
        assert one.error <= 1e-8
        assert [gate.location for gate in one.gates] == [gate.location for gate in alone.gates]
        assert [gate.thickness for gate in one.gates] == pytest.approx(
            [gate.thickness for gate in alone.gates], rel=1e-9
        )
        x = alone.points(101)
        for field, scale in zip(problem.fields, alone.scales, strict=True):
            assert np.abs(one[field](x) - alone[field](x)).max() <= (one.error + alone.error) * scale


@needs_core
def test_every_member_is_within_its_estimate():
    found = solve_many(LAYER, {"nu": 10 ** np.random.default_rng(1).uniform(-8, -1.3, 300)}, 1e-8)
    assert found.converged.all()
    for one in found[::7]:
        assert one.true_error() <= one.error <= 1e-8


@needs_core
def test_a_member_does_not_depend_on_its_neighbours():
    values = np.logspace(-6, -2, 31)
    together = solve_many(LAYER, {"nu": values})
    for k in (0, 8, 30):
        alone = solve_many(LAYER, {"nu": values[k]})[0]
        assert np.abs(together[k](np.linspace(0, 1, 51)) - alone(np.linspace(0, 1, 51))).max() <= 2e-8


@needs_core
def test_threads_change_no_bit():
    values = np.logspace(-6, -2, 1200)
    one, two = (solve_many(LAYER, {"nu": values}, threads=n) for n in (1, 2))
    np.testing.assert_array_equal(one.error, two.error)
    assert one[700](0.99) == two[700](0.99)


def test_different_problems_in_eight_threads_have_the_bits_of_one():
    problems = [problem(nu=nu) for problem in (*FAMILIES.values(), ONE_BY_ONE["nonlinear"]) for nu in (0.2, 1e-2)]

    def bits(problem):
        solution = solve(problem)
        (axis,) = problem.axes
        return solution.error, solution[problem.fields[0]](np.linspace(axis.left, axis.right, 33)).tobytes()

    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(bits, problems * 3))
    assert together == list(map(bits, problems)) * 3


@pytest.mark.parametrize("name", ONE_BY_ONE)
def test_other_families_are_solved_one_by_one(name):
    problem = ONE_BY_ONE[name]
    assert BatchFamily.of(problem, ("nu",)) is None
    values = [0.5, 0.25]
    found = solve_many(problem, {"nu": values}, 1e-6)
    assert found.status.tolist() == [solve(problem(nu=nu), 1e-6).status for nu in values]


def test_without_a_compiled_core_members_are_solved_one_by_one(monkeypatch):
    monkeypatch.setattr(compiled, "solve", None)
    found = solve_many(LAYER, {"nu": [1e-3, 1e-2]})
    assert found.converged.all()


@needs_core
def test_what_the_core_does_not_certify_goes_on_to_solve():
    # an eigenvalue among the members, waves, and a layer thinner than the numbers
    waves = Problem("u'' + k*u = 1", LINE, ["u(0) = 0", "u(1) = 0"], k=1)
    found = solve_many(waves, {"k": [1.0, np.pi**2, 1e4, -1e4]}, 1e-8)
    assert found.status.tolist() == ["converged", "nearly singular", "converged", "converged"]
    thin = solve_many(LAYER, {"nu": [1e-4, 1e-17, -1e-3]}, 1e-6)
    assert thin.status.tolist() == [solve(LAYER(nu=nu), 1e-6).status for nu in (1e-4, 1e-17, -1e-3)]


def test_several_parameters_make_every_combination():
    problem = FAMILIES["two layers, a source"]
    found = solve_many(problem, {"nu": [1e-2, 1e-3], "a": [0, 1, 2]})
    assert len(found) == 6
    assert found[5].problem.parameters == {"nu": 1e-3, "a": 2.0}
    assert [one.problem.parameters["a"] for one in found[-3:]] == [0.0, 1.0, 2.0]
    assert repr(found) == "Solutions(6 members over nu, a; 6 converged)"


def test_a_member_is_saved_and_drawn_like_any_solution(tmp_path):
    one = solve_many(LAYER, {"nu": [1e-3, 1e-4]})[1]
    one.save(tmp_path / "member.npz")
    back = gx.load(tmp_path / "member.npz")
    x = one.points(77)
    np.testing.assert_array_equal(back(x), one(x))
    assert np.abs(one.residual(x)).max() < 1e-2
    assert set(one.errors) == {0, 1, 2}
    one.plot(tmp_path / "member.png")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ((LAYER, {"mu": [1.0]}), 'the problem has no parameter "mu"'),
        ((LAYER, {"nu": []}), "no points"),
        ((LAYER, {"nu": [np.nan]}), "finite"),
        ((LAYER, {"nu": [1e-3]}, -1.0), "tol is"),
        ((LAYER, {"nu": [1e-3, 0.0]}), "the leading coefficient"),
        (("u' = 0", {"nu": [1e-3]}), "takes a Problem"),
    ],
)
def test_what_cannot_be_used_is_refused(given, told):
    with pytest.raises(InputError, match=told):
        solve_many(*given)


def test_threads_are_a_whole_number():
    with pytest.raises(InputError, match="threads is 0"):
        solve_many(LAYER, {"nu": [1e-3]}, threads=0)
