"""What looks harmless: values given at one end only, and sources with a root, a power or a kink."""

from collections.abc import Callable

import numpy as np
from mpmath import mp, mpf

from battery.case import Case
from battery.dice import Dice
from battery.precise import at_points
from gated_xtfc.zoo.family import spread


def initial(dice: Dice) -> Case:
    """Modes that decay, grow or turn, from values at one end: relative to max|u| each is well-posed."""
    value, slope = dice.height(), dice.height()
    k = dice.decades(1.0, 1e6)
    slow, wave = dice.decades(1.0, 30.0), dice.decades(1.0, 300.0)
    forms: tuple[tuple[str, tuple[str, ...], float, Callable[[mpf, mpf], mpf]], ...] = (
        ("u' = -k*u", (f"u(0) = {value!r}",), k, lambda q, x: value * mp.exp(-q * x)),
        ("u' = k*u", (f"u(0) = {value!r}",), slow, lambda q, x: value * mp.exp(q * x)),
        ("u' = k*u", (f"u(1) = {value!r}",), k, lambda q, x: value * mp.exp(q * (x - 1))),
        (
            "u'' = k^2*u",
            (f"u(0) = {value!r}", f"u'(0) = {slope!r}"),
            slow,
            lambda q, x: value * mp.cosh(q * x) + slope * mp.sinh(q * x) / q,
        ),
        (
            "u'' = -k^2*u",
            (f"u(0) = {value!r}", f"u'(0) = {slope!r}"),
            wave,
            lambda q, x: value * mp.cos(q * x) + slope * mp.sin(q * x) / q,
        ),
    )
    equation, conditions, rate, formula = dice.one_of(forms)
    near = ((1.0, 1 / rate),) if "u(1)" in conditions[0] else ((0.0, 1 / rate),)
    answer = {"u": at_points(lambda x: formula(mpf(rate), x))}
    points = spread(300, (0.0, 1.0), near)
    return Case(equation, {"x": (0.0, 1.0)}, conditions, dice.tol(), (answer,), parameters={"k": rate}, points=points)


def weak(dice: Dice) -> Case:
    """u'' = a power of the distance from a place, an end or inside; below zero it has no value there."""
    place, power = dice.one_of((0.0, 1.0, dice.between(0.1, 0.9))), dice.between(-0.8, 3.5)
    signed = dice.one_of((False, True)) and 0.0 < place < 1.0
    distance = f"abs(x - {place!r})" if 0.0 < place < 1.0 else ("x" if place == 0.0 else "(1 - x)")
    side = f"*sign(x - {place!r})" if signed else ""

    def twice(x: np.ndarray) -> np.ndarray:
        part = np.abs(x - place) ** (power + 2) / ((power + 1) * (power + 2))
        return part * np.sign(x - place) if signed else part

    answer = {"u": lambda x: twice(x) - (1 - x) * twice(np.array(0.0)) - x * twice(np.array(1.0))}
    equation = f"u'' = {distance}^({power!r}){side}"
    layers = {"x": ((place, 1e-3),)}
    return Case(equation, {"x": (0.0, 1.0)}, ("u(0) = 0", "u(1) = 0"), dice.tol(), (answer,), layers)


FAMILIES = {"initial values": initial, "weak singularities": weak}
