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

from gated_xtfc.operator.linearise import Linearisation
from gated_xtfc.solver.interval.bubbles import Eliminated
from gated_xtfc.solver.interval.chain import Chain, Ending
from gated_xtfc.solver.interval.element_layout import CHECKS, SITES, ElementLayout
from gated_xtfc.solver.interval.fit import matched
from gated_xtfc.types import Array

RESOLVED = 6.0  # an element's length over that of a kernel which resolves as much: what rows are scaled by


@dataclass(frozen=True)
class ElementRows:
    """The equations at n points of every element; columns are bubbles, left and right states, unknown constants."""

    matrix: Array  # (K, n E, columns)
    target: Array  # (K, n E)
    sizes: Array  # (E, F) how large an equation becomes at the most for a field of size one
    beside: Array  # (E, constants) and for an unknown constant of size one


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
    targets, sizes, beside = [], [], []
    scales = field_scales(layout, linear)
    equations = zip(linear.by_order, linear.source, linear.constant_columns, scales, strict=True)
    for fields, source, constants, own in equations:
        scale = sum(own)
        sizes.append([float((part / scale).max()) for part in own])
        scaled = [[a.reshape(shape) / scale for a in jets] for jets in fields]
        border = np.stack([np.zeros(shape), *(a.reshape(shape) / scale for a in constants)], axis=2)[:, :, 1:]
        targets.append(source.reshape(shape) / scale)
        beside.append(np.abs(border).max(axis=(0, 1)))
        for at, points in enumerate((SITES, CHECKS)):
            own_rows = _equation(layout, [[a[:, points] for a in jets] for jets in scaled], at == 0)
            parts[at].append(np.concatenate([own_rows, border[:, points]], axis=2))
    stacked = [np.stack(part, axis=2) for part in parts]  # (K, n, E, columns)
    target = np.stack(targets, axis=2)
    rows = []
    for matrix, points in zip(stacked, (SITES, CHECKS), strict=True):
        flat = matrix.reshape(matrix.shape[0], -1, matrix.shape[3])
        own_target = target[:, points].reshape(flat.shape[:2])
        rows.append(ElementRows(flat, own_target, np.array(sizes), np.array(beside)))
    return rows[0], rows[1]


def _equation(layout: ElementLayout, scaled: list[list[Array]], at_sites: bool) -> Array:
    """One equation at points of every element, (K, n, columns)."""
    length = layout.elements.length[:, None]
    bubbles, left, right = [], [], []
    for jets, own in zip(scaled, layout.tables, strict=True):
        table = own.at_sites if at_sites else own.at_checks
        values = np.zeros((*jets[0].shape, own.degree + 1))
        for j, a in enumerate(jets):
            if a.any():  # of many fields an equation has a few
                values += (a / length**j)[:, :, None] * table[j]
        bubbles.append(values[:, :, own.order : -own.order])
        left.append(values[:, :, : own.order])
        right.append(values[:, :, -own.order :])
    found: Array = np.concatenate([*bubbles, *left, *right], axis=2)
    return found * layout.state_scales[:, None, : found.shape[2]]


@dataclass(frozen=True)
class Held:
    """Conditions that are integrals over elements, as functionals of turned rows and of what is left at the end."""

    inner: Array  # (K, nb, I) of those of bubbles
    through: Array  # (I, K, 2M + constants) of states and constants, bubbles eliminated
    nodes: list[Array]  # (I, w) of those of every node
    rest: Array  # (I, n) of the last node's numbers and the border's

    @classmethod
    def of(cls, layout: ElementLayout, elements: Eliminated, chain: Chain) -> "Held":
        """From what is eliminated before."""
        nb, m, integrals = layout.bubbles, layout.state, layout.integrals
        if not integrals.values.size:
            none = [np.zeros((0, link.width)) for link in chain.links]
            empty = np.zeros((layout.count, nb, 0)), np.zeros((0, layout.count, 2 * m + layout.constants))
            return cls(*empty, none, np.zeros((0, chain.rest.shape[1])))
        inner = elements.solved(integrals.inner[:, :, :nb].transpose(1, 2, 0), trans=1)
        through = integrals.inner[:, :, nb:] - (inner.transpose(0, 2, 1) @ elements.mixed).transpose(1, 0, 2)
        states = np.zeros((through.shape[0], layout.count + 1, m))
        states[:, :-1] += through[:, :, :m]
        states[:, 1:] += through[:, :, m : 2 * m]
        nodes, border = layout.in_free_numbers(states, through[:, :, 2 * m :].sum(axis=1))
        return cls(inner, through, *chain.reduced(nodes, border + integrals.outer))

    def of_rows(self, bubbles: Array, nodes: list[Array], offsets: Array) -> Array:
        """What turned rows, and what is known of states beforehand, make of the integrals, (I,)."""
        found = np.einsum("kci,kc->i", self.inner, bubbles)
        found += np.einsum("ikc,kc->i", self.through[:, :, : offsets.shape[1]], offsets)
        for held, turned in zip(self.nodes, nodes, strict=True):
            found += held @ turned
        answer: Array = found
        return answer


