"""Gates and elements by the compiled core are those of NumPy, to rounding."""

import numpy as np
import pytest

from gated_xtfc import Problem
from gated_xtfc.core import compiled
from gated_xtfc.discretise.partition import GatedInterval
from gated_xtfc.gates.prediction import OperatorLine
from gated_xtfc.operator.linearise import Operator
from gated_xtfc.solver.adapt import Limits, adapt, begin, guide
from gated_xtfc.solver.interval.discretisation import IntervalDiscretisation
from gated_xtfc.solver.interval.element_space import ElementDiscretisation
from gated_xtfc.solver.interval.elements import degree_for
from gated_xtfc.zoo.random_layers import KINDS, draw

needs_core = pytest.mark.skipif(compiled.predict is None, reason="there is no compiled core")
LINE, ENDS = {"x": (-1, 1)}, ["u(-1) = 0", "u(1) = 1"]
TEXTS = (
    "nu*u'' + x*u' = 0",
    "nu*u'' - x*u' = 0",
    "nu*u'' + (x - 0.3)*u' = 1",
    "nu*u'' + u = 1",
    "nu*u'' - u = 0",
    "nu*u'' + (x + 0.3)*(x - 0.2)*u' = 1",
    "nu*u'' + (1 + x)*u' - u = 0",
    "nu*u'' - x*u = 0",
    "(nu + x*x)*u'' - u = 0",
    "x*u'' - u = nu",
    "nu*u'' + u' + 40*u = 0",
)


SYSTEMS = (
    (["nu*u'' - u + v = 1", "nu^2*v'' + x*u' - v = 0"], [*ENDS, "v(-1) = 0", "v(1) = 0"]),
    (["nu*u'' + v' = 1", "v'' + u - v = x"], [*ENDS, "v(-1) = 0", "v(1) = 0"]),
    (["u' = v", "nu*v' = u - 0.1*v + x"], ENDS),
    (["u'' + 0.5*v'' = u - 3*v", "v'' - nu*u'' = 40*u + v'"], [*ENDS, "v(-1) = 0", "v(1) = 0"]),
    (["nu*u'''' + x*v' - u = 1", "v'' - u' + v = 0"], [*ENDS, "u'(-1) = 0", "u'(1) = 0", "v(-1) = 0", "v(1) = 0"]),
    ("nu*u''' + (2 + x)*u'' - u = 1", [*ENDS, "u'(1) = 0"]),
    ("nu*u''' + (x - 0.2)*u'' - u' = 1", [*ENDS, "u'(1) = 0"]),
    ("nu*u'''' - u'' + u = x", [*ENDS, "u'(-1) = 0", "u'(1) = 0"]),
    ("nu*u'''' + x*u' + 10*u = x", [*ENDS, "u'(-1) = 0", "u'(1) = 0"]),
)


def problems():
    found = [Problem(text, LINE, ENDS, nu=nu) for text in TEXTS for nu in (1e-1, 1e-4, 1e-10)]
    found += [Problem("nu*u' + u = x", LINE, ENDS[:1], nu=nu) for nu in (1e-1, 1e-4, 1e-10)]
    found += [Problem(texts, LINE, own, nu=nu) for texts, own in SYSTEMS for nu in (1e-1, 1e-3, 1e-8)]
    return found + [draw(np.random.default_rng(seed), kind).problem() for kind in KINDS for seed in range(4)]


def coordinates_of(problem):
    (found,) = IntervalDiscretisation.to(problem, 1e-8).predict(1e-8)
    return found


@needs_core
@pytest.mark.parametrize("number", range(len(problems())))
def test_the_core_and_numpy_predict_the_same_gates(number, monkeypatch):
    problem = problems()[number]
    fast = coordinates_of(problem)
    monkeypatch.setattr(compiled, "predict", None)
    slow = coordinates_of(problem)
    assert_same(fast, slow)


