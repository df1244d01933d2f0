"""What became of a case: solved, judged against every known solution, and put in a word.

`silent` is the worst: "converged", and the error is more than three times what was promised or what was estimated.
"""

import warnings
from dataclasses import dataclass, replace
from time import process_time

import numpy as np

import gated_xtfc as gx
from battery.case import Answer, Case
from battery.condition import floor

MARGIN = 100.0  # a bound adds up what rounding mostly cancels, and has a factor of safety
FACTOR = 3.0  # an estimate may be too low by this much
FLOOR = 2e-15  # rounding of the values themselves
VANISHED = 1e-3  # of its scale: a field below this has no size of its own
OUTCOMES = ("right", "refused", "silent", "low", "exception", "slow")


@dataclass(frozen=True)
class Verdict:
    family: str
    seed: int
    outcome: str
    status: str
    tol: float
    estimate: float
    error: float  # relative to max|u|
    seconds: float
    warned: str = ""
    floor: float = 0.0  # of a case that was refused: what double precision leaves open, relative to max|u|

    @property
    def determined(self) -> bool:
        """Whether double precision determines the solution well beyond the tolerance: no excuse for a refusal."""
        return not MARGIN * self.floor > self.tol


def error_of(case: Case, answer: Answer, solution: gx.Solution) -> float:
    """The largest error of any field, relative to max|u|; of one that vanishes, to what the solution says."""
    found = []
    parts = len(solution.scales) // len(answer)  # a complex field has two
    scales = np.reshape(solution.scales, (-1, parts)).max(axis=1)
    for (name, exact), scale in zip(answer.items(), scales, strict=True):
        field = solution[name]
        # where it is known: an end of the domain may be unknown, time may have stopped before its end
        places = [np.clip(at, axis.left, axis.right) for at, axis in zip(case.places(), field.axes, strict=True)]
        values, true = field(*places), exact(*places)
        size = float(np.abs(true).max())
        found.append(float(np.abs(values - true).max()) / (size if size > VANISHED * scale else scale))
    return max(error if np.isfinite(error) else np.inf for error in found)


def outcome_of(case: Case, status: str, estimate: float, error: float) -> str:
    converged = status == "converged"
    if not case.answers:
        return "silent" if converged else "refused"
    too_low = error - case.fuzz > max(FLOOR, FACTOR * estimate)
    missed = error - case.fuzz > max(FLOOR, FACTOR * case.tol)
    if converged:
        return "silent" if too_low or missed else "right"
    return "low" if too_low else "refused"


def judged(case: Case) -> Verdict:
    """Solves a case in this process; what is raised is reported."""
    begun = process_time()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            solution = gx.solve(case.problem(), tol=case.tol)
        except gx.InputError as refusal:
            return failed(case.name, "refused", f"InputError: {refusal}", process_time() - begun, case.tol)
        except Exception as failure:
            what = f"{type(failure).__name__}: {failure}"
            return failed(case.name, "exception", what, process_time() - begun, case.tol)
        seconds = process_time() - begun
        error = min((error_of(case, answer, solution) for answer in case.answers), default=np.inf)
    status = str(solution.status)
    outcome = outcome_of(case, status, solution.error, error)
    warned = "; ".join(sorted({f"{one.category.__name__}: {one.message}" for one in caught}))
    return Verdict(case.family, case.seed, outcome, status, case.tol, solution.error, error, seconds, warned)


def with_floor(case: Case, verdict: Verdict) -> Verdict:
    """What double precision leaves open in a case that was refused: all where no solution is continuous, or many."""
    if verdict.outcome != "refused":
        return verdict
    if not case.answers or case.jumps:
        return replace(verdict, floor=np.inf)
    return replace(verdict, floor=max(floor(case), (case.fuzz + case.noise) / MARGIN))  # data known to less than tol


def failed(name: tuple[str, int], outcome: str, status: str, seconds: float, tol: float = np.nan) -> Verdict:
    return Verdict(*name, outcome, status, tol, np.inf, np.inf, seconds)
