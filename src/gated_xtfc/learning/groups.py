"""What was learned from rows of one structure: settings as functions of the parameters, and the solution's shape."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.gates.coordinate import Coordinate
from gated_xtfc.learning.profile import Profile
from gated_xtfc.learning.regression import Calibrated
from gated_xtfc.learning.structure import Structure, from_scale, to_scale
from gated_xtfc.solution.interval import IntervalSolution
from gated_xtfc.types import Array, Index, Record

COUNTS = ("neurons", "rounds")  # learned beside the settings, to know what a solve will cost
DENSITY = "density"  # kernels of the last round beside those that the gates alone would have
DENSEST = 3.0
MARGIN = 0.01  # of the range that was swept: so far beyond its rows a group still answers

Estimate = tuple[Array, Array, Array]  # mean, low and high end of an interval, each (m,)


@dataclass(frozen=True, eq=False)
class Forecast:
    """Settings at m points: ``forecast["layer 1 thickness"]`` is (mean, low, high), each (m,).

    Attributes
    ----------
    settings
        Mean and the ends of the interval by setting; NaN where nothing of the kind was learned.
    known
        Whether gates were learned at each point, (m,).
    """

    settings: dict[str, Estimate]
    known: NDArray[np.bool_]

    def __getitem__(self, name: str) -> Estimate:
        if name not in self.settings:
            raise InputError(f"no setting is called {quoted(str(name))}: there are {', '.join(self.settings)}")
        return self.settings[name]


@dataclass(frozen=True, eq=False)
class Group:
    structure: Structure
    inputs: Array  # (n, d) on their scales
    seen: dict[str, Array]  # (n,) by setting: what it was learned from
    fits: dict[str, Calibrated]
    profile: Profile | None = None

    @classmethod
    def of(cls, structure: Structure, inputs: Array, seen: dict[str, Array], seed: int) -> "Group":
        fits = {name: Calibrated.of(inputs, to_scale(name, values), seed) for name, values in seen.items()}
        return cls(structure, inputs, seen, fits)

    def shaped(self, inputs: Array, solutions: Sequence[IntervalSolution], seed: int) -> "Group":
        """The same with the shape of these solutions, at inputs (n, d)."""
        if len(self.structure.ends) > 1 or len(solutions) < 2 * (1 + inputs.shape[1]) + 2:
            return self
        coordinates = [self.coordinates(row[None, :])[0] for row in inputs]
        return replace(self, profile=Profile.of(inputs, solutions, coordinates, seed))

    def coordinates(self, x: Array) -> tuple[Coordinate, ...]:
        """What to start from at inputs x (1, d)."""
        found = self.structure.coordinates([self.mean(name, x) for name in self.structure.names])
        if DENSITY not in self.fits:
            return found
        factor = min(max(self.mean(DENSITY, x), 1.0), DENSEST)
        return tuple(coordinate.refined(factor) for coordinate in found)

    def holds(self, x: Array) -> NDArray[np.bool_]:
        """Whether x (m, d) are within the box of the rows, (m,)."""
        low, high = self.inputs.min(axis=0), self.inputs.max(axis=0)
        return np.asarray(((x >= low - MARGIN) & (x <= high + MARGIN)).all(axis=1))

    def mean(self, name: str, x: Array) -> float:
        return float(from_scale(name, self.fits[name].mean(x))[0])

    def estimate(self, name: str, x: Array, level: float) -> Estimate:
        """Mean and the ends of the interval of a setting at x (m, d)."""
        fit = self.fits[name]
        mean, std = fit.predict(x)
        reach = fit.reach(level) * std
        low, middle, high = (from_scale(name, values) for values in (mean - reach, mean, mean + reach))
        return middle, low, high

    def record(self) -> dict[str, object]:
        return {
            "structure": {
                "ends": self.structure.ends,
                "layers": self.structure.layers,
                "blocks": self.structure.blocks,
            },
            "inputs": self.inputs.tolist(),
            "seen": {name: [float(f"{value:.7g}") for value in values] for name, values in self.seen.items()},
            "fits": {name: fit.record() for name, fit in self.fits.items()},
            "profile": None if self.profile is None else self.profile.record(),
        }

    @classmethod
    def read(cls, record: Record) -> "Group":
        s = record["structure"]
        structure = Structure(tuple((a, b) for a, b in s["ends"]), tuple(s["layers"]), tuple(s["blocks"]))
        return cls(
            structure,
            np.array(record["inputs"], dtype=float),
            {name: np.array(values, dtype=float) for name, values in record["seen"].items()},
            {name: Calibrated.read(fit, record["inputs"]) for name, fit in record["fits"].items()},
            None if record["profile"] is None else Profile.read(record["profile"]),
        )


def nearest(groups: Sequence[Group], x: Array) -> Index:
    """The group of the nearest row, for each of x (m, d); -1 outside the box of its rows: none extrapolates."""
    distances = [np.min(np.sum((group.inputs[None] - x[:, None]) ** 2, axis=2), axis=1) for group in groups]
    which: Index = np.argmin(np.stack(distances), axis=0)
    for g, group in enumerate(groups):
        which[(which == g) & ~group.holds(x)] = -1
    return which


def forecast(groups: Sequence[Group], x: Array, level: float) -> Forecast:
    """All settings at inputs x (m, d), each from the group that is nearest there."""
    which = nearest(groups, x)
    found: dict[str, Estimate] = {}
    for g, group in enumerate(groups):
        at = np.flatnonzero(which == g)
        for name in group.fits:
            nothing = np.full((3, len(x)), np.nan)
            columns = found.setdefault(name, (nothing[0], nothing[1], nothing[2]))
            for column, values in zip(columns, group.estimate(name, x[at], level), strict=True):
                column[at] = values
    return Forecast(found, which >= 0)
