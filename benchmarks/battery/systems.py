"""Systems whose scales lie apart: two to six fields of first or second order, coupled, with known solutions."""

from mpmath import mp, mpf

from battery.case import Case
from battery.dice import Dice
from battery.precise import DIGITS, at_points
from battery.shapes import Shape, background, decay
from gated_xtfc.zoo.family import Layers

FIELDS = "uvwpqr"


def first_order(dice: Dice) -> Case:
    """eps_i v_i' = -+ d_i v_i + coupling + f_i: each field has its condition where its own mode decays from."""
    count = dice.whole(2, 6)
    names = FIELDS[:count]
    towards = [dice.sign() for _ in names]  # 1: the condition is on the left
    scales = [dice.one_of((1.0, dice.decades(1e-7, 1e-1))) for _ in names]
    shapes = [background(dice, 4.0) for _ in names]
    for i, scale in enumerate(scales):
        if scale < 1 and dice.whole(0, 1):
            start = 0.0 if towards[i] > 0 else 1.0
            shapes[i] = shapes[i] + decay(dice.height(), -towards[i] / scale, start)
    equations, conditions = [], []
    for i, name in enumerate(names):
        diagonal = f"({-towards[i] * dice.between(1.0, 2.0)!r})"
        row = {other: f"({dice.sign() * dice.between(0.0, 0.8) / count!r})" for other in names} | {name: diagonal}
        left = f"{scales[i]!r}*{name}'"
        right = " + ".join(f"{factor}*{other}" for other, factor in row.items())
        minus = " - ".join(f"{row[other]}*({shapes[j].derivatives[0]})" for j, other in enumerate(names))
        equations.append(f"{left} = {right} + {scales[i]!r}*({shapes[i].derivatives[1]}) - {minus}")
        end = 0.0 if towards[i] > 0 else 1.0
        conditions.append(f"{name}({end!r}) = {shapes[i].stated(end)}")
    return stated(dice, names, equations, conditions, shapes)


def second_order(dice: Dice) -> Case:
    """eps_i u_i'' - d_i u_i + coupling = f_i, with values at both ends."""
    count = dice.whole(2, 4)
    names = FIELDS[:count]
    scales = [dice.one_of((1.0, dice.decades(1e-8, 1e-1))) for _ in names]
    shapes = [background(dice, 4.0) for _ in names]
    for i, scale in enumerate(scales):
        if scale < 1 and dice.whole(0, 1):
            shapes[i] = shapes[i] + decay(dice.height(), -1 / float(f"{scale**0.5:.4g}"), 0.0)
    equations, conditions = [], []
    for i, name in enumerate(names):
        row = {other: f"({dice.sign() * dice.between(0.0, 0.8) / count!r})" for other in names}
        row |= {name: f"(-{dice.between(1.0, 2.0)!r})"}
        left = f"{scales[i]!r}*{name}'' + " + " + ".join(f"{factor}*{other}" for other, factor in row.items())
        terms = " + ".join(f"{row[other]}*({shapes[j].derivatives[0]})" for j, other in enumerate(names))
        equations.append(f"{left} = {scales[i]!r}*({shapes[i].derivatives[2]}) + {terms}")
        conditions += [f"{name}({end!r}) = {shapes[i].stated(end)}" for end in (0.0, 1.0)]
    return stated(dice, names, equations, conditions, shapes)


def stated(dice: Dice, names: str, equations: list[str], conditions: list[str], shapes: list[Shape]) -> Case:
    answer = dict(zip(names, shapes, strict=True))
    layers: Layers = tuple(one for shape in shapes for one in shape.layers)
    domain = {"x": (0.0, 1.0)}
    return Case(tuple(equations), domain, tuple(conditions), dice.tol(1e-10), (answer,), {"x": layers})


def reduced(dice: Dice) -> Case:
    """u' = v, eps v' = u - v: a layer on the left that only the second field feels at full height."""
    eps, values = dice.decades(1e-7, 1e-1), (dice.height(), dice.height())
    with mp.workdps(DIGITS):
        root = mp.sqrt(1 + 4 * mpf(eps))
        slow, fast = 2 / (1 + root), -(1 + root) / (2 * mpf(eps))
        # a exp(slow (x - 1)) + b exp(fast x)
        matrix = mp.matrix([[mp.exp(-slow), 1], [1, mp.exp(fast)]])
        a, b = mp.lu_solve(matrix, mp.matrix([mpf(value) for value in values]))
    u = at_points(lambda x: a * mp.exp(slow * (x - 1)) + b * mp.exp(fast * x))
    v = at_points(lambda x: a * slow * mp.exp(slow * (x - 1)) + b * fast * mp.exp(fast * x))
    return Case(
        ("u' = v", "eps*v' = u - v"),
        {"x": (0.0, 1.0)},
        (f"u(0) = {values[0]!r}", f"u(1) = {values[1]!r}"),
        dice.tol(),
        ({"u": u, "v": v},),
        {"x": ((0.0, eps),)},
        {"eps": eps},
    )


FAMILIES = {
    "systems of first order": first_order,
    "systems of second order": second_order,
    "a system with a fast field": reduced,
}
