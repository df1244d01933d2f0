"""How large the error on elements is: the residual between the sites seen through the inverse of the operator.

The same reasoning as for kernels (`certificate.py`), with the response of the fields at the ends and in the middles of
all elements. Where the operator amplifies, the certificate is turned on the inverse itself, as there.
"""

from collections.abc import Callable
from dataclasses import dataclass

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
    return certify_residual(found, *residuals_of(found), tolerance)


def residuals_of(found: Condensed) -> tuple[Array, Array, Array]:
    """Residuals at the sites and between them, and the sizes of what is added up in each row."""
    rows, checks, own = found.rows, found.checks, found.coefficients
    misfit, between = (_times(part.matrix, own) - part.target for part in (rows, checks))
    return misfit, between, _times(np.abs(rows.matrix), np.abs(own)) + np.abs(rows.target)


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
    sizes = np.array(found.sizes)
    scales = sizes if tolerance is None else np.array(tolerance.scales(found.sizes))
    seen, units = in_units(found, misfit, between, entries)
    weights = [Weights.of((found.response(f)[0] * units) / size, seen) for f, size in enumerate(sizes)]
    stability = np.array([own.amplification.max() for own in weights])
    unresolved, of_mode = 0.0, 0.0
    if not stability.max() <= AMPLIFIED:
        f = int(stability.argmax())
        inverse = [found.response(g)[0] * units / size for g, size in enumerate(sizes)]
        source, mode = _mode(found, inverse[f][int(weights[f].amplification.argmax())], units)
        flat = np.concatenate(inverse).reshape(-1, misfit.size)
        size = float(np.abs(flat @ source.ravel()).max())
        unresolved = float(np.sqrt(flat**2 @ _missed(found, source, mode, units) ** 2).max()) / size
        if terms is not None:
            of_mode = float((np.abs(flat) @ (terms(mode) / units).ravel()).max()) / size
    ratio = sizes / scales
    most = float(ratio.max())
    squares, drifts, misfits, amplified = (
        float(max(r * part for r, part in zip(ratio, parts, strict=True)))
        for parts in zip(*(own.largest for own in weights), strict=True)
    )
    truncation = squares + most * float(seen.envelope.max()) + drifts
    rounding = SAFETY * misfits + SAFETY * EPSILON * amplified + 4.0 * EPSILON * most
    strongest = np.max([r * own.strongest for r, own in zip(ratio, weights, strict=True)], axis=0)
    share = (SAFETY * seen.envelope * (most + np.sqrt(misfit.size) * strongest)).max(axis=1)
    return Certificate(
        error=float(SAFETY * truncation + rounding),
        rounding=rounding,
        stability=float(stability.max()) if terms is None else max(amplified, of_mode),
        unresolved=unresolved,
        scales=tuple(float(scale) for scale in scales),
        shares=(share,),
    )


def in_units(found: Condensed, misfit: Array, between: Array, entries: Array) -> "tuple[Residuals, Array]":
    """Residuals in the sizes of the largest terms of their equations, and those sizes, (R,)."""
    rows, degree, equations = found.rows, found.layout.degree, found.rows.sizes.shape[0]
    unit = (rows.sizes * np.array(found.sizes)).max(axis=1) / rows.sizes.max(axis=1)
    units = np.tile(unit, degree + 1)
    misfit, between, entries = misfit / units, between / np.tile(unit, degree + 2), entries / units
    return Residuals(_around(between, equations), _mean(between, misfit, equations), misfit, entries), units


@dataclass(frozen=True)
class Residuals:
    """What responses are weighed with, each (K, R) in the units of its rows."""

    envelope: Array  # largest sizes between the sites
    drift: Array  # means
    misfit: Array  # at the sites
    entries: Array  # sizes of what is added up there


@dataclass(frozen=True)
class Weights:
    """What some witnesses make of the residuals."""

    amplification: Array  # (n,)
    largest: tuple[float, float, float, float]  # of truncation, its mean, misfits and what is added up
    strongest: Array  # (K, R)

    @classmethod
    def of(cls, response: Array, seen: Residuals) -> "Weights":
        """From responses (n, K, R)."""
        flat = response.reshape(response.shape[0], -1)
        size, squares = np.abs(flat), flat**2
        parts = (
            float(np.sqrt((squares @ seen.envelope.ravel() ** 2).max())),
            float(np.abs(flat @ seen.drift.ravel()).max()),
            float(np.abs(flat @ seen.misfit.ravel()).max()),
            float((size @ seen.entries.ravel()).max()),
        )
        return cls(size.sum(axis=1), parts, size.max(axis=0).reshape(seen.misfit.shape))


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


def _mode(found: Condensed, inverse: Array, units: Array) -> tuple[Array, Array]:
    """The source that is the response of the worst witness, made smooth, (K, n, E), and the solution for it."""
    layout, equations = found.layout, found.rows.sizes.shape[0]
    source = _smooth(inverse.reshape(layout.count, layout.degree + 1, equations))
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
