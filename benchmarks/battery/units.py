"""The same problems elsewhere and in other units: long, shifted and tiny domains, values of 1e-20 and of 1e20.

Where values are in other units an error counts relative to max|u|: a small unit is no excuse.
"""

import numpy as np

from battery.case import Case
from battery.dice import Dice
from battery.layers import manufactured
from battery.shapes import Shape, background, layer
from gated_xtfc.zoo.family import Interval
from gated_xtfc.zoo.panels import NODES, POINTS, Panels, collocate


def in_units(dice: Dice, ends: Interval, thinnest: float, unit: float = 1.0, factor: float = 1.0) -> Case:
    """eps u'' + b u' - c u = f with eps and b in units of the length, all of it times a factor."""
    length = ends[1] - ends[0]
    shape: Shape = background(dice, 6.0, ends, unit)
    for _ in range(dice.whole(0, 2)):
        shape = shape + layer(dice, ends, thinnest, 1e-2, unit)
    diffusion = dice.one_of((1.0, dice.decades(1e-6, 1e-1))) * length**2 * factor
    convection = dice.one_of((0.0, dice.height())) * length * factor
    reaction = -dice.between(0.3, 3.0) * factor
    return manufactured(dice, shape, ends, (repr(reaction), repr(convection), repr(diffusion)))


def long(dice: Dice) -> Case:
    return in_units(dice, (0.0, dice.one_of((30.0, 1e3, 1e6, 1e12))), 1e-7)


def tiny(dice: Dice) -> Case:
    return in_units(dice, (0.0, dice.one_of((1e-3, 1e-9, 1e-20))), 1e-7)


def shifted(dice: Dice) -> Case:
    """Layers as thin as the spacing of numbers allows: a thousand of them and more."""
    left = dice.sign() * dice.one_of((1e2, 1e4, 1e6, 1e8))
    return in_units(dice, (left, left + 1.0), max(1e-7, float(np.spacing(abs(left))) * 1e3))


def values(dice: Dice) -> Case:
    """Linear: u in another unit."""
    return in_units(dice, (0.0, 1.0), 1e-6, dice.decades(1e-20, 1e20))


def equations(dice: Dice) -> Case:
    """Linear: the equation times a number."""
    return in_units(dice, (0.0, 1.0), 1e-6, 1.0, dice.decades(1e-20, 1e20))


def bratu(strength: float, upper: bool) -> tuple[float, float]:
    """theta = sqrt(2 k) cosh(theta/4), by bisection on either side of the largest theta/cosh(theta/4)."""
    turn = 4 * 1.1996786402577339
    low, high = (turn, 200.0) if upper else (0.0, turn)
    for _ in range(200):
        middle = 0.5 * (low + high)
        below = middle < np.sqrt(2 * strength) * np.cosh(middle / 4)
        low, high = (middle, high) if below != upper else (low, middle)
    return middle, float(np.cosh(middle / 4))


def bratu_answers(strength: float, unit: float = 1.0) -> tuple[dict, ...]:
    found = []
    for upper in (False, True):
        theta, top = bratu(strength, upper)
        found.append({"u": lambda x, t=theta, c=top: -2 * unit * np.log(np.cosh((x - 0.5) * t / 2) / c)})
    return tuple(found)


def nonlinear_values(dice: Dice) -> Case:
    """Bratu's problem with u in another unit."""
    unit, strength = dice.decades(1e-12, 1e12), dice.between(0.2, 3.4)
    answers, conditions = bratu_answers(strength, unit), ("u(0) = 0", "u(1) = 0")
    domain, given = {"x": (0.0, 1.0)}, {"A": unit}
    equation = f"u'' = -{strength!r}*A*exp(u/A)"
    return Case(equation, domain, conditions, dice.tol(1e-10), answers, parameters=given)


def shock(eps: float) -> Panels:
    """eps u'' + u u' - u = 0 with u = -1 and 1 at the ends, on panels fitted to the layer in the middle."""
    near = 8 * eps * np.sinh(np.linspace(0.0, np.arcsinh(0.5 / (8 * eps)), 24))
    ends = np.unique(np.concatenate([0.5 - near, 0.5 + near]).clip(0.0, 1.0))
    low, high = ends[:-1, None], ends[1:, None]
    x = 0.5 * (low + high) + 0.5 * (high - low) * NODES
    bend = np.tanh((x - 0.5) / (4 * eps))
    start = np.stack([x - 0.5 + 0.5 * bend, 1 + (1 - bend**2) / (8 * eps)], axis=2)

    def slope(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        u, v = y.T
        zero = np.zeros_like(u)
        change = np.stack([np.stack([zero, zero + 1], 1), np.stack([(1 - v) / eps, -u / eps], 1)], 1)
        return np.stack([v, u * (1 - v) / eps], axis=1), change

    assert start.shape[1] == POINTS
    return collocate(slope, [(0, False, -1.0), (0, True, 1.0)], Panels(ends, start))


def shock_values(dice: Dice) -> Case:
    """A shock with u in another unit."""
    unit, eps = dice.decades(1e-10, 1e10), dice.decades(4e-4, 2e-2)
    reference = shock(eps)
    return Case(
        "eps*A*u'' + u*u' - A*u = 0",
        {"x": (0.0, 1.0)},
        ("u(0) = -A", "u(1) = A"),
        dice.tol(1e-9),
        ({"u": lambda x: unit * reference(x, 0)},),
        {"x": ((0.5, 4 * eps),)},
        {"eps": eps, "A": unit},
        fuzz=1e-11,
    )


FAMILIES = {
    "long domains": long,
    "tiny domains": tiny,
    "shifted domains": shifted,
    "units of u": values,
    "units of the equation": equations,
    "units of u, Bratu": nonlinear_values,
    "units of u, shock": shock_values,
}
