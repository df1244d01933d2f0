"""Manufactured solutions of eps u'' + b u' - c u = f with several layers each; f is a text or a Python function."""

import re
from dataclasses import replace

from battery.case import Case
from battery.dice import Dice, short
from battery.shapes import Shape, background, layered, step
from gated_xtfc.zoo.family import Interval

DOMAINS: tuple[Interval, ...] = ((0.0, 1.0), (-1.0, 1.0), (-0.3, 2.1))


def dirichlet(shape: Shape, ends: Interval) -> tuple[str, ...]:
    return tuple(f"u({end!r}) = {shape.stated(end)}" for end in ends)


def source(shape: Shape, coefficients: tuple[str, ...]) -> str:
    """The operator with these coefficients, from that of u upwards, applied to a shape."""
    return " + ".join(
        f"({coefficient})*({shape.derivatives[order]})"
        for order, coefficient in enumerate(coefficients)
        if coefficient != "0"
    )


def left_side(coefficients: tuple[str, ...], field: str = "u") -> str:
    terms = [f"({one})*{field}{chr(39) * order}" for order, one in enumerate(coefficients) if one != "0"]
    return " + ".join(reversed(terms))


def as_python(text: str) -> str:
    return re.sub(r"\b(sin|cos|exp|tanh|sqrt|abs)\(", r"np.\1(", text.replace("^", "**"))


def manufactured(dice: Dice, shape: Shape, ends: Interval, coefficients: tuple[str, ...]) -> Case:
    equation = f"{left_side(coefficients)} = {source(shape, coefficients)}"
    return Case(equation, {"x": ends}, dirichlet(shape, ends), dice.tol(), ({"u": shape},), {"x": shape.layers})


def constants(dice: Dice) -> tuple[str, str, str]:
    diffusion = dice.one_of((1.0, dice.decades(1e-8, 1e-1)))
    convection = dice.one_of(("0", repr(dice.sign() * dice.between(0.3, 3.0))))
    return f"-{dice.between(0.0, 3.0)!r}", convection, repr(diffusion)


def text_layers(dice: Dice) -> Case:
    ends = dice.one_of(DOMAINS)
    return manufactured(dice, layered(dice, ends), ends, constants(dice))


def function_layers(dice: Dice) -> Case:
    """Layers of at least 1e-3 of the domain: thinner ones fall between samples, as the documentation says."""
    ends = dice.one_of(DOMAINS)
    shape, (reaction, convection, diffusion) = layered(dice, ends, 2, 1e-3), constants(dice)
    right = as_python(source(shape, (reaction, convection, diffusion)))
    equation = f"lambda x, u: {diffusion}*u.xx + ({convection})*u.x + ({reaction})*u - ({right})"
    return Case(equation, {"x": ends}, dirichlet(shape, ends), dice.tol(), ({"u": shape},), {"x": shape.layers})


def written_out(dice: Dice) -> Case:
    """Steps as tanh(k x - b): where the argument passes zero no number makes it zero."""
    shape = background(dice)
    worst = 0.0
    for _ in range(dice.whole(1, 2)):
        rate, centre = 1 / dice.decades(1e-6, 1e-2), dice.between(0.03, 0.97)
        shift = rate * centre
        shape, worst = shape + step(dice.height(), short(rate), short(shift)), max(worst, shift)
    case = manufactured(dice, shape, (0.0, 1.0), constants(dice))
    return replace(case, noise=4e-16 * worst)  # rounding of k x


FAMILIES = {"layers, text": text_layers, "layers, function": function_layers, "layers, written out": written_out}
