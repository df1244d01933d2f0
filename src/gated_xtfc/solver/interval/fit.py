"""One walk along the line: coordinate -> basis -> trial -> rows -> least squares -> kernel weights."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gated_xtfc.discretise.functionals import Functionals
from gated_xtfc.discretise.gaussian import Gaussian
from gated_xtfc.discretise.kernel_window import View, spread, total
from gated_xtfc.discretise.pieces import Pieces
from gated_xtfc.discretise.rows import Rows, physics
from gated_xtfc.discretise.sites import grid
from gated_xtfc.discretise.trial import Trial
from gated_xtfc.gates.coordinate import Coordinate
from gated_xtfc.linalg.banded import Banded
from gated_xtfc.linalg.dense import Dense
from gated_xtfc.linalg.dense_columns import Widened
from gated_xtfc.linalg.dense_constraints import Bordered
from gated_xtfc.linalg.windowed import Strip
from gated_xtfc.operator.linearise import Jets, Linear, Operator
from gated_xtfc.types import Array, Index

# Above this many kernels the walk along the band is faster than one dense factorisation.
DENSE = 160

Factor = Dense | Banded | Bordered | Widened


@dataclass(frozen=True)
class Layout:
    """What does not change while equations are linearised again and again: kernels, conditions, sites."""

    functionals: Functionals
    trial: Trial
    points: Array  # sites and the points halfway between them
    at: Index  # which of these are sites
    view: View  # the kernels seen from the points

    @classmethod
    def on(cls, operator: Operator, coordinates: tuple[Coordinate, ...], density: float) -> "Layout":
        """`density` kernels a width on the given coordinates."""
        problem = operator.problem
        pieces = Pieces(tuple(Gaussian.on(coordinate, density) for coordinate in coordinates))
        functionals = Functionals(pieces, problem.fields, operator.orders, problem.conditions)
        points, at = grid(pieces)
        return cls(functionals, Trial.on(functionals), points, at, pieces.see(points, max(operator.orders)))

    @property
    def pieces(self) -> Pieces:
        return self.functionals.pieces

    @cached_property
    def derivatives(self) -> list[Array]:
        """The derivatives of the kernels seen from the points, by order, each (n, window)."""
        return [self.view.derivative(j) for j in range(max(self.functionals.orders) + 1)]


@dataclass(frozen=True)
class Fit:
    layout: Layout
    frame: Trial  # the trial in whose columns the factorisation lives: the layout's, or its conditions at single places
    fine: Rows  # the equations at the sites and halfway between them
    rows: Rows  # the equations at the sites
    factor: Factor
    free: Array  # (columns,) kernel weights of the free functions
    switch: Array  # (columns,) kernel weights of the switching part
    constants: Array  # unknown constants

    @property
    def pieces(self) -> Pieces:
        return self.layout.pieces

    @property
    def neurons(self) -> int:
        return int(self.layout.trial.free.size)

    def response(self, which: Index) -> Array:
        """Green's function, (fields, p, rows): what a unit residual in a row does to each field at some sites."""
        fields = self.rows.fields
        kernels = spread(self.rows.view.first[which], self.rows.view.kernels[which], self.pieces.size)
        raw = np.zeros((fields, which.size, self.pieces.size, fields))
        for f in range(fields):
            raw[f, :, :, f] = kernels
        reduced = self.frame.reduce(raw.reshape(fields * which.size, -1))
        if self.constants.size:
            reduced = np.hstack([reduced, np.zeros((reduced.shape[0], self.constants.size))])
        return self.factor.adjoint(reduced).reshape(fields, which.size, -1)

    def jets(self) -> Jets:
        """Every field and its derivatives at all points of the layout."""
        weights = self.free + self.switch
        result = []
        for f, order in enumerate(self.layout.functionals.orders):
            seen = self.fine.seen(weights, f)
            result.append([total(self.layout.derivatives[j], seen) for j in range(order + 1)])
        return result


def fit(layout: Layout, linear: Linear) -> Fit:
    """Least squares for the operator given at the points of the layout."""
    fine = physics(layout.points, layout.view, linear)
    rows = fine[layout.at]
    trial, size, constants = layout.trial, layout.functionals.size, rows.border.shape[1]
    frame = trial
    factor: Factor
    if size <= DENSE:
        raw = spread(rows.first, rows.values, size)
        factor = Dense.of(np.hstack([trial.reduce(raw), rows.border]) if constants else trial.reduce(raw))
        supports = raw[:, trial.pivots]
    else:
        far = layout.functionals.far()
        if far.conditions:
            frame = Trial.on(layout.functionals.near())
            factor = bordered(frame, rows, far, layout.functionals.orders)
        else:
            factor = banded(frame, rows)
        if constants:
            factor = Widened.of(factor, rows.border)
        supports = columns(rows, frame.pivots)
    found = factor.solve((rows.target - supports @ frame.particular)[:, None])[:, 0]
    found, values = np.split(found, [found.size - constants])
    weights = trial.weights(found if frame is trial else frame.raw(found)[trial.free])
    return Fit(layout, frame, fine, rows, factor, *weights, values)


def banded(frame: Trial, rows: Rows) -> Banded:
    """The factorisation of rows whose conditions live at single places."""
    return Banded.of(Strip.of(rows.first, rows.values, frame.pivots, frame.free, frame.couple))


def bordered(frame: Trial, rows: Rows, far: Functionals, orders: tuple[int, ...]) -> Bordered:
    """The same with conditions that tie distant places together."""
    first, values = end_rows(frame.pieces, orders, rows.values.shape[1])
    strip = Strip.of(
        np.concatenate([rows.first, first]), np.vstack([rows.values, values]), frame.pivots, frame.free, frame.couple
    )
    conditions, targets = far.rows(), far.values()
    size = np.abs(conditions).max(axis=1)
    conditions, targets = conditions / size[:, None], targets / size
    targets = targets - conditions[:, frame.pivots] @ frame.particular
    return Bordered.of(strip, first.size, frame.reduce(conditions), targets)


def end_rows(pieces: Pieces, orders: tuple[int, ...], window: int) -> tuple[Index, Array]:
    """Fields and derivatives at both ends, scaled by the local kernel width, as rows: first columns and windows."""
    view = pieces.see(np.array([pieces.left, pieces.right]), max(*orders, 2) - 1)
    fields, width = len(orders), view.kernels.shape[1]
    first, values = [], []
    for f, order in enumerate(orders):
        for j in range(order):
            block = np.zeros((2, window))
            block[:, f : width * fields : fields] = view.derivative(j) / view.jets[1][:, None] ** j
            first.append(view.first * fields)
            values.append(block)
    return np.concatenate(first), np.vstack(values)


def columns(rows: Rows, which: Index) -> Array:
    """Some columns of the rows, dense: (m, q)."""
    found = np.zeros((rows.target.size, which.size))
    first, window = rows.first, rows.values.shape[1]
    for k, p in enumerate(which):
        at = p - first
        inside = np.flatnonzero((at >= 0) & (at < window))
        found[inside, k] = rows.values[inside, at[inside]]
    return found
