"""The fast way on an interval: time to a true error beside scipy.integrate.solve_bvp, and members side by side.

For each case and each error the loosest tolerance that reaches it is found for both, then both are timed in turns:
processor time, medians. The exact solutions are for judging alone.
"""

import single_thread  # noqa: F401

# isort: split
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from math import inf, isinf
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

import numpy as np
from scipy.special import erf

import colnew_peer
import gated_xtfc as gx
import peer
from gated_xtfc.core.compiled import core
from measure import milliseconds, table

EPS = (1e-2, 1e-4, 1e-6, 1e-8)
GOALS = (1e-3, 1e-6, 1e-9)
LIMIT = 5.0  # seconds for one attempt of solve_bvp
MEMBERS = 20_000
LINE = {"x": (0, 1)}
# Measured elsewhere; the ratio to solve_bvp is the bridge. Where COLNEW is on this machine, it runs in turns with ours.
COMPILED = (
    "Compiled codes with compiled equations, measured once on another machine (2026-11; there solve_bvp took 12.6 and "
    "91 ms for convection-diffusion at 1e-4 and 1e-6, error 1e-6), the best of COLNEW, COLMOD, TWPBVPC and TWPBVPLC at "
    "error 1e-6, in ms, for eps = 1e-2, 1e-4, 1e-6, 1e-8: convection-diffusion 0.038, 0.096, 0.174, 0.241; "
    "reaction-diffusion from 0.014 to 0.125; turning point from 0.034 to 0.384. COLNEW with equations in Python: 0.11, "
    "0.35, 3.2, 33; 0.076 to 0.255; 0.086 to 12. For convection-diffusion ours is ahead of the best of them where "
    "solve_bvp over ours is more than 131 at 1e-4 and 523 at 1e-6."
)


@dataclass(frozen=True)
class Case:
    """A problem with its exact solution, and the same for the peer."""

    name: str
    eps: float
    problem: gx.Problem
    exact: Callable[[np.ndarray], np.ndarray]
    system: peer.System
    x: np.ndarray  # dense in the layers

    def error(self, values: np.ndarray) -> float:
        return float(np.abs(values - self.exact(self.x)).max())


def places(left: float, right: float, layers: dict[float, float]) -> np.ndarray:
    steps = np.concatenate([np.linspace(0, 40, 400), 40 * 1.2 ** np.arange(1, 120)])
    every = [np.linspace(left, right, 400)]
    every += [place + side * thickness * steps for place, thickness in layers.items() for side in (-1, 1)]
    x = np.unique(np.concatenate(every))
    return x[(x >= left) & (x <= right)]


def cases(eps: float) -> list[Case]:
    root = np.sqrt(eps)
    return [
        Case(
            "convection-diffusion u' - eps u'' = 0",
            eps,
            gx.Problem("u' - eps*u'' = 0", LINE, ["u(0) = 0", "u(1) = 1"], eps=eps),
            lambda x: (np.exp((x - 1) / eps) - np.exp(-1 / eps)) / (1 - np.exp(-1 / eps)),
            peer.System(-1 / eps, 0.0, 0.0, (0.0, 1.0), (0.0, 1.0)),
            places(0.0, 1.0, {1.0: eps}),
        ),
        Case(
            "reaction-diffusion eps u'' - u = -1",
            eps,
            gx.Problem("eps*u'' - u = -1", LINE, ["u(0) = 0", "u(1) = 0"], eps=eps),
            lambda x: 1 - (np.exp(-x / root) + np.exp((x - 1) / root)) / (1 + np.exp(-1 / root)),
            peer.System(0.0, -1 / eps, -1 / eps, (0.0, 1.0), (0.0, 0.0)),
            places(0.0, 1.0, {0.0: root, 1.0: root}),
        ),
        Case(
            "turning point eps u'' + x u' = 0",
            eps,
            gx.Problem("eps*u'' + x*u' = 0", {"x": (-1, 1)}, ["u(-1) = -1", "u(1) = 1"], eps=eps),
            lambda x: erf(x / np.sqrt(2 * eps)) / erf(1 / np.sqrt(2 * eps)),
            peer.System(lambda x: x / eps, 0.0, 0.0, (-1.0, 1.0), (-1.0, 1.0)),
            places(-1.0, 1.0, {0.0: root}),
        ),
    ]


def ours(case: Case, goal: float) -> Callable[[], object] | None:
    """The loosest tolerance whose true error is within the goal."""
    for factor in (100.0, 10.0, 1.0, 0.1):
        tol = factor * goal
        if case.error(gx.solve(case.problem, tol)(case.x)) <= goal:
            return lambda: gx.solve(case.problem, tol)
    return None


def theirs(case: Case, goal: float) -> Callable[[], object] | None:
    """The cheapest tolerance and form of solve_bvp within the goal."""
    best, found = inf, None
    for scaling in (1.0, float(np.sqrt(case.eps))):
        for tol in peer.TOLERANCES:
            start = perf_counter()
            try:
                result = case.system.solve(tol, scaling, min(LIMIT, best))
            except peer.TimeUpError:
                break
            seconds = perf_counter() - start
            if not result.status and case.error(result.sol(case.x)[0]) <= goal:
                if seconds < best:
                    best, found = seconds, (tol, scaling)
                break
            if result.status == 1:  # a tighter tolerance needs more nodes still
                break
    if found is None:
        return None
    tol, scaling = found
    return lambda: case.system.solve(tol, scaling)


