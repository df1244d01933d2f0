"""Members of one family side by side on elements: what does not depend on the parameters is done once.

It serves linear families whose operator has coefficients that do not vary along the interval, with conditions at its
ends; sources may be anything that hides nothing. The layers at both ends are then known from the roots of one
polynomial a member. Every member has its own elements, all the same number of them, and its own certificate.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gated_xtfc.core import compiled
from gated_xtfc.discretise.element_sum import ElementSum
from gated_xtfc.discretise.partition import GatedInterval, Partition
from gated_xtfc.gates import Layer
from gated_xtfc.gates.coordinate import Coordinate
from gated_xtfc.gates.prediction import EXPONENTIAL, WAVE, WIDTHS, merge, thinnest_resolvable
from gated_xtfc.language.dual import Dual, Operand
from gated_xtfc.operator import symbol
from gated_xtfc.operator.linearise import Operator
from gated_xtfc.problem.equation import TextEquation
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solver.adapt import RESOLVED
from gated_xtfc.solver.discretisation import Certificate
from gated_xtfc.solver.interval.discretisation import probe_lines
from gated_xtfc.solver.interval.element_fit import as_certificate, packed_tables
from gated_xtfc.solver.interval.element_layout import element_points, end_states
from gated_xtfc.solver.interval.elements import MOST_ELEMENTS, STABLE, degree_for, served
from gated_xtfc.solver.interval.tied_layout import simple
from gated_xtfc.solver.verdict import NUMBERS
from gated_xtfc.types import Array, Index, Mask

PROBES = 33  # along the interval: a text without arguments to read is a polynomial of low degree in x
FARTHEST = float(symbol.DISTANCES[0])  # of the interval: a layer must have decayed by there


@dataclass(frozen=True)
class BatchResult:
    """What was found for some members: polynomials, certificates, and which of them are certified."""

    family: "BatchFamily"
    elements: Partition  # (K, members) each
    thickness: Array  # (2, members) of the layers at both ends
    shapes: Array  # (K, F, p + 1, members)
    figures: Array  # (4 + 2F, members): error, rounding, stability, unresolved, sizes, scales
    certified: Mask  # (members,)
    seconds: float  # for each member

    @property
    def neurons(self) -> int:
        """Numbers that the equations determine, of every member."""
        count, _, shapes, _ = self.shapes.shape
        orders = self.family.orders
        return int(count * sum(shapes - 2 * order for order in orders) + count * sum(orders))

    def function(self, member: int) -> ElementSum:
        """The solution of one member."""
        elements = Partition(*(np.ascontiguousarray(values[:, member]) for values in self.elements))
        shapes = np.ascontiguousarray(self.shapes[..., member])
        found = ElementSum((self.coordinate(member),), elements, self.family.orders, shapes)
        found.freeze()
        return found

    def coordinate(self, member: int) -> Coordinate:
        """The gated coordinate that its elements follow."""
        (axis,) = self.family.problem.axes
        width = axis.length / WIDTHS
        thickness = self.thickness[:, member].tolist()
        ends = zip((axis.left, axis.right), thickness, strict=True)
        layers = [Layer(place, thin, EXPONENTIAL[1]) for place, thin in ends if thin < width]
        return Coordinate(axis.left, axis.right, width, merge(layers))

    def certificate(self, member: int) -> Certificate:
        """How good it is."""
        return as_certificate(self.figures[:, member].tolist())


@dataclass(frozen=True)
class BatchFamily:
    """A family of problems that can be solved side by side, over some of its parameters."""

    problem: Problem
    names: tuple[str, ...]

    @classmethod
    def of(cls, problem: Problem, names: tuple[str, ...]) -> "BatchFamily | None":
        """None where the family has to be solved one by one."""
        if (
            compiled.solve is None
            or len(problem.axes) > 1
            or not (problem.linear and served(problem) and simple(problem))
            or not problem.domain.finite
            or problem.transforms
        ):
            return None
        if len(problem.fields) > compiled.MOST_FIELDS or not all(
            isinstance(e, TextEquation) for e in problem.equations
        ):
            return None
        (axis,) = problem.axes
        laws = [condition.law for condition in problem.conditions]
        _, domain, *_ = problem._statement
        ends = [end for own in domain.values() for end in own] if isinstance(domain, Mapping) else []
        if any(law is None or not law.names.isdisjoint(names) for law in laws) or any(isinstance(e, str) for e in ends):
            return None
        texts = [equation.free_text for equation in problem.equations if isinstance(equation, TextEquation)]
        samples = np.linspace(axis.left, axis.right, PROBES)
        if not all(text.plain for text in texts) or probe_lines(Operator(problem)).sampled(samples):
            return None  # the text shows something, or may hide something
        found = cls(problem, names)
        members = {name: np.array([problem.parameters[name]] * 2) for name in names}
        coefficients, _ = found._evaluated(members, samples[:, None])
        if any(np.ndim(a) > 1 for rows in coefficients for a in rows):
            return None  # they vary along the interval
        return found

    @property
    def orders(self) -> tuple[int, ...]:
        return tuple(self.problem.order.values())

    def counts(self, members: Mapping[str, Array]) -> Index:
        """How many elements each member asks for, (members,): those alone with their like are solved as if alone."""
        thickness, _ = self._layers(members, next(iter(members.values())).size)
        return self._gated(thickness).counts()

    def _gated(self, thickness: Array) -> GatedInterval:
        """The interval with layers at both ends."""
        (axis,), count = self.problem.axes, thickness.shape[1]
        location = np.stack([np.full(count, axis.left), np.full(count, axis.right)])
        thin = np.where(np.isfinite(thickness), thickness, np.inf)
        return GatedInterval(axis.left, axis.right, location, thin, [EXPONENTIAL[1]] * 2, slower=sum(self.orders) > 2)

    def solve(self, members: Mapping[str, Array], tol: float) -> BatchResult:
        """Solves the members whose parameters are given, (members,) each."""
        begun = time.perf_counter()
        count = next(iter(members.values())).size
        thickness, possible = self._layers(members, count)
        elements = self._gated(thickness).partition()
        degree = degree_for(tol, max(self.orders), decays=sum(self.orders) <= 2)
        x = elements.points(element_points(degree))
        shapes, figures = self._fitted(members, elements, x, degree)
        error, _, stability, unresolved = figures[:4]
        certified = possible & (error <= tol) & (unresolved <= RESOLVED) & (stability <= STABLE)
        certified &= elements.length.shape[0] <= MOST_ELEMENTS
        seconds = (time.perf_counter() - begun) / count
        return BatchResult(self, elements, thickness, shapes, figures, certified, seconds)

    def _layers(self, members: Mapping[str, Array], count: int) -> tuple[Array, Mask]:
        """Thickness of the layers at both ends, (2, members), infinite where there is none; and who is served."""
        (axis,) = self.problem.axes
        coefficients, _ = self._evaluated(members, np.full((1, 1), axis.left))
        zero, rows = np.zeros(count), []
        for row in coefficients:
            own = iter(row)
            rows.append([[zero + next(own) for _ in range(order + 1)] for order in self.orders])
        roots = symbol.modes(rows)
        finite = np.all([np.isfinite(a) for row in rows for jets in row for a in jets], axis=0)
        thickness, possible = np.full((2, count), np.inf), finite & (roots != 1e300).all(axis=1)
        for end, (place, side) in enumerate(((axis.left, 1), (axis.right, -1))):
            rate = symbol.decay_rate(roots, side)
            here = rate * (axis.length * FARTHEST) > symbol.DECAYED
            found = EXPONENTIAL[0] / np.where(here, rate, 1.0)
            thickness[end] = np.where(here & (found < axis.length / WIDTHS), found, np.inf)
            possible &= ~(thickness[end] <= NUMBERS * thinnest_resolvable(place))
        possible &= symbol.wave_number(roots) * (axis.length / WIDTHS) <= WAVE
        return thickness, possible

    def _fitted(self, members: Mapping[str, Array], elements: Partition, x: Array, degree: int) -> tuple[Array, Array]:
        coefficients, sources = self._evaluated(members, x)
        fields, terms, count = len(self.orders), sum(order + 1 for order in self.orders), x.shape[-1]
        values = np.empty((fields, terms + 1, *x.shape))
        for e, (row, source) in enumerate(zip(coefficients, sources, strict=True)):
            for t, a in enumerate((*row, source)):
                values[e, t] = a
        elements_count = elements.length.shape[0]
        ends = self._ends(elements.length[[0, -1]])
        shapes = np.empty((elements_count, fields, degree + 1, count))
        figures, share = np.empty((4 + 2 * fields, count)), np.empty((elements_count, count))
        assert compiled.solve is not None
        (basis_left, left), (basis_right, right) = ends
        compiled.solve(
            self.orders,
            degree,
            elements_count,
            count,
            True,
            basis_left.shape[1],
            basis_right.shape[1],
            *packed_tables(degree, self.orders),
            values,
            np.ascontiguousarray(elements.length),
            basis_left,
            basis_right,
            left,
            right,
            np.ones(fields),
            np.zeros(fields),
            shapes,
            figures,
            share,
        )
        return shapes, figures

    def _ends(self, lengths: Array) -> list[tuple[Array, Array]]:
        """The states that meet the conditions at both ends, for every member: (M, free, members), (M, members)."""
        (axis,) = self.problem.axes
        found = []
        for place, length in zip((axis.left, axis.right), lengths, strict=True):
            own = [c for c in self.problem.conditions if c.terms[0].point == place]
            if all(len(c.terms) == 1 for c in own):
                one = end_states(self.problem, place, 1.0)
                exponents = np.concatenate([np.arange(order) for order in self.orders])
                basis = np.repeat(one.basis[:, :, None], length.size, axis=2)
                found.append((basis, one.particular[:, None] * length ** exponents[:, None]))
                continue
            every = [end_states(self.problem, place, float(h)) for h in length]
            found.append(
                (np.stack([one.basis for one in every], axis=2), np.stack([one.particular for one in every], axis=1))
            )
        return found

    def _evaluated(self, members: Mapping[str, Array], x: Array) -> tuple[list[list[Any]], list[Any]]:
        """Coefficients of every equation, field by field, order by order, and its source, in their natural shapes."""
        state: dict[Any, Operand] = {}
        for field, order in self.problem.order.items():
            for j in range(order + 1):
                state[field, (j,)] = Dual(0.0, {(field, (j,)): 1.0})
        coefficients, sources = [], []
        for equation in self.problem.equations:
            assert isinstance(equation, TextEquation)
            residual = equation.with_parameters(members).residual((x,), state)
            partials: dict[Any, Any] = residual.partials if isinstance(residual, Dual) else {}
            coefficients.append([partials.get(key, 0.0) for key in state])
            sources.append(-(residual.value if isinstance(residual, Dual) else residual))
        return coefficients, sources
