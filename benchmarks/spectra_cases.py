"""Eigenvalue problems with known eigenvalues: smooth ones, layers, tunnelling, flows, operators far from normal."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import brentq

import gated_xtfc as gx

N = np.arange(1, 11)
PI = np.pi


@dataclass(frozen=True)
class SpectralCase:
    """A problem, what is asked of it, and the eigenvalues; None where the peer has to know them."""

    label: str
    problem: gx.Problem
    count: int
    exact: Sequence[complex] | None
    near: Any = None
    hopeless: bool = False  # whether double precision cannot know them all to the tolerance
    cut: gx.Problem | None = None  # what the peer is given in the place of a problem on an infinite domain
    known: float = 1e-12  # how well the exact values are, relative to the largest
    points: tuple[int, int] = (320, 400)  # of the peer where it is the reference


Case = SpectralCase


def stated(equation: Any, domain: tuple[Any, Any], conditions: Sequence[str], **parameters: float) -> gx.Problem:
    return gx.Problem(equation, {"x": domain}, conditions, unknown="lam", **parameters)


def between(left: Any, right: Any) -> list[str]:
    return [f"u({left}) = 0", f"u({right}) = 0"]


def roots(function: Callable[[float], float], brackets: Sequence[tuple[float, float]]) -> np.ndarray:
    return np.array([brentq(function, *bracket, xtol=1e-14, rtol=1e-15) for bracket in brackets])


def changes(function: Callable[[float], float], grid: np.ndarray) -> np.ndarray:
    """The zeros of a function that changes sign between points of a grid."""
    values = [function(one) for one in grid]
    signs = [k for k in range(len(values) - 1) if values[k] * values[k + 1] < 0.0]
    return roots(function, [(grid[k], grid[k + 1]) for k in signs])


def orr_sommerfeld(reynolds: float) -> gx.Problem:
    """The flow between two plates, disturbed by a wave: c is its speed, and it grows where the imaginary part does."""
    equation = "(u'''' - 2*a^2*u'' + a^4*u)/(i*a*Re) = (1 - y^2)*(u'' - a^2*u) + 2*u - c*(u'' - a^2*u)"
    walls = [f"{field}({wall}) = 0" for field in ("u", "u'") for wall in (-1, 1)]
    return gx.Problem(equation, {"y": (-1, 1)}, walls, unknown="c", a=1, Re=reynolds)


def cases() -> list[SpectralCase]:
    clamped = roots(lambda b: np.cos(b) - 1 / np.cosh(b), [((k + 0.4) * PI, (k + 0.6) * PI) for k in range(1, 7)])
    cantilever = roots(lambda b: np.cos(b) + 1 / np.cosh(b), [((k - 0.7) * PI, (k - 0.3) * PI) for k in range(1, 7)])
    robin = roots(lambda s: s * np.cos(s) + np.sin(s), [((k - 0.5) * PI + 1e-9, k * PI) for k in range(1, 11)])
    turned = np.exp(0.25j * PI) * (2 * np.arange(3) + 1)
    return [
        Case("string", stated("u'' + lam*u = 0", (0, 1), between(0, 1)), 10, (PI * N) ** 2),
        Case("string, 100", stated("u'' + lam*u = 0", (0, 1), between(0, 1)), 100, (PI * np.arange(1, 101)) ** 2),
        Case("free ends", stated("u'' = lam*u", (0, 1), ["u'(0) = 0", "u'(1) = 0"]), 10, -((PI * (N - 1)) ** 2)),
        Case("elastic end", stated("u'' + lam*u = 0", (0, 1), ["u(0) = 0", "u'(1) + u(1) = 0"]), 10, robin**2),
        Case(
            "harmonic oscillator, 50",
            stated("-u''/2 + x^2/2*u = lam*u", (-16, 16), between(-16, 16)),
            50,
            np.arange(50) + 0.5,
        ),
        Case(
            "circle, double",
            stated("u'' + lam*u = 0", (0, "2*pi"), ["u(0) = u(2*pi)", "u'(0) = u'(2*pi)"]),
            9,
            [0, 1, 1, 4, 4, 9, 9, 16, 16],
        ),
        Case(
            "clamped beam", stated("u'''' = lam*u", (0, 1), [*between(0, 1), "u'(0) = 0", "u'(1) = 0"]), 6, clamped**4
        ),
        Case(
            "cantilever",
            stated("u'''' = lam*u", (0, 1), ["u(0) = 0", "u'(0) = 0", "u''(1) = 0", "u'''(1) = 0"]),
            6,
            cantilever**4,
        ),
        Case(
            "double well, h = 0.01",
            stated("-h^2*u'' + (x^2 - 1)^2*u = lam*u", (-2.5, 2.5), between(-2.5, 2.5), h=0.01),
            6,
            None,
        ),
        Case(
            "double well, h = 0.002",
            stated("-h^2*u'' + (x^2 - 1)^2*u = lam*u", (-2.5, 2.5), between(-2.5, 2.5), h=0.002),
            6,
            None,
        ),
        Case(
            "damped string, quadratic",
            stated("u'' - lam*u - lam^2*u = 0", (0, "pi"), between(0, "pi")),
            6,
            [-0.5 + s * np.sqrt(0.25 - n * n + 0j) for n in (1, 2, 3) for s in (-1, 1)],
            0,
        ),
        Case("system of first order", stated(["u' = v", "v' = -lam*u"], (0, 1), between(0, 1)), 10, (PI * N) ** 2),
        Case(
            "oscillator turned by 45 degrees",
            stated(
                ["-u'' - x^2*v = lam*u", "-v'' + x^2*u = lam*v"],
                (-9, 9),
                [f"{f}({end}) = 0" for f in "uv" for end in (-9, 9)],
            ),
            6,
            [value for one in turned for value in (one.conj(), one)],
            0,
        ),
        Case(
            "Orr-Sommerfeld, Re = 1e4",
            orr_sommerfeld(1e4),
            1,
            [0.23752649 + 0.00373967j],
            0.25 + 0.01j,
            known=2e-8,
        ),
        Case("Orr-Sommerfeld, Re = 1e4, 10", orr_sommerfeld(1e4), 10, None, 0.25 + 0.01j, points=(120, 140)),
        Case("Orr-Sommerfeld, Re = 1e6", orr_sommerfeld(1e6), 3, None, 0.07 - 0.01j, points=(240, 280)),
        Case(
            "convection, eps = 0.05",
            stated("-eps*u'' + u' = lam*u", (0, 1), between(0, 1), eps=0.05),
            10,
            5 + 0.05 * (PI * N) ** 2,
        ),
        Case(
            "convection, eps = 0.02",
            stated("-eps*u'' + u' = lam*u", (0, 1), between(0, 1), eps=0.02),
            10,
            12.5 + 0.02 * (PI * N) ** 2,
        ),
        Case(
            "convection, eps = 0.001",
            stated("-eps*u'' + u' = lam*u", (0, 1), between(0, 1), eps=1e-3),
            10,
            250 + 1e-3 * (PI * N) ** 2,
        ),
        Case(
            "convection as a system, eps = 0.02",
            stated(["u' = v", "-eps*v' + v = lam*u"], (0, 1), between(0, 1), eps=0.02),
            10,
            12.5 + 0.02 * (PI * N) ** 2,
            hopeless=True,
        ),
        Case(
            "convection as a system, eps = 0.001",
            stated(["u' = v", "-eps*v' + v = lam*u"], (0, 1), between(0, 1), eps=1e-3),
            10,
            250 + 1e-3 * (PI * N) ** 2,
            hopeless=True,
        ),
    ]
