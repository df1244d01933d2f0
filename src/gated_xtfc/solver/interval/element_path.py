"""From an easier member of a family to the one asked for, on elements: layers are carried along.

As the parameter goes from e to r e, a layer keeps its shape and becomes thinner by some power of r, while all else
stays what it is. So the solution at r e begins as the one at e seen through a map of the interval that is a stretch by
r^-power around each layer and nothing far from it, on elements that are carried along by the same map. Which power it
is (1 for a shock, 1/2 for a reaction layer, 0 where nothing of this holds) shows in whether Newton's method gets there.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from gated_xtfc.discretise.partition import Partition
from gated_xtfc.gates import Layer
from gated_xtfc.gates.coordinate import AxisCoordinates, Coordinates
from gated_xtfc.operator.linearise import Points
from gated_xtfc.solution.base import Round
from gated_xtfc.solver.adapt import Adapted, Limits, adapt, guide
from gated_xtfc.solver.continuation import FIRST, MOST_LEVELS, Way
from gated_xtfc.solver.discretisation import Convergence, Discretisation, Start
from gated_xtfc.solver.interval.element_fit import ElementFit
from gated_xtfc.solver.interval.element_layout import ElementLayout, RefinedPieces, merged
from gated_xtfc.solver.interval.element_space import refined_elements
from gated_xtfc.types import Array, Index, Mask, Orders

Space = Discretisation[ElementLayout, ElementFit]

POWERS = (1.0, 0.5, 0.0)  # of the parameter, with which layers may scale
CORE = 12.0  # thicknesses of a layer that keep their shape
APART = 4.0  # bends closer than so many thicknesses are one layer
LEVEL = 1e-2  # largest error on the way
MOST_STEPS = 9  # of Newton's method from a start that is a good one
MOST_ROUNDS = 8  # of refinement
BULK = 0.02  # of what the worst element adds to the error
EASY = 5  # steps after which the next level is further away
SHORTEST, LONGEST = 0.1, 1.0  # decades of a step
ROUGH = 0.3  # error of a first fit that is worth refining
MERGED = 0.01  # of the error: elements that add less, even as one with their neighbour, are too short


@dataclass(frozen=True)
class Stretch:
    """x -> the place whose layer is `factor` times as thick: away from a layer from d/factor over a power of d to d."""

    centres: Array  # (n,)
    reaches: Array  # (n,) thicknesses of the layers as they were
    borders: Array  # (n + 1,) between them, with both ends of the interval
    factor: float  # below one

    @classmethod
    def of(cls, fit: ElementFit, layers: Sequence[Layer], factor: float) -> "Stretch":
        """From the layers that a solution shows; those that are close together are one."""
        left, right = fit.layout.coordinates[0].left, fit.layout.coordinates[-1].right
        found: list[tuple[float, float, float]] = []  # first and last place, thickness
        for layer in sorted(layers, key=lambda one: one.location):
            place, thickness = layer.location, layer.thickness
            if found and place - found[-1][1] <= APART * (thickness + found[-1][2]):
                found[-1] = (found[-1][0], place, max(thickness, found[-1][2], 0.5 * (place - found[-1][0])))
            else:
                found.append((place, place, thickness))
        centres = []
        for first, last, thickness in found:
            beside = [end for end in (left, right) if min(abs(first - end), abs(last - end)) <= APART * thickness]
            centres.append(beside[0] if beside else 0.5 * (first + last))
        middles = [0.5 * (a + b) for a, b in pairwise(centres)]
        return cls(np.array(centres), np.array([one[2] for one in found]), np.array([left, *middles, right]), factor)

    def _shape(self, which: Index, positive: Mask) -> tuple[Array, Array]:
        """Where the core of a layer ends, as it will be, and the power beyond; nothing is stretched without room."""
        room = np.where(
            positive, self.borders[which + 1] - self.centres[which], self.centres[which] - self.borders[which]
        )
        core = np.minimum(CORE * self.factor * self.reaches[which], 0.25 * self.factor * room)
        with np.errstate(all="ignore"):
            power = np.log(room * self.factor / core) / np.log(room / core)
        return core, np.where(room > 0.0, power, 1.0)

    def back(self, x: Array) -> tuple[Array, Array]:
        """Where places were before, and the slope of that."""
        if not self.centres.size:
            return x, np.ones_like(x)
        which = np.searchsorted(self.borders[1:-1], x)
        away = x - self.centres[which]
        distance = np.abs(away)
        core, power = self._shape(which, away > 0.0)
        inside = distance <= core
        ratio = np.where(inside, 1.0, distance / core)
        far = core / self.factor * ratio**power
        was = np.where(inside, distance / self.factor, far)
        slope = np.where(inside, 1.0 / self.factor, power * far / np.where(inside, 1.0, distance))
        return self.centres[which] + np.copysign(was, away), slope

    def carried(self, elements: Partition) -> Partition:
        """Elements that are where the layers will be."""
        if not self.centres.size:
            return elements
        starts = elements.anchor + elements.offset
        which = np.searchsorted(self.borders[1:-1], starts + 0.5 * elements.length)
        centre = self.centres[which]
        near = (elements.anchor - centre) + elements.offset
        ends = np.stack([near, near + elements.length])
        core, power = self._shape(which, ends.mean(axis=0) > 0.0)
        was = np.abs(ends)
        with np.errstate(all="ignore"):
            far = core * (was * self.factor / core) ** (1.0 / power)
        new = np.copysign(np.where(was * self.factor <= core, was * self.factor, far), ends)
        return _joined(Partition(centre, new[0], new[1] - new[0]))

    def gates(self, layers: Sequence[Layer]) -> tuple[Layer, ...]:
        """Gates as they will be."""
        return tuple(replace(layer, thickness=layer.thickness * self.factor) for layer in layers)

    def start(self, fit: ElementFit) -> Start:
        """The solution, seen through the map."""

        known: tuple[Array, tuple[Array, Array]] | None = None  # all orders and fields are asked for at the same points

        def about(f: int, points: Points, orders: Orders) -> Array:
            nonlocal known
            if known is None or known[0] is not points[0]:
                known = points[0], self.back(points[0])
            place, slope = known[1]
            found: Array = fit.function(f, place, orders[0]) * slope ** orders[0]
            return found

        return Start(about, (), solves=True)


def _joined(elements: Partition) -> Partition:
    """Without gaps between elements that have different anchors: each ends where the next one begins."""
    anchor, offset, length = elements
    apart = (anchor[1:] - anchor[:-1]) + offset[1:]
    moved = np.append(np.where(anchor[1:] == anchor[:-1], offset[:-1] + length[:-1], apart), offset[-1] + length[-1])
    return Partition(anchor, offset, moved - offset)


@dataclass
class Path:
    """The way so far."""

    way: Way[ElementLayout, ElementFit]
    tol: float
    limits: Limits
    report: Callable[[Round], None] | None
    steps: int = 0

    @cached_property
    def powers(self) -> list[float]:
        """The one that served last comes first."""
        return list(POWERS)

    def followed(self, plain: Coordinates, guess: Start | None) -> tuple[Adapted[ElementFit] | None, list[Round]]:
        """The solution at the end of the way, and the members on it; None where it was not reached.

        The first one is easy, and begins on coordinates without gates.
        """
        way, path = self.way, list[Round]()
        value = way.beginnings[0]
        here = way.member(value)
        last = adapt(here, plain, guess or here.default_start(), LEVEL, self.limits)
        self.steps += last.steps
        if last.found is None or last.error > LEVEL:
            return None, path
        step, found = FIRST, last.found
        path.append(replace(last.history[-1], value=value))
        while value != way.target:
            following = way.after(value, step)
            reached = self._level(way.member(following), found, following / value, following == way.target)
            if reached is None:
                step *= 0.5
                if step < SHORTEST or self.limits.over() or self.steps > self.limits.steps:
                    return None, path
                continue
            found, steps, history = reached
            value = following
            path.append(replace(history[-1], value=value))
            if self.report is not None:
                self.report(path[-1])
            step = min(LONGEST, step * (2.0 if steps <= EASY else 1.0))
            if len(path) > MOST_LEVELS:
                return None, path
        return Adapted(found, found.certificate, tuple(history), None, self.steps, True), path

    def _level(
        self, here: Space, last: ElementFit, ratio: float, final: bool
    ) -> tuple[ElementFit, int, list[Round]] | None:
        """The solution of the next member, to the tolerance where it is the last one."""
        for power, coordinates, start in self._starts(here, last, ratio):
            first = self._newton(here, coordinates, start, LEVEL)
            if first.found is None or first.found.certificate is None or first.found.certificate.error > ROUGH:
                continue
            done = self._refined(here, first, self.tol if final else LEVEL)
            if done is not None:
                self.powers.remove(power)
                self.powers.insert(0, power)
                return done[0], first.steps, done[1]
        return None

    def _starts(self, here: Space, last: ElementFit, ratio: float) -> Iterator[tuple[float, AxisCoordinates, Start]]:
        """Elements and a start, as layers may scale: the likeliest first, and alone on long steps."""
        layers = [layer for one in here.layers_shown(last) for layer in one]
        assert last.certificate is not None
        order = last.layout.degree + 1 - max(last.layout.orders)
        elements = merged(last.layout.elements, last.certificate.shares[0], MERGED * LEVEL, order)
        for power in self.powers[:1] if ratio < 10.0**-FIRST * 0.99 else tuple(self.powers):
            if power and layers:
                stretch = Stretch.of(last, layers, ratio**power)
                pieces = tuple(replace(piece, layers=stretch.gates(piece.layers)) for piece in last.layout.coordinates)
                yield power, RefinedPieces.of(pieces, stretch.carried(elements)), stretch.start(last)
            elif power == max(self.powers):
                yield power, RefinedPieces.of(last.layout.coordinates, elements), here.as_start(last)
            elif not power:
                fresh = guide(here, last, LEVEL)
                yield power, last.layout.coordinates if fresh is None else fresh[0], here.as_start(last)

    def _newton(self, here: Space, coordinates: AxisCoordinates, start: Start, tol: float) -> Convergence[ElementFit]:
        try:
            layout = here.lay_out((coordinates,))
            iterate = here.iterate(layout, start)
            found = here.converged_on(layout, iterate, tol, MOST_STEPS, self.limits.until)
        except np.linalg.LinAlgError:
            found = None
        if found is None:
            return Convergence(None, 0, False)
        self.steps += found.steps
        return found

    def _refined(
        self, here: Space, first: Convergence[ElementFit], tol: float
    ) -> tuple[ElementFit, list[Round]] | None:
        """With elements divided until the tolerance is met."""
        found, history = first, list[Round]()
        for _ in range(MOST_ROUNDS):
            if found.found is None or found.found.certificate is None:
                return None
            fit, certificate = found.found, found.found.certificate
            history.append(Round(fit.neurons, certificate.error, certificate.rounding, found.steps))
            if certificate.error <= tol:
                return fit, history
            if certificate.rounding > 0.5 * certificate.error:
                return None
            found = self._newton(here, refined_elements(fit, certificate, tol, BULK), here.as_start(fit), tol)
        return None
