"""Linear problems without a solution, or with more than one: the only right answer is that there is none."""

from battery.case import Case
from battery.dice import Dice

PERIODIC = ("u(0) = u(1)", "u'(0) = u'(1)")
CLAMPED = ("u(0) = 0", "u(1) = 0")
FLAT = ("u'(0) = 0", "u'(1) = 0")


def line(dice: Dice, *choices: tuple[str | tuple[str, ...], tuple[str, ...]]) -> Case:
    equation, conditions = dice.one_of(choices)
    return Case(equation, {"x": (0.0, 1.0)}, conditions, dice.tol(), ())


def contradictory(dice: Dice) -> Case:
    """The source is not orthogonal to what the operator cannot see."""
    n, eps, h = dice.whole(1, 12), dice.decades(1e-6, 1.0), dice.height()
    return line(
        dice,
        (f"u'' + ({n}*pi)^2*u = ({h!r})*sin({n}*pi*x)", CLAMPED),
        (f"u'' + {n}^2*pi^2*u = ({h!r})*exp(x)", CLAMPED),
        (f"u'' + ({n}*pi)^2*u = ({h!r})*cos({n}*pi*x)", FLAT),
        (f"u'' + (2*{n}*pi)^2*u = ({h!r})*cos(2*{n}*pi*x)", PERIODIC),
        (f"{eps!r}*u'' = ({h!r})*(1 + x)", FLAT),
        (f"{eps!r}*u'' + u' = ({h!r})*exp(x)", PERIODIC),
        (f"u' = ({h!r})*exp(x)", ("u(0) = u(1)",)),
        (f"{eps!r}*u'''' = ({h!r})*exp(x)", ("u''(0) = 0", "u'''(0) = 0", "u''(1) = 0", "u'''(1) = 0")),
        (("u' = v", f"v' = -({n}*pi)^2*u + ({h!r})*exp(x)"), CLAMPED),
        (f"x*u' + {dice.between(0.3, 3.0)!r}*u = 1", ("u(0) = 0",)),
    )


def many(dice: Dice) -> Case:
    """The homogeneous problem has solutions of its own."""
    n, eps, h = dice.whole(1, 12), dice.decades(1e-6, 1.0), dice.height()
    return line(
        dice,
        (f"u'' + ({n}*pi)^2*u = 0", CLAMPED),
        (f"u'' + ({n}*pi)^2*u = ({h!r})*sin({n + 1}*pi*x)", CLAMPED),
        (f"u'' + ({n}*pi)^2*u = 0", FLAT),
        (f"u'' + (2*{n}*pi)^2*u = {h!r}", PERIODIC),
        (f"{eps!r}*u'' = ({h!r})*(1 - 2*x)", FLAT),
        (f"{eps!r}*u'' + u' = ({h!r})*cos(2*pi*x)", PERIODIC),
        (f"u' = ({h!r})*sin(2*pi*x)", ("u(0) = u(1)",)),
        (f"{eps!r}*u'''' = 0", ("u''(0) = 0", "u'''(0) = 0", "u''(1) = 0", "u'''(1) = 0")),
        (("u' = v", f"v' = -({n}*pi)^2*u"), CLAMPED),
        ("x*u' - u = 0", ("u(0) = 0",)),
    )


def repeated(dice: Dice) -> Case:
    """Two conditions that say the same, or the opposite of each other."""
    value, other = dice.height(), dice.height()
    return line(
        dice,
        (f"u'' = {value!r}", ("u(0) = 0", f"u(0) = {dice.one_of((0.0, 1.0))!r}")),
        (f"u'' = {value!r}", ("u(0) + u(1) = 0", f"2*u(0) + 2*u(1) = {dice.one_of((0.0, other))!r}")),
        (f"u'' - u = {value!r}", (f"u(0) - 3*u'(1) = {other!r}", f"-u(0)/3 + u'(1) = {value!r}")),
        (f"u'' = {value!r}", ("u'(0) = 0", f"integral(u) = u(0.5) + {other!r}")),
        (f"u'' = {value!r}", ("u'(0.25) = 0", f"u(0) - u(0.5) = {other!r}")),
        (f"u_xxxx = {value!r}", ("u(0) = 0", "u(0.5) = 0", "u(1) = 0", "u(0) - 2*u(0.5) + u(1) = 1")),
    )


def close_together(dice: Dice) -> Case:
    """u'' = h with u given at two places that nearly coincide: well-posed, and hardly so."""
    gap, curvature, value = 2.0 ** -dice.whole(8, 52), dice.height(), dice.one_of((0.0, 1.0))
    slope = value / gap - 0.5 * curvature * gap
    answer = {"u": lambda x: 0.5 * curvature * x**2 + slope * x}
    conditions = ("u(0) = 0", f"u({gap!r}) = {value!r}")
    return Case(f"u'' = {curvature!r}", {"x": (0.0, 1.0)}, conditions, dice.tol(), (answer,))


FAMILIES = {
    "contradictory": contradictory,
    "more than one solution": many,
    "conditions that repeat": repeated,
    "conditions close together": close_together,
}
