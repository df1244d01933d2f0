"""Parameters on the scales where a family varies smoothly: by magnitude where they span decades; then 0 .. 1."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.ranges import Range
from gated_xtfc.types import Array, Record

DECADES = 100.0  # a positive parameter that varies by this factor is seen by its logarithm
MARGIN = 1e-9  # of the range: rounding at its ends is no extrapolation


@dataclass(frozen=True)
class Scaling:
    names: tuple[str, ...]
    ranges: tuple[Range, ...]  # of the parameters, one for each name

    @classmethod
    def of(cls, points: Array, names: tuple[str, ...]) -> "Scaling":
        """The ranges that points (n, d) span."""
        ranges = []
        for name, low, high in zip(names, points.min(axis=0).tolist(), points.max(axis=0).tolist(), strict=True):
            if low == high:
                raise InputError(f"{name} has the same value in every row: sweep it, or leave it out of the sweep")
            ranges.append(Range(low, high, "log" if low > 0.0 and high >= DECADES * low else "linear"))
        return cls(names, tuple(ranges))

    def __call__(self, points: Array) -> Array:
        """Parameters (m, d) to inputs."""
        return np.stack([one.unit(column) for one, column in zip(self.ranges, points.T, strict=True)], axis=1)

    def place(self, inputs: Array) -> Array:
        """The way back."""
        return np.stack([one.place(column) for one, column in zip(self.ranges, inputs.T, strict=True)], axis=1)

    def inside(self, points: Array) -> NDArray[np.bool_]:
        """Whether points (m, d) are within the ranges, (m,)."""
        with np.errstate(invalid="ignore", divide="ignore"):
            x = self(points)
        return np.asarray(((x >= -MARGIN) & (x <= 1.0 + MARGIN)).all(axis=1))

    def points(self, given: ArrayLike | Mapping[str, ArrayLike]) -> Array:
        """Values of one parameter, rows of several, or a mapping by name, as (m, d)."""
        if isinstance(given, Mapping):
            if set(given) != set(self.names):
                raise InputError(f"give a value to {', '.join(self.names)}, no more and no less")
            given = np.stack(np.broadcast_arrays(*(np.atleast_1d(given[name]) for name in self.names)), axis=-1)
        try:
            points = np.asarray(given, dtype=float)
        except (TypeError, ValueError):
            raise InputError(f"parameters must be numbers, not {quoted(str(given))}") from None
        points = points.reshape(-1, 1) if len(self.names) == 1 and points.ndim < 2 else np.atleast_2d(points)
        if points.ndim != 2 or points.shape[1] != len(self.names):
            raise InputError(f"give rows of {len(self.names)} parameters: {', '.join(self.names)}")
        if not np.isfinite(points).all() or (points[:, [one.scale == "log" for one in self.ranges]] <= 0.0).any():
            raise InputError("parameters must be finite, and positive where they were swept over decades")
        return points

    def record(self) -> dict[str, object]:
        """Ready for JSON: the ends of a range with a log scale are written as their decimal logarithms."""
        logarithmic = [one.scale == "log" for one in self.ranges]
        ends = [
            (math.log10(one.low), math.log10(one.high)) if log else (one.low, one.high)
            for one, log in zip(self.ranges, logarithmic, strict=True)
        ]
        low, high = zip(*ends, strict=True)
        return {"names": self.names, "logarithmic": logarithmic, "low": low, "high": high}

    @classmethod
    def read(cls, record: Record) -> "Scaling":
        ranges = [
            Range(10.0**low, 10.0**high, "log") if log else Range(low, high)
            for log, low, high in zip(record["logarithmic"], record["low"], record["high"], strict=True)
        ]
        return cls(tuple(record["names"]), tuple(ranges))
