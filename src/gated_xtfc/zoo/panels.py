"""A reference for problems without a closed form: y' = s(y) by Chebyshev collocation on panels, Newton and sparse LU.

It shares nothing with the solver of this package. Panels must be fine in the layers; 24 points in each give all digits
of a function that is smooth on the scale of its panel.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.polynomial import chebyshev
from scipy.sparse import coo_matrix
from scipy.sparse.linalg import splu

from gated_xtfc.types import Array

POINTS = 24
ANGLES = np.pi * np.arange(POINTS) / (POINTS - 1)
NODES = -np.cos(ANGLES)  # both ends of a panel included
VANDERMONDE = chebyshev.chebvander(NODES, POINTS - 1)
DERIVATIVE = np.linalg.solve(
    VANDERMONDE.T, np.stack([chebyshev.chebval(NODES, chebyshev.chebder(row)) for row in np.eye(POINTS)])
).T


@dataclass(frozen=True)
class Panels:
    ends: Array  # (panels + 1,)
    values: Array  # (panels, POINTS, fields)

    def __call__(self, x: Array, field: int) -> Array:
        x = np.asarray(x, dtype=float)
        at = x.ravel()
        panel = np.clip(np.searchsorted(self.ends, at, side="right") - 1, 0, self.ends.size - 2)
        low, high = self.ends[panel], self.ends[panel + 1]
        coefficients = np.linalg.solve(VANDERMONDE, self.values[:, :, field].T)  # (POINTS, panels)
        local = 2 * (at - low) / (high - low) - 1
        return np.asarray(chebyshev.chebval(local, coefficients[:, panel], tensor=False).reshape(x.shape))


def collocate(
    slope: Callable[[Array], tuple[Array, Array]],  # y (n, fields) -> y' (n, fields), dy'/dy (n, fields, fields)
    conditions: list[tuple[int, bool, float]],  # (field, at the right end?, value)
    start: Panels,
) -> Panels:
    """The solution nearest to `start`, on the same panels."""
    ends, y = start.ends, start.values.copy()
    count, points, fields = y.shape
    half = 0.5 * np.diff(ends)
    number = np.arange(y.size).reshape(y.shape)
    rows, columns, entries = [], [], []  # the part that does not change
    # y' = s(y) holds at all points of a panel but its last, which is there for the neighbour or for a condition
    differ = np.broadcast_to(DERIVATIVE[:-1, :, None], (points - 1, points, fields))
    equation = np.arange(count * (points - 1) * fields).reshape(count, points - 1, fields)
    for p in range(count):
        rows.append(np.broadcast_to(equation[p][:, None, :], differ.shape).ravel())
        columns.append(np.broadcast_to(number[p][None, :, :], differ.shape).ravel())
        entries.append(differ.ravel())
    joint = equation.size + np.arange((count - 1) * fields).reshape(count - 1, fields)
    rows += [joint.ravel(), joint.ravel()]
    columns += [number[1:, 0].ravel(), number[:-1, -1].ravel()]
    entries += [np.ones(joint.size), -np.ones(joint.size)]
    held = np.array([number[-1, -1, field] if right else number[0, 0, field] for field, right, _ in conditions])
    wanted = np.array([value for _, _, value in conditions])
    rows.append(equation.size + joint.size + np.arange(held.size))
    columns.append(held)
    entries.append(np.ones(held.size))
    shape = (y.size, y.size)
    fixed = coo_matrix((np.concatenate(entries), (np.concatenate(rows), np.concatenate(columns))), shape=shape).tocsc()
    goal = np.concatenate([np.zeros(equation.size + joint.size), wanted])
    before = np.inf
    for _ in range(40):
        value, jacobian = slope(y[:, :-1].reshape(-1, fields))
        scaled = np.repeat(half, points - 1)[:, None] * value
        change = np.repeat(half, points - 1)[:, None, None] * jacobian
        place = equation.reshape(-1, fields)
        seat = number[:, :-1].reshape(-1, fields)
        r = np.broadcast_to(place[:, :, None], change.shape).ravel()
        c = np.broadcast_to(seat[:, None, :], change.shape).ravel()
        moving = coo_matrix((change.ravel(), (r, c)), shape=shape).tocsc()
        misfit = fixed @ y.ravel() - goal
        misfit[: equation.size] -= scaled.ravel()
        step = splu(fixed - moving).solve(misfit).reshape(y.shape)
        y -= step
        length = float((np.abs(step).max(axis=(0, 1)) / np.maximum(1.0, np.abs(y).max(axis=(0, 1)))).max())
        if not np.isfinite(length) or length > 1e6:
            raise ArithmeticError("the reference did not converge")
        if length < 1e-13 or (length < 1e-9 and length > 0.3 * before):
            return Panels(ends, y)
        before = length
    raise ArithmeticError("the reference did not converge")
