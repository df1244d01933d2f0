"""What hides along time, along space while time goes on, and along the solution itself."""

import numpy as np
from scipy.optimize import brentq

from battery.case import Case
from battery.dice import Dice
from battery.farther import UNIT
from battery.shapes import needle

END = 0.5
NODES, WEIGHTS = np.polynomial.legendre.leggauss(60)
COLD = ("u(x, 0) = 0", "u(0, t) = 0", "u(1, t) = 0")


def kick(dice: Dice) -> Case:
    """u_t = D u_xx + g(t) sin(k pi x) where g is a window or a needle of area one."""
    at, width, tol = dice.between(0.05, 0.4), dice.decades(1e-6, 1e-1), dice.tol(1e-6)
    waves, diffusion = dice.whole(1, 3), dice.decades(1e-2, 1.0)
    rate = diffusion * (waves * np.pi) ** 2
    boxed = dice.whole(0, 1)
    end = at + width

    def felt(t: np.ndarray) -> np.ndarray:
        if boxed:
            since, after = np.maximum(t - at, 0.0), np.maximum(t - end, 0.0)
            return (np.exp(-rate * after) - np.exp(-rate * since)) / (rate * (end - at))
        first = -min(8.0, at / width)
        half = 0.5 * (np.clip((t - at) / width, first, 8.0) - first)
        z = first + half[..., None] * (1 + NODES)
        left = np.maximum(t[..., None] - at - width * z, 0.0)
        return (np.exp(-(z**2) - rate * left) * WEIGHTS).sum(axis=-1) * half

    strength = repr(1.0 / (end - at)) if boxed else repr(1.0 / width)
    text = f"where(t > {at!r}, where(t < {end!r}, {strength}, 0), 0)" if boxed else f"exp(-((t - {at!r})/{width!r})^2)"
    source = text if boxed else f"{strength}*{text}"
    equation = f"u_t = {diffusion!r}*u_xx + {source}*sin({waves}*pi*x)"
    answer = {"u": lambda x, t: np.sin(waves * np.pi * x) * felt(np.asarray(t))}
    return Case(equation, {"x": UNIT, "t": (0.0, END)}, COLD, tol, (answer,), {"t": ((at, width),)})


def staying(dice: Dice) -> Case:
    """A needle in space that swells, from nothing at the start."""
    width, centre, tol = dice.decades(1e-5, 1e-1), dice.between(0.1, 0.9), dice.tol(1e-6)
    diffusion, speed = dice.decades(1e-3, 1.0), dice.between(0.1, 2.0)
    shape = needle(1.0, centre, width)
    value, _, bend = shape.derivatives[:3]
    growth, size = (f"{speed!r}*cos({speed!r}*t)", f"sin({speed!r}*t)")
    equation = f"u_t = {diffusion!r}*u_xx + {growth}*{value} - {diffusion!r}*{size}*({bend})"
    conditions = ("u(x, 0) = 0", *(f"u({end!r}, t) = {shape.stated(end)}*{size}" for end in UNIT))
    answer = {"u": lambda x, t: shape(x) * np.sin(speed * t)}
    return Case(equation, {"x": UNIT, "t": (0.0, END)}, conditions, tol, (answer,), {"x": shape.layers})


def switched(dice: Dice) -> Case:
    """u' = -a or -b, u'' = k max(u - c, 0): what happens depends on where the solution is."""
    level, tol = dice.between(0.2, 0.8), dice.tol(1e-10)
    if dice.whole(0, 1):
        a, b = dice.between(0.3, 3.0), dice.between(0.3, 3.0)
        place = (1.0 - level) / a
        end = place + 0.6 / b
        answer = {"u": lambda x: np.where(x < place, 1.0 - a * x, level - b * (x - place))}
        equation = f"u' = -where(u > {level!r}, {a!r}, {b!r})"
        return Case(equation, {"x": (0.0, end)}, ("u(0) = 1",), tol, (answer,), {"x": ((place, 1e-3),)})
    strength, slope = dice.decades(1.0, 1e6), dice.between(0.5, 3.0)
    rate, place = float(np.sqrt(strength)), level / slope
    end = place + dice.between(0.1, 3.0) / rate

    def rising(x: np.ndarray) -> np.ndarray:
        return np.where(x < place, slope * x, level + slope / rate * np.sinh(rate * np.maximum(x - place, 0.0)))

    conditions = ("u(0) = 0", f"u({end!r}) = {float(rising(np.array(end)))!r}")
    equation = f"u'' = {strength!r}*max(u - {level!r}, 0)"
    return Case(equation, {"x": (0.0, end)}, conditions, tol, ({"u": rising},), {"x": ((place, 1.0 / rate),)})


def grazed(dice: Dice) -> Case:
    """u' = (a bump)' + push where u > level, which the top of the bump passes by as little as it likes."""
    centre, width, tol = dice.between(0.3, 0.6), dice.decades(1e-3, 0.2), dice.tol(1e-9)
    level, push = 1.0 - dice.decades(1e-8, 0.3), dice.between(0.1, 1.0)

    def bump(x: np.ndarray | float) -> np.ndarray:
        return np.exp(-(((x - centre) / width) ** 2))

    first = centre - width * float(np.sqrt(-np.log(level)))
    last = brentq(lambda x: float(bump(x)) + push * (x - first) - level, centre, 1.0, xtol=1e-15)
    left, top = float(bump(0.0)), dice.decades(1e-3, 1e3)
    source = f"-2*A*(x - {centre!r})/{width!r}^2*exp(-((x - {centre!r})/{width!r})^2)"
    answer = {"u": lambda x: top * (bump(x) + push * (np.clip(x, first, last) - first))}
    equation = f"u' = {source} + A*where(u > A*{level!r}, {push!r}, 0)"
    layers = {"x": ((centre, width),)}
    # how long it stays above is the root of how far it goes beyond, which text and numbers hold to rounding
    noise = push * width * 1e-16 / (1.0 - level)
    return Case(
        equation, {"x": UNIT}, (f"u(0) = A*{left!r}",), tol, (answer,), layers, {"A": top}, fuzz=noise, noise=noise
    )


FAMILIES = {
    "needles and windows in time": kick,
    "needles in space while time goes on": staying,
    "switches along the solution": switched,
    "switches that are passed back": grazed,
}
