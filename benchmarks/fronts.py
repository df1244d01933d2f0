"""Fronts that travel: errors, steps and CPU time as they become thin, beside BACOLI, SciPy's integrators and py-pde.

BACOLI gets the right side in plain functions of arrays and the tolerance at which its true error is what was asked of
us; SciPy's BDF and Radau second-order differences on a uniform grid, two cells for every eps, and on one fitted to
where the fronts pass. Errors of the peers are those in the middle and at the end of the time, ours the largest anywhere
(where the reference is one on a grid, at some times), after the first short time over which a leap was smoothed.
"""

import single_thread  # noqa: F401

# isort: split
import sys
from time import process_time

import numpy as np

import gated_xtfc as gx
from fronts_cases import (
    FrontCase,
    bistable,
    fisher,
    heat,
    heat_step,
    leap,
    merging,
    needle,
    random_case,
    sine,
    travelling,
)  # fmt: skip
from fronts_more import MORE
from fronts_peers import bacoli, bacoli_there, grids, on_grid, py_pde
from measure import table

CASES = [
    *((travelling, 10.0**-k) for k in range(2, 9)),
    *((merging, 10.0**-k) for k in range(2, 7)),
    *((sine, eps) for eps in (0.01 / np.pi, 1e-4 / np.pi)),
    *((bistable, 10.0**-k) for k in (2, 3, 4, 6)),
    *((needle, 10.0**-k) for k in (3, 5)),
    *((fisher, eps) for eps in (3e-2, 1e-2)),
    *((leap, eps) for eps in (1e-3, 1e-5)),
    (heat, 1.0),
    (heat_step, 1.0),
    *MORE,
]
TOL = 1e-6
BATTERY = 300
REPEATS = 3  # of what takes less than a second: the least time counts
THINNEST = 9e-5  # eps below which BACOLI is not waited for


