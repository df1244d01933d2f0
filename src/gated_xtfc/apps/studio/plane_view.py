"""What the page draws of a solution on a rectangle: values over a grid that is dense in the layers of both axes."""

import numpy as np

from gated_xtfc.apps.studio.frames import Answer, Arrays, Header
from gated_xtfc.apps.studio.view import LISTED, figures
from gated_xtfc.gates import Layer
from gated_xtfc.problem.domain import derivative_name
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solution.rectangle import WRITTEN, RectangleSolution
from gated_xtfc.types import Array

GATED, EVEN = 151, 61  # places on an axis: uniform in the gated coordinate, and uniform in x


def plane_view(solution: RectangleSolution, asked: Problem, derivative: int = 0) -> Answer:
    """`derivative` is a number in the list of those that are offered."""
    axes, exact, field = solution.problem.axes, solution.problem.exact, solution.problem.fields[0]
    orders = WRITTEN[int(np.clip(derivative, 0, len(WRITTEN) - 1))]
    x, y = (
        np.union1d(gated.ravel(), np.linspace(axis.left, axis.right, EVEN))
        for axis, gated in zip(axes, solution.grid(GATED), strict=True)
    )
    values = solution.function.grid(x, y, orders)
    arrays: Arrays = {"u": np.ascontiguousarray(values, dtype=np.float32)}
    for number, place in enumerate((x, y)):
        arrays |= {f"place:{number}": place, f"gated:{number}": along(solution, number, place)}
    off = None
    if exact is not None:
        own = values if orders == (0, 0) else solution.function.grid(x, y)
        off = float(np.abs(own - exact(x[:, None], y[None, :])).max()) / solution.scale
    header: Header = {
        **figures(solution, asked),
        "view": "plane",
        "true_error": off,
        "gates": gates(solution),
        "coordinates": [axis.name for axis in axes],
        "ends": [[axis.left, axis.right] for axis in axes],
        "choices": [derivative_name(field, one, axes) for one in WRITTEN],
        "derivative": WRITTEN.index(orders),
        "range": [float(values.min()), float(values.max())],
    }
    return header, arrays


def along(solution: RectangleSolution, number: int, place: Array) -> Array:
    """The gated coordinate of one axis, moved and scaled onto [0, 1]."""
    chart = solution.charts[number]
    xi = np.asarray(chart.coordinate(place))
    return np.asarray((xi - xi[0]) / (xi[-1] - xi[0]))


def gates(solution: RectangleSolution) -> list[Header]:
    """Where kernels are narrow along each axis, and how narrow: into corners they may be more so than a layer is."""
    found: dict[tuple[int, float], float] = {}
    for number, (axis, own) in enumerate(zip(solution.problem.axes, solution.gates.values(), strict=True)):
        for gate in own:
            if isinstance(gate, Layer) and axis.left <= gate.location <= axis.right:
                place = (number, gate.location)
                found[place] = min(gate.thickness, found.get(place, np.inf))
    sharpest = sorted(found.items(), key=lambda one: one[1])[:LISTED]
    names = [axis.name for axis in solution.problem.axes]
    return [
        {
            "axis": number,
            "x": [location],
            "thickness": thickness,
            "words": f"gate at {names[number]} = {location:.6g}, down to {thickness:.2g}",
        }
        for (number, location), thickness in sharpest
    ]
