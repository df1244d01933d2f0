"""Parameters -> predictions at places and times, for equations that evolve; sensitivities are central differences.

A front that is moved by less than its thickness is what a difference should see: its step follows from how far the
predictions differ, and both sides are solved as sharply as that asks for.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gated_xtfc.discretise.moving.record import TimeRecord
from gated_xtfc.errors import InputError
from gated_xtfc.inverse.forward_map import ForwardMap, Visit
from gated_xtfc.inverse.node import CentralDifference, Node
from gated_xtfc.solution.evolution import EvolutionSolution
from gated_xtfc.solver.solve import solve
from gated_xtfc.types import Array

STEP = 1e-3  # of the unit scale: the distance of the two sides from the middle
SHARPER = 0.02  # of the tolerance of a member: that of its sides
FINEST = 1e-10  # no tolerance below this is asked for


@dataclass(frozen=True)
class TravellingFields:
    """The fields of one member, over space and time, and the members beside it."""

    record: TimeRecord
    unknowns: int
    differences: tuple[CentralDifference, ...] = ()

    def at(self, points: Array, field: int, order: int) -> Array:
        """u or its derivative in space, and the sensitivities, at places and times (2, n): (n, 1 + parameters)."""
        x, t = points
        found = np.zeros((x.size, 1 + self.unknowns))
        found[:, 0] = self.record.at(x, t, order)[field]
        for one in self.differences:
            found[:, 1 + one.parameter] = one.at(points, field, order)
        return found


@dataclass(frozen=True)
class EvolutionMap(ForwardMap):
    """The forward map of a problem that evolves."""

    @property
    def moving(self) -> tuple[str, ...]:
        """All parameters: every sensitivity is a difference."""
        return tuple(self.priors)

    def _visit(self, place: Array, tol: float, known: Sequence[Node]) -> tuple[Visit, float]:
        for solves in (1, 2):
            try:
                found = solve(self.problem(**self.parameters(place)), max(tol, FINEST))
            except InputError:
                return Visit(None, solves), tol
            if not isinstance(found, EvolutionSolution) or not found.converged:
                return Visit(None, solves), tol
            needed = self._needed_of(found)
            if found.error <= needed or self.tol is not None or tol <= FINEST:
                error = 0.02 * found.error / max(needed, 1e-300)
                fields = TravellingFields(found.record, len(self.priors))
                sensors = self.at_sensors(fields)
                if not np.isfinite(sensors).all():
                    return Visit(None, solves), tol
                return Visit(Node(place, sensors[:, 0], sensors[:, 1:], fields, error, None), solves), tol
            tol = max(0.3 * needed, FINEST)
        return Visit(None, solves), tol

    def _needed_of(self, found: EvolutionSolution) -> float:
        """The relative error of the fields at which predictions are good to a fiftieth of the noise."""
        least = np.inf
        for one, part in zip(self.observations.series, self.observations.slices, strict=True):
            # a derivative is known less well than the field, by as much as its estimate says
            key = found._evolution.along(one.order, 0)
            worse = found.errors.get(key, found.error) / max(found.error, 1e-300) if one.order else 1.0
            least = min(
                least, float((0.02 * self.noise_scale[part]).min()) / (found.scales[one.field] * max(worse, 1.0))
            )
        return least

    def _side(self, place: Array, tol: float, known: Sequence[Node]) -> Visit:
        return self._visit(place, max(SHARPER * tol, FINEST), known)[0]

    @property
    def step(self) -> float:
        return STEP
