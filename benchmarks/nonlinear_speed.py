"""Side by side with scipy.integrate.solve_bvp on the nonlinear test set, in the same run, both without a guess.

Solved means: it says so, and the error at the reference points is at most 1e-3 (tol = 1e-3), 1e-5 (tol = 1e-6) or 1e-6
(tol = 1e-8). Fits are all linear systems that a solve took, those of attempts that led nowhere included.
"""

import single_thread  # noqa: F401

# isort: split
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from statistics import median
from time import perf_counter, process_time

import gated_xtfc as gx
import nonlinear_cases
from gated_xtfc.solver import bounded
from gated_xtfc.solver.interval.discretisation import IntervalDiscretisation
from gated_xtfc.solver.interval.element_space import ElementDiscretisation
from measure import milliseconds, repeats_for, table
from peer import TimeUpError

LIMIT = 20.0  # seconds after which an attempt of solve_bvp is given up
ENOUGH = {1e-3: 1e-3, 1e-6: 1e-5, 1e-8: 1e-6}  # tolerance asked for, error that counts as solved


@dataclass(frozen=True)
class Attempt:
    said: str
    claimed: bool
    error: float
    seconds: float
    fits: int = 0

    def solved(self, tol: float) -> bool:
        return self.claimed and self.error <= ENOUGH[tol]


@contextmanager
def counted() -> Iterator[list[int]]:
    """The linear systems solved meanwhile: steps of Newton's method on elements, and fits of kernels."""
    total, converged_on, fit = [0], ElementDiscretisation.converged_on, IntervalDiscretisation.fit
    begun_at_once = bounded.begun_at_once

    def steps(*arguments: object) -> object:
        found = converged_on(*arguments)
        total[0] += found.steps
        return found

    def fits(*arguments: object) -> object:
        total[0] += 1
        return fit(*arguments)

    def begun(*arguments: object) -> object:
        found = begun_at_once(*arguments)
        total[0] += 0 if found is None else found.steps
        return found

    ElementDiscretisation.converged_on, IntervalDiscretisation.fit, bounded.begun_at_once = steps, fits, begun
    try:
        yield total
    finally:
        ElementDiscretisation.converged_on, IntervalDiscretisation.fit = converged_on, fit
        bounded.begun_at_once = begun_at_once


def ours(case: nonlinear_cases.Case, tol: float) -> tuple[Attempt, Callable]:
    def run() -> gx.Solution:
        return gx.solve(case.problem, tol=tol)

    start = perf_counter()
    try:
        with counted() as fits:
            solution = run()
    except Exception as failure:  # a benchmark reports what went wrong and goes on
        return Attempt(f"{type(failure).__name__}: {failure}", False, inf, perf_counter() - start), run
    seconds = perf_counter() - start
    error = case.error(lambda field: solution[field](case.x))
    return Attempt(solution.status, solution.converged, error, seconds, fits[0]), run


def theirs(case: nonlinear_cases.Case, tol: float) -> tuple[Attempt, Callable]:
    def run() -> object:
        return case.system.solve(tol, LIMIT)

    start = perf_counter()
    try:
        result = run()
    except TimeUpError:
        return Attempt(f"over {LIMIT:.0f} s", False, inf, inf), run
    except Exception as failure:  # the peer may stumble over its own overflow
        return Attempt(type(failure).__name__, False, inf, perf_counter() - start), run
    seconds = perf_counter() - start
    said = ("success", "node limit", "singular", "boundary conditions missed")[result.status]
    at = result.sol(case.x)
    return Attempt(said, result.status == 0, case.error(lambda field: at[case.system.fields[field]]), seconds), run


def timed_in_turns(a: tuple[Attempt, Callable], b: tuple[Attempt, Callable]) -> tuple[float, float]:
    """Medians of processor time; what takes long is not repeated."""
    times: list[list[float]] = [[], []]
    pair = (a, b)
    quick = [attempt.seconds < 0.5 for attempt, _ in pair]
    slowest = max((attempt.seconds for (attempt, _), fast in zip(pair, quick, strict=True) if fast), default=0.0)
    for _ in range(repeats_for(slowest)):
        for found, (_, run), fast in zip(times, pair, quick, strict=True):
            if fast:
                start = process_time()
                run()
                found.append(process_time() - start)
    first, second = (median(t) if t else attempt.seconds for t, (attempt, _) in zip(times, pair, strict=True))
    return first, second


def side_by_side(tol: float) -> str:
    rows, count = [], {"both": 0, "ours only": 0, "solve_bvp only": 0, "neither": 0}
    ratios, wrong, lost = [], [], []
    for case in nonlinear_cases.testset():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # overflow on the way to a failure is the peer's own business
            a, b = ours(case, tol), theirs(case, tol)
            ours_seconds, theirs_seconds = timed_in_turns(a, b)
        left, right = a[0].solved(tol), b[0].solved(tol)
        kind = "both" if left and right else "ours only" if left else "solve_bvp only" if right else "neither"
        count[kind] += 1
        if left and right:
            ratios.append(theirs_seconds / ours_seconds)
        if kind in ("solve_bvp only", "neither"):
            lost.append(case.label)
        wrong += [
            f"{who} {case.label} (error {attempt.error:.0e})"
            for who, attempt in (("ours", a[0]), ("solve_bvp", b[0]))
            if attempt.claimed and not attempt.solved(tol)
        ]
        rows.append(
            (
                case.label,
                a[0].said,
                f"{a[0].error:.1e}",
                str(a[0].fits),
                milliseconds(ours_seconds),
                b[0].said,
                f"{b[0].error:.1e}",
                milliseconds(theirs_seconds),
                kind,
                f"{theirs_seconds / ours_seconds:.2g}" if left and right else "",
            )
        )
    header = ("problem", "ours", "error", "fits", "ms", "solve_bvp", "error", "ms", "solved by", "time ratio")
    counts = ", ".join(f"{kind}: {number}" for kind, number in count.items())
    slower = sum(ratio < 1 for ratio in ratios)
    return (
        f"tol = {tol:.0e}, solved when claimed and the error is at most {ENOUGH[tol]:.0e}:\n\n{table(header, rows)}\n\n"
        f"Solved by {counts}, of {len(rows)}. Where both solve, the median of solve_bvp's time over ours is "
        f"{median(ratios):.2g}, the smallest {min(ratios):.2g}, the largest {max(ratios):.2g}; we are slower in "
        f"{slower} of {len(ratios)}. Not solved by us: {'; '.join(lost) or 'none'}. "
        f"Claimed, but wrong: {'; '.join(wrong) or 'none'}."
    )


def measure() -> str:
    return "\n\n".join(
        (
            "Both start without a guess: ours by default, solve_bvp from a straight line on 50 equal points, "
            "y = (u, u', ...), hand-written vectorised slopes and Jacobians, at most 100,000 nodes, given up after "
            f"{LIMIT:.0f} s. The ratio is the time of solve_bvp over ours: above 1 we are faster.",
            *(side_by_side(tol) for tol in ENOUGH),
        )
    )


if __name__ == "__main__":
    print(measure())
