"""How large the error is: the residual seen through the inverse of the operator.

The error e solves L e = r, so e(x) = sum_k G(x, k) r_k, with G the response of the solution to the scaled
residual at site k, taken from the factorisation that gave the solution. Least squares makes this sum vanish
over the sites; what is left of it is rounding, and it is counted as such. Truncation shows between the sites:
there the residual alternates in sign, so its terms, with r_k the largest residual around site k, add up like
independent ones; to them come what its mean does, for not all of it alternates, and the part of the error that lives
between the sites, of the size of the scaled residual itself.

The inverse is known only as well as the kernels resolve it: those that show a mode to 1e-4 cannot show that the
operator nearly annihilates it, and amplifies by more than 1e4. So where it amplifies, the certificate is turned on the
inverse: the solution v for the source that is amplified most has a residual between the sites like any other, and what
that could add to v, relative to v, tells whether v is resolved.
"""

import numpy as np

from gated_xtfc.discretise.kernel_window import row_sums
from gated_xtfc.solver.discretisation import Certificate
from gated_xtfc.solver.interval.fit import IntervalFit
from gated_xtfc.solver.tolerance import Tolerance
from gated_xtfc.types import Array, Index

EPSILON = float(np.finfo(float).eps)
WITNESSES = 17  # places at which the response is taken
SAFETY = 2.0
LEVER = 1e3  # weights that a condition's value asks for, above which its rounding is looked at
AMPLIFIED = 100.0  # above this the inverse itself is looked at


def certify(found: IntervalFit, tolerance: Tolerance | None = None) -> Certificate:
    """The error estimate of a fit, and what the residual around each site adds to it.

    The error is relative to the size of each field, or to what a tolerance makes of it.
    """
    rows, sizes = found.rows, np.array(found.sizes)
    scales = sizes if tolerance is None else np.array(tolerance.scales(found.sizes))
    # Residuals are measured in the size of their equation's largest term, so that no unit is left in anything.
    unit = np.tile((found.row_sizes * sizes).max(axis=1) / found.row_sizes.max(axis=1), rows.x.size)
    misfit, envelope, drift = (residual / unit for residual in _residuals(found))
    witnesses = np.arange(WITNESSES) * (rows.x.size - 1) // (WITNESSES - 1)
    relative = found.response(witnesses) * unit
    inverse = (relative / sizes[:, None, None]).reshape(-1, unit.size)
    stability, unresolved = np.abs(inverse).sum(axis=1), 0.0
    if stability.max() > AMPLIFIED:
        unresolved, peak = _mode(found, inverse, unit, int(stability.argmax()))
        # a mode may be large in a place where no witness stands
        relative = np.concatenate([relative, found.response(np.array([peak])) * unit], axis=1)
        stability = np.abs(relative / sizes[:, None, None]).sum(axis=2)
    response = (relative / scales[:, None, None]).reshape(-1, unit.size)
    squares = response**2
    most = float((sizes / scales).max())
    # The residual of a row is known only to rounding of the numbers added up in it, whose errors may all go together.
    parts = rows.gather(found.free), rows.gather(found.switch)
    entries = (row_sums(np.abs(rows.values), np.abs(parts[0]) + np.abs(parts[1])) + np.abs(rows.target)) / unit
    truncation = float(np.sqrt(squares @ envelope**2).max()) + most * float(envelope.max())
    truncation += float(np.abs(response @ drift).max())
    # The coordinate xi is known to rounding of its own size, independently at each site; it moves all of a row.
    xi = np.repeat(rows.xi, rows.equations) if rows.equations > 1 else rows.xi
    coordinate_rounding = EPSILON * float(np.sqrt(squares @ (3.0 * xi * entries) ** 2).max())
    if coordinate_rounding > 0.1 * truncation:
        # Entries change in xi by at most three times their size; where that bound matters, take how their sum changes.
        coordinate_rounding = EPSILON * float(
            np.sqrt(squares @ (xi * row_sums(rows.derivative_in_xi(), parts[0] + parts[1]) / unit) ** 2).max()
        )
    hidden_rounding = SAFETY * (EPSILON * float((np.abs(response) @ entries).max()) + coordinate_rounding)
    gaps = rows.xi[1:] / np.maximum(np.diff(rows.xi), 1e-3)
    evaluation_rounding = max(
        float((gaps * np.abs(np.diff(u))).max()) / scale for u, scale in zip(found.site_values, scales, strict=True)
    )
    evaluation_rounding = EPSILON * (4.0 * most + evaluation_rounding)
    rounding = SAFETY * float(np.abs(response @ misfit).max()) + hidden_rounding + evaluation_rounding
    rounding += SAFETY * most * _condition_rounding(found)
    strongest = np.sqrt(rows.x.size) * np.sqrt(squares.max(axis=0))
    share = SAFETY * envelope * (most + strongest)
    return Certificate(
        error=float(SAFETY * truncation + rounding),
        rounding=float(rounding),
        stability=float(stability.max()),
        unresolved=unresolved,
        scales=tuple(float(scale) for scale in scales),
        shares=(share.reshape(rows.x.size, -1).max(axis=1),),
    )


