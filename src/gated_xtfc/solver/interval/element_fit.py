"""One linear fit on elements with its certificate: by the compiled core, or where there is none by its NumPy twin."""

from array import array
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from gated_xtfc.core import compiled
from gated_xtfc.discretise.element_basis import tables
from gated_xtfc.discretise.element_sum import ElementSum
from gated_xtfc.gates.coordinate import AxisCoordinates, Coordinates
from gated_xtfc.operator.linearise import Linearisation, Operator
from gated_xtfc.solver.discretisation import Certificate, Iterate
from gated_xtfc.solver.interval.border_certificate import Border, with_border
from gated_xtfc.solver.interval.condensed import condense
from gated_xtfc.solver.interval.element_certificate import certify_condensed, in_units, residuals_of
from gated_xtfc.solver.interval.element_layout import CHECKS, SITES, ElementLayout, element_points, middle_rows
from gated_xtfc.solver.interval.tied_layout import TiedLayout
from gated_xtfc.solver.tolerance import Tolerance
from gated_xtfc.types import Array, Orders

MOST_ROWS = 160  # of an element: more are factorised faster in LAPACK's blocks


def quicker_in_core(layout: ElementLayout) -> bool:
    """Whether the compiled core is made for so many fields, and quicker than LAPACK."""
    fields = len(layout.orders)
    return fields <= compiled.MOST_FIELDS and fields * (layout.degree + 1) <= MOST_ROWS


@dataclass(frozen=True)
class ElementFit:
    """Polynomials on elements that solve the linear equations, and how good they are."""

    layout: ElementLayout
    shapes: Array  # (K, F, p + 1) factors of the shape functions
    sizes: tuple[float, ...]  # how large every field is
    certificate: Certificate | None  # where it was asked for
    known: Array | None = None  # (terms, K, n) all fields and derivatives at all points, where they were computed
    asked: Callable[[], AxisCoordinates] | None = None  # finds the gates that the solution itself asks for
    constants: tuple[float, ...] = ()  # unknown constants ...
    constant_errors: tuple[float, ...] = ()  # ... and estimates of their errors

    unsettled = ""  # least squares are solved at once

    @property
    def coordinates(self) -> Coordinates:
        return (self.layout.coordinates,)

    @property
    def neurons(self) -> int:
        return self.layout.neurons

    @property
    def sites(self) -> int:
        return self.layout.count * (self.layout.degree + 1)

    @cached_property
    def function(self) -> ElementSum:
        """The solution as a function."""
        found = ElementSum(self.layout.coordinates, self.layout.elements, self.layout.orders, self.shapes, self.asked)
        found.freeze()
        return found

    @cached_property
    def iterate(self) -> Iterate:
        """The solution as the iterate of the next step."""
        if isinstance(self.layout, TiedLayout):
            jets, constants = self.jets, np.array(self.constants)
            sight = self.layout.sight(self.function, jets, constants)
            return Iterate(tuple(own[0,] for own in jets), jets, constants, sight)
        if self.known is not None:
            return self._unpacked(self.known)
        return Iterate(tuple(own[0,] for own in self.jets), self.jets, np.zeros(0))

    def _unpacked(self, known: Array) -> Iterate:
        return Iterate.unpacked(known.reshape(len(known), -1), self.layout.orders)

    @cached_property
    def jets(self) -> list[dict[Orders, Array]]:
        """Every field and its derivatives at all points of the layout."""
        if self.known is not None:
            return self._unpacked(self.known).jets
        length = self.layout.elements.length[:, None]
        jets: list[dict[Orders, Array]] = []
        for f, order in enumerate(self.layout.orders):
            values = self.shapes[:, f] @ table_at_points(self.layout.degree, order)
            by_order = values.reshape(length.size, order + 1, -1)
            jets.append({(j,): (by_order[:, j] / length**j).ravel() for j in range(order + 1)})
        return jets


