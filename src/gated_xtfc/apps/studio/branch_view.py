"""What the page draws of a branch: its points as they come, and every solution, for whoever clicks on one."""

from collections.abc import Callable

import numpy as np

from gated_xtfc.apps.studio.frames import Answer, Arrays, Header, Message
from gated_xtfc.apps.studio.limits import LIMITS
from gated_xtfc.apps.studio.statement import Located, number_in
from gated_xtfc.apps.studio.view import of_many
from gated_xtfc.branches.branch import Branch, BranchPoint
from gated_xtfc.branches.follow import branch
from gated_xtfc.problem.file import Guidance
from gated_xtfc.problem.problem import Problem

POINTS = 241  # of every solution
MOST = 150  # points on each curve in each direction


def branch_of(
    message: Message, problem: Problem, guidance: Guidance, tol: float, progress: Callable[[Header], None]
) -> Branch:
    """The branch that the page asks for; each point is told with its solution."""
    name, show = message.get("along"), message.get("show")
    if name not in problem.parameters:
        raise Located("along", "choose the parameter along which solutions are followed")
    low, high = (number_in("along", message.get(end), f"the {end} value of {name}") for end in ("first", "last"))
    if low == high:
        raise Located("along", f"both ends of the range of {name} are {low:g}: give two different ones")

    def told(point: BranchPoint) -> None:
        x, fields = curve(point)
        lists = {name: values.tolist() for name, values in fields.items()}
        progress({"point": {**point.summary(), "x": x.tolist(), "fields": lists}})

    return branch(
        problem, str(name), (low, high), tol, show=show.strip() if isinstance(show, str) else (), guess=guidance.guess,
        max_points=MOST, max_seconds=0.8 * LIMITS.seconds_for("branch"), progress=told,
    )  # fmt: skip


def curve(point: BranchPoint) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """The solution at places uniform in its gated coordinate."""
    x = point.solution.points(POINTS)
    return x, {name: np.asarray(point.solution[name](x)) for name in point.solution.problem.fields}


def branch_view(found: Branch, asked: Problem) -> Answer:
    curves = [curve(point) for point in found.points]
    summary = found.summary()
    arrays: Arrays = {"x": np.stack([x for x, _ in curves])}
    arrays |= {f"u:{name}": np.stack([fields[name] for _, fields in curves]) for name in asked.fields}
    header: Header = {
        **of_many(asked),
        "view": "branch",
        "status": "converged",
        "message": summary["message"],
        "points": summary["points"],
        "along": found.name,
        "range": summary["range"],
        "show": summary["show"],
        "error": max(point.solution.error for point in found.points),
        "tol": found.tol,
        "neurons": max(point.solution.neurons for point in found.points),
        "rounds": len(found.points),
        "seconds": found.seconds,
        "scale": max(max(point.solution.scales) for point in found.points),
        "fields": list(asked.fields),
        "ends": [float(arrays["x"].min()), float(arrays["x"].max())],
    }
    return header, arrays
