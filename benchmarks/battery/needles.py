"""Windows and flat needles in the source, in every form that the text allows: u'' = f or u' = f.

Windows are integrated by hand, needles by Gauss-Legendre quadrature on panels fitted to them; u is of size one.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from battery.case import Case
from battery.dice import Dice
from battery.shapes import evaluate
from gated_xtfc.zoo.family import Interval, spread

NODES, WEIGHTS = np.polynomial.legendre.leggauss(20)


def orders(dice: Dice, right: str, once: object, twice: object, layers: tuple, points: np.ndarray) -> Case:
    """u' = f or u'' = f with zero values, from the integrals of f from zero."""
    ends, tol = {"x": (0.0, 1.0)}, dice.tol()
    if dice.whole(0, 3) == 0:
        return Case(f"u' = {right}", ends, ("u(0) = 0",), tol, ({"u": once},), {"x": layers}, points=points)
    answer = {"u": lambda x: twice(x) - x * twice(np.array(1.0))}
    return Case(f"u'' = {right}", ends, ("u(0) = 0", "u(1) = 0"), tol, (answer,), {"x": layers}, points=points)


def windowed(dice: Dice, right: str, height: float, windows: Sequence[Interval]) -> Case:
    """A source that is `height` inside the windows and zero outside."""

    def once(x: np.ndarray) -> np.ndarray:
        return height * sum(np.clip(x, a, b) - a for a, b in windows)

    def twice(x: np.ndarray) -> np.ndarray:
        return height * sum(0.5 * (np.clip(x, a, b) - a) ** 2 + (b - a) * np.maximum(x - b, 0.0) for a, b in windows)

    layers = tuple((0.5 * (a + b), b - a) for a, b in windows)
    return orders(dice, right, once, twice, layers, spread(2_000, (0.0, 1.0), layers))


def window(dice: Dice) -> Case:
    width, centre = dice.decades(1e-7, 1e-1), dice.between(0.1, 0.9)
    height = dice.height() / width
    form = dice.whole(0, 7)
    if form < 3:
        # (x - c)^2 < w is |x - c| < sqrt(w): a square whose root is a double keeps both ends exact
        half = 2.0 ** round(np.log2(width / 2))
        centre = round(centre * 2**20) / 2**20
        a, b = centre - half, centre + half
        height = dice.height() / (b - a)
        right = (
            f"where((x - {centre!r})^2 < {half * half!r}, {height!r}, 0)",
            f"where(abs(x - {centre!r}) <= {half!r}, {height!r}, 0)",
            f"({height!r})/2*(1 + sign({half!r} - abs(x - {centre!r})))",
        )[form]
    else:
        a, b = centre - width / 2, centre + width / 2
        height = dice.height() / (b - a)
        right = (
            f"where((x - {a!r})*(x - {b!r}) < 0, {height!r}, 0)",
            f"({height!r})/2*(1 - sign((x - {a!r})*(x - {b!r})))",
            f"where(x > {a!r}, where(x < {b!r}, {height!r}, 0), 0)",
            f"({height!r})/2*(sign(x - {a!r}) - sign(x - {b!r}))",
            f"({height!r})*where(min(x - {a!r}, {b!r} - x) > 0, 1, 0)",
        )[form - 3]
    return windowed(dice, right, height, [(a, b)])


def comb(dice: Dice) -> Case:
    """Many windows at once: where a sine is above a level."""
    waves, level = dice.whole(1, 40), dice.one_of((dice.between(-0.9, 0.9), 1 - dice.decades(1e-9, 1e-1)))
    number = 2 * np.pi * waves
    start, stop = np.arcsin(level) / number, (np.pi - np.arcsin(level)) / number
    windows = [(start + j / waves, stop + j / waves) for j in range(-1, waves + 1)]
    kept = [(max(float(a), 0.0), min(float(b), 1.0)) for a, b in windows if b > 0.0 and a < 1.0]
    height = dice.height() / sum(b - a for a, b in kept)
    case = windowed(dice, f"where(sin(2*pi*{waves}*x) > {level!r}, {height!r}, 0)", height, kept)
    # the ends of the windows are where rounding of the sine, and of its argument, puts them
    astray = 2.0**-53 * (1.0 / (number * np.sqrt(1.0 - level**2)) + 2.0)
    return replace(case, noise=2.0 * astray / float(stop - start))


