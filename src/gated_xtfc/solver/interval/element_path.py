"""From an easier member of a family to the one asked for, on elements: layers are carried along.

As the parameter becomes smaller, a layer keeps its shape and becomes thinner, while all else stays what it is. So the
solution of the next member begins as the last one seen through a map that makes layers thinner (`stretch.py`), on
elements that are carried along by the same map. By how much they do shows in whether Newton's method gets there.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from gated_xtfc.discretise.partition import Partition
from gated_xtfc.gates.coordinate import AxisCoordinates, Coordinates
from gated_xtfc.solution.round import Round
from gated_xtfc.solver.adapt import Adapted, Limits, adapt, guide
from gated_xtfc.solver.continuation import FIRST, MOST_LEVELS, Way
from gated_xtfc.solver.discretisation import Convergence, Discretisation, Iterate, Start
from gated_xtfc.solver.interval.element_fit import ElementFit
from gated_xtfc.solver.interval.element_layout import (
    ElementLayout,
    RefinedPieces,
    element_points,
    elements_on,
    halved,
    merged,
)
from gated_xtfc.solver.interval.element_space import refined_elements
from gated_xtfc.solver.interval.stretch import Stretch
from gated_xtfc.types import Array

Space = Discretisation[ElementLayout, ElementFit]

# How layers become thinner: as the parameter becomes smaller, as the symbol about the last solution says, or in no way
# that is known beforehand.
LAWS = LIKE_THE_PARAMETER, LIKE_THE_SYMBOL, UNKNOWN = "parameter", "symbol", "unknown"
LEVEL = 1e-2  # largest error on the way ...
AMPLITUDE = 3.0  # ... and times the parameter: a corner layer changes a solution by no more than that
MOST_STEPS = 9  # of Newton's method from a start that is a good one
EASY = 6  # steps after which the next level is further away
MOST_ROUNDS = 8  # of refinement ...
BULK = 0.02  # ... of elements that add to the error this part of what the worst one does
GAIN = 0.5  # of the error: what a round has to bring, or one of two
UNSTABLE = 1e9  # amplification of residuals at which nothing is gained by refinement
ROUGH = 0.5  # error of a first fit that is worth refining
MERGED = 1e-4  # of the error: elements that add less, even as one with their neighbour, are too short
NEARER = 1.0  # decades: a member closer than the easiest one may be easy as well
SHORTEST, LONGEST = 0.2, 1.0  # decades of a step ...
EVEN = 0.02  # ... which may be longer by this part, rather than leave so little to the next one


@dataclass
class Path:
    """The way so far."""

    way: Way[ElementLayout, ElementFit]
    tol: float
    limits: Limits
    report: Callable[[Round], None] | None
    steps: int = 0  # of Newton's method
    laws: list[str] = field(default_factory=lambda: list(LAWS))  # the one that served last comes first

    def followed(self, plain: Coordinates, guess: Start | None) -> tuple[Adapted[ElementFit] | None, list[Round]]:
        """The solution at the end of the way, and the members on it; None where it was not reached.

        The first one is expected to be easy, and begins on coordinates without gates.
        """
        way, path = self.way, list[Round]()
        elements = elements_on(plain[0])
        twice = RefinedPieces.of(plain[0], halved(elements, np.ones(elements.length.size, dtype=bool)))
        first = way.beginnings[0]
        for value in (way.after(first, NEARER), first):
            here = way.member(value)
            last = adapt(here, (twice,), guess or here.default_start(), LEVEL, self.limits, hopeless=ROUGH)
            self.steps += last.steps
            if last.error <= LEVEL:
                break
        if last.found is None or last.error > LEVEL:
            return None, path
        step, found, history = FIRST, last.found, list(last.history)
        while True:
            path.append(replace(history[-1], value=value))
            if self.report is not None:
                self.report(path[-1])
            if value == way.target:
                return Adapted(found, found.certificate, tuple(history), None, self.steps, True), path
            while True:
                following = self._following(value, step)
                reached = self._level(following, found, following / value)
                if reached is not None:
                    break
                step *= 0.5
                if step < SHORTEST or self.limits.over() or self.steps >= self.limits.steps:
                    return None, path
            if len(path) > MOST_LEVELS:
                return None, path
            found, steps, history = reached
            value, step = following, min(LONGEST, step * (2.0 if steps <= EASY else 1.0))

    def _following(self, value: float, step: float) -> float:
        """The next value, so that those up to the target are even."""
        left = abs(math.log10(self.way.target / value))
        count = math.ceil(left / step - EVEN)
        return self.way.target if count <= 1 else self.way.after(value, left / count)

    def _level(self, value: float, last: ElementFit, ratio: float) -> tuple[ElementFit, int, list[Round]] | None:
        """The solution of the next member, to the tolerance where it is the last one."""
        here, small = self.way.member(value), self.way.small(value)
        wanted = self.tol if value == self.way.target else max(self.tol, min(LEVEL, AMPLITUDE * small))
        for law, coordinates, start in self._starts(here, last, ratio):
            first = self._newton(here, coordinates, start, LEVEL)
            if first.found is None or first.found.certificate is None or first.found.certificate.error > ROUGH:
                continue
            done = self._refined(here, first, wanted, value == self.way.target)
            if done is not None:
                self.laws.remove(law)
                self.laws.insert(0, law)
                return done[0], first.steps, done[1]
        return None

    def _starts(
        self, here: Space, last: ElementFit, ratio: float
    ) -> Iterator[tuple[str, AxisCoordinates, Start | Iterate]]:
        """Elements and a start, by each law: the likeliest first, and alone on long steps."""
        assert last.certificate is not None
        layout = last.layout
        order = layout.degree + 1 - max(layout.orders)
        elements = merged(layout.elements, last.certificate.shares[0], MERGED * LEVEL, order)
        ends = layout.coordinates[0].left, layout.coordinates[-1].right
        fresh: Coordinates | None = None
        for law in self.laws[:1] if abs(math.log10(ratio)) > 1.01 * FIRST else tuple(self.laws):
            if law == LIKE_THE_PARAMETER:
                layers = [layer for one in here.layers_shown(last) for layer in one]
                factors = [min(ratio, 1.0 / ratio)] * len(layers)
            else:
                fresh = fresh or guide(here, last, LEVEL)
                if fresh is None:
                    continue
                if law == UNKNOWN:
                    yield law, fresh[0], here.as_start(last)
                    continue
                after = {layer.location: layer.thickness for piece in fresh[0] for layer in piece.layers}
                before = [layer for piece in layout.coordinates for layer in piece.layers]
                layers = [layer for layer in before if after.get(layer.location, math.inf) < layer.thickness]
                if not layers:
                    continue
                factors = [after[layer.location] / layer.thickness for layer in layers]
            stretch = Stretch.of(ends, layers, factors)
            pieces = tuple(replace(piece, layers=stretch.gates(piece.layers)) for piece in layout.coordinates)
            carried = stretch.carried(elements)
            yield law, RefinedPieces.of(pieces, carried), _carried(last, elements, carried)

    def _newton(
        self, here: Space, coordinates: AxisCoordinates, start: Start | Iterate, tol: float
    ) -> Convergence[ElementFit]:
        try:
            layout, most = here.lay_out((coordinates,)), min(MOST_STEPS, self.limits.steps - self.steps)
            found = None
            if layout.neurons <= self.limits.neurons and most > 0:
                iterate = start if isinstance(start, Iterate) else here.iterate(layout, start)
                found = here.converged_on(layout, iterate, tol, most, self.limits.until)
        except np.linalg.LinAlgError:
            found = None
        self.steps += 0 if found is None else found.steps
        return found or Convergence(None, 0, False)

    def _refined(
        self, here: Space, first: Convergence[ElementFit], tol: float, last: bool
    ) -> tuple[ElementFit, list[Round]] | None:
        """With elements divided until the tolerance is met, by the last member with nothing of the equations missed."""
        found, history, without = first, list[Round](), 0
        for _ in range(MOST_ROUNDS):
            if found.found is None or found.found.certificate is None:
                return None
            fit, certificate = found.found, found.found.certificate
            history.append(Round(fit.neurons, certificate.error, certificate.rounding, found.steps))
            met = certificate.error <= tol
            certificate = here.certify(fit) if met and last else certificate
            if certificate.error <= tol:
                return fit, history
            gain = met or len(history) < 2 or certificate.error <= GAIN * history[-2].error
            without = 0 if gain else without + 1
            if certificate.rounding > 0.5 * certificate.error or without > 1 or certificate.stability > UNSTABLE:
                return None
            found = self._newton(here, refined_elements(fit, certificate, tol, BULK), here.as_start(fit), tol)
        return None


def _carried(last: ElementFit, before: Partition, after: Partition) -> Iterate:
    """Where elements of the last solution have become others, and it has stayed the same polynomial in each."""
    layout = last.layout
    if before.length.size == layout.count and last.known is not None:
        jets = last.known
    else:
        jets = last.function.jets(before.points(element_points(layout.degree)).ravel())
    powers = np.array([[j] for order in layout.orders for j in range(order + 1)])
    slopes = (before.length / after.length) ** powers
    found: Array = jets.reshape(*slopes.shape, -1) * slopes[:, :, None]
    return Iterate.unpacked(found.reshape(powers.size, -1), layout.orders)
