"""Peers for fronts that travel: BACOLI (bacoli_py, where it is installed), SciPy and py-pde on fixed grids.

All get the right side as plain functions of arrays. BACOLI is asked for smaller and smaller tolerances, with both of
its integrators, until the true error is what was asked of us; the fastest that gets there counts.
"""

import math
import multiprocessing as mp
import os
from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.sparse import diags

import gated_xtfc as gx
from fronts_cases import FrontCase

PATIENCE = 20.0  # seconds that a peer may take
CELLS = 4_000
TOLS = (1e-6, 1e-7, 1e-8, 1e-9)
INTERVALS = 3_000  # of BACOLI's mesh, at most
ROOT2, ROOT6 = math.sqrt(2.0), math.sqrt(6.0)


def _sigmoid(z: float) -> float:
    return 1.0 / (1.0 + math.exp(min(max(z, -700.0), 700.0)))


def _merging(x: float, t: float, eps: float) -> float:
    parts = 0.05 / eps * (x - 0.5 + 4.95 * t), 0.25 / eps * (x - 0.5 + 0.75 * t), 0.5 / eps * (x - 0.375)
    a, b, c = (math.exp(min(parts) - part) for part in parts)
    return (0.1 * a + 0.5 * b + c) / (a + b + c)


def _burgers(eps: float) -> Callable[..., Any]:
    return lambda t, x, u, ux, uxx: [eps * uxx[0] - u[0] * ux[0]]


# right side and solution of each case, in plain functions of numbers: (rates by eps, wave)
PLAIN: dict[str, tuple[Callable[[float], Callable[..., Any]], Callable[[float, float, float], float]]] = {
    "travelling front": (_burgers, lambda x, t, eps: 0.6 - 0.5 * math.tanh((x - 0.2 - 0.6 * t) / (4 * eps))),
    "fronts that merge": (_burgers, _merging),
    "shock out of a sine": (_burgers, lambda x, t, eps: -math.sin(math.pi * x)),
    "bistable wave": (
        lambda eps: lambda t, x, u, ux, uxx: [eps * uxx[0] + u[0] * (1 - u[0]) * (u[0] - 0.25) / eps],
        lambda x, t, eps: _sigmoid((x - 0.2 - 0.5 / ROOT2 * t) / (ROOT2 * eps)),
    ),
    "needle carried along": (
        lambda eps: lambda t, x, u, ux, uxx: [eps * uxx[0] - ux[0]],
        lambda x, t, eps: (
            math.sqrt(0.1 / (t + 0.1)) * math.exp(-min((x - 0.2 - t) ** 2 / (4 * eps * (t + 0.1)), 700.0))
        ),
    ),
    "Fisher's wave": (
        lambda eps: lambda t, x, u, ux, uxx: [eps * uxx[0] + u[0] * (1 - u[0]) / eps],
        lambda x, t, eps: _sigmoid((x - 0.2 - 5 / ROOT6 * t) / (ROOT6 * eps)) ** 2,
    ),
    "heat, smooth": (
        lambda eps: lambda t, x, u, ux, uxx: [uxx[0]],
        lambda x, t, eps: math.sin(math.pi * x) + 0.3 * math.sin(3 * math.pi * x) if t == 0.0 else 0.0,
    ),
}


def bacoli_there() -> bool:
    """Whether BACOLI can be called here; its wrapper uses a name that NumPy has given up."""
    if not hasattr(np, "int"):
        np.int = int  # type: ignore[attr-defined]
    try:
        import bacoli_py  # noqa: F401
    except ImportError:
        return False
    return True


def _parts(case: FrontCase, eps: float) -> tuple[Any, Any, Any] | None:
    """Right side, what holds at both ends (residuals), and the start, of numbers."""
    evolution = case.problem.evolution
    assert evolution is not None
    ends = evolution.space.left, evolution.space.right
    if case.rates is not None and case.ends is not None and case.start is not None:
        kinds, start = case.ends, case.start
        if any(kind is None for side in kinds for kind in side):
            return None

        def at(side: list[Any]) -> Callable[..., Any]:
            return lambda t, u, ux: [ux[f] if kind == "slope" else u[f] - kind(float(t)) for f, kind in enumerate(side)]

        rates = lambda t, x, u, ux, uxx: case.rates(t, x, np.stack(u), np.stack(ux), np.stack(uxx))  # noqa: E731
        return rates, (at(kinds[0]), at(kinds[1])), lambda x: start(np.array([float(x)]))[:, 0]
    if case.name not in PLAIN:
        return None
    make, wave = PLAIN[case.name]
    both = tuple(lambda t, u, ux, x=x: [u[0] - wave(x, float(t), eps)] for x in ends)
    return make(eps), both, lambda x: [wave(float(x), 0.0, eps)]


def _bacoli_run(
    case: FrontCase, eps: float, tol: float, kind: str, times: np.ndarray, x: np.ndarray, pipe: Any
) -> None:
    import bacoli_py

    rates, (left, right), start = _parts(case, eps) or (None, (None, None), None)
    evolution = case.problem.evolution
    assert evolution is not None
    fields = len(case.problem.fields)

    def f(t: float, x: Any, u: Any, ux: Any, uxx: Any, found: Any) -> Any:
        for k, one in enumerate(rates(t, x, u, ux, uxx)):
            found[k] = one
        return found

    def at(side: Callable[..., Any]) -> Callable[..., Any]:
        def condition(t: float, u: Any, ux: Any, found: Any) -> Any:
            found[:] = side(t, u, ux)
            return found

        return condition

    def initial(x: float, u: Any) -> Any:
        u[:] = start(x)
        return u

    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # it prints what it thinks
    solver = bacoli_py.Solver(nint_max=INTERVALS, kcol=6, t_int=kind)
    problem = bacoli_py.ProblemDefinition(fields, f=f, bndxa=at(left), bndxb=at(right), uinit=initial)
    mesh = np.linspace(evolution.space.left, evolution.space.right, 21)
    begun = process_time()
    try:
        found = solver.solve(problem, evolution.time.left, mesh, times, x, atol=tol, rtol=tol)
        pipe.send((process_time() - begun, found.u))
    except Exception:
        pipe.send(None)


