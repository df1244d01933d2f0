"""Families that are not linear, whose members the compiled core begins: gates, elements, Newton's method in one call.

It serves equations whose text hides nothing, with a condition for every number at the ends. What does not depend on
parameters is found out once for a family. Where the first layout is not the last one, refinement and continuation go on
from it (`elements.py`); all else, and what is out of the ordinary, goes the same way step by step.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gated_xtfc.core import compiled
from gated_xtfc.discretise.element_sum import ElementSum, packed_hermite
from gated_xtfc.discretise.partition import SHAPES, Partition
from gated_xtfc.gates import Layer
from gated_xtfc.gates.coordinate import Coordinate, Coordinates
from gated_xtfc.gates.prediction import WIDTHS, sampled
from gated_xtfc.language.bytecode import Bytecode, bytecode
from gated_xtfc.operator.polynomials import Polynomials
from gated_xtfc.operator.symbol import DISTANCES
from gated_xtfc.problem.equation import TextEquation
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solver.adapt import Limits
from gated_xtfc.solver.discretisation import Certificate, Convergence, Start
from gated_xtfc.solver.interval.discretisation import sharp_texts
from gated_xtfc.solver.interval.element_family import LAWS, MEMORY, end_rows
from gated_xtfc.solver.interval.element_fit import MOST_ROWS, ElementFit, as_certificate, packed_tables, relative_to
from gated_xtfc.solver.interval.element_layout import element_points, lay_out
from gated_xtfc.solver.interval.element_newton import CONVERGED, SHORT, counted
from gated_xtfc.solver.interval.element_space import MOST
from gated_xtfc.solver.interval.elements import nonlinear_degree, served, trustworthy
from gated_xtfc.solver.interval.guess import plain
from gated_xtfc.solver.interval.tied_layout import simple
from gated_xtfc.solver.newton import MOST_STEPS
from gated_xtfc.solver.tolerance import Tolerance
from gated_xtfc.types import Array


@dataclass(frozen=True)
class BegunAtOnce:
    """The first layout of a member, and what Newton's method made of it."""

    problem: Problem
    start: Start  # where it began
    degree: int
    elements: Partition
    gates: Sequence[tuple[float, float, float]]
    steps: int
    leaps: bool  # whether its elements may not see all of the equations
    coefficients: Array | None  # (K, F, p + 1); None where it did not converge
    certificate: Certificate | None
    sizes: tuple[float, ...]
    known: Array  # (terms, K n) the last iterate at all points

    def converged(self, tol: float) -> bool:
        """Whether the certificate says that the tolerance is met, and all of the equations was seen."""
        certificate = self.certificate
        return certificate is not None and certificate.error <= tol and trustworthy(certificate) and not self.leaps

    @property
    def neurons(self) -> int:
        """Numbers that are determined by the equations."""
        count, state = self.elements.length.size, sum(self.problem.order.values())
        return int(count * ((self.degree + 1) * len(self.problem.fields) - state))

    @property
    def sites(self) -> int:
        return int(self.elements.length.size) * (self.degree + 1)

    @cached_property
    def coordinate(self) -> Coordinate:
        """The gated coordinate that the elements follow."""
        (axis,) = self.problem.axes
        return Coordinate(axis.left, axis.right, axis.length / WIDTHS, tuple([Layer(*gate) for gate in self.gates]))

    @property
    def coordinates(self) -> Coordinates:
        """What was predicted."""
        return ((self.coordinate,),)

    @property
    def function(self) -> ElementSum:
        """The solution as a function."""
        assert self.coefficients is not None
        orders = tuple(self.problem.order.values())
        return ElementSum((self.coordinate,), self.elements, orders, self.coefficients)

    @property
    def convergence(self) -> Convergence[ElementFit]:
        """The same as refinement goes on from it."""
        if self.coefficients is None:
            return Convergence(None, self.steps, False)
        layout = lay_out(self.problem, (self.coordinate,), self.elements, self.degree)
        fit = ElementFit(layout, self.coefficients, self.sizes, self.certificate, self.known)
        return Convergence(fit, self.steps, True)


