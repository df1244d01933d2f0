"""One linear fit on an interval: coordinate -> basis -> trial -> rows -> least squares -> kernel weights."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from gated_xtfc.discretise.gaussian import Piecewise
from gated_xtfc.discretise.kernel_window import dense_from_windows, row_sums
from gated_xtfc.discretise.rows import Rows, equation_rows
from gated_xtfc.discretise.trial import Functionals, Trial
from gated_xtfc.gates.coordinate import Coordinates
from gated_xtfc.linalg.banded import Banded
from gated_xtfc.linalg.dense import Dense
from gated_xtfc.linalg.dense_columns import WithDenseColumns
from gated_xtfc.linalg.dense_constraints import WithDenseConstraints
from gated_xtfc.linalg.factor import Factor, require_finite
from gated_xtfc.linalg.windowed import WindowedMatrix
from gated_xtfc.operator.linearise import Linearisation
from gated_xtfc.solver.discretisation import Iterate
from gated_xtfc.solver.interval.layout import IntervalLayout
from gated_xtfc.types import Array, Index, Orders

# Above this many kernels the walk along the band is faster than one dense factorisation.
DENSE = 160
SAME_ROWS = 1e-3  # relative change of the rows that leaves their inverse as it is
COUNTS = 1e-3  # of the size at which a field would match the others in an equation


@dataclass(frozen=True)
class IntervalFit:
    """Kernel weights that solve the linear equations, with the factorisation that gave them."""

    layout: IntervalLayout
    factor_trial: (
        Trial  # that of the factorisation's columns: the layout's own, or one with its conditions at points alone
    )
    fine: Rows  # the equations at the sites and halfway between them
    rows: Rows  # the equations at the sites
    factor: Factor
    free: Array  # (columns,) kernel weights of the free functions
    switch: Array  # (columns,) kernel weights of the switching part
    constants: Array  # unknown constants

    unsettled = ""  # least squares are solved at once

    @property
    def basis(self) -> Piecewise:
        return self.layout.basis

    @property
    def coordinates(self) -> Coordinates:
        return (self.basis.coordinates,)

    @property
    def neurons(self) -> int:
        return int(self.layout.trial.free.size)

    @property
    def sites(self) -> int:
        return int(self.rows.x.size)

    def response(self, which: Index) -> Array:
        """Green's function, (fields, p, rows): what a unit residual in a row does to each field at some sites."""
        fields = self.rows.fields
        kernels = dense_from_windows(self.rows.window.first[which], self.rows.window.kernels[which], self.basis.size)
        raw = np.zeros((fields, which.size, self.basis.size, fields))
        for f in range(fields):
            raw[f, :, :, f] = kernels
        reduced = self.factor_trial.reduce(raw.reshape(fields * which.size, -1))
        if self.constants.size:
            reduced = np.hstack([reduced, np.zeros((reduced.shape[0], self.constants.size))])
        return self.factor.adjoint(reduced).reshape(fields, which.size, -1)

    @cached_property
    def site_values(self) -> list[Array]:
        """Every field at the sites."""
        weights, rows = self.free + self.switch, self.rows
        return [row_sums(rows.window.kernels, rows.gather_field(weights, f)) for f in range(rows.fields)]

    @cached_property
    def row_sizes(self) -> Array:
        """(equations, fields) how large an equation becomes at the most for a field of size one."""
        rows = self.rows
        sizes = np.abs(rows.values.reshape(-1, rows.equations, rows.window.kernels.shape[1], rows.fields))
        return np.asarray(sizes.sum(axis=2).max(axis=0))

    @cached_property
    def sizes(self) -> tuple[float, ...]:
        """max|u| of every field; of one that nearly vanishes, a part of the size that would match the others.

        It would where its terms in an equation are as large as those of the others: u' = v with u = 1 makes v zero,
        and what is left of v is rounding of one over the kernel width.
        """
        return matched(np.array([float(np.abs(u).max()) for u in self.site_values]), self.row_sizes)

    @cached_property
    def iterate(self) -> Iterate:
        """Every field and its derivatives at all points of the layout."""
        weights = self.free + self.switch
        jets: list[dict[Orders, Array]] = []
        for f, order in enumerate(self.layout.functionals.orders):
            gathered = self.fine.gather_field(weights, f)
            jets.append({(j,): row_sums(self.layout.derivatives[j], gathered) for j in range(order + 1)})
        return Iterate(tuple(own[0,] for own in jets), jets, self.constants)


