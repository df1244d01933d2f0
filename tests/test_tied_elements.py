"""Elements with conditions anywhere, integrals, jumps and unknown constants: as kernels have it, and as the twin."""

import numpy as np
import pytest

from gated_xtfc import Problem, load, solve
from gated_xtfc.core import compiled
from gated_xtfc.discretise.element_sum import ElementSum
from gated_xtfc.operator.linearise import Operator
from gated_xtfc.solver.adapt import Limits
from gated_xtfc.solver.discretisation import Iterate
from gated_xtfc.solver.interval.discretisation import IntervalDiscretisation, jets_of
from gated_xtfc.solver.interval.element_fit import fit_elements
from gated_xtfc.solver.interval.element_layout import elements_on
from gated_xtfc.solver.interval.element_newton import linearised
from gated_xtfc.solver.interval.elements import attempt_elements
from gated_xtfc.solver.interval.node_places import moved_to
from gated_xtfc.solver.interval.tied_layout import TiedLayout, layout_of
from gated_xtfc.solver.strategy import Settings

LINE = {"x": (0, 1)}
CASES = {
    "source to find": Problem(
        "-nu*u'' + u = c", LINE, ["u(0) = 0", "u(1) = 0", "integral(u) = 1"], unknown="c", nu=1e-4
    ),
    "end to find": Problem("-nu*u'' + u' = x", LINE, ["u(0) = 0", "u(1) = c", "u'(1) = 2"], unknown="c", nu=0.1),
    "two constants": Problem(
        "u'' = a*x + b*exp(x)", LINE, ["u(0) = 0", "u(1) = 0", "u(1/3) = 1", "integral(x*u) = 2"], unknown=["a", "b"]
    ),
    "multipoint": Problem("nu*u''' + u'' = 2", LINE, ["u(0) = 0", "u(0.4) = 1", "u(1) = 0"], nu=1e-3),
    "close to a layer": Problem(
        "nu*u''' + u'' = x", LINE, ["u(0) = 0", "u(1e-4) = u(1)", "u'(0.7) = 1"], nu=1e-3
    ),
    "integral": Problem("-nu*u'' + u' = 1", LINE, ["u(0) = 0", "integral(u*cos(5*x)) + u(0.5) = 1"], nu=1e-3),
    "two integrals": Problem("u'' + u' = x", LINE, ["integral(u) = 1", "integral(x*u + u') = u(1)"]),
    "periodic": Problem("-nu*u'' + u = exp(sin(2*pi*x))", LINE, ["u(0) = u(1)", "u'(0) = u'(1)"], nu=1e-3),
    "antiperiodic system": Problem(
        ["u' = v + x", "nu*v' = u - v"], LINE, ["u(0) = -u(1)", "v(0) + v(1) = 1"], nu=1e-2
    ),
    "point source": Problem("-nu*u'' + u = delta(x - 0.3)", LINE, ["u(0) = 0", "u(1) = 0"], nu=1e-3),
    "jumps": Problem(
        "-nu*u'' + u = 1", LINE, ["u(0) = 0", "u(1) = 0", "jump(u, 0.4) = 1", "jump(u', 0.4) = 3"], nu=1e-3
    ),
    "jump and integral": Problem("u'' - u = x", LINE, ["u(0) = 0", "integral(u) = 1", "jump(u, 0.4) = 2"]),
    "one element or two": Problem("u' + u = c", LINE, ["u(0) = 1", "u(1) = u(0)"], unknown="c"),
}  # fmt: skip
NONLINEAR = {
    "eigenvalue": (
        Problem("-u'' = lam*u", LINE, ["u(0) = 0", "u(1) = 0", "u'(0) = 1"], unknown="lam"),
        {"u": "sin(pi*x)/pi", "lam": 9.0},
    ),
    "normalised": (
        Problem("-u'' = lam*(1 + x)*u", LINE, ["u(0) = 0", "u(1) = 0", "integral(u^2) = 1"], unknown="lam"),
        {"u": "1.4*sin(pi*x)", "lam": 7.0},
    ),
    "radiation": (Problem("u'' + exp(u) = 0", LINE, ["u(0) = 0", "u'(1) = 1 - u(1)^4"]), None),
    "parameter from a mean": (
        Problem("nu*u'' + u*u' = a", LINE, ["u(0) = 1", "u(1) = 2", "integral(u) = 1.6"], unknown="a", nu=0.1),
        None,
    ),
    "period": (
        Problem(
            ["u' = T*v", "v' = T*((1 - u^2)*v - u)"], LINE, ["u(0) = u(1)", "v(0) = v(1)", "v(0) = 0"], unknown="T"
        ),
        {"u": "2*cos(2*pi*x)", "v": "-2*sin(2*pi*x)", "T": 6.6},
    ),
    "product over a distance": (Problem("u'' = -u^2 + x", LINE, ["u(0)*u(1/2) = 0.2", "u(1) = 1"]), None),
}  # fmt: skip

