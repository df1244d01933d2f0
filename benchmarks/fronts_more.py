"""Problems that evolve whose solutions are not a text: closed formulas, or differences of eighth order on a fine grid.

The grids are uniform, with closures of the same order at the ends, and marched by LSODA at a tolerance of 1e-11:
nothing of this library is in them. Two grids tell how far they are converged.
"""

from collections.abc import Callable
from functools import cache

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from scipy.special import erf, ndtr

import gated_xtfc as gx
from fronts_cases import FrontCase

ORDER = 8
SHARP = 1e-11

Rates = Callable[[float, np.ndarray, np.ndarray, np.ndarray, np.ndarray], np.ndarray]


def weights(offsets: np.ndarray, order: int) -> np.ndarray:
    """Of a derivative at zero from values at offsets, by the moments."""
    powers = np.vander(offsets, increasing=True).T
    right = np.zeros(offsets.size)
    right[order] = float(order)  # order! for orders one and two
    return np.linalg.solve(powers, right)


@cache
def differences(count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Stencils (n, q + 1) and weights of both derivatives on a uniform grid of spacing one."""
    first = np.clip(np.arange(count) - ORDER // 2, 0, count - 1 - ORDER)
    near = first[:, None] + np.arange(ORDER + 1)
    kinds = {
        int(k): [weights(np.arange(ORDER + 1.0) - k, o) for o in (1, 2)] for k in np.unique(np.arange(count) - first)
    }
    one, two = (np.stack([kinds[int(k)][o] for k in np.arange(count) - first]) for o in (0, 1))
    return near, one, two


class GridReference:
    """u (m, n) at any place and at given times, by the method of lines with conditions at the ends.

    `ends` are for each end and field "slope" (zero), a value as a function of time, or None where the equation itself
    holds at the end.
    """

    def __init__(
        self, rates: Rates, start: Callable[[np.ndarray], np.ndarray], ends: tuple[list, list],
        span: tuple[float, float], times: np.ndarray, count: int, begin: float = 0.0,
    ) -> None:  # fmt: skip
        self.x = np.linspace(*span, count)
        h = self.x[1] - self.x[0]
        near, one, two = differences(count)
        u = start(self.x)
        fields = len(u)

        def fill(t: float, u: np.ndarray) -> None:
            for end, (site, own) in zip(ends, ((0, 0), (-1, -1)), strict=True):
                for f, kind in enumerate(end):
                    if kind == "slope":
                        w = one[own]
                        at = 0 if site == 0 else ORDER
                        rest = np.delete(np.arange(ORDER + 1), at)
                        u[f, site] = -(w[rest] @ u[f, near[own][rest]]) / w[at]
                    elif kind is not None:
                        u[f, site] = kind(t)

        def rate(t: float, flat: np.ndarray) -> np.ndarray:
            u = flat.reshape(-1, fields).T.copy()
            fill(t, u)
            u_x = np.einsum("nk,fnk->fn", one, u[:, near]) / h
            u_xx = np.einsum("nk,fnk->fn", two, u[:, near]) / h**2
            found = rates(t, self.x, u, u_x, u_xx)
            for end, site in zip(ends, (0, -1), strict=True):
                for f, kind in enumerate(end):
                    if kind is not None:
                        found[f, site] = 0.0
            return found.T.ravel()

        band = fields * (ORDER + 1)
        found = solve_ivp(
            rate, (begin, float(times[-1])), u.T.ravel(), "LSODA", rtol=SHARP, atol=SHARP, t_eval=times,
            lband=band, uband=band,
        )  # fmt: skip
        if not found.success:
            raise RuntimeError(found.message)
        self.times, self.values = times, []
        for t, flat in zip(times, found.y.T, strict=True):
            u = flat.reshape(-1, fields).T.copy()
            fill(float(t), u)
            self.values.append(u)

    def at(self, x: np.ndarray, t: float) -> np.ndarray:
        """By polynomials of order eight through the nearest points, (m, p)."""
        u = self.values[int(np.argmin(np.abs(self.times - t)))]
        h = self.x[1] - self.x[0]
        first = np.clip(((x - self.x[0]) / h).astype(int) - ORDER // 2, 0, self.x.size - 1 - ORDER)
        away = (x - self.x[first]) / h
        node = np.arange(ORDER + 1.0)
        share = np.stack(
            [np.prod([(away - o) / (k - o) for o in node if o != k], axis=0) for k in node]
        )  # Lagrange's polynomials
        return np.einsum("kp,fpk->fp", share, u[:, first[:, None] + np.arange(ORDER + 1)])


def referenced(
    name: str, problem: gx.Problem, rates: Rates, start: Callable[[np.ndarray], np.ndarray], ends: tuple[list, list],
    counts: tuple[int, int], parts: tuple[float, ...] = (0.3, 0.6, 1.0), peer: Rates | None = None,
) -> FrontCase:  # fmt: skip
    """A case with a reference on two grids, at some parts of its time."""
    evolution = problem.evolution
    assert evolution is not None
    span = evolution.space.left, evolution.space.right
    times = evolution.time.left + evolution.time.length * np.array(parts)
    made: list[GridReference] = []

    def both() -> list[GridReference]:
        if not made:
            made.extend(GridReference(rates, start, ends, span, times, n, evolution.time.left) for n in counts)
        return made

    def exact(x: np.ndarray, t: float) -> np.ndarray:
        return both()[1].at(x, t)

    def doubt() -> float:
        coarse, fine = both()
        return max(float(np.abs(coarse.at(fine.x, t) - u).max()) for t, u in zip(times, fine.values, strict=True))

    return FrontCase(name, problem, exact, tuple(times), doubt, rates, ends, start)


def allen_cahn(eps: float) -> FrontCase:
    """Two fronts that attract each other and annihilate."""
    text = "tanh((x - 0.45)/(sqrt(2)*eps)) - tanh((x - 0.55)/(sqrt(2)*eps)) - 1"
    conditions = [f"u(x, 0) = {text}", "u_x(0, t) = 0", "u_x(1, t) = 0"]
    problem = gx.Problem("u_t = eps*u_xx + (u - u^3)/eps", {"x": (0, 1), "t": (0, 0.4)}, conditions, eps=eps)

    def rates(t: float, x: np.ndarray, u: np.ndarray, u_x: np.ndarray, u_xx: np.ndarray) -> np.ndarray:
        return eps * u_xx + (u - u**3) / eps

    def start(x: np.ndarray) -> np.ndarray:
        d = np.sqrt(2) * eps
        return (np.tanh((x - 0.45) / d) - np.tanh((x - 0.55) / d) - 1.0)[None]

    return referenced(
        "annihilation", problem, rates, start, (["slope"], ["slope"]), (1201, 1801), (0.05, 0.15, 0.3, 1.0)
    )


def flame(damkohler: float) -> FrontCase:
    """Dwyer and Sanders' flame, ignited by a wall whose temperature rises and then stays."""
    heated = "where(t < 2e-4, 0.2 + t/2e-4, 1.2)"
    conditions = [
        "d(x, 0) = 1",
        "T(x, 0) = 0.2",
        "d_x(0, t) = 0",
        "T_x(0, t) = 0",
        "d_x(1, t) = 0",
        f"T(1, t) = {heated}",
    ]
    equations = ["d_t = d_xx - D*d*exp(-4/T)", "T_t = T_xx + D*d*exp(-4/T)"]
    problem = gx.Problem(equations, {"x": (0, 1), "t": (0, 0.006)}, conditions, D=damkohler)

    def rates(t: float, x: np.ndarray, u: np.ndarray, u_x: np.ndarray, u_xx: np.ndarray) -> np.ndarray:
        burnt = damkohler * u[0] * np.exp(-4.0 / np.maximum(u[1], 1e-2))
        return np.stack([u_xx[0] - burnt, u_xx[1] + burnt])

    def start(x: np.ndarray) -> np.ndarray:
        return np.stack([np.ones_like(x), np.full_like(x, 0.2)])

    wall = lambda t: 0.2 + t / 2e-4 if t < 2e-4 else 1.2  # noqa: E731
    return referenced("flame", problem, rates, start, (["slope", "slope"], ["slope", wall]), (1501, 2201))


def pulse(_: float) -> FrontCase:
    """A pulse of FitzHugh and Nagumo's equations."""
    equations = ["v_t = v_xx + v*(1 - v)*(v - 0.1) - w", "w_t = 0.01*(v - 2*w)"]
    first = "exp(-((x - 10)/5)^2)"
    conditions = [f"v(x, 0) = {first}", "w(x, 0) = 0", "v_x(0, t) = 0", "v_x(100, t) = 0"]
    problem = gx.Problem(equations, {"x": (0, 100), "t": (0, 100)}, conditions)

    def rates(t: float, x: np.ndarray, u: np.ndarray, u_x: np.ndarray, u_xx: np.ndarray) -> np.ndarray:
        return np.stack([u_xx[0] + u[0] * (1 - u[0]) * (u[0] - 0.1) - u[1], 0.01 * (u[0] - 2 * u[1])])

    def start(x: np.ndarray) -> np.ndarray:
        return np.stack([np.exp(-(((x - 10) / 5) ** 2)), np.zeros_like(x)])

    return referenced("FitzHugh-Nagumo pulse", problem, rates, start, (["slope", None], ["slope", None]), (801, 1201))


def buckley_leverett(eps: float) -> FrontCase:
    first = "0.5 - 0.5*tanh((x - 0.2)/0.05)"
    flux = "4*u*(1 - u)/(2*u^2 - 2*u + 1)^2/2"  # of u^2/(u^2 + (1 - u)^2), its slope
    conditions = [
        f"u(x, 0) = {first}",
        f"u(0, t) = {float(0.5 - 0.5 * np.tanh(-4.0))!r}",
        f"u(1, t) = {float(0.5 - 0.5 * np.tanh(16.0))!r}",
    ]
    problem = gx.Problem(f"u_t + {flux}*u_x = eps*u_xx", {"x": (0, 1), "t": (0, 0.4)}, conditions, eps=eps)

    def rates(t: float, x: np.ndarray, u: np.ndarray, u_x: np.ndarray, u_xx: np.ndarray) -> np.ndarray:
        return eps * u_xx - 2 * u * (1 - u) / (2 * u**2 - 2 * u + 1) ** 2 * u_x

    def start(x: np.ndarray) -> np.ndarray:
        return (0.5 - 0.5 * np.tanh((x - 0.2) / 0.05))[None]

    left, right = (lambda t: 0.5 - 0.5 * np.tanh(-4.0)), (lambda t: 0.5 - 0.5 * np.tanh(16.0))
    return referenced("Buckley-Leverett", problem, rates, start, ([left], [right]), (1601, 2401))


def richards(alpha: float) -> FrontCase:
    """A wetting front, with the conductivity exp(alpha h) and the water content 0.3 exp(alpha h)."""
    first = "-1 + 0.5*(1 - tanh((x - 0.1)/0.03))"
    dry, wet = (float(-1.0 + 0.5 * (1 - np.tanh((x - 0.1) / 0.03))) for x in (1.0, 0.0))
    conditions = [f"h(x, 0) = {first}", f"h(0, t) = {wet!r}", f"h(1, t) = {dry!r}"]
    equation = "0.3*alpha*h_t = h_xx + alpha*h_x*(h_x - 1)"  # divided by exp(alpha h); x points down
    problem = gx.Problem(equation, {"x": (0, 1), "t": (0, 0.06)}, conditions, alpha=alpha)

    def rates(t: float, x: np.ndarray, u: np.ndarray, u_x: np.ndarray, u_xx: np.ndarray) -> np.ndarray:
        return (u_xx + alpha * u_x * (u_x - 1.0)) / (0.3 * alpha)

    def start(x: np.ndarray) -> np.ndarray:
        return (-1 + 0.5 * (1 - np.tanh((x - 0.1) / 0.03)))[None]

    return referenced(
        "Richards' wetting front", problem, rates, start, ([lambda t: wet], [lambda t: dry]), (2001, 3001)
    )


def stefan(number: float) -> FrontCase:
    """Melting, in y = x/s(t): u_t = u_yy/s^2 + y s'/s u_y, s s' = -St u_y(1); Neumann's solution from t = 1 on."""
    grow = brentq(lambda a: np.sqrt(np.pi) * a * np.exp(a * a) * erf(a) - number, 1e-6, 5.0)
    equations = ["s^2*u_t = u_yy + y*q*u_y", "s*s_t = q", "q_y = 0"]
    conditions = [
        f"u(y, 1) = 1 - erf({grow!r}*y)/{float(erf(grow))!r}", f"s(y, 1) = {2 * grow!r}", "u(0, t) = 1", "u(1, t) = 0",
        f"q(1, t) = -{number!r}*u_y(1, t)",
    ]  # fmt: skip
    problem = gx.Problem(equations, {"y": (0, 1), "t": (1, 5)}, conditions)

    def exact(y: np.ndarray, t: float) -> np.ndarray:
        one = np.ones_like(y)
        found = {"u": 1 - erf(grow * y) / erf(grow), "s": 2 * grow * np.sqrt(t) * one, "q": 2 * grow**2 * one}
        return np.stack([found[name] for name in problem.fields])

    return FrontCase("Stefan's problem", problem, exact)


def barrier(expiry: float) -> FrontCase:
    """An up-and-out call by its closed formula; the payoff has a kink, and leaps at the barrier."""
    strike, wall, rate, sigma, low = 100.0, 120.0, 0.05, 0.2, 60.0
    conditions = ["V(S, 0) = max(S - 100, 0)", "V(60, t) = 0", "V(120, t) = 0"]
    equation = "V_t = 0.5*0.2^2*S^2*V_SS + 0.05*S*V_S - 0.05*V"
    problem = gx.Problem(equation, {"S": (low, wall), "t": (0, expiry)}, conditions)

    def exact(s: np.ndarray, t: float) -> np.ndarray:
        root, power = sigma * np.sqrt(t), 2.0 * rate / sigma**2

        def call(s: np.ndarray, level: float) -> np.ndarray:
            d = (np.log(s / level) + (rate + 0.5 * sigma**2) * t) / root
            return s * ndtr(d) - strike * np.exp(-rate * t) * ndtr(d - root)

        def between(s: np.ndarray) -> np.ndarray:
            return call(s, strike) - call(s, wall)

        return between(s) - (wall / s) ** (power - 1.0) * between(wall**2 / s)

    return FrontCase("option with a barrier", problem, exact)


MORE = [
    (allen_cahn, 2e-2), (flame, 3.52e6), (pulse, 1.0), (buckley_leverett, 1e-2), (richards, 10.0), (stefan, 1.0),
    (barrier, 0.02), (barrier, 0.002),
]  # fmt: skip
