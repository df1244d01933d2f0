"""The methods that the paper compares with, run here on its model problem from nu = 1 down to 1e-4.

One set-up for all nu, the same for all methods of a kind: the paper quotes errors from a study, not its settings.
"""

import math
from collections.abc import Callable, Mapping
from functools import partial

from gated_xtfc.baselines.surrogate import Surrogate
from gated_xtfc.baselines.training import Budget, deep_tfc, pinn
from gated_xtfc.baselines.ungated import pielm, xtfc
from gated_xtfc.paper.book import tag
from gated_xtfc.paper.measure import MODEL, default_task, measured
from gated_xtfc.paper.task import Result, Section, Settings, Size, Task

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
SOLVERS: Mapping[str, Callable[..., Surrogate]] = {
    "pinn": pinn,
    "deep_tfc": deep_tfc,
    "pielm": pielm,
    "pielm-square": pielm,
    "xtfc-random": partial(xtfc, features="tanh", layout="random"),
    "xtfc-gaussian": partial(xtfc, features="gaussian"),
    "xtfc-chebyshev": partial(xtfc, features="chebyshev"),
}


def run_method(settings: Settings) -> Result:
    if "budget" in settings:
        given: Settings = {"budget": Budget(**settings["budget"])}
    else:
        given = {name: settings[name] for name in ("neurons", "points")}
    found = SOLVERS[settings["method"]](MODEL.problem(nu=settings["nu"]), **given, seed=settings["seed"])
    loss = found.details.get("final_loss", math.nan)
    return {**measured(found, MODEL), "settings": dict(found.settings), "final_loss": loss}


def tasks(size: Size) -> tuple[Task, ...]:
    nus = size.choose(NUS, NUS, (1.0, 1e-2))
    made = []
    for method, title in METHODS.items():
        settings, cost = set_up(method, size)
        for nu in nus:
            given = {"method": method, "nu": nu, **settings}
            made.append(Task(NAME, f"{method}-{tag(nu)}", f"{title}, at nu = {nu:g}", cost, run_method, given, SEED))
    return (*made, *(default_task(MODEL.name, nu) for nu in nus))


def set_up(method: str, size: Size) -> tuple[Result, float]:
    """Settings and seconds. Twice as many points as neurons: random features go astray between as many points."""
    if method in ("pinn", "deep_tfc"):
        adam, lbfgs = size.choose((3_000, 5_000), (300, 300), (20, 20))
        narrower = {} if size is Size.FULL else {"width": 20}
        return {"budget": {"adam_steps": adam, "lbfgs_steps": lbfgs, **narrower}}, 1.0 + 0.004 * (adam + lbfgs)
    if method == "xtfc-chebyshev":
        degree = size.choose(400, 400, 60)
        return {"neurons": degree, "points": 2 * degree}, 0.5
    neurons = size.choose(2000, 400, 60)
    if method == "xtfc-gaussian":
        return {"neurons": neurons, "points": neurons}, 0.7 * (neurons / 2000) ** 2 + 0.2  # as in table 1
    points = neurons if method == "pielm-square" else 2 * neurons
    return {"neurons": neurons, "points": points}, 0.5 + 5.0 * points / 2000 * (neurons / 2000) ** 2


SECTION = Section(NAME, "The state of the art", tasks)
