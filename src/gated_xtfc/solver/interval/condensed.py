"""Least squares on elements, condensed: an orthogonal factorisation in every element, then one that joins them.

The equations at the sites of an element, each divided by the operator's size at the resolution there, are rows in its
bubbles and in the states at its ends. Householder's transformations Q of an element leave

    Q' [B S | b] = [ R  T | b1 ]
                   [ 0  C | b2 ]

so that the states of all elements solve a least-squares problem in the small rows C, and bubbles follow from them.
Nothing is asked of the directions in which modes grow or decay.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from gated_xtfc import lapack
from gated_xtfc.operator.linearise import Linearisation
from gated_xtfc.solver.interval.element_layout import CHECKS, SITES, ElementLayout
from gated_xtfc.solver.interval.fit import matched
from gated_xtfc.types import Array

RESOLVED = 6.0  # an element's length over that of a kernel which resolves as much: what rows are scaled by


@dataclass(frozen=True)
class ElementRows:
    """The equations at n points of every element; columns are the bubbles of all fields, left and right states."""

    matrix: Array  # (K, n E, columns)
    target: Array  # (K, n E)
    sizes: Array  # (E, F) how large an equation becomes at the most for a field of size one


def field_scales(layout: ElementLayout, linear: Linearisation) -> list[list[Array]]:
    """The size of every equation's operator in each field at the resolution of the elements, each (K, 2p + 3)."""
    shape = layout.x.shape
    narrow = RESOLVED / layout.elements.length[:, None]
    return [
        [np.asarray(sum(np.abs(a.reshape(shape)) * narrow**j for j, a in enumerate(jets))) for jets in fields]
        for fields in linear.by_order
    ]


def row_scales(layout: ElementLayout, linear: Linearisation) -> list[Array]:
    """What each equation is divided by, (K, 2p + 3)."""
    return [np.asarray(sum(own)) for own in field_scales(layout, linear)]


def element_rows(layout: ElementLayout, linear: Linearisation) -> tuple[ElementRows, ElementRows]:
    """The scaled equations at the sites, and at the points between them."""
    shape = layout.x.shape
    parts: tuple[list[Array], list[Array]] = [], []
    targets, sizes = [], []
    scales = field_scales(layout, linear)
    for fields, source, own in zip(linear.by_order, linear.source, scales, strict=True):
        scale = sum(own)
        sizes.append([float((part / scale).max()) for part in own])
        scaled = [[a.reshape(shape) / scale for a in jets] for jets in fields]
        targets.append(source.reshape(shape) / scale)
        for at, points in enumerate((SITES, CHECKS)):
            parts[at].append(_equation(layout, [[a[:, points] for a in jets] for jets in scaled], at == 0))
    stacked = [np.stack(part, axis=2) for part in parts]  # (K, n, E, columns)
    target = np.stack(targets, axis=2)
    rows = []
    for matrix, points in zip(stacked, (SITES, CHECKS), strict=True):
        flat = matrix.reshape(matrix.shape[0], -1, matrix.shape[3])
        rows.append(ElementRows(flat, target[:, points].reshape(flat.shape[:2]), np.array(sizes)))
    return rows[0], rows[1]


def _equation(layout: ElementLayout, scaled: list[list[Array]], at_sites: bool) -> Array:
    """One equation at points of every element, (K, n, columns)."""
    length = layout.elements.length[:, None]
    bubbles, left, right = [], [], []
    for jets, own in zip(scaled, layout.tables, strict=True):
        table = own.at_sites if at_sites else own.at_checks
        values = sum((a / length**j)[:, :, None] * table[j] for j, a in enumerate(jets))
        bubbles.append(values[:, :, own.order : -own.order])
        left.append(values[:, :, : own.order])
        right.append(values[:, :, -own.order :])
    both = layout.state_scales
    return np.concatenate([*bubbles, *left, *right], axis=2) * both[:, None, :]


