"""Gates at corners, where even smooth data leave a weak singularity: u behaves like rho^alpha, often times log rho.

Two sides with values given fix u and all its derivatives along them at their corner, so that the equation leaves a
residual r there: u ~ (r/pi) rho^2 log rho with rho^2 = x^2/a_20 + y^2/a_02. With a mixed derivative the sides meet at
another angle w in the metric of the operator: alpha = pi/w. Kernels so narrow that on their scale this is below the
tolerance, and graded, resolve it. Where a jump of the source meets a side the same happens, with r the jump.
"""

import math
from dataclasses import dataclass

import numpy as np

from gated_xtfc.discretise.axis_patch import AxisPatch
from gated_xtfc.gates import Layer
from gated_xtfc.gates.coordinate import AxisCoordinates, Coordinate, Coordinates
from gated_xtfc.gates.prediction import thinnest_resolvable
from gated_xtfc.operator.linearise import Operator, Points
from gated_xtfc.problem.side import Side
from gated_xtfc.solver.rectangle.grid_operator import GridOperator
from gated_xtfc.types import Array, Orders

GRADING = 0.25
SAMPLES = np.linspace(0.0, 1.0, 9)
MOST_SITES = 60  # of a piece of an axis that are looked at for the size of the solution
MOST_FACTORISED = 1000  # of a piece of a side, whose data are differentiated at its ends
NOISE = 1e-6  # of the terms of the equation: a residual below this is rounding
# Of the length of an axis: the narrowest that a corner may ask for before the residual does. A condition on a slope
# loses digits where kernels are narrow, in proportion.
NARROWEST, SLOPES = 1e-9, 1e-6


@dataclass(frozen=True)
class Corner:
    """Both coordinates of a place on the boundary, and how narrow kernels must be there, along x and along y."""

    place: tuple[float, float]
    thickness: tuple[float, float]


def corner_layers(operator: Operator, coordinates: Coordinates, tol: float) -> tuple[list[Layer], list[Layer]]:
    """Layers for both axes; `coordinates` are those found without them."""
    layers: tuple[list[Layer], list[Layer]] = ([], [])
    size = _size(operator, coordinates)
    for corner in [*_corners(operator, coordinates, tol, size), *_joints(operator, coordinates, tol, size)]:
        for axis in (0, 1):
            place, thickness = corner.place[axis], corner.thickness[axis]
            if math.isfinite(thickness):
                layers[axis].append(Layer(place, max(thickness, thinnest_resolvable(place)), GRADING))
    return layers


def _size(operator: Operator, coordinates: Coordinates) -> float:
    """About how large the solution will be: as its sides say, and what the source makes of an operator on the whole."""
    axes, sides = operator.problem.axes, operator.problem.sides
    # of the places where kernels gather some each, so that no needle stands between them
    x, y = (
        np.unique(np.concatenate([axis.left + axis.length * SAMPLES, *(_some_sites(piece) for piece in pieces)]))
        for axis, pieces in zip(axes, coordinates, strict=True)
    )
    data = max(float(np.abs(side.data(y if side.place[0] == 0 else x)).max()) for side in sides)
    linear = _at(operator, (x, y))
    whole = linear.scale(np.full(x.size, 1.0 / axes[0].length), np.full(y.size, 1.0 / axes[1].length))
    with np.errstate(all="ignore"):
        each = np.abs(linear.source) / whole
    driven = float(each[~np.isnan(each)].max(initial=0.0))
    found = max(data, driven if math.isfinite(driven) else 0.0)
    return found or 1.0


