"""Eigenvalue problems with known eigenvalues, and Chebyshev collocation as a peer that is told the right resolution."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import eig
from scipy.optimize import brentq
from scipy.special import ai_zeros, jn_zeros, mathieu_a, mathieu_b

import gated_xtfc as gx
from gated_xtfc.problem.condition import Condition
from gated_xtfc.spectra.pencil import Pencil

N = np.arange(1, 11)
PI = np.pi


@dataclass(frozen=True)
class SpectralCase:
    """A problem, what is asked of it, and the eigenvalues in that order; None where the peer has to know them."""

    label: str
    problem: gx.Problem
    count: int
    exact: Sequence[complex] | None
    near: Any = None
    hopeless: bool = False  # whether double precision cannot know them all


Case = SpectralCase


def stated(equation: Any, domain: tuple[Any, Any], conditions: Sequence[str], **parameters: float) -> gx.Problem:
    return gx.Problem(equation, {"x": domain}, conditions, unknown="lam", **parameters)


def between(left: Any, right: Any) -> list[str]:
    return [f"u({left}) = 0", f"u({right}) = 0"]


def roots(function: Callable[[float], float], brackets: Sequence[tuple[float, float]]) -> np.ndarray:
    return np.array([brentq(function, *bracket, xtol=1e-14, rtol=1e-15) for bracket in brackets])


def orr_sommerfeld(reynolds: float) -> gx.Problem:
    both = [
        "u'''' - 2*a^2*u'' + a^4*u = -a*Re*((1 - y^2)*(v'' - a^2*v) + 2*v) + a*Re*c*(v'' - a^2*v)",
        "v'''' - 2*a^2*v'' + a^4*v = a*Re*((1 - y^2)*(u'' - a^2*u) + 2*u) - a*Re*c*(u'' - a^2*u)",
    ]
    walls = [f"{field}({wall}) = 0" for field in ("u", "u'", "v", "v'") for wall in (-1, 1)]
    return gx.Problem(both, {"y": (-1, 1)}, walls, unknown="c", a=1, Re=reynolds)


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
        Case("(x u')' + lam u/x", stated("x*u'' + u' + lam*u/x = 0", (1, "e"), between(1, "e")), 10, (PI * N) ** 2),
        Case(
            "harmonic oscillator, 50",
            stated("-u''/2 + x^2/2*u = lam*u", (-16, 16), between(-16, 16)),
            50,
            np.arange(50) + 0.5,
        ),
        Case(
            "quartic oscillator",
            stated("-u'' + x^4*u = lam*u", (-6, 6), between(-6, 6)),
            5,
            [1.060362090484183, 3.799673029801394, 7.455697937986738, 11.644745511378162, 16.261826018850226],
        ),
        Case("Airy", stated("-u'' + x*u = lam*u", (0, 25), between(0, 25)), 10, -ai_zeros(10)[0]),
        Case(
            "Poeschl-Teller",
            stated("-u'' - 30/cosh(x)^2*u = lam*u", (-16, 16), between(-16, 16)),
            4,
            [-25.0, -16.0, -9.0, -4.0],
        ),
        Case(
            "Morse",
            stated("-u'' + 9*(exp(-2*x) - 2*exp(-x))*u = lam*u", (-2.5, 40), between(-2.5, 40)),
            3,
            [-6.25, -2.25, -0.25],
        ),
        Case(
            "hydrogen, l = 1",
            stated("-x^2*u'' + 2*u - x*u = lam*x^2*u", (0, 400), between(0, 400)),
            5,
            [-0.25 / n**2 for n in range(2, 7)],
        ),
        Case(
            "Bessel 0", stated("x*u'' + u' + lam*x*u = 0", (0, 1), ["u'(0) = 0", "u(1) = 0"]), 10, jn_zeros(0, 10) ** 2
        ),
        Case(
            "Bessel 1", stated("x^2*u'' + x*u' + (lam*x^2 - 1)*u = 0", (0, 1), between(0, 1)), 10, jn_zeros(1, 10) ** 2
        ),
        Case(
            "Mathieu, q = 5, even",
            stated("u'' + (lam - 2*q*cos(2*x))*u = 0", (0, "pi"), ["u'(0) = 0", "u'(pi) = 0"], q=5),
            10,
            [mathieu_a(k, 5) for k in range(10)],
        ),
        Case(
            "Mathieu, q = 5, odd",
            stated("u'' + (lam - 2*q*cos(2*x))*u = 0", (0, "pi"), between(0, "pi"), q=5),
            10,
            [mathieu_b(k, 5) for k in range(1, 11)],
        ),
        Case(
            "Mathieu, q = 1000, even",
            stated("u'' + (lam - 2*q*cos(2*x))*u = 0", (0, "pi"), ["u'(0) = 0", "u'(pi) = 0"], q=1000),
            10,
            [mathieu_a(k, 1000) for k in range(10)],
        ),
        Case("Paine 1: exp(x)", stated("-u'' + exp(x)*u = lam*u", (0, "pi"), between(0, "pi")), 10, None),
        Case("Paine 2: 1/(x + 0.1)^2", stated("-u'' + u/(x + 0.1)^2 = lam*u", (0, "pi"), between(0, "pi")), 10, None),
        Case(
            "Coffey-Evans, b = 20",
            stated(
                "-u'' + (b^2*sin(2*x)^2 - 2*b*cos(2*x))*u = lam*u", ("-pi/2", "pi/2"), between("-pi/2", "pi/2"), b=20
            ),
            10,
            None,
        ),
        Case(
            "Coffey-Evans, b = 50",
            stated(
                "-u'' + (b^2*sin(2*x)^2 - 2*b*cos(2*x))*u = lam*u", ("-pi/2", "pi/2"), between("-pi/2", "pi/2"), b=50
            ),
            5,
            None,
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
        Case("Orr-Sommerfeld, Re = 1e4", orr_sommerfeld(1e4), 1, [0.23752649 + 0.00373967j], 0.25 + 0.01j),
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


def chebyshev_matrix(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Derivative matrix and points on -1 .. 1, increasing."""
    x = -np.cos(PI * np.arange(count) / (count - 1))
    c = np.where((np.arange(count) == 0) | (np.arange(count) == count - 1), 2.0, 1.0) * (-1.0) ** np.arange(count)
    gap = x[:, None] - x[None, :] + np.eye(count)
    d = np.outer(c, 1.0 / c) / gap
    return d - np.diag(d.sum(axis=1)), x


