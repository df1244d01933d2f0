"""Parameters -> predictions at the sensors, with exact sensitivities: every node is one certified solve.

A nonlinear problem starts from the nearest node solved before; where that leads nowhere, it is solved afresh. A member
that cannot be solved to the tolerance has no node.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from gated_xtfc.discretise.chart import Chart
from gated_xtfc.errors import InputError
from gated_xtfc.inverse.node import AnyFields, CentralDifference, ElementFields, Fields, Node
from gated_xtfc.inverse.observations import Observations
from gated_xtfc.inverse.priors import Prior
from gated_xtfc.problem.equation import TextEquation
from gated_xtfc.problem.member import rereading_needed
from gated_xtfc.problem.problem import Problem
from gated_xtfc.problem.transform import Translation
from gated_xtfc.solver.adapt import Limits, adapt
from gated_xtfc.solver.interval.discretisation import MOST_NEURONS, IntervalDiscretisation
from gated_xtfc.solver.interval.element_family import fit_on_elements
from gated_xtfc.solver.interval.element_sensitivity import element_sensitivities
from gated_xtfc.solver.interval.fit import IntervalFit
from gated_xtfc.solver.interval.sensitivity import geometry, sensitivities
from gated_xtfc.solver.strategy import Attempt, Settings, attempt
from gated_xtfc.types import Array

LIMITS = Limits(neurons=MOST_NEURONS, rounds=14, steps=2_000, memory=4e9)
TRIES = 3  # solves of one member, each to a tighter tolerance than the one before
FINEST = 1e-13  # no tolerance below this is asked for
GOOD = 0.02  # error of predictions, in standard deviations of the noise
STEP = 1e-4  # of the unit scale: differences for parameters that move an end or a jump


@dataclass(frozen=True)
class Visit:
    """What came of one place."""

    node: Node | None  # None where the problem cannot be solved to the tolerance
    solves: int  # that it took


@dataclass(frozen=True)
class ForwardMap:
    """A value: the same place and the same known nodes always give the same node."""

    problem: Problem
    priors: Mapping[str, Prior]
    observations: Observations
    noise_scale: Array  # (observations,) what the errors of predictions are measured by
    guess: object = None  # as `solve` takes it
    continuation: str | None = None
    tol: float | None = None  # in place of the one that follows from the noise
    kernels: bool = False  # whether nodes must have kernels: what the equation misses is told by their rows

    @cached_property
    def tolerance(self) -> float:
        """A thousandth of the noise; where the solution is larger than one, `visit` tightens it."""
        if self.tol is not None:
            return float(self.tol)
        return min(max(1e-3 * float(self.noise_scale.min()), 1e-12), 1e-5)

    def parameters(self, place: Array) -> dict[str, float]:
        return {name: float(prior.place(s)) for (name, prior), s in zip(self.priors.items(), place, strict=True)}

    def __call__(self, place: Array, known: Sequence[Node] = ()) -> Node | None:
        """The node at this place, None where the problem cannot be solved there."""
        return self.visit(place, known).node

    def visit(self, place: Array, known: Sequence[Node] = ()) -> Visit:
        """The same with what it took; `known` nodes are where a nonlinear problem may start from."""
        visit, tol = self._visit(np.clip(np.asarray(place, dtype=float), 0.0, 1.0), self.tolerance, known)
        if visit.node is None or not self.moving:
            return visit
        return self._differenced(visit.node, visit.solves, tol, known)

    def _visit(self, place: Array, tol: float, known: Sequence[Node]) -> tuple[Visit, float]:
        """Without differences, and the tolerance that was needed in the end."""
        for solves in range(1, TRIES + 1):
            quick = self._on_elements(place, tol) if self.plain else None
            if quick is not None and (quick.error <= GOOD or tol <= FINEST or self.tol is not None):
                return Visit(quick, solves), tol
            solved = self._solved(place, tol, known)
            if solved is None:
                return Visit(None, solves), tol
            member, attempted = solved
            found, certificate = attempted.adapted.found, attempted.adapted.certificate
            assert found is not None
            assert certificate is not None
            chart = Chart(found.basis, attempted.translation.origins[0])
            needed = self._needed(chart.slope, certificate.scales)
            if certificate.error <= needed or tol <= FINEST or self.tol is not None:
                error = GOOD * certificate.error / max(needed, 1e-300)
                return Visit(self._node(place, member, found, attempted.translation, error), solves), tol
            # a derivative is known less well than the field, by one over the kernel width for each order
            tol = max(0.3 * needed, FINEST)
        return Visit(None, TRIES), tol

    def _node(
        self, place: Array, member: Problem, found: IntervalFit, translation: Translation, error: float
    ) -> Node | None:
        """The solution with its sensitivities on the unit scales; those of moving parameters are left at zero."""
        (axis,) = member.axes
        # an unknown end of the domain may leave a sensor outside
        if any(((one.x < axis.left) | (one.x > axis.right)).any() for one in self.observations.series):
            return None
        weights = np.zeros((1 + len(self.priors), found.layout.functionals.size))
        weights[0] = found.free + found.switch
        fixed = [(i, name) for i, name in enumerate(self.priors) if name not in self.moving]
        if fixed:
            scale = np.array([[float(self.priors[name].slope(place[i]))] for i, name in fixed])
            slopes = sensitivities(member, found, [name for _, name in fixed], translation)
            weights[[1 + i for i, _ in fixed]] = scale * slopes
        if not np.isfinite(weights).all():
            return None
        fields = Fields(Chart(found.basis, translation.origins[0]), weights)
        sensors = self.at_sensors(fields)
        return Node(place, sensors[:, 0], sensors[:, 1:], fields, error, found)

    def at_sensors(self, fields: AnyFields) -> Array:
        """What the sensors see, and its derivatives, (observations, 1 + parameters)."""
        seen = [fields.at(one.points, one.field, one.order) for one in self.observations.series]
        return seen[0] if len(seen) == 1 else np.vstack(seen)

    @cached_property
    def plain(self) -> bool:
        """Whether members are linear, and parameters change numbers in the equations alone: elements can serve."""
        if self.kernels or not self.problem.linear or self.moving or not self.problem.domain.finite:
            return False
        return not rereading_needed(self.problem, self.priors.keys())

    def _on_elements(self, place: Array, tol: float) -> Node | None:
        """The node by elements, None where they do not lead to the tolerance."""
        try:
            with np.errstate(all="ignore"):
                member = self.problem(**self.parameters(place))
                fit = fit_on_elements(member, tol, LIMITS)
                slopes = None if fit is None else element_sensitivities(member, fit, tuple(self.priors))
        except (InputError, np.linalg.LinAlgError, MemoryError):
            return None
        if fit is None or fit.certificate is None or slopes is None:
            return None
        for own, s, prior in zip(slopes, place, self.priors.values(), strict=True):
            own *= float(prior.slope(s))
        fields = ElementFields.of(fit.function, slopes)
        sensors = self.at_sensors(fields)
        if not np.isfinite(sensors).all():
            return None
        needed = self._needed(lambda x: fields.chart.slope(x), fit.certificate.scales)
        error = GOOD * fit.certificate.error / max(needed, 1e-300)
        return Node(place, sensors[:, 0], sensors[:, 1:], fields, error, None)

    def _solved(self, place: Array, tol: float, known: Sequence[Node]) -> tuple[Problem, Attempt[IntervalFit]] | None:
        try:
            with np.errstate(all="ignore"):  # what is not finite is looked for, as in `solve`
                space = IntervalDiscretisation.to(self.problem(**self.parameters(place)), tol)
                settings = Settings(tol, LIMITS, self.continuation)
                found = _continued(space, place, settings, known)
                if found is None:
                    start = None if self.guess is None else space.start_from_guess(self.guess)
                    found = attempt(space, None, start, settings)
        except (InputError, np.linalg.LinAlgError, MemoryError):
            return None
        return (space.problem, found) if found.converged(tol) else None

    def _needed(self, slope: Callable[[Array], Array], scales: tuple[float, ...]) -> float:
        """The relative error of the fields at which predictions are good to a fiftieth of the noise."""
        least = np.inf
        for one, part in zip(self.observations.series, self.observations.slices, strict=True):
            steepest = slope(one.x) ** one.order if one.order else 1.0
            least = min(least, float((GOOD * self.noise_scale[part] / steepest).min()) / scales[one.field])
        return least

    @property
    def step(self) -> float:
        """Of differences, on the unit scale."""
        return STEP

    @cached_property
    def moving(self) -> tuple[str, ...]:
        """Parameters that move an end, a point of a condition or a jump: their sensitivities are differences."""
        equations = [one for one in self.problem.equations if isinstance(one, TextEquation)]
        quiet = len(equations) == len(self.problem.equations) and all(one.free_text.quiet for one in equations)
        if quiet and not rereading_needed(self.problem, self.priors.keys()):
            return ()
        return tuple(name for i, name in enumerate(self.priors) if self._moves(i))

    def _moves(self, i: int) -> bool:
        for s in (0.05, 0.5, 0.95):
            here, there = np.full((2, len(self.priors)), 0.5)
            here[i], there[i] = s, s + 1e-3
            try:
                first, second = (geometry(self.problem(**self.parameters(place))) for place in (here, there))
            except InputError:
                continue
            if first != second:
                return True
        return False

    def _differenced(self, node: Node, solves: int, tol: float, known: Sequence[Node]) -> Visit:
        """The node with central differences for the parameters that move a place."""
        differences = []
        for i, name in enumerate(self.priors):
            if name not in self.moving:
                continue
            sides = []
            for step in (-self.step, self.step):
                place = node.place.copy()
                place[i] = np.clip(place[i] + step, 0.0, 1.0)
                side = self._side(place, tol, known)
                solves += side.solves
                if side.node is None:
                    return Visit(None, solves)
                sides.append(side.node)
            below, above = sides
            width = float(above.place[i] - below.place[i])
            differences.append(CentralDifference(i, below.fields, above.fields, width))
        assert not isinstance(node.fields, ElementFields)  # which are for parameters that move nothing
        fields = replace(node.fields, differences=tuple(differences))
        return Visit(replace(node, slopes=self.at_sensors(fields)[:, 1:], fields=fields), solves)

    def _side(self, place: Array, tol: float, known: Sequence[Node]) -> Visit:
        """Much sharper than the node itself, where that can be had: differences lose digits."""
        sharp, _ = self._visit(place, max(1e-4 * tol, 1e-12), known)
        if sharp.node is not None:
            return sharp
        plain, _ = self._visit(place, tol, known)
        return Visit(plain.node, sharp.solves + plain.solves)


def _continued(
    space: IntervalDiscretisation, place: Array, settings: Settings, known: Sequence[Node]
) -> Attempt[IntervalFit] | None:
    """A nonlinear problem from the nearest node: its solution as the guess, its gates as the coordinates."""
    if space.problem.linear or not known:
        return None
    near = min(known, key=lambda node: float(np.abs(node.place - place).max()))
    assert isinstance(near.fields, Fields)
    assert near.found is not None
    translation = Translation((near.fields.chart.origin,))
    there = space.for_problem(space.problem.transformed(translation)) if translation else space
    coordinates = near.found.coordinates
    (axis,) = there.problem.axes
    if coordinates[0][0].left != axis.left or coordinates[0][-1].right != axis.right:
        return None
    start = there.as_start(near.found)
    if len(coordinates[0]) > 1:
        coordinates = there.predict(settings.tol, start)
    found = Attempt(adapt(there, coordinates, start, settings.tol, settings.limits), translation)
    return found if found.converged(settings.tol) else None
