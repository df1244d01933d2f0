"""Elements and kernels give the same solution; so do the compiled core and its twin in NumPy, to rounding."""

import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from gated_xtfc import Problem, load, solve
from gated_xtfc.core import compiled
from gated_xtfc.discretise.element_basis import shape_functions, tables
from gated_xtfc.discretise.element_sum import ElementSum
from gated_xtfc.discretise.partition import Partition
from gated_xtfc.operator.linearise import Operator
from gated_xtfc.solver.interval.discretisation import IntervalDiscretisation
from gated_xtfc.solver.interval.element_fit import fit_elements
from gated_xtfc.solver.interval.element_layout import EndStates, elements_on, halved, lay_out
from gated_xtfc.solver.tolerance import Tolerance
from gated_xtfc.zoo.random_layers import KINDS, draw

LINE = {"x": (0, 1)}
ENDS = ["u(0) = 0", "u(1) = 1"]
ROBIN = ["u(0) - nu*u'(0) = 1", "u'(1) = 0"]
MIXED = ["u(0) = 1", "u(1) = 0", "v(0) = u(0)"]
CASES = {
    "outflow": Problem("u' - nu*u'' = 0", LINE, ENDS, nu=1e-6),
    "reaction": Problem("-nu*u'' + u = exp(x)", LINE, ENDS, nu=1e-8),
    "turning point": Problem("nu*u'' + (x - 0.4)*u' = 0", LINE, ["u(0) = -1", "u(1) = 1"], nu=1e-4),
    "waves": Problem("u'' + 400*u = 1", LINE, ["u(0) = 0", "u(1) + u'(1) = 3"]),
    "variable": Problem("-nu*u'' + (2 + sin(5*x))*u' + cos(x)*u = exp(x)", LINE, ROBIN, nu=1e-3),
    "a jump": Problem("nu*u'' - where(x < 0.3, 1, 2)*u = 1", LINE, ENDS, nu=1e-4),
    "first order": Problem("u' + 30*u = x", LINE, ["u(0) = 1"]),
    "third order": Problem("nu*u''' + u'' = 2", LINE, ["u(0) = 0", "u(1) = 1", "u'(1) = 0"], nu=1e-3),
    "beam": Problem("nu*u'''' - u'' = 1", LINE, ["u(0) = 0", "u(1) = 0", "u'(0) = 0", "u''(1) = 1"], nu=1e-4),
    "initial values": Problem("u'' + u' + 100*u = 0", LINE, ["u(0) = 1", "u'(0) = 2"]),
    "system": Problem(["u' = v", "nu*v' = u - sin(x)"], LINE, ["u(0) = 1", "u(1) = 0"], nu=1e-6),
    "mixed orders": Problem(["nu*u'' - u = v", "v' + v = u + x"], LINE, MIXED, nu=1e-4),
}  # fmt: skip


def layout_of(problem, degree=12, refined=False):
    (coordinates,) = IntervalDiscretisation.to(problem, 1e-8).predict(1e-8)
    elements = elements_on(coordinates, sum(problem.order.values()) > 2)
    if refined:
        elements = halved(elements, np.arange(elements.length.size) % 2 == 0)
    return lay_out(problem, coordinates, elements, degree)


@pytest.mark.parametrize("name", CASES)
def test_elements_agree_with_kernels(name, monkeypatch):
    fast = solve(CASES[name], 1e-8)
    assert isinstance(fast.function, ElementSum)
    monkeypatch.setattr("gated_xtfc.solver.attempts.attempt_elements", lambda *_: None)
    kernels = solve(CASES[name], 1e-11)
    assert fast.converged
    assert kernels.error <= 1e-10
    x = np.union1d(fast.points(301), np.linspace(0, 1, 101))
    for field, scale in zip(CASES[name].fields, fast.scales, strict=True):
        error = np.abs(fast[field](x) - kernels[field](x)).max() / scale
        assert error <= fast.error + kernels.error


@pytest.mark.parametrize("name", CASES)
def test_conditions_hold_to_rounding(name):
    solution = solve(CASES[name], 1e-6)
    for condition in CASES[name].conditions:
        parts = [t.weight * solution[t.field](t.point, t.order) for t in condition.terms]
        assert abs(sum(parts) - condition.value) <= 1e-13 * max(map(abs, (*parts, condition.value, 1.0)))


