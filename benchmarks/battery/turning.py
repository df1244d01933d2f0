"""Turning points whose modes grow, and Ackerberg and O'Malley's resonance: Kummer's functions in fifty digits or more.

With z = x^2/(2 eps), eps u'' + x u' + c u = 0 has the solutions M(c/2, 1/2, -z) and x M((c + 1)/2, 3/2, -z); the other
sign, eps u'' - x u' + c u = 0, has M(-c/2, 1/2, z) and x M((1 - c)/2, 3/2, z).
"""

import numpy as np
from mpmath import mp, mpf

from battery.case import Case
from battery.dice import Dice
from battery.layers import source
from battery.precise import DIGITS, at_points, combination
from battery.shapes import background
from gated_xtfc.zoo.family import Interval, spread

POINTS = 120


def kummer(dice: Dice, ends: Interval, sign: float, eps: float, strength: float) -> Case:
    """With u given at both ends, and in half of the cases a source that a smooth part asks for."""
    smooth = background(dice, 3.0) if dice.whole(0, 1) else None
    values = dice.height(), dice.height()
    half, e, c = mpf(1) / 2, mpf(eps), mpf(strength)

    def even(x: mpf) -> mpf:
        return mp.hyp1f1(sign * c / 2, half, -sign * x * x / (2 * e))

    def odd(x: mpf) -> mpf:
        return x * mp.hyp1f1((1 + sign * c) / 2, 3 * half, -sign * x * x / (2 * e))

    # two modes that grow by exp(1/(2 eps)) may have to cancel
    digits = DIGITS + (int(0.5 / eps) if sign < 0 else 0)
    with mp.workdps(digits):
        parts = [float(smooth(end)) if smooth else 0.0 for end in ends]
        given = [mpf(value) - mpf(part) for value, part in zip(values, parts, strict=True)]
        factors = combination((even, odd), [lambda mode, end=end: mode(mpf(end)) for end in ends], given)
    modes = at_points(lambda x: factors[0] * even(x) + factors[1] * odd(x), digits)

    def exact(x: np.ndarray) -> np.ndarray:
        return modes(x) + (smooth(x) if smooth else 0.0)

    coefficients = (repr(strength), f"({sign!r})*x", repr(eps))
    right = source(smooth, coefficients) if smooth else "0"
    equation = f"eps*u'' + ({sign!r})*x*u' + c*u = {right}"
    conditions = tuple(f"u({end!r}) = {value!r}" for end, value in zip(ends, values, strict=True))
    inner = float(np.sqrt(eps))
    layers = [(0.0, inner)] if sign > 0 else [(end, eps / abs(end)) for end in ends if end]
    return Case(
        equation,
        {"x": ends},
        conditions,
        dice.tol(),
        ({"u": exact},),
        parameters={"eps": eps, "c": strength},
        points=spread(POINTS if sign > 0 else POINTS // 2, ends, tuple(layers)),
    )


def at_an_end(dice: Dice) -> Case:
    ends = dice.one_of(((0.0, 1.0), (-1.0, 0.0), (0.0, 2.0)))
    return kummer(dice, ends, 1.0, dice.decades(1e-7, 1e-1), dice.between(0.05, 5.0))


def inside(dice: Dice) -> Case:
    ends = dice.one_of(((-1.0, 1.0), (-0.4, 1.0), (-1.0, 0.15)))
    return kummer(dice, ends, 1.0, dice.decades(1e-7, 1e-1), dice.between(0.05, 5.0))


def resonance(dice: Dice) -> Case:
    """At and beside the whole numbers for which the reduced equation has a polynomial that meets both ends."""
    ends = dice.one_of(((-1.0, 1.0), (-0.5, 1.0)))
    number = dice.whole(0, 4)
    strength = dice.one_of((number + 0.5, number + dice.decades(1e-12, 1e-1), number - dice.decades(1e-8, 1e-1)))
    return kummer(dice, ends, -1.0, dice.decades(2e-3, 1e-1), strength)


FAMILIES = {"turning point at an end": at_an_end, "turning point inside": inside, "resonance": resonance}
