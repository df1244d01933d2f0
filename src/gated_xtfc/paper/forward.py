"""The forward section: the published search at nu = 1e-2, 1e-3 and 1e-4, on three readings of the method. And Table 1.

Table 1 is at nu = 1e-4: ungated X-TFC with many neurons, the searches with a fifth of them, our default.
"""

import numpy as np

from gated_xtfc.baselines.surrogate import Surrogate
from gated_xtfc.baselines.ungated import xtfc
from gated_xtfc.paper.book import tag
from gated_xtfc.paper.measure import MODEL, TEST, curves, default_task, measured, profile, rounded
from gated_xtfc.paper.task import Result, Section, Settings, Size, Task
from gated_xtfc.published import RELEASED, TEXT, TEXT_CLOSED, FoundSplit, search
from gated_xtfc.types import Array
from gated_xtfc.zoo import Family

NUS = (1e-2, 1e-3, 1e-4)
SMALLEST = 1e-4  # the nu of Table 1
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
    problem, chosen = MODEL.problem(nu=settings["nu"]), VARIANTS[settings["variant"]]
    found = search(problem, chosen.sized(settings["centres"], settings["tolerances"]))
    surrogate, details = found.surrogate, found.surrogate.details
    return {
        "split": found.best.splits[0],
        "transition": details["transitions"][0],
        "measure": chosen.objective.measure,
        **of_search(found, MODEL),
        "solves": found.solves,
        "ridge": found.best.ridge,
        "trace": {
            "split": rounded([one.splits[0] for one in found.evaluations], 8),
            **trace(found),
            "seconds": rounded([one.seconds for one in found.evaluations], 3),
        },
        "curves": curves(surrogate, problem, 1.0, 1.0),
        "profile": profile(surrogate, problem, [1.0], 8 * settings["nu"]),
        "kernels": kernels(surrogate),
        "sites": {
            "training sites": thinned(details["sites"], 20),
            "kernel centres": thinned(details["centres"], 20),
            "validation": thinned(chosen.objective.grid(found.best, problem.axes[0]), 8),
            "test": thinned(np.linspace(problem.axes[0].left, problem.axes[0].right, TEST), 200),
        },
    }


def of_search(found: FoundSplit, family: Family) -> Result:
    """What is written down of every search on a line."""
    return {
        "scale": found.best.scale,
        "objective": found.value,
        **measured(found.surrogate, family),
        "seconds": found.seconds,
        "fit_seconds": found.surrogate.seconds,
        "evaluations": len(found.evaluations),
        "ridge_used": float(found.surrogate.details["ridge_used"]),
    }


def trace(found: FoundSplit) -> dict[str, list[float]]:
    return {
        "scale": rounded([one.scale for one in found.evaluations]),
        "objective": rounded([one.value for one in found.evaluations]),
    }


def kernels(surrogate: Surrogate) -> dict[str, list[float]]:
    """As many kernels as are enough to draw, by their distance from the outflow."""
    details, count = surrogate.details, surrogate.neurons
    keep = np.union1d(np.arange(0, count, max(1, count // 400)), np.arange(max(0, count - 20), count))
    return {
        "distance": rounded(1.0 - details["centres"][keep]),
        "width": rounded(details["widths"][keep]),
        "spacing": rounded(np.gradient(details["centres"])[keep]),
        "gate": rounded(details["gates"][0][keep]),
    }


def thinned(points: Array, every: int) -> list[float]:
    """One point in `every`, and the last, for a picture of where they are."""
    return rounded(np.append(points[:-1:every], points[-1]), 9)


def ungated(settings: Settings) -> Result:
    """Uniform Gaussians, as many training points, normal equations: what the gated method is without its gate."""
    problem, asked = MODEL.problem(nu=settings["nu"]), ("neurons", "multiplier", "ridge")
    found = xtfc(problem, **{name: settings[name] for name in asked})
    return {**measured(found, MODEL), "ridge_used": float(found.details["ridge_used"])}


def search_task(variant: str, nu: float, size: Size) -> Task:
    centres = size.choose(1000, 150, 20)
    tolerances = size.choose((1e-4, 1e-1), (1e-3, 5.0), (1e-2, 30.0))
    settings = {"nu": nu, "variant": variant, "centres": centres, "tolerances": list(tolerances)}
    cost = 1.0 + FIT * SOLVES[nu] * (centres / 1000) ** 2
    title = f"search at nu = {nu:g}, {TITLES[variant]}"
    return Task("forward", f"{variant}-{tag(nu)}", title, cost, searched, settings)


def forward_tasks(size: Size) -> tuple[Task, ...]:
    nus = size.choose(NUS, NUS, (1e-2, 1e-4))
    searches = (search_task(variant, nu, size) for nu in nus for variant in VARIANTS)
    return (*searches, *(default_task(MODEL.name, nu) for nu in nus))


def table1_tasks(size: Size) -> tuple[Task, ...]:
    neurons = size.choose(10_000, 1_000, 100)
    made = []
    for multiplier in (1.5, 1.0):
        settings = {"nu": SMALLEST, "neurons": neurons, "multiplier": multiplier, "ridge": 1e-10}
        title = f"X-TFC with {neurons} neurons at nu = {SMALLEST:g}, k = {multiplier:g}"
        cost = 60.0 * (neurons / 10_000) ** 3 + 0.5
        made.append(Task("table1", f"xtfc-k{multiplier:g}-{tag(SMALLEST)}", title, cost, ungated, settings))
    searches = (search_task(variant, SMALLEST, size) for variant in VARIANTS)
    return (*made, *searches, default_task(MODEL.name, SMALLEST))


SECTION = Section("forward", "Forward solution", forward_tasks)
TABLE1 = Section("table1", "Table 1", table1_tasks)