def test_values_at_both_ends_are_met_to_the_last_bit():
    solution = solve(Problem("u' - nu*u'' = 0", LINE, ["u(0) = 0.1", "u(1) = 1/3"], nu=1e-3), 1e-6)
    assert (solution(0.0), solution(1.0)) == (0.1, 1 / 3)


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_shape_functions_have_one_value_at_one_end_each(order):
    left, right = (np.stack(shape_functions(np.array([s]), 12, order, order - 1))[:, 0] for s in (0.0, 1.0))
    size = 13 - 2 * order
    np.testing.assert_array_equal(left[0], [1.0] + 12 * [0.0])
    np.testing.assert_array_equal(right[0], [0.0] * (13 - order) + [1.0] + [0.0] * (order - 1))
    np.testing.assert_allclose(left, np.hstack([np.eye(order), np.zeros((order, size + order))]), atol=1e-12)
    np.testing.assert_allclose(right, np.hstack([np.zeros((order, size + order)), np.eye(order)]), atol=1e-12)


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_derivatives_of_shape_functions_are_theirs(order):
    s, step = np.linspace(0.1, 0.9, 9), 1e-5
    values = shape_functions(s, 10, order, order)
    beyond, before = shape_functions(s + step, 10, order, order), shape_functions(s - step, 10, order, order)
    for j in range(order):
        slope = (beyond[j] - before[j]) / (2 * step)
        np.testing.assert_allclose(slope, values[j + 1], atol=2e-5 * np.abs(values[j + 1]).max())


def test_tables_are_made_once():
    assert tables(12, 2) is tables(12, 2)


def test_conditions_at_an_end_are_solved_for_what_they_say_most_of():
    states = EndStates.of([[1.0, 1e3], [2.0, 0.0]], [3.0, 4.0], 2)
    assert states.free == 0
    np.testing.assert_allclose(states.particular, [2.0, 1e-3])


def random_problems():
    random = np.random.default_rng(11)
    for kind in KINDS:
        for _ in range(3):
            yield draw(random, kind).problem()


needs_core = pytest.mark.skipif(compiled.solve is None, reason="there is no compiled core on this machine")


def both(monkeypatch, layout, linear, tolerance=None):
    fast = fit_elements(layout, linear, tolerance)
    with monkeypatch.context() as patch:
        patch.setattr(compiled, "solve", None)
        return fast, fit_elements(layout, linear, tolerance)


@needs_core
@pytest.mark.parametrize("degree", [9, 12, 16])
@pytest.mark.parametrize("name", [*CASES, "random"])
def test_the_compiled_core_agrees_with_its_twin(name, degree, monkeypatch):
    for problem in random_problems() if name == "random" else [CASES[name]]:
        layout = layout_of(problem, degree, refined=name != "random")
        linear = Operator(problem)(layout.points)
        tolerance = Tolerance.of(problem, 1e-7, 1e-9) if degree == 16 else None
        fast, slow = both(monkeypatch, layout, linear, tolerance)
        one, other = fast.certificate, slow.certificate
        amplified = 1e-15 * max(1.0, one.stability)
        for f, scale in enumerate(slow.certificate.scales):
            gap = np.abs(fast.shapes[:, f] - slow.shapes[:, f]).max()
            assert gap <= 1e3 * amplified * max(scale, np.abs(slow.shapes[:, f]).max())
        assert one.stability == pytest.approx(other.stability, rel=1e-6)
        assert one.unresolved == pytest.approx(other.unresolved, rel=1e-3, abs=1e-9)
        assert one.scales == pytest.approx(other.scales, rel=1e-9)
        assert one.error == pytest.approx(other.error, rel=0.02, abs=300 * amplified)
        assert one.rounding == pytest.approx(other.rounding, rel=1.0, abs=100 * amplified)
        np.testing.assert_allclose(one.shares[0], other.shares[0], rtol=0.02, atol=1e4 * amplified)


@needs_core
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 0.0, 1e308])
def test_numbers_that_are_not_sane_give_no_certificate(bad):
    problem = CASES["variable"]
    layout = layout_of(problem)
    linear = Operator(problem)(layout.points)
    for at in (slice(None), slice(3, 4)):
        for values in (*linear.by_order[0][0], linear.source[0]):
            kept = values.copy()
            values[at] = bad
            error = fit_elements(layout, linear).certificate.error
            values[:] = kept
            if not np.isfinite(bad) or (bad == 1e308 and values is linear.source[0]):
                assert not error <= 1e-3


