"""Beside an eigenvalue: strings (u'' + k^2 u = 1) and clamped beams (u'''' - k^4 u = 1), closed forms in fifty digits.

The distance from the eigenvalue goes down to rounding of k; what is stated with k as it is has one solution still.
"""

import numpy as np
from mpmath import mp, mpf

from battery.case import Case
from battery.dice import Dice
from battery.precise import DIGITS, at_points, combination
from gated_xtfc.zoo.family import spread

CLAMPED = (4.730040744862704, 7.853204624095838, 10.995607838001671, 14.137165491257464)


def beside(dice: Dice, eigenvalue: float) -> float:
    distance = dice.one_of((0.0, dice.sign() * dice.decades(1e-14, 1e-1), dice.sign() * dice.decades(1e-4, 0.3)))
    return float(eigenvalue * (1 + distance))


def stated(dice: Dice, equation: str, conditions: tuple[str, ...], k: float, formula: object) -> Case:
    points = spread(200, (0.0, 1.0), ())
    answers = ({"u": at_points(formula)},)
    return Case(equation, {"x": (0.0, 1.0)}, conditions, dice.tol(), answers, parameters={"k": k}, points=points)


def string(dice: Dice) -> Case:
    k = beside(dice, dice.whole(1, 30) * np.pi)
    value = dice.one_of((0.0, dice.height()))
    with mp.workdps(DIGITS):
        q = mpf(k)
        factor = (mpf(value) - (1 - mp.cos(q)) / q**2) / mp.sin(q)
    conditions = ("u(0) = 0", f"u(1) = {value!r}")
    return stated(dice, "u'' + k^2*u = 1", conditions, k, lambda x: (1 - mp.cos(q * x)) / q**2 + factor * mp.sin(q * x))


def beam(dice: Dice) -> Case:
    k = beside(dice, dice.one_of(CLAMPED))
    with mp.workdps(DIGITS):
        q = mpf(k)
        modes = (
            lambda x: mp.cos(q * x),
            lambda x: mp.sin(q * x),
            lambda x: mp.exp(-q * x),
            lambda x: mp.exp(q * x - q),
        )
        slopes = {
            modes[0]: lambda x: -q * mp.sin(q * x),
            modes[1]: lambda x: q * mp.cos(q * x),
            modes[2]: lambda x: -q * mp.exp(-q * x),
            modes[3]: lambda x: q * mp.exp(q * x - q),
        }
        rows = [
            lambda mode: mode(mpf(0)),
            lambda mode: slopes[mode](mpf(0)),
            lambda mode: mode(mpf(1)),
            lambda mode: slopes[mode](mpf(1)),
        ]
        factors = combination(modes, rows, [1 / q**4, 0, 1 / q**4, 0])
    conditions = ("u(0) = 0", "u'(0) = 0", "u(1) = 0", "u'(1) = 0")

    def formula(x: mpf) -> mpf:
        return sum(factor * mode(x) for factor, mode in zip(factors, modes, strict=True)) - 1 / q**4

    return stated(dice, "u'''' - k^4*u = 1", conditions, k, formula)


FAMILIES = {"string beside an eigenvalue": string, "beam beside an eigenvalue": beam}
