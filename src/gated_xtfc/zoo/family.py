"""A family of problems with a known solution: equations, their conditions, and a small parameter that thins its layers.

`family.problem(nu=1e-6)` is one member; its `exact` is the family's closed form at the same parameters.
`family.points(200, nu=1e-6)` are points dense in its layers, `family.grid` the same for every coordinate.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from gated_xtfc.errors import InputError
from gated_xtfc.problem.problem import Problem
from gated_xtfc.types import Array

Interval = tuple[float, float]
Layers = tuple[tuple[float, float], ...]  # (location, thickness) of each
Exact = str | Callable[..., Array]  # text in the coordinates and parameters, or a function of them


@dataclass(frozen=True)
class Family:
    name: str
    look: str  # one line: what to look at
    equation: str | tuple[str, ...]  # a tuple for a system
    domain: Mapping[str, Interval]  # by coordinate, of which there are one or two
    conditions: tuple[str, ...]
    exact: Exact | Mapping[str, Exact]  # of a system, by field
    small: str  # the name of the small parameter
    values: tuple[float, ...]  # members worth trying, from mild to sharp; double precision can solve each of them
    layers: Callable[..., Mapping[str, Layers]] = lambda **parameters: {}  # by coordinate: where to sample densely
    parameters: Callable[[float], Mapping[str, float]] = lambda small: {}  # the others by default, given the small one
    constants: Mapping[str, Callable[..., float]] = field(default_factory=dict)  # unknown ones, from the parameters

    @property
    def span(self) -> Interval:
        """The range of the small parameter, (smallest, largest)."""
        return min(self.values), max(self.values)

    def settings(self, **parameters: float) -> dict[str, float]:
        """All parameters of one member: those given, the others by default (the small one: the middle of `values`)."""
        small = parameters.get(self.small, self.values[len(self.values) // 2])
        return {self.small: small, **self.parameters(small), **parameters}

    def problem(self, **parameters: float) -> Problem:
        """The member with these parameters."""
        chosen, unknown = self.settings(**parameters), tuple(self.constants)
        # what is empty is said: a type checker fears that one of the parameters is meant as title or tables
        equation, domain, conditions = self.equation, self.domain, self.conditions
        return Problem(equation, domain, conditions, self.exact, unknown=unknown, title="", tables=None, **chosen)

    def grid(self, count: int, **parameters: float) -> tuple[Array, ...]:
        """`count` points for each coordinate, as `spread` chooses them."""
        layers = self.layers(**self.settings(**parameters))
        return tuple(spread(count, ends, layers.get(name, ())) for name, ends in self.domain.items())

    def points(self, count: int, **parameters: float) -> Array:
        """`count` points of an interval, as `spread` chooses them."""
        if len(self.domain) > 1:
            raise InputError(f"{self.name} has the coordinates {' and '.join(self.domain)}: take its grid instead.")
        return self.grid(count, **parameters)[0]


def spread(count: int, ends: Interval, layers: Layers) -> Array:
    """`count` points of an interval in order: half of them uniform, the others within 20 thicknesses of a layer."""
    left, right = ends
    inside = count // 2 // len(layers) if layers else 0
    parts = [np.linspace(left, right, count - inside * len(layers))]
    for location, thickness in layers:
        # distances first: location + distance is then as exact as the doubles there allow
        low, high = max(left - location, -20 * thickness), min(right - location, 20 * thickness)
        parts.append(location + np.linspace(low, high, inside))
    return np.sort(np.clip(np.concatenate(parts), left, right))