@needs_core
def test_arrays_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="do not fit together"):
        compiled.solve((2,), 12, 1, 1, True, 1, 1, *[np.zeros(1)] * 13)
    with pytest.raises(ValueError, match="do not fit together"):
        compiled.solve((9,), 12, 1, 1, True, 1, 1, *[np.zeros(1)] * 13)


@needs_core
def test_threads_side_by_side_give_the_same_bits():
    layout = layout_of(CASES["variable"])
    linear = Operator(CASES["variable"])(layout.points)
    alone = fit_elements(layout, linear).shapes
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: fit_elements(layout, linear).shapes, range(64)):
            np.testing.assert_array_equal(found, alone)


@pytest.mark.parametrize("name", CASES)
def test_without_a_compiled_core_all_is_solved_as_well(name, monkeypatch):
    fast = solve(CASES[name], 1e-8)
    for function in ("solve", "linear"):
        monkeypatch.setattr(compiled, function, None)
    slow = solve(CASES[name], 1e-8)
    assert (slow.status, slow.neurons, slow.rounds) == (fast.status, fast.neurons, fast.rounds)
    assert slow.error == pytest.approx(fast.error, rel=0.05)


def test_the_version_says_which_core_is_in_use(capsys, monkeypatch):
    from gated_xtfc.apps.cli import main

    main(["--version"])
    assert f"({compiled.core()} core)" in capsys.readouterr().out
    monkeypatch.setattr(compiled, "solve", None)
    main(["--version"])
    assert "(NumPy core)" in capsys.readouterr().out


def test_without_the_extension_the_library_imports(monkeypatch):
    monkeypatch.setitem(sys.modules, "gated_xtfc.core._elements", None)
    monkeypatch.delitem(sys.modules, "gated_xtfc.core.compiled")
    import gated_xtfc.core.compiled as again

    assert again.solve is None
    assert again.core() == "NumPy"


def test_a_solution_on_elements_starts_another_one():
    first = solve(CASES["reaction"], 1e-6)
    again = solve(Problem("-nu*u'' + u + u^3 = exp(x)", LINE, ENDS, nu=1e-2), 1e-6, guess=first)
    assert again.converged


def test_gates_of_a_solution_on_elements_are_those_that_were_predicted():
    solution = solve(CASES["outflow"])
    assert [gate.describe() for gate in solution.gates] == ["layer at 1, thickness 6e-07"]
    assert solution.points(200).size == 200
    assert (solution.points(200) > 1 - 1e-4).mean() > 0.2


def test_an_estimate_that_is_not_to_tolerance_is_never_handed_over_by_elements():
    for problem in random_problems():
        solution = solve(problem, 1e-9)
        assert solution.converged == (solution.error <= 1e-9)
        if isinstance(solution.function, ElementSum):
            assert solution.true_error() <= 1e-9


@needs_core
@pytest.mark.parametrize("name", CASES)
def test_compiled_values_and_derivatives_agree_with_their_twin(name, monkeypatch):
    solution = solve(CASES[name], 1e-8)
    x = np.union1d(solution.points(301), [0.0, 1.0])
    for field, order in CASES[name].order.items():
        fast = [solution[field](x, j) for j in range(order + 1)]
        with monkeypatch.context() as patch:
            patch.setattr(compiled, "evaluate", None)
            slow = [solution[field](x, j) for j in range(order + 1)]
        for j, (one, other) in enumerate(zip(fast, slow, strict=True)):
            # rounding of the place in an element, seen through the steepest polynomial
            room = 1e-14 * max(np.abs(slow[0]).max(), 1.0) * solution.function.steepest**j
            np.testing.assert_allclose(one, other, rtol=0, atol=room + 1e-13 * np.abs(other).max())


@needs_core
def test_what_does_not_fit_is_not_evaluated():
    with pytest.raises(ValueError, match="do not fit together"):
        compiled.evaluate(12, (2,), 0, 0, 0, *[np.zeros(1)] * 8)
    with pytest.raises(ValueError, match="do not fit together"):
        compiled.evaluate(12, (5,), 0, 0, 0, *[np.zeros(1)] * 8)


