"""Linear members that the compiled core solves at once are those that are solved step by step."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from gated_xtfc import InputError, Problem, solve
from gated_xtfc.core import compiled
from gated_xtfc.solver.adapt import Limits
from gated_xtfc.solver.interval.element_family import ElementFamily, _layouts, fit_on_elements, found_at_once
from gated_xtfc.solver.interval.element_sensitivity import element_sensitivities
from gated_xtfc.solver.interval.elements import _first
from gated_xtfc.solver.spaces import space_of
from gated_xtfc.solver.strategy import Settings
from gated_xtfc.solver.tolerance import Tolerance

pytestmark = pytest.mark.skipif(compiled.linear is None, reason="there is no compiled core on this machine")
LIMITS = Limits(50_000, 14, 2_000, 4e9)
LINE, ENDS = {"x": (-1, 1)}, ["u(-1) = 0", "u(1) = 1"]
CONDITIONS = (
    ENDS,
    ["u(-1) - nu*u'(-1) = 2", "u(1) + 3*u'(1) = -1"],
    ["u'(-1) = 1", "u(1) = 0"],
    ["u(-1) = 1", "u(-1) + 2*u'(-1) = 3"],
)
TEXTS = (
    "nu*u'' + x*u' = 0",
    "nu*u'' - x*u' - u = 1",
    "nu*u'' + (x - 0.3)*u' = x^2",
    "nu*u'' + 2*u' - 3*u = x",
    "u' - nu*u'' = 0",
    "nu*u'' - u = x^3",
    "u'' + 9*u = nu",
    "nu*u'' + (1 + x)*u' - u = 0",
    "nu*u'' + (x + 0.3)*(x - 0.2)*u' - u = 1",
)


def problems():
    found = [Problem(text, LINE, CONDITIONS[0], nu=nu) for text in TEXTS for nu in (1.0, 1e-1, 1e-4, 1e-10)]
    found += [Problem(text, LINE, own, nu=nu) for text in TEXTS[3:6] for own in CONDITIONS[1:] for nu in (1.0, 1e-3)]
    return found + [Problem("nu*u' + u = x", LINE, [one], nu=nu) for one in ENDS for nu in (1e-1, 1e-4, 1e-10)]


def both(problem, tol, tolerance=None):
    at_once = found_at_once(problem, tolerance, tol, LIMITS)
    step_by_step = _first(space_of(problem, tol, tolerance), None, Settings(tol, LIMITS))
    return at_once, step_by_step


@pytest.mark.parametrize("number", range(len(problems())))
def test_at_once_and_step_by_step_find_the_same(number):
    problem = problems()[number]
    for tol, tolerance in ((1e-4, None), (1e-10, None), (1e-7, Tolerance.of(problem, 1e-7, 1e-9))):
        fast, slow = both(problem, tol, tolerance)
        if fast is None:
            continue
        one, other = fast.certificate, slow.certificate
        assert fast.neurons == slow.neurons
        assert fast.sites == slow.sites
        assert fast.degree == slow.layout.degree
        (coordinate,) = slow.layout.coordinates
        assert fast.coordinate.width == pytest.approx(coordinate.width, rel=1e-14)
        for mine, theirs in zip(fast.coordinate.layers, coordinate.layers, strict=True):
            assert mine.location == pytest.approx(theirs.location, rel=1e-14, abs=1e-16)
            assert mine.thickness == pytest.approx(theirs.thickness, rel=1e-12)
            assert mine.grading == theirs.grading
        np.testing.assert_allclose(fast.elements.length, slow.layout.elements.length, rtol=1e-10, atol=1e-13)
        amplified = 1e-15 * max(1.0, one.stability)
        gap = np.abs(fast.coefficients - slow.shapes).max()
        assert gap <= 1e3 * amplified * np.abs(slow.shapes).max()
        assert one.error == pytest.approx(other.error, rel=1e-3, abs=300 * amplified)
        assert one.rounding == pytest.approx(other.rounding, rel=1.0, abs=100 * amplified)
        assert one.stability == pytest.approx(other.stability, rel=1e-6)
        assert one.unresolved == pytest.approx(other.unresolved, rel=1e-3, abs=1e-9)
        assert one.scales == pytest.approx(other.scales, rel=1e-9)


def test_most_of_these_are_solved_at_once():
    assert sum(found_at_once(one, None, 1e-8, LIMITS) is not None for one in problems()) > 0.7 * len(problems())


@pytest.mark.parametrize(
    ("text", "conditions"),
    [
        ("u'' + sin(60*x)*u = 1", ENDS),  # a function of the coordinate may hide something
        ("nu*u'''' - u = 1", [*ENDS, "u'(-1) = 0", "u'(1) = 0"]),
        (["nu*u'' - v = 1", "nu*v'' - u = x"], [*ENDS, "v(-1) = 0", "v(1) = 0"]),
        ("nu*u'' + u*u' = 0", ENDS),
        ("nu*u'' - u = 1", ["u(-1) = 0", "integral(u) = 1"]),
        ("x*u'' - u = nu", ENDS),  # singular inside
        ("nu*u'' + u = 1", ENDS),  # waves
    ],
)
def test_what_is_for_others_is_left_to_them(text, conditions):
    problem = Problem(text, LINE, conditions, nu=1e-4) if "nu" in str(text) else Problem(text, LINE, conditions)
    assert found_at_once(problem, None, 1e-8, LIMITS) is None


def test_a_layer_thinner_than_the_numbers_is_left_to_others():
    problem = Problem("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=1e-17)
    assert found_at_once(problem, None, 1e-8, LIMITS) is None
    assert solve(problem).converged


def test_a_family_is_read_once_and_shared_by_its_members():
    problem = Problem("u' - nu*u'' = 0", LINE, ENDS, nu=1e-4)
    assert ElementFamily.of(problem) is ElementFamily.of(problem(nu=1e-6))
    assert solve(problem(nu=1e-2), 1e-8).gates != solve(problem(nu=1e-6), 1e-8).gates


def test_what_it_may_take_is_asked_first():
    problem = Problem("u' - nu*u'' = 0", LINE, ENDS, nu=1e-4)
    assert solve(problem, max_neurons=60).neurons <= 60
    assert not solve(problem, max_seconds=1e-9).converged
    with pytest.raises(InputError, match="memory"):
        solve(problem, max_memory=1e3)


def test_what_is_not_within_the_tolerance_is_refined_from_there():
    problem = Problem("u'' - 400*x*x*x*x*x*x*u = 0", LINE, ENDS)
    first = found_at_once(problem, None, 1e-10, LIMITS)
    found = solve(problem, 1e-10)
    assert first is not None
    assert found.converged
    assert found.error <= 1e-10
    assert (found.rounds > 1) == (first.certificate.error > 1e-10)


def arguments_of(family, parameters):
    own = (family.code.codes, family.code.numbers, parameters, *family.sight, *family.conditions)
    return [family.order, *family.ends, 64, *own, *_layouts(1e-8, 2), np.ones(1), np.zeros(1)]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 0.0, -1.0, 1e300])
def test_numbers_that_are_not_sane_give_no_certificate(bad):
    family = ElementFamily.of(Problem("u' - nu*u'' = 2*k", LINE, ENDS, nu=1e-4, k=1.0))
    arguments = arguments_of(family, np.array([1e-4, 1.0]))
    assert compiled.linear(*arguments)[2][0] <= 1e-8
    for number, one in enumerate(arguments):
        if not isinstance(one, float) and not (isinstance(one, np.ndarray) and one.dtype == float):
            continue
        for at in (slice(None), slice(0, 1), slice(-1, None)) if isinstance(one, np.ndarray) else (None,):
            changed = bad
            if at is not None:
                changed = one.copy()
                changed[at] = bad
            try:
                found = compiled.linear(*arguments[:number], changed, *arguments[number + 1 :])
            except ValueError:
                continue
            equation = number in (5, 6, 11, 12, 18, 19)  # and the tables of the elements in use
            assert found is None or not equation or np.isfinite(bad) or not found[2][0] <= 1e-8


def test_arrays_that_do_not_fit_are_refused():
    arguments = arguments_of(ElementFamily.of(Problem("u' - nu*u'' = 2", LINE, ENDS, nu=1e-4)), np.array([1e-4]))
    for number, one in enumerate(arguments):
        if isinstance(one, np.ndarray):
            with pytest.raises(ValueError, match="do not fit together"):
                compiled.linear(*arguments[:number], np.zeros(0), *arguments[number + 1 :])
    for number, one in ((0, 3), (0, -1), (3, 0), (3, -1), (13, 1), (13, 400), (17, 2)):
        with pytest.raises(ValueError, match="do not fit together"):
            compiled.linear(*arguments[:number], one, *arguments[number + 1 :])


def test_threads_side_by_side_give_the_same_bits():
    problem = Problem("u' - nu*u'' = 0", LINE, ENDS, nu=1e-4)
    alone = found_at_once(problem, None, 1e-8, LIMITS).coefficients
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: found_at_once(problem, None, 1e-8, LIMITS).coefficients, range(64)):
            np.testing.assert_array_equal(found, alone)


def test_slopes_are_those_of_solves_beside():
    problem = Problem("nu*u'' + k*x*u' - u = k", LINE, ["u(-1) = 1", "u'(1) = 0"], nu=1e-2, k=2.0)
    fit = fit_on_elements(problem, 1e-11, LIMITS)
    slopes = element_sensitivities(problem, fit, ("nu", "k"))
    x = np.linspace(-1.0, 1.0, 50)
    for own, name in zip(slopes, ("nu", "k"), strict=True):
        step = 1e-4 * problem.parameters[name]
        near, far = (problem(**{name: problem.parameters[name] + side * step}) for side in (-1, 1))
        expected = (solve(far, 1e-12)(x) - solve(near, 1e-12)(x)) / (2.0 * step)
        found = replace(fit.function, coefficients=own)(0, x, 0)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6 * np.abs(expected).max())


def test_slopes_of_arrays_that_do_not_fit_or_are_not_sane(monkeypatch):
    problem = Problem("nu*u'' + k*x*u' - u = k", LINE, ["u(-1) = 1", "u'(1) = 0"], nu=1e-2, k=2.0)
    fit, given = fit_on_elements(problem, 1e-8, LIMITS), []
    inner = compiled.slopes
    monkeypatch.setattr(compiled, "slopes", lambda *arguments: bool(given.append(arguments)) or inner(*arguments))
    assert element_sensitivities(problem, fit, ("nu", "k")) is not None
    (arguments,) = given
    for number, one in enumerate(arguments):
        if isinstance(one, np.ndarray) and one.size > 1:
            with pytest.raises(ValueError, match="do not fit together"):
                inner(*arguments[:number], np.zeros(one.size + 1), *arguments[number + 1 :])
    for bad in (np.nan, np.inf):
        assert not inner(*arguments[:-1], np.full_like(arguments[-1], bad))
        assert not inner(*arguments[:-2], np.full(2, bad), arguments[-1])
    for seeds in (np.zeros(1), np.zeros(0)):  # fewer than the program asks for
        with pytest.raises(ValueError, match="do not fit together"):
            inner(*arguments[:-2], seeds, arguments[-1])
