"""A family of solutions with its parameter as one more unknown, and one condition more that says where on the curve.

    <t, u - u_0> + t_k (k - k_0)/K^2 = s,     <t, u> = mean over places and fields of t u / U^2

with (t, t_k) the direction and (u_0, k_0) the point where a step begins: pseudo-arclength. The condition is linear, so
the problem is one like any other, and passes a fold without noticing.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gated_xtfc.discretise.chart import Chart
from gated_xtfc.discretise.kernel_sum import KernelSum
from gated_xtfc.errors import InputError, quoted, suggestion
from gated_xtfc.operator.linearise import Points
from gated_xtfc.problem.condition import Condition, Term
from gated_xtfc.problem.problem import Problem, require_interval
from gated_xtfc.problem.transform import Translation
from gated_xtfc.solution.interval import IntervalSolution
from gated_xtfc.solution.round import Round
from gated_xtfc.solver.adapt import Adapted, Limits, adapt
from gated_xtfc.solver.discretisation import Certificate, Start
from gated_xtfc.solver.interval.discretisation import IntervalDiscretisation
from gated_xtfc.solver.interval.fit import IntervalFit
from gated_xtfc.solver.interval.sensitivity import require_fixed_places
from gated_xtfc.solver.verdict import verdict
from gated_xtfc.types import Array, Orders

PLACES = 40  # of the inner product
NEGLIGIBLE = 1e-12  # part of a field in a direction of length one
LOOSE, COARSE = 1e3, 1e-4  # times the tolerance, and error, up to which a curve is followed where rounding sets a limit
HERE = Translation((0.0,))
Function = Callable[[int, Array, int], Array]  # field, places, order of the derivative


@dataclass(frozen=True, eq=False)
class Direction:
    """A direction in fields, constants and the parameter, the last of the constants."""

    fields: Function
    constants: Array

    def scaled(self, factor: float) -> "Direction":
        fields = self.fields
        return Direction(lambda f, x, order: factor * fields(f, x, order), factor * self.constants)


@dataclass(frozen=True, eq=False)
class BranchState:
    """A solution of the family: fields as kernel sums, the constants, the parameter as the last of them."""

    fit: IntervalFit
    certificate: Certificate
    steps: int  # of Newton's method that led to it
    history: tuple[Round, ...]

    @property
    def parameter(self) -> float:
        return float(self.fit.constants[-1])

    @property
    def function(self) -> KernelSum:
        return KernelSum(Chart(self.fit.basis), self.fit.free, self.fit.switch)

    def fields(self, f: int, x: Array, order: int) -> Array:
        return self.function.within(f, x, order)

    def places(self) -> Array:
        """Uniform in the gated coordinate, the ends left out."""
        basis = self.fit.basis
        return basis.inverse(basis.length * (np.arange(PLACES) + 0.5) / PLACES)


@dataclass(frozen=True, eq=False)
class BranchFamily:
    """The problem with its parameter set free, and what lengths are measured by."""

    problem: Problem
    name: str
    free: Problem
    span: float  # K: the range of the parameter
    tol: float
    limits: Limits
    reference: tuple[float, ...] = ()  # sizes of the fields of the first solution: where they vanish, lengths do not

    @classmethod
    def of(cls, problem: Problem, name: str, span: float, tol: float, limits: Limits) -> "BranchFamily":
        """Refuses a parameter that the problem does not have, or that moves an end of the domain."""
        require_interval(problem, "branches are followed for problems")
        if name not in problem.parameters:
            known = ", ".join(problem.parameters) or "none at all"
            hint = suggestion(str(name), problem.parameters, f"the parameters are {known}")
            raise InputError(f"the problem has no parameter {quoted(str(name))} to follow solutions along: {hint}")
        require_fixed_places(problem, name, "solutions are followed along other parameters")
        try:
            free = problem.freed(name)
        except InputError as error:
            raise InputError(f"solutions cannot be followed along {name}: {error}") from None
        return cls(problem, name, free, span, tol, limits)

    def member(self, value: float) -> Problem:
        return self.problem(**{self.name: value})

    def sizes(self, state: BranchState) -> Array:
        """U of every field."""
        found: Array = np.maximum(np.array(state.fit.sizes), self.reference or 0.0)
        return found

    def inner(self, a: Direction, b: Direction, at: BranchState) -> float:
        """The inner product of directions at a state."""
        x, fields = at.places(), range(len(self.problem.fields))
        sizes = self.sizes(at)
        parts = [float(np.mean(a.fields(f, x, 0) * b.fields(f, x, 0))) / sizes[f] ** 2 for f in fields]
        return float(np.mean(parts)) + float(a.constants[-1] * b.constants[-1]) / self.span**2

    def unit(self, direction: Direction, at: BranchState) -> Direction:
        return direction.scaled(1.0 / np.sqrt(self.inner(direction, direction, at)))

    def tangent(self, state: BranchState) -> Direction | None:
        """The direction of the curve at a state, of length one: how it answers to the value of its last condition.

        None where the equations are singular with that condition as well: at a branch point.
        """
        fit = state.fit
        violations = np.zeros((fit.layout.trial.switch.shape[1], 1))
        violations[len(self.free.conditions)] = 1.0
        weights, constants = fit.answer_with_constants(np.zeros((fit.rows.target.size, 1)), violations)
        if not (np.isfinite(weights).all() and np.isfinite(constants).all()):
            return None
        function = KernelSum(Chart(fit.basis), weights[:, 0], np.zeros(weights.shape[0]))
        direction = Direction(lambda f, x, order: function.within(f, x, order), constants[:, 0])
        length = self.inner(direction, direction, state)
        return self.unit(direction, state) if np.isfinite(length) and length > 0.0 else None

    def between(self, a: BranchState, b: BranchState) -> Direction:
        """From one state to another."""
        return Direction(
            lambda f, x, order: b.fields(f, x, order) - a.fields(f, x, order), b.fit.constants - a.fit.constants
        )

    def pin(self, at: BranchState, direction: Direction, length: float) -> Condition:
        """The condition that a state is so far from another along a direction."""
        x, sizes, count = at.places(), self.sizes(at), len(self.problem.fields)
        terms, value = [], length
        for f, field in enumerate(self.problem.fields):
            weights = direction.fields(f, x, 0) / (sizes[f] ** 2 * count * x.size)
            if float(np.abs(weights).sum()) * sizes[f] < NEGLIGIBLE:
                continue  # the field stays as it is, but for rounding, on which no condition is to rest
            value += float(weights @ at.fields(f, x, 0))
            terms += [Term(field, 0, float(p), float(w)) for p, w in zip(x, weights, strict=True)]
        along = float(direction.constants[-1]) / self.span**2
        constants = ((self.name, along),) if along != 0.0 else ()
        return Condition("the length along the branch", tuple(terms), (), value + along * at.parameter, constants)

    def fixed(self, value: float) -> Condition:
        """The condition that the parameter has a value."""
        return Condition(f"{self.name} = {value:g}", (), (), value, ((self.name, 1.0),))

    def solved(
        self, condition: Condition, near: BranchState, direction: Direction, length: float
    ) -> BranchState | None:
        """The state that meets a condition, from a predicted one; None where there is none nearby."""
        start = Start(
            lambda f, points, orders: (
                near.fields(f, points[0], orders[0]) + length * direction.fields(f, points[0], orders[0])
            ),
            tuple((near.fit.constants + length * direction.constants).tolist()),
            solves=True,
        )
        return self.from_start(condition, start, near)

    def from_start(self, condition: Condition, start: Start, near: BranchState) -> BranchState | None:
        space = IntervalDiscretisation.to(self.free.pinned(condition), self.tol)
        try:
            adapted = adapt(space, near.fit.coordinates, start, self.tol, self.limits)
        except InputError:
            return None
        return as_state(adapted, self.tol)

    def first(self, solution: IntervalSolution) -> BranchState | None:
        """A solution at a value of the parameter as a state of the family."""
        value = solution.problem.parameters[self.name]
        space = IntervalDiscretisation.to(self.free.pinned(self.fixed(value)), self.tol)

        def about(f: int, points: Points, orders: Orders) -> Array:
            return solution.function(f, points[0], orders[0])

        start = Start(about, (*solution.values, value), solves=True)
        coordinates = (solution.function.chart.coordinates,)
        return as_state(adapt(space, coordinates, start, self.tol, self.limits), self.tol)

    def solution(self, state: BranchState) -> IntervalSolution:
        """A state as the solution of its member."""
        member = self.member(state.parameter)
        adapted = Adapted(state.fit, state.certificate, state.history, None, state.steps, True)
        status, message = verdict(adapted, self.tol, HERE)
        for weights in (state.fit.free, state.fit.switch):
            weights.setflags(write=False)
        return IntervalSolution(
            problem=member,
            tol=self.tol,
            status=status,
            message=f"{message}; it was followed along {self.name}",
            error=state.certificate.error,
            scales=state.certificate.scales,
            neurons=state.fit.neurons,
            sites=state.fit.sites,
            seconds=0.0,
            history=state.history,
            continuation=self.name,
            function=state.function,
            values=tuple(state.fit.constants[:-1].tolist()),
        )


def as_state(adapted: Adapted[IntervalFit], tol: float) -> BranchState | None:
    """What was found, where it is good enough to go on from; whether it is within the tolerance its status says."""
    if adapted.found is None or adapted.certificate is None or not adapted.error <= max(tol, min(LOOSE * tol, COARSE)):
        return None
    return BranchState(adapted.found, adapted.certificate, adapted.steps, adapted.history)
