"""scipy.integrate.solve_bvp on the nonlinear test problems, as a good user would write them: y = (u, u', ...).

Slopes and Jacobians are hand-written and vectorised; nothing of our text reader runs inside the peer. It starts from a
straight line through the end values (zero for what the conditions leave open) on 50 equal points.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import pi
from time import perf_counter

import numpy as np
from scipy.integrate import solve_bvp

from peer import TimeUpError

MAX_NODES = 100_000
END_VALUES = {25: (-1 / 3, 1 / 3), 26: (1.0, -1 / 3), 30: (-7 / 6, 3 / 2)}


@dataclass(frozen=True)
class System:
    slope: Callable[[np.ndarray, np.ndarray], list]  # rows of y'
    partials: Callable[[np.ndarray, np.ndarray], dict]  # {(row, column): dy'/dy}, those that are not zero
    size: int
    conditions: tuple[tuple[int, bool, float], ...]  # (component, at the right end?, value)
    fields: dict[str, int]  # component of each field

    def line(self, x: np.ndarray) -> np.ndarray:
        y = np.zeros((self.size, x.size))
        for k in range(self.size):
            left = [value for row, right, value in self.conditions if row == k and not right]
            right = [value for row, right, value in self.conditions if row == k and right]
            if left and right:
                y[k] = left[0] + (right[0] - left[0]) * (x - x[0]) / (x[-1] - x[0])
                if k + 1 < self.size and len(self.fields) == 1:
                    y[k + 1] = (right[0] - left[0]) / (x[-1] - x[0])
                    break
        return y

    def solve(self, tol: float, limit: float = np.inf):
        """TimeUpError once `limit` seconds have passed."""
        deadline = perf_counter() + limit

        def slope(x, y):
            if perf_counter() > deadline:
                raise TimeUpError
            out = np.empty_like(y)
            for row, values in enumerate(self.slope(x, y)):
                out[row] = values
            return out

        def slope_jacobian(x, y):
            out = np.zeros((self.size, self.size, x.size))
            for place, values in self.partials(x, y).items():
                out[place] = values
            return out

        def ends(left, right):
            return np.array([(right if at_right else left)[row] - value for row, at_right, value in self.conditions])

        sides = np.zeros((2, self.size, self.size))
        for i, (row, at_right, _) in enumerate(self.conditions):
            sides[int(at_right), i, row] = 1.0
        mesh = np.linspace(0.0, 1.0, 50)
        return solve_bvp(
            slope,
            ends,
            mesh,
            self.line(mesh),
            tol=tol,
            max_nodes=MAX_NODES,
            fun_jac=slope_jacobian,
            bc_jac=lambda left, right: (sides[0], sides[1]),
        )


def second_order(curvature, by_u, by_slope, left: float, right: float) -> System:
    """u'' = curvature(x, u, u') with its two partial derivatives; u given at both ends."""
    return System(
        lambda x, y: [y[1], curvature(x, y[0], y[1])],
        lambda x, y: {(0, 1): 1.0, (1, 0): by_u(x, y[0], y[1]), (1, 1): by_slope(x, y[0], y[1])},
        2,
        ((0, False, left), (0, True, right)),
        {"u": 0},
    )


def bvp_19(eps: float) -> System:
    def source(x):
        return pi / 2 * np.sin(pi * x / 2)

    return second_order(
        lambda x, u, s: (source(x) * np.exp(2 * u) - np.exp(u) * s) / eps,
        lambda x, u, s: (2 * source(x) * np.exp(2 * u) - np.exp(u) * s) / eps,
        lambda x, u, s: -np.exp(u) / eps,
        0.0,
        0.0,
    )


def bvp_20(eps: float) -> System:
    def end(distance: float) -> float:  # 1 + eps log cosh(distance/eps), without overflow
        return 1 + distance + eps * (np.log1p(np.exp(-2 * distance / eps)) - np.log(2.0))

    return second_order(
        lambda x, u, s: (1 - s * s) / eps, lambda x, u, s: 0.0, lambda x, u, s: -2 * s / eps, end(0.745), end(0.255)
    )


def bvp_22(eps: float) -> System:
    return second_order(
        lambda x, u, s: -(s + u * u) / eps, lambda x, u, s: -2 * u / eps, lambda x, u, s: -1 / eps, 0.0, 0.5
    )


def bvp_23(eps: float) -> System:
    return second_order(
        lambda x, u, s: np.sinh(u / eps) / eps,
        lambda x, u, s: np.cosh(u / eps) / eps**2,
        lambda x, u, s: 0.0,
        0.0,
        1.0,
    )


def quasilinear(number: int) -> Callable[[float], System]:
    return lambda eps: second_order(
        lambda x, u, s: u * (1 - s) / eps,
        lambda x, u, s: (1 - s) / eps,
        lambda x, u, s: -u / eps,
        *END_VALUES[number],
    )


def bvp_31(eps: float) -> System:
    def slope(x, y):
        z, theta, m, q = y
        bend = (z - 1) * np.cos(theta) - m * (1 / np.cos(theta) + eps * q * np.tan(theta))
        return [np.sin(theta), m, -q / eps, bend / eps]

    def partials(x, y):
        z, theta, m, q = y
        sine, cosine, tangent = np.sin(theta), np.cos(theta), np.tan(theta)
        return {
            (0, 1): cosine,
            (1, 2): 1.0,
            (2, 3): -1 / eps,
            (3, 0): cosine / eps,
            (3, 1): (-(z - 1) * sine - m * (sine + eps * q) / cosine**2) / eps,
            (3, 2): -(1 / cosine + eps * q * tangent) / eps,
            (3, 3): -m * tangent,
        }

    conditions = ((0, False, 0.0), (2, False, 0.0), (0, True, 0.0), (2, True, 0.0))
    return System(slope, partials, 4, conditions, {"z": 0, "theta": 1, "M": 2, "Q": 3})


def bvp_32(eps: float) -> System:
    return System(
        lambda x, y: [y[1], y[2], y[3], (y[1] * y[2] - y[0] * y[3]) / eps],
        lambda x, y: {
            (0, 1): 1.0,
            (1, 2): 1.0,
            (2, 3): 1.0,
            (3, 0): -y[3] / eps,
            (3, 1): y[2] / eps,
            (3, 2): y[1] / eps,
            (3, 3): -y[0] / eps,
        },
        4,
        ((0, False, 0.0), (1, False, 0.0), (0, True, 1.0), (1, True, 0.0)),
        {"u": 0},
    )


def bvp_34(eps: float) -> System:
    return second_order(
        lambda x, u, s: -eps * np.exp(u), lambda x, u, s: -eps * np.exp(u), lambda x, u, s: 0.0, 0.0, 0.0
    )


TESTSET = {
    19: bvp_19,
    20: bvp_20,
    22: bvp_22,
    23: bvp_23,
    25: quasilinear(25),
    26: quasilinear(26),
    30: quasilinear(30),
    31: bvp_31,
    32: bvp_32,
    34: bvp_34,
}
