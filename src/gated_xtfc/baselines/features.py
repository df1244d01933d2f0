"""Features: functions phi_i with sum_j a_j(x) phi_i^(j)(x), handed over in blocks of neighbouring columns.

A block names the rows it covers; elsewhere its columns are zero. x is in ascending order.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

import numpy as np

from gated_xtfc.types import Array

Coefficients = Sequence[Array | float]  # a_0, a_1, ..., each (n,) or a number
Block = tuple[slice, slice, Array]  # rows, columns, values
CHUNK = 64  # columns a block


class Features(Protocol):
    @property
    def size(self) -> int: ...

    def blocks(self, x: Array, coefficients: Coefficients) -> Iterator[Block]: ...


def matrix(features: Features, x: Array, coefficients: Coefficients) -> Array:
    """sum_j a_j phi_i^(j) at ascending x, (n, size), column by column in memory."""
    return assembled(features.blocks(x, coefficients), x.size, features.size)


def assembled(blocks: Iterable[Block], count: int, size: int) -> Array:
    """The matrix (count, size) with the blocks in their places."""
    values = np.zeros((count, size), order="F")
    for rows, columns, block in blocks:
        values[rows, columns] = block
    return values


def product(features: Features, x: Array, coefficients: Coefficients, weights: Array) -> Array:
    """The product matrix @ weights, (n,), without the matrix."""
    values = np.zeros(x.size)
    for rows, columns, block in features.blocks(x, coefficients):
        values[rows] += block @ weights[columns]
    return values


def derivative(features: Features, x: Array, order: int, weights: Array) -> Array:
    """The derivative of sum_i c_i phi_i at points x in any order, (n,)."""
    place = np.argsort(x, kind="stable")
    values = np.empty(x.size)
    rows = max(1, 16_000_000 // max(1, features.size))  # points at a time: what the blocks need stays small
    for start in range(0, x.size, rows):
        part = place[start : start + rows]
        values[part] = product(features, x[part], unit(order), weights)
    return values


def unit(order: int) -> Coefficients:
    """The coefficients of one derivative alone."""
    return [0.0] * order + [1.0]


def columns_of(size: int) -> Iterator[slice]:
    for start in range(0, size, CHUNK):
        yield slice(start, min(start + CHUNK, size))


def weighted(coefficient: Array | float) -> Array | float:
    """The coefficient as a factor of blocks (n, columns)."""
    return coefficient[:, None] if isinstance(coefficient, np.ndarray) else coefficient


def absent(coefficient: Array | float) -> bool:
    return not np.any(coefficient)
