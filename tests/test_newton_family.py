"""Members that are not linear and that the compiled core begins at once are those that are begun step by step."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from gated_xtfc import Problem, solve
from gated_xtfc.core import compiled
from gated_xtfc.solver.adapt import Limits, begin
from gated_xtfc.solver.interval.element_space import MISSED, ElementDiscretisation, missed
from gated_xtfc.solver.interval.elements import nonlinear_degree
from gated_xtfc.solver.interval.newton_family import NewtonFamily, begun_at_once
from gated_xtfc.solver.spaces import space_of
from gated_xtfc.solver.tolerance import Tolerance

pytestmark = pytest.mark.skipif(compiled.nonlinear is None, reason="there is no compiled core on this machine")
LIMITS = Limits(50_000, 14, 2_000, 4e9)
LINE, ENDS = {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"]
CONDITIONS = (
    ENDS,
    ["u(0) - nu*u'(0) = 2", "u(1) + 3*u'(1) = -1"],
    ["u'(0) = 1", "u(1) = 0"],
    ["u(0) = 1", "u(0) + 2*u'(0) = 3"],
)
TEXTS = (
    "u'' + nu*exp(u) = 0",
    "nu*u'' - sinh(u) = 0",
    "nu*u'' + u*u' - u = 0",
    "nu*u'' + u' + u^2 = 0",
    "nu*u'' + (u')^2 = 1",
    "nu*u'' + (x - 0.5)*u' - u^3 = x",
    "u'' = nu/(1 + u^2)",
)


TIED = ["u(0) = 0", "u(1) = 1", "v(0) = 0", "v(1) = 1"]
SYSTEMS = (  # and one equation of higher order
    (
        ["nu*f'''' + f*f''' + g*g' = 0", "nu*g'' + f*g' - f'*g = 0"],
        ["f(0) = 0", "f'(0) = 0", "f(1) = 0", "f'(1) = 0", "g(0) = -1", "g(1) = 1"],
    ),
    (
        ["z' = sin(a)", "a' = M", "nu*M' = -Q", "nu*Q' = (z - 1)*cos(a) - M*(1/cos(a) + nu*Q*tan(a))"],
        ["z(0) = 0", "M(0) = 0", "z(1) = 0", "M(1) = 0"],
    ),
    (["nu*u'' - u - v^2 = 0", "v'' - v + u*v = 1"], TIED),
    (["u'' + 0.3*v'' - u^2 = 0", "nu*v'' + 0.1*u'' - v*u - v = x"], TIED),
    (["nu*u'' + v' = 0", "v'' - u*u' + v = 0"], [*TIED[:2], "v(0) + 2*v'(0) = 0", "v(1) = 1"]),
    ("nu*u''' + u'' - u*u' = 0", ["u(0) = 0", "u'(0) = 1", "u(1) = 1"]),
    ("nu*u''' - u' - u^2 = 0", ["u(0) = 0", "u(1) = 1", "u'(1) = 0"]),
    ("nu*u'''' - u'*u'' + u*u''' = 0", ["u(0) = 0", "u'(0) = 0", "u(1) = 1", "u'(1) = 0"]),
    ("nu*u'''' - u'' + u^3 = 1", ["u(0) = 0", "u'(0) = 0", "u(1) = 1", "u'(1) = 0"]),
)


def coupled(seed):
    """First-order equations whose modes are a few rates in a random basis."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 8))
    rates = 10 ** rng.uniform(-1, 4, count) * rng.choice([-1.0, 1.0], count)
    basis = np.linalg.qr(rng.standard_normal((count, count)))[0] @ np.diag(10 ** rng.uniform(-1, 1, count))
    matrix = basis @ np.diag(rates) @ np.linalg.inv(basis)
    rows = [" + ".join(f"({a!r})*y{j}" for j, a in enumerate(row)) for row in matrix.tolist()]
    texts = [f"y{i}' = {row} + 0.1*y{i}^2" for i, row in enumerate(rows)]
    return Problem(texts, LINE, [f"y{i}({int(rate > 0)}) = 1" for i, rate in enumerate(rates)])


