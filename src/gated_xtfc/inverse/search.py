"""Several unknowns: the box in which all of them lie, cut into three wherever a mode may still hide.

A box has a member in its middle, and with the sensitivities a line through it:

    |W (y - f - J d)| >= what the best d inside the box leaves, less what the bending of f along the axes adds

Where even that is too far from the data the box is left alone. The others are cut along the parameters in which the
prediction is not resolved by the members in a row, or turns inside the box: what is left holds one mode at most.
"""

from dataclasses import dataclass, field

import numpy as np

from gated_xtfc.inverse.bisection import EXCLUDED
from gated_xtfc.inverse.journal import Journal
from gated_xtfc.inverse.measure import evenly
from gated_xtfc.inverse.node import Node, Target
from gated_xtfc.inverse.resolution import SensorResolution
from gated_xtfc.types import Array, Mask

MOST = {2: 400, 3: 700}  # members
MOST_BEYOND = 900  # of more unknowns
AHEAD = 24  # boxes that are cut before the best place is looked at again
RESOLVED = 0.1  # as in `resolution`, but boxes have a line where intervals have a cubic
SMALLEST = 3.0**-7  # width of a box that is not cut any more
UNSOLVED = 3.0**-2  # the same of one whose middle could not be solved
TURN = 0.5  # part of its change that a prediction may bend away from a line on the way to the side of a box
FLAT = 2.0  # standard deviations that it may bend away whatever its change
SAFE = 1.5  # what bending along the axes is multiplied by, for that between them
SWEEPS = 12  # of the parameters, for the best place in a box


@dataclass(frozen=True)
class Row:
    """What three members in a row say of one parameter."""

    resolution: SensorResolution
    bending: Array  # (n,) largest second derivative of the prediction


@dataclass(frozen=True)
class ParameterBox:
    """A part of the unit cube around a member."""

    centre: Array  # (p,)
    width: Array  # (p,)
    node: Node | None  # None where the middle cannot be solved
    rows: tuple[Row | None, ...]  # one for each parameter; None where there was none yet

    def open(self, scale: Array) -> Mask:
        """(n,) sensors that may see anything in the box."""
        flags = [
            np.ones(scale.size, dtype=bool) if row is None else row.resolution.open(scale, RESOLVED)
            for row in self.rows
        ]
        return np.asarray(np.any(flags, axis=0))

    def wanting(self, scale: Array) -> list[int]:
        """Parameters along which it should be cut, the worst first."""
        found = []
        for i, row in enumerate(self.rows):
            if self.width[i] < SMALLEST:
                continue
            if self.node is None or row is None:
                if self.node is not None or self.width[i] > UNSOLVED:
                    found.append((np.inf, self.width[i], i))
                continue
            half = 0.5 * self.width[i]
            bend = float(np.linalg.norm(0.5 * row.bending * half**2 * scale))
            line = float(np.linalg.norm(self.node.slopes[:, i] * half * scale))
            if row.resolution.open(scale, RESOLVED).any() or bend > max(TURN * line, FLAT):
                found.append((bend, self.width[i], i))
        return [i for _, _, i in sorted(found, reverse=True)]


