"""Denser coordinates for the next round: blocks at the places from which too much of the error comes.

Where these would cover most of the axis, all of it becomes denser instead. Convergence is spectral: an error e at
density d becomes about e^(d'/d) at density d', which gives the density needed.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gated_xtfc.gates import Layer
from gated_xtfc.gates.coordinate import AxisCoordinates, Coordinate, Coordinates
from gated_xtfc.gates.prediction import thinnest_resolvable
from gated_xtfc.types import Array

WANTED = 0.1  # of the tolerance: what one place may add to the error
MOSTLY = 0.5  # part of the coordinate above which everything is refined
PAD = 2.5  # kernel widths added on both sides of a block
BLOCK = 2.0  # density of a block
AROUND = 3.0  # kernel widths from a singular point that count as there
MUCH = 0.1  # of what the worst place adds to the error
DEEPER = 1e-3  # of the kernel width there: the next one
GRADED = 0.35
ROOM = 100.0  # times the thinnest possible kernels, for sites between a singular point and the last of them
JOIN = 4.0  # blocks closer than this many kernel widths become one

Blocks = list[tuple[float, float]]  # soft intervals of a coordinate


@dataclass(frozen=True)
class PieceShares:
    """Along one piece: intervals of the coordinate, and what the residual there could add to the error."""

    left: Array  # (n,)
    right: Array
    share: Array


def refine(
    coordinates: Coordinates,
    shares: Sequence[Sequence[PieceShares]],
    tol: float,
    block: Callable[[Coordinate, Blocks], Coordinate] | None = None,
) -> Coordinates:
    """Denser coordinates for the next round; an axis that resolves its part stays as it is."""
    worst = [max(float(piece.share.max()) for piece in pieces) for pieces in shares]
    top = max(worst)
    wanted = WANTED * tol
    # where no place adds too much by itself, those that add at least half as much as the worst
    limit = wanted if top > wanted else np.nextafter(0.5 * top, 0.0)
    return tuple(
        _refined(own, pieces, limit, wanted, block or blocked) if most > limit else own
        for own, pieces, most in zip(coordinates, shares, worst, strict=True)
    )


def _refined(
    coordinates: AxisCoordinates,
    shares: Sequence[PieceShares],
    limit: float,
    wanted: float,
    block: Callable[[Coordinate, Blocks], Coordinate],
) -> AxisCoordinates:
    found = [_blocks(piece, limit) for piece in shares]
    covered = sum(right - left for blocks in found for left, right in blocks)
    if covered > MOSTLY * sum(coordinate.length for coordinate in coordinates):
        factor = density_factor(max(float(piece.share.max()) for piece in shares), wanted)
        return tuple(coordinate.refined(factor) for coordinate in coordinates)
    return tuple(block(coordinate, blocks) for coordinate, blocks in zip(coordinates, found, strict=True))


def deepened(coordinates: AxisCoordinates, sites: Array, share: Array, tol: float) -> AxisCoordinates | None:
    """With narrower kernels towards singular points, at first and where much of the error comes from there; or None.

    A power of the distance that is not smooth has no width that would do: what is left falls with the distance.
    """
    worst = sites[share > max(MUCH * float(share.max()), WANTED * tol)]
    ends = coordinates[0].left, coordinates[-1].right
    found = tuple(_deepened(piece, worst, ends) for piece in coordinates)
    return None if all(a is b for a, b in zip(found, coordinates, strict=True)) else found


def _deepened(piece: Coordinate, worst: Array, ends: tuple[float, float]) -> Coordinate:
    # inside of the domain what is not smooth has two sides, which nothing ties together
    at_ends = [place for place in piece.singular if place in ends]
    known = [layer.location for layer in piece.layers]
    widths = {point: 1.0 / float(piece.jets(np.array([point]), 1)[1][0]) for point in at_ends}
    points = [p for p, w in widths.items() if p not in known or (np.abs(worst - p) <= AROUND * w).any()]
    deeper = narrowed(piece, points, DEEPER)
    return piece if deeper.layers == piece.layers else deeper


def narrowed(piece: Coordinate, points: Collection[float], part: float) -> Coordinate:
    """With kernels at some points of which each has a part of the width it has now."""
    layers = {layer.location: layer for layer in piece.layers}
    for point in points:
        width = 1.0 / float(piece.jets(np.array([point]), 1)[1][0])
        layers[point] = Layer(point, max(part * width, ROOM * thinnest_resolvable(point)), GRADED)
    return replace(piece, layers=tuple(sorted(layers.values(), key=lambda layer: layer.location)))


def near_singular(coordinates: AxisCoordinates, sites: Array) -> Array:
    """Which sites are next to a singular point towards which kernels have become narrower."""
    found = np.zeros(sites.size, dtype=bool)
    for piece in coordinates:
        for point in piece.singular:
            if any(layer.location == point for layer in piece.layers):
                width = 1.0 / float(piece.jets(np.array([point]), 1)[1][0])
                found |= np.abs(sites - point) <= AROUND * width
    return found


def density_factor(worst: float, wanted: float) -> float:
    """How much denser kernels must be for an error to fall from `worst` to `wanted`."""
    if not np.isfinite(worst) or worst > 0.1:
        return 2.0
    return float(np.clip(np.log(min(wanted, 0.01)) / np.log(worst), 1.3, 2.0))


def _blocks(piece: PieceShares, limit: float) -> Blocks:
    """The intervals that add too much, padded, and joined where they are close."""
    blocks: Blocks = []
    for i in np.flatnonzero(piece.share > limit).tolist():
        left, right = float(piece.left[i]) - PAD, float(piece.right[i]) + PAD
        if blocks and left < blocks[-1][1] + JOIN:
            blocks[-1] = (blocks[-1][0], max(right, blocks[-1][1]))
        else:
            blocks.append((left, right))
    return blocks


def blocked(coordinate: Coordinate, blocks: Blocks) -> Coordinate:
    """Denser inside the blocks."""
    # From the right: a block moves everything on its right, so those to its left are still where they were found.
    for left, right in reversed(blocks):
        coordinate = coordinate.with_block(left, right, BLOCK)
    return coordinate
