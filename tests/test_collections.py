"""Other people's problems in benchmarks/collection: what has converged is right."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.append(str(Path(__file__).parent.parent / "benchmarks"))

from collected import BROKEN, SOLVED, TYPED, WRONG, Case, cases, judged
from collection_reference import collocated, exact

CASES = {f"{case.collection}: {case.name}": case for case in cases()}
EVERY = 6  # of the cases that are judged here; the benchmark has all
SOLVED_HERE = (
    "applications: catenary",
    "applications: Hiemenz, stagnation point",
    "applications: screening: Poisson-Boltzmann",
    "bvpsolve: elastica",
    "cash: Cash 24 (flow in a nozzle)",
    "cash: Cash 33 (swirling flow between disks)",
    "chebfun: an integral as a condition",
    "dedalus: waves on a clamped string, the third mode",
    "matlab: bvp5c: sin(1/x)",
    "matlab: twobvp from a positive guess",
    "scipy: Sturm-Liouville, the second mode",
    "scipy: electrodes, conditions that are not linear",
    "textbooks: Ascher-Mattheij-Russell, dichotomy",
    "textbooks: Keller, heat with radiation",
    "textbooks: sixth order",
    "typed: ln",
    "typed: scattering on a barrier",
    "typed: Michaelis-Menten in a sphere",
    "typed: tubular reactor (Danckwerts)",
)


@pytest.mark.parametrize("label", list(CASES)[::EVERY])
def test_no_problem_is_wrong_in_silence_and_none_raises(label: str) -> None:
    verdict = judged(CASES[label])
    assert verdict.kind not in (WRONG, BROKEN), f"{verdict.error:.1e} {verdict.message}"


@pytest.mark.parametrize("label", SOLVED_HERE)
def test_a_problem_is_solved_as_its_source_states_it(label: str) -> None:
    verdict = judged(CASES[label])
    assert verdict.kind == SOLVED, f"{verdict.kind} {verdict.error:.1e} {verdict.message}"


def test_there_are_150_problems_and_forty_for_the_first_typing_each_with_a_reference() -> None:
    assert len(CASES) == len(list(cases()))  # no title twice
    typed = [case for case in CASES.values() if case.collection == TYPED]
    assert len(typed) == 40
    assert len(CASES) - len(typed) >= 150
    for case in CASES.values():
        assert case.source
        assert {"solution", "reference", "constants"} & set(case.entry), case.name


@pytest.mark.parametrize(
    ("spec", "solution"),
    [
        ({"highest": "-(x*y1)/0.01", "ends": ["a0", "b0 - 2"]}, "1 + erf(x/sqrt(0.02))/erf(1/sqrt(0.02))"),
        ({"highest": "1.5*y0**2", "ends": ["a0 - 4/(0.5)**2", "b0 - 4/(2.5)**2"]}, "4/(1.5+x)**2"),
        ({"highest": "-p0*y0", "ends": ["a0", "b0", "a1 - 1"], "p": [2.0], "start": ["sin(x+1)", "0"]}, None),
        ({"highest": "-y0", "initial": ["0", "1"], "ends": ["a0", "a1 - 1"]}, "sin(x+1)"),
        ({"highest": "2.0*(x > 0.25)", "ends": ["a0", "b0"], "breaks": [0.25]}, None),
    ],
)
def test_the_references_are_as_accurate_as_they_say(spec: dict, solution: str | None) -> None:
    x = np.linspace(-1, 1, 101)
    found = collocated({"span": [-1, 1], "constants": {"k": 0} if "p" in spec else {}, **spec}, x, {})
    assert found.accuracy < 1e-10
    if solution is None:
        step = "where(x > 0.25, (x-0.25)**2, 0) - 0.28125*(x+1)"
        solution = "sin(pi/2*(x+1))/(pi/2)" if "p" in spec else step
    known = exact({"u": solution}, x, {}, {}).fields["u"]
    np.testing.assert_allclose(found.fields["u"], known, atol=1e-10 * np.abs(known).max())
    if "p" in spec:
        assert abs(found.constants["k"] - np.pi**2 / 4) < 1e-10


def test_an_answer_that_is_off_is_called_wrong() -> None:
    entry = {**CASES["applications: catenary"].entry, "solution": "cosh(x) + 1e-6"}
    assert judged(Case("applications", "nobody", entry)).kind == WRONG
