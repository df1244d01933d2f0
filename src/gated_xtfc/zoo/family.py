"""A family of problems with a known solution: equations, their conditions, and a small parameter that thins its layers.

`family.problem(nu=1e-6)` is one member; its `exact` is the family's closed form at the same parameters.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gated_xtfc.problem.problem import Problem

Values = NDArray[np.float64]
Exact = str | Callable[..., Values]  # text in x and the parameters, or a function of (x, parameters)
Layers = tuple[tuple[float, float], ...]  # (location, thickness) of each


def no_layers(**parameters: float) -> Layers:
    return ()


@dataclass(frozen=True)
class Family:
    name: str
    look: str  # one line: what to look at
    equation: str | tuple[str, ...]  # a tuple for a system
    domain: tuple[float, float]
    conditions: tuple[str, ...]
    exact: Exact | Mapping[str, Exact]  # of a system, by field
    small: str  # the name of the small parameter
    values: tuple[float, ...]  # members worth trying, from mild to sharp; double precision can solve each of them
    layers: Callable[..., Layers] = no_layers  # of the parameters, by name: where to sample densely
    parameters: Mapping[str, float] = field(default_factory=dict)  # the others, with their defaults
    constants: Mapping[str, Callable[..., float]] = field(
        default_factory=dict
    )  # unknown ones: functions of the parameters

    @property
    def span(self) -> tuple[float, float]:
        """The range of the small parameter, (smallest, largest)."""
        return min(self.values), max(self.values)

    def settings(self, **parameters: float) -> dict[str, Any]:
        """All parameters of one member: those given, the others by default (the small one: the middle of `values`)."""
        return {self.small: self.values[len(self.values) // 2], **self.parameters, **parameters}

    def problem(self, **parameters: float) -> Problem:
        """The member with these parameters."""
        chosen = self.settings(**parameters)
        place, conditions, unknown = {"x": self.domain}, list(self.conditions), list(self.constants)
        return Problem(self.equation, place, conditions, exact=self.exact, unknown=unknown, **chosen)

    def points(self, count: int, **parameters: float) -> Values:
        """`count` points in order: half of them uniform, the others inside the layers (20 thicknesses to each side)."""
        return spread(count, self.domain, self.layers(**self.settings(**parameters)))


def spread(count: int, ends: tuple[float, float], layers: Layers) -> Values:
    """`count` points of an interval in order: half of them uniform, the others within 20 thicknesses of a layer."""
    left, right = ends
    inside = count // 2 // len(layers) if layers else 0
    parts = [np.linspace(left, right, count - inside * len(layers))]
    for location, thickness in layers:
        # distances first: location + distance is then as exact as the doubles there allow
        low, high = max(left - location, -20 * thickness), min(right - location, 20 * thickness)
        parts.append(location + np.linspace(low, high, inside))
    return np.sort(np.clip(np.concatenate(parts), left, right))
