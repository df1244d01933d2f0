"""How large the error on elements is: the residual between the sites seen through the inverse of the operator.

The same reasoning as for kernels (`certificate.py`), with the response of the fields at the ends and in the middles of
all elements. Where the operator amplifies, the certificate is turned on the inverse itself, as there.
"""

from collections.abc import Callable

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
    rows, checks, own = found.rows, found.checks, found.coefficients
    misfit, between = (_times(part.matrix, own) - part.target for part in (rows, checks))
    return certify_residual(
        found, misfit, between, _times(np.abs(rows.matrix), np.abs(own)) + np.abs(rows.target), tolerance
    )


def certify_residual(
    found: Condensed,
    misfit: Array,
    between: Array,
    entries: Array,
    tolerance: Tolerance | None = None,
    terms: Callable[[Array], Array] | None = None,
) -> Certificate:
    """The same from residuals at the sites and between them, and the sizes of what is added up in each row.

    `terms` gives the sizes of the equations' terms (K, R) for coefficients (K, columns). Then the amplification is that
    of rounding in the terms of the solution, and of the mode that is amplified most, and not that of residuals in the
    units of rows, which thin elements alone make large.
    """
    layout, rows = found.layout, found.rows
    sizes = np.array(found.sizes)
    scales = sizes if tolerance is None else np.array(tolerance.scales(found.sizes))
    equations = rows.sizes.shape[0]
    unit = (rows.sizes * sizes).max(axis=1) / rows.sizes.max(axis=1)
    units = np.tile(unit, layout.degree + 1)
    misfit, between, entries = misfit / units, between / np.tile(unit, layout.degree + 2), entries / units
    envelope = _around(between, equations)
    drift = _mean(between, misfit, equations)
    relative = (found.response * units).reshape(*found.response.shape[:2], -1)
    inverse = relative / sizes[:, None, None]
    stability = np.abs(inverse).sum(axis=2)
    unresolved, of_mode = 0.0, 0.0
    if stability.max() > AMPLIFIED:
        f, w = np.unravel_index(int(stability.argmax()), stability.shape)
        source, mode = _mode(found, inverse, int(f), int(w), units)
        flat = inverse.reshape(-1, envelope.size)
        size = float(np.abs(flat @ source.ravel()).max())
        unresolved = float(np.sqrt(flat**2 @ _missed(found, source, mode, units) ** 2).max()) / size
        if terms is not None:
            of_mode = float((np.abs(flat) @ (terms(mode) / units).ravel()).max()) / size
    response = (relative / scales[:, None, None]).reshape(-1, envelope.size)
    squares = response**2
    most = float((sizes / scales).max())
    truncation = float(np.sqrt(squares @ envelope.ravel() ** 2).max()) + most * float(envelope.max())
    truncation += float(np.abs(response @ drift.ravel()).max())
    rounding = SAFETY * float(np.abs(response @ misfit.ravel()).max())
    amplified = float((np.abs(response) @ entries.ravel()).max())
    rounding += SAFETY * EPSILON * amplified + 4.0 * EPSILON * most
    strongest = np.sqrt(envelope.size) * np.sqrt(squares.max(axis=0)).reshape(envelope.shape)
    share = (SAFETY * envelope * (most + strongest)).max(axis=1)
    return Certificate(
        error=float(SAFETY * truncation + rounding),
        rounding=rounding,
        stability=float(stability.max()) if terms is None else max(amplified, of_mode),
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


def _mode(found: Condensed, inverse: Array, f: int, w: int, units: Array) -> tuple[Array, Array]:
    """The source that is the response of the worst witness, made smooth, (K, n, E), and the solution for it."""
    layout, equations = found.layout, found.rows.sizes.shape[0]
    source = _smooth(inverse[f, w].reshape(layout.count, layout.degree + 1, equations))
    source = source / np.abs(source).max()
    return source, found.homogeneous(source.reshape(layout.count, -1) * units)


def _missed(found: Condensed, source: Array, mode: Array, units: Array) -> Array:
    """What the solution for a source leaves of it between the sites, around each of them."""
    layout, equations = found.layout, found.rows.sizes.shape[0]
    own = layout.tables[0]
    left = np.searchsorted(own.sites, own.checks).clip(1, own.sites.size - 1)
    part = ((own.checks - own.sites[left - 1]) / (own.sites[left] - own.sites[left - 1])).clip(0.0, 1.0)
    between = source[:, left - 1] + part[:, None] * (source[:, left] - source[:, left - 1])
    residual = _times(found.checks.matrix, mode).reshape(layout.count, -1, equations) / units[:equations] - between
    return _around(residual.reshape(layout.count, -1), equations).ravel()


def _smooth(source: Array) -> Array:
    """Without what alternates from site to site, in every element."""
    for _ in range(2):
        padded = np.concatenate([source[:, :1], source, source[:, -1:]], axis=1)
        source = 0.25 * (padded[:, :-2] + 2.0 * source + padded[:, 2:])
    return source