@dataclass(frozen=True)
class Condensed:
    """Polynomials that solve the linear equations, with the factorisations that gave them."""

    layout: ElementLayout
    rows: ElementRows  # at the sites
    checks: ElementRows  # between them
    orthogonal: Array  # (K, R, R) Q of every element
    upper: Array  # (K, R, columns) what it leaves
    joined: tuple[Array, Array]  # Q and R of the condensed rows
    coefficients: Array  # (K, columns)
    weights: Array  # (K,) of the rows of every element

    @property
    def bubbles(self) -> int:
        """How many there are in an element."""
        return self.layout.bubbles

    @cached_property
    def shapes(self) -> Array:
        """The factors of the shape functions, (K, F, p + 1): left end, bubbles, right end of every field."""
        return self.shapes_of(self.coefficients)

    def shapes_of(self, coefficients: Array) -> Array:
        """The same of other coefficients (K, columns)."""
        layout, nb, m = self.layout, self.bubbles, self.layout.state
        scaled = coefficients * layout.state_scales
        found = np.empty((layout.count, len(layout.orders), layout.degree + 1))
        bubble = 0
        for f, (order, start) in enumerate(zip(layout.orders, layout.starts, strict=True)):
            size = layout.degree + 1 - 2 * order
            found[:, f, :order] = scaled[:, nb + start : nb + start + order]
            found[:, f, order : order + size] = scaled[:, bubble : bubble + size]
            found[:, f, order + size :] = scaled[:, nb + m + start : nb + m + start + order]
            bubble += size
        return found

    @cached_property
    def sizes(self) -> tuple[float, ...]:
        """max|u| of every field; of one that nearly vanishes, a part of the size that would match the others."""
        values = np.einsum("fkc,kc->fk", self.layout.middles, self.coefficients)
        sizes: Array = np.maximum(np.abs(values).max(axis=1), np.abs(self.nodes).max(axis=1))
        return matched(sizes, self.rows.sizes)

    @cached_property
    def nodes(self) -> Array:
        """Every field at the ends of elements, (F, K + 1)."""
        starts, nb, m = self.layout.starts, self.bubbles, self.layout.state
        left = self.coefficients[:, nb : nb + m][:, starts]
        return np.concatenate([left, self.coefficients[-1:, nb + m :][:, starts]]).T

    def homogeneous(self, target: Array) -> Array:
        """The coefficients for another right side (K, R), with homogeneous conditions."""
        return _solved(self, target, np.zeros_like(self.layout.particular))

    @cached_property
    def response(self) -> Array:
        """Green's function, (F, 2K + 1, K, R): every field at the nodes and in the middles, to a unit in each row."""
        layout, nb, m, count = self.layout, self.bubbles, self.layout.state, self.layout.count
        fields = len(layout.orders)
        inner, mixed = self.upper[:, :nb, :nb], self.upper[:, :nb, nb:]
        # middles: what bubbles answer within the element, and what states do
        own = np.linalg.solve(inner.transpose(0, 2, 1), self.layout.middles[:, :, :nb].transpose(1, 2, 0))  # (K, nb, F)
        through = self.layout.middles[:, :, nb:].transpose(1, 0, 2) - own.transpose(0, 2, 1) @ mixed  # (K, F, 2M)
        states = np.zeros((fields, 2 * count + 1, (count + 1) * m))
        for f, start in enumerate(layout.starts):
            states[f, np.arange(count + 1), np.arange(count + 1) * m + start] = 1.0
            for k in range(count):
                states[f, count + 1 + k, k * m : (k + 2) * m] = through[k, f]
        q, r = self.joined
        reduced = states.reshape(fields * (2 * count + 1), -1) @ layout.basis
        outer = _triangular(r, reduced.T, trans=1).T @ q.T
        outer = outer.reshape(fields, 2 * count + 1, count, -1)
        found: Array = np.einsum("fwkc,krc->fwkr", outer, self.orthogonal[:, :, nb:])
        local = self.orthogonal[:, :, :nb] @ own  # (K, R, F)
        found[:, count + 1 + np.arange(count), np.arange(count)] += local.transpose(2, 0, 1)
        return found * self.weights[:, None]


def condense(layout: ElementLayout, linear: Linearisation, weights: Array | None = None) -> Condensed:
    """The solution of the linear equations on a layout; `weights` (K,) say how much each element's rows count."""
    rows, checks = element_rows(layout, linear)
    nb, m, count = layout.bubbles, layout.state, layout.count
    weights = np.ones(count) if weights is None else weights
    orthogonal, upper = np.linalg.qr(rows.matrix * weights[:, None, None], mode="complete")
    condensed = upper[:, nb:, nb:]  # (K, R - nb, 2M)
    whole = np.zeros((count, condensed.shape[1], (count + 1) * m))
    for k in range(count):
        whole[k, :, k * m : (k + 2) * m] = condensed[k]
    joined = np.linalg.qr(whole.reshape(-1, (count + 1) * m) @ layout.basis)
    empty = np.zeros((count, nb + 2 * m))
    found = Condensed(layout, rows, checks, orthogonal, upper, (joined[0], joined[1]), empty, weights)
    return replace(found, coefficients=_solved(found, rows.target, layout.particular))


def _triangular(r: Array, right: Array, trans: int = 0) -> Array:
    """The solution of r x = right, or of the transposed system, with an upper triangle."""
    found, singular = lapack.dtrtrs(r, right, trans=trans)
    if singular:
        raise np.linalg.LinAlgError("the joined rows are singular")
    solved: Array = found
    return solved


def _solved(found: Condensed, target: Array, particular: Array) -> Array:
    layout, nb, m = found.layout, found.bubbles, found.layout.state
    turned = ((target * found.weights[:, None])[:, None, :] @ found.orthogonal)[:, 0]  # (K, R)
    q, r = found.joined
    rest = turned[:, nb:] - _times(found.upper[:, nb:, nb:], _both(particular, m))
    free = _triangular(r, q.T @ rest.ravel())
    both = _both(particular + layout.basis @ free, m)
    inner = turned[:, :nb] - _times(found.upper[:, :nb, nb:], both)
    bubbles = np.linalg.solve(found.upper[:, :nb, :nb], inner[:, :, None])[:, :, 0]
    return np.concatenate([bubbles, both], axis=1)


def _both(states: Array, size: int) -> Array:
    """The states at both ends of every element, (K, 2M)."""
    by_node = states.reshape(-1, size)
    return np.concatenate([by_node[:-1], by_node[1:]], axis=1)


def _times(matrix: Array, columns: Array) -> Array:
    found: Array = (matrix @ columns[:, :, None])[:, :, 0]
    return found
