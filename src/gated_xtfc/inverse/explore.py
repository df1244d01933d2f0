"""Where the posterior lives, and the posterior there: along a line for one unknown, around its modes for several."""

from dataclasses import dataclass, replace

import numpy as np

from gated_xtfc.errors import InputError
from gated_xtfc.inverse.field_model import Interpolation
from gated_xtfc.inverse.forward_map import ForwardMap
from gated_xtfc.inverse.line import Line
from gated_xtfc.inverse.measure import Measure
from gated_xtfc.inverse.mixture import draws, mixture
from gated_xtfc.inverse.modes import modes
from gated_xtfc.inverse.nodes import Node
from gated_xtfc.inverse.region import Region
from gated_xtfc.inverse.target import Target
from gated_xtfc.types import Array

DRAWS = 4000
MOST = 400  # solves for one unknown


@dataclass(frozen=True)
class Found:
    """The posterior on the unit scales."""

    interpolation: Interpolation
    nodes: list[Node]
    measure: Measure
    drawn: Array  # (draws, p)
    complete: bool  # whether the interpolation is as good as it should be


def explored(forward: ForwardMap, target: Target, random: np.random.Generator) -> Found:
    if len(forward.priors) == 1:
        line = Line(forward, target)
        complete = line.explore(MOST)
        if len(line.solved) < 2:
            raise unsolved(forward)
        measure = line.measure()
        used = _used(line, measure)
        levels = (random.permutation(DRAWS) + random.random(DRAWS)) / DRAWS
        drawn = measure.marginals[0].draw(levels)[:, None]
        places = np.array([float(node.place[0]) for node in used])
        return Found(replace(line.hermite, places=places), used, measure, drawn, complete)
    found = modes(forward, target)
    if not found:
        raise unsolved(forward)
    regions = [Region.around(mode, forward, target) for mode in found]
    done = [region.explore(random) for region in regions]
    patchwork, measure = mixture(regions, random)
    nodes = [node for region in regions for node in region.nodes]
    return Found(patchwork, nodes, measure, draws(regions, patchwork, measure, DRAWS, random), all(done))


def _used(line: Line, measure: Measure) -> list[Node]:
    """The nodes between which the posterior lives."""
    low, high = float(measure.points.min()), float(measure.points.max())
    places = line.hermite.places
    first = max(int(np.searchsorted(places, low, side="right")) - 1, 0)
    last = min(int(np.searchsorted(places, high, side="left")) + 1, places.size)
    return line.solved[first : max(last, first + 2)]


def unsolved(forward: ForwardMap) -> InputError:
    return InputError(
        f"none of {forward.solves} members of the family between the bounds could be solved: "
        f"move the bounds, or see what gated-xtfc solve says of one of them"
    )
