"""Parameters -> predictions at the sensors, with exact sensitivities: every node is one certified solve.

A nonlinear problem starts from the nearest node solved before; where that leads nowhere, it is solved afresh. A node
that cannot be solved to the tolerance is none: it is counted, and its region gets no weight.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from gated_xtfc.discretise.chart import Chart
from gated_xtfc.errors import InputError
from gated_xtfc.inverse.nodes import Fields, Node
from gated_xtfc.inverse.observations import Observations
from gated_xtfc.inverse.priors import Prior
from gated_xtfc.problem.problem import Problem
from gated_xtfc.problem.transform import Translation
from gated_xtfc.solver.adapt import Limits, adapt
from gated_xtfc.solver.interval.discretisation import MOST_NEURONS, IntervalDiscretisation
from gated_xtfc.solver.interval.fit import IntervalFit
from gated_xtfc.solver.interval.sensitivity import sensitivities
from gated_xtfc.solver.strategy import Attempt, Settings, attempt
from gated_xtfc.types import Array

LIMITS = Limits(neurons=MOST_NEURONS, rounds=14, steps=2_000, memory=4e9)
FINEST = 1e-13  # no tolerance below this is asked for
STEP = 1e-4  # of the unit scale: differences for parameters that move an end or a jump


@dataclass
class ForwardMap:
    problem: Problem
    priors: Mapping[str, Prior]
    observations: Observations
    noise_scale: Array  # (observations,) what the errors of predictions are measured by
    guess: Any = None
    continuation: str | None = None
    tol: float | None = None  # in place of the one that follows from the noise
    progress: Callable[[int], None] | None = None
    solves: int = 0
    failures: list[Array] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    _moving: tuple[str, ...] | None = None

    @property
    def tolerance(self) -> float:
        """A thousandth of the noise; where the solution is larger than one, `__call__` tightens it."""
        if self.tol is not None:
            return float(self.tol)
        return float(np.clip(1e-3 * self.noise_scale.min(), 1e-12, 1e-5))

    def parameters(self, place: Array) -> dict[str, float]:
        return {name: float(prior.place(s)) for (name, prior), s in zip(self.priors.items(), place, strict=True)}

    def __call__(self, place: Array) -> Node | None:
        """The node at this place, None where the problem cannot be solved there."""
        place = np.clip(np.asarray(place, dtype=float), 0.0, 1.0)
        if self.progress is not None:
            self.progress(self.solves)
        node = self._node(place, self.tolerance)
        if node is None:
            self.failures.append(place)
        else:
            self.nodes.append(node)
        return node

    def _node(self, place: Array, tol: float, differences: bool = True) -> Node | None:
        for _ in range(3):
            solved = self._solved(place, tol)
            if solved is None:
                return None
            member, attempted = solved
            found, certificate = attempted.adapted.found, attempted.adapted.certificate
            assert found is not None
            assert certificate is not None
            chart = Chart(found.basis, attempted.translation.origins[0])
            needed = self._needed(chart, certificate.scales)
            if certificate.error <= needed or tol <= FINEST or self.tol is not None:
                break
            # a derivative is known less well than the field, by one over the kernel width for each order
            tol = max(0.3 * needed, FINEST)
        else:
            return None
        (axis,) = member.axes
        if any(((one.x < axis.left) | (one.x > axis.right)).any() for one in self.observations.series):
            return None
        fixed = [name for name in self.priors if name not in self.moving]
        slopes = np.zeros((len(self.priors), found.layout.functionals.size))
        if fixed:
            rows = [i for i, name in enumerate(self.priors) if name in fixed]
            scale = np.array([float(self.priors[name].slope(place[i])) for i, name in zip(rows, fixed, strict=True)])
            slopes[rows] = scale[:, None] * sensitivities(member, found, fixed, attempted.translation)
        weights = np.vstack([found.free + found.switch, slopes])
        fields = Fields(chart, weights)
        if not np.isfinite(weights).all():
            return None
        seen = self.seen(fields)
        node = Node(place, seen[:, 0], seen[:, 1:], fields, 0.02 * certificate.error / max(needed, 1e-300), found)
        return self._differenced(node, tol) if differences and self.moving else node

    def seen(self, fields: Fields) -> Array:
        """What the sensors see, and its derivatives, (observations, 1 + parameters)."""
        count = len(self.problem.fields)
        return np.vstack([fields.at(one.x, one.field, one.order, count) for one in self.observations.series])

    def _solved(self, place: Array, tol: float) -> tuple[Problem, Attempt[IntervalFit]] | None:
        self.solves += 1
        try:
            space = IntervalDiscretisation.to(self.problem(**self.parameters(place)), tol)
            settings = Settings(tol, LIMITS, self.continuation)
            found = self._continued(space, place, settings)
            if found is None:
                start = None if self.guess is None else space.guessed(self.guess)
                found = attempt(space, None, start, settings)
        except (InputError, np.linalg.LinAlgError):
            return None
        return (space.problem, found) if found.converged(tol) else None

    def _continued(
        self, space: IntervalDiscretisation, place: Array, settings: Settings
    ) -> Attempt[IntervalFit] | None:
        """A nonlinear problem from the nearest node: its solution as the guess, its gates as the coordinates."""
        if space.problem.linear or not self.nodes:
            return None
        near = min(self.nodes, key=lambda node: float(np.abs(node.place - place).max()))
        translation = Translation((near.fields.chart.origin,))
        there = space.of(space.problem.transformed(translation)) if translation else space
        coordinates = near.found.coordinates
        (axis,) = there.problem.axes
        if coordinates[0][0].left != axis.left or coordinates[0][-1].right != axis.right:
            return None
        start = there.carry(near.found)
        if len(coordinates[0]) > 1:
            coordinates = there.predict(settings.tol, start)
        found = Attempt(adapt(there, coordinates, start, settings.tol, settings.limits), translation)
        return found if found.converged(settings.tol) else None

    def _needed(self, chart: Chart, scales: tuple[float, ...]) -> float:
        """The relative error of the fields at which predictions are good to a fiftieth of the noise."""
        least, start = np.inf, 0
        for one in self.observations.series:
            sigma = self.noise_scale[start : start + one.x.size]
            steepest = chart.slope(one.x) ** one.order if one.order else 1.0
            least = min(least, float((0.02 * sigma / steepest).min()) / scales[one.field])
            start += one.x.size
        return least

    @property
    def moving(self) -> tuple[str, ...]:
        """Parameters that move an end, a point of a condition or a jump: their sensitivities are differences."""
        if self._moving is None:
            middle = np.full(len(self.priors), 0.5)
            self._moving = tuple(name for i, name in enumerate(self.priors) if self._moves(middle, i))
        return self._moving

    def _moves(self, place: Array, i: int) -> bool:
        for s in (0.05, 0.5, 0.95):
            here, there = place.copy(), place.copy()
            here[i], there[i] = s, s + 1e-3
            try:
                if _geometry(self.problem(**self.parameters(here))) != _geometry(
                    self.problem(**self.parameters(there))
                ):
                    return True
            except InputError:
                continue
        return False

    def _differenced(self, node: Node, tol: float) -> Node | None:
        """The node with central differences for the parameters that move a place."""
        sides = []
        for i, name in enumerate(self.priors):
            if name not in self.moving:
                continue
            pair = []
            for step in (-STEP, STEP):
                place = node.place.copy()
                place[i] = np.clip(place[i] + step, 0.0, 1.0)
                side = self._node(place, max(1e-4 * tol, 1e-12), differences=False) or self._node(place, tol, False)
                if side is None:
                    return None
                pair.append(side)
            width = float(pair[1].place[i] - pair[0].place[i])
            sides.append((i, pair[0].fields, pair[1].fields, width))
        fields = replace(node.fields, sides=tuple(sides))
        return replace(node, slopes=self.seen(fields)[:, 1:], fields=fields)


def _geometry(problem: Problem) -> tuple[Any, ...]:
    """Everything in a problem that has a place: ends, points of conditions, jumps."""
    (axis,) = problem.axes
    points = tuple(term.point for condition in problem.conditions for term in condition.terms)
    breaks: tuple[float, ...] = ()
    if problem.linear:
        breaks = tuple(piece.right for piece in IntervalDiscretisation.to(problem, 1e-8).predict(1e-8)[0])
    return axis.left, axis.right, points, breaks
