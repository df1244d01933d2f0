"""Functions as text with four derivatives and an antiderivative, from which solutions are put together.

Coefficients are written out as quotients of the numbers drawn, not as rounded results, so that text and function agree.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import erf

from battery.dice import Dice
from gated_xtfc.zoo.family import Interval, Layers

HIGHEST = 4
FUNCTIONS = ("sin", "cos", "exp", "sqrt", "abs", "sign", "where", "pi", "log", "log1p", "arctan2", "sinh")
NAMES = {name: getattr(np, name) for name in FUNCTIONS}


def tanh(z: np.ndarray) -> np.ndarray:
    return np.tanh(np.clip(z, -400.0, 400.0))


def evaluate(text: str, x: np.ndarray | float, **names: float) -> np.ndarray:
    """A formula in x by NumPy: nothing of the library has a part in it."""
    with np.errstate(all="ignore"):
        known = {
            **NAMES,
            "tanh": tanh,
            "erf": erf,
            "atan": np.arctan,
            "cosh": np.cosh,
            "max": np.maximum,
            "x": np.asarray(x, dtype=float),
            **names,
        }
        return np.asarray(eval(text.replace("^", "**"), known)) + 0.0 * known["x"]


def function(text: str) -> Callable[[np.ndarray], np.ndarray]:
    return lambda x: evaluate(text, x)


@dataclass(frozen=True)
class Shape:
    derivatives: tuple[str, ...]  # from the function itself to its fourth derivative
    area: str  # an antiderivative
    layers: Layers = ()

    def __add__(self, other: "Shape") -> "Shape":
        pairs = zip(self.derivatives, other.derivatives, strict=True)
        both = tuple(f"{one} + {two}" for one, two in pairs)
        return Shape(both, f"{self.area} + {other.area}", self.layers + other.layers)

    def __call__(self, x: np.ndarray | float, order: int = 0) -> np.ndarray:
        return evaluate(self.derivatives[order], x)

    def stated(self, x: float, order: int = 0) -> str:
        """The value at a point, as text."""
        return repr(float(self(x, order)))

    def integral(self, ends: Interval) -> float:
        return float(evaluate(self.area, ends[1]) - evaluate(self.area, ends[0]))


def scaled(height: float, width: float, parts: tuple[str, ...], z: str) -> tuple[str, ...]:
    """Derivatives of height p(z) with z' = 1/width, from those of p."""
    factors = [f"({height!r})" + (f"/{width!r}^{order}" if order else "") for order in range(HIGHEST + 1)]
    return tuple(f"{factor}*({part.replace('Z', z)})" for factor, part in zip(factors, parts, strict=True))


def wave(height: float, number: float, phase: float, origin: float = 0.0) -> Shape:
    angle = f"({number!r}*(x - ({origin!r})) + {phase!r})" if origin else f"({number!r}*x + {phase!r})"
    turns = (f"sin{angle}", f"cos{angle}", f"(-sin{angle})", f"(-cos{angle})", f"sin{angle}")
    texts = tuple(f"({height!r})*{number!r}^{order}*{turn}" for order, turn in enumerate(turns))
    return Shape(texts, f"(-({height!r})/{number!r}*cos{angle})")


def slope(height: float, centre: float, width: float) -> Shape:
    """A tanh."""
    z, s = f"((x - ({centre!r}))/{width!r})", "(1 - tanh(Z)^2)"
    parts = ("tanh(Z)", s, f"-2*tanh(Z)*{s}", f"{s}*(6*tanh(Z)^2 - 2)", f"{s}*(16*tanh(Z) - 24*tanh(Z)^3)")
    area = f"({height!r})*{width!r}*(abs({z}) + log(1 + exp(-2*abs({z}))))"
    return Shape(scaled(height, width, parts, z), area, ((centre, width),))


def step(height: float, rate: float, shift: float) -> Shape:
    """A tanh of rate x - shift."""
    z, s = f"({rate!r}*x - {shift!r})", "(1 - tanh(Z)^2)"
    parts = ("tanh(Z)", s, f"-2*tanh(Z)*{s}", f"{s}*(6*tanh(Z)^2 - 2)", f"{s}*(16*tanh(Z) - 24*tanh(Z)^3)")
    texts = tuple(f"({height!r})*{rate!r}^{order}*({part.replace('Z', z)})" for order, part in enumerate(parts))
    area = f"({height!r})/{rate!r}*(abs({z}) + log(1 + exp(-2*abs({z}))))"
    return Shape(texts, area, ((shift / rate, 1 / rate),))


def needle(height: float, centre: float, width: float) -> Shape:
    """A Gaussian."""
    z, g = f"((x - ({centre!r}))/{width!r})", "exp(-Z^2)"
    polynomials = ("1", "(-2*Z)", "(4*Z^2 - 2)", "(12*Z - 8*Z^3)", "(16*Z^4 - 48*Z^2 + 12)")
    area = f"({height!r})*{width!r}*sqrt(pi)/2*erf{z}"
    return Shape(scaled(height, width, tuple(f"{p}*{g}" for p in polynomials), z), area, ((centre, width),))


def decay(height: float, rate: float, start: float) -> Shape:
    """An exponential that decays into the domain from the end at `start`."""
    mode = f"exp({rate!r}*(x - ({start!r})))"
    texts = tuple(f"({height!r})*({rate!r})^{order}*{mode}" for order in range(HIGHEST + 1))
    return Shape(texts, f"({height!r})/({rate!r})*{mode}", ((start, 1 / abs(rate)),))


def background(dice: Dice, number: float = 6.0, ends: Interval = (0.0, 1.0), unit: float = 1.0) -> Shape:
    """Two waves, in the units of a domain and of a height."""
    length = ends[1] - ends[0]
    first, second = (
        wave(dice.height() * unit, dice.between(0.5, number) / length, dice.between(0.0, 6.0), ends[0])
        for _ in range(2)
    )
    return first + second


def layer(dice: Dice, ends: Interval, thinnest: float = 1e-7, widest: float = 1e-2, unit: float = 1.0) -> Shape:
    """A tanh, a needle or an exponential somewhere, as parts of the length of the domain."""
    left, length = ends[0], ends[1] - ends[0]
    width = dice.decades(thinnest, widest) * length
    kind = dice.one_of((slope, needle, decay))
    if kind is decay:
        start, towards = dice.one_of(((ends[0], -1.0), (ends[1], 1.0)))
        return decay(dice.height() * unit, towards / width, start)
    return kind(dice.height() * unit, left + dice.between(0.03, 0.97) * length, width)


def layered(dice: Dice, ends: Interval, most: int = 4, thinnest: float = 1e-7) -> Shape:
    shape = background(dice)
    for _ in range(dice.whole(1, most)):
        shape = shape + layer(dice, ends, thinnest)
    return shape
