"""One linear fit on elements with its certificate: by the compiled core, or where there is none by its NumPy twin."""

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from gated_xtfc.discretise.element_basis import tables
from gated_xtfc.discretise.element_sum import ElementSum
from gated_xtfc.gates.coordinate import Coordinates
from gated_xtfc.linalg import compiled
from gated_xtfc.operator.linearise import Linearisation
from gated_xtfc.solver.discretisation import Certificate, Iterate
from gated_xtfc.solver.interval.condensed import condense
from gated_xtfc.solver.interval.element_certificate import certify_condensed
from gated_xtfc.solver.interval.element_layout import ElementLayout, middle_rows
from gated_xtfc.solver.tolerance import Tolerance
from gated_xtfc.types import Array, Orders


@dataclass(frozen=True)
class ElementFit:
    """Polynomials on elements that solve the linear equations, and how good they are."""

    layout: ElementLayout
    shapes: Array  # (K, F, p + 1) factors of the shape functions
    certificate: Certificate

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

    @property
    def sizes(self) -> tuple[float, ...]:
        return self.certificate.scales

    @cached_property
    def function(self) -> ElementSum:
        """The solution as a function."""
        found = ElementSum(self.layout.coordinates, self.layout.elements, self.layout.orders, self.shapes)
        found.freeze()
        return found

    @cached_property
    def iterate(self) -> Iterate:
        """Every field and its derivatives at all points of the layout."""
        x = self.layout.x.ravel()
        jets: list[dict[Orders, Array]] = [
            {(j,): self.function(f, x, j) for j in range(order + 1)} for f, order in enumerate(self.layout.orders)
        ]
        return Iterate(tuple(own[0,] for own in jets), jets, np.zeros(0))


def fit_elements(layout: ElementLayout, linear: Linearisation, tolerance: Tolerance | None = None) -> ElementFit:
    """The solution of the linear equations on a layout, with an estimate of its error."""
    if compiled.solve is None or len(layout.orders) > compiled.MOST_FIELDS:
        found = condense(layout, linear)
        return ElementFit(layout, found.shapes, certify_condensed(found, tolerance))
    fields, count = len(layout.orders), layout.count
    shapes, figures = np.empty((count, fields, layout.degree + 1)), np.empty(4 + fields)
    share = np.empty(count)
    ones, zeros = np.ones(fields), np.zeros(fields)
    left, right = layout.ends
    compiled.solve(
        layout.orders,
        layout.degree,
        count,
        1,
        left.free,
        right.free,
        *packed_tables(layout.degree, layout.orders),
        stacked(linear),
        layout.elements.length,
        left.basis,
        right.basis,
        left.particular,
        right.particular,
        ones if tolerance is None else np.array(tolerance.factors),
        zeros if tolerance is None else np.array(tolerance.floors),
        shapes,
        figures,
        share,
    )
    error, rounding, stability, unresolved, *scales = figures.tolist()
    return ElementFit(layout, shapes, Certificate(error, rounding, stability, unresolved, tuple(scales), (share,)))


def stacked(linear: Linearisation) -> Array:
    """The coefficients of every equation, field by field and order by order, and its source: (E, terms + 1, n)."""
    equations = zip(linear.by_order, linear.source, strict=True)
    return np.stack([a for row, source in equations for jets in (*row, [source]) for a in jets])


@lru_cache
def packed_tables(degree: int, orders: tuple[int, ...]) -> tuple[Array, Array]:
    """Shape functions as the compiled core reads them: at sites and between them; and in the middle, (F, columns)."""
    own = [tables(degree, order) for order in orders]
    flat = np.concatenate([part.ravel() for one in own for part in (*one.at_sites, *one.at_checks)])
    return flat, middle_rows(degree, orders)