SYSTEMS = {
    "system": Problem(["u' = v", "nu*v' = u - sin(x)"], LINE, ["u(0) = 1", "u(1) = 0"], nu=1e-6),
    "mixed orders": Problem(
        ["nu*u'' - u = v", "v' + v = u + x"], LINE, ["u(0) = 1", "u(1) = 0", "v(0) = u(0)"], nu=1e-4
    ),
    "beam": Problem("nu*u'''' - u'' = 1", LINE, ["u(0) = 0", "u(1) = 0", "u'(0) = 0", "u''(1) = 1"], nu=1e-4),
}

needs_core = pytest.mark.skipif(compiled.solve_tied is None, reason="there is no compiled core on this machine")


def tied_layout(problem: Problem, degree: int = 12) -> TiedLayout:
    space = IntervalDiscretisation.to(problem, 1e-8)
    (coordinates,) = space.predict(1e-8, None if problem.linear else space.default_start())
    layout = layout_of(problem, coordinates, elements_on(coordinates, sum(problem.order.values()) > 2), degree)
    assert isinstance(layout, TiedLayout)
    return layout


def by_kernels(problem, monkeypatch, guess=None, tol=1e-11):
    with monkeypatch.context() as patch:
        patch.setattr("gated_xtfc.solver.attempts.attempt_elements", lambda *_: None)
        return solve(problem, tol, guess=guess)


def assert_agree(problem, fast, kernels):
    assert isinstance(fast.function, ElementSum)
    assert fast.converged
    assert kernels.error <= 1e-9
    x = np.union1d(fast.points(301), np.linspace(0, 1, 101))
    x = x[~np.isin(x, fast.breaks)]
    for field, scale in zip(problem.fields, fast.scales, strict=True):
        assert np.abs(fast[field](x) - kernels[field](x)).max() / scale <= fast.error + kernels.error
    for one, other in zip(fast.values, kernels.values, strict=True):
        assert abs(one - other) <= (fast.error + kernels.error) * max(1.0, abs(one))


@pytest.mark.parametrize("name", CASES)
def test_elements_agree_with_kernels_wherever_conditions_stand(name, monkeypatch):
    assert_agree(CASES[name], solve(CASES[name], 1e-8), by_kernels(CASES[name], monkeypatch))


@pytest.mark.parametrize("name", NONLINEAR)
def test_nonlinear_conditions_and_constants_agree_with_kernels(name, monkeypatch):
    problem, guess = NONLINEAR[name]
    assert_agree(problem, solve(problem, 1e-8, guess=guess), by_kernels(problem, monkeypatch, guess))


