"""Where the equation is asked to hold: uniform in the coordinate, denser toward the ends of each piece.

Near an end the kernels beyond it are seen only through their tails; the extra sites there are what determines them.
"""

import numpy as np

from gated_xtfc.discretise.gaussian import Gaussian
from gated_xtfc.discretise.pieces import Pieces
from gated_xtfc.types import Array, Index

OVERSAMPLING = 1.25  # sites for each kernel, in the interior
ZONE = 3.0  # kernel widths from an end that count as near
INSET = 1e-9  # kernel widths that sites keep from the ends of a piece
CROWD = 1.5  # sites in a zone for each kernel beyond the end


def places(basis: Gaussian) -> Array:
    """Sites of one piece in its coordinate, from 0 to its length, ends included."""
    length = basis.coordinate.length
    zone = min(ZONE, length / 3.0)
    crowd = int(np.ceil(CROWD * basis.beyond))
    near = zone * (1.0 - np.cos((0.5 * np.pi / crowd) * np.arange(crowd)))
    count = int(np.ceil((length - 2.0 * zone) / basis.spacing * OVERSAMPLING))
    inner = zone + ((length - 2.0 * zone) / count) * np.arange(count + 1)
    return np.concatenate([near, inner, (length - near)[::-1]])


def grid(pieces: Pieces) -> tuple[Array, Index]:
    """Sites of all pieces with the validation points halfway between them, increasing, and the indices of the sites."""
    points, indices, start = [], [], 0
    for p, basis in enumerate(pieces.bases):
        at = places(basis)
        fine = np.empty(2 * at.size - 1)
        fine[::2] = at
        fine[1::2] = 0.5 * (at[1:] + at[:-1])
        points.append(_inside(pieces, p, fine))
        indices.append(np.arange(start, start + fine.size, 2))
        start += fine.size
    return np.concatenate(points), np.concatenate(indices)


def _inside(pieces: Pieces, p: int, at: Array) -> Array:
    """Points of piece p at given places. Coefficients may jump on its ends: a number just inside stands for each."""
    coordinate = pieces.bases[p].coordinate
    low, high = coordinate.left, coordinate.right
    inset = INSET / coordinate.jets(np.array([low, high]), 1)[1]
    low, high = low + inset[0], high - inset[1]
    if p > 0:
        low = max(low, coordinate.left + 8.0 * np.spacing(abs(coordinate.left)))
    if p < len(pieces.bases) - 1:
        high = min(high, coordinate.right - 8.0 * np.spacing(abs(coordinate.right)))
    x = np.minimum(np.maximum(coordinate.inverse(at), low), high)
    x[0], x[-1] = low, high
    points: Array = x
    return points
