"""The methods that the paper compares with, run here on its model problem from nu = 1 down to 1e-4.

One set-up for all nu, the same for all methods of a kind: the paper quotes errors from a study, not its settings.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any

from gated_xtfc import zoo
from gated_xtfc.baselines.surrogate import Surrogate
from gated_xtfc.baselines.training import Budget, deep_tfc, pinn
from gated_xtfc.baselines.ungated import pielm, xtfc
from gated_xtfc.paper.book import tag
from gated_xtfc.paper.defaults import default_task
from gated_xtfc.paper.measure import errors
from gated_xtfc.paper.task import Result, Section, Settings, Size, Task
from gated_xtfc.problem.problem import Problem

NAME = "state_of_the_art"
NUS = (1.0, 1e-1, 1e-2, 1e-3, 1e-4)
SEED = 0
METHODS = {
    "pinn": "PINN",
    "deep_tfc": "Deep-TFC",
    "pielm": "PIELM",
    "pielm-square": "PIELM, as many points as neurons",
    "xtfc-random": "X-TFC, random tanh",
    "xtfc-gaussian": "X-TFC, uniform Gaussians",
    "xtfc-chebyshev": "X-TFC, Chebyshev polynomials",
}


def trained_pinn(problem: Problem, settings: Settings) -> Surrogate:
    return pinn(problem, budget=Budget(**settings["budget"]), seed=settings["seed"])


def trained_deep_tfc(problem: Problem, settings: Settings) -> Surrogate:
    return deep_tfc(problem, budget=Budget(**settings["budget"]), seed=settings["seed"])


def fitted_pielm(problem: Problem, settings: Settings) -> Surrogate:
    return pielm(problem, neurons=settings["neurons"], points=settings["points"], seed=settings["seed"])


def fitted_random(problem: Problem, settings: Settings) -> Surrogate:
    neurons, points = settings["neurons"], settings["points"]
    return xtfc(problem, features="tanh", layout="random", neurons=neurons, points=points, seed=settings["seed"])


def fitted_gaussian(problem: Problem, settings: Settings) -> Surrogate:
    neurons, points = settings["neurons"], settings["points"]
    return xtfc(problem, features="gaussian", neurons=neurons, points=points, seed=settings["seed"])


def fitted_chebyshev(problem: Problem, settings: Settings) -> Surrogate:
    neurons, points = settings["neurons"], settings["points"]
    return xtfc(problem, features="chebyshev", neurons=neurons, points=points, seed=settings["seed"])


SOLVERS: Mapping[str, Callable[[Problem, Settings], Surrogate]] = {
    "pinn": trained_pinn,
    "deep_tfc": trained_deep_tfc,
    "pielm": fitted_pielm,
    "pielm-square": fitted_pielm,
    "xtfc-random": fitted_random,
    "xtfc-gaussian": fitted_gaussian,
    "xtfc-chebyshev": fitted_chebyshev,
}


def measured(settings: Settings) -> Result:
    family = zoo.family("convection_diffusion")
    problem = family.problem(nu=settings["nu"])
    found = SOLVERS[settings["method"]](problem, settings)
    return {
        **errors(found, family, problem),
        "neurons": found.neurons,
        "points": found.points,
        "seconds": found.seconds,
        "settings": dict(found.settings),
        "final_loss": found.details.get("final_loss", math.nan),
    }


def tasks(size: Size) -> tuple[Task, ...]:
    nus = size.choose(NUS, NUS, (1.0, 1e-2))
    made = []
    for method, title in METHODS.items():
        settings, cost = set_up(method, size)
        for nu in nus:
            given = {"method": method, "nu": nu, **settings}
            made.append(Task(NAME, f"{method}-{tag(nu)}", f"{title}, at nu = {nu:g}", cost, measured, given, SEED))
    return (*made, *(default_task("convection_diffusion", nu) for nu in nus))


def set_up(method: str, size: Size) -> tuple[dict[str, Any], float]:
    """Settings and seconds. Twice as many points as neurons: random features go astray between as many points."""
    if method in ("pinn", "deep_tfc"):
        adam, lbfgs = size.choose((3_000, 5_000), (300, 300), (20, 20))
        budget = {"adam_steps": adam, "lbfgs_steps": lbfgs} | size.choose({}, {"width": 20}, {"width": 20})
        return {"budget": budget}, 1.0 + 0.004 * (adam + lbfgs)
    if method == "xtfc-chebyshev":
        degree = size.choose(400, 400, 60)
        return {"neurons": degree, "points": 2 * degree}, 0.5
    neurons = size.choose(2000, 400, 60)
    if method == "xtfc-gaussian":
        return {"neurons": neurons, "points": neurons}, 0.7 * (neurons / 2000) ** 2 + 0.2  # as in table 1
    points = neurons if method == "pielm-square" else 2 * neurons
    return {"neurons": neurons, "points": points}, 0.5 + 5.0 * points / 2000 * (neurons / 2000) ** 2


SECTION = Section(NAME, "The state of the art", tasks)
