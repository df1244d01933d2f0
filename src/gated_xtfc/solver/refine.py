"""Where the solution is not good enough yet, and the coordinate that will be: logistic blocks where the error
comes from.

Where it comes from nearly everywhere, everything becomes denser instead. Spectral convergence turns an error e
at density d into about e^(d'/d) at density d', which says how much denser.
"""

import numpy as np
from numpy.typing import NDArray

from gated_xtfc.gates.coordinate import Coordinate
from gated_xtfc.solver.interval.certificate import Certificate
from gated_xtfc.solver.interval.fit import Fit

MOSTLY = 0.5  # part of the coordinate above which everything is refined
PAD = 2.5  # kernel widths added on both sides of a block
BLOCK = 2.0  # density of a block
JOIN = 4.0  # blocks closer than this many kernel widths become one


def refine(found: Fit, certificate: Certificate, tol: float) -> tuple[Coordinate, ...]:
    """Denser coordinates for the next round."""
    wanted = 0.1 * tol
    flagged = certificate.share > wanted
    if not flagged.any():
        flagged = certificate.share >= 0.5 * certificate.share.max()
    intervals = _intervals(found, flagged)
    covered = sum(right - left for piece in intervals for left, right in piece)
    coordinates = [basis.coordinate for basis in found.pieces.bases]
    if covered > MOSTLY * found.pieces.length:
        factor = denser(float(certificate.share.max()), wanted)
        return tuple(coordinate.refined(factor) for coordinate in coordinates)
    return tuple(blocked(coordinate, piece, BLOCK) for coordinate, piece in zip(coordinates, intervals, strict=True))


def denser(worst: float, wanted: float) -> float:
    if not np.isfinite(worst) or worst > 0.1:
        return 2.0
    return float(np.clip(np.log(min(wanted, 0.01)) / np.log(worst), 1.3, 2.0))


def _intervals(found: Fit, flagged: NDArray[np.bool_]) -> list[list[tuple[float, float]]]:
    """Soft blocks in the coordinate of each piece."""
    pieces, sites = found.pieces, found.rows.x
    result: list[list[tuple[float, float]]] = []
    for basis, here in zip(pieces.bases, pieces.split(sites), strict=True):
        at = basis.coordinate(sites[here])
        blocks: list[tuple[float, float]] = []
        for i in np.flatnonzero(flagged[here]).tolist():
            left = float(at[max(i - 1, 0)]) - PAD
            right = float(at[min(i + 1, at.size - 1)]) + PAD
            if blocks and left < blocks[-1][1] + JOIN:
                blocks[-1] = (blocks[-1][0], max(right, blocks[-1][1]))
            else:
                blocks.append((left, right))
        result.append(blocks)
    return result


def blocked(coordinate: Coordinate, blocks: list[tuple[float, float]], factor: float) -> Coordinate:
    # From the right: a block moves everything on its right, so those to its left are still where they were found.
    for left, right in reversed(blocks):
        coordinate = coordinate.with_block(left, right, factor)
    return coordinate