def bacoli(case: FrontCase, eps: float, solution: gx.EvolutionSolution, aim: float) -> tuple[float, float] | None:
    """True error and CPU seconds of the fastest run whose true error, relative as ours, is at most `aim`."""
    if _parts(case, eps) is None:
        return None
    evolution = case.problem.evolution
    assert evolution is not None
    times = np.array(case.times or [evolution.time.left + p * evolution.time.length for p in (0.5, 1.0)])
    x = np.unique(np.concatenate([solution.places(float(t), 301) for t in times]))
    best: tuple[float, float] | None = None
    closest: tuple[float, float] | None = None
    context = mp.get_context("fork")
    for kind in "br":
        for tol in TOLS:
            here, there = context.Pipe(duplex=False)
            process = context.Process(target=_bacoli_run, args=(case, eps, tol, kind, times, x, there))
            process.start()
            answer = (
                here.recv()
                if here.poll(4 * PATIENCE if best is None else min(4 * PATIENCE, 10 * best[1] + 5))
                else None
            )
            process.terminate()
            process.join()
            if answer is None:
                break
            seconds, u = answer
            error = 0.0
            for k, t in enumerate(times):
                exact = np.atleast_2d(case.exact(x, float(t)))
                error = max(
                    error, *(float(np.abs(u[f, k] - exact[f]).max()) / s for f, s in enumerate(solution.scales))
                )
            if closest is None or error < closest[0]:
                closest = error, seconds
            if error <= aim:
                best = (error, seconds) if best is None or seconds < best[1] else best
                break
            if seconds > PATIENCE:
                break
    return best or closest


class TooLong(Exception):
    pass


def on_grid(case: FrontCase, eps: float, method: str, x: np.ndarray, tol: float) -> tuple[float, float] | None:
    """Error at the end and CPU seconds of SciPy's integrator with differences of second order on a grid."""
    parts = _parts(case, eps)
    if parts is None or case.rates is not None or case.name not in PLAIN:
        return None
    make, wave = PLAIN[case.name]
    rates, end = make(eps), float(case.problem.evolution.time.right)  # type: ignore[union-attr]
    h, k = np.diff(x)[:-1], np.diff(x)[1:]
    until = process_time() + PATIENCE

    def rate(t: float, inner: np.ndarray) -> np.ndarray:
        if process_time() > until:
            raise TooLong
        u = np.concatenate([[wave(x[0], t, eps)], inner, [wave(x[-1], t, eps)]])
        left, right = (u[1:-1] - u[:-2]) / h, (u[2:] - u[1:-1]) / k
        slopes = (k * left + h * right) / (h + k)
        return np.asarray(rates(t, x[1:-1], [inner], [slopes], [2.0 * (right - left) / (h + k)])[0])

    size = x.size - 2
    band = diags([np.ones(size - 1), np.ones(size), np.ones(size - 1)], [-1, 0, 1], dtype=float)
    begun = process_time()
    start = np.array([wave(float(place), 0.0, eps) for place in x[1:-1]])
    try:
        found = solve_ivp(rate, (0.0, end), start, method, rtol=tol, atol=tol, t_eval=[end], jac_sparsity=band)
    except TooLong:
        return math.nan, PATIENCE
    if not found.success or not found.y.size:
        return None
    error = float(np.abs(found.y[:, -1] - case.exact(x[1:-1], end)).max())
    return error, process_time() - begun


def grids(case: FrontCase, eps: float, solution: gx.EvolutionSolution) -> tuple[np.ndarray | None, np.ndarray]:
    """A uniform one of two cells for every eps, where that is not too many; one fitted to where fronts pass."""
    evolution = case.problem.evolution
    assert evolution is not None
    a, b, times = evolution.space.left, evolution.space.right, np.linspace(evolution.time.left, solution.reached, 9)
    cells = int(max(2.0 * (b - a) / eps, 400)) if case.name not in ("heat, smooth",) else 400
    fitted = np.unique(np.concatenate([solution.places(float(t), 201) for t in times]))
    keep = np.append(True, np.diff(fitted) > 0.05 * min(eps, 1e-2) * (b - a))
    return (np.linspace(a, b, cells + 1) if cells <= CELLS else None), np.append(fitted[keep][:-1], b)


def py_pde(eps: float, cells: int) -> tuple[float, float] | None:
    """py-pde on the travelling front, its adaptive explicit steps; None where it is not installed."""
    try:
        from pde import PDE, CartesianGrid, ScalarField
    except ImportError:
        return None
    _, wave = PLAIN["travelling front"]
    grid = CartesianGrid([[0.0, 1.0]], cells)
    x = grid.axes_coords[0]
    field = ScalarField(grid, [wave(float(place), 0.0, eps) for place in x])
    equation = PDE({"u": f"{eps}*laplace(u) - u*d_dx(u)"}, bc=[{"value": 1.1}, {"value": 0.1}])
    how: Any = {"adaptive": True, "tolerance": 1e-4, "tracker": None, "backend": "numpy"}
    equation.solve(field, t_range=1e-6, **how)  # what Numba compiles at the first call is not counted
    begun = process_time()
    found = equation.solve(field, t_range=1.0, **how)
    return float(np.abs(found.data - [wave(float(place), 1.0, eps) for place in x]).max()), process_time() - begun
