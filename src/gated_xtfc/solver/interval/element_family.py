"""Linear families whose members the compiled core solves at once: gates, elements, fit and certificate in one call.

It serves one equation of first or second order whose text hides nothing. What does not depend on parameters is found
out once for a family. All else, and what is out of the ordinary, goes the same way step by step (`elements.py`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from gated_xtfc.core import compiled
from gated_xtfc.discretise.element_sum import ElementSum
from gated_xtfc.discretise.partition import OUTER, SHAPES, STEP, Partition
from gated_xtfc.gates import Layer
from gated_xtfc.gates.coordinate import Coordinate
from gated_xtfc.gates.prediction import ALIKE, EXPONENTIAL, SEVERAL, TURNING, WAVE, WIDTHS, sampled
from gated_xtfc.language.bytecode import Bytecode, bytecode
from gated_xtfc.operator.symbol import DISTANCES
from gated_xtfc.problem.equation import TextEquation
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solver.adapt import Limits
from gated_xtfc.solver.discretisation import Certificate
from gated_xtfc.solver.interval.discretisation import IntervalDiscretisation
from gated_xtfc.solver.interval.element_fit import ElementFit, packed_tables, relative_to
from gated_xtfc.solver.interval.element_layout import element_points, lay_out
from gated_xtfc.solver.interval.elements import MOST_ELEMENTS, attempt_elements, degree_for, served, trustworthy
from gated_xtfc.solver.interval.tied_layout import simple
from gated_xtfc.solver.strategy import Settings
from gated_xtfc.solver.tolerance import Tolerance
from gated_xtfc.solver.verdict import NUMBERS
from gated_xtfc.types import Array

LAWS = np.array([WIDTHS, WAVE, *EXPONENTIAL, *TURNING, SEVERAL, ALIKE, NUMBERS, OUTER, STEP])  # as the core reads them
MEMORY = 1e7  # bytes, more than it takes


@dataclass(frozen=True)
class FoundAtOnce:
    """The polynomials of one member, with their certificate."""

    problem: Problem
    order: int  # that of the one field
    degree: int
    elements: Partition
    gates: Sequence[tuple[float, float, float]]
    coefficients: Array  # (K, 1, p + 1)
    certificate: Certificate
    size: float

    def converged(self, tol: float) -> bool:
        """Whether the certificate says that the tolerance is met."""
        return self.certificate.error <= tol and trustworthy(self.certificate)

    @property
    def neurons(self) -> int:
        """Numbers that are determined by the equation: a polynomial an element, joined at the ends."""
        count, _, factors = self.coefficients.shape
        return int(count * (factors - self.order))

    @property
    def sites(self) -> int:
        return int(self.coefficients.size)

    @property
    def coordinate(self) -> Coordinate:
        """The gated coordinate that the elements follow."""
        (axis,) = self.problem.axes
        return Coordinate(axis.left, axis.right, axis.length / WIDTHS, tuple([Layer(*gate) for gate in self.gates]))

    @property
    def function(self) -> ElementSum:
        """The solution as a function."""
        return ElementSum((self.coordinate,), self.elements, (self.order,), self.coefficients)

    @property
    def fit(self) -> ElementFit:
        """The same as a fit that can be refined."""
        layout = lay_out(self.problem, (self.coordinate,), self.elements, self.degree)
        return ElementFit(layout, self.coefficients, (self.size,), self.certificate)


@dataclass(frozen=True)
class ElementFamily:
    """What the core asks for that all members of a family share."""

    code: Bytecode
    field: str
    order: int
    ends: tuple[float, float]
    sight: tuple[Array, ...]  # where the operator is looked at, and what is made of it
    conditions: tuple[Array, Array]  # at both ends: rows of factors of u, u', ... and a value

    @classmethod
    def of(cls, problem: Problem) -> "ElementFamily | None":
        """The family of a problem; None where its members are not solved at once."""
        shared = problem.shared
        if ElementFamily not in shared:
            shared[ElementFamily] = cls._read(problem)
        found: ElementFamily | None = shared[ElementFamily]
        return found

    @classmethod
    def _read(cls, problem: Problem) -> "ElementFamily | None":
        equation, order = problem.equations[0], max(problem.order.values())
        alone = len(problem.equations) == 1 and len(problem.axes) == 1 and isinstance(equation, TextEquation)
        if not alone or not problem.linear or problem.deviations is not None or order > 2:
            return None
        if not (served(problem) and simple(problem)):
            return None
        assert isinstance(equation, TextEquation)
        (axis,) = problem.axes
        code = bytecode(equation.program, axis.name, tuple(problem.order.items()), ())
        if code is None or not axis.finite or not equation.free_text.quiet:
            return None
        sight = sampled(axis.left, axis.right, True, True), DISTANCES, LAWS, SHAPES
        return cls(code, problem.fields[0], order, (axis.left, axis.right), sight, end_rows(problem))

    def solved(self, problem: Problem, tol: float, tolerance: Tolerance | None) -> FoundAtOnce | None:
        """The polynomials of a member; None where it is not for this way."""
        assert compiled.linear is not None
        (equation,) = problem.equations
        values = self.code.values(equation.parameters)  # type: ignore[attr-defined]
        if values is None:
            return None
        found = compiled.linear(
            self.order,
            *self.ends,
            MOST_ELEMENTS,
            self.code.codes,
            self.code.numbers,
            values,
            *self.sight,
            *self.conditions,
            *_layouts(tol, self.order),
            *relative_to(1, tolerance),
        )
        if found is None:
            return None
        degree, count, (error, rounding, stability, unresolved, size, scale), gates, numbers = found
        data = np.frombuffer(numbers)
        anchor, offset, length, shares = data[: 4 * count].reshape(4, count)
        certificate = Certificate(error, rounding, stability, unresolved, (scale,), (shares,))
        coefficients = data[4 * count :].reshape(count, 1, degree + 1)
        elements = Partition(anchor, offset, length)
        return FoundAtOnce(problem, self.order, degree, elements, gates, coefficients, certificate, size)


def end_rows(problem: Problem) -> tuple[Array, Array]:
    """Conditions at both ends: rows of factors of u, u', ... of every field, and a value."""
    (axis,), places = problem.axes, [(name, j) for name, order in problem.order.items() for j in range(order)]
    rows: dict[float, list[list[float]]] = {axis.left: [], axis.right: []}
    for condition in problem.conditions:
        factors = [0.0] * len(places)
        for term in condition.terms:
            factors[places.index((term.field, term.order))] += term.weight
        rows[condition.terms[0].point].append([*factors, condition.value])
    left, right = (np.array(own) for own in rows.values())
    return left, right


