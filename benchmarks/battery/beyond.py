"""Other kinds: delays, tables, ends at infinity or unknown, complex fields, systems of mixed order, fronts in time."""

import re

import numpy as np
from scipy.interpolate import make_interp_spline

from battery.case import Case
from battery.dice import Dice
from battery.farther import UNIT, text, value, waves
from battery.shapes import background, layered
from gated_xtfc.zoo.family import spread


def shifted(formula: str, place: str) -> str:
    return re.sub(r"\bx\b", f"({place})", formula)


def delayed(dice: Dice) -> Case:
    """u' = -a u + b u(x - tau) + f, and u(q x) in its place."""
    shape, a, b = background(dice), dice.between(0.1, 3.0), dice.height()
    own, slope = shape.derivatives[:2]
    place = f"{dice.between(0.1, 0.95)!r}*x" if dice.whole(0, 1) else f"x - {dice.between(0.02, 0.9)!r}"
    right = f"{slope} + {a!r}*({own}) - ({b!r})*({shifted(own, place)})"
    conditions = (f"u(0) = {shape.stated(0.0)}",)
    if "-" in place:
        conditions = (*conditions, f"u = {own} on x < 0")
    equation = f"u' = -{a!r}*u + ({b!r})*u({place}) + {right}"
    return Case(equation, {"x": UNIT}, conditions, dice.tol(1e-10), ({"u": shape},))


def table(dice: Dice) -> Case:
    """A source that was measured, joined by lines or a spline."""
    places = np.unique([0.0, 1.0, *(dice.between(0.01, 0.99) for _ in range(dice.whole(3, 40)))])
    values = np.array([dice.height() for _ in places])
    kind = dice.one_of(("linear", "spline"))
    if kind == "spline":
        from scipy.interpolate import CubicSpline

        function = CubicSpline(places, values)
    else:
        function = make_interp_spline(places, values, k=1)
    twice = function.antiderivative(2)

    def answer(x: np.ndarray) -> np.ndarray:
        return twice(x) - twice(0.0) - (twice(1.0) - twice(0.0)) * x

    given = {"tables": {"f": (places, values, *(("spline",) if kind == "spline" else ()))}}
    return Case("u'' = f(x)", {"x": UNIT}, ("u(0) = 0", "u(1) = 0"), dice.tol(), ({"u": answer},), {}, given)


def unbounded(dice: Dice) -> Case:
    """A hump on the whole line or the half line that decays like a Gaussian, an exponential or a power."""
    rate, centre, height = dice.decades(0.05, 20.0), dice.between(-2.0, 2.0), dice.height()
    z = f"({rate!r}*(x - ({centre!r})))"
    hump, second = dice.one_of(
        (
            (f"exp(-{z}^2)", f"(4*{z}^2 - 2)*exp(-{z}^2)"),
            (f"1/cosh({z})", f"(1 - 2/cosh({z})^2)/cosh({z})"),
            (f"1/(1 + {z}^2)", f"(6*{z}^2 - 2)/(1 + {z}^2)^3"),
        )
    )
    c = dice.between(0.3, 3.0)
    right = f"({height!r})*({rate!r}^2*({second}) - {c!r}*({hump}))"
    reach = 12.0 / rate + 4.0

    def answer(x: np.ndarray) -> np.ndarray:
        s = rate * (x - centre)
        with np.errstate(over="ignore"):
            return height * (
                np.exp(-(s**2)) if hump.startswith("exp") else 1 / np.cosh(s) if "cosh" in hump else 1 / (1 + s**2)
            )

    whole = dice.whole(0, 1)
    left = "u(-inf) = 0" if whole else f"u(0) = {float(answer(np.array(0.0)))!r}"
    domain = {"x": (-np.inf if whole else 0.0, np.inf)}
    points = np.linspace(centre - reach if whole else 0.0, centre + reach, 801)
    return Case(
        f"u'' - {c!r}*u = {right}", domain, (left, "u(inf) = 0"), dice.tol(1e-9), ({"u": answer},), points=points
    )


def free_end(dice: Dice) -> Case:
    """The domain ends where u is what is asked for, beyond a layer."""
    eps, speed = dice.decades(1e-5, 1.0), dice.between(0.5, 3.0)
    length = dice.between(0.5, 4.0)

    def answer(x: np.ndarray) -> np.ndarray:
        return speed * (x + eps * np.expm1(-x / eps))

    conditions = ("u(0) = 0", "u'(0) = 0", f"u(L) = {float(answer(np.array(length)))!r}")
    points = spread(800, (0.0, length), ((0.0, eps),))
    given = {"unknown": ["L"]}
    equation = f"{eps!r}*u'' + u' = {speed!r}"
    return Case(equation, {"x": (0.0, "L")}, conditions, dice.tol(1e-10), ({"u": answer},), {}, given, points)


def turned(dice: Dice) -> Case:
    """u'' = r^2 u with a complex rate r, and u of size one at the end where it decays from."""
    rate = complex(dice.decades(0.1, 1e4), dice.one_of((1.0, -1.0)) * dice.decades(0.1, 1e2))
    factor = rate * rate
    end = np.exp(-rate)
    conditions = ("u(0) = 1", f"u(1) = {float(end.real)!r} + ({float(end.imag)!r})*i")
    equation = f"u'' = ({factor.real!r} + ({factor.imag!r})*i)*u"
    layers = {"x": ((0.0, 1.0 / rate.real),)}
    return Case(equation, {"x": UNIT}, conditions, dice.tol(1e-10), ({"u": lambda x: np.exp(-rate * x)},), layers)


