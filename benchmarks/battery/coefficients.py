"""Coefficients that vanish, oscillate or jump, in front of solutions with layers of their own."""

from mpmath import mp, mpf

from battery.case import Case
from battery.dice import Dice
from battery.layers import DOMAINS, manufactured
from battery.precise import DIGITS, pieces_of_exponentials, through_a_window
from battery.shapes import layered


def vanishing(dice: Dice) -> Case:
    """Convection that vanishes with order p somewhere, reaction that vanishes elsewhere."""
    ends = dice.one_of(DOMAINS)
    place = dice.one_of((*ends, dice.between(*ends)))
    power = dice.whole(1, 4)
    convection = f"{dice.height()!r}*(x - ({place!r}))^{power}"
    if power % 2:  # towards the place or away from it: u alone may not grow there
        convection = f"(-{dice.between(0.3, 2.0)!r})*(x - ({place!r}))^{power}"
    reaction = f"-{dice.between(0.5, 3.0)!r}*(x - ({dice.between(*ends)!r}))^2"
    diffusion = repr(dice.one_of((1.0, dice.decades(1e-6, 1e-1))))
    return manufactured(dice, layered(dice, ends, 2), ends, (reaction, convection, diffusion))


def oscillating(dice: Dice) -> Case:
    ends, number = dice.one_of(DOMAINS), dice.decades(5.0, 1e3)
    convection = dice.one_of(("0", f"({dice.sign()!r})*(2 + sin({number!r}*x))"))
    reaction = f"-(1.5 + cos({number!r}*x))"
    diffusion = repr(dice.one_of((1.0, dice.decades(1e-6, 1e-1))))
    return manufactured(dice, layered(dice, ends, 1), ends, (reaction, convection, diffusion))


def smooth_across_jumps(dice: Dice) -> Case:
    """Every coefficient jumps, the solution does not notice."""
    ends = dice.one_of(DOMAINS)
    cuts = [dice.between(*ends) for _ in range(3)]
    reaction = f"where(x < {cuts[0]!r}, -{dice.between(0.1, 3.0)!r}, -{dice.between(0.1, 3.0)!r})"
    convection = f"({dice.sign()!r})*where(x >= {cuts[1]!r}, {dice.between(0.1, 3.0)!r}, {dice.between(0.1, 3.0)!r})"
    size = dice.decades(1e-5, 1.0)
    diffusion = f"{size!r}*where(x - ({cuts[2]!r}) > 0, 1, {dice.decades(0.1, 10.0)!r})"
    return manufactured(dice, layered(dice, ends, 1, 1e-5), ends, (reaction, convection, diffusion))


def jumps(dice: Dice) -> Case:
    """eps u'' = c u with c of one size left of a place and another right of it: two layers that know of each other."""
    cut, eps = dice.between(0.02, 0.98), dice.decades(1e-8, 1.0)
    left, right = dice.decades(0.1, 100.0), dice.decades(0.1, 100.0)
    values = dice.height(), dice.height()
    with mp.workdps(DIGITS):
        rates = [mp.sqrt(mpf(strength) / mpf(eps)) for strength in (left, right)]
        exact = pieces_of_exponentials(cut, rates, values)
    equation = f"eps*u'' - where(x < {cut!r}, {left!r}, {right!r})*u = 0"
    layers = tuple((place, float(1 / max(rates))) for place in (0.0, cut, 1.0))
    conditions = f"u(0) = {values[0]!r}", f"u(1) = {values[1]!r}"
    return Case(equation, {"x": (0.0, 1.0)}, conditions, dice.tol(), ({"u": exact},), {"x": layers}, {"eps": eps})


def window(dice: Dice) -> Case:
    """u'' = V u with V a thin window, nearly a point: straight lines with a kink between them."""
    width, centre = dice.decades(1e-7, 1e-1), dice.between(0.1, 0.9)
    a, b = centre - width / 2, centre + width / 2
    height, values = dice.between(0.5, 20.0) / width, (dice.height(), dice.height())
    with mp.workdps(DIGITS):
        exact = through_a_window(mpf(a), mpf(b), mpf(height), values)
    potential = dice.one_of(
        (
            f"where((x - {a!r})*(x - {b!r}) < 0, {height!r}, 0)",
            f"{height!r}/2*(1 - sign((x - {a!r})*(x - {b!r})))",
            f"{height!r}*where(x > {a!r}, where(x < {b!r}, 1, 0), 0)",
        )
    )
    conditions = f"u(0) = {values[0]!r}", f"u(1) = {values[1]!r}"
    layers = {"x": ((centre, width),)}
    return Case(f"u'' = {potential}*u", {"x": (0.0, 1.0)}, conditions, dice.tol(), ({"u": exact},), layers)


FAMILIES = {
    "coefficients that vanish": vanishing,
    "coefficients that oscillate": oscillating,
    "coefficients that jump, smooth solution": smooth_across_jumps,
    "coefficients that jump": jumps,
    "a window in a coefficient": window,
}
