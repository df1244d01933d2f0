"""How well an eigenvalue is known: its residual through its own condition.

With f and z the right and left vectors of T, a residual r of the equations moves the eigenvalue by

    d lam = -(lam - shift) z^H r / (z^H f).

Where left and right vectors are nearly orthogonal, as in operators that are far from normal, a small residual moves it
far: the factor z / (z^H f) says so. Eigenvalues too close to each other to be told apart are treated as one, with the
spaces of their vectors in place of the vectors.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gated_xtfc.linalg.arnoldi import DENSE, Eigenpairs, dense_pairs, largest_pairs
from gated_xtfc.solver.interval.certificate import EPSILON, SAFETY, around_sites
from gated_xtfc.solver.interval.layout import IntervalLayout
from gated_xtfc.spectra.shifted import ShiftedPencil
from gated_xtfc.types import Array, Complex, Index

CLOSE = 1e-7  # relative distance of eigenvalues from each other that are one
LEAST = 1e-3  # of the largest field: what a field that vanishes is measured by
MOST = 700  # dimensions of the space in which eigenvalues are looked for


@dataclass(frozen=True, eq=False)
class EigenCandidate:
    """An eigenvalue of one layout, with its mode as kernel weights."""

    value: complex
    error: float  # estimated
    rounding: float  # the part of it that no refinement removes
    condition: float  # how far the eigenvalue moves when every number in the equations moves by a relative one
    roughness: float  # largest residual anywhere, relative to the terms of the equations
    weights: Complex  # (columns,) of all kernels
    layout: IntervalLayout
    share: Array  # (sites,) what the residual around each site could add to the error
    rough: Array  # (sites,) the residual itself, relative to the terms of the equations

    def at(self, x: Array, field: int, order: int = 0) -> Complex:
        """The mode at points."""
        basis, fields = self.layout.basis, len(self.layout.functionals.fields)
        part = self.weights[field::fields]
        real = basis.evaluate(x, order, np.ascontiguousarray(part.real))
        if not self.weights.imag.any():
            return real.astype(complex)
        return np.asarray(real + 1j * basis.evaluate(x, order, np.ascontiguousarray(part.imag)))


def candidates(shifted: ShiftedPencil, count: int) -> list[EigenCandidate]:
    """The eigenvalues nearest to the shift, at least `count` where there are so many, the nearest first."""
    if shifted.size <= DENSE:
        right, left = dense_pairs(shifted.matrix())
    else:
        most = min(shifted.size, max(MOST, 3 * count))
        right = largest_pairs(shifted.apply, shifted.size, count, most, not shifted.real)
        left = largest_pairs(shifted.adjoint, shifted.size, right.values.size, most, not shifted.real)
        left = Eigenpairs(left.values.conj(), left.vectors)
    kept = min(count, right.values.size)
    while kept < right.values.size and _near(right.values[kept], right.values[kept - 1]):
        kept += 1  # a group is not cut
    found: list[EigenCandidate] = []
    for group in _groups(right.values[:kept]):
        found += _estimated(shifted, right, left, group)
    return found


def _near(a: complex, b: complex) -> bool:
    return bool(abs(a - b) <= CLOSE * max(abs(a), abs(b)))


def _groups(values: Complex) -> list[Index]:
    """Indices of eigenvalues that are one, or one with its complex conjugate so near the axis that both may be real."""
    left, groups = list(range(values.size)), []
    while left:
        group = [left.pop(0)]
        for i in group:
            group += [j for j in left if _near(values[i], values[j])]
            left = [j for j in left if j not in group]
        groups.append(np.array(group))
    return groups


def _estimated(shifted: ShiftedPencil, right: Eigenpairs, left: Eigenpairs, group: Index) -> list[EigenCandidate]:
    m = shifted.block
    mu = right.values[group]
    if np.abs(mu).min() == 0.0:
        return []
    f = right.vectors[:, group]
    twins = np.argsort(np.abs(left.values - mu[0]))[: group.size]
    if twins.size < group.size:
        return []
    z = np.linalg.qr(left.vectors[:, twins])[0]
    inner = z.conj().T @ f
    singular = np.linalg.svd(inner, compute_uv=False)
    if not singular[-1] > EPSILON * singular[0] * 1e-3:
        return []
    values = shifted.shift + 1.0 / mu
    if shifted.real:
        values, f = _straightened(values, f)
        inner = z.conj().T @ f
    weights = shifted.weights(f[:m])
    sizes = np.stack([field_sizes(shifted.layout, own) for own in weights.T])  # (group, fields)
    largest = sizes.max(axis=1)
    if not largest.min() > 0.0:
        return []
    weights, inner = weights / largest, inner / largest
    lever = np.linalg.solve(inner, z[:m].conj().T)  # (group, sites and conditions that hold lam)
    return [
        _candidate(shifted, complex(value), weights[:, i], sizes[i] / largest[i], (shifted.shift - value) * lever)
        for i, value in enumerate(values)
    ]


def _straightened(values: Complex, vectors: Complex) -> tuple[Complex, Complex]:
    """Real vectors for real eigenvalues, and for a double one that rounding has made a pair of complex ones."""
    values, vectors = values.copy(), vectors.copy()
    for i, value in enumerate(values):
        twins = [j for j in range(i + 1, values.size) if abs(values[j] - value.conj()) <= 1e-9 * abs(value)]
        if value.imag != 0.0 and twins:
            both = np.stack([vectors[:, i].real, vectors[:, i].imag], axis=1)
            vectors[:, [i, twins[0]]] = np.linalg.qr(both)[0]
            values[[i, twins[0]]] = value.real
        elif value.imag == 0.0:
            phase = vectors[np.argmax(np.abs(vectors[:, i])), i]
            vectors[:, i] = (vectors[:, i] / phase).real
    return values, vectors


def _candidate(
    shifted: ShiftedPencil, value: complex, weights: Complex, sizes: Array, lever: Complex
) -> EigenCandidate:
    """`lever`: by how much a unit of residual in each row of a block of f moves the eigenvalues of the group."""
    lever, behind = np.split(lever, [shifted.sites], axis=1)
    violated, added = shifted.violations(value, weights)
    layout, at, e = shifted.layout, shifted.layout.site_indices, shifted.equations
    by_point = shifted.residual(value, weights).reshape(-1, e)
    units = (shifted.row_sizes * np.maximum(sizes, LEAST)).max(axis=1)
    envelope = np.hypot(around_sites(at, by_point.real), around_sites(at, by_point.imag))
    padded = np.concatenate([by_point[:1], by_point, by_point[-1:]])
    drift = (0.25 * (padded[at] + 2.0 * by_point[at] + padded[at + 2])).ravel()
    squares, size = np.abs(lever) ** 2, np.abs(lever)
    # as for a solution: what alternates from site to site adds up like independent parts, its mean does not
    truncation = np.sqrt(squares @ envelope**2) + np.abs(lever @ drift) + np.abs(behind) @ np.abs(violated)
    entries, xi = shifted.sizes(value, weights), np.repeat(layout.window.jets[0][at], e)
    rounding = EPSILON * (size @ entries + np.sqrt(squares @ (3.0 * xi * entries) ** 2) + abs(value))
    rounding = rounding + EPSILON * (np.abs(behind) @ added)
    strongest = np.sqrt(size.shape[1]) * np.sqrt(squares.sum(axis=0)) * envelope
    return EigenCandidate(
        value=value,
        error=float(np.linalg.norm(SAFETY * (truncation + rounding))),
        rounding=float(np.linalg.norm(SAFETY * rounding)),
        condition=float((size @ np.tile(units, at.size)).max()),
        roughness=float((envelope.reshape(-1, e) / units).max()),
        weights=np.asarray(weights, dtype=complex),
        layout=layout,
        share=strongest.reshape(-1, e).max(axis=1),
        rough=(envelope.reshape(-1, e) / units).max(axis=1),
    )


def field_sizes(layout: IntervalLayout, weights: Complex) -> Array:
    """The largest size of every field of a mode, at the points of the layout."""
    fields = len(layout.functionals.fields)
    window, sizes = layout.window, []
    columns = window.columns()
    for f in range(fields):
        padded = np.concatenate([weights[f::fields], np.zeros(window.kernels.shape[1])])
        sizes.append(float(np.abs((window.kernels * padded[columns]).sum(axis=1)).max()))
    return np.array(sizes)


def matched(
    found: Sequence[EigenCandidate], before: Sequence[EigenCandidate], tol: float
) -> list[EigenCandidate | None]:
    """For every eigenvalue the one of another layout that it is the same as, each used once."""
    free = list(before)
    pairs: list[EigenCandidate | None] = []
    for one in found:
        near = min(free, key=lambda other: abs(other.value - one.value), default=None)
        if near is not None:
            reach = one.error + near.error + tol * abs(one.value)
            if abs(near.value - one.value) <= reach:
                free.remove(near)
                pairs.append(near)
                continue
        pairs.append(None)
    return pairs
