"""Places given by a user: numbers inside the domain, or a sentence on what is wrong with them."""

import numpy as np
from numpy.typing import ArrayLike

from gated_xtfc.errors import InputError
from gated_xtfc.problem.domain import Axis
from gated_xtfc.types import Array


def checked_places(axis: Axis, given: ArrayLike) -> Array:
    """Places on an axis as an array; refuses what is no number, and what is outside."""
    try:
        points = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"{axis.name} must be a number or an array of numbers, not {type(given).__name__}") from None
    # written so that a NaN is refused too
    outside = ~((points >= axis.left) & (points <= axis.right))
    if np.any(outside):
        worst = points[outside].flat[0]
        raise InputError(f"{axis.name} = {worst:.6g} is outside the domain [{axis.left:.6g}, {axis.right:.6g}]")
    return points
