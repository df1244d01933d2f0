"""What is written down of anything that solves a problem with a known solution: errors, size, time, curves to draw."""

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from gated_xtfc.problem.problem import Problem
from gated_xtfc.solver.solve import solve
from gated_xtfc.types import Array
from gated_xtfc.zoo import Family

TEST = 20_000  # points
NEAREST = 1e-7  # distance from an end at which curves begin
BINS = 240
INSIDE = 12  # points in a bin


class Evaluates(Protocol):
    def __call__(self, x: Array, order: int = 0) -> Any: ...
    def residual(self, x: Array) -> Any: ...


def errors(found: Evaluates, family: Family, problem: Problem, count: int = TEST) -> dict[str, float]:
    """On the paper's test grid, which is uniform; and on a grid with half of its points inside the layers."""
    exact = problem.exact
    assert exact is not None
    uniform = np.linspace(problem.axis.left, problem.axis.right, count)
    layered = family.points(count, **dict(problem.parameters))
    off, inside = (np.abs(found(x) - exact(x)) for x in (uniform, layered))
    return {
        "max_error": float(off.max()),
        "mean_error": float(off.mean()),
        "max_error_layer": max(float(inside.max()), float(off.max())),
    }


def curves(found: Evaluates, problem: Problem, end: float, span: float) -> dict[str, list[float]]:
    """The largest |residual| and |error| in bins of the distance from an end, which is what a layer is seen in."""
    exact = problem.exact
    assert exact is not None
    edges = np.geomspace(NEAREST, span, BINS + 1)
    fractions = (np.arange(INSIDE) + 0.5) / INSIDE
    distance = edges[:-1, None] * (edges[1:] / edges[:-1])[:, None] ** fractions
    inwards = 1.0 if end == problem.axis.left else -1.0
    x = np.clip(end + inwards * distance.ravel(), problem.axis.left, problem.axis.right)
    residual, error = np.abs(found.residual(x)), np.abs(found(x) - exact(x))
    return {
        "distance": rounded(np.sqrt(edges[:-1] * edges[1:])),
        "residual": rounded(residual.reshape(BINS, INSIDE).max(axis=1)),
        "error": rounded(error.reshape(BINS, INSIDE).max(axis=1)),
    }


def profile(found: Evaluates, problem: Problem, end: float, zoom: float) -> dict[str, list[float]]:
    """u and the exact solution over the domain, and close to one end of it."""
    exact = problem.exact
    assert exact is not None
    inwards = 1.0 if end == problem.axis.left else -1.0
    everywhere = np.linspace(problem.axis.left, problem.axis.right, 301)
    near = end + inwards * np.linspace(0.0, zoom, 161)
    x = np.sort(np.unique(np.clip(np.concatenate([everywhere, near]), problem.axis.left, problem.axis.right)))
    # more digits for x: the layer may be thinner than six of them can tell
    return {"x": [float(f"{v:.12g}") for v in x], "u": rounded(found(x)), "exact": rounded(exact(x))}


def default(family: Family, parameters: Mapping[str, float], tol: float, repeats: int = 5) -> dict[str, Any]:
    """This project's solver as it comes. The time is the median of several: it is milliseconds."""
    problem = family.problem(**parameters)
    solutions = [solve(problem, tol) for _ in range(repeats)]
    solution = solutions[0]
    return {
        **errors(solution, family, problem),
        "neurons": solution.neurons,
        "points": solution.sites,
        "seconds": float(np.median([one.seconds for one in solutions])),
        "status": solution.status,
        "estimate": solution.error,
        "tol": tol,
    }


def rounded(values: Any, digits: int = 6) -> list[float]:
    """For the eye: records stay small."""
    return [float(f"{value:.{digits}g}") for value in np.asarray(values, dtype=float).tolist()]
