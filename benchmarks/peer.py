"""scipy.integrate.solve_bvp on the same problems, as a good user would write them: u'' = g - p u' - q u, y = (u, s u').

Coefficients are plain numbers or hand-written NumPy functions of x, the Jacobians are given, everything is vectorised:
nothing of our text reader runs inside the peer. s = 1 is the textbook form; s = sqrt(eps) keeps both unknowns of
moderate size in a layer, which helps solve_bvp in some cases and is known only to who knows the layer beforehand.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, pi, sin, sqrt
from time import perf_counter

import numpy as np
from scipy.integrate import solve_bvp

Coefficient = float | Callable[[np.ndarray], np.ndarray]
TOLERANCES = tuple(10.0**-digits for digits in range(3, 12))
MAX_NODES = 200_000


class TimeUpError(Exception):
    pass


@dataclass(frozen=True)
class System:
    p: Coefficient
    q: Coefficient
    g: Coefficient
    ends: tuple[float, float]
    values: tuple[float, float]

    def solve(self, tol: float, scaling: float = 1.0, limit: float = np.inf):
        """solve_bvp from 50 equal points and a straight line; TimeUpError once `limit` seconds have passed."""
        (left, right), (u_left, u_right), (p, q, g) = self.ends, self.values, (self.p, self.q, self.g)
        p_varies, q_varies, g_varies = callable(p), callable(q), callable(g)
        deadline = perf_counter() + limit

        def slope(x, y):
            if perf_counter() > deadline:
                raise TimeUpError
            out = np.empty_like(y)
            out[0] = y[1] / scaling
            out[1] = (g(x) if g_varies else g) - (q(x) if q_varies else q) * y[0]
            out[1] = scaling * out[1] - (p(x) if p_varies else p) * y[1]
            return out

        def slope_jacobian(x, y):
            out = np.empty((2, 2, x.size))
            out[0, 0], out[0, 1] = 0.0, 1 / scaling
            out[1, 0] = -scaling * (q(x) if q_varies else q)
            out[1, 1] = -p(x) if p_varies else -p
            return out

        def ends(y_left, y_right):
            return np.array([y_left[0] - u_left, y_right[0] - u_right])

        at_left, at_right = np.array([[1.0, 0.0], [0.0, 0.0]]), np.array([[0.0, 0.0], [1.0, 0.0]])
        mesh = np.linspace(left, right, 50)
        line = np.vstack((np.linspace(u_left, u_right, 50), np.full(50, scaling * (u_right - u_left) / (right - left))))
        return solve_bvp(
            slope,
            ends,
            mesh,
            line,
            tol=tol,
            max_nodes=MAX_NODES,
            fun_jac=slope_jacobian,
            bc_jac=lambda y_left, y_right: (at_left, at_right),
        )


def convection_diffusion(nu: float) -> System:
    return System(-1 / nu, 0.0, 0.0, (0.0, 1.0), (0.0, 1.0))


def twin_layers(nu: float) -> System:
    return System(lambda x: (2 - 4 * x) / nu, -4 / nu, 0.0, (0.0, 1.0), (1.0, 1.0))


def oscillation(eps: float) -> System:
    return System(0.0, pi**2 / 4 / eps**2, 0.0, (0.0, 1.0), (0.0, sin(pi / (2 * eps))))


def bvp_1(eps: float) -> System:
    return System(0.0, -1 / eps, 0.0, (0.0, 1.0), (1.0, 0.0))


def bvp_2(eps: float) -> System:
    return System(-1 / eps, 0.0, 0.0, (0.0, 1.0), (1.0, 0.0))


def bvp_3(eps: float) -> System:
    def source(x):
        c = np.cos(pi * x)
        return (-(1 + eps * pi**2) * c - (2 + c) * pi * np.sin(pi * x)) / eps

    return System(lambda x: (2 + np.cos(pi * x)) / eps, -1 / eps, source, (-1.0, 1.0), (-1.0, -1.0))


def bvp_4(eps: float) -> System:
    return System(1 / eps, -(1 + eps) / eps, 0.0, (-1.0, 1.0), (1 + exp(-2), 1 + exp(-2 * (1 + eps) / eps)))


def bvp_6(eps: float) -> System:
    def source(x):
        return -(pi**2) * np.cos(pi * x) - pi * x / eps * np.sin(pi * x)

    return System(lambda x: x / eps, 0.0, source, (-1.0, 1.0), (-2.0, 0.0))


def bvp_7(eps: float) -> System:
    def source(x):
        return (-(1 + eps * pi**2) * np.cos(pi * x) - pi * x * np.sin(pi * x)) / eps

    return System(lambda x: x / eps, -1 / eps, source, (-1.0, 1.0), (-1.0, 1.0))


def bvp_9(eps: float) -> System:
    end = 1 / (1 + eps)
    return System(lambda x: 4 * x / (eps + x * x), lambda x: 2 / (eps + x * x), 0.0, (-1.0, 1.0), (end, end))


def bvp_14(eps: float) -> System:
    return System(0.0, -1 / eps, lambda x: -(1 / eps + pi**2) * np.cos(pi * x), (-1.0, 1.0), (0.0, 0.0))


def bvp_15(eps: float) -> System:
    return System(0.0, lambda x: x * (-1 / eps), 0.0, (-1.0, 1.0), (1.0, 1.0))


def bvp_17(eps: float) -> System:
    def reaction(x):
        square = eps + x * x
        return 3 * eps / (square * square)

    end = 0.1 / sqrt(eps + 0.01)
    return System(0.0, reaction, 0.0, (-0.1, 0.1), (-end, end))


TESTSET = {1: bvp_1, 2: bvp_2, 3: bvp_3, 4: bvp_4, 6: bvp_6, 7: bvp_7, 9: bvp_9, 14: bvp_14, 15: bvp_15, 17: bvp_17}