def seconds_of(run: Callable[[], object]) -> float:
    """Processor time of one run, over as many as take some 20 ms."""
    run()
    start = process_time()
    run()
    count = max(1, int(0.02 / max(process_time() - start, 1e-5)))
    start = process_time()
    for _ in range(count):
        run()
    return (process_time() - start) / count


def in_turns(*runs: Callable[[], object] | None) -> list[float]:
    times = [[seconds_of(run) if run else inf for run in runs] for _ in range(7)]
    return [median(column) for column in zip(*times, strict=True)]


def duels() -> str:
    rows = []
    for eps in EPS:
        for case in cases(eps):
            for goal in GOALS:
                fortran = colnew_peer.within(case.problem, goal, lambda at: case.error(at(case.x)))  # noqa: B023
                mine, *peers = in_turns(ours(case, goal), theirs(case, goal), fortran)
                shown = [word for taken in peers for word in beside(taken, mine)]
                rows.append((case.name, f"{eps:g}", f"{goal:g}", f"{1e3 * mine:.3f}", *shown))
    header = ("case", "eps", "true error", "ours ms", "solve_bvp ms", "over ours", "COLNEW ms", "over ours")
    return table(header, rows)


def beside(taken: float, mine: float) -> tuple[str, str]:
    """The time of a peer, and how many times ours that is."""
    return ("fails", "fails") if isinf(taken) else (milliseconds(taken), f"{taken / mine:.2g}")


def about_colnew() -> str:
    """What is compared, or why not."""
    if colnew_peer.available() is None:
        return "COLNEW was not found on this machine, and is left out."
    return (
        "COLNEW is that of Scilab, called at the loosest tolerance that reaches the error, from a mesh of "
        f"{colnew_peer.FIRST} intervals; equations and Jacobians were compiled for it beforehand."
    )


def many() -> str:
    problem = gx.Problem(
        "u' - nu*u'' = 0",
        LINE,
        ["u(0) = 0", "u(1) = 1"],
        exact="(exp((x-1)/nu) - exp(-1/nu))/(1 - exp(-1/nu))",
        nu=1e-4,
    )
    values = 10 ** np.random.default_rng(0).uniform(-8, np.log10(0.05), MEMBERS)
    rows = []
    for threads in (1, 2):
        taken, worked = [], []
        for _ in range(15):
            start, begun = perf_counter(), process_time()
            found = gx.solve_many(problem, {"nu": values}, 1e-8, threads=threads)
            taken.append(perf_counter() - start)
            worked.append(process_time() - begun)
        worst = max(one.true_error() or 0.0 for one in found[:: MEMBERS // 100])
        figures = (f"{MEMBERS / min(taken):.0f}", f"{MEMBERS / median(worked):.0f}")
        rows.append((threads, int(found.converged.sum()), *figures, f"{found.error.max():.1e}", f"{worst:.1e}"))
    alone = seconds_of(lambda: [gx.solve(problem(nu=nu), 1e-8) for nu in values[:20]]) / 20
    header = (
        "threads",
        "converged",
        "a second, the quickest of 15",
        "a second of processor time",
        "largest estimate",
        "largest true error",
    )
    return (
        f"`solve_many`, {MEMBERS:,} values of nu in [1e-8, 0.05], tol 1e-8 (true errors of 100 of them):\n\n"
        f"{table(header, rows)}\n\nOne by one: {1 / alone:.0f} a second of processor time."
    )


def swept() -> str:
    """A sweep with a store, in this process: rows go to the disk as they come."""
    problem = gx.Problem("u' - nu*u'' = 0", LINE, ["u(0) = 0", "u(1) = 1"], nu=1e-4)
    values = 10 ** np.random.default_rng(1).uniform(-8, np.log10(0.05), MEMBERS)
    taken, worked = [], []
    for _ in range(4):
        with TemporaryDirectory() as folder:
            start, begun = perf_counter(), process_time()
            table = gx.sweep(problem, {"nu": values}, store=Path(folder) / "sweep.sqlite", workers=1)
            taken.append(perf_counter() - start)
            worked.append(process_time() - begun)
    done = sum(status == "converged" for status in table["status"])
    return (
        f"`sweep` of {MEMBERS:,} members into a store, tol 1e-8, one process: {done:,} converged, "
        f"{MEMBERS / median(taken[1:]):.0f} a second, {MEMBERS / median(worked[1:]):.0f} a second of processor time."
    )


def measure() -> str:
    import native_nonlinear  # which needs this module

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return "\n\n".join(
            (
                f"The core in use is the {core()} one. Processor time, medians of runs in turns; of solve_bvp "
                "the cheaper of its textbook and rescaled forms (see the section on speed), at the cheapest tolerance "
                f"that reaches the error; an attempt is given up after {LIMIT:.0f} s.",
                about_colnew(),
                duels(),
                COMPILED,
                native_nonlinear.measure(),
                many(),
                swept(),
            )
        )


if __name__ == "__main__":
    print(measure())
