"""The unit square: peaks off the centre, layers along sides and at a slant, and corners whose data disagree."""

from math import cos, sin

import numpy as np

from battery.case import Case
from battery.dice import Dice
from battery.shapes import evaluate
from gated_xtfc.zoo.family import Layers

SQUARE = {"x": (0.0, 1.0), "y": (0.0, 1.0)}


def stated(dice: Dice, equation: str, exact: str, layers: dict[str, Layers]) -> Case:
    answer = {"u": lambda x, y: evaluate(exact, x, y=y)}
    return Case(equation, SQUARE, (f"u = {exact} on boundary",), dice.tol(1e-9), (answer,), layers)


def peak(dice: Dice) -> Case:
    a, c, h = dice.decades(1e1, 1e7), dice.between(0.0, 3.0), dice.height()
    xc, yc = dice.between(0.03, 0.97), dice.between(0.03, 0.97)
    square = f"((x - {xc!r})^2 + (y - {yc!r})^2)"
    bell = f"exp(-{a!r}*{square})"
    smooth = f"sin({dice.between(0.5, 3.0)!r}*x)*cos(2*y)"
    number = smooth[4 : smooth.index("*x")]
    exact = f"({h!r})*{bell} + {smooth}"
    laplacian = f"({h!r})*(4*{a!r}^2*{square} - 4*{a!r})*{bell} - ({number}^2 + 4)*{smooth}"
    equation = f"-(u_xx + u_yy) + {c!r}*u = -({laplacian}) + {c!r}*({exact})"
    width = a**-0.5
    return stated(dice, equation, exact, {"x": ((xc, width),), "y": ((yc, width),)})


def ridge(dice: Dice) -> Case:
    """A ridge of the shape exp(-a (x - c)^n), across either axis."""
    n, width, h, c = dice.one_of((2, 4, 6)), dice.decades(1e-4, 1e-1), dice.height(), dice.between(0.05, 0.95)
    a = float(f"{width**-n:.4g}")
    across, along = dice.one_of((("x", "y"), ("y", "x")))
    z = f"({across} - {c!r})"
    exact = f"({h!r})*exp(-{a!r}*{z}^{n})*cos({along})"
    second = f"({a!r}^2*{n}^2*{z}^{2 * n - 2} - {a!r}*{n}*{n - 1}*{z}^{n - 2} - 1)*({exact})"
    return stated(dice, f"u_xx + u_yy = {second}", exact, {across: ((c, width),)})