@needs_core
@pytest.mark.parametrize("degree", [9, 14])
@pytest.mark.parametrize("name", [*CASES, *NONLINEAR])
def test_the_core_agrees_with_its_twin_about_conditions(name, degree, monkeypatch):
    problem = CASES[name] if name in CASES else NONLINEAR[name][0]
    layout, operator, space = tied_layout(problem, degree), Operator(problem), IntervalDiscretisation.to(problem, 1e-8)
    guess = None if problem.linear else NONLINEAR[name][1]
    start = space.default_start() if guess is None else space.start_from_guess(guess)
    jets, constants = jets_of(problem, layout.points, start), np.array(start.constants)
    sight = layout.sight(lambda f, x, j: start.about(f, (x,), (j,)), jets, constants)
    here = Iterate(tuple(own[0,] for own in jets), jets, constants, sight)
    linear = operator.evaluate(layout.points) if problem.linear else linearised(operator, layout, here)
    fast = fit_elements(layout, linear)
    monkeypatch.setattr(compiled, "solve_tied", None)
    slow = fit_elements(layout, linear)
    one, other = fast.certificate, slow.certificate
    amplified = 1e-15 * max(1.0, other.stability)
    gap = np.abs(fast.shapes - slow.shapes).max(axis=(0, 2))
    assert (gap <= 1e3 * amplified * np.maximum(other.scales, np.abs(slow.shapes).max(axis=(0, 2)))).all()
    np.testing.assert_allclose(fast.constants, slow.constants, rtol=1e3 * amplified, atol=1e3 * amplified)
    assert one.stability == pytest.approx(other.stability, rel=1e-6)
    assert one.unresolved == pytest.approx(other.unresolved, rel=1e-3, abs=1e-9)
    assert one.scales == pytest.approx(other.scales, rel=1e-9)
    assert one.error == pytest.approx(other.error, rel=0.02, abs=300 * amplified)
    of_constants = 300 * amplified * np.maximum(1.0, np.abs(slow.constants))  # rounding is relative to each
    assert (
        np.abs(np.subtract(fast.constant_errors, slow.constant_errors))
        <= of_constants + 0.02 * np.array(slow.constant_errors)
    ).all()
    np.testing.assert_allclose(one.shares[0], other.shares[0], rtol=0.02, atol=1e4 * amplified)


@pytest.mark.parametrize("name", [*CASES, *NONLINEAR])
def test_conditions_anywhere_hold_to_rounding(name):
    problem, guess = (CASES[name], None) if name in CASES else NONLINEAR[name]
    solution = solve(problem, 1e-8, guess=guess)
    for condition in problem.conditions:
        if condition.integrals:
            continue
        parts = [t.weight * solution[t.field](t.point, t.order) for t in condition.terms]
        parts += [weight * solution.unknown_values[which] for which, weight in condition.constants]
        assert abs(sum(parts) - condition.value) <= 1e-13 * max(map(abs, (*parts, condition.value, 1.0)))


@pytest.mark.parametrize("name", [*CASES, "eigenvalue", "radiation", "period"])
def test_without_a_core_conditions_anywhere_are_solved_as_well(name, monkeypatch):
    problem, guess = (CASES[name], None) if name in CASES else NONLINEAR[name]
    fast = solve(problem, 1e-8, guess=guess)
    monkeypatch.setattr(compiled, "solve_tied", None)
    slow = solve(problem, 1e-8, guess=guess)
    assert (slow.status, slow.neurons, slow.rounds) == (fast.status, fast.neurons, fast.rounds)


