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


def field_scales(layout: ElementLayout, linear: Linearisation) -> Array:
    """The size of every equation's operator in each field at the resolution of the elements, (E, F, K, 2p + 3)."""
    sizes = np.abs(linear.stacked.reshape(len(linear.source), -1, *layout.x.shape))
    narrow, found, term = RESOLVED / layout.elements.length[:, None], [], 0
    for order in layout.orders:
        found.append(np.asarray(sum(sizes[:, term + j] * narrow**j for j in range(order + 1))))
        term += order + 1
    return np.stack(found, axis=1)


def row_scales(layout: ElementLayout, linear: Linearisation) -> Array:
    """What each equation is divided by, (E, K, 2p + 3)."""
    scales: Array = field_scales(layout, linear).sum(axis=1)
    return scales


def element_rows(layout: ElementLayout, linear: Linearisation, at_sites: bool = True) -> ElementRows:
    """The scaled equations at the sites, or at the points between them."""
    fields = field_scales(layout, linear)
    scale = fields.sum(axis=1)
    scaled = linear.stacked.reshape(scale.shape[0], -1, *layout.x.shape) / scale[:, None]
    terms, points = sum(layout.orders) + len(layout.orders), SITES if at_sites else CHECKS
    target, border = scaled[:, terms], scaled[:, terms + 1 :]
    nb, m, length = layout.bubbles, layout.state, layout.elements.length[:, None]
    found = np.zeros((layout.count, target[0, 0, points].size, scale.shape[0], nb + 2 * m + layout.constants))
    found[:, :, :, nb + 2 * m :] = border[:, :, :, points].transpose(2, 3, 0, 1)
    term, bubble, start = 0, 0, 0
    for own in layout.tables:
        order, inner = own.order, own.degree + 1 - 2 * own.order
        table, jets = own.at_sites if at_sites else own.at_checks, scaled[:, term : term + order + 1, :, points]
        equations = np.flatnonzero(jets.any(axis=(1, 2, 3)))  # of many fields an equation has a few
        values = sum((jets[equations, j] / length**j)[..., None] * table[j] for j in range(order + 1))
        values = np.asarray(values).transpose(1, 2, 0, 3)  # (K, n, e, p + 1)
        found[:, :, equations, bubble : bubble + inner] = values[..., order:-order]
        found[:, :, equations, nb + start : nb + start + order] = values[..., :order]
        found[:, :, equations, nb + m + start : nb + m + start + order] = values[..., -order:]
        term, bubble, start = term + order + 1, bubble + inner, start + order
    flat = found.reshape(layout.count, -1, found.shape[3])
    flat *= layout.state_scales[:, None]
    sizes, beside = (fields / scale[:, None]).max(axis=(2, 3)), np.abs(border).max(axis=(2, 3))
    return ElementRows(flat, target[:, :, points].transpose(1, 2, 0).reshape(flat.shape[:2]), sizes, beside)


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
    linear: Linearisation
    rows: ElementRows  # at the sites
    elements: Eliminated
    chain: Chain  # of the condensed rows
    ending: Ending
    held: "Held"
    coefficients: Array  # (K, columns)
    weights: Array  # (K,) of the rows of every element

    @cached_property
    def checks(self) -> ElementRows:
        """The equations between the sites."""
        return element_rows(self.layout, self.linear, at_sites=False)

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
    rows = element_rows(layout, linear)
    weights = np.ones(layout.count) if weights is None else weights
    elements = Eliminated.of(rows.matrix * weights[:, None, None], layout.bubbles)
    chain = Chain.of(*layout.columns_of(elements.condensed))
    held = Held.of(layout, elements, chain)
    ending = Ending.of(layout.in_free_border(chain.rest), layout.in_free_border(held.rest))
    empty = np.zeros((layout.count, rows.matrix.shape[2]))
    found = Condensed(layout, linear, rows, elements, chain, ending, held, empty, weights)
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
