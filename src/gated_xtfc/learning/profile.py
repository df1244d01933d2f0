"""The solution itself, learned: in the gated coordinate the members of a family look alike.

u at even places of xi(x)/xi(right) is a smooth function of the parameters, a polynomial in them. It is a start for
Newton's method, no more: a few digits are enough.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gated_xtfc.gates.coordinate import Coordinate, compose
from gated_xtfc.learning.regression import chosen_degree, features, folds_of
from gated_xtfc.operator.linearise import Points
from gated_xtfc.solution.interval import IntervalSolution
from gated_xtfc.solver.discretisation import Start
from gated_xtfc.types import Array, Orders, Record

A_WIDTH = 2.0  # nodes a kernel width
NODES = (33, 801)
SPLINE = 5  # its degree: four derivatives are continuous


@dataclass(frozen=True, eq=False)
class Profile:
    degree: int  # of the polynomial in the inputs
    low: Array  # (d,)
    high: Array
    weights: Array  # (terms, nodes fields + constants)
    fields: int
    constants: int
    error: float  # largest over points left out, relative to the largest value

    @classmethod
    def of(
        cls, x: Array, solutions: Sequence[IntervalSolution], coordinates: Sequence[Coordinate], seed: int
    ) -> "Profile":
        """x (n, d): the inputs; the coordinates are those that the model gives there."""
        nodes = int(np.clip(A_WIDTH * max(c.length for c in coordinates), *NODES))
        fields, constants = len(solutions[0].problem.fields), len(solutions[0].values)
        rows = [_sampled(solution, c, nodes) for solution, c in zip(solutions, coordinates, strict=True)]
        values = np.array([np.concatenate([seen.ravel(), s.values]) for seen, s in zip(rows, solutions, strict=True)])
        low, high = x.min(axis=0), x.max(axis=0)
        degree, error = chosen_degree(x, values, folds_of(len(x), seed))
        weights = np.linalg.lstsq(features(x, low, high, degree), values, rcond=None)[0]
        return cls(degree, low, high, weights, fields, constants, error / (float(np.abs(values).max()) or 1.0))

    def __call__(self, x: Array, coordinate: Coordinate) -> Start:
        """The guess at inputs x (1, d), on the coordinate that the model gives there."""
        from scipy.interpolate import make_interp_spline  # half as long to import as the rest of the library

        values = (features(x, self.low, self.high, self.degree) @ self.weights)[0]
        seen, constants = np.split(values, [values.size - self.constants])
        by_field = seen.reshape(-1, self.fields)
        spline = make_interp_spline(np.linspace(0.0, coordinate.length, len(by_field)), by_field, SPLINE)

        def about(f: int, points: Points, orders: Orders) -> Array:
            inside = np.clip(points[0], coordinate.left, coordinate.right)
            order = orders[0]
            jets = coordinate.jets(inside, order)
            return compose([spline(jets[0], j)[:, f] for j in range(order + 1)], jets)[order]

        return Start(about, tuple(constants.tolist()))

    def record(self) -> dict[str, object]:
        arrays = {name: getattr(self, name).tolist() for name in ("low", "high")}
        weights = [[float(f"{w:.9g}") for w in row] for row in self.weights.tolist()]
        plain = {name: getattr(self, name) for name in ("degree", "fields", "constants", "error")}
        return {**plain, **arrays, "weights": weights}

    @classmethod
    def read(cls, record: Record) -> "Profile":
        arrays = {name: np.array(record[name], dtype=float) for name in ("low", "high", "weights")}
        return cls(**{**record, **arrays})


def _sampled(solution: IntervalSolution, coordinate: Coordinate, nodes: int) -> Array:
    """Every field at places even in the coordinate, (nodes, fields)."""
    places = coordinate.inverse(np.linspace(0.0, coordinate.length, nodes))
    places[0], places[-1] = coordinate.left, coordinate.right
    (axis,) = solution.problem.axes
    inside = np.clip(places, axis.left, axis.right)
    return np.stack([solution[name](inside) for name in solution.problem.fields], axis=1)
