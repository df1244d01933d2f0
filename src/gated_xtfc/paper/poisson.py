"""Poisson's equation with a sharp source at nu = 1e-2: kernels in a disk that Bayesian optimisation moves and resizes.

What the paper compares with, finite differences on a grid as coarse as the source is wide, has its own error here.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from gated_xtfc import zoo
from gated_xtfc.baselines.classical import sine_poisson
from gated_xtfc.paper.book import DEFAULT, tag
from gated_xtfc.paper.measure import REPEATS, TOL, by_default, rounded
from gated_xtfc.paper.task import Result, Section, Settings, Size, Task
from gated_xtfc.published import DISK, DISK_RELEASED, FoundDisk, search_disk
from gated_xtfc.solver.solve import solve
from gated_xtfc.types import Array

NAME = "poisson"
PEAK = zoo.family("poisson_peak")
NU = 1e-2
SEED = 0
INTERVALS = 100  # of the paper's finite differences, along each axis
VARIANTS = {"text": DISK, "scripts": DISK_RELEASED}
TITLES = {"text": "as in the text", "scripts": "as in the released scripts"}
FIT = 0.5  # seconds for 31 x 31 + 200 kernels on 70 x 70 sites
OnGrid = Callable[[Array, Array], Array]  # of x (nx,) and y (ny,), (nx, ny)


def searched(settings: Settings) -> Result:
    problem, chosen = PEAK.problem(nu=settings["nu"]), VARIANTS[settings["variant"]]
    disk = replace(chosen.disk, grid=settings["grid"], local=settings["local"], sites=settings["sites"])
    objective = replace(chosen.objective, points=settings["validation"])
    budget = {name: settings[name] for name in ("evaluations", "seed")}
    found = search_disk(problem, replace(chosen, disk=disk, objective=objective, **budget))
    surrogate, at = found.surrogate, stretched(settings)
    nodes, differences = finite_differences(settings["nu"], settings["intervals"])
    on_nodes = surrogate.on_grid(nodes, nodes)
    across, widths = surrogate.details["centres"], surrogate.details["widths"]
    return {
        "nu": settings["nu"],
        "centre": list(found.best.centre),
        "radius": found.best.radius,
        "objective": found.value,
        "measure": objective.measure,
        **errors(surrogate.on_grid, settings),
        "from_differences": float(np.abs(on_nodes - differences).max()),
        "neurons": surrogate.neurons,
        "global": disk.grid**2,
        "local": disk.local,
        "points": surrogate.points,
        "seconds": found.seconds,
        "fit_seconds": surrogate.seconds,
        "evaluations": len(found.evaluations),
        "ridge_used": float(surrogate.details["ridge_used"]),
        "contrast": float(np.median(widths[: disk.grid**2]) / np.median(widths[disk.grid**2 :])),
        "trace": trace(found),
        "solution": picture(nodes, on_nodes),
        "line": line(surrogate.on_grid, settings["nu"]),
        "maps": {**maps(surrogate.on_grid, settings), "residual": table(surrogate.grid_residual(at, at))},
        "kernels": {"x": rounded(across[0], 5), "y": rounded(across[1], 5), "width": rounded(widths, 4)},
    }


def differences(settings: Settings) -> Result:
    """The finite differences that the paper compares with, and their own error."""
    nu, intervals = settings["nu"], settings["intervals"]
    nodes, values = finite_differences(nu, intervals)
    exact = true(nodes, nodes, nu)
    off = np.abs(values - exact)
    return {
        "nu": nu,
        "max_error": float(off.max()),
        "mean_error": float(off.mean()),
        "relative": float(off.max() / np.abs(exact).max()),
        "neurons": (intervals - 1) ** 2,
        "solution": picture(nodes, values),
        "line": {"x": rounded(nodes, 9), "u": rounded(values[:, intervals // 2])},
        "maps": {"at": rounded(nodes, 9), "error": table(off)},
    }


def ours(settings: Settings) -> Result:
    """The default solver of this project."""
    problem = PEAK.problem(nu=settings["nu"])
    solutions = [solve(problem, settings["tol"]) for _ in range(REPEATS)]
    solution = solutions[0]

    def on_grid(x: Array, y: Array) -> Array:
        return np.asarray(solution(x[:, None], y))

    return {
        "nu": settings["nu"],
        **errors(on_grid, settings),
        **by_default(solutions),
        "line": line(on_grid, settings["nu"]),
        "maps": maps(on_grid, settings),
    }


def finite_differences(nu: float, intervals: int) -> tuple[Array, Array]:
    def source(x: Array, y: Array) -> Array:
        value: Array = np.exp(-((x - 0.5) ** 2 + (y - 0.5) ** 2) / (2 * nu**2)) / (2 * np.pi * nu**2)
        return value

    return sine_poisson(source, intervals)


def true(x: Array, y: Array, nu: float) -> Array:
    """The exact solution, a double sine series, on a tensor grid, (nx, ny)."""
    assert callable(PEAK.exact)
    return PEAK.exact(x[:, None], y, nu=nu)


def errors(on_grid: OnGrid, settings: Settings) -> dict[str, float]:
    """On a uniform grid of test points, and on one with half of its lines through the peak."""
    count, nu = settings["test"], settings["nu"]
    uniform = np.linspace(0.0, 1.0, count)
    x, y = PEAK.grid(count, nu=nu)
    exact = true(x, y, nu)
    off, inside = np.abs(on_grid(uniform, uniform) - true(uniform, uniform, nu)), np.abs(on_grid(x, y) - exact)
    largest = max(float(inside.max()), float(off.max()))
    return {
        "max_error": float(off.max()),
        "mean_error": float(off.mean()),
        "max_error_layer": largest,
        "relative": largest / float(np.abs(exact).max()),
    }


def stretched(settings: Settings) -> Array:
    """Points of an axis that show the peak and the whole square in one picture."""
    nu, s = settings["nu"], np.linspace(-1.0, 1.0, settings["pixels"])
    points: Array = 0.5 + nu * np.sinh(s * np.arcsinh(0.5 / nu))
    points[[0, -1]] = 0.0, 1.0
    return points


def maps(on_grid: OnGrid, settings: Settings) -> Result:
    at = stretched(settings)
    return {"at": rounded(at, 9), "error": table(np.abs(on_grid(at, at) - true(at, at, settings["nu"])))}


def line(on_grid: OnGrid, nu: float) -> dict[str, list[float]]:
    """The solution along y = 1/2 near the peak."""
    x = 0.5 + nu * np.linspace(-8.0, 8.0, 161)
    middle = np.array([0.5])
    return {"x": rounded(x, 9), "u": rounded(on_grid(x, middle)[:, 0]), "exact": rounded(true(x, middle, nu)[:, 0])}


def picture(nodes: Array, values: Array) -> Result:
    """The values at every other node, which is enough to draw."""
    return {"at": rounded(nodes[::2], 4), "u": table(values[::2, ::2])}


def table(values: Array) -> list[list[float]]:
    return [rounded(row, 4) for row in values]


def trace(found: FoundDisk) -> dict[str, list[float]]:
    evaluations = found.evaluations
    return {
        "x": rounded([one.centre[0] for one in evaluations]),
        "y": rounded([one.centre[1] for one in evaluations]),
        "radius": rounded([one.radius for one in evaluations]),
        "objective": rounded([one.value for one in evaluations]),
    }


def tasks(size: Size) -> tuple[Task, ...]:
    test, pixels = size.choose((401, 81), (201, 61), (41, 11))
    common = {"nu": NU, "intervals": INTERVALS, "test": test, "pixels": pixels}
    grid, local, sites = size.choose((31, 200, 70), (17, 120, 50), (7, 20, 14))
    evaluations, validation = size.choose((50, 200), (14, 120), (3, 20))
    made = []
    for variant, title in TITLES.items():
        settings = {
            **common, "variant": variant, "grid": grid, "local": local, "sites": sites,
            "evaluations": evaluations, "validation": validation,
        }  # fmt: skip
        cost = 1.0 + FIT * evaluations * (sites / 70) ** 2 * ((grid**2 + local) / 1161) ** 2
        made.append(Task(NAME, variant, f"disk at nu = {NU:g}, {title}", cost, searched, settings, SEED))
    made.append(Task(NAME, "differences", f"finite differences, {INTERVALS} x {INTERVALS}", 0.5, differences, common))
    title = f"default solver, poisson peak, nu = {NU:g}"
    made.append(Task(DEFAULT, f"{PEAK.name}-{tag(NU)}", title, 2.0, ours, {**common, "tol": TOL}))
    return tuple(made)


SECTION = Section(NAME, "Poisson’s equation with a sharp source", tasks)