@dataclass(frozen=True)
class Condensed:
    """Polynomials that solve the linear equations, with the factorisations that gave them."""

    layout: ElementLayout
    rows: ElementRows  # at the sites
    checks: ElementRows  # between them
    elements: Eliminated
    chain: Chain  # of the condensed rows
    ending: Ending
    held: "Held"
    coefficients: Array  # (K, columns)
    weights: Array  # (K,) of the rows of every element

    @property
    def bubbles(self) -> int:
        """How many there are in an element."""
        return self.layout.bubbles

    @property
    def constants(self) -> Array:
        """Unknown constants."""
        found: Array = self.coefficients[0, self.bubbles + 2 * self.layout.state :]
        return found

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
        return np.concatenate([left, self.coefficients[-1:, nb + m : nb + 2 * m][:, starts]]).T

    def homogeneous(self, target: Array) -> Array:
        """The coefficients for another right side (K, R), with homogeneous conditions."""
        return _solved(self, target, homogeneous=True)

    def response(self, field: int) -> tuple[Array, Array]:
        """Green's function of a field, (2K + 1, K, R): at the nodes and in the middles, to a unit in each row.

        And to a unit in the value of each condition that is an integral, (2K + 1, I).
        """
        m, count, start = self.layout.state, self.layout.count, int(self.layout.starts[field])
        _, through, local = (part[:, :, field] for part in self._middles)
        states = np.zeros((2 * count + 1, count + 1, m))
        states[np.arange(count + 1), np.arange(count + 1), start] = 1.0
        for k in range(count):
            states[count + 1 + k, k : k + 2] = through[k, : 2 * m].reshape(2, m)
        beside = np.zeros((2 * count + 1, self.layout.constants))
        beside[count + 1 :] = through[:, 2 * m :]
        found, conditions = self._answered(states, beside)
        found[count + 1 + np.arange(count), np.arange(count)] += local * self.weights[:, None]
        return found, conditions

    @cached_property
    def _middles(self) -> tuple[Array, Array, Array]:
        """What the middle of an element is of turned rows, of states and constants, and of rows; fields last."""
        middles, nb = self.layout.middles.transpose(1, 2, 0), self.bubbles
        inner = self.elements.solved(middles[:, :nb], trans=1)
        through = middles[:, nb:] - self.elements.mixed.transpose(0, 2, 1) @ inner
        return inner, through, self.elements.of_bubbles(inner)

    def response_of_constants(self) -> tuple[Array, Array]:
        """The same of all unknown constants, (constants, K, R) and (constants, I)."""
        layout = self.layout
        return self._answered(np.zeros((layout.constants, layout.count + 1, layout.state)), np.eye(layout.constants))

    def _answered(self, states: Array, beside: Array) -> tuple[Array, Array]:
        """Functionals of states (n, K + 1, M) and constants (n, constants), bubbles eliminated, as those of rows."""
        layout = self.layout
        turned, rest = self.chain.reduced(*layout.in_free_numbers(states, beside))
        rest = layout.in_free_border(rest)
        conditions = rest @ self.ending.from_values  # (n, I)
        turned = [own - conditions @ held for own, held in zip(turned, self.held.nodes, strict=True)]
        outer = self.chain.adjoint(turned, rest @ self.ending.from_rows)  # (K, n, R2)
        found = outer @ self.elements.outer.transpose(0, 2, 1)
        if conditions.shape[1]:
            found -= conditions @ self.elements.of_bubbles(self.held.inner).transpose(0, 2, 1)
        return (found * self.weights[:, None, None]).transpose(1, 0, 2), conditions


def condense(layout: ElementLayout, linear: Linearisation, weights: Array | None = None) -> Condensed:
    """The solution of the linear equations on a layout; `weights` (K,) say how much each element's rows count."""
    rows, checks = element_rows(layout, linear)
    weights = np.ones(layout.count) if weights is None else weights
    elements = Eliminated.of(rows.matrix * weights[:, None, None], layout.bubbles)
    chain = Chain.of(*layout.columns_of(elements.condensed))
    held = Held.of(layout, elements, chain)
    ending = Ending.of(layout.in_free_border(chain.rest), layout.in_free_border(held.rest))
    empty = np.zeros((layout.count, rows.matrix.shape[2]))
    found = Condensed(layout, rows, checks, elements, chain, ending, held, empty, weights)
    return replace(found, coefficients=_solved(found, rows.target))


def _solved(found: Condensed, target: Array, homogeneous: bool = False) -> Array:
    layout, nb, m, held = found.layout, found.bubbles, found.layout.state, found.held
    known = 0.0 if homogeneous else 1.0
    offsets, particular = known * layout.offsets, known * layout.border_particular
    elements, turned = found.elements, found.elements.turned(target * found.weights[:, None])
    nodes, rest = found.chain.forward(turned[:, nb:] - _times(elements.condensed[:, :, : 2 * m], offsets))
    values = known * layout.integrals.values - held.of_rows(turned[:, :nb], nodes, offsets) - held.rest @ particular
    free = found.ending.from_rows @ (rest - found.chain.rest @ particular) + found.ending.from_values @ values
    border = particular + layout.border_basis @ free
    last, border = np.split(border, [border.size - layout.border])
    both = layout.both_states(found.chain.backward(nodes, last, border), border, offsets)
    bubbles = elements.solved((turned[:, :nb] - _times(elements.mixed, both))[:, :, None])[:, :, 0]
    return np.concatenate([bubbles, both], axis=1)


def _times(matrix: Array, columns: Array) -> Array:
    found: Array = (matrix @ columns[:, :, None])[:, :, 0]
    return found
