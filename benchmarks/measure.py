"""Times as medians, records of solves, tables in Markdown, and the machine in words: what all the benchmarks share."""

import os
import platform
import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np
import scipy

import gated_xtfc as gx
from cases import Case

COLUMNS = ("true error", "estimate", "status", "neurons", "rounds", "ms")  # of a record


@dataclass(frozen=True)
class Record:
    """What one solve gave: the true error, what the solver said of it, and what it cost."""

    case: Case
    error: float
    estimate: float
    status: str
    neurons: int
    rounds: int
    seconds: float

    @property
    def ratio(self) -> float:
        return over_estimate(self.error, self.estimate)

    @property
    def row(self) -> tuple[str, ...]:
        """For a table, under `COLUMNS`."""
        figures = f"{self.error:.1e}", f"{self.estimate:.1e}", self.status, str(self.neurons), str(self.rounds)
        return (*figures, milliseconds(self.seconds))


def over_estimate(error: float, estimate: float) -> float:
    """True error over estimate: above 1 the estimate was too low. No answer promises nothing, so it counts as 0."""
    if np.isinf(estimate):
        return 0.0
    return error / estimate if estimate > 0 else np.inf


def timed(run: Callable[[], object]) -> float:
    start = perf_counter()
    run()
    return perf_counter() - start


def repeats_for(seconds: float) -> int:
    return 11 if seconds < 0.03 else 7 if seconds < 0.1 else 5 if seconds < 0.5 else 3


def median_seconds(run: Callable[[], object]) -> float:
    first = timed(run)
    return statistics.median([timed(run) for _ in range(repeats_for(first))])


def record(case: Case, repeat: bool = True) -> Record:
    """Solves a case; the time is the median of repeats after one solve that warms up."""
    try:
        start = perf_counter()
        solution = gx.solve(case.problem, tol=case.tol)
        seconds = perf_counter() - start
    except Exception as failure:  # a benchmark reports what went wrong and goes on
        return Record(case, np.inf, np.inf, f"{type(failure).__name__}: {failure}", 0, 0, np.inf)
    if repeat:
        seconds = median_seconds(lambda: gx.solve(case.problem, tol=case.tol))
    error = case.error(solution(case.x))
    return Record(case, error, solution.error, solution.status, solution.neurons, solution.rounds, seconds)


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table; numbers should come as text."""
    lines = [" | ".join(header), " | ".join("---" for _ in header)]
    lines += [" | ".join(str(entry) for entry in row) for row in rows]
    return "\n".join(f"| {line} |" for line in lines)


def milliseconds(seconds: float) -> str:
    ms = 1e3 * seconds
    return f"{ms:.2f}" if ms < 10 else f"{ms:.1f}" if ms < 100 else f"{ms:.0f}"


def machine() -> str:
    model = "unknown processor"
    try:
        with open("/proc/cpuinfo") as lines:
            model = next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        model = platform.processor() or model
    return (
        f"{model}, {os.cpu_count()} cores, one thread used; {platform.system()}, Python {platform.python_version()}, "
        f"NumPy {np.__version__}, SciPy {scipy.__version__}"
    )
