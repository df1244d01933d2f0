"""Problems that evolve, with exact solutions or integrals that are evaluated to high accuracy; and random ones."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import erfc, log_ndtr

import gated_xtfc as gx

Exact = Callable[[np.ndarray, float], np.ndarray]
STRIP = {"x": (0, 1), "t": (0, 1)}
BURGERS = "u_t + u*u_x = eps*u_xx"


@dataclass(frozen=True)
class FrontCase:
    """A problem with its solution, exact or at some times only; for peers the same as plain functions of arrays."""

    name: str
    problem: gx.Problem
    exact: Exact  # (n,), or (m, n) for every field
    times: tuple[float, ...] | None = None  # at which `exact` is known; None: at all
    doubt: Callable[[], float] | None = None  # of the reference
    rates: Callable[..., np.ndarray] | None = None  # u_t from t, x, u, u_x, u_xx, each (m, n)
    ends: tuple[list, list] | None = None  # for each end and field "slope", a value over time, or None
    start: Callable[[np.ndarray], np.ndarray] | None = None


def of_text(name: str, equation: str, wave: str, end: float = 1.0, **parameters: float) -> FrontCase:
    """A problem whose solution is a text in X and T, with values at the start and at both ends from it."""
    at = lambda x, t: wave.replace("X", x).replace("T", t)  # noqa: E731
    conditions = [f"u(x, 0) = {at('x', '0')}", f"u(0, t) = {at('0', 't')}", f"u(1, t) = {at('1', 't')}"]
    problem = gx.Problem(equation, {"x": (0, 1), "t": (0, end)}, conditions, at("x", "t"), **parameters)
    assert problem.exact is not None
    exact = problem.exact
    return FrontCase(name, problem, lambda x, t: exact(x, np.full_like(x, t)))


def travelling(eps: float) -> FrontCase:
    return of_text("travelling front", BURGERS, "0.6 - 0.5*tanh((X - 0.2 - 0.6*T)/(4*eps))", eps=eps)


def merging(eps: float) -> FrontCase:
    parts = "(0.05/eps)*(X - 0.5 + 4.95*T)", "(0.25/eps)*(X - 0.5 + 0.75*T)", "(0.5/eps)*(X - 0.375)"
    least = f"min({', '.join(parts)})"
    a, b, c = (f"exp({least} - {part})" for part in parts)
    return of_text("fronts that merge", BURGERS, f"(0.1*{a} + 0.5*{b} + {c})/({a} + {b} + {c})", eps=eps)


def bistable(eps: float) -> FrontCase:
    speed = float(0.5 / np.sqrt(2.0))
    wave = f"1/(1 + exp((X - 0.2 - {speed!r}*T)/(sqrt(2)*eps)))"
    return of_text("bistable wave", "u_t = eps*u_xx + u*(1 - u)*(u - 0.25)/eps", wave, 0.6 / speed, eps=eps)


def fisher(eps: float) -> FrontCase:
    speed = float(5.0 / np.sqrt(6.0))
    wave = f"(1 + exp((X - 0.2 - {speed!r}*T)/(sqrt(6)*eps)))^(-2)"
    return of_text("Fisher's wave", "u_t = eps*u_xx + u*(1 - u)/eps", wave, 0.6 / speed, eps=eps)


def needle(eps: float) -> FrontCase:
    wave = "sqrt(0.1/(T + 0.1))*exp(-(X - 0.2 - T)^2/(4*eps*(T + 0.1)))"
    return of_text("needle carried along", "u_t = eps*u_xx - u_x", wave, 0.6, eps=eps)


def heat(_: float) -> FrontCase:
    wave = "exp(-pi^2*T)*sin(pi*X) + 0.3*exp(-9*pi^2*T)*sin(3*pi*X)"
    return of_text("heat, smooth", "u_t = u_xx", wave, 0.5)


def heat_step(_: float) -> FrontCase:
    problem = gx.Problem("u_t = u_xx", {"x": (0, 1), "t": (0, 0.1)}, ["u(x, 0) = 0", "u(0, t) = 1", "u(1, t) = 0"])

    def exact(x: np.ndarray, t: float) -> np.ndarray:
        width = np.sqrt(4.0 * t)
        return sum(erfc((2 * k + x) / width) for k in range(7)) - sum(erfc((2 * k - x) / width) for k in range(1, 7))

    return FrontCase("heat, start and end disagree", problem, exact)


def leap(eps: float) -> FrontCase:
    conditions = ["u(x, 0) = where(x < 0.3, 1, 0)", "u(0, t) = 1", "u(1, t) = 0"]
    problem = gx.Problem(BURGERS, STRIP, conditions, eps=eps)

    def exact(x: np.ndarray, t: float) -> np.ndarray:
        y, width = x - 0.3, np.sqrt(2.0 * eps * t)
        gap = log_ndtr(y / width) - log_ndtr((t - y) / width) + (y - 0.5 * t) / (2.0 * eps)
        return 1.0 / (1.0 + np.exp(np.clip(gap, -700.0, 700.0)))

    return FrontCase("values that leap", problem, exact)


def sine(eps: float) -> FrontCase:
    conditions = ["u(x, 0) = -sin(pi*x)", "u(-1, t) = 0", "u(1, t) = 0"]
    problem = gx.Problem(BURGERS, {"x": (-1, 1), "t": (0, 1)}, conditions, eps=eps)
    return FrontCase("shock out of a sine", problem, lambda x, t: cole_hopf(x, t, eps))


def cole_hopf(x: np.ndarray, t: float, eps: float) -> np.ndarray:
    """u for the start -sin(pi x): a mean of (x - y)/t with the weight exp(-(phi(y) + (x - y)^2/(2t))/(2 eps)).

    The weight is smooth and decays: the trapezoid rule around its maxima is exact to rounding.
    """
    found = np.empty_like(x)
    for i, place in enumerate(x):
        y = np.linspace(place - 1.7, place + 1.7, 6001)
        near = _exponent(y, place, t, eps)
        kept = y[near > near.max() - 60.0]
        fine = min(np.sqrt(eps * min(t, 0.3)) / 8.0, y[1] - y[0])
        pieces = np.split(kept, np.flatnonzero(np.diff(kept) > 2.5 * (y[1] - y[0])) + 1)
        ends = [(np.floor((p[0] - 2e-3) / fine), np.ceil((p[-1] + 2e-3) / fine)) for p in pieces]
        y = np.concatenate([np.arange(a, b + 1.0) * fine for a, b in ends])
        exponent = _exponent(y, place, t, eps)
        weight = np.exp(exponent - exponent.max())
        found[i] = weight @ (place - y) / weight.sum() / t
    return found


def _exponent(y: np.ndarray, x: float, t: float, eps: float) -> np.ndarray:
    return -(np.cos(np.pi * y) / np.pi + (x - y) ** 2 / (2.0 * t)) / (2.0 * eps)


def random_case(seed: int) -> FrontCase:
    """One of ten families with random numbers."""
    dice = np.random.default_rng(seed)
    kind, eps = int(dice.integers(0, 10)), float(10 ** dice.uniform(-5, -1.5))
    if kind > 6:
        return (several, round_and_round, through_an_end)[kind - 7](dice, max(eps, 3e-5))
    if kind == 0:
        high, low, x0 = dice.uniform(0.5, 1.5), dice.uniform(-0.4, 0.4), dice.uniform(0.1, 0.3)
        mean = 0.5 * (high + low)
        wave = f"{mean} - {(high - low) / 2}*tanh({(high - low) / 4}*(X - {x0} - {mean}*T)/eps)"
        return of_text("Burgers", BURGERS, wave, min(1.0, 0.6 / abs(mean)), eps=eps)
    if kind == 1:
        a, x0 = dice.uniform(0.05, 0.45), dice.uniform(0.1, 0.3)
        speed = float((1 - 2 * a) / np.sqrt(2.0))
        wave = f"1/(1 + exp((X - {x0} - {speed!r}*T)/(sqrt(2)*eps)))"
        return of_text("bistable", f"u_t = eps*u_xx + u*(1 - u)*(u - {a})/eps", wave, min(2.0, 0.6 / speed), eps=eps)
    if kind == 2:
        speed, s = dice.uniform(-1, 1), dice.uniform(0.05, 0.3)
        wave = f"sqrt({s}/(T + {s}))*exp(-(X - {0.5 - 0.25 * speed} - ({speed})*T)^2/(4*eps*(T + {s})))"
        return of_text("needle", f"u_t = eps*u_xx - ({speed})*u_x", wave, 0.5, eps=eps / 3)
    if kind == 3:  # a front on a path that bends back and forth, by a source
        size, rate, swing = dice.uniform(0.3, 2), dice.uniform(1, 6), dice.uniform(0.05, 0.3)
        path, thick = f"({dice.uniform(0.4, 0.6)} + {swing}*sin({rate}*T))", eps * dice.uniform(1, 6)
        z = f"tanh((X - {path})/{thick})"
        bump = f"(1 - {z}^2)"
        source = (
            f"-{size}*({swing * rate}*cos({rate}*T))*{bump}/{thick} + {size}^2*{z}*{bump}/{thick} "
            f"+ 2*eps*{size}*{z}*{bump}/{thick}^2"
        )
        equation = f"u_t + u*u_x - eps*u_xx = {source}".replace("X", "x").replace("T", "t")
        return of_text("winding path", equation, f"{size}*{z}", eps=eps)
    if kind == 4:
        a, b = dice.integers(1, 4, 2)
        k, c = 10 ** dice.uniform(-2, 0), dice.uniform(-1, 1)
        wave = f"exp(-k*({a}*pi)^2*T)*cos({a}*pi*X) + {c}*exp(-k*({b}*pi)^2*T)*cos({b}*pi*X)"
        return _with_ends("insulated ends", "u_t = k*u_xx", wave, ["u_x(0, t) = 0", "u_x(1, t) = 0"], k=k)
    if kind == 5:
        speed, k, a = dice.uniform(-2, 2), 10 ** dice.uniform(-3, -1), dice.integers(1, 3)
        wave = f"exp(-k*(2*pi*{a})^2*T)*sin(2*pi*{a}*(X - ({speed})*T))"
        ends = ["u(0, t) = u(1, t)", "u_x(0, t) = u_x(1, t)"]
        return _with_ends("periodic", f"u_t + ({speed})*u_x = k*u_xx", wave, ends, k=k)
    rate = dice.uniform(-2, 2)
    grows = f"exp(({rate})*t)"
    equation = f"(1 + x)*u_t = u_xx + (1 + x)*({rate})*u + 9*{grows}*sin(3*x)"
    ends = [f"u_x(0, t) + u(0, t) = 5*{grows}", f"u_x(1, t)*u(1, t) = {grows}^2*3*cos(3)*(sin(3) + 2)"]
    return _with_ends("mass and nonlinear end", equation, f"exp(({rate})*T)*(sin(3*X) + 2)", ends)


def several(dice: np.random.Generator, eps: float) -> FrontCase:
    """Three fronts, of which faster ones catch up with slower ones."""
    speeds = np.sort(dice.uniform(0.0, 1.5, 4))[::-1].tolist()
    places = np.sort(dice.uniform(0.05, 0.6, 3)).tolist()
    offsets = [0.0]
    for k, place in enumerate(places):
        offsets.append(offsets[-1] + (speeds[k] - speeds[k + 1]) * place)
    parts = [f"({c!r}*X - {0.5 * c * c!r}*T + {b!r})/(2*eps)" for c, b in zip(speeds, offsets, strict=True)]
    least = f"min({parts[0]}, min({parts[1]}, min({parts[2]}, {parts[3]})))"
    weights = [f"exp({least} - {part})" for part in parts]
    above = " + ".join(f"{c!r}*{weight}" for c, weight in zip(speeds, weights, strict=True))
    return of_text("three fronts", BURGERS, f"({above})/({' + '.join(weights)})", eps=eps)


def round_and_round(dice: np.random.Generator, eps: float) -> FrontCase:
    """A pulse that goes round in a periodic domain, held together by a source."""
    eps = min(eps, 1e-2)
    sharp, speed = 1.0 / (40.0 * eps), dice.uniform(-4.0, 4.0)
    angle = f"(2*pi*(X - ({speed})*T))"
    wave = f"exp({sharp}*(cos{angle} - 1))"
    source = f"eps*({sharp}*cos{angle} - {sharp}^2*sin{angle}^2)*(2*pi)^2*{wave}".replace("X", "x").replace("T", "t")
    ends = ["u(0, t) = u(1, t)", "u_x(0, t) = u_x(1, t)"]
    return _with_ends("round and round", f"u_t + ({speed})*u_x = eps*u_xx + {source}", wave, ends, eps=eps)


def through_an_end(dice: np.random.Generator, eps: float) -> FrontCase:
    """A front that enters at one end, or leaves at the other."""
    enters = bool(dice.integers(0, 2))
    high, low = dice.uniform(0.8, 1.5), dice.uniform(0.1, 0.4)
    x0 = -dice.uniform(0.05, 0.3) if enters else dice.uniform(0.3, 0.8)
    mean, eps = 0.5 * (high + low), min(eps, 1e-2)
    wave = f"{mean} - {(high - low) / 2}*tanh({(high - low) / 4}*(X - ({x0}) - {mean}*T)/eps)"
    end = (0.6 - x0) / mean if enters else 1.6 * (1.0 - x0) / mean
    return of_text("through an end", BURGERS, wave, float(end), eps=eps)


def _with_ends(name: str, equation: str, wave: str, ends: list[str], **parameters: float) -> FrontCase:
    start, whole = (wave.replace("X", "x").replace("T", time) for time in ("0", "t"))
    problem = gx.Problem(equation, STRIP, [f"u(x, 0) = {start}", *ends], whole, **parameters)
    assert problem.exact is not None
    exact = problem.exact
    return FrontCase(name, problem, lambda x, t: exact(x, np.full_like(x, t)))
