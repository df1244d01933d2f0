"""The twelve eigenvalue problems that Chebfun's window offers as demonstrations, stated anew, all values at once."""

import numpy as np
from scipy.special import mathieu_a, mathieu_b

from spectra_cases import PI, Case, N, SpectralCase, between, changes, stated

ROUND = ["u(-pi) = u(pi)", "u'(-pi) = u'(pi)"]
FLOW = "(u'''' - 2*u'' + u)/5772 - 2*i*u - i*(1 - x^2)*(u'' - u) = lam*(u'' - u)"
WALLS = [*between(-1, 1), "u'(-1) = 0", "u'(1) = 0"]
BARRIER = "-0.1*u'' + 4*(sign(x + 1) - sign(x - 0.9))*u = lam*u"
PAIR = ["u'' + x*u + v = lam*u", "v'' + sin(x)*u = lam*v"]


def two_wells(count: int) -> np.ndarray:
    """-0.1 u'' + V u with V = 8 between -1 and 0.9, zero to the ends -5 and 5: sines, joined through the barrier."""

    def gap(value: float) -> float:
        k, q = np.sqrt(value / 0.1), np.sqrt((8.0 - value) / 0.1)
        left, slope = np.sin(4.0 * k), k * np.cos(4.0 * k)
        u, v = left + slope / q * np.tanh(1.9 * q), q * left * np.tanh(1.9 * q) + slope
        return float(u * k * np.cos(4.1 * k) + v * np.sin(4.1 * k))

    return changes(gap, np.linspace(1e-3, 2.0, 20001))[:count]


def demo_cases() -> list[SpectralCase]:
    n = np.arange(1, 20)
    # of 2 - sqrt(4 - n^2) and 2 + sqrt(4 - n^2) the one for n = 2 is double, with one mode alone: a Jordan block
    cross = sorted([z for s in (1, -1) for z in 2 + s * np.sqrt(4 - n**2 + 0j)], key=abs)
    waves = sorted([z for s in (1, -1) for z in -(n**2) + s * 1j * n], key=abs)
    mathieu = sorted([mathieu_a(k, 2.5) for k in range(9)] + [mathieu_b(k, 2.5) for k in range(1, 9)])
    return [
        Case(
            "advection and diffusion",
            stated("u'' + u' = lam*u", (0, 10), between(0, 10)),
            6,
            -0.25 - (0.1 * PI * N[:6]) ** 2,
        ),
        Case("the same round a circle", stated("u'' + u' = lam*u", ("-pi", "pi"), ROUND), 9, [0, *waves[:8]]),
        Case(
            "Airy's operator, complex",
            stated("0.002*u'' + i*x*u = lam*u", (-1, 1), between(-1, 1)),
            25,
            None,
            "largest real",
            points=(120, 160),
        ),
        Case(
            "a cross, with a Jordan block",
            stated("-u'' = lam*(u + u')", (0, "2*pi"), between(0, "2*pi")),
            12,
            cross[:12],
            hopeless=True,
        ),
        Case(
            "Davies's oscillator",
            stated("-u'' + i*x^2*u = lam*u", (-8, 8), between(-8, 8)),
            6,
            np.sqrt(1j) * (2 * N[:6] - 1),
        ),
        Case(
            "derivative round a circle",
            stated("-u' = lam*u", ("-pi", "pi"), ["u(-pi) = u(pi)"]),
            15,
            [0, *(1j * s * k for k in range(1, 8) for s in (1, -1))],
        ),
        Case("two square wells", stated(BARRIER, (-5, 5), between(-5, 5)), 4, two_wells(4)),
        Case("harmonic oscillator", stated("-u'' + x^2*u = lam*u", (-8, 8), between(-8, 8)), 6, 2 * N[:6] - 1),
        Case(
            "the string as a system",
            stated(["u' = lam*v", "v' = -lam*u"], (0, "pi"), between(0, "pi")),
            7,
            [0, 1, -1, 2, -2, 3, -3],
            0,
        ),
        Case("Mathieu's equation", stated("-u'' + 5*cos(2*x)*u = lam*u", ("-pi", "pi"), ROUND), 6, mathieu[:6]),
        Case(
            "Orr-Sommerfeld, Re = 5772, 50",
            stated(FLOW, (-1, 1), WALLS),
            50,
            None,
            "largest real",
            hopeless=True,
            points=(120, 160),
        ),
        Case(
            "system with variable factors",
            stated(PAIR, (-2, 2), [*between(-2, 2), "v(-2) = 0", "v(2) = 0"]),
            6,
            None,
            points=(60, 80),
        ),
    ]
