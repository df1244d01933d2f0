"""What the page draws of a solution: points dense in the layers and enough elsewhere, and the figures in words."""

import math
from typing import TypedDict

import numpy as np
from numpy.typing import ArrayLike

from gated_xtfc.apps.studio.frames import Answer, Arrays, Header
from gated_xtfc.gates import Layer
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solution.interval import IntervalSolution
from gated_xtfc.types import Array

FEWEST, MOST = 600, 6_000  # points along the gated coordinate
EVEN = 240  # points more, uniform in x
BELOW = 240  # points of the panels below the curve
FIGURES = ("status", "message", "error", "tol", "neurons", "sites", "rounds", "seconds", "continuation")


class GateMark(TypedDict):
    """A gate on the page: where it begins and ends, over x and along the gated coordinate."""

    x: list[float]
    xi: list[float]
    thickness: float
    words: str


def view(solution: IntervalSolution, asked: Problem, derivative: int = 0) -> Answer:
    """`asked` is the problem as stated: a solution that could not be followed to the end is one of another member."""
    problem = solution.problem
    axis, order = solution.window[0], int(np.clip(derivative, 0, min(problem.order.values())))
    # a wave is a few kernels long: some points each
    count = int(np.clip(6 * solution.neurons / len(problem.fields), FEWEST, MOST))
    x = np.union1d(solution.points(count), np.linspace(axis.left, axis.right, EVEN))
    below = solution.points(BELOW)
    fields = {name: np.asarray(solution[name](x, order)) for name in problem.fields}
    exacts = {} if order else {name: exact(x) for name, exact in problem.exacts.items()}
    scales = dict(zip(problem.fields, solution.scales, strict=True))
    ends = np.asarray(solution.coordinate(np.array([axis.left, axis.right])))
    arrays: Arrays = {"x": x, "xi": along(solution, x, ends)}
    arrays |= {f"u:{name}": values for name, values in fields.items()}
    arrays |= {f"exact:{name}": values for name, values in exacts.items()}
    arrays |= {"below:x": below, "below:xi": along(solution, below, ends)}
    panels = {"width": np.asarray(solution.width(below)), "residual": largest(solution.scaled_residual(below))}
    off = [np.abs(solution[name](below) - exact(below)) / scales[name] for name, exact in problem.exacts.items()]
    if off:
        panels["error"] = np.max(off, axis=0)
    arrays |= {f"below:{name}": values.astype(np.float32) for name, values in panels.items()}
    # at the points that are drawn: twenty thousand, as in `true_error`, would take ten times as long as the solve
    errors = [float(np.abs(fields[name] - exact).max()) / scales[name] for name, exact in exacts.items()]
    errors += [float(one.max()) for one in off]
    header: Header = {
        **{name: getattr(solution, name) for name in FIGURES},
        "true_error": max(errors, default=None),
        "gates": gates(solution, ends),
        "breaks": list(solution.breaks),
        "fields": list(problem.fields),
        "orders": dict(problem.order),
        "coordinate": axis.name,
        "ends": [axis.left, axis.right],
        "linear": problem.linear,
        "derivative": order,
        "parameters": dict(asked.parameters),
        "shown": {name: problem.parameters[name] for name in asked.parameters},
        "constants": dict(solution.unknown_values),
    }
    return header, arrays


def along(solution: IntervalSolution, x: Array, ends: Array) -> Array:
    """The gated coordinate, moved and scaled onto [0, 1]."""
    xi: Array = (np.asarray(solution.coordinate(x)) - ends[0]) / (ends[1] - ends[0])
    return xi


def gates(solution: IntervalSolution, ends: Array) -> list[GateMark]:
    """Places inside the domain, with the words the library has for each gate."""
    axis = solution.window[0]
    found = list[GateMark]()
    for gate in solution.gates:
        edges = [gate.location] if isinstance(gate, Layer) else [gate.left_x, gate.right_x]
        if all(math.isfinite(x) for x in edges) and axis.left <= edges[0] and edges[-1] <= axis.right:
            thickness = gate.thickness if isinstance(gate, Layer) else edges[-1] - edges[0]
            places = along(solution, np.array(edges), ends).tolist()
            found.append({"x": edges, "xi": places, "thickness": thickness, "words": gate.describe()})
    return found


def largest(residual: ArrayLike) -> Array:
    """Over the equations of a system, which come as rows."""
    sizes: Array = np.abs(np.atleast_2d(residual)).max(axis=0)
    return sizes