def problems():
    found = [Problem(text, LINE, CONDITIONS[0], nu=nu) for text in TEXTS for nu in (1.0, 1e-1, 1e-2, 1e-4)]
    found += [Problem(text, LINE, own, nu=0.3) for text in TEXTS[1:5] for own in CONDITIONS[1:]]
    found += [Problem("nu*u' + u^2 = x", LINE, [ENDS[0]], nu=nu) for nu in (1.0, 1e-2)]
    found += [Problem(texts, LINE, own, nu=nu) for texts, own in SYSTEMS for nu in (1.0, 1e-1, 1e-2, 1e-4)]
    return found + [coupled(seed) for seed in range(12)]


def step_by_step(problem, tol, tolerance=None):
    """The same by the steps that spaces have."""
    space = space_of(problem, tol, tolerance)
    elements = ElementDiscretisation(space, nonlinear_degree(tol, max(problem.order.values())))
    coordinates, start = begin(elements, tol)
    layout = elements.lay_out(coordinates)
    return (
        elements,
        coordinates,
        elements.converged_on(layout, elements.iterate(layout, start), tol, LIMITS.steps, np.inf),
    )


@pytest.mark.parametrize("number", range(len(problems())))
def test_at_once_and_step_by_step_find_the_same(number):
    problem = problems()[number]
    for tol, tolerance in ((1e-3, None), (1e-8, None), (1e-6, Tolerance.of(problem, 1e-6, 1e-9))):
        fast = begun_at_once(problem, tolerance, tol, LIMITS)
        if fast is None:
            continue
        elements, ((coordinate,),), slow = step_by_step(problem, tol, tolerance)
        assert len(fast.gates) == len(coordinate.layers)
        for mine, theirs in zip(fast.coordinate.layers, coordinate.layers, strict=True):
            assert mine.location == pytest.approx(theirs.location, rel=1e-14, abs=1e-16)
            assert mine.thickness == pytest.approx(theirs.thickness, rel=1e-12)
            assert mine.grading == theirs.grading
        assert (fast.coefficients is not None) == slow.converged
        assert fast.steps == slow.steps
        if not slow.converged:
            continue
        fit, one = slow.found, fast.certificate
        other = fit.certificate
        assert (fast.neurons, fast.sites) == (fit.neurons, fit.sites)
        np.testing.assert_allclose(fast.elements.length, fit.layout.elements.length, rtol=1e-10, atol=1e-13)
        amplified = 1e-15 * max(1.0, one.stability)
        assert np.abs(fast.coefficients - fit.shapes).max() <= 1e3 * amplified * np.abs(fit.shapes).max()
        assert np.abs(fast.known[0] - fit.known[0]).max() <= 1e3 * amplified * np.abs(fit.known[0]).max()
        assert one.error == pytest.approx(other.error, rel=1e-3, abs=300 * amplified)
        left = missed(elements.linearise(fit.layout, fit.iterate), fit).max()
        if one.error <= tol:
            assert fast.leaps == (left > MISSED or elements.steps_over(fit, one))
        assert one.stability == pytest.approx(other.stability, rel=1e-6)
        assert one.scales == pytest.approx(other.scales, rel=1e-9)
        assert fast.sizes == pytest.approx(fit.sizes, rel=1e-9)


def test_most_of_these_are_begun_at_once():
    assert sum(begun_at_once(one, None, 1e-8, LIMITS) is not None for one in problems()) > 0.9 * len(problems())


@pytest.mark.parametrize("number", range(0, len(problems()), 3))
def test_solutions_are_those_without_it(number, monkeypatch):
    problem = problems()[number]
    found = solve(problem, 1e-7)
    monkeypatch.setattr(compiled, "nonlinear", None)
    other = solve(problem, 1e-7)
    x = np.linspace(0, 1, 101)
    assert (found.status, found.neurons) == (other.status, other.neurons)
    assert found.message.partition(";")[2] == other.message.partition(";")[2]
    assert [entry.steps for entry in found.history] == [entry.steps for entry in other.history]
    rounding = max((entry.rounding for one in (found, other) for entry in one.history[-1:]), default=0.0)
    assert found.error == pytest.approx(other.error, rel=1e-2, abs=1e-11 + 2 * rounding)
    for name in problem.fields:
        mine, theirs = found[name](x), other[name](x)
        assert np.abs(mine - theirs).max() <= 10 * (found.error + 1e-13) * np.abs(theirs).max()


