"""High orders, large weights, extreme numbers, coefficients with kinks, switches at places that parameters give."""

from dataclasses import replace

import numpy as np

from battery.case import Case
from battery.dice import Dice
from battery.layers import DOMAINS, manufactured
from battery.needles import windowed
from battery.shapes import background, layered

UNIT = (0.0, 1.0)


def waves(dice: Dice, fastest: float) -> tuple[tuple[float, float, float], ...]:
    return tuple((dice.height(), dice.between(0.5, fastest), dice.between(0.0, 6.0)) for _ in range(2))


def text(own: tuple[tuple[float, float, float], ...], order: int) -> str:
    """A derivative of a sum of waves."""
    turn = ("sin", "cos", "-sin", "-cos")[order % 4]
    sign, name = ("-", turn[1:]) if turn.startswith("-") else ("", turn)
    return " + ".join(f"({sign}1)*({a!r})*{k!r}^{order}*{name}({k!r}*x + {p!r})" for a, k, p in own)


def value(own: tuple[tuple[float, float, float], ...], x: np.ndarray | float, order: int = 0) -> np.ndarray:
    return sum(a * k**order * np.sin(k * np.asarray(x) + p + order * np.pi / 2) for a, k, p in own)


def high_order(dice: Dice) -> Case:
    """Fifth to eighth order, with half of the conditions at either end."""
    order, own = dice.whole(5, 8), waves(dice, 6.0)
    lower = dice.between(-2.0, 2.0), dice.between(-2.0, 2.0)
    right = f"({text(own, order)}) + ({lower[1]!r})*({text(own, 1)}) + ({lower[0]!r})*({text(own, 0)})"
    left = f"u{chr(39) * order} + ({lower[1]!r})*u' + ({lower[0]!r})*u"
    at_left = (order + 1) // 2
    places = [(0.0, j) for j in range(at_left)] + [(1.0, j) for j in range(order - at_left)]
    conditions = tuple(f"u{chr(39) * j}({end!r}) = {float(value(own, end, j))!r}" for end, j in places)
    return Case(f"{left} = {right}", {"x": UNIT}, conditions, dice.tol(1e-10), ({"u": lambda x: value(own, x)},))


def large_weights(dice: Dice) -> Case:
    """Conditions a u + b u' = c with a and b of any size."""
    ends = dice.one_of(DOMAINS)
    shape = layered(dice, ends, 2, 1e-4)
    diffusion = repr(dice.decades(1e-4, 1.0))
    case, conditions = manufactured(dice, shape, ends, (f"-{dice.between(0.3, 3.0)!r}", "0", diffusion)), []
    for end, outward in zip(ends, (-1.0, 1.0), strict=True):
        a, b = dice.decades(1e-9, 1e9), outward * dice.decades(1e-9, 1e9)
        total = a * float(shape(end)) + b * float(shape(end, 1))
        conditions.append(f"({a!r})*u({end!r}) + ({b!r})*u'({end!r}) = {total!r}")
    # the rounding of the sum that is stated is a change of u by itself where both terms cancel
    return replace(case, conditions=tuple(conditions))


def extreme(dice: Dice) -> Case:
    """Values of 1e-200 and 1e200."""
    unit, shape = dice.decades(1e-200, 1e200), background(dice, ends=UNIT)
    eps, c = dice.decades(1e-6, 1.0), dice.between(0.3, 3.0)
    right = f"U*({eps!r}*({shape.derivatives[2]}) - {c!r}*({shape.derivatives[0]}))"
    conditions = tuple(f"u({end!r}) = U*({shape.stated(end)})" for end in UNIT)
    answer = {"u": lambda x: unit * shape(x)}
    return Case(f"{eps!r}*u'' - {c!r}*u = {right}", {"x": UNIT}, conditions, dice.tol(), (answer,), {}, {"U": unit})


def kinks(dice: Dice) -> Case:
    """Coefficients with abs, min and max; the solution is smooth, or has layers of its own."""
    ends = dice.one_of(DOMAINS)
    shape = layered(dice, ends, 2, 1e-4)
    c, s = dice.between(ends[0], ends[1]), dice.between(0.3, 3.0)
    reaction = dice.one_of(
        (
            f"-(0.5 + abs(x - ({c!r})))",
            f"-max(0.3, {s!r}*sin(9*x))",
            f"-(1 + abs(sin({dice.between(1.0, 30.0)!r}*x)))",
            f"-min(2, 0.4 + (x - ({c!r}))^2*{dice.decades(1.0, 1e6)!r})",
        )
    )
    convection = dice.one_of(("0", f"{s!r}*abs(x - ({c!r}))", f"max(x - ({c!r}), 0)"))
    return manufactured(dice, shape, ends, (reaction, convection, repr(dice.decades(1e-4, 1.0))))


def given_places(dice: Dice) -> Case:
    """A window between places that are products and sums of parameters."""
    p, q = dice.between(0.2, 0.5), dice.between(0.3, 0.9)
    width = dice.decades(1e-7, 1e-1)
    a, b = p * q, p * q + width
    height = dice.height() / (b - a)
    form = dice.one_of(
        (
            "where(x > p*q, where(x < p*q + w, h, 0), 0)",
            "where((x - p*q)*(x - p*q - w) < 0, h, 0)",
            "h/2*(sign(x - p*q) - sign(x - (p*q + w)))",
            "h*where(x > p*q, 1, 0)*where(x < p*q + w, 1, 0)",
        )
    )
    case = windowed(dice, form, height, [(a, b)])
    return replace(case, parameters={"p": p, "q": q, "w": width, "h": height})


FAMILIES = {
    "fifth to eighth order": high_order,
    "conditions with large weights": large_weights,
    "values of 1e-200 and 1e200": extreme,
    "coefficients with kinks": kinks,
    "windows at places from parameters": given_places,
}
