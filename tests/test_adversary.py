"""A fixed sample of the battery in benchmarks/: what has "converged" is as good as was promised, and nothing raises."""

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent.parent / "benchmarks"))

from battery import FAMILIES, make
from battery.case import Case
from battery.judge import Verdict, judged, outcome_of

CASES = 5  # of each family


@pytest.fixture(scope="module")
def verdicts() -> dict[str, list[Verdict]]:
    return {family: [judged(make(family, seed)) for seed in range(CASES)] for family in FAMILIES}


@pytest.mark.parametrize("family", FAMILIES)
def test_no_case_is_wrong_in_silence(family: str, verdicts: dict[str, list[Verdict]]) -> None:
    silent = [str(make(family, one.seed)) for one in verdicts[family] if one.outcome == "silent"]
    assert not silent, "\n".join(silent)


@pytest.mark.parametrize("family", FAMILIES)
def test_no_case_raises_or_warns(family: str, verdicts: dict[str, list[Verdict]]) -> None:
    loud = [
        f"{make(family, one.seed)}: {one.status} {one.warned}"
        for one in verdicts[family]
        if one.outcome == "exception" or one.warned
    ]
    assert not loud, "\n".join(loud)


def test_a_case_is_made_of_its_name_and_number() -> None:
    assert all(str(make(family, 3)) == str(make(family, 3)) != str(make(family, 4)) for family in FAMILIES)


@pytest.mark.parametrize(
    ("status", "estimate", "error", "outcome"),
    [
        ("converged", 1e-9, 1e-10, "right"),
        ("converged", 1e-9, 1e-8, "silent"),
        ("converged", 1e-9, 1e-6, "silent"),
        ("rounding", 1e-5, 1e-6, "refused"),
        ("rounding", 1e-5, 1e-4, "low"),
    ],
)
def test_a_word_for_what_became_of_a_case(status: str, estimate: float, error: float, outcome: str) -> None:
    case = Case("u' = 0", {"x": (0.0, 1.0)}, ("u(0) = 0",), 1e-8, ({"u": abs},))
    assert outcome_of(case, status, estimate, error) == outcome


def test_a_problem_without_a_solution_is_not_to_converge() -> None:
    case = Case("u'' = 1", {"x": (0.0, 1.0)}, ("u'(0) = 0", "u'(1) = 0"), 1e-8, ())
    assert outcome_of(case, "converged", 1e-9, 0.0) == "silent"
