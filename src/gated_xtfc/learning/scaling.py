"""Parameters on the scales where a family varies smoothly: by magnitude where they span decades; then 0 .. 1."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.types import Array

DECADES = 100.0  # a positive parameter that varies by this factor is seen by its logarithm
MARGIN = 1e-9  # of the range: rounding at its ends is no extrapolation


@dataclass(frozen=True, eq=False)
class Scaling:
    names: tuple[str, ...]
    logarithmic: tuple[bool, ...]
    low: Array  # (d,) after the logarithm
    high: Array

    @classmethod
    def of(cls, points: Array, names: tuple[str, ...]) -> "Scaling":
        log = tuple(bool(c.min() > 0.0 and c.max() >= DECADES * c.min()) for c in points.T)
        seen = _seen(points, log)
        for name, low, high in zip(names, seen.min(axis=0), seen.max(axis=0), strict=True):
            if low == high:
                raise InputError(f"{name} has the same value in every row: sweep it, or leave it out of the sweep")
        return cls(names, log, seen.min(axis=0), seen.max(axis=0))

    def __call__(self, points: Array) -> Array:
        """(m, d) parameters to inputs."""
        found: Array = (_seen(points, self.logarithmic) - self.low) / (self.high - self.low)
        return found

    def inside(self, points: Array) -> Any:
        with np.errstate(invalid="ignore", divide="ignore"):
            x = self(points)
        return ((x >= -MARGIN) & (x <= 1.0 + MARGIN)).all(axis=1)

    def points(self, given: Any) -> Array:
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
        if not np.isfinite(points).all() or (points[:, list(self.logarithmic)] <= 0.0).any():
            raise InputError("parameters must be finite, and positive where they were swept over decades")
        return points

    def record(self) -> dict[str, Any]:
        return {
            "names": self.names,
            "logarithmic": self.logarithmic,
            "low": self.low.tolist(),
            "high": self.high.tolist(),
        }

    @classmethod
    def read(cls, record: Mapping[str, Any]) -> "Scaling":
        return cls(
            tuple(record["names"]), tuple(record["logarithmic"]), np.array(record["low"]), np.array(record["high"])
        )


def _seen(points: Array, log: tuple[bool, ...]) -> Array:
    seen = np.array(points, dtype=float)
    for k, by_magnitude in enumerate(log):
        if by_magnitude:
            seen[:, k] = np.log10(seen[:, k])
    return seen
