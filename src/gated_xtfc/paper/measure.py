"""What is written down of anything that solves a problem with a known solution: errors, size, time, curves to draw."""

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from gated_xtfc import zoo
from gated_xtfc.baselines.surrogate import Surrogate
from gated_xtfc.paper.book import DEFAULT, tag
from gated_xtfc.paper.task import Result, Settings, Task
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solution.base import Solution
from gated_xtfc.solver.solve import solve
from gated_xtfc.types import Array
from gated_xtfc.zoo import Family

MODEL = zoo.family("convection_diffusion")  # the problem of most sections
TEST = 20_000  # points
NEAREST = 1e-7  # distance from an end at which curves begin
BINS = 240
INSIDE = 12  # points in a bin
TOL = 1e-8  # the one that `solve` has unless told otherwise
REPEATS = 5  # the default solver takes milliseconds: its time is the median of several


class Evaluates(Protocol):
    def __call__(self, x: Array, /) -> Array: ...
    def residual(self, x: Array, /) -> float | Array: ...


def exact(problem: Problem) -> Callable[[Array], Array]:
    """The exact solution, which every problem of the paper has."""
    assert problem.exact is not None
    return problem.exact


def measured(found: Surrogate, family: Family) -> Result:
    about = {"neurons": found.neurons, "points": found.points, "seconds": found.seconds}
    return {**errors(found, family, found.problem), **about}


def errors(found: Evaluates, family: Family, problem: Problem, count: int = TEST) -> dict[str, float]:
    """On the paper's test grid, which is uniform; and on a grid with half of its points inside the layers."""
    uniform = np.linspace(problem.axes[0].left, problem.axes[0].right, count)
    layered = family.points(count, **dict(problem.parameters))
    off, inside = (np.abs(found(x) - exact(problem)(x)) for x in (uniform, layered))
    return {
        "max_error": float(off.max()),
        "mean_error": float(off.mean()),
        "max_error_layer": max(float(inside.max()), float(off.max())),
    }


def curves(found: Evaluates, problem: Problem, end: float, span: float) -> dict[str, list[float]]:
    """The largest |residual| and |error| in bins of the distance from an end, which is what a layer is seen in."""
    edges = np.geomspace(NEAREST, span, BINS + 1)
    fractions = (np.arange(INSIDE) + 0.5) / INSIDE
    distance = edges[:-1, None] * (edges[1:] / edges[:-1])[:, None] ** fractions
    x = np.clip(end + inwards(problem, end) * distance.ravel(), problem.axes[0].left, problem.axes[0].right)
    residual, error = np.abs(np.asarray(found.residual(x))), np.abs(found(x) - exact(problem)(x))
    return {
        "distance": rounded(np.sqrt(edges[:-1] * edges[1:])),
        "residual": rounded(residual.reshape(BINS, INSIDE).max(axis=1)),
        "error": rounded(error.reshape(BINS, INSIDE).max(axis=1)),
    }


def profile(found: Evaluates, problem: Problem, ends: Iterable[float], zoom: float) -> dict[str, list[float]]:
    """u and the exact solution over the domain, and close to these ends of it."""
    everywhere = np.linspace(problem.axes[0].left, problem.axes[0].right, 301)
    near = [end + inwards(problem, end) * np.linspace(0.0, zoom, 161) for end in ends]
    x = np.unique(np.clip(np.concatenate([everywhere, *near]), problem.axes[0].left, problem.axes[0].right))
    # more digits for x: the layer may be thinner than six of them can tell
    return {"x": rounded(x, 12), "u": rounded(found(x)), "exact": rounded(exact(problem)(x))}


def inwards(problem: Problem, end: float) -> float:
    """The sign of steps from this end into the domain."""
    return 1.0 if end == problem.axes[0].left else -1.0


def by_default(solutions: Sequence[Solution]) -> Result:
    """What several equal runs of the default solver say of themselves."""
    first = solutions[0]
    return {
        "neurons": first.neurons,
        "points": first.sites,
        "seconds": float(np.median([one.seconds for one in solutions])),
        "status": first.status,
        "estimate": first.error,
        "tol": first.tol,
    }


def solved(settings: Settings) -> Result:
    """This project's solver as it comes: the third column of the report."""
    family, nu = zoo.family(settings["family"]), settings["nu"]
    problem = family.problem(nu=nu)
    solutions = [solve(problem, settings["tol"]) for _ in range(REPEATS)]
    first, end = solutions[0], family.layers(nu=nu)["x"][-1][0]
    return {
        **errors(first, family, problem),
        **by_default(solutions),
        "gates": [gate.describe() for gate in first.charts[0].gates],
        "curves": curves(first, problem, end, settings["span"]),
        "profile": profile(first, problem, [end], 8 * nu),
    }


def default_task(family: str, nu: float, span: float = 1.0) -> Task:
    settings = {"family": family, "nu": nu, "tol": TOL, "span": span}
    title = f"default solver, {family.replace('_', ' ')}, nu = {nu:g}"
    return Task(DEFAULT, f"{family}-{tag(nu)}", title, 0.5, solved, settings)


def rounded(values: ArrayLike, digits: int = 6) -> list[float]:
    """The values with so many digits: figures need no more, and records stay small."""
    return [float(f"{value:.{digits}g}") for value in np.asarray(values, dtype=float).tolist()]