def true_error(solution: gx.EvolutionSolution, case: FrontCase) -> float:
    """The largest one at the ends and inside of steps, of every field relative to its largest value."""
    worst, scales = 0.0, np.array(solution.scales)[:, None]
    pieces = [piece for piece in solution.record.pieces if len(piece.values) > 1]
    if case.times is not None:
        looked = [(solution.record.piece(t), t) for t in case.times if t <= solution.reached]
    else:
        some = pieces[:: max(1, len(pieces) // 60)] + pieces[-1:]
        looked = [(piece, piece.start + part * piece.length) for piece in some for part in (0.37, 1.0)]
    for piece, t in looked:
        x = piece.places(t, 301)
        worst = max(worst, float((np.abs(piece.at(x, t) - np.atleast_2d(case.exact(x, t))) / scales).max()))
    return worst


def solved(case: FrontCase, tol: float) -> tuple[gx.EvolutionSolution, float]:
    gx.solve(case.problem, 1e-2)  # imports and tables
    spent = np.inf
    for _ in range(REPEATS):
        begun = process_time()
        found = gx.solve(case.problem, tol)
        spent = min(spent, process_time() - begun)
        if spent > 1.0:
            break
    assert isinstance(found, gx.EvolutionSolution)
    return found, spent


def ours(found: gx.EvolutionSolution, spent: float, case: FrontCase) -> list[str]:
    error = f"{true_error(found, case):.1e}"
    if case.doubt is not None and (doubt := case.doubt()) > 1e-8:
        error += f" (reference {doubt:.0e})"
    return [error, f"{found.error:.1e}", str(found.status), str(found.steps), str(found.sites), f"{spent:.3f}"]


def shown(answer: tuple[float, float] | None) -> list[str]:
    if answer is None:
        return ["-", "-"]
    error, seconds = answer
    return ["-", f"> {seconds:.0f}"] if np.isnan(error) else [f"{error:.1e}", f"{seconds:.3f}"]


def peers(case: FrontCase, eps: float, found: gx.EvolutionSolution, spent: float) -> list[str]:
    """BACOLI with the ratio of its time to ours where it gets there, and SciPy on two grids."""
    reached = eps > THINNEST and bacoli_there()
    best = bacoli(case, eps, found, TOL) if reached else None
    ratio = f"{best[1] / spent:.2g}" if best is not None and best[0] <= TOL else "-"
    uniform, fitted = grids(case, eps, found)
    rows = [None if x is None else on_grid(case, eps, method, x, TOL)
            for method, x in (("BDF", uniform), ("Radau", uniform), ("BDF", fitted))]  # fmt: skip
    return [*shown(best), ratio, *(cell for row in rows for cell in shown(row))]


def displacements() -> str:
    """In the maximum norm a front that is off by s counts as s over its thickness: both, for the travelling front."""
    rows = []
    for eps in (1e-2, 1e-4, 1e-6, 1e-7, 1e-8):
        for tol in (1e-4, 1e-6, 1e-8):
            case = travelling(eps)
            found, spent = solved(case, tol)
            off = abs(_middle(found) - 0.8)
            rows.append([f"{eps:.0e}", f"{tol:.0e}", *ours(found, spent, case), f"{off:.1e}"])
            print(*rows[-1], flush=True)
    header = ["eps", "tol", "error", "estimate", "status", "steps", "sites", "CPU s", "displacement of the front"]
    return table(header, rows)


def _middle(found: gx.EvolutionSolution) -> float:
    """Where the front is at the end: where its values are half-way, by a few steps of Newton's method."""
    x = 0.8
    for _ in range(20):
        x -= (found(x, 1.0) - 0.6) / found(x, 1.0, 1)
    return float(x)


def battery(count: int = BATTERY) -> str:
    """Random problems at random tolerances: how often the estimate is below the truth, and by how much."""
    ratios, converged, missed = [], 0, 0
    for seed in range(count):
        case = random_case(seed)
        tol = float(10 ** np.random.default_rng(10_000 + seed).uniform(-8, -3))
        found = gx.solve(case.problem, tol, max_seconds=60)
        assert isinstance(found, gx.EvolutionSolution)
        error = true_error(found, case)
        ratios.append(error / found.error)
        converged += found.converged
        missed += found.converged and error > tol
        if ratios[-1] > 1.0:
            print(f"seed {seed} {case.name} tol {tol:.0e}: error {error:.1e}, estimate {found.error:.1e}", flush=True)
    above = np.array(ratios)
    return (
        f"{count} random problems of ten families, at tolerances from 1e-8 to 1e-3: {converged} converged, of which "
        f"{missed} with a larger true error than asked for. True error over estimate: median {np.median(above):.2f}, "
        f"above 1 in {int((above > 1).sum())}, largest {above.max():.2f}."
    )


def measure(names: list[str] | None = None) -> str:
    rows = []
    for make, eps in CASES:
        if names and make.__name__ not in names:
            continue
        case = make(eps)
        found, spent = solved(case, TOL)
        rows.append([case.name, f"{eps:.1e}", *ours(found, spent, case), *peers(case, eps, found, spent)])
        print(*rows[-1], flush=True)
    header = ["problem", "eps", "error", "estimate", "status", "steps", "sites", "CPU s", "BACOLI: error", "CPU s"]
    header += ["its time over ours", "BDF: error", "CPU s", "Radau: error", "CPU s", "BDF, fitted: error", "CPU s"]
    there = "" if bacoli_there() else " BACOLI is not installed here (bacoli_py, built by f2py with gfortran -O2)."
    said = (
        f"Tolerance {TOL:.0e}. Ours: the largest error anywhere. BACOLI (kcol = 6, its BDF and its Radau): the fastest "
        f"run whose error is at most {TOL:.0e}, or the closest; a dash: not run (below eps = 1e-4, or the case has "
        f"what it does not take), or no ratio as it does not get there.{there} SciPy: second-order differences; a dash "
        "where a uniform grid would need more than 4,000 cells. Where a case has no eps the "
        "second column is its parameter."
    )
    if names:
        return "\n\n".join([said, table(header, rows)])
    grid = []
    for eps, cells in ((1e-2, 200), (1e-3, 1000)):
        answer = py_pde(eps, cells)
        if answer is not None:
            grid.append(f"at eps = {eps:.0e} {answer[1]:.1f} s for an error of {answer[0]:.1e} on {cells} cells")
    fixed = f"py-pde on the travelling front: {'; '.join(grid)}." if grid else "py-pde is not installed here."
    rates = displacements()
    parts = [said, table(header, rows), fixed, "The travelling front at several tolerances:", rates, battery()]
    return "\n\n".join(parts)


if __name__ == "__main__":
    print(battery() if sys.argv[1:] == ["battery"] else measure(sys.argv[1:] or None))
