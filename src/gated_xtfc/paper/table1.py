"""Table 1 at nu = 1e-4: ungated X-TFC with many neurons, published gated X-TFC with a fifth of them, our default."""

from gated_xtfc import zoo
from gated_xtfc.baselines.ungated import xtfc
from gated_xtfc.paper.book import tag
from gated_xtfc.paper.defaults import default_task
from gated_xtfc.paper.forward import VARIANTS, forward_task
from gated_xtfc.paper.measure import errors
from gated_xtfc.paper.task import Result, Section, Settings, Size, Task

NAME = "table1"
NU = 1e-4


def ungated(settings: Settings) -> Result:
    """Uniform Gaussians, as many training points, normal equations: what the gated method is without its gate."""
    family = zoo.family("convection_diffusion")
    problem = family.problem(nu=settings["nu"])
    found = xtfc(problem, neurons=settings["neurons"], multiplier=settings["multiplier"], ridge=settings["ridge"])
    return {
        **errors(found, family, problem),
        "neurons": found.neurons,
        "points": found.points,
        "seconds": found.seconds,
        "ridge_used": float(found.details["ridge_used"]),
    }


def tasks(size: Size) -> tuple[Task, ...]:
    neurons = size.choose(10_000, 1_000, 100)
    made = []
    for multiplier in (1.5, 1.0):
        settings = {"nu": NU, "neurons": neurons, "multiplier": multiplier, "ridge": 1e-10}
        title = f"X-TFC with {neurons} neurons at nu = {NU:g}, k = {multiplier:g}"
        cost = 60.0 * (neurons / 10_000) ** 3 + 0.5
        made.append(Task(NAME, f"xtfc-k{multiplier:g}-{tag(NU)}", title, cost, ungated, settings))
    gated = (forward_task(variant, NU, size) for variant in VARIANTS)
    return (*made, *gated, default_task("convection_diffusion", NU))


SECTION = Section(NAME, "Table 1", tasks)