def fit_elements(
    layout: ElementLayout, linear: Linearisation, tolerance: Tolerance | None = None, certify: bool = True
) -> ElementFit:
    """The solution of the linear equations on a layout, with an estimate of its error where one is wanted."""
    if isinstance(layout, TiedLayout):
        return fit_tied(layout, linear, tolerance, certify)
    if compiled.solve is None or not quicker_in_core(layout):
        found = condense(layout, linear)
        return ElementFit(layout, found.shapes, found.sizes, certify_condensed(found, tolerance) if certify else None)
    numbers = _Numbers.of(layout, tolerance)
    left, right = layout.ends
    compiled.solve(
        layout.orders,
        layout.degree,
        layout.count,
        1,
        certify,
        left.free,
        right.free,
        *packed_tables(layout.degree, layout.orders),
        linear.stacked,
        *numbers,
    )
    return numbers.fit(layout, certify)


def fit_tied(
    layout: TiedLayout, linear: Linearisation, tolerance: Tolerance | None = None, certify: bool = True
) -> ElementFit:
    """The same with conditions that stand anywhere, and unknown constants."""
    if layout.problem.nonlinear_conditions:
        layout = layout.conditioned(linear.conditions)
    fields = len(layout.orders)
    if compiled.solve_tied is None or layout.constants > compiled.MOST_FIELDS or not quicker_in_core(layout):
        return _fit_tied_in_numpy(layout, linear, tolerance, certify)
    numbers, elements, constants = _Numbers.of(layout, tolerance), layout.count, layout.constants
    integrals = layout.integrals.values.size
    beside, parts = np.empty(constants), np.empty((constants, 5 + elements))
    levers, sizes = np.empty((fields + constants, integrals)), np.empty((fields, fields + constants))
    compiled.solve_tied(
        layout.orders,
        layout.degree,
        elements,
        constants,
        integrals,
        certify,
        *packed_tables(layout.degree, layout.orders, constants),
        linear.stacked,
        numbers.length,
        layout.slots,
        layout.tied.basis,
        layout.tied.particular,
        *layout.integrals,
        layout.jumps,
        numbers.factors,
        numbers.floors,
        numbers.shapes,
        numbers.figures,
        numbers.shares,
        beside,
        parts,
        levers,
        sizes,
    )
    fit = replace(numbers.fit(layout, certify), constants=tuple(beside.tolist()))
    if fit.certificate is None:
        return fit
    of_fields = (levers[:fields] / np.array(fit.certificate.scales)[:, None]).max(axis=0)
    border = Border(beside, parts, np.column_stack([of_fields, levers[fields:].T]), sizes[:, fields:])
    return _with_border(fit, border, sizes[:, :fields])


def _fit_tied_in_numpy(
    layout: TiedLayout, linear: Linearisation, tolerance: Tolerance | None, certify: bool
) -> ElementFit:
    found = condense(layout, linear)
    certificate = certify_condensed(found, tolerance) if certify else None
    fit = ElementFit(layout, found.shapes, found.sizes, certificate, constants=tuple(found.constants.tolist()))
    if certificate is None:
        return fit
    border = Border.of(found, *in_units(found, *residuals_of(found)), np.array(certificate.scales))
    return _with_border(fit, border, found.rows.sizes)


def _with_border(fit: ElementFit, border: Border, row_sizes: Array) -> ElementFit:
    assert isinstance(fit.layout, TiedLayout)
    assert fit.certificate is not None
    found, errors = with_border(
        fit.certificate, border, fit.layout, row_sizes, np.array(fit.sizes), lambda: (fit.jets, fit.function)
    )
    return replace(fit, certificate=found, constant_errors=tuple(errors.tolist()))


def fit_operator(layout: ElementLayout, operator: Operator, tolerance: Tolerance | None = None) -> ElementFit | None:
    """The same of an operator, evaluated on the way; None where it is not finite everywhere."""
    programs = None if isinstance(layout, TiedLayout) else operator.programs
    if programs is None or compiled.fit is None or not quicker_in_core(layout):
        linear = operator.evaluate(layout.points)
        return fit_elements(layout, linear, tolerance) if linear.finite else None
    numbers, elements = _Numbers.of(layout, tolerance), layout.elements
    left, right = layout.ends
    finite = compiled.fit(
        layout.orders,
        layout.degree,
        layout.count,
        left.free,
        right.free,
        tuple([(code.codes, code.numbers, values) for code, values in programs]),
        *packed_tables(layout.degree, layout.orders),
        element_points(layout.degree),
        *numbers,
        elements.anchor,
        elements.offset,
    )
    if finite:
        return numbers.fit(layout, True)
    linear = operator.evaluate(layout.points)  # once more: what is beside a singular point may be finite
    return fit_elements(layout, linear, tolerance) if linear.finite else None