def _some_sites(piece: Coordinate) -> Array:
    sites = AxisPatch.sites_on(piece)
    return sites[:: 1 + sites.size // MOST_SITES]


def _corners(operator: Operator, coordinates: Coordinates, tol: float, size: float) -> list[Corner]:
    sides = operator.problem.sides
    ends = {side.place: _end(side, coordinates[1 - side.place[0]]) for side in sides}
    found = []
    for across in sides[:2]:
        for along in sides[2:]:
            place = across.position, along.position
            linear = _at(operator, (np.array([place[0]]), np.array([place[1]])))
            a: dict[Orders, float] = {o: float(value.flat[0]) for o, value in linear.coefficients.items()}
            if not _finite(linear) or not a.get((2, 0)) or not a.get((0, 2)):
                continue
            values = not across.weights[1] and not along.weights[1]
            if values:
                jet_y, jet_x = ends[across.place][along.place[1]], ends[along.place][across.place[1]]
                jets = {(0, 0): jet_x[0], (1, 0): jet_x[1], (2, 0): jet_x[2], (0, 1): jet_y[1], (0, 2): jet_y[2]}
                terms = [a[o] * jets[o] for o in a if o in jets] + [-float(linear.source.flat[0])]
                leftover = abs(sum(terms))
                if leftover > NOISE * sum(map(abs, terms)):
                    found.append(Corner(place, _thickness(leftover, a, tol * size)))
            angle = _angle(a, across.place[1] == along.place[1])
            if abs(angle - 0.5 * math.pi) > 1e-9:
                found.append(Corner(place, _skew_thickness(operator, angle, values, across, along, tol)))
    return found


def _joints(operator: Operator, coordinates: Coordinates, tol: float, size: float) -> list[Corner]:
    """Where breaks of one axis meet the sides that bound the other, and one another."""
    breaks = [[c.right for c in part[:-1]] for part in coordinates]
    axes = operator.problem.axes
    places = [(x, y) for x in breaks[0] for y in (axes[1].left, axes[1].right, *breaks[1])]
    places += [(x, y) for y in breaks[1] for x in (axes[0].left, axes[0].right)]
    found = []
    for x, y in places:
        near = [
            np.unique(np.clip([place - 1e-9 * axis.length, place + 1e-9 * axis.length], axis.left, axis.right))
            for place, axis in zip((x, y), axes, strict=True)
        ]
        linear = _at(operator, (near[0], near[1]))
        a = {o: float(np.abs(value).max()) for o, value in linear.coefficients.items()}
        jump = float(np.ptp(linear.source)) + size * float(np.ptp(linear.coefficients.get((0, 0), np.zeros(1))))
        if _finite(linear) and jump > 0.0 and a.get((2, 0)) and a.get((0, 2)):
            found.append(Corner((x, y), _thickness(jump, a, tol * size)))
    return found


def _at(operator: Operator, points: Points) -> GridOperator:
    return GridOperator.of(operator.evaluate(points))


def _finite(linear: GridOperator) -> bool:
    return all(bool(np.isfinite(a).all()) for a in (*linear.coefficients.values(), linear.source))


def _end(side: Side, coordinates: AxisCoordinates) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    """Value, first and second derivative of the data at both ends of a side."""
    if side.homogeneous:
        return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    found = []
    for coordinate, end in ((coordinates[0], 0), (coordinates[-1], -1)):
        # coarser where there are more sites than are factorised at once: the budget is not known here
        patch = AxisPatch.on(coordinate.refined(min(1.0, MOST_FACTORISED / AxisPatch.count(coordinate))))
        data, at = side.data(patch.sites), patch.sites[[end]]
        value, first, second = (float((matrix @ data)[0]) for matrix in patch.matrices(at, 2))
        found.append((value, first, second))
    return found[0], found[1]


def _thickness(leftover: float, a: dict[Orders, float], allowed: float) -> tuple[float, float]:
    return (
        math.sqrt(math.pi * allowed * abs(a[2, 0]) / leftover),
        math.sqrt(math.pi * allowed * abs(a[0, 2]) / leftover),
    )


def _angle(a: dict[Orders, float], same: bool) -> float:
    """The angle between the sides in the metric of the operator; at corners left-left and right-right it is one."""
    cosine = -0.5 * a.get((1, 1), 0.0) * math.copysign(1.0, a[2, 0]) / math.sqrt(abs(a[2, 0] * a[0, 2]))
    angle = math.acos(max(-1.0, min(1.0, cosine)))
    return angle if same else math.pi - angle


def _skew_thickness(
    operator: Operator, angle: float, values: bool, across: Side, along: Side, tol: float
) -> tuple[float, float]:
    alike = values or bool(across.weights[1] and along.weights[1])
    exponent = math.pi / angle if alike else 0.5 * math.pi / angle
    part = max(tol ** (1.0 / exponent), NARROWEST if values else SLOPES)
    lengths = [axis.length for axis in operator.problem.axes]
    return part * lengths[0], part * lengths[1]
