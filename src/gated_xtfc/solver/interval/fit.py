"""One linear fit on an interval: coordinate -> basis -> trial -> rows -> least squares -> kernel weights."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from gated_xtfc.discretise.chart import Chart
from gated_xtfc.discretise.gaussian import Piecewise
from gated_xtfc.discretise.kernel_sum import KernelSum
from gated_xtfc.discretise.kernel_window import dense_from_windows, row_sums
from gated_xtfc.discretise.rows import Rows, equation_rows, row_scale
from gated_xtfc.discretise.trial import Functionals, Trial
from gated_xtfc.gates.coordinate import Coordinates
from gated_xtfc.linalg.banded import Banded
from gated_xtfc.linalg.dense import Dense
from gated_xtfc.linalg.dense_columns import WithDenseColumns
from gated_xtfc.linalg.dense_constraints import WithDenseConstraints
from gated_xtfc.linalg.factor import Factor, require_finite
from gated_xtfc.linalg.windowed import WindowedMatrix
from gated_xtfc.operator.linearise import Linearisation
from gated_xtfc.problem.nonlinear_condition import Sight
from gated_xtfc.solver.discretisation import Iterate
from gated_xtfc.solver.interval.layout import IntervalLayout
from gated_xtfc.types import Array, Index, Orders

# Above this many kernels the walk along the band is faster than one dense factorisation.
DENSE = 160
SAME_ROWS = 1e-3  # relative change of the rows that leaves their inverse as it is
MOST_CORRECTIONS = 4  # of nonlinear conditions: each squares what is left of them
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
            trial = self.layout.trial
            of_constants = -raw.reshape(fields * which.size, -1)[:, trial.pivots] @ trial.lift
            # where the ends move with the constants, u at a place x is u at another place of the layout
            at = self.layout.site_indices[which]
            moved = self.layout.slide(self.layout.x[at], self.constants)
            slopes = np.concatenate([_slope(jets, self.layout.x)[at] for jets in self.iterate.jets])
            of_constants = of_constants + slopes[:, None] * np.tile(moved, (fields, 1))
            reduced = np.hstack([reduced, of_constants @ trial.loose])
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
        return Iterate(tuple(own[0,] for own in jets), jets, self.constants, self.sight)

    @property
    def sight(self) -> Sight | None:
        """What conditions that are not linear see of it."""
        function = KernelSum(Chart(self.basis), self.free, self.switch)
        return self.layout.sight(function, self.constants)

    @cached_property
    def condition_misfit(self) -> Array:
        """left - right of all conditions: those that are linear hold to rounding by what they are made of."""
        sight, misfit = self.sight, np.zeros(self.layout.trial.switch.shape[1])
        if sight is not None and self.layout.joined:
            last = len(self.layout.functionals.conditions)
            misfit[last - self.layout.joined : last] = [one.residual(sight) for one in self.layout.nonlinear]
        return misfit

    def answer(self, targets: Array, violations: Array) -> Array:
        """Kernel weights (columns, r) of what sources (rows, r) and violations of the conditions (conditions, r) do."""
        return self.answer_with_constants(targets, violations)[0]

    def answer_with_constants(self, targets: Array, violations: Array) -> tuple[Array, Array]:
        """The same, and what they do to the unknown constants, (constants, r)."""
        trial, frame = self.layout.trial, self.factor_trial
        constants = trial.pin @ violations
        supports = trial.switch @ violations - trial.lift @ constants
        targets = targets - columns(self.rows, trial.pivots) @ supports - self.rows.constant_columns @ constants
        found = self.factor.homogeneous(targets)
        inner, among = np.split(found, [found.shape[0] - trial.loose.shape[1]])
        weights = np.stack([frame.homogeneous_weights(own) for own in inner.T], axis=1)
        weights[trial.pivots] += supports - trial.lift @ (trial.loose @ among)
        return weights, constants + trial.loose @ among

    def bend(self, linear: Linearisation, here: Iterate, after: Linearisation, there: Iterate, part: float) -> Iterate:
        """What the equations' own bending adds to the next correction, `part` of the way along this fit.

        By the same inverse it is (1 - part) times that of this fit, and -L^-1 (F(there) - (1 - part) F(here)).
        """
        at, layout = self.layout.site_indices, self.layout
        targets = np.empty((at.size, len(linear.source)))
        slope = self.rows.window.jets[1]
        before, behind = _left(linear, here, at), _left(after, there, at)
        for e, factors in enumerate(linear.by_order):
            scale = row_scale([[a[at] for a in jets] for jets in factors], slope)
            targets[:, e] = ((1.0 - part) * before[e] - behind[e]) / scale
        violations = np.zeros((layout.trial.switch.shape[1], 1))
        if layout.joined and here.sight is not None and there.sight is not None:
            last = len(layout.functionals.conditions)
            violations[last - layout.joined : last, 0] = [
                (1.0 - part) * one.residual(here.sight) - one.residual(there.sight) for one in layout.nonlinear
            ]
        weights, constants = self.answer_with_constants(targets.reshape(-1, 1), violations)
        gathered = [self.fine.gather_field(weights[:, 0], f) for f in range(self.fine.fields)]
        values = tuple(row_sums(layout.derivatives[0], own) for own in gathered)
        return Iterate(values, [], constants[:, 0])


def _left(linear: Linearisation, iterate: Iterate, at: Index) -> list[Array]:
    """left - right of every equation at some points, from its linearisation about the iterate."""
    found = []
    for fields, source, beside in zip(linear.by_order, linear.source, linear.constant_columns, strict=True):
        left = -source[at]
        for factors, jets in zip(fields, iterate.jets, strict=True):
            for a, u in zip(factors, jets.values(), strict=True):
                left = left + a[at] * u[at]
        for a, constant in zip(beside, iterate.constants.tolist(), strict=True):
            left = left + a[at] * constant
        found.append(left)
    return found


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


def _slope(jets: dict[Orders, Array], x: Array) -> Array:
    """The first derivative, which fields of algebraic equations do not carry along."""
    return jets[1,] if (1,) in jets else np.gradient(jets[0,], x)


def fit(layout: IntervalLayout, linear: Linearisation) -> IntervalFit:
    """Least squares for the operator given at the points of the layout."""
    layout = layout.conditioned(linear.conditions)
    fine = equation_rows(layout.x, layout.window, linear)
    rows = fine[layout.site_indices]
    trial, constants = layout.trial, rows.constant_columns.shape[1]
    frame, factor, supports, beside = factorised(layout, rows)
    target = rows.target - supports @ frame.particular
    loose, values = 0, np.zeros(0)
    if constants:
        loose, values = trial.loose.shape[1], trial.constants(np.zeros(trial.loose.shape[1]))
        target = target - beside @ values
    found = factor.solve(target[:, None])[:, 0]
    found, among = np.split(found, [found.size - loose])
    values = values + trial.loose @ among if constants else values
    weights = trial.weights(found if frame is trial else frame.all_weights(found)[trial.free], values)
    if rows.fields > 1:
        idle = np.flatnonzero(driven(layout.functionals, rows) == 0)
        for own in weights:
            own.reshape(-1, rows.fields)[:, idle] = 0.0
    return IntervalFit(layout, frame, fine, rows, factor, *weights, values)


def driven(functionals: Functionals, rows: Rows) -> Array:
    """Which fields have a source, in an equation, in a condition, or by way of other fields: all others are zero.

    What least squares leave of those is rounding of fields that are none of their business, and no size to go by.
    """
    names = functionals.fields
    values = np.abs(rows.values.reshape(-1, rows.equations, rows.window.kernels.shape[1], rows.fields))
    beside = (
        np.abs(rows.target)[:, None]
        if not rows.constant_columns.size
        else np.abs(np.column_stack([rows.target, rows.constant_columns]))
    )
    links = list(values.max(axis=(0, 2)) > 0.0)
    sources = list(beside.reshape(-1, rows.equations, beside.shape[1]).max(axis=(0, 2)) > 0.0)
    for one in functionals.conditions:
        among = {term.field for term in one.terms}
        links.append(np.array([bool(one.all_integrals) or name in among for name in names]))
        sources.append(bool(one.value != 0.0 or one.constants))
    link, found = np.array(links), np.array(links)[np.array(sources)].any(axis=0)
    for _ in names:
        found = found | link[(link & found).any(axis=1)].any(axis=0)
    return np.asarray(found)


def factorised(layout: IntervalLayout, rows: Rows) -> tuple[Trial, Factor, Array, Array]:
    """The rows factorised: the trial of its columns, and the columns of the supports and the constants beside it."""
    require_finite(rows.values, rows.target, rows.constant_columns)
    trial, constants = layout.trial, rows.constant_columns.shape[1]
    factor: Factor
    beside = rows.constant_columns
    if constants and layout.functionals.holds_constants:
        # a constant in a condition moves its value, and the switching functions answer
        beside = beside - columns(rows, trial.pivots) @ trial.lift
    loose = beside @ trial.loose if constants else beside
    if layout.functionals.size <= DENSE:
        raw = dense_from_windows(rows.first, rows.values, layout.functionals.size)
        factor = Dense.of(np.hstack([trial.reduce(raw), loose]) if loose.size else trial.reduce(raw))
        return trial, factor, raw[:, trial.pivots], beside
    frame, far = trial, trial.met.distant()
    if far.conditions:
        frame = Trial.on(trial.met.local().without_constants())
        factor = constrained(frame, rows, far, layout.functionals.orders)
    else:
        factor = banded(frame, rows)
    if loose.size:
        factor = WithDenseColumns.of(factor, loose)
    return frame, factor, columns(rows, frame.pivots), beside


def relinearised(found: IntervalFit, linear: Linearisation) -> IntervalFit:
    """The same solution with the rows and the inverse of the equations linearised about itself.

    The residual of the rows is then that of the equations, not of their last linearisation. The inverse hardly changes
    with the last step, unless a front moves by its own thickness: that changes all coefficients there.
    """
    layout = found.layout.conditioned(linear.conditions)
    fine = equation_rows(layout.x, layout.window, linear)
    rows = fine[layout.site_indices]
    same = np.abs(rows.values - found.rows.values).max() <= SAME_ROWS * np.abs(rows.values).max()
    if layout is found.layout and same:
        return replace(found, fine=fine, rows=rows)
    frame, factor, _, _ = factorised(layout, rows)
    found = replace(found, layout=layout, fine=fine, rows=rows, factor=factor, factor_trial=frame)
    return _conditions_met(found) if layout.joined else found


def _conditions_met(found: IntervalFit) -> IntervalFit:
    """The same with conditions that are not linear met to rounding, by what the switching functions add."""
    trial = found.layout.trial
    for _ in range(MOST_CORRECTIONS):
        switch, misfit = found.switch.copy(), found.condition_misfit
        moved = trial.pin @ misfit
        switch[trial.pivots] -= trial.switch @ misfit - trial.lift @ moved
        other = replace(found, switch=switch, constants=found.constants - moved)
        if not np.abs(other.condition_misfit).max() < np.abs(found.condition_misfit).max():
            break
        found = other
    return found


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
