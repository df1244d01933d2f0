"""What can be shown of a cell: that its terms are smooth on its scale, and that no switch passes zero in it unseen.

The disc of a cell has the cell's width as its radius. A function that is bounded by b on a disc of radius r has a
derivative of at most (4/3) b/r on the inner half of the disc, which holds the cell; one that is zero at the centre as
well is bounded by b/2 there (Schwarz and Pick).
"""

from collections.abc import Sequence

import numpy as np

from gated_xtfc.gates.probe_lines import bracketed_zeros
from gated_xtfc.gates.resolution import Line, Resolution, distance
from gated_xtfc.language.bounds import Bounds
from gated_xtfc.language.disc import Disc
from gated_xtfc.types import Array, Index, Mask

BOUND = 1e3  # times the size of a term: a Gaussian has this on discs of 2.6 times its width
NEGLIGIBLE = 1e-16  # of the size of a term times the axis: what a cell may hold unproved
PAIR = 1e-13  # of the axis: closer together than this, two switches are none
SHARP = 1e-2  # of a cell: how well the place of a zero must be known


def bounded(found: Bounds, count: int, sizes: list[float]) -> Mask:
    """Cells on whose discs all terms are bounded; `sizes` grow with what is seen.

    What has no value at a centre is left to those who ask for values.
    """
    if not sizes:
        sizes += [0.0] * len(found.terms)
    shown = np.ones(count, dtype=bool)
    for i, parts in enumerate(found.terms):
        for part in parts:
            values = np.abs(part.centre)
            largest = float(values.max())
            if not largest < np.inf:
                largest = float(np.max(values, initial=0.0, where=np.isfinite(values)))
                shown &= np.isfinite(values)
            sizes[i] = max(sizes[i], largest)
    nowhere = ~shown
    for parts, size in zip(found.terms, sizes, strict=True):
        for part in parts:
            shown &= part.radius <= BOUND * size
    shown |= nowhere
    return shown


def negligible(discs: Bounds, which: Index, intervals: Bounds, part: Array, sizes: list[float], switched: Mask) -> Mask:
    """Cells, `part` of the whole, on which terms that are not bounded change by nothing that matters.

    An interval holds all that a switch may choose, a disc does not: where a switch is doubtful, it is the interval
    that counts.
    """
    held = np.ones(which.size, dtype=bool)
    for terms, cells, size in zip(discs.terms, intervals.terms, sizes, strict=True):
        for disc, cell in zip(terms, cells, strict=True):
            still = (cell.high - cell.low) * part <= NEGLIGIBLE * size
            held &= still | (~switched & (disc.radius[which] <= BOUND * size))
    return held


def switches_shown(
    switches: Sequence[Disc], middle: Array, width: Array, known: Resolution
) -> tuple[Mask, list[tuple[int, Mask]]]:
    """Cells on which no switch passes zero unseen; and, by number of the switch, those on which it does, once."""
    shown = np.ones(middle.size, dtype=bool)
    passing = []
    for number, argument in enumerate(switches):
        size = np.abs(argument.centre)
        one_sided = size > 0.5 * argument.radius
        one_sided |= ((size == 0.0) & (argument.radius == 0.0)) | ~np.isfinite(size)
        if one_sided.all():
            continue
        least = np.abs(argument.slopes[0]) - (4.0 / 3.0) * argument.rest / width  # of its slope
        slack = 0.5 * argument.rest / least + 64.0 * np.spacing(np.abs(middle))
        once = ~one_sided & (least > 0.0) & (slack <= SHARP * width)
        zero = middle - argument.centre / argument.slopes[0]
        fine = once & ((distance(zero, known.knots) <= slack) | (np.abs(zero - middle) > 0.5 * width + slack))
        new = once & ~fine
        if new.any():
            passing.append((number, new))
        shown &= one_sided | fine | (width <= PAIR * known.line.length)
    return shown, passing


def passing_zero(line: Line, zeros: list[tuple[Array, Array, Array]]) -> list[float]:
    """Where switches pass zero, to the last bit."""
    number, low, high = (np.concatenate(column) for column in zip(*zeros, strict=True))
    low, high = low - 4.0 * np.spacing(np.abs(low)), high + 4.0 * np.spacing(np.abs(high))
    which = number.astype(int)
    start, _ = _at(line, which, low)
    end, _ = _at(line, which, high)
    place = bracketed_zeros(lambda x: _at(line, which, x), low, high, np.sign(start))
    found: list[float] = place[start * end <= 0.0].tolist()
    return found


def _at(line: Line, which: Index, x: Array) -> tuple[Array, Array]:
    """Value and slope of switch which[k] at x[k]."""
    switches = line.discs(x, np.zeros_like(x)).switches
    rows = np.arange(x.size)
    values = np.stack([np.broadcast_to(switch.centre, x.shape) for switch in switches])
    slopes = np.stack([np.broadcast_to(switch.slopes[0], x.shape) for switch in switches])
    return values[which, rows], slopes[which, rows]
