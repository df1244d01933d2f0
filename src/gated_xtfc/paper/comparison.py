"""This solver and its peers on one problem, side by side: error, neurons or nodes, seconds, or why not.

The error is against the exact solution where it is given, otherwise against a certified solution of our own, and
relative to max(1, max|u|), at 20,000 points, half of them dense in the layers.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gated_xtfc.baselines.classical import solve_bvp
from gated_xtfc.baselines.surrogate import Surrogate
from gated_xtfc.baselines.training import Budget, deep_tfc, pinn
from gated_xtfc.baselines.ungated import pielm, xtfc
from gated_xtfc.errors import InputError
from gated_xtfc.problem.problem import Problem
from gated_xtfc.published import TEXT_CLOSED, search
from gated_xtfc.published.fit import ON_A_LINE
from gated_xtfc.solution.base import Solution
from gated_xtfc.solver.solve import solve
from gated_xtfc.types import Array

OURS = "default solver"
PUBLISHED = ON_A_LINE
TIGHTER = 1e-2  # tolerance of the reference over that of the comparison


@dataclass(frozen=True)
class Sizes:
    """What the peers may use. The second is that of the paper's own tables, and takes minutes."""

    centres: int = 300  # of the published method, in each of its two blocks
    tolerances: tuple[float, float] = (1e-3, 2.0)  # of its search: split, transition scale
    neurons: int = 600  # of X-TFC and PIELM
    degree: int = 400  # of Chebyshev polynomials
    budget: Budget = Budget(adam_steps=1_000, lbfgs_steps=1_000)  # noqa: RUF009 a frozen value


PAPER = Sizes(1000, (1e-4, 1e-1), 2000, 400, Budget(adam_steps=3_000, lbfgs_steps=5_000))


@dataclass(frozen=True)
class MethodResult:
    method: str
    error: float | None = None  # None: not known
    neurons: int | None = None
    seconds: float | None = None
    note: str = ""
    ran: bool = True
    converged: bool = True  # for all that is known

    def record(self) -> dict[str, object]:
        return {**vars(self)}


@dataclass(frozen=True, eq=False)
class Reference:
    """What errors are measured against."""

    points: Array
    values: Array
    scale: float

    def error(self, surrogate: Surrogate) -> float:
        worst = float(np.abs(surrogate(self.points) - self.values).max()) / self.scale
        return worst if math.isfinite(worst) else math.inf


Peer = Callable[[Problem, Sizes, float, int], Surrogate]


def published(problem: Problem, sizes: Sizes, tol: float, seed: int) -> Surrogate:
    found = search(problem, TEXT_CLOSED.sized(sizes.centres, sizes.tolerances))
    told = f"searched: {found.solves} solves, split {found.best.splits[0]:.4f}, scale {found.best.scale:.3g}"
    details = {**found.surrogate.details, "message": told}
    return replace(found.surrogate, seconds=found.seconds, details=details)


PEERS: Mapping[str, Peer] = {
    PUBLISHED: published,
    "X-TFC (Gaussians)": lambda p, s, tol, seed: xtfc(p, neurons=s.neurons, seed=seed),
    "X-TFC (Chebyshev)": lambda p, s, tol, seed: xtfc(
        p, features="chebyshev", neurons=s.degree, points=2 * s.degree, seed=seed
    ),
    "PIELM": lambda p, s, tol, seed: pielm(p, neurons=s.neurons, points=2 * s.neurons, seed=seed),
    "PINN": lambda p, s, tol, seed: pinn(p, budget=s.budget, seed=seed),
    "Deep-TFC": lambda p, s, tol, seed: deep_tfc(p, budget=s.budget, seed=seed),
    "solve_bvp": lambda p, s, tol, seed: solve_bvp(p, tol=tol),
}
METHODS = (OURS, *PEERS)


def compare(
    problem: Problem,
    tol: float = 1e-8,
    *,
    methods: Iterable[str] = METHODS,
    sizes: Sizes | None = None,
    guidance: Mapping[str, Any] | None = None,
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
) -> tuple[MethodResult, ...]:
    """One line for each method; `guidance` are options of `solve` for a nonlinear problem."""
    options = dict(guidance or {})
    chosen = [name for name in METHODS if name in set(methods)]
    say = progress or (lambda name: None)
    say(OURS)
    solution = solve(problem, tol, **options)
    reference = referred(solution, options)
    lines = [own(solution)] if OURS in chosen else []
    for name in chosen:
        if name != OURS:
            say(name)
            lines.append(against(reference, name, problem, sizes or Sizes(), tol, seed))
    return tuple(lines)


def own(solution: Solution) -> MethodResult:
    true = solution.true_error()
    note = solution.message if not solution.converged else "" if true is not None else "its own error estimate"
    off = solution.error if true is None else true
    error = off if math.isfinite(off) else None
    return MethodResult(OURS, error, solution.neurons, solution.seconds, note, converged=solution.converged)


def referred(solution: Solution, options: Mapping[str, Any]) -> Reference | None:
    """None where there is neither an exact solution nor a certified one: errors are then not known."""
    problem = solution.problem
    if len(problem.fields) > 1:
        return None  # no peer solves systems
    points = np.concatenate([solution.points(10_000), np.linspace(problem.axes[0].left, problem.axes[0].right, 10_000)])
    if problem.exact is not None:
        return Reference(points, problem.exact(points), solution.scale)
    tight = solve(problem, max(TIGHTER * solution.tol, 1e-12), **options)
    best = min((tight, solution), key=lambda one: one.error)
    return Reference(points, best(points), best.scale) if math.isfinite(best.error) else None


def against(
    reference: Reference | None, name: str, problem: Problem, sizes: Sizes, tol: float, seed: int
) -> MethodResult:
    try:
        found = PEERS[name](problem, sizes, tol, seed)
    except InputError as error:
        return MethodResult(name, note=str(error), ran=False, converged=False)
    except (np.linalg.LinAlgError, ArithmeticError, ValueError) as error:
        return MethodResult(name, note=f"failed: {error}", ran=False, converged=False)
    converged = found.status == "surrogate"
    note = str(found.details["message"]) if name == PUBLISHED or not converged else ""
    off = None if reference is None else reference.error(found)
    return MethodResult(name, off, found.neurons, found.seconds, note, converged=converged)
