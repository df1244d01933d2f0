"""A family of problems on the unit square with a known solution, and where on each axis its layers are.

`family.problem(eps=1e-6)` is one member; `family.grid(200, eps=1e-6)` are points on both axes, dense in the layers.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from gated_xtfc.problem.problem import Problem
from gated_xtfc.zoo.family import Layers, Values, spread

UNIT = (0.0, 1.0)


@dataclass(frozen=True)
class PlaneFamily:
    name: str
    look: str  # one line: what to look at
    equation: str
    conditions: tuple[str, ...]
    exact: str | Callable[..., Values]  # text in x, y and the parameters, or a function of (x, y, parameters)
    small: str  # the name of the parameter that sharpens it
    values: tuple[float, ...]  # members worth trying, from mild to sharp
    layers: Callable[..., tuple[Layers, Layers]]  # of the parameters, by name: for x and for y
    parameters: Callable[[float], Mapping[str, float]] = lambda small: {}  # the others, where they go with the first

    def settings(self, **parameters: float) -> dict[str, Any]:
        """All parameters of one member: those given, the others by default."""
        small = parameters.get(self.small, self.values[len(self.values) // 2])
        return {self.small: small, **self.parameters(small), **parameters}

    def problem(self, **parameters: float) -> Problem:
        """The member with these parameters."""
        chosen = self.settings(**parameters)
        return Problem(self.equation, {"x": UNIT, "y": UNIT}, list(self.conditions), exact=self.exact, **chosen)

    def grid(self, count: int, **parameters: float) -> tuple[Values, Values]:
        """`count` points for each axis: half of them uniform, the others inside the layers."""
        across, along = self.layers(**self.settings(**parameters))
        return spread(count, UNIT, across), spread(count, UNIT, along)