@pytest.mark.parametrize(
    ("text", "conditions"),
    [
        ("u'' + sin(60*x)*u^2 = 1", ENDS),  # a function of the coordinate may hide something
        ("u'' + u^2 = 1", ["u(0) = 0", "integral(u) = 1"]),
        ("x*u'' - u^2 = 1", ENDS),  # singular at an end
        ("nu*u'' + u + u^2 = 1", ENDS),  # waves
        ("nu*u'' + u = 1", ENDS),  # linear
    ],
)
def test_what_is_for_others_is_left_to_them(text, conditions):
    problem = Problem(text, LINE, conditions, nu=1e-5) if "nu" in text else Problem(text, LINE, conditions)
    assert begun_at_once(problem, None, 1e-8, LIMITS) is None


def test_a_switch_along_the_solution_is_not_handed_over_unseen():
    problem = Problem("u'' = 2*abs(u - 0.3)", LINE, ENDS)
    assert begun_at_once(problem, None, 1e-6, LIMITS).leaps
    found = solve(problem, 1e-6)
    assert found.converged
    assert found.breaks  # where u passes 0.3
    smooth = Problem("u'' = 2*abs(u + 0.3)", LINE, ["u(0) = 2", "u(1) = 3"])
    assert not begun_at_once(smooth, None, 1e-6, LIMITS).leaps


def test_an_argument_that_leaps_is_seen():
    for text, leaps in (("tanh(2*u)", False), ("tanh(400*(u - 0.5))", True), ("1/(1 + 1e5*(u - 0.5)^2)", False)):
        problem = Problem(f"u'' = 0.01*{text}", LINE, ENDS)
        assert begun_at_once(problem, None, 1e-3, LIMITS).leaps == leaps, text


@pytest.mark.parametrize(("beside", "leaps"), [(1.5, False), (1.0001, True), (1 - 1e-7, True)])
def test_a_switch_whose_argument_may_dip_to_zero_between_points_is_seen(beside, leaps):
    """u is 4 x (x - 1), with its lowest value, -1, in the middle."""
    problem = Problem("u'' = 8 + 1e-9*where(u + c > 0, u, -u)", LINE, ["u(0) = 0", "u(1) = 0"], c=beside)
    assert begun_at_once(problem, None, 1e-3, LIMITS).leaps == leaps


def test_a_family_is_read_once_and_shared_by_its_members():
    problem = Problem("u'' + k*exp(u) = 0", LINE, ENDS, k=1)
    assert NewtonFamily.of(problem) is NewtonFamily.of(problem(k=2))
    assert solve(problem(k=2))(0.5) > solve(problem(k=1))(0.5)


def test_what_it_may_take_is_asked_first():
    problem = Problem("u'' + k*exp(u) = 0", LINE, ENDS, k=1)
    assert begun_at_once(problem, None, 1e-8, Limits(5, 14, 2_000, 4e9)) is None
    assert not solve(problem, max_seconds=1e-9).converged
    told = []
    found = solve(problem, progress=told.append)
    assert told == list(found.history)


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e308, -1e308, 5e-324, 0.0])
@pytest.mark.parametrize(
    ("texts", "conditions"),
    [
        ("k*u'' + exp(k*u) = u^3/k", ENDS),
        (["k*u'' - k*v' + u^2/k = 0", "v'' + k*u' - k*v = exp(k*u)"], TIED),
        ("k*u'''' + u'' - k*u^2 = 0", [*ENDS, "u'(0) = 0", "u'(1) = 0"]),
    ],
)
def test_numbers_that_are_not_sane_do_no_harm(texts, conditions, value):
    family = NewtonFamily.of(Problem(texts, LINE, conditions, k=1.0))
    problem = Problem(texts, LINE, conditions, k=1.0)
    for equation in problem.equations:
        equation.parameters = {"k": value}
    begun = family.begun(problem, 1e-8, None, LIMITS)
    assert begun is None or not begun.converged(1e-8) or np.isfinite(begun.coefficients).all()


def test_threads_begin_side_by_side():
    problem = Problem("nu*u'' + u' + u^2 = 0", LINE, ENDS, nu=1.0)
    values = np.geomspace(1e-3, 1.0, 24)
    alone = [solve(problem(nu=nu), 1e-8)(0.1) for nu in values]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda nu: solve(problem(nu=nu), 1e-8)(0.1), values))
    assert together == alone