@dataclass
class ModeSearch:
    """The boxes that are left, and whether the search came to its end."""

    journal: Journal
    target: Target
    boxes: list[ParameterBox] = field(default_factory=list)
    solved: list[Node] = field(default_factory=list)
    best: float = -np.inf  # largest log posterior seen
    scale: Array = field(default_factory=lambda: np.ones(1))  # (n,) one over the noise there
    complete: bool = True

    @property
    def size(self) -> int:
        return len(self.target.priors)

    def begin(self) -> None:
        middle = np.full(self.size, 0.5)
        self.boxes = [ParameterBox(middle, np.ones(self.size), self._solve(middle), (None,) * self.size)]

    def advance(self) -> bool:
        """Cuts the widest of the boxes that want it; whether there were any."""
        self.boxes = [box for box in self.boxes if self._possible(box) > self.best - EXCLUDED]
        wanting = [(box, cuts) for box in self.boxes if (cuts := box.wanting(self.scale))]
        # the widest first: what is everywhere is looked at before what is small
        wanting.sort(key=lambda one: -float(np.prod(one[0].width)))
        for box, cuts in wanting[:AHEAD]:
            if len(self.solved) > MOST.get(self.size, MOST_BEYOND) or self.journal.late:
                self.complete = False
                return False
            self.boxes = [other for other in self.boxes if other is not box] + self._cut(box, cuts)
        return bool(wanting)

    def promising(self) -> list[tuple[float, Node, Array]]:
        """Log posterior that lines expect of the boxes, their members, and where they expect it; the best first."""
        if not any(box.node is not None for box in self.boxes):
            for place in evenly(16 * self.size, self.size):
                self._solve(place)
            return [(self.target.at(node), node, node.place) for node in self.solved]
        found = []
        for box in self.boxes:
            if box.node is not None:
                step, rest = self._ahead(box, np.zeros(self.scale.size, dtype=bool))
                place = np.clip(box.node.place + step, 0.0, 1.0)
                expected = self.target.noise.log_likelihood(rest[None, :])[0] + self.target.log_prior(place[None, :])[0]
                found.append((float(expected), box.node, place))
        return sorted(found, key=lambda one: -one[0])

    def saw(self, node: Node) -> None:
        """A member that may be the best so far."""
        height = self.target.at(node)
        if height > self.best:
            self.best, self.scale = height, self.target.weights(node.prediction)

    def _solve(self, place: Array) -> Node | None:
        node = self.journal.solve(place)
        if node is not None:
            self.solved.append(node)
            self.saw(node)
        return node

    def _cut(self, box: ParameterBox, cuts: list[int]) -> list[ParameterBox]:
        """Into three along each of these parameters, one after the other."""
        found, inner, rows = [], box.width.copy(), list(box.rows)
        sides: dict[int, tuple[Node | None, Node | None]] = {}
        for i in cuts:
            step = np.zeros(self.size)
            step[i] = box.width[i] / 3.0
            below, above = self._solve(box.centre - step), self._solve(box.centre + step)
            sides[i] = below, above
            rows[i] = _row(below, box.node, above, i)
        for i in cuts:
            inner[i] /= 3.0
            step = np.zeros(self.size)
            step[i] = inner[i]
            for sign, node in zip((-1.0, 1.0), sides[i], strict=True):
                found.append(ParameterBox(box.centre + sign * step, inner.copy(), node, tuple(rows)))
        return [*found, ParameterBox(box.centre, inner, box.node, tuple(rows))]

    def _possible(self, box: ParameterBox) -> float:
        """A log posterior that nothing in the box exceeds, as far as what is resolved can tell."""
        if box.node is None:
            return np.inf if box.wanting(self.scale) else -np.inf
        hidden = box.open(self.scale)
        step, rest = self._ahead(box, hidden)
        size = float(np.linalg.norm(rest * self.scale))
        bends = [0.5 * row.bending * (0.5 * w) ** 2 for row, w in zip(box.rows, box.width, strict=True) if row]
        error = SAFE * float(np.linalg.norm(np.sum(bends, axis=0) * self.scale * ~hidden)) if bends else 0.0
        part = max(0.0, 1.0 - error / max(size, 1e-300))
        places = np.stack([box.node.place, np.clip(box.node.place + step, 0.0, 1.0)])
        prior = float(self.target.log_prior(places).max())
        return float(self.target.noise.log_likelihood(part * rest[None, :])[0]) + prior

    def _ahead(self, box: ParameterBox, hidden: Mask) -> tuple[Array, Array]:
        """The step inside the box after which a line leaves least, and the residual (n,) then, none where hidden."""
        assert box.node is not None
        counted = self.scale * ~hidden
        slopes = box.node.slopes * counted[:, None]
        rest = (self.target.y - box.node.prediction) * counted
        gram, gradient, half = slopes.T @ slopes, slopes.T @ rest, 0.5 * box.width
        step = np.zeros(self.size)
        for _ in range(SWEEPS):
            for i in range(self.size):
                if gram[i, i] > 0.0:
                    wanted = (gradient[i] - gram[i] @ step + gram[i, i] * step[i]) / gram[i, i]
                    step[i] = min(max(wanted, -half[i]), half[i])
        return step, (self.target.y - box.node.prediction - box.node.slopes @ step) * ~hidden


def _row(below: Node | None, middle: Node | None, above: Node | None, i: int) -> Row | None:
    """None where nothing can be compared: such a box is cut again."""
    if below is None or middle is None or above is None:
        return None
    step = 0.5 * float(above.place[i] - below.place[i])
    # at a turning point of the bending itself one estimate would see none
    slopes = np.diff(np.stack([node.slopes[:, i] for node in (below, middle, above)]), axis=0) / step
    values = np.diff([node.prediction for node in (below, middle, above)], n=2, axis=0) / step**2
    return Row(SensorResolution.of(below, middle, above, i), np.abs(np.concatenate([slopes, values])).max(axis=0))
