"""The forward section: the published search at nu = 1e-2, 1e-3 and 1e-4, on three readings of the method."""

from dataclasses import replace

import numpy as np

from gated_xtfc import zoo
from gated_xtfc.baselines.surrogate import Surrogate
from gated_xtfc.paper.book import tag
from gated_xtfc.paper.defaults import default_task
from gated_xtfc.paper.measure import TEST, curves, errors, profile, rounded
from gated_xtfc.paper.task import Result, Section, Settings, Size, Task
from gated_xtfc.published import RELEASED, TEXT, TEXT_CLOSED, FoundSplit, search

NAME = "forward"
NUS = (1e-2, 1e-3, 1e-4)
VARIANTS = {"closed": TEXT_CLOSED, "literal": TEXT, "scripts": RELEASED}
TITLES = {
    "closed": "text, right end included",
    "literal": "text, grid as printed",
    "scripts": "variant of the released scripts",
}
SHORT = {"closed": "right end included", "literal": "grid as printed", "scripts": "scripts' variant"}
# Solves that a search makes, and seconds for one of them: at large nu the transition is at its physical bound.
SOLVES = {1e-2: 15, 1e-3: 90, 1e-4: 180}
FIT = 0.7


def searched(settings: Settings) -> Result:
    family = zoo.family("convection_diffusion")
    problem = family.problem(nu=settings["nu"])
    chosen = VARIANTS[settings["variant"]]
    sized = replace(chosen.split, centres=settings["centres"], sites=settings["centres"])
    tolerances = settings["tolerances"]
    found = search(problem, replace(chosen, split=sized, place_tolerance=tolerances[0], scale_tolerance=tolerances[1]))
    surrogate = found.surrogate
    return {
        "split": found.best.splits[0],
        "scale": found.best.scale,
        "transition": surrogate.details["transitions"][0],
        "objective": found.value,
        "measure": chosen.objective.measure,
        **errors(surrogate, family, problem),
        "neurons": surrogate.neurons,
        "points": surrogate.points,
        "seconds": found.seconds,
        "fit_seconds": surrogate.seconds,
        "evaluations": len(found.evaluations),
        "solves": found.solves,
        "ridge": found.best.ridge,
        "ridge_used": float(surrogate.details["ridge_used"]),
        "trace": trace(found),
        "curves": curves(surrogate, problem, 1.0, 1.0),
        "profile": profile(surrogate, problem, 1.0, 8 * settings["nu"]),
        "kernels": kernels(surrogate),
        "sites": {
            "training sites": thinned(surrogate.details["sites"], 20),
            "kernel centres": thinned(surrogate.details["centres"], 20),
            "validation": thinned(chosen.objective.grid(found.best, problem.axis), 8),
            "test": thinned(np.linspace(problem.axis.left, problem.axis.right, TEST), 200),
        },
    }


def trace(found: FoundSplit) -> dict[str, list[float]]:
    evaluations = found.evaluations
    return {
        "split": rounded([one.splits[0] for one in evaluations], 8),
        "scale": rounded([one.scale for one in evaluations]),
        "objective": rounded([one.value for one in evaluations]),
        "seconds": rounded([one.seconds for one in evaluations], 3),
    }


def kernels(surrogate: Surrogate) -> dict[str, list[float]]:
    """Enough of them to draw, by their distance from the outflow."""
    centres = surrogate.details["centres"]
    step = max(1, centres.size // 400)
    keep = np.unique(
        np.concatenate([np.arange(0, centres.size, step), np.arange(max(0, centres.size - 20), centres.size)])
    )
    return {
        "distance": rounded(1.0 - centres[keep]),
        "width": rounded(surrogate.details["widths"][keep]),
        "spacing": rounded(np.gradient(centres)[keep]),
        "gate": rounded(surrogate.details["gates"][0][keep]),
    }


def thinned(points: np.ndarray, every: int) -> list[float]:
    """One in `every`, and the last, for a picture of where they are."""
    return rounded(np.append(points[:-1:every], points[-1]), 9)


def forward_task(variant: str, nu: float, size: Size) -> Task:
    centres = size.choose(1000, 150, 20)
    tolerances = size.choose((1e-4, 1e-1), (1e-3, 5.0), (1e-2, 30.0))
    settings = {"nu": nu, "variant": variant, "centres": centres, "tolerances": list(tolerances)}
    cost = 1.0 + FIT * SOLVES[nu] * (centres / 1000) ** 2
    return Task(NAME, f"{variant}-{tag(nu)}", f"search at nu = {nu:g}, {TITLES[variant]}", cost, searched, settings)


def tasks(size: Size) -> tuple[Task, ...]:
    nus = size.choose(NUS, NUS, (1e-2, 1e-4))
    searches = (forward_task(variant, nu, size) for nu in nus for variant in VARIANTS)
    return (*searches, *(default_task("convection_diffusion", nu) for nu in nus))


SECTION = Section(NAME, "Forward solution", tasks)
