"""The third column: this project's solver as it comes, on the problems of the paper. Milliseconds each."""

from gated_xtfc import zoo
from gated_xtfc.paper.book import DEFAULT, tag
from gated_xtfc.paper.measure import curves, default, profile
from gated_xtfc.paper.task import Result, Settings, Task
from gated_xtfc.solver.solve import solve

TOL = 1e-8  # the one that `solve` has unless told otherwise


def solved(settings: Settings) -> Result:
    family, parameters = zoo.family(settings["family"]), {"nu": settings["nu"]}
    solution = solve(family.problem(**parameters), settings["tol"])
    end = family.layers(**parameters)["x"][-1][0]
    return {
        **default(family, parameters, settings["tol"]),
        "gates": [gate.describe() for gate in solution.gates],
        "curves": curves(solution, solution.problem, end, settings["span"]),
        "profile": profile(solution, solution.problem, end, 8 * settings["nu"]),
    }


def default_task(family: str, nu: float, span: float = 1.0) -> Task:
    settings = {"family": family, "nu": nu, "tol": TOL, "span": span}
    title = f"default solver, {family.replace('_', ' ')}, nu = {nu:g}"
    return Task(DEFAULT, f"{family}-{tag(nu)}", title, 0.5, solved, settings)
