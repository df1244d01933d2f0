"""Sturm and Liouville's problems of the kind that SLEDGE and SLEIGN2 were tried on: regular, singular, to infinity."""

import numpy as np
from scipy.special import ai_zeros, jn_zeros, mathieu_a, mathieu_b, pro_cv

from spectra_cases import PI, Case, N, SpectralCase, between, changes, stated

SAXON = "(-50/(1 + exp((x - 7)/0.6))*(1 - 5/(3*(1 + exp(-(x - 7)/0.6)))))"
MARLETTA = "3*(x - 31)/(4*(1 + x)*(4 + x)^2)"
T = "(1 + x/2 + sin(2*x)/4)"
GELFAND = f"2*({T}*sin(2*x) + cos(x)^4)/{T}^2"


def jumps(count: int) -> np.ndarray:
    """Of -u'' = lam w u, w = 1 and 2 on the halves of 0 .. 1: where both halves meet with one slope."""
    r = np.sqrt(2.0)

    def gap(s: float) -> float:
        return float(r * np.sin(0.5 * s) * np.cos(0.5 * r * s) + np.cos(0.5 * s) * np.sin(0.5 * r * s))

    return changes(gap, np.linspace(0.5, 40.0, 4000))[:count] ** 2


def sturm_cases() -> list[SpectralCase]:
    return [
        Case("(x u')' + lam u/x", stated("x*u'' + u' + lam*u/x = 0", (1, "e"), between(1, "e")), 10, (PI * N) ** 2),
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
            "Legendre",
            stated("(1 - x^2)*u'' - 2*x*u' + lam*u = 0", (-1, 1), ["2*u'(1) = lam*u(1)", "2*u'(-1) = -lam*u(-1)"]),
            10,
            N * (N - 1),
        ),
        Case(
            "Chebyshev",
            stated("(1 - x^2)*u'' - x*u' + lam*u = 0", (-1, 1), ["u'(1) = lam*u(1)", "u'(-1) = -lam*u(-1)"]),
            10,
            (N - 1) ** 2,
        ),
        Case(
            "Jacobi, 1/2, -1/4",
            stated(
                "(1 - x^2)*u'' + (b - a - (a + b + 2)*x)*u' + lam*u = 0",
                (-1, 1),
                ["2*(a + 1)*u'(1) = lam*u(1)", "2*(b + 1)*u'(-1) = -lam*u(-1)"],
                a=0.5,
                b=-0.25,
            ),
            10,
            (N - 1) * (N + 0.25),
        ),
        Case(
            "spheroidal, c = 10",
            stated(
                "(1 - x^2)*u'' - 2*x*u' + (lam - c^2*x^2)*u = 0",
                (-1, 1),
                ["2*u'(1) = (lam - c^2)*u(1)", "2*u'(-1) = -(lam - c^2)*u(-1)"],
                c=10,
            ),
            8,
            [pro_cv(0, n, 10) for n in range(8)],
        ),
        Case(
            "Latzko",
            stated("(1 - x^7)*u'' - 7*x^6*u' + lam*x^7*u = 0", (0, 1), ["u(0) = 0", "7*u'(1) = lam*u(1)"]),
            3,
            None,
            points=(80, 100),
        ),
        Case("Klotter", stated("-u'' + 0.75/x^2*u = lam*64*pi^2/(9*x^6)*u", ("8/7", 8), between("8/7", 8)), 10, N**2),
        Case("Lohner: -1000 x", stated("-u'' - 1000*x*u = lam*u", (0, 1), between(0, 1)), 6, None, points=(80, 100)),
        Case(
            "Gelfand-Levitan, cut at 100",
            stated(f"-u'' + {GELFAND}*u = lam*u", (0, 100), ["u(0) + u'(0) = 0", "u(100) = 0"]),
            10,
            None,
        ),
        Case("Woods-Saxon", stated(f"-u'' + {SAXON}*u = lam*u", (0, 25), between(0, 25)), 10, None, points=(200, 256)),
        Case(
            "Marletta, to infinity",
            stated(f"-u'' + {MARLETTA}*u = lam*u", (0, "inf"), ["5*u(0) + 8*u'(0) = 0", "u(inf) = 0"]),
            1,
            [-1.185214105],
            known=5e-10,
            cut=stated(f"-u'' + {MARLETTA}*u = lam*u", (0, 25), ["5*u(0) + 8*u'(0) = 0", "u(25) = 0"]),
        ),
        Case(
            "radial oscillator, to infinity",
            stated("-x^2*u'' + (x^4 + 2)*u = lam*x^2*u", (0, "inf"), between(0, "inf")),
            6,
            4 * N[:6] + 1,
            cut=stated("-x^2*u'' + (x^4 + 2)*u = lam*x^2*u", (0, 9), between(0, 9)),
        ),
        Case(
            "x^4 - 25 x^2, close pairs",
            stated("-u'' + (x^4 - 25*x^2)*u = lam*u", ("-inf", "inf"), between("-inf", "inf")),
            6,
            None,
            cut=stated("-u'' + (x^4 - 25*x^2)*u = lam*u", (-8, 8), between(-8, 8)),
            points=(160, 200),
        ),
        Case(
            "hydrogen, l = 1, to infinity",
            stated("-u'' + (2/x^2 - 1/x)*u = lam*u", (0, "inf"), between(0, "inf")),
            4,
            [-0.25 / n**2 for n in range(2, 6)],
            cut=stated("-x^2*u'' + (2 - x)*u = lam*x^2*u", (0, 300), between(0, 300)),
        ),
        Case("weight with a jump", stated("-u'' = lam*where(x > 0.5, 2, 1)*u", (0, 1), between(0, 1)), 6, jumps(6)),
    ]
