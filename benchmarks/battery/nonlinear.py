"""Nonlinear equations: one solution (monotone terms, so that it is the only one), two, or none that reaches the end."""

from dataclasses import replace

import numpy as np

from battery.case import Case
from battery.dice import Dice
from battery.layers import DOMAINS, dirichlet
from battery.shapes import layered
from battery.units import bratu_answers

MONOTONE = ("U^3", "U + U^3", "exp(U)", "sinh(U)", "U*abs(U) + U", "atan(U) + U")


def monotone(dice: Dice) -> Case:
    """eps u'' + b u' - g(u) = f with g increasing: two solutions would have a difference that is largest nowhere."""
    ends, eps = dice.one_of(DOMAINS), dice.one_of((1.0, dice.decades(1e-4, 1e-1)))
    shape, term = layered(dice, ends, 2, 1e-4), dice.one_of(MONOTONE)
    convection = repr(dice.one_of((0.0, dice.height())))
    value, slope, curvature = (f"({shape.derivatives[order]})" for order in range(3))
    left = f"{eps!r}*u'' + ({convection})*u' - ({term.replace('U', 'u')})"
    right = f"{eps!r}*{curvature} + ({convection})*{slope} - ({term.replace('U', value)})"
    conditions = dirichlet(shape, ends)
    return Case(f"{left} = {right}", {"x": ends}, conditions, dice.tol(1e-10), ({"u": shape},), {"x": shape.layers})


def bratu(dice: Dice) -> Case:
    strength = dice.one_of((dice.between(0.1, 3.5), 3.513830719 - dice.decades(1e-8, 1e-1)))
    conditions = ("u(0) = 0", "u(1) = 0")
    answers = bratu_answers(strength)
    case = Case("u'' = -k*exp(u)", {"x": (0.0, 1.0)}, conditions, dice.tol(), answers, parameters={"k": strength})
    # the answer is the logarithm of a quotient near one, known to rounding of one, and at least k/8 large
    return replace(case, fuzz=2.0**-50 * 8.0 / strength)


def absolute(dice: Dice) -> Case:
    """u'' = -|u| with u(0) = 0: a hyperbolic sine, or half a wave first."""
    length, value = dice.between(3.3, 6.0), dice.decades(0.1, 10.0)

    def plain(x: np.ndarray) -> np.ndarray:
        return -value * np.sinh(x) / np.sinh(length)

    def turned(x: np.ndarray) -> np.ndarray:
        factor = value / np.sinh(length - np.pi)
        return factor * np.where(x < np.pi, np.sin(x), -np.sinh(x - np.pi))

    conditions = ("u(0) = 0", f"u({length!r}) = -{value!r}")
    return Case("u'' + abs(u) = 0", {"x": (0.0, length)}, conditions, dice.tol(), ({"u": plain}, {"u": turned}))


def no_solution(dice: Dice) -> Case:
    """Beyond a fold, or past a pole."""
    ends = ("u(0) = 0", "u(1) = 0")
    beyond, length = 3.513830719 * (1 + dice.decades(1e-3, 1e1)), 1 + dice.decades(1e-3, 1e1)
    height = dice.decades(0.1, 10.0)
    equation, stop, conditions = dice.one_of(
        (
            (f"u'' = -{beyond!r}*exp(u)", 1.0, ends),
            (f"u'' + u^2 + {dice.between(60.0, 1e3)!r} = 0", 1.0, ends),
            ("u' = 1 + u^2", float(np.pi / 2 * length), ("u(0) = 0",)),
            ("u' = u^2", length / height, (f"u(0) = {height!r}",)),
            ("u' = exp(u)", length * float(np.exp(-height)), (f"u(0) = {height!r}",)),
        )
    )
    return Case(equation, {"x": (0.0, stop)}, conditions, dice.tol(), ())


def kicked(dice: Dice) -> Case:
    """u' = -u^2 and a window of any width, in which u follows a hyperbolic tangent."""
    width, tol = dice.decades(1e-7, 1e-1), dice.tol(1e-10)
    first, height = dice.between(0.1, 0.8), dice.between(0.3, 2.0) / width
    last, rate = first + width, float(np.sqrt(height))
    width = last - first

    def inside(past: np.ndarray) -> np.ndarray:
        slow, turn = 1.0 / (1.0 + first) / rate, np.tanh(rate * past)
        return rate * (slow + turn) / (1.0 + slow * turn)

    def answer(x: np.ndarray) -> np.ndarray:
        left = 1.0 / (1.0 + np.minimum(x, first))
        within, top = inside(np.clip(x - first, 0.0, width)), inside(np.array(width))
        return np.where(x < first, left, np.where(x < last, within, top / (1.0 + top * np.maximum(x - last, 0.0))))

    window = dice.one_of(
        (
            f"where((x - {first!r})*(x - {last!r}) < 0, {height!r}, 0)",
            f"where(x > {first!r}, {height!r}, 0) - where(x > {last!r}, {height!r}, 0)",
            f"{height!r}/2*(sign(x - {first!r}) - sign(x - {last!r}))",
        )
    )
    layers = {"x": ((first, width), (last, width))}
    noise = 1e-16 / width  # of a product of two differences, between two places so close together
    return Case(f"u' = -u^2 + {window}", {"x": (0.0, 1.0)}, ("u(0) = 1",), tol, ({"u": answer},), layers, noise=noise)


FAMILIES = {
    "nonlinear, monotone": monotone,
    "two solutions, Bratu": bratu,
    "two solutions, abs(u)": absolute,
    "no solution": no_solution,
    "nonlinear with windows": kicked,
}