@lru_cache
def _layouts(tol: float, order: int) -> tuple[int | Array, ...]:
    """Degree and tables of a layout for a tolerance; and the same where all gates are exponential layers."""
    graded, decaying = (degree_for(tol, order, decays) for decays in (False, True))
    own = packed_tables(decaying, (order,)), element_points(decaying)
    return graded, *packed_tables(graded, (order,)), element_points(graded), decaying, *own[0], own[1]


def found_at_once(problem: Problem, tolerance: Tolerance | None, tol: float, limits: Limits) -> FoundAtOnce | None:
    """The polynomials that solve a linear problem; None where it is not for this way, or they would be too many."""
    family = None if compiled.linear is None else ElementFamily.of(problem)
    if family is None or limits.memory < MEMORY or limits.over():
        return None
    found = family.solved(problem, tol, tolerance)
    return None if found is None or found.neurons > limits.neurons else found


def fit_on_elements(problem: Problem, tol: float, limits: Limits) -> ElementFit | None:
    """The fit of a linear problem on an interval, certified; None where elements do not lead to the tolerance."""
    at_once = found_at_once(problem, None, tol, limits)
    fit = None if at_once is None else at_once.fit
    if at_once is not None and at_once.converged(tol):
        return fit
    attempt = attempt_elements(IntervalDiscretisation.to(problem, tol), None, None, Settings(tol, limits), fit)
    return None if attempt is None else attempt.adapted.found
