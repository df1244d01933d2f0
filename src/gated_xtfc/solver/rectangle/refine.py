"""Where the axes do not resolve the solution yet: logistic blocks there, or all of an axis denser, as on a line."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gated_xtfc.discretise.axis_grid import Line
from gated_xtfc.gates import Layer
from gated_xtfc.gates.coordinate import Coordinate
from gated_xtfc.gates.predict import thinnest
from gated_xtfc.solver.rectangle.certificate import PlaneCertificate
from gated_xtfc.solver.rectangle.corners import GRADING
from gated_xtfc.solver.rectangle.fit import Fit
from gated_xtfc.solver.refine import BLOCK, JOIN, MOSTLY, PAD, blocked, denser
from gated_xtfc.types import Array

SHORT = 8.0  # kernel widths: a longer block at an end is not a corner's
SHARPER = 5.0  # how much narrower kernels at a corner become in one round
SHARE = 0.1  # of the tolerance: what an axis may add between two neighbouring sites


def refine(
    found: Fit, certificate: PlaneCertificate, tol: float
) -> tuple[tuple[Coordinate, ...], tuple[Coordinate, ...]]:
    """Denser coordinates for the next round; an axis that resolves its part stays as it is."""
    worst = [float(share.max()) for share in certificate.shares]
    limit = min(SHARE * tol, 0.5 * max(worst))
    lines = found.x, found.y
    refined = [_refined(*part, limit) if top > limit else part[0].coordinates
               for part, top in zip(zip(lines, certificate.shares, strict=True), worst, strict=True)]  # fmt: skip
    return refined[0], refined[1]


def _refined(line: Line, share: Array, limit: float) -> tuple[Coordinate, ...]:
    intervals = _intervals(line, share > limit)
    covered = sum(right - left for piece in intervals for left, right in piece)
    if covered > MOSTLY * sum(coordinate.length for coordinate in line.coordinates):
        factor = denser(float(share.max()), limit)
        return tuple(coordinate.refined(factor) for coordinate in line.coordinates)
    return tuple(_dense_in(coordinate, piece) for coordinate, piece in zip(line.coordinates, intervals, strict=True))


def _dense_in(coordinate: Coordinate, intervals: list[tuple[float, float]]) -> Coordinate:
    """Blocks; but what is unresolved at an end is often a corner's, which has no scale: a sharper layer there."""
    inner = []
    ends: list[tuple[float, float]] = []  # place, kernel width there
    for left, right in intervals:
        at_left, at_right = left <= 0.0, right >= coordinate.length
        if right - left > SHORT or coordinate.blocks or not (at_left or at_right):
            inner.append((left, right))
        else:
            end = coordinate.left if at_left else coordinate.right
            ends.append((end, 1.0 / float(coordinate.jets(np.array([end]), 1)[1][0])))
    if inner:
        # blocks count from the layers as they are: these wait for the next round
        return blocked(coordinate, inner, BLOCK)
    layers = [layer for layer in coordinate.layers if all(layer.location != place for place, _ in ends)]
    for place, width in ends:
        grading = min([GRADING, *(layer.grading for layer in coordinate.layers if layer.location == place)])
        layers.append(Layer(place, max(width / SHARPER, thinnest(place)), grading))
    return replace(coordinate, layers=tuple(sorted(layers, key=lambda layer: layer.location)))


def _intervals(line: Line, flagged: NDArray[np.bool_]) -> list[list[tuple[float, float]]]:
    """Soft blocks in the coordinate of each piece, around the gaps between sites that are flagged."""
    result: list[list[tuple[float, float]]] = []
    start = 0
    for span in line.spans:
        at = span.basis.coordinate(span.sites)
        blocks: list[tuple[float, float]] = []
        for i in np.flatnonzero(flagged[start : start + at.size - 1]).tolist():
            left, right = float(at[i]) - PAD, float(at[i + 1]) + PAD
            if blocks and left < blocks[-1][1] + JOIN:
                blocks[-1] = (blocks[-1][0], max(right, blocks[-1][1]))
            else:
                blocks.append((left, right))
        result.append(blocks)
        start += at.size - 1
    return result