def window(dice: Dice) -> Case:
    """A strip in the source: u = w(x) sin(pi y) with w'' - pi^2 w = h between two places, by Green's function."""
    width, centre = dice.decades(1e-5, 1e-1), dice.between(0.1, 0.9)
    a, b = centre - width / 2, centre + width / 2
    h = dice.height() / (b - a)
    strip = dice.one_of(
        (
            f"where((x - {a!r})*(x - {b!r}) < 0, {h!r}, 0)",
            f"({h!r})/2*(1 - sign((x - {a!r})*(x - {b!r})))",
            f"where(x > {a!r}, where(x < {b!r}, {h!r}, 0), 0)",
        )
    )

    def rising(low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """The integral of sinh(pi t) between two places, without cancellation."""
        return 2 * np.sinh(np.pi * (high - low) / 2) * np.sinh(np.pi * (high + low) / 2) / np.pi

    def exact(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        cut = np.clip(x, a, b)
        left = np.sinh(np.pi * (1 - x)) * rising(a, cut)
        right = np.sinh(np.pi * x) * rising(1 - b, 1 - cut)
        return -h * (left + right) / (np.pi * np.sinh(np.pi)) * np.sin(np.pi * y)

    equation, layers = f"u_xx + u_yy = {strip}*sin(pi*y)", {"x": ((centre, width),)}
    return Case(equation, SQUARE, ("u = 0 on boundary",), dice.tol(1e-9), ({"u": exact},), layers)


def sides(dice: Dice) -> Case:
    """Exponential layers along two sides that meet, under diffusion, convection and reaction."""
    eps, h = dice.decades(1e-8, 1e-1), dice.height()
    b, c = dice.one_of((0.0, dice.between(0.3, 2.0))), dice.between(0.3, 3.0)
    p, q = dice.decades(1e-6, 1e-1), dice.decades(1e-6, 1e-1)
    along, across = f"exp(-x/{p!r})", f"exp((y - 1)/{q!r})"
    exact = f"({h!r})*{along}*cos(y) + sin(x)*{across}"
    second = f"({h!r})/{p!r}^2*{along}*cos(y) - sin(x)*{across} - ({h!r})*{along}*cos(y) + sin(x)/{q!r}^2*{across}"
    flow = f"(-({h!r})/{p!r}*{along}*cos(y) + cos(x)*{across})"
    equation = f"-{eps!r}*(u_xx + u_yy) + {b!r}*u_x + {c!r}*u = -{eps!r}*({second}) + {b!r}*{flow} + {c!r}*({exact})"
    return stated(dice, equation, exact, {"x": ((0.0, p),), "y": ((1.0, q),)})


def slanted(dice: Dice) -> Case:
    w, turn, h, eps = dice.decades(0.02, 0.5), dice.between(0.0, 3.14), dice.height(), dice.decades(1e-3, 1.0)
    nx, ny = cos(turn), sin(turn)
    step = f"tanh((({nx!r})*(x - 0.5) + ({ny!r})*(y - 0.5) - {dice.between(-0.2, 0.2)!r})/{w!r})"
    exact = f"({h!r})*{step}"
    second = f"({h!r})*(-2)*{step}*(1 - {step}^2)*(({nx!r})^2 + ({ny!r})^2)/{w!r}^2"
    return stated(dice, f"-{eps!r}*(u_xx + u_yy) + u = -{eps!r}*({second}) + {exact}", exact, {})


def nonlinear(dice: Dice) -> Case:
    """Monotone terms, so that the solution is the only one."""
    eps, h, p = dice.one_of((1.0, dice.decades(1e-4, 1e-1))), dice.height(), dice.decades(1e-3, 1e-1)
    term = dice.one_of(("U^3", "exp(U)", "sinh(U)", "U + U^3"))
    exact = f"(({h!r})*exp(-x/{p!r})*cos(y) + sin(x + 2*y))"
    second = f"(({h!r})*(1/{p!r}^2 - 1)*exp(-x/{p!r})*cos(y) - 5*sin(x + 2*y))"
    equation = f"-{eps!r}*(u_xx + u_yy) + {term.replace('U', 'u')} = -{eps!r}*{second} + {term.replace('U', exact)}"
    return stated(dice, equation, exact, {"x": ((0.0, p),)})


def derivatives(dice: Dice) -> Case:
    """Derivatives and sums of both on some sides, on rectangles of any size and place."""
    left, bottom = dice.one_of((0.0, -1.0, 100.0)), dice.one_of((0.0, 5.0))
    long, high = dice.decades(1e-3, 1e3), dice.decades(1e-3, 1e3)
    h, c = dice.height(), dice.between(0.3, 3.0)
    x, y = f"((x - ({left!r}))/{long!r})", f"((y - {bottom!r})/{high!r})"
    exact = f"(({h!r})*sin(2*{x} + 1)*cos({y}) + {x}*{y}^2)"
    across = f"(2*({h!r})*cos(2*{x} + 1)*cos({y}) + {y}^2)/{long!r}"
    along = f"(-({h!r})*sin(2*{x} + 1)*sin({y}) + 2*{x}*{y})/{high!r}"
    second_x = f"(-4*({h!r})*sin(2*{x} + 1)*cos({y}))"
    second_y = f"(-({h!r})*sin(2*{x} + 1)*cos({y}) + 2*{x})"
    # each second derivative in the unit of its side
    equation = f"-({long!r}^2*u_xx + {high!r}^2*u_yy) + {c!r}*u = -({second_x} + {second_y}) + {c!r}*{exact}"
    right, top = left + long, bottom + high
    weight = dice.decades(1e-2, 1e2)
    conditions = (
        f"u = {exact} on x = {left!r}",
        dice.one_of((f"u_x = {across} on x = {right!r}", f"u = {exact} on x = {right!r}")),
        f"u = {exact} on y = {bottom!r}",
        dice.one_of(
            (
                f"u_y = {along} on y = {top!r}",
                f"u + {weight!r}*u_y = {exact} + {weight!r}*{along} on y = {top!r}",
            )
        ),
    )
    answer = {"u": lambda x, y: evaluate(exact, x, y=y)}
    return Case(equation, {"x": (left, right), "y": (bottom, top)}, conditions, dice.tol(1e-9), (answer,))


def corner(dice: Dice) -> Case:
    """A harmonic function that jumps at the origin, from zero on one side to its height on the other."""
    h = dice.height()
    factor = f"2*({h!r})/pi"
    conditions = (
        "u(x, 0) = 0",
        f"u(0, y) = {h!r}",
        f"u(1, y) = {factor}*atan(y)",
        f"u(x, 1) = {h!r} - {factor}*atan(x)",
    )
    answer = {"u": lambda x, y: evaluate(f"{factor}*arctan2(y, x)", x, y=y)}
    return Case("u_xx + u_yy = 0", SQUARE, conditions, dice.tol(1e-9), (answer,), {"x": (), "y": ()}, jumps=True)


FAMILIES = {
    "rectangle, peaks": peak,
    "rectangle, ridges": ridge,
    "rectangle, windows": window,
    "rectangle, layers along sides": sides,
    "rectangle, slanted layers": slanted,
    "rectangle, nonlinear": nonlinear,
    "rectangle, derivatives on sides": derivatives,
    "rectangle, corners that disagree": corner,
}