def matched(sizes: Array, rows: Array) -> tuple[float, ...]:
    """Sizes of fields, none much below that with which its terms would match the others in some equation.

    `rows` has how large each equation becomes for a field of size one, (equations, fields).
    """
    if sizes.size > 1:
        others = np.where(np.eye(sizes.size, dtype=bool), 0.0, (rows * sizes)[:, None, :]).max(axis=2)
        couples = (rows > 0.0) & (others > 0.0)
        matching = np.where(couples, others / np.where(couples, rows, 1.0), np.inf).min(axis=0)
        sizes = np.maximum(sizes, np.where(np.isfinite(matching), COUNTS * matching, 0.0))
    return tuple(float(size) or 1.0 for size in sizes)


def fit(layout: IntervalLayout, linear: Linearisation) -> IntervalFit:
    """Least squares for the operator given at the points of the layout."""
    fine = equation_rows(layout.x, layout.window, linear)
    rows = fine[layout.site_indices]
    trial, constants = layout.trial, rows.constant_columns.shape[1]
    frame, factor, supports = factorised(layout, rows)
    found = factor.solve((rows.target - supports @ frame.particular)[:, None])[:, 0]
    found, values = np.split(found, [found.size - constants])
    weights = trial.weights(found if frame is trial else frame.all_weights(found)[trial.free])
    return IntervalFit(layout, frame, fine, rows, factor, *weights, values)


def factorised(layout: IntervalLayout, rows: Rows) -> tuple[Trial, Factor, Array]:
    """The rows factorised: the trial of the factorisation's columns, and the columns of the supports beside it."""
    require_finite(rows.values, rows.target, rows.constant_columns)
    trial, constants = layout.trial, rows.constant_columns.shape[1]
    factor: Factor
    if layout.functionals.size <= DENSE:
        raw = dense_from_windows(rows.first, rows.values, layout.functionals.size)
        factor = Dense.of(np.hstack([trial.reduce(raw), rows.constant_columns]) if constants else trial.reduce(raw))
        return trial, factor, raw[:, trial.pivots]
    frame, far = trial, layout.functionals.distant()
    if far.conditions:
        frame = Trial.on(layout.functionals.local())
        factor = constrained(frame, rows, far, layout.functionals.orders)
    else:
        factor = banded(frame, rows)
    if constants:
        factor = WithDenseColumns.of(factor, rows.constant_columns)
    return frame, factor, columns(rows, frame.pivots)


def relinearised(found: IntervalFit, linear: Linearisation) -> IntervalFit:
    """The same solution with the rows and the inverse of the equations linearised about itself.

    The residual of the rows is then that of the equations, not of their last linearisation. The inverse hardly changes
    with the last step, unless a front moves by its own thickness: that changes all coefficients there.
    """
    fine = equation_rows(found.layout.x, found.layout.window, linear)
    rows = fine[found.layout.site_indices]
    if np.abs(rows.values - found.rows.values).max() <= SAME_ROWS * np.abs(rows.values).max():
        return replace(found, fine=fine, rows=rows)
    frame, factor, _ = factorised(found.layout, rows)
    return replace(found, fine=fine, rows=rows, factor=factor, factor_trial=frame)


def banded(frame: Trial, rows: Rows) -> Banded:
    """The factorisation of rows whose conditions live at single places."""
    return Banded.of(WindowedMatrix.of(rows.first, rows.values, frame.pivots, frame.free, frame.couple))


def constrained(frame: Trial, rows: Rows, far: Functionals, orders: tuple[int, ...]) -> WithDenseConstraints:
    """The same with conditions that tie distant places together."""
    first, values = end_rows(frame.basis, orders, rows.values.shape[1])
    matrix = WindowedMatrix.of(
        np.concatenate([rows.first, first]), np.vstack([rows.values, values]), frame.pivots, frame.free, frame.couple
    )
    conditions, targets = far.rows(), far.values()
    size = np.abs(conditions).max(axis=1)
    conditions, targets = conditions / size[:, None], targets / size
    targets = targets - conditions[:, frame.pivots] @ frame.particular
    return WithDenseConstraints.of(matrix, first.size, frame.reduce(conditions), targets)


def end_rows(basis: Piecewise, orders: tuple[int, ...], columns: int) -> tuple[Index, Array]:
    """Fields and derivatives at both ends, scaled by the local kernel width, as rows: first columns and windows."""
    window = basis.window(np.array([basis.left, basis.right]), max(*orders, 2) - 1)
    fields, width = len(orders), window.kernels.shape[1]
    first, values = [], []
    for f, order in enumerate(orders):
        for j in range(order):
            block = np.zeros((2, columns))
            block[:, f : width * fields : fields] = window.derivative(j) / window.jets[1][:, None] ** j
            first.append(window.first * fields)
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
