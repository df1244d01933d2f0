"""Twin boundary layers at nu = 1e-4: three blocks, both splits and the transition scale by Bayesian optimisation."""

from dataclasses import replace

import numpy as np

from gated_xtfc import zoo
from gated_xtfc.baselines.surrogate import Surrogate
from gated_xtfc.paper.forward import SHORT, of_search, trace
from gated_xtfc.paper.measure import curves, default_task, profile, rounded
from gated_xtfc.paper.task import Result, Section, Settings, Size, Task
from gated_xtfc.published import TWIN, TWIN_LITERAL, search

NAME = "twin"
FAMILY = "twin_layers"
NU = 1e-4
SEED = 0
FIT = 3.0  # seconds for 3 x 1200 centres
VARIANTS = ("closed", "literal")  # the right end included, the grid as printed


def optimised(settings: Settings) -> Result:
    family, chosen = zoo.family(FAMILY), TWIN if settings["closed"] else TWIN_LITERAL
    problem = family.problem(nu=settings["nu"])
    sized = replace(chosen.split, centres=settings["centres"], sites=settings["centres"])
    found = search(problem, replace(chosen, split=sized, evaluations=settings["evaluations"], seed=settings["seed"]))
    surrogate = found.surrogate
    return {
        "nu": settings["nu"],
        "splits": list(found.best.splits),
        "transitions": list(surrogate.details["transitions"]),
        **of_search(found, family),
        "trace": {
            "left": rounded([one.splits[0] for one in found.evaluations]),
            "right": rounded([one.splits[-1] for one in found.evaluations], 9),
            **trace(found),
        },
        "curves": {"left": curves(surrogate, problem, 0.0, 0.5), "right": curves(surrogate, problem, 1.0, 0.5)},
        "profile": profile(surrogate, problem, (0.0, 1.0), 8 * settings["nu"]),
        "kernels": kernels(surrogate),
    }


def kernels(found: Surrogate) -> Result:
    """Every tenth kernel or so, which is enough to draw."""
    details, step = found.details, max(1, found.neurons // 400)
    return {
        "x": rounded(details["centres"][::step], 9),
        "width": rounded(details["widths"][::step]),
        "spacing": rounded(np.gradient(details["centres"])[::step]),
        "gates": [rounded(gate[::step]) for gate in details["gates"]],
    }


def tasks(size: Size) -> tuple[Task, ...]:
    centres, evaluations = size.choose((1200, 60), (150, 16), (30, 9))
    cost = FIT * evaluations * (centres / 1200) ** 2 + 2.0
    made = []
    for variant in VARIANTS:
        settings = {"nu": NU, "centres": centres, "closed": variant == "closed", "evaluations": evaluations}
        title = f"twin layers at nu = {NU:g}, {SHORT[variant]}"
        made.append(Task(NAME, variant, title, cost, optimised, settings, SEED))
    return (*made, default_task(FAMILY, NU, 0.5))


SECTION = Section(NAME, "Twin boundary layers", tasks)