def assert_same(fast, slow):
    for mine, theirs in zip(fast, slow, strict=True):
        assert mine.width == pytest.approx(theirs.width, rel=1e-12)
        assert mine.singular == theirs.singular
        assert len(mine.blocks) == len(theirs.blocks)
        for one, other in zip(mine.layers, theirs.layers, strict=True):
            assert one.location == pytest.approx(other.location, rel=1e-14, abs=1e-16)
            assert one.thickness == pytest.approx(other.thickness, rel=1e-12)
            assert one.grading == other.grading


@needs_core
@pytest.mark.parametrize(
    ("texts", "conditions", "nu"),
    [
        ("nu*u'' + u*u' - u = 0", ["u(-1) = -0.7", "u(1) = 1.2"], 0.05),
        ("nu*u'' + u*u' - u = 0", ["u(-1) = -0.7", "u(1) = 1.2"], 1e-3),
        ("nu*u'' + (u')^2 = 1", ENDS, 0.05),
        ("nu*u'' - sinh(u/nu) = 0", ENDS, 0.2),
        ("nu*u'''' - u'*u'' + u*u''' = 0", [*ENDS, "u'(-1) = 0", "u'(1) = 0"], 1e-3),
        (["nu*u'' - u + v^2 = 0", "v'' - u*v' = 1"], [*ENDS, "v(-1) = 0", "v(1) = 1"], 1e-4),
    ],
)
def test_gates_about_a_solution_on_elements_are_the_same(texts, conditions, nu, monkeypatch):
    problem = Problem(texts, LINE, conditions, nu=nu)
    elements = ElementDiscretisation(IntervalDiscretisation.to(problem, 1e-6), 10)
    found = adapt(elements, *begin(elements, 1e-6), 1e-6, Limits(5_000, 3, 200, 1e9)).found
    assert OperatorLine(Operator(problem, elements.as_start(found).about)).gates(np.linspace(-1, 1, 65), (-1.0, 1.0))
    (fast,) = guide(elements, found, 1e-6)
    monkeypatch.setattr(compiled, "predict", None)
    (slow,) = guide(elements, found, 1e-6)
    assert_same(fast, slow)


@needs_core
@pytest.mark.parametrize("seed", range(60))
def test_the_core_and_numpy_cut_the_same_elements(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    count = int(rng.integers(0, 6))
    thickness = 10 ** rng.uniform(-12, 0, count)
    ends = rng.choice([-2.0, 3.0], count)
    location = np.where(rng.random(count) < 0.5, ends, rng.uniform(-2, 3, count))
    grading = rng.choice([0.35, 0.17, 0.18], count).tolist()
    given = -2.0, 3.0, location, thickness, grading, float(rng.choice([2.0, 7.3]))
    gated = GatedInterval(*given, slower=bool(rng.random() < 0.3))
    fast = gated.partition()
    monkeypatch.setattr(compiled, "partition", None)
    slow = gated.partition()
    assert fast.length.size == slow.length.size
    np.testing.assert_allclose(fast.anchor + fast.offset, slow.anchor + slow.offset, rtol=0, atol=1e-13)
    np.testing.assert_allclose(fast.length, slow.length, rtol=1e-10, atol=1e-13)


@needs_core
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 0.0, -1.0, 1e300])
def test_gates_that_make_no_sense_do_no_harm(bad):
    for place, thin in ((0.5, bad), (bad, 0.1)):
        given = np.array([place]), np.array([thin]), np.array([0.17])
        assert (
            compiled.partition(0.0, 1.0, 1, *given, 2.0, False, np.array([3.5, 24, 0.6, 0.35, 0, 3]), np.empty((3, 99)))
            >= 0
        )


@needs_core
def test_texts_that_are_not_finite_are_left_to_numpy():
    problem = Problem("u'' + u/x = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"])
    x = np.linspace(0.0, 1.0, 65)
    assert OperatorLine(Operator(problem)).gates(x, (0.0, 1.0)) is None


@pytest.mark.parametrize("decays", [True, False])
def test_a_tighter_tolerance_never_asks_for_a_lower_degree(decays):
    degrees = [degree_for(10.0**-k, 2, decays) for k in range(1, 15)]
    assert degrees == sorted(degrees)
    assert degrees[0] == 8
