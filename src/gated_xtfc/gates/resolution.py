"""How wide the kernels are that a reading asks for, and cells of that width in which texts can be looked at."""

from dataclasses import dataclass

import numpy as np

from gated_xtfc.gates import Layer
from gated_xtfc.gates.prediction import POLE, WAVE, WIDTHS, gate, layers_of_text, merge
from gated_xtfc.gates.text import ALGEBRAIC, Reading
from gated_xtfc.language.bounds import Bounds
from gated_xtfc.language.disc import Disc
from gated_xtfc.language.enclosure import Interval
from gated_xtfc.language.free_text import FreeText
from gated_xtfc.types import Array, Mask

CELLS = 8  # across a piece without features, which has seven kernel widths
EVEN = np.linspace(0.0, 1.0, CELLS + 1)
MOST_CELLS = 20_000  # for one wave
FASTEST = 1e100  # wave number


@dataclass(frozen=True)
class Line:
    """Texts along one axis."""

    name: str
    left: float
    right: float
    texts: tuple[FreeText, ...]

    @property
    def length(self) -> float:
        return self.right - self.left

    def discs(self, middle: Array, reach: Array) -> Bounds:
        """Terms and switches on discs around places."""
        zero = np.zeros_like(middle)
        return self._bounds(Disc(middle, (zero + 1.0,), zero, (reach,)))

    def intervals(self, low: Array, high: Array) -> Bounds:
        """Terms and switches on cells."""
        return self._bounds(Interval(low, high))

    def _bounds(self, cells: Disc | Interval) -> Bounds:
        found = Bounds()
        for text in self.texts:
            own = text.bounds({self.name: cells})
            found.terms += own.terms
            found.switches += own.switches
        return found


@dataclass(frozen=True)
class Resolution:
    """How wide the kernels are that a reading asks for."""

    line: Line
    knots: Array  # ends and breaks
    layers: tuple[Layer, ...]
    blind: Array  # places around which nothing can be shown, for a divisor or a root is zero there
    waves: tuple[tuple[Array, Array], ...]

    @classmethod
    def of(cls, reading: Reading, line: Line) -> "Resolution":
        knots = np.array([line.left, *reading.breaks, line.right])
        thin = ALGEBRAIC * line.length
        roots = [feature.location for feature in reading.features if feature.pole and feature.thickness <= thin]
        blind = np.sort(np.array([*reading.poles, *roots]))
        layers = layers_of_text(reading, line.left, line.right) + [gate(place, thin, POLE) for place in reading.poles]
        wide = line.length / WIDTHS
        # where an argument has no value, nor has what it is put into
        waves = [(at, np.nan_to_num(number, nan=0.0, posinf=FASTEST)) for at, number in reading.waves]
        fast = tuple(wave for wave in waves if wave[1].max() * wide > WAVE)
        return cls(line, knots, merge([one for one in layers if one.thickness < wide]), blind, fast)

    def cells(self) -> tuple[Array, Array]:
        """Cells about as wide as kernels are."""
        if self.knots.size == 2 and not self.layers and not self.waves:
            x = self.line.left + self.line.length * EVEN
            x[-1] = self.line.right
            return x[:-1], x[1:]
        points = [(self.knots[:-1, None] + np.diff(self.knots)[:, None] * EVEN).ravel(), self.knots]
        ends = np.array([self.line.left, self.line.right])
        for layer in self.layers:
            low, high = layer.jets(ends, 0)[0]
            points.append(layer.place(np.arange(np.ceil(low), np.floor(high) + 1.0)))
        for at, number in self.waves:
            phase = np.concatenate([[0.0], np.cumsum(0.5 * (number[1:] + number[:-1]) * np.diff(at))]) / WAVE
            count = int(min(phase[-1], MOST_CELLS))
            if count > CELLS:
                points.append(np.interp(np.linspace(0.0, phase[-1], count), phase, at))
        x = np.sort(np.minimum(np.maximum(np.concatenate(points), self.line.left), self.line.right))
        # two families of points may lie next to each other by chance, and breaks must stay ends of cells
        apart = np.diff(x) > 4.0 * np.spacing(np.abs(x[1:]))
        x = x[np.concatenate([[True], apart])]
        x[-1] = self.line.right
        return x[:-1], x[1:]

    def width(self, x: Array) -> Array:
        """The width of kernels at x."""
        piece = np.minimum(np.maximum(np.searchsorted(self.knots, x, side="right") - 1, 0), self.knots.size - 2)
        width = np.diff(self.knots)[piece] / WIDTHS
        for layer in self.layers:
            width = np.minimum(width, np.maximum(layer.thickness, layer.grading * np.abs(x - layer.location)))
        for at, number in self.waves:
            width = np.minimum(width, WAVE / np.interp(x, at, number))
        return width

    def is_blind(self, x: Array) -> Mask:
        """Whether a place is so near a zero of a divisor or root that nothing is shown there."""
        if not self.blind.size:
            return np.zeros(x.size, dtype=bool)
        found: Mask = distance(x, self.blind) <= 1.5 * ALGEBRAIC * self.line.length
        return found


def distance(x: Array, places: Array) -> Array:
    """From the nearest of some places, in order."""
    behind = np.minimum(np.searchsorted(places, x), places.size - 1)
    nearest: Array = np.minimum(np.abs(x - places[behind]), np.abs(x - places[np.maximum(behind - 1, 0)]))
    return nearest
