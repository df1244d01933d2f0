"""Whether three members in a row say enough of what lies between them.

The cubic through the outer two, values and slopes, is held against value and slope of the middle one. A prediction that
turns faster than the members can follow misses one of the two, however the members lie: of cos(w x), seen at steps of
theta, the value is missed by |1 - cos theta - theta/2 sin theta| and the slope by |1 - 3/2 sin theta/theta + 1/2 cos
theta|, which do not vanish together. A sensor that is missed says nothing against what lies between.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gated_xtfc.inverse.interpolation import Hermite
from gated_xtfc.inverse.node import Node
from gated_xtfc.types import Array, Mask

RESOLVED = 0.2  # part of its change by which a prediction may be missed; halves are then good to a sixteenth of it
BELOW_NOISE = 0.1  # standard deviations that may be missed whatever the change
ORDER = 8.0  # what halving an interval is trusted to gain, of the sixteen that it will


@dataclass(frozen=True)
class SensorResolution:
    """What the middle one of three members says of the cubics between neighbours, one number for each sensor.

    Or the same of several intervals, one row for each.
    """

    miss: Array  # (n,) error of the cubics through neighbours
    gap: Array  # (n,) by how much the cubic through the outer two misses value or slope of the middle one
    change: Array  # (n,) of the prediction between neighbours

    @classmethod
    def of(cls, left: Node | None, middle: Node | None, right: Node | None, i: int = 0) -> "SensorResolution":
        """Of nodes that differ in parameter i alone, the middle one half way; one that is missing says nothing."""
        known = [node for node in (left, middle, right) if node is not None]
        if left is None or middle is None or right is None:
            nothing = np.full(known[0].prediction.size if known else 0, np.inf)
            return cls(nothing, nothing, np.zeros_like(nothing))
        a, b, c = (float(node.place[i]) for node in known)
        values = np.stack([left.prediction, left.slopes[:, i], right.prediction, right.slopes[:, i]])
        cubic, half = Hermite(np.array([a, c])), 0.5 * (c - a)
        there, slopes = cubic.with_slopes_at(np.array([[b]]), values)
        value, slope = np.abs(there[0] - middle.prediction), np.abs(slopes[0] - middle.slopes[:, i])
        steps = [middle.prediction - left.prediction, right.prediction - middle.prediction]
        steps += [half * node.slopes[:, i] for node in known]
        gap = np.maximum(value, half * slope)
        return cls(gap / ORDER, gap, np.abs(steps).max(axis=0))

    @classmethod
    def stacked(cls, several: Sequence["SensorResolution"]) -> "SensorResolution":
        """All of them, a row for each."""
        return cls(*(np.array(rows) for rows in zip(*((s.miss, s.gap, s.change) for s in several), strict=True)))

    def open(self, scale: Array, resolved: float = RESOLVED) -> Mask:
        """Sensors that may see anything between the members, with `scale` (n,) one over the noise."""
        return np.asarray(~(self.gap <= np.maximum(resolved * self.change, BELOW_NOISE / scale)))
