"""Twin boundary layers at nu = 1e-4: three blocks, both splits and the transition scale by Bayesian optimisation."""

from dataclasses import replace

import numpy as np

from gated_xtfc import zoo
from gated_xtfc.baselines.surrogate import Surrogate
from gated_xtfc.paper.defaults import default_task
from gated_xtfc.paper.measure import curves, errors, rounded
from gated_xtfc.paper.task import Result, Section, Settings, Size, Task
from gated_xtfc.problem.problem import Problem
from gated_xtfc.published import TWIN, TWIN_LITERAL, search
from gated_xtfc.types import Array

NAME = "twin"
NU = 1e-4
SEED = 0
FIT = 3.0  # seconds for 3 x 1200 centres


def optimised(settings: Settings) -> Result:
    family = zoo.family("twin_layers")
    problem = family.problem(nu=settings["nu"])
    chosen = TWIN if settings["closed"] else TWIN_LITERAL
    sized = replace(chosen.split, centres=settings["centres"], sites=settings["centres"])
    found = search(problem, replace(chosen, split=sized, evaluations=settings["evaluations"], seed=settings["seed"]))
    surrogate = found.surrogate
    return {
        "nu": settings["nu"],
        "splits": list(found.best.splits),
        "scale": found.best.scale,
        "transitions": list(surrogate.details["transitions"]),
        "objective": found.value,
        **errors(surrogate, family, problem),
        "neurons": surrogate.neurons,
        "points": surrogate.points,
        "seconds": found.seconds,
        "fit_seconds": surrogate.seconds,
        "evaluations": len(found.evaluations),
        "ridge_used": float(surrogate.details["ridge_used"]),
        "trace": {
            "left": rounded([one.splits[0] for one in found.evaluations]),
            "right": rounded([one.splits[-1] for one in found.evaluations], 9),
            "scale": rounded([one.scale for one in found.evaluations]),
            "objective": rounded([one.value for one in found.evaluations]),
        },
        "curves": {"left": curves(surrogate, problem, 0.0, 0.5), "right": curves(surrogate, problem, 1.0, 0.5)},
        "profile": both_ends(surrogate, problem, 8 * settings["nu"]),
        "kernels": kernels(surrogate),
    }


def both_ends(found: Surrogate, problem: Problem, zoom: float) -> dict[str, list[float]]:
    near = np.linspace(0.0, zoom, 161)
    x: Array = np.unique(np.concatenate([near, np.linspace(0.0, 1.0, 301), 1.0 - near]))
    assert problem.exact is not None
    return {"x": [float(f"{v:.12g}") for v in x], "u": rounded(found(x)), "exact": rounded(problem.exact(x))}


def kernels(found: Surrogate) -> dict[str, list[float] | list[list[float]]]:
    """Every tenth kernel or so: enough to draw."""
    centres, step = found.details["centres"], max(1, found.neurons // 400)
    return {
        "x": rounded(centres[::step], 9),
        "width": rounded(found.details["widths"][::step]),
        "spacing": rounded(np.gradient(centres)[::step]),
        "gates": [rounded(gate[::step]) for gate in found.details["gates"]],
    }


def tasks(size: Size) -> tuple[Task, ...]:
    centres, evaluations = size.choose((1200, 60), (150, 16), (30, 9))
    made = []
    for closed in (True, False):
        settings = {"nu": NU, "centres": centres, "closed": closed, "evaluations": evaluations}
        grid = "right end included" if closed else "grid as printed"
        cost = FIT * evaluations * (centres / 1200) ** 2 + 2.0
        title = f"twin layers at nu = {NU:g}, {grid}"
        made.append(Task(NAME, "closed" if closed else "literal", title, cost, optimised, settings, SEED))
    return (*made, default_task("twin_layers", NU, 0.5))


SECTION = Section(NAME, "Twin boundary layers", tasks)
