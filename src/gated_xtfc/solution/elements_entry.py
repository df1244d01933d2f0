"""The elements of a solution in a saved file: where they are, and the polynomials on them."""

from dataclasses import asdict
from itertools import pairwise
from typing import Any

import numpy as np

from gated_xtfc.discretise.element_sum import ElementSum
from gated_xtfc.discretise.gaussian import restored_coordinate
from gated_xtfc.discretise.partition import Partition
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solution.entry import numbers, several
from gated_xtfc.solution.envelope import Arrays, Unfit
from gated_xtfc.solution.kernels_entry import coordinate
from gated_xtfc.types import Array

COORDINATES = several(coordinate, least=1)
ROUNDED = 1e-12
MOST_DEGREE = 64
SHORTEST, LONGEST = 1e-3, 1e7  # of a gated coordinate, in widths of kernels


def put_elements(function: ElementSum) -> tuple[list[dict[str, Any]], dict[str, Array]]:
    """The gated coordinates, and the arrays."""
    anchor, offset, length = function.elements
    arrays = {"anchor": anchor, "offset": offset, "length": length, "coefficients": function.coefficients}
    return [asdict(coordinate) for coordinate in function.coordinates], arrays


def get_elements(entry: Any, arrays: Arrays, problem: Problem) -> ElementSum:
    """What `put_elements` made of it; refuses elements that do not cover the domain of the problem."""
    coordinates = tuple(restored_coordinate(plain) for plain in COORDINATES(entry, "its coordinates"))
    anchor, offset, length = (numbers(arrays[name], name, None) for name in ("anchor", "offset", "length"))
    coefficients = numbers(arrays["coefficients"], "coefficients", length.size, len(problem.fields), None)
    orders = tuple(problem.order.values())
    if not anchor.size == offset.size == length.size > 0 or not (length > 0.0).all():
        raise Unfit("its elements do not fit together")
    if not 2 * max(orders) < coefficients.shape[2] <= MOST_DEGREE + 1:
        raise Unfit("its coefficients do not fit the orders of its problem")
    (axis,) = problem.axes
    room = ROUNDED * max(abs(axis.left), abs(axis.right))
    starts, stops = anchor + offset, anchor + (offset + length)
    ends = np.concatenate([[axis.left], stops]), np.concatenate([starts, [axis.right]])
    pieces = [axis.left, *(c.right for c in coordinates[:-1]), axis.right]
    joined = all(one.right == other.left for one, other in pairwise(coordinates))
    if np.abs(ends[0] - ends[1]).max() > room or not joined or not (np.diff(pieces) > 0.0).all():
        raise Unfit("its elements do not cover the domain of its problem")
    if abs(coordinates[0].left - axis.left) > room or abs(coordinates[-1].right - axis.right) > room:
        raise Unfit("its coordinates are not on the domain of its problem")
    with np.errstate(all="ignore"):  # nothing is known yet of the numbers of a stranger
        useful = all(SHORTEST < one.length < LONGEST for one in coordinates)
    if not useful:
        raise Unfit("its coordinates are of no use: their lengths are out of all proportion")
    found = ElementSum(coordinates, Partition(anchor, offset, length), orders, coefficients)
    found.freeze()
    return found