def collocated(pencil: Pencil, count: int) -> np.ndarray:
    """All finite eigenvalues by Chebyshev collocation with so many points; conditions replace rows next to the ends."""
    problem = pencil.problem
    (axis,) = problem.axes
    d, x = chebyshev_matrix(count)
    d, x = 2.0 / axis.length * d, axis.left + 0.5 * axis.length * (x + 1.0)
    fields = list(problem.order)
    powers = [np.eye(count)]
    for _ in range(4):
        powers.append(d @ powers[-1])
    size = count * len(fields)
    matrices = []
    for power in pencil.powers(x):
        whole = np.zeros((size, size))
        for e, own in enumerate(power):
            for f, jets in enumerate(own):
                block = sum(a[:, None] * powers[j] for j, a in enumerate(jets))
                whole[e * count : (e + 1) * count, f * count : (f + 1) * count] = block
        matrices.append(whole)
    place_conditions(problem, matrices, powers, x)
    degree = len(matrices) - 1
    if degree == 1:
        values = eig(matrices[0], -matrices[1], right=False)
    else:
        left, right = np.eye(degree * size, k=size), np.eye(degree * size)
        for k in range(degree):
            left[-size:, k * size : (k + 1) * size] = -matrices[k]
        right[-size:, -size:] = matrices[degree]
        values = eig(left, right, right=False)
    return values[np.isfinite(values)]


def place_conditions(problem: gx.Problem, matrices: list[np.ndarray], powers: list[np.ndarray], x: np.ndarray) -> None:
    """Each condition in the place of a row of one of its fields, from the end that it is at."""
    count, fields, taken = x.size, list(problem.order), set()
    for condition in problem.conditions:
        row = condition_row(condition, fields, powers, x)
        term = condition.terms[0]
        at_left = term.point == x[0]
        start = fields.index(term.field) * count
        order = range(count) if at_left else range(count - 1, -1, -1)
        place = next(start + i for i in order if start + i not in taken)
        taken.add(place)
        for k, matrix in enumerate(matrices):
            matrix[place] = row if k == 0 else 0.0


def condition_row(condition: Condition, fields: list[str], powers: list[np.ndarray], x: np.ndarray) -> np.ndarray:
    row = np.zeros(x.size * len(fields))
    for term in condition.terms:
        f, end = fields.index(term.field), 0 if term.point == x[0] else x.size - 1
        row[f * x.size : (f + 1) * x.size] += term.weight * powers[term.order][end]
    return row