def fitted(dice: Dice, right: str, peaks: Sequence[float], width: float, part: str) -> Case:
    """Panels are dense within many widths of the peaks; the integrals are known at their ends.

    `part` is what each peak adds to the source, with x the distance from it, in a form that loses no digits.
    """
    near = np.concatenate([[0.0, 1.0], np.geomspace(1e-3, 1e8, 440)]) * width
    places = [0.0, 1.0, *np.linspace(0.0, 1.0, 101)]
    for peak in peaks:
        places.extend([*(peak + near), *(peak - near)])
    ends = np.unique(np.clip(places, 0.0, 1.0))
    half = 0.5 * np.diff(ends)[:, None]
    # distances of the nodes from a peak, formed from those of the ends, which are exact
    distances = [(ends[:-1, None] - peak) + half * (1 + NODES) for peak in peaks]
    f = sum(evaluate(part, distance) for distance in distances) * WEIGHTS * half
    # thousands of panels are added up: solutions may be better than rounding in such a sum
    f = f.astype(np.longdouble)
    first = np.concatenate([[0.0], np.cumsum(f.sum(axis=1))])
    # within a panel, the distance to its right end times f
    inner = (f * half * (1 - NODES)).sum(axis=1)
    second = np.concatenate([[0.0], np.cumsum(inner + first[:-1] * np.diff(ends))])
    once, twice = (lambda at, v=integral: v[np.searchsorted(ends, at)] for integral in (first, second))
    return orders(dice, right, once, twice, (), ends)


def flat_needle(dice: Dice) -> Case:
    width, centre, exponent = dice.decades(1e-7, 1e-1), dice.between(0.05, 0.95), dice.one_of((2, 4, 6))
    text = f"({dice.height() / width!r})*exp(-(D/{width!r})^{exponent})"
    return fitted(dice, text.replace("D", f"(x - {centre!r})"), [centre], width, text.replace("D", "x"))


def high_power(dice: Dice) -> Case:
    """A needle that is a high power of something flat; its value in doubles is known to power times rounding."""
    width, centre, waves = dice.decades(1e-5, 1e-1), dice.between(0.05, 0.95), dice.whole(1, 5)
    power = 2 * max(1, round(0.5 / width**2))
    height = dice.height() / width
    base, loss, peaks = dice.one_of(
        (
            (f"cos(x - {centre!r})", "-2*sin(x/2)^2", [centre]),
            (f"(1 - (x - {centre!r})^2)", "-x^2", [centre]),
            (f"sin({waves}*pi*x)", f"-2*sin({waves}*pi*x/2)^2", [(2 * j + 1) / (2 * waves) for j in range(waves)]),
        )
    )
    part = f"({height!r})*exp({power}*log1p({loss}))"
    if base.startswith("sin"):  # each peak ends where its neighbours begin
        part = f"where(abs(x) <= {0.5 / waves!r}, {part}, 0)"
    return replace(fitted(dice, f"({height!r})*{base}^{power}", peaks, width, part), noise=4e-16 * power)


def raised(dice: Dice) -> Case:
    """exp(-a (x - c)^n) with a written out, whose width is a root of a."""
    width, centre, exponent = dice.decades(1e-5, 1e-1), dice.between(0.05, 0.95), dice.one_of((2, 4, 6, 8))
    text = f"({dice.height() / width!r})*exp(-{float(f'{width**-exponent:.4g}')!r}*D^{exponent})"
    return fitted(dice, text.replace("D", f"(x - {centre!r})"), [centre], width, text.replace("D", "x"))


def other_shapes(dice: Dice) -> Case:
    """Hats, poles beside the axis, kinks and steps that take each other back."""
    width, centre = dice.decades(1e-7, 1e-1), dice.between(0.05, 0.95)
    shape = dice.one_of(
        (
            "max(0, 1 - abs(Z))",
            "max(0, 1 - Z^2)",
            "max(1 - abs(Z), 0)^2",
            "exp(-abs(Z))",
            "1/(1 + Z^2)",
            "1/cosh(Z)^2",
            "(1 - tanh(Z)^2)",
            "(erf(Z + 1) - erf(Z - 1))",
            "(tanh(Z + 1) - tanh(Z - 1))",
            "(atan(Z + 1) - atan(Z - 1))",
            "exp(-Z^2)*sin(Z)^2",
            "exp(1 - cosh(Z))",
        )
    )
    text = f"({dice.height() / width!r})*{shape}".replace("Z", f"(D/{width!r})")
    return fitted(dice, text.replace("D", f"(x - {centre!r})"), [centre], width, text.replace("D", "x"))


FAMILIES = {
    "windows": window,
    "combs of windows": comb,
    "flat needles": flat_needle,
    "needles by a power": high_power,
    "needles by a rate": raised,
    "needles of other shapes": other_shapes,
}