def _residuals(found: IntervalFit) -> tuple[Array, Array, Array]:
    """The scaled residual in each row of the sites; its largest size there and halfway to the neighbours; its mean."""
    fine = found.fine
    residual = row_sums(fine.values, fine.gather(found.free + found.switch)) - fine.target
    if found.constants.size:
        residual = residual + fine.constant_columns @ found.constants
    by_point = residual.reshape(-1, found.rows.equations)
    at = found.layout.site_indices
    padded = np.concatenate([by_point[:1], by_point, by_point[-1:]])
    mean = 0.25 * (padded[at] + 2.0 * by_point[at] + padded[at + 2])
    return by_point[at].ravel(), around_sites(at, by_point), mean.ravel()


def around_sites(at: Index, by_point: Array) -> Array:
    """The largest size in each row of the sites, there and halfway to the neighbours, of a residual at all points."""
    nothing = np.zeros((1, by_point.shape[1]))
    around = np.abs(np.concatenate([nothing, by_point, nothing]))
    envelope: Array = np.maximum(np.maximum(around[at], around[at + 1]), around[at + 2])
    return envelope.ravel()


def _mode(found: IntervalFit, inverse: Array, unit: Array, worst: int) -> tuple[float, int]:
    """The relative error of the solution v whose source is the response of the worst witness, made smooth; its peak.

    Where the operator nearly annihilates some mode, v is that mode, many times over.
    """
    fine, at, equations = found.fine, found.layout.site_indices, found.rows.equations
    source = _smooth(inverse[worst].reshape(-1, equations))
    source = source / np.abs(source).max()
    units = unit[:equations]
    coefficients = found.factor.homogeneous((source * units).reshape(-1, 1))[:, 0]
    trial = found.layout.trial
    coefficients, among = np.split(coefficients, [coefficients.size - trial.loose.shape[1]])
    constants = trial.loose @ among
    weights = found.factor_trial.homogeneous_weights(coefficients)
    if constants.size:
        weights[trial.pivots] -= trial.lift @ constants
    residual = row_sums(fine.values, fine.gather(weights))
    if constants.size:
        residual = residual + fine.constant_columns @ constants
    points = np.arange(fine.x.size)
    between = np.stack([np.interp(points, at, own) for own in source.T], axis=1)
    missed = around_sites(at, residual.reshape(-1, equations) / units - between)
    mode = np.stack(
        [
            np.abs(row_sums(found.rows.window.kernels, found.rows.gather_field(weights, f))) / size
            for f, size in enumerate(found.sizes)
        ]
    )
    relative = np.sqrt(inverse**2 @ missed**2).max() / np.abs(inverse @ source.ravel()).max()
    return float(relative), int(mode.max(axis=0).argmax())


def _condition_rounding(found: IntervalFit) -> float:
    """What rounding in the conditions adds to the solution: conditions close together leave much to it.

    Conditions that are not linear hold as well as they could be met: what is left of them is counted as well.
    """
    trial, functionals = found.layout.trial, found.layout.functionals
    apart = found.factor_trial is not trial or not trial.pivots.size or np.abs(trial.switch).max() < LEVER
    if apart and not found.layout.joined:
        return 0.0
    sums = np.abs(functionals.rows()) @ (np.abs(found.free) + np.abs(found.switch)) + np.abs(functionals.values())
    misfit = EPSILON * sums + np.abs(found.condition_misfit)
    answers = found.answer(np.zeros((found.rows.target.size, misfit.size)), np.eye(misfit.size))
    total = np.zeros(len(found.sizes))
    for rounding, weights in zip(misfit, answers.T, strict=True):
        for f, size in enumerate(found.sizes):
            moved = row_sums(found.rows.window.kernels, found.rows.gather_field(weights, f))
            total[f] += float(np.abs(moved).max()) * rounding / size
    return float(total.max())


def _smooth(source: Array) -> Array:
    """Without what alternates from site to site: no mode of the operator does, and nobody knows it in between."""
    for _ in range(2):
        padded = np.concatenate([source[:1], source, source[-1:]])
        source = 0.25 * (padded[:-2] + 2.0 * source + padded[2:])
    return source
