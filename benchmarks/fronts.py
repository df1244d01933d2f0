"""Fronts that travel: errors, steps and CPU time as they become thin, beside SciPy's Radau and BDF on a fixed grid.

The peers get second-order differences on two cells for every eps, where 4,000 cells are enough for that, with the band
of their Jacobian, the tolerance asked of us, and a minute. Their error is the one at the end; ours is the largest
anywhere, after the first short time over which a leap at the start was smoothed.
"""

import single_thread  # noqa: F401

# isort: split
import sys
from time import process_time

import numpy as np
from scipy.integrate import solve_ivp
from scipy.sparse import diags

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
from measure import table

CASES = [
    *((travelling, 10.0**-k) for k in range(2, 9)),
    *((merging, 10.0**-k) for k in range(2, 7)),
    *((sine, eps) for eps in (0.01 / np.pi, 1e-3, 1e-4 / np.pi)),
    *((bistable, 10.0**-k) for k in range(2, 7)),
    *((needle, 10.0**-k) for k in (3, 5)),
    *((fisher, eps) for eps in (3e-2, 1e-2)),
    *((leap, eps) for eps in (1e-3, 1e-5)),
    (heat, 1.0),
    (heat_step, 1.0),
]
TOL = 1e-6
CELLS = 4_000
BATTERY = 300
PATIENCE = 60.0  # seconds that a peer may take


class TooLong(Exception):
    pass


def true_error(solution: gx.EvolutionSolution, case: FrontCase) -> float:
    """The largest one at the ends and inside of steps, relative to the largest value."""
    worst = 0.0
    pieces = [piece for piece in solution.record.pieces if len(piece.values) > 1]
    for piece in pieces[:: max(1, len(pieces) // 60)] + pieces[-1:]:
        for part in (0.37, 1.0):
            t = piece.start + part * piece.length
            x = piece.places(t, 301)
            worst = max(worst, float(np.abs(piece.at(x, t)[0] - case.exact(x, t)).max()))
    return worst / solution.scale


def ours(case: FrontCase, tol: float) -> list[str]:
    gx.solve(case.problem, 1e-2)  # imports and tables
    begun = process_time()
    found = gx.solve(case.problem, tol)
    spent = process_time() - begun
    assert isinstance(found, gx.EvolutionSolution)
    error = true_error(found, case)
    return [f"{error:.1e}", f"{found.error:.1e}", str(found.status), str(found.steps), str(found.sites), f"{spent:.2f}"]


def peer(case: FrontCase, eps: float, method: str) -> list[str]:
    """Error at the end and CPU seconds of SciPy's integrator on a uniform grid."""
    evolution = case.problem.evolution
    assert evolution is not None
    a, b, end = evolution.space.left, evolution.space.right, evolution.time.right
    if 2.0 * (b - a) / eps > CELLS:
        return ["-", "-"]
    cells = int(max(2.0 * (b - a) / eps, 400))
    x = np.linspace(a, b, cells + 1)
    h = x[1] - x[0]
    (equation,) = case.problem.equations
    left, right = (case.problem.evolution.ends[k][0] for k in (0, 1))  # type: ignore[union-attr]
    until = process_time() + PATIENCE

    def given(condition: object, t: float) -> float:
        return -float(condition.run(t, {("u", 0): 0.0, ("u", 1): 0.0}))  # type: ignore[attr-defined]

    def rate(t: float, inner: np.ndarray) -> np.ndarray:
        if process_time() > until:
            raise TooLong
        u = np.concatenate([[given(left, t)], inner, [given(right, t)]])
        jets = {("u", (0, 0)): inner, ("u", (1, 0)): (u[2:] - u[:-2]) / (2 * h)}
        jets[("u", (2, 0))] = (u[2:] - 2 * inner + u[:-2]) / h**2
        return -np.asarray(equation.residual((x[1:-1], t), {**jets, ("u", (0, 1)): 0.0}))

    start = evolution.initial[0]
    assert start is not None
    begun = process_time()
    try:
        found = solve_ivp(
            rate, (0.0, end), start(x)[1:-1], method, rtol=TOL, atol=TOL, t_eval=[end], jac_sparsity=band(cells - 1)
        )
    except TooLong:
        return ["-", f"> {PATIENCE:.0f}"]
    if not found.success or not found.y.size:
        return ["failed", f"{process_time() - begun:.2f}"]
    error = float(np.abs(found.y[:, -1] - case.exact(x[1:-1], end)).max())
    return [f"{error:.1e}", f"{process_time() - begun:.2f}"]


def band(size: int) -> object:
    return diags([np.ones(size - 1), np.ones(size), np.ones(size - 1)], [-1, 0, 1], dtype=float)


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
        f"{count} random problems of seven families, at tolerances from 1e-8 to 1e-3: {converged} converged, of which "
        f"{missed} with a larger true error than asked for. True error over estimate: median {np.median(above):.2f}, "
        f"above 1 in {int((above > 1).sum())}, largest {above.max():.2f}."
    )


def measure(names: list[str] | None = None) -> str:
    rows = []
    for make, eps in CASES:
        if names and make.__name__ not in names:
            continue
        case = make(eps)
        rows.append([case.name, f"{eps:.1e}", *ours(case, TOL), *peer(case, eps, "BDF"), *peer(case, eps, "Radau")])
        print(*rows[-1], flush=True)
    header = ["problem", "eps", "error", "estimate", "status", "steps", "sites", "CPU s"]
    text = table([*header, "BDF: error", "CPU s", "Radau: error", "CPU s"], rows)
    rates = [
        [f"{eps:.0e}", f"{tol:.0e}", *ours(travelling(eps), tol)]
        for eps in (1e-2, 1e-4, 1e-6)
        for tol in (1e-4, 1e-6, 1e-8)
        if not names
    ]
    more = table(["eps", "tol", *header[2:]], rates) if rates else ""
    said = (
        f"Tolerance {TOL:.0e}. Errors are the largest anywhere, of the peers at the end; a dash: their grid would "
        f"need more than {CELLS:,} cells."
    )
    parts = [said, text, "The travelling front at several tolerances:" if rates else "", more]
    return "\n\n".join([*(part for part in parts if part), *([] if names else [battery()])])


if __name__ == "__main__":
    print(battery() if sys.argv[1:] == ["battery"] else measure(sys.argv[1:] or None))
