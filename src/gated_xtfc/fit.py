"""One walk along the line: coordinate -> basis -> trial -> rows -> least squares -> kernel weights."""

from dataclasses import dataclass

import numpy as np

from gated_xtfc.arrays import Array, Index
from gated_xtfc.bases import Gaussian, Pieces, spread
from gated_xtfc.coordinate import Coordinate
from gated_xtfc.functional import Functionals
from gated_xtfc.linearise import Operator
from gated_xtfc.rows import Rows, physics
from gated_xtfc.sites import grid
from gated_xtfc.solvers.banded import Banded
from gated_xtfc.solvers.bordered import Bordered
from gated_xtfc.solvers.dense import Dense
from gated_xtfc.solvers.strip import Strip
from gated_xtfc.trial import Trial

# Above this many kernels the walk along the band is faster than one dense factorisation.
DENSE = 160


@dataclass(frozen=True)
class Fit:
    trial: Trial
    frame: Trial  # the trial in whose columns the factorisation lives: `trial`, or its conditions at single places
    at: Index  # which points of `fine` are sites
    fine: Rows  # the equation at the sites and halfway between them
    rows: Rows  # the equation at the sites
    factor: Dense | Banded | Bordered
    free: Array  # (size,) kernel weights of the free function
    switch: Array  # (size,) kernel weights of the switching part

    @property
    def pieces(self) -> Pieces:
        return self.trial.pieces

    def response(self, which: Index) -> Array:
        """What a unit of scaled residual at each site does to u at some of them, (p, sites): Green's function."""
        raw = spread(self.rows.first[which], self.rows.view.kernels[which], self.pieces.size)
        return self.factor.adjoint(self.frame.reduce(raw))


def fit(operator: Operator, coordinates: tuple[Coordinate, ...], density: float) -> Fit:
    """Least squares on the given coordinates with `density` kernels a width."""
    pieces = Pieces(tuple(Gaussian.on(coordinate, density) for coordinate in coordinates))
    functionals = Functionals(pieces, operator.problem.conditions, operator.order)
    trial = Trial.on(functionals)
    points, at = grid(pieces)
    fine = physics(pieces, operator, points)
    rows = fine[at]
    frame = trial
    factor: Dense | Banded | Bordered
    if pieces.size <= DENSE:
        raw = spread(rows.first, rows.values, pieces.size)
        factor = Dense.of(trial.reduce(raw))
        supports = raw[:, trial.pivots]
    else:
        far = functionals.far()
        if far.conditions:
            frame = Trial.on(functionals.near())
            factor = bordered(frame, rows, far, operator.order)
        else:
            factor = banded(frame, rows)
        supports = columns(rows, frame.pivots)
    found = factor.solve((rows.target - supports @ frame.particular)[:, None])[:, 0]
    weights = trial.weights(found if frame is trial else frame.raw(found)[trial.free])
    return Fit(trial, frame, at, fine, rows, factor, *weights)


def banded(frame: Trial, rows: Rows) -> Banded:
    """The factorisation of rows whose conditions live at single places."""
    return Banded.of(Strip.of(rows.first, rows.values, frame.pivots, frame.free, frame.couple))


def bordered(frame: Trial, rows: Rows, far: Functionals, order: int) -> Bordered:
    """The same with conditions that tie distant places together."""
    first, values = end_rows(frame.pieces, order, rows.values.shape[1])
    first, values = np.concatenate([rows.first, first]), np.vstack([rows.values, values])
    strip = Strip.of(first, values, frame.pivots, frame.free, frame.couple)
    conditions, targets = far.rows(), far.values()
    size = np.abs(conditions).max(axis=1)
    conditions, targets = conditions / size[:, None], targets / size
    targets = targets - conditions[:, frame.pivots] @ frame.particular
    return Bordered.of(strip, 2 * order, frame.reduce(conditions), targets)


def end_rows(pieces: Pieces, order: int, window: int) -> tuple[Index, Array]:
    """u and its derivatives at both ends, scaled by the local kernel width, as rows: (2 order,), (2 order, window)."""
    view = pieces.see(np.array([pieces.left, pieces.right]), max(order - 1, 1))
    scaled = [view.derivative(j) / view.jets[1][:, None] ** j for j in range(order)]
    values = np.zeros((2 * order, window))
    values[:, : view.kernels.shape[1]] = np.vstack(scaled)
    return np.tile(view.first, order), values


def columns(rows: Rows, which: Index) -> Array:
    """Some columns of the rows, dense: (m, q)."""
    seen = rows.first[:, None] + np.arange(rows.values.shape[1])
    return (
        np.stack([(rows.values * (seen == p)).sum(axis=1) for p in which], axis=1)
        if which.size
        else np.zeros((rows.x.size, 0))
    )
