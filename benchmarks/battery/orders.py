"""Equations of third and fourth order, and every kind of condition that is not a value at an end."""

from dataclasses import replace

from battery.case import Case
from battery.dice import Dice
from battery.layers import DOMAINS, constants, manufactured
from battery.shapes import layered


def third(dice: Dice) -> Case:
    """eps u''' + s (u'' - c u) = f: the layer is on the left for s > 0, and so is the condition on the slope."""
    ends, towards = dice.one_of(DOMAINS), dice.sign()
    shape = layered(dice, ends, 2, 1e-4)
    strength = dice.one_of((0.0, dice.between(0.1, 3.0)))
    coefficients = (f"{-towards * strength!r}", "0", repr(towards), repr(dice.one_of((1.0, dice.decades(1e-6, 1.0)))))
    case = manufactured(dice, shape, ends, coefficients)
    end = ends[0] if towards > 0 else ends[1]
    return replace(case, conditions=(*case.conditions, f"u'({end!r}) = {shape.stated(end, 1)}"))


def fourth(dice: Dice) -> Case:
    """eps u'''' - b u'' + c u = f, clamped or simply supported."""
    ends = dice.one_of(DOMAINS)
    shape = layered(dice, ends, 2, 1e-4)
    coefficients = (
        repr(dice.between(0.0, 2.0)),
        "0",
        f"-{dice.between(0.0, 2.0)!r}",
        "0",
        repr(dice.one_of((1.0, dice.decades(1e-8, 1.0)))),
    )
    case, order = manufactured(dice, shape, ends, coefficients), dice.whole(1, 2)
    more = tuple(f"u{chr(39) * order}({end!r}) = {shape.stated(end, order)}" for end in ends)
    return replace(case, conditions=case.conditions + more)


def robin(dice: Dice) -> Case:
    """u + weight du/dn with weights of many sizes, and du/dn alone at one end."""
    ends = dice.one_of(DOMAINS)
    shape, (_, convection, diffusion) = layered(dice, ends, 3), constants(dice)
    case = manufactured(dice, shape, ends, (f"-{dice.between(0.3, 3.0)!r}", convection, diffusion))
    conditions = []
    for end, outward in zip(ends, (-1.0, 1.0), strict=True):
        weight = outward * dice.decades(1e-6, 1e2)
        value = float(shape(end)) + weight * float(shape(end, 1))
        conditions.append(f"u({end!r}) + ({weight!r})*u'({end!r}) = {value!r}")
    if convection == "0" and dice.whole(0, 2) == 0:
        conditions[0] = f"u'({ends[0]!r}) = {shape.stated(ends[0], 1)}"
    return replace(case, conditions=tuple(conditions))


def joined(dice: Dice) -> Case:
    """Conditions that tie places together: periodic with a jump, at several points, and integrals."""
    ends = dice.one_of(DOMAINS)
    shape = layered(dice, ends, 2, 1e-5)
    diffusion = repr(dice.one_of((1.0, dice.decades(1e-3, 1.0))))
    case = manufactured(dice, shape, ends, (f"-{dice.between(0.5, 3.0)!r}", "0", diffusion))
    left, right = ends
    place = dice.between(left + 0.1, right - 0.1)
    kind = dice.whole(0, 3)
    if kind == 0:
        conditions = tuple(
            f"u{mark}({right!r}) - u{mark}({left!r}) = {float(shape(right, order) - shape(left, order))!r}"
            for order, mark in enumerate(("", "'"))
        )
    elif kind == 1:
        conditions = (
            f"u({left!r}) + 0.5*u({place!r}) = {float(shape(left) + 0.5 * shape(place))!r}",
            f"u({right!r}) - 0.25*u({place!r}) = {float(shape(right) - 0.25 * shape(place))!r}",
        )
    elif kind == 2:
        conditions = (case.conditions[0], f"integral(u) = {shape.integral(ends)!r}")
    else:
        conditions = (f"u({place!r}) = {shape.stated(place)}", case.conditions[1])
    return replace(case, conditions=conditions)


FAMILIES = {
    "third order": third,
    "fourth order": fourth,
    "Robin conditions": robin,
    "periodic, multipoint and integral conditions": joined,
}