@dataclass(frozen=True)
class NewtonFamily:
    """What the core asks for that all members of a family share."""

    codes: tuple[Bytecode, ...]
    orders: tuple[int, ...]
    ends: tuple[float, float]
    sight: tuple[Array, ...]  # where the operator is looked at, and what is made of it
    conditions: tuple[Array, Array]  # at both ends: rows of factors of a state's numbers, and a value
    watched: bool  # whether texts may do something sudden along a solution
    start: Start
    polynomials: tuple[Array, float, float]  # the same as monomials

    @classmethod
    def of(cls, problem: Problem) -> "NewtonFamily | None":
        """The family of a problem; None where its members are not begun at once."""
        shared = problem.shared
        if NewtonFamily not in shared:
            shared[NewtonFamily] = cls._read(problem)
        found: NewtonFamily | None = shared[NewtonFamily]
        return found

    @classmethod
    def _read(cls, problem: Problem) -> "NewtonFamily | None":
        if problem.linear or len(problem.axes) != 1 or problem.deviations is not None or problem.free_ends is not None:
            return None
        (axis,), order, codes = problem.axes, problem.order, list[Bytecode]()
        if not axis.finite or not served(problem) or not simple(problem) or sum(order.values()) > compiled.MOST_STATES:
            return None
        for equation in problem.equations:
            text = isinstance(equation, TextEquation) and equation.free_text.quiet
            code = bytecode(equation.program, axis.name, tuple(order.items()), ()) if text else None  # type: ignore[attr-defined]
            if code is None:
                return None
            codes.append(code)
        start = plain(problem)
        if not isinstance(start.about, Polynomials):
            return None
        polynomials = np.ascontiguousarray(start.about.monomials), start.about.middle, start.about.half
        sight = sampled(axis.left, axis.right, True, True), DISTANCES, LAWS, SHAPES
        ends, orders = (axis.left, axis.right), tuple(order.values())
        return cls(tuple(codes), orders, ends, sight, end_rows(problem), sharp_texts(problem), start, polynomials)

    def begun(self, problem: Problem, tol: float, tolerance: Tolerance | None, limits: Limits) -> BegunAtOnce | None:
        """The first layout of a member; None where it is not for this way."""
        assert compiled.nonlinear is not None
        values = [code.values(one.parameters) for code, one in zip(self.codes, problem.equations, strict=True)]  # type: ignore[attr-defined]
        degree = nonlinear_degree(tol, max(self.orders))
        if None in values or len(self.orders) * (degree + 1) > MOST_ROWS:
            return None
        monomials, middle, half = self.polynomials
        found = compiled.nonlinear(
            self.orders,
            *self.ends,
            MOST,
            SHORT * tol,
            min(limits.steps, MOST_STEPS),
            self.watched,
            middle,
            half,
            degree,
            tuple([(code.codes, code.numbers, own) for code, own in zip(self.codes, values, strict=True)]),
            *self.sight,
            *self.conditions,
            *packed_tables(degree, self.orders),
            element_points(degree),
            packed_hermite(self.orders),
            monomials,
            *relative_to(len(self.orders), tolerance),
        )
        if found is None:
            return None
        ended, steps, length, leaps, count, gates, numbers = found
        fields, data = len(self.orders), np.frombuffer(numbers)
        shapes = fields * (degree + 1)
        anchor, offset, own, shares = data[: 4 * count].reshape(4, count)
        figures, rest = data[4 * count : 4 * count + 4 + 2 * fields].tolist(), data[4 * count + 4 + 2 * fields :]
        certificate, coefficients, elements = None, None, Partition(anchor, offset, own)
        if ended == CONVERGED:
            certificate = counted(as_certificate(figures, shares), length, SHORT * tol)
            coefficients = rest[: count * shapes].reshape(count, fields, degree + 1)
        known, sizes = rest[count * shapes :].reshape(sum(self.orders) + fields, -1), tuple(figures[4 : 4 + fields])
        start = self.start
        return BegunAtOnce(
            problem, start, degree, elements, gates, steps, leaps > 0, coefficients, certificate, sizes, known
        )


def begun_at_once(problem: Problem, tolerance: Tolerance | None, tol: float, limits: Limits) -> BegunAtOnce | None:
    """The first layout of a problem that is not linear; None where it is not for this way, or would be too large."""
    family = None if compiled.nonlinear is None else NewtonFamily.of(problem)
    if family is None or limits.memory < MEMORY or limits.over() or limits.rounds < 1 or limits.steps < 1:
        return None
    found = family.begun(problem, tol, tolerance, limits)
    return None if found is None or found.neurons > limits.neurons else found
