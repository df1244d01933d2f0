"""How large the error on elements is: the residual between the sites seen through the inverse of the operator.

The same reasoning as for kernels (`certificate.py`), with the response of the fields at the ends and in the middles of
all elements. Where the operator amplifies, the certificate is turned on the inverse itself, as there.
"""

import numpy as np

from gated_xtfc.solver.discretisation import Certificate
from gated_xtfc.solver.interval.condensed import Condensed
from gated_xtfc.solver.tolerance import Tolerance
from gated_xtfc.types import Array

EPSILON = float(np.finfo(float).eps)
SAFETY = 4.0  # twice that of kernels: what is left between the sites of an element is one polynomial, and adds up
AMPLIFIED = 100.0  # above this the inverse itself is looked at


def certify_condensed(found: Condensed, tolerance: Tolerance | None = None) -> Certificate:
    """The error estimate of a fit, and what the residual in each element adds to it."""
    layout, rows, checks = found.layout, found.rows, found.checks
    sizes = np.array(found.sizes)
    scales = sizes if tolerance is None else np.array(tolerance.scales(found.sizes))
    equations = rows.sizes.shape[0]
    unit = (rows.sizes * sizes).max(axis=1) / rows.sizes.max(axis=1)
    units = np.tile(unit, layout.degree + 1)
    misfit = (_times(rows.matrix, found.coefficients) - rows.target) / units
    between = (_times(checks.matrix, found.coefficients) - checks.target) / np.tile(unit, layout.degree + 2)
    envelope = _around(between, equations)
    drift = _mean(between, misfit, equations)
    relative = (found.response * units).reshape(*found.response.shape[:2], -1)
    inverse = relative / sizes[:, None, None]
    stability = np.abs(inverse).sum(axis=2)
    unresolved = 0.0
    if stability.max() > AMPLIFIED:
        f, w = np.unravel_index(int(stability.argmax()), stability.shape)
        unresolved = _mode(found, inverse, int(f), int(w), units)
    response = (relative / scales[:, None, None]).reshape(-1, envelope.size)
    squares = response**2
    most = float((sizes / scales).max())
    truncation = float(np.sqrt(squares @ envelope.ravel() ** 2).max()) + most * float(envelope.max())
    truncation += float(np.abs(response @ drift.ravel()).max())
    entries = (_times(np.abs(rows.matrix), np.abs(found.coefficients)) + np.abs(rows.target)) / units
    rounding = SAFETY * float(np.abs(response @ misfit.ravel()).max())
    rounding += SAFETY * EPSILON * float((np.abs(response) @ entries.ravel()).max()) + 4.0 * EPSILON * most
    strongest = np.sqrt(envelope.size) * np.sqrt(squares.max(axis=0)).reshape(envelope.shape)
    share = (SAFETY * envelope * (most + strongest)).max(axis=1)
    return Certificate(
        error=float(SAFETY * truncation + rounding),
        rounding=rounding,
        stability=float(stability.max()),
        unresolved=unresolved,
        scales=tuple(float(scale) for scale in scales),
        shares=(share,),
    )


def _times(matrix: Array, coefficients: Array) -> Array:
    found: Array = (matrix @ coefficients[:, :, None])[:, :, 0]
    return found


def _around(between: Array, equations: int) -> Array:
    """The largest size of a residual between the sites on both sides of each site, (K, R)."""
    size = np.abs(between).reshape(between.shape[0], -1, equations)
    return np.maximum(size[:, :-1], size[:, 1:]).reshape(between.shape[0], -1)


def _mean(between: Array, misfit: Array, equations: int) -> Array:
    """The mean of a residual around each site, (K, R)."""
    own = between.reshape(between.shape[0], -1, equations)
    return 0.25 * (own[:, :-1] + own[:, 1:]).reshape(misfit.shape) + 0.5 * misfit


def _mode(found: Condensed, inverse: Array, f: int, w: int, units: Array) -> float:
    """The relative error of the solution whose source is the response of the worst witness, made smooth."""
    layout = found.layout
    equations = found.rows.sizes.shape[0]
    shape = (layout.count, layout.degree + 1, equations)
    source = _smooth(inverse[f, w].reshape(shape))
    source = source / np.abs(source).max()
    coefficients = found.homogeneous(source.reshape(layout.count, -1) * units)
    own = layout.tables[0]
    left = np.searchsorted(own.sites, own.checks).clip(1, own.sites.size - 1)
    part = ((own.checks - own.sites[left - 1]) / (own.sites[left] - own.sites[left - 1])).clip(0.0, 1.0)
    between = source[:, left - 1] + part[:, None] * (source[:, left] - source[:, left - 1])
    unit = units[:equations]
    residual = _times(found.checks.matrix, coefficients).reshape(layout.count, -1, equations) / unit - between
    missed = _around(residual.reshape(layout.count, -1), equations).ravel()
    flat = inverse.reshape(-1, missed.size)
    return float(np.sqrt(flat**2 @ missed**2).max() / np.abs(flat @ source.ravel()).max())


def _smooth(source: Array) -> Array:
    """Without what alternates from site to site, in every element."""
    for _ in range(2):
        padded = np.concatenate([source[:, :1], source, source[:, -1:]], axis=1)
        source = 0.25 * (padded[:, :-2] + 2.0 * source + padded[:, 2:])
    return source
