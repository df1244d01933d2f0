"""Nonlinear problems on elements: time to a true error beside scipy.integrate.solve_bvp, and beside compiled codes.

For each case and each error the loosest tolerance that reaches it is found for both, then both are timed in turns:
processor time, medians. Both start without a guess. What is known of the solutions is for judging alone.
"""

import single_thread  # noqa: F401

# isort: split
import warnings
from collections.abc import Callable, Iterator
from math import inf
from time import perf_counter

import numpy as np

import colnew_peer
import gated_xtfc as gx
import nonlinear_cases
import nonlinear_peer
import peer
from gated_xtfc import zoo
from gated_xtfc.zoo.systems import swirl_slope
from measure import table
from native import GOALS, LIMIT, beside, in_turns
from nonlinear_speed import counted

# Milliseconds of the fastest of COLNEW, COLMOD, TWPBVPC and BVP_SOLVER-2 at a true error of 1e-6, all in Fortran with
# right sides in Fortran, and of COLNEW with right sides in Python, measured elsewhere.
COMPILED = {
    "Bratu, lam = 1": (0.013, 0.10),
    "swirling flow, eps = 1e-2": (0.069, 0.25),
    "swirling flow, eps = 1e-4": (1.0, 2.6),
    "Troesch, 5": (0.10, 0.23),
    "Troesch, 20": (0.61, 1.6),
    "shock, eps = 1e-2": (0.27, 0.53),
    "shock, eps = 1e-3": (0.53, 12.6),
    "shock, eps = 1e-4": (0.88, None),
}
TOLD = (
    "Compiled codes with compiled equations (the best of COLNEW, COLMOD, TWPBVPC and BVP_SOLVER-2), and COLNEW with "
    "equations in Python, were measured once on another machine (2026-11-15), in ms at a true error of 1e-6: the last "
    "columns compare machines as well."
)


def swirling_flow(eps: float) -> nonlinear_cases.Case:
    """With the slopes that the reference is made of."""
    problem = zoo.problem("swirling_flow", eps=eps)
    x = np.unique(
        np.concatenate([np.linspace(0, 1, 401), np.geomspace(1e-6, 0.1, 200), 1 - np.geomspace(1e-6, 0.1, 200)])
    )
    values = {field: exact(x) for field, exact in problem.exacts.items()}

    def partials(_: np.ndarray, y: np.ndarray) -> dict:
        matrix = swirl_slope(y.T, eps)[1]
        return {(i, j): matrix[:, i, j] for i in range(6) for j in range(6) if matrix[:, i, j].any()}

    ends = ((0, False, 0.0), (1, False, 0.0), (4, False, -1.0), (0, True, 0.0), (1, True, 0.0), (4, True, 1.0))
    slopes = nonlinear_peer.System(lambda _, y: swirl_slope(y.T, eps)[0].T, partials, 6, ends, {"f": 0, "g": 4})
    return nonlinear_cases.Case(f"swirling flow, eps = 1e-{round(-np.log10(eps))}", problem, x, values, 1e-11, slopes)


def cases() -> Iterator[nonlinear_cases.Case]:
    """Those of the test set that compiled codes were measured on, and the swirling flow."""
    known = {case.label: case for case in nonlinear_cases.testset()}
    names = {"34, eps = 1": "Bratu, lam = 1", "23, eps = 0.2": "Troesch, 5", "23, eps = 0.05": "Troesch, 20"}
    names |= {f"30, eps = {eps:g}": f"shock, eps = 1e-{k}" for k, eps in ((2, 1e-2), (3, 1e-3), (4, 1e-4))}
    renamed = {name: known[label] for label, name in names.items()}
    for name in COMPILED:
        if name in renamed:
            case = renamed[name]
            yield nonlinear_cases.Case(name, case.problem, case.x, case.values, case.accuracy, case.system)
        else:
            yield swirling_flow(float(name.split("= ")[1]))


def ours(case: nonlinear_cases.Case, goal: float) -> tuple[Callable[[], object] | None, float, int]:
    """The loosest tolerance whose true error is within the goal, and the fits that it takes."""
    for factor in (100.0, 10.0, 1.0, 0.1):
        tol = factor * goal
        with counted() as fits:
            solution = gx.solve(case.problem, tol)
        if solution.converged and case.error(lambda field: solution[field](case.x)) <= goal:  # noqa: B023
            return lambda: gx.solve(case.problem, tol), tol, fits[0]  # noqa: B023
    return None, 0.0, 0


def theirs(case: nonlinear_cases.Case, goal: float) -> Callable[[], object] | None:
    """The cheapest tolerance of solve_bvp within the goal."""
    best, found = inf, None
    for tol in peer.TOLERANCES:
        start = perf_counter()
        try:
            result = case.system.solve(tol, min(LIMIT, best))
        except peer.TimeUpError:
            break
        except Exception:  # it may stumble over its own overflow
            continue
        seconds = perf_counter() - start
        at = result.sol(case.x)
        if not result.status and case.error(lambda field: at[case.system.fields[field]]) <= goal and seconds < best:  # noqa: B023
            best, found = seconds, tol
    return None if found is None else lambda: case.system.solve(found)


def duels() -> str:
    rows = []
    for case in cases():
        for goal in GOALS:
            mine, tol, fits = ours(case, goal)
            fortran = colnew_peer.within(case.problem, goal, lambda at: case.error(lambda _: at(case.x)))  # noqa: B023
            taken, *peers = in_turns(mine, theirs(case, goal), fortran)
            shown = [word for one in peers for word in beside(one, taken)]
            figures = (f"{tol:.0e}", str(fits), f"{1e3 * taken:.3f}", *shown)
            best, callbacks = COMPILED[case.label]
            known = (f"{best:.3g}", f"{1e3 * taken / best:.2g}", "fails" if callbacks is None else f"{callbacks:.3g}")
            rows.append((case.label, f"{goal:g}", *figures, *(known if goal == 1e-6 else ("", "", ""))))
    header = ("problem", "true error", "tol", "fits", "ours ms", "solve_bvp ms", "over ours", "COLNEW ms", "over ours")
    return table((*header, "compiled ms", "ours over compiled", "COLNEW, Python ms"), rows)


def measure() -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return f"Nonlinear problems, without a guess:\n\n{duels()}\n\n{TOLD}"


if __name__ == "__main__":
    print(measure())