NONLINEAR = {
    "Bratu": Problem("u'' + k*exp(u) = 0", LINE, ["u(0) = 0", "u(1) = 0"], k=1),
    "a shock": Problem("eps*u'' + u*u' - u = 0", LINE, ["u(0) = -7/6", "u(1) = 3/2"], eps=1e-2),
    "a layer": Problem("eps*u'' + 2*u' + exp(u) = 0", LINE, ["u(0) = 0", "u(1) = 0"], eps=1e-4),
    "a system": Problem(["u' = v", "v' = -k*exp(u)"], LINE, ["u(0) = 0", "u(1) = 0"], k=2),
    "a corner": Problem("eps*u'' + u*u' - u = 0", LINE, ["u(0) = -1/3", "u(1) = 1/3"], eps=1e-2),
}


@pytest.mark.parametrize("name", NONLINEAR)
def test_on_elements_newtons_method_finds_the_solution_of_kernels(name, monkeypatch):
    fast = solve(NONLINEAR[name], 1e-7)
    assert isinstance(fast.function, ElementSum)
    monkeypatch.setattr("gated_xtfc.solver.attempts.attempt_elements", lambda *_: None)
    kernels = solve(NONLINEAR[name], 1e-9)
    assert fast.converged
    x = kernels.points(301)
    for field, scale in zip(kernels.problem.fields, kernels.scales, strict=True):
        assert np.abs(fast[field](x) - kernels[field](x)).max() <= (fast.error + kernels.error) * scale


def test_what_elements_do_not_find_is_left_to_kernels():
    stopped = solve(Problem("u'' + k*exp(u) = 0", LINE, ["u(0) = 0", "u(1) = 0"], k=5), 1e-6)
    assert not stopped.converged


def test_gates_and_the_message_of_a_solution_may_be_found_later_and_are_the_same_in_a_copy(tmp_path):
    problem = Problem("eps*u'' + u*u' - u = 0", LINE, ["u(0) = -1/3", "u(1) = 1/3"], eps=1e-2)
    whole, asked, other = (solve(problem, 1e-7) for _ in range(3))
    copied = pickle.loads(pickle.dumps(asked))
    assert copied.message == whole.message
    assert copied.gates == whole.gates
    assert replace(other, seconds=1.0).message == whole.message
    other.save(tmp_path / "other")
    again = load(tmp_path / "other")
    assert again.message == whole.message
    assert again.gates == whole.gates


def test_images_are_told_when_the_message_is_read():
    found = solve(Problem("u'' + 20*u - u^3 = 0", LINE, ["u(0) = 0", "u(1) = 0"]), 1e-6, guess="3*sin(pi*x)")
    assert "message" not in vars(found)
    assert found.message.endswith("other solutions of the problem: zero, itself with the sign turned")
    with pytest.raises(AttributeError, match="no attribute 'massage'"):
        found.massage  # noqa: B018


@needs_core
@pytest.mark.parametrize("orders", [(1,), (2,), (4, 2), (3, 1, 2)])
def test_all_derivatives_at_once_are_those_of_each(orders, monkeypatch):
    dice, count = np.random.default_rng(0), 11
    length = 10.0 ** dice.uniform(-3, 0, count)
    offset = np.concatenate([[0.0], np.cumsum(length)[:-1]])
    shapes = dice.standard_normal((count, len(orders), 13))
    function = ElementSum((), Partition(np.zeros(count), offset, length), orders, shapes)
    x = np.concatenate([dice.uniform(-0.1, 1.1, 101) * length.sum(), offset])
    pairs = [(f, j) for f, order in enumerate(orders) for j in range(order + 1)]
    found = function.jets(x)
    np.testing.assert_array_equal(found, np.stack([function.within(f, x, j) for f, j in pairs]))
    monkeypatch.setattr(compiled, "evaluate", None)
    slow = function.jets(x)
    assert (np.abs(found - slow).max(axis=1) <= 1e-13 * np.abs(slow).max(axis=1)).all()


def test_a_shock_that_is_not_thin_is_found_without_an_easier_member():
    problem = Problem("eps*u'' + u*u' - u = 0", LINE, ["u(0) = -7/6", "u(1) = 3/2"], eps=0.02)
    found = solve(problem, 1e-6)
    assert found.converged
    assert found.continuation is None
    assert abs(solve(problem, 1e-10)(0.4) - found(0.4)) < 1e-6