def slopes_of(
    fit: ElementFit, programs: tuple[tuple[object, Array, object], ...], seeds: "array[float]"
) -> Array | None:
    """What parameters do to a fit, (parameters, K, F, p + 1); they are the unknown constants of the programs.

    Conditions do not depend on them. None where that is not finite, or there is no compiled core.
    """
    layout = fit.layout
    if compiled.slopes is None or len(layout.orders) > compiled.MOST_FIELDS:
        return None
    numbers, elements, (left, right) = _Numbers.of(layout, None), layout.elements, layout.ends
    zero, found = np.zeros(layout.state), np.empty((len(seeds), *fit.shapes.shape))
    finite = compiled.slopes(
        layout.orders,
        layout.degree,
        layout.count,
        left.free,
        right.free,
        programs,
        *packed_tables(layout.degree, layout.orders),
        element_points(layout.degree),
        *numbers._replace(particular_left=zero, particular_right=zero, shapes=found),
        elements.anchor,
        elements.offset,
        seeds,
        fit.shapes,
    )
    return found if finite else None


class _Numbers(NamedTuple):
    """What the compiled core takes after the equations, and what it writes to."""

    length: Array
    basis_left: Array
    basis_right: Array
    particular_left: Array
    particular_right: Array
    factors: Array
    floors: Array
    shapes: Array
    figures: Array
    shares: Array

    @classmethod
    def of(cls, layout: ElementLayout, tolerance: Tolerance | None) -> "_Numbers":
        fields, count = len(layout.orders), layout.elements.length.size
        left, right = layout.ends
        return cls(
            layout.elements.length,
            left.basis,
            right.basis,
            left.particular,
            right.particular,
            *relative_to(fields, tolerance),
            np.empty((count, fields, layout.degree + 1)),
            np.empty(4 + 2 * fields),
            np.empty(count),
        )

    def fit(self, layout: ElementLayout, certify: bool) -> ElementFit:
        numbers, fields = self.figures.tolist(), len(layout.orders)
        certificate = as_certificate(numbers, self.shares) if certify else None
        return ElementFit(layout, self.shapes, tuple(numbers[4 : 4 + fields]), certificate)


def relative_to(fields: int, tolerance: Tolerance | None) -> tuple[Array, Array]:
    """What errors are relative to: factors of the size of every field, and floors."""
    if tolerance is None:
        return _own_sizes(fields)
    return np.array(tolerance.factors), np.array(tolerance.floors)


@lru_cache
def _own_sizes(fields: int) -> tuple[Array, Array]:
    return np.ones(fields), np.zeros(fields)


def as_certificate(figures: list[float], *shares: Array) -> Certificate:
    """From the numbers of the compiled core."""
    error, rounding, stability, unresolved, *more = figures
    return Certificate(error, rounding, stability, unresolved, tuple(more[len(more) // 2 :]), shares)


@lru_cache
def table_at_points(degree: int, order: int) -> Array:
    """Shape functions and their derivatives at all points of an element, (p + 1, (m + 1) n)."""
    own = tables(degree, order)
    found = np.empty((order + 1, 2 * degree + 3, degree + 1))
    found[:, SITES], found[:, CHECKS] = own.at_sites, own.at_checks
    return np.ascontiguousarray(found.reshape(-1, degree + 1).T)


@lru_cache
def packed_tables(degree: int, orders: tuple[int, ...], constants: int = 0) -> tuple[Array, Array]:
    """Shape functions as the compiled core reads them: at sites and between them; and in the middle, (F, columns)."""
    own = [tables(degree, order) for order in orders]
    flat = np.concatenate([part.ravel() for one in own for part in (*one.at_sites, *one.at_checks)])
    return flat, middle_rows(degree, orders, constants)
