"""The kernels of one axis in a saved file: pieces side by side, each with its gated coordinate."""

import math
from itertools import pairwise
from typing import Any

import numpy as np

from gated_xtfc.discretise.gaussian import Gaussian, Piecewise
from gated_xtfc.solution.entry import finite, number, positive, record, several, whole
from gated_xtfc.solution.envelope import Unfit

LAYER = record(location=finite, thickness=positive, grading=positive)
BLOCK = record(left=finite, right=finite, factor=positive, transition=positive, left_x=number, right_x=number)
SHAPE = record(left=finite, right=finite, width=positive, layers=several(LAYER), blocks=several(BLOCK))


def coordinate(value: Any, what: str) -> Any:
    """A coordinate; files from before singular points were known have none."""
    return {**SHAPE(value, what), "singular": several(finite)(value.get("singular", []), f"{what}.singular")}


PIECES = several(record(coordinate=coordinate, spacing=positive, beyond=whole(0), size=whole(3)), least=1)
ROUNDED = 1e-4  # of a length: spacings are kept to twenty bits


def get_pieces(entry: Any, what: str) -> Piecewise:
    """What `dataclasses.asdict` made of the bases of an axis."""
    bases = tuple(Gaussian.restored(plain) for plain in PIECES(entry, what))
    for basis in bases:
        _check(basis, what)
    for one, other in pairwise(bases):
        if one.coordinate.right != other.coordinate.left:
            raise Unfit(f"{what} do not begin where others end")
    return Piecewise(bases)


def _check(basis: Gaussian, what: str) -> None:
    """Centres run from end to end of the piece, so that their number follows from its length."""
    coordinate = basis.coordinate
    if not coordinate.left < coordinate.right:
        raise Unfit(f"{what} are empty or reversed")
    with np.errstate(all="ignore"):
        length = coordinate.length
    covered = basis.spacing * (basis.size - 1 - 2 * basis.beyond)
    if not math.isfinite(length) or abs(covered - length) > ROUNDED * length:
        raise Unfit(f"the kernels of {what} do not cover them")
