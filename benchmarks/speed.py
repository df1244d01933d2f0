"""Speed against scipy.integrate.solve_bvp in the same run: time to the same error.

The target is our achieved error or 1e-8, whichever is larger, judged at the same points. For solve_bvp the cheapest
tolerance from 1e-3 to 1e-11 that succeeds and reaches the target is found first; then both are timed in turns.
"""

import single_thread  # noqa: F401

# isort: split
import warnings
from dataclasses import dataclass, replace
from math import inf, isinf, sqrt
from statistics import median
from time import perf_counter

import accuracy
import gated_xtfc as gx
import peer
import testset
from measure import Record, milliseconds, repeats_for, table, timed

LIMIT = 5.0  # seconds after which an attempt of solve_bvp is given up, and with it all tighter tolerances


@dataclass(frozen=True)
class Attempt:
    """The cheapest run of solve_bvp that reached the target, or why there is none."""

    tol: float
    seconds: float
    reason: str = ""
    given_up: bool = False
    nodes_spent: bool = False


@dataclass(frozen=True)
class Duel:
    record: Record
    ours: float
    textbook: Attempt
    rescaled: Attempt

    @property
    def ratio(self) -> float:
        """Textbook form of solve_bvp over ours; infinite when it never reached the target."""
        return self.textbook.seconds / self.ours

    @property
    def best(self) -> Attempt:
        return min(self.textbook, self.rescaled, key=lambda attempt: attempt.seconds)

    @property
    def best_ratio(self) -> float:
        return self.best.seconds / self.ours

    def shown(self, attempt: Attempt) -> str:
        """The ratio as text, a bound where the peer was given up."""
        if attempt.given_up:
            return f"> {LIMIT / self.ours:.0f}"
        return factor(attempt.seconds / self.ours)


def attempt(record: Record, system: peer.System, tol: float, scaling: float, limit: float) -> Attempt:
    """One tolerance: its time, the best of three where that is cheap, or why it does not count."""
    case, target = record.case, max(record.error, 1e-8)
    start = perf_counter()
    try:
        result = system.solve(tol, scaling, limit)
    except peer.TimeUpError:
        return Attempt(tol, inf, f"over {LIMIT:.0f} s ({tol:.0e})", given_up=True)
    seconds = perf_counter() - start
    error = case.error(result.sol(case.x)[0])
    if result.status or error > target:
        said = ("success", "node limit", "singular")[result.status]
        return Attempt(tol, inf, f"{said}, error {error:.0e} ({tol:.0e})", nodes_spent=result.status == 1)
    if seconds < 0.1:
        seconds = min(seconds, *(timed(lambda: system.solve(tol, scaling)) for _ in range(2)))
    return Attempt(tol, seconds)


def cheapest(record: Record, scaling: float) -> Attempt:
    """The loosest tolerance that does it, or one of the next two where that is cheaper; else the last failure."""
    system, best, last, tighter, spent = record.case.system(record.case.small), None, None, 0, 0
    for tol in peer.TOLERANCES:
        limit = min(LIMIT, best.seconds) if best else LIMIT
        last = attempt(record, system, tol, scaling, limit)
        if best:
            tighter += 1
            if last.seconds < 0.8 * best.seconds:  # less than that is noise
                best = last
            if tighter == 2:
                break
        elif last.seconds < inf:
            best = last
        else:
            spent += last.nodes_spent
            if last.given_up or spent == 2:  # a tighter tolerance needs more nodes still
                break
    return best or last


def duel(record: Record) -> Duel:
    case = record.case
    scalings = (1.0, sqrt(case.small))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # overflow on the way to a failure is the peer's own business
        attempts = [cheapest(record, scaling) for scaling in scalings]
        system = case.system(case.small)
        times: list[list[float]] = [[], [], []]
        slowest = max([record.seconds] + [a.seconds for a in attempts if a.seconds < inf])
        for _ in range(repeats_for(slowest)):
            times[0].append(timed(lambda: gx.solve(case.problem, tol=case.tol)))
            for index, (attempt, scaling) in enumerate(zip(attempts, scalings, strict=True), start=1):
                if attempt.seconds < inf:
                    times[index].append(timed(lambda a=attempt, s=scaling: system.solve(a.tol, s)))
    textbook, rescaled = (replace(a, seconds=median(t)) if t else a for a, t in zip(attempts, times[1:], strict=True))
    return Duel(record, median(times[0]), textbook, rescaled)


def entry(attempt: Attempt) -> str:
    return attempt.reason if isinf(attempt.seconds) else f"{milliseconds(attempt.seconds)} ({attempt.tol:.0e})"


def factor(ratio: float) -> str:
    return "fails" if isinf(ratio) else f"{ratio:.1f}" if ratio < 10 else f"{ratio:.0f}"


def finite(ratios: list[float]) -> str:
    reached = [ratio for ratio in ratios if ratio < inf]
    return (
        f"median {factor(median(ratios))} over all {len(ratios)} cases, {factor(median(reached))} over the "
        f"{len(reached)} that it solves; smallest {factor(min(ratios))}; "
        f"slower than solve_bvp in {sum(r < 1 for r in ratios)}"
    )


def measure(records: list[Record] | None = None) -> str:
    records = records or accuracy.measure()[1] + testset.measure()[1]
    duels = [duel(record) for record in records if record.seconds < inf]
    rows = [
        (
            d.record.case.label,
            f"{max(d.record.error, 1e-8):.0e}",
            milliseconds(d.ours),
            entry(d.textbook),
            d.shown(d.textbook),
            entry(d.rescaled),
            d.shown(d.best),
        )
        for d in duels
    ]
    header = ("case", "target", "ours ms", "solve_bvp ms (tol)", "ratio", "rescaled ms (tol)", "ratio to the better")
    failed = [d.record.case.label for d in duels if isinf(d.ratio)]
    both = [d.record.case.label for d in duels if isinf(d.best_ratio)]
    return "\n\n".join(
        (
            "Ratios are the time of solve_bvp over ours: above 1 we are faster. `solve_bvp`: y = (u, u'), hand-written "
            "vectorised functions and Jacobians, 50 equal points and a straight line to start, at most 200,000 nodes, "
            "the cheapest tolerance that succeeds and reaches the target. `rescaled`: the same with "
            "y = (u, sqrt(eps) u'), which suits layers better. An attempt is given up "
            f"after {LIMIT:.0f} s, a case after one such attempt or two that run into the node limit.",
            table(header, rows),
            f"Against the textbook form: {finite([d.ratio for d in duels])}.",
            f"Against the better of the two forms: {finite([d.best_ratio for d in duels])}.",
            f"Not solved by solve_bvp in the textbook form: {'; '.join(failed) or 'none'}.",
            f"Not solved in either form: {'; '.join(both) or 'none'}.",
        )
    )


if __name__ == "__main__":
    print(measure())
