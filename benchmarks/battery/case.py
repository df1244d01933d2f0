"""A case: a problem as it is stated, the tolerance asked for, and every solution it has; none where it is ill-posed.

A case is made of a family's name and a number, so that it can be made again; `str(case)` is what one pastes.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

import gated_xtfc as gx
from gated_xtfc.zoo.family import Interval, Layers, spread

Values = Callable[..., np.ndarray]
Answer = Mapping[str, Values]  # one solution, by field
POINTS, SIDE = 2_000, 81  # on an interval, and along each side of a rectangle


@dataclass(frozen=True)
class Case:
    equation: str | tuple[str, ...]  # text in the library's language; one that begins with "lambda" is Python
    domain: Mapping[str, Interval]
    conditions: tuple[str, ...]
    tol: float
    answers: tuple[Answer, ...]
    layers: Mapping[str, Layers] = field(default_factory=dict)  # by coordinate: where to look closely
    parameters: Mapping[str, float] = field(default_factory=dict)
    points: np.ndarray | None = None  # where the answers are known, unless everywhere
    fuzz: float = 0.0  # relative error of the reference itself
    noise: float = 0.0  # what rounding in the text as it is stated does to the answer: for the solver to know
    jumps: bool = False  # whether the answer itself jumps, so that no method comes close to it everywhere
    family: str = ""
    seed: int = 0

    @property
    def name(self) -> tuple[str, int]:
        return self.family, self.seed

    def problem(self) -> gx.Problem:
        texts = (self.equation,) if isinstance(self.equation, str) else self.equation
        stated = [eval(text, {"np": np}) if text.startswith("lambda") else text for text in texts]
        equation = stated[0] if isinstance(self.equation, str) else stated
        return gx.Problem(equation, dict(self.domain), list(self.conditions), title="", **self.parameters)

    def places(self) -> tuple[np.ndarray, ...]:
        """Points of an interval, or of each side of a rectangle such that they span a grid."""
        if self.points is not None:
            return (self.points,)
        if len(self.domain) == 1:
            ((name, ends),) = self.domain.items()
            return (spread(POINTS, ends, self.layers.get(name, ())),)
        sides = [spread(SIDE, ends, self.layers.get(name, ())) for name, ends in self.domain.items()]
        return tuple(np.ix_(*sides))

    def __str__(self) -> str:
        texts = (self.equation,) if isinstance(self.equation, str) else self.equation
        shown = [text if text.startswith("lambda") else f'"{text}"' for text in texts]
        equation = shown[0] if isinstance(self.equation, str) else f"[{', '.join(shown)}]"
        conditions = ", ".join(f'"{text}"' for text in self.conditions)
        named = "".join(f", {name}={value!r}" for name, value in self.parameters.items())
        stated = f"gx.Problem({equation}, {dict(self.domain)!r}, [{conditions}]{named})"
        return f"gx.solve({stated}, tol={self.tol!r})  # {self.family} {self.seed}"