def turning_pair(dice: Dice) -> Case:
    """Two fields, in one of which the convection turns."""
    first, second = layered(dice, UNIT, 2, 1e-4), layered(dice, UNIT, 1, 1e-4)
    eps, c, k = dice.decades(1e-6, 1.0), dice.between(0.1, 0.9), dice.between(-2.0, 2.0)
    towards = dice.one_of(("", "-"))
    (u, du, ddu), (v, _, ddv) = first.derivatives[:3], second.derivatives[:3]
    turn = f"{towards}(x - {c!r})"
    equations = (
        f"{eps!r}*u'' + {turn}*u' - 2*u + ({k!r})*v = {eps!r}*({ddu}) + {turn}*({du}) - 2*({u}) + ({k!r})*({v})",
        f"v'' - v + 0.5*u = {ddv} - ({v}) + 0.5*({u})",
    )
    shapes = {"u": first, "v": second}
    conditions = tuple(f"{name}({end!r}) = {own.stated(end)}" for name, own in shapes.items() for end in UNIT)
    layers = {"x": (*first.layers, *second.layers)}
    return Case(equations, {"x": UNIT}, conditions, dice.tol(1e-10), (shapes,), layers)


def with_algebra(dice: Dice) -> Case:
    """A field without derivatives beside one with them."""
    first, second = layered(dice, UNIT, 2, 1e-4), background(dice)
    a, eps = dice.between(0.2, 2.0), dice.decades(1e-4, 1.0)
    (u, _, ddu), v = first.derivatives[:3], second.derivatives[0]
    equations = (
        f"{eps!r}*u'' - u + v = {eps!r}*({ddu}) - ({u}) + {v}",
        f"v + {a!r}*u = {v} + {a!r}*({u})",
    )
    conditions = tuple(f"u({end!r}) = {first.stated(end)}" for end in UNIT)
    layers = {"x": first.layers}
    return Case(equations, {"x": UNIT}, conditions, dice.tol(1e-10), ({"u": first, "v": second},), layers)


def unknown_factor(dice: Dice) -> Case:
    """A constant that a further condition determines, before the source or in a condition."""
    own, c = waves(dice, 5.0), dice.between(0.3, 3.0)
    lam, place = dice.height(), dice.between(0.2, 0.8)
    right = f"{text(own, 2)} - {c!r}*({text(own, 0)}) - ({lam!r})*(1 + x^2)"
    stated = {end: float(value(own, end)) for end in (*UNIT, place)}
    conditions = tuple(f"u({end!r}) = {at!r}" for end, at in stated.items())
    given = {"unknown": ["m"]}
    answer = {"u": lambda x: value(own, x)}
    equation = f"u'' - {c!r}*u = m*(1 + x^2) + {right}"
    return Case(equation, {"x": UNIT}, conditions, dice.tol(1e-10), (answer,), {}, given)


def travelling(dice: Dice) -> Case:
    """A front of a given width that travels and is held up by a source, or Burgers' wave."""
    width, start = dice.decades(1e-4, 1e-1), dice.between(0.2, 0.4)
    speed, end = dice.between(0.2, 0.8), 0.5
    if dice.whole(0, 1):
        a = dice.between(0.3, 1.5)
        eps = 0.5 * a * width
        exact = f"{speed!r} - {a!r}*tanh((x - {start!r} - {speed!r}*t)/{width!r})"
        equation = f"u_t + u*u_x = {eps!r}*u_xx"
    else:
        d, z = dice.decades(1e-5, 1e-1), f"((x - {start!r} - {speed!r}*t)/{width!r})"
        exact, bend = f"tanh({z})", f"(1 - tanh({z})^2)"
        equation = f"u_t = {d!r}*u_xx - u + {exact} - {speed / width!r}*{bend} + {2 * d / width**2!r}*{exact}*{bend}"

    def answer(x: np.ndarray, t: np.ndarray) -> np.ndarray:
        return np.asarray(eval(exact, {"x": x, "t": t, "tanh": np.tanh}))

    at = {"u(x, 0)": ("t", "0"), "u(0, t)": ("x", "0"), "u(1, t)": ("x", "1")}
    conditions = tuple(
        f"{place} = {re.sub(rf'(?<![a-z]){name}(?![a-z])', number, exact)}" for place, (name, number) in at.items()
    )
    tol, domain = dice.tol(1e-6), {"x": UNIT, "t": (0.0, end)}
    layers = {"x": tuple((start + speed * end * part, width) for part in (0.0, 0.25, 0.5, 0.75, 1.0))}
    return Case(equation, domain, conditions, tol, ({"u": answer},), layers)


FAMILIES = {
    "delays": delayed,
    "tables": table,
    "ends at infinity": unbounded,
    "an end that is unknown": free_end,
    "complex": turned,
    "a system with a turning point": turning_pair,
    "a system with algebra": with_algebra,
    "an unknown factor": unknown_factor,
    "fronts in time": travelling,
}
