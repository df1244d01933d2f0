"""What the page draws of a solution: points dense in the layers and enough elsewhere, and the figures in words."""

import math
from typing import TypedDict

import numpy as np
from numpy.typing import ArrayLike

from gated_xtfc.apps.studio.frames import Answer, Arrays, Header
from gated_xtfc.gates import Block, Layer
from gated_xtfc.gates.bends import layers_at_bends
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solution.base import Solution
from gated_xtfc.solution.interval import IntervalSolution
from gated_xtfc.types import Array

FEWEST, MOST = 600, 6_000  # points along the gated coordinate
EVEN = 240  # points more, uniform in x
BENDS = 2_000  # points at which the solution is looked at for bends
BELOW = 240  # points of the panels below the curve
LISTED = 8  # features
SEEN = 1e-3  # of the largest bend: what bends the solution less is not listed
REACH = 30.0  # thicknesses within which two layers are one feature: both sides of a shock
FAR = 0.1  # of the domain: what is further apart is not one feature, however thick
STEEP = 1.5  # times the mean slope: less is no jump
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
        **figures(solution, asked),
        "view": "interval",
        "true_error": max(errors, default=None),
        "gates": gates(solution, ends),
        "breaks": list(solution.breaks),
        "orders": dict(problem.order),
        "coordinate": axis.name,
        "ends": [axis.left, axis.right],
        "derivative": order,
    }
    return header, arrays


def figures(solution: Solution, asked: Problem) -> Header:
    """What every picture says beside itself."""
    problem = solution.problem
    return {
        **{name: getattr(solution, name) for name in FIGURES},
        "scale": max(solution.scales),
        "fields": list(problem.fields),
        "linear": problem.linear,
        "parameters": dict(asked.parameters),
        "shown": {name: problem.parameters[name] for name in asked.parameters},
        "constants": dict(solution.unknown_values),
    }


def of_many(asked: Problem) -> Header:
    """What the picture of many solutions, modes or a branch, says as one of a single solution does."""
    return {
        "coordinate": asked.axes[0].name,
        "gates": [],
        "derivative": 0,
        "parameters": dict(asked.parameters),
        "shown": dict(asked.parameters),
        "constants": {},
        "continuation": None,
    }


def along(solution: IntervalSolution, x: Array, ends: Array) -> Array:
    """The gated coordinate, moved and scaled onto [0, 1]."""
    xi: Array = (np.asarray(solution.coordinate(x)) - ends[0]) / (ends[1] - ends[0])
    return xi


def gates(solution: IntervalSolution, ends: Array) -> list[GateMark]:
    """The features that gates stand for: those that touch are one, where the solution is steepest; sharp ones first."""
    axis = solution.window[0]
    blocks = [gate for gate in solution.gates if isinstance(gate, Block)]
    layers = [gate for gate in solution.gates if isinstance(gate, Layer)]
    if not solution.problem.linear:
        # refinement found these layers, with or without a gate of their own: the solution shows where they are
        x, blocks = solution.points(BENDS), []
        for name, order in solution.problem.order.items():
            curvature = solution[name](x, 2) if order > 1 else np.gradient(np.asarray(solution[name](x, order)), x)
            layers += layers_at_bends(x, np.asarray(curvature))
    layers = [gate for gate in layers if axis.left <= gate.location <= axis.right]
    found = list[GateMark]()
    groups = touching(layers, axis.length)
    bends = [max(bend(solution, gate) for gate in group) for group in groups]
    largest_bend = max((one for one in bends if math.isfinite(one)), default=0.0)
    for group, bent in zip(groups, bends, strict=True):
        if bent < SEEN * largest_bend:
            continue  # the equation could have had a layer there, and has none
        place, thickness = steepest(solution, group), min(gate.thickness for gate in group)
        words = group[0].describe() if len(group) == 1 else f"layer at {place:.6g}, thickness {thickness:.3g}"
        found.append(mark(solution, ends, [place], thickness, words))
    for block in blocks:
        edges = [block.left_x, block.right_x]
        if all(math.isfinite(x) for x in edges) and axis.left <= edges[0] and edges[-1] <= axis.right:
            found.append(mark(solution, ends, edges, edges[1] - edges[0], block.describe()))
    return sorted(found, key=lambda one: one["thickness"])[:LISTED]


def mark(solution: IntervalSolution, ends: Array, edges: list[float], thickness: float, words: str) -> GateMark:
    return {"x": edges, "xi": along(solution, np.array(edges), ends).tolist(), "thickness": thickness, "words": words}


def touching(layers: list[Layer], length: float) -> list[list[Layer]]:
    """Layers in groups, each of which reaches its neighbour's."""
    groups: list[list[Layer]] = []
    for gate in sorted(layers, key=lambda one: one.location):
        before = groups[-1][-1] if groups else None
        reach = 0.0 if before is None else min(REACH * min(gate.thickness, before.thickness), FAR * length)
        if before is not None and gate.location - before.location <= reach:
            groups[-1].append(gate)
        else:
            groups.append([gate])
    return groups


def bend(solution: IntervalSolution, gate: Layer) -> float:
    """How far the fields leave a straight line across a layer, relative to their size."""
    axis, reach = solution.window[0], 5.0 * gate.thickness
    middle = min(max(gate.location, axis.left + reach), axis.right - reach)
    if axis.length <= 2.0 * reach:
        return math.inf
    x = np.array([middle - reach, middle, middle + reach])
    fields = zip(solution.problem.fields, solution.scales, strict=True)
    return max(abs(float(np.diff(solution[name](x), 2)[0])) / scale for name, scale in fields)


def steepest(solution: IntervalSolution, group: list[Layer]) -> float:
    """Where the first field changes fastest among gates that touch; of one alone, its own place.

    Where it changes as fast all over them there is no jump between them: then where it bends most.
    """
    if len(group) == 1:
        return group[0].location
    x = np.linspace(group[0].location, group[-1].location, 400)
    slopes = np.abs(solution[solution.problem.fields[0]](x, 1))
    if slopes.max() < STEEP * slopes.mean():
        slopes = np.abs(np.gradient(slopes, x))
    return float(x[np.argmax(slopes)])


def largest(residual: ArrayLike) -> Array:
    """Over the equations of a system, which come as rows."""
    sizes: Array = np.abs(np.atleast_2d(residual)).max(axis=0)
    return sizes