FREE = {
    "a length": (
        Problem("u'' + u = 0", {"x": (0, "L")}, ["u(0) = 0", "u'(0) = 1", "u(L) = 0"], unknown="L"),
        {"u": "sin(x)", "L": 3},
    ),
    "both ends": (
        Problem(
            "u'' + u = x", {"x": ("a", "a + L")},
            ["u(a) = 0", "u'(a) = 2", "u(a + L) = 2 + sin(2)", "u'(a + L) = 1 + cos(2)"], unknown=["a", "L"],
        ),
        {"u": "x", "a": 0.2, "L": 1.7},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FREE)
def test_ends_that_are_unknown_are_found_on_elements(name, monkeypatch, tmp_path):
    problem, guess = FREE[name]
    fast, slow = solve(problem, 1e-8, guess=guess), by_kernels(problem, monkeypatch, guess)
    assert isinstance(fast.function, ElementSum)
    assert fast.converged
    np.testing.assert_allclose(fast.values, slow.values, rtol=1e-8, atol=1e-8)
    x = fast.points(101)[1:-1]
    assert np.abs(fast(x) - slow(x)).max() <= (fast.error + slow.error) * fast.scales[0]
    assert np.abs(fast(x, 1) - slow(x, 1)).max() <= 1e-7
    fast.save(tmp_path / "free.npz")
    np.testing.assert_array_equal(load(tmp_path / "free.npz")(x), fast(x))


def random_statement(seed):
    """u = a sin(b x) + d exp(-x/e) and a constant, from conditions of random kinds at random places."""
    random = np.random.default_rng(seed)
    a, b, d, e, c = random.uniform(0.5, 2), random.uniform(1, 8), random.uniform(0.2, 1), random.uniform(0.02, 0.5), 1.7
    lead, p, q = 10 ** random.uniform(-2, 0), random.uniform(-2, 2), random.uniform(-2, 2)

    def u(x, order=0):
        turned = np.sin(b * x + order * np.pi / 2)
        return a * b**order * turned + d * (-1 / e) ** order * np.exp(-x / e)

    texts = [f"({a * b**k})*sin({b}*x + {k * np.pi / 2}) + ({d * (-1 / e) ** k})*exp(-x/{e})" for k in range(3)]
    right = f"{lead}*({texts[2]}) + ({p})*({texts[1]}) + ({q})*({texts[0]}) + {c}*cos(3*x)"
    nodes, weights = np.polynomial.legendre.leggauss(80)
    x, conditions = 0.5 * (1 + nodes), []
    for _ in range(3):
        near, far = np.round(random.uniform(0, 1, 2), 2)
        kind = random.integers(4)
        if kind == 0:
            conditions.append(f"u({near}) = {u(near)!r}")
        elif kind == 1:
            conditions.append(f"u'({near}) - u({far}) = {u(near, 1) - u(far)!r}")
        elif kind == 2:
            conditions.append(f"integral(x*u) + u({far}) = {float(0.5 * weights @ (x * u(x))) + u(far)!r}")
        else:
            conditions.append(f"u({near}) + 0.3*c = {u(near) + 0.3 * c!r}")
    text = f"{lead}*u'' + ({p})*u' + ({q})*u + c*cos(3*x) = {right}"
    return (
        Problem(
            text.replace("np.float64", ""), LINE, [one.replace("np.float64", "") for one in conditions], unknown="c"
        ),
        u,
        c,
    )


def test_random_statements_are_within_their_estimates():
    served = 0
    for seed in range(24):
        problem, exact, constant = random_statement(seed)
        solution = solve(problem, 1e-7)
        x = np.linspace(0, 1, 301)
        if not solution.converged:
            continue
        assert np.abs(solution(x) - exact(x)).max() <= solution.error * solution.scales[0]
        if isinstance(solution.function, ElementSum):
            assert abs(solution.values[0] - constant) <= solution.error * constant
            served += 1
    assert served >= 16


@pytest.mark.parametrize("unit", ["1e-20", "1e-10", "1", "1e15"])
def test_constants_in_any_unit_are_the_same(unit):
    ends = ["u(0) = 0", f"u(1) = {unit}", f"integral(u) = {unit}"]
    solution = solve(Problem(f"{unit}*u'' = c", LINE, ends, unknown="c"), 1e-8)
    assert isinstance(solution.function, ElementSum)
    assert solution.values[0] / float(unit) ** 2 == pytest.approx(-6, abs=1e-10)


def test_what_is_not_isolated_is_left_to_kernels_to_judge():
    double = Problem("-u'' = lam*u", LINE, ["u(0) = u(1)", "u'(0) = u'(1)", "u(0) = 1"], unknown="lam")
    still = ["u(0) = u(1)", "w(0) = w(1)", "u(0) = 0.5"]
    cases = [
        (double, {"u": "cos(2*pi*x)", "lam": 39.0}),
        (Problem(["u' = T*(1 - u)", "w' = T*(u - w)"], LINE, still, unknown="T"), {"u": "0.5", "w": "0.3", "T": 0.01}),
        (Problem("u'' = a + b", LINE, ["u(0) = 0", "u(1) = 1", "u(0.5) = 2", "u'(0) = 1"], unknown=["a", "b"]), None),
        (Problem("u'' = 1", LINE, ["u'(0) = 0", "integral(u') = u(1) - u(0)"]), None),
        (Problem("u'' + (2*pi)^2*u = sin(2*pi*x)", LINE, ["u(0) = u(1)", "u'(0) = u'(1)"]), None),
        (Problem("u'' = x - 0.5", LINE, ["u'(0) = 0", "u'(1) = 0"]), None),
    ]
    settings = Settings(1e-6, Limits(10_000, 14, 100, 1e9))
    for problem, guess in cases:
        space = IntervalDiscretisation.to(problem, 1e-6)
        start = None if guess is None else space.start_from_guess(guess)
        assert attempt_elements(space, None, start, settings) is None


def test_a_place_close_to_another_one_makes_no_sliver():
    ends = ["u(0) = 0", "u(0.4) = 1", "u(0.4000001) = 1.0000001", "u(1) = 3"]
    length = tied_layout(Problem("u'''' = 1", LINE, ends)).elements.length
    assert np.maximum(length[1:] / length[:-1], length[:-1] / length[1:]).max() <= 200
    again = tied_layout(Problem("u''' = u", LINE, ["u(0) = 0", "u(0.399) = 1", "u(0.425) = 2"]))
    cut = moved_to(again.elements, [0.399, 0.425], [])
    np.testing.assert_array_equal(cut.length, again.elements.length)


def test_systems_of_many_fields_are_evaluated_with_what_each_equation_has(monkeypatch):
    count = 40
    texts = [f"u{k}' = sin(u{(k + 1) % count})*u{k} + a*u{(k + 7) % count} + x" for k in range(count)]
    ends = [f"u{k}({k % 2}) = 1" for k in range(count)]
    problem = Problem(texts, LINE, [*ends, "u0(0.5) = 1"], unknown="a")
    x = np.linspace(0, 1, 50)
    jets = [{(0,): np.cos(k + x), (1,): -np.sin(k + x)} for k in range(count)]
    fast = Operator(problem).at((x,), jets, [0.3])
    monkeypatch.setattr(Operator, "sparse_programs", None)
    slow = Operator(problem).at((x,), jets, [0.3])
    assert slow.packed is None
    assert (fast.packed is None) == (compiled.linearise is None)
    np.testing.assert_allclose(fast.stacked, slow.stacked, rtol=1e-13, atol=1e-13)


@needs_core
@pytest.mark.parametrize("name", SYSTEMS)
def test_factorisations_in_blocks_and_in_the_core_agree(name, monkeypatch):
    fast = solve(SYSTEMS[name], 1e-8)
    monkeypatch.setattr("gated_xtfc.solver.interval.element_fit.MOST_ROWS", 1)
    slow = solve(SYSTEMS[name], 1e-8)
    assert (slow.status, slow.neurons, slow.rounds) == (fast.status, fast.neurons, fast.rounds)
    assert slow.error == pytest.approx(fast.error, rel=0.05)


@needs_core
def test_arrays_of_ties_that_do_not_fit_are_refused():
    for orders, border in (((2,), 1), ((2,), 4), ((9,), 1), ((), 1)):
        with pytest.raises(ValueError, match="do not fit together"):
            compiled.solve_tied(orders, 12, 1, 0, 0, True, *[np.zeros(border)] * 20)


@needs_core
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_ties_that_are_not_sane_give_no_certificate(bad):
    layout = tied_layout(CASES["two constants"])
    linear = Operator(layout.problem)(layout.points)
    for values in (linear.packed[0, 2], linear.packed[0, 3], linear.packed[0, 4]):
        kept = values.copy()
        values[5:9] = bad
        assert not fit_elements(layout, linear).certificate.error <= 1e-3
        values[:] = kept
