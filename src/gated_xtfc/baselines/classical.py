"""What a numerical analyst has at hand: SciPy's solve_bvp on a line, the fast sine transform on the unit square.

solve_bvp takes the equation as a first-order system y = (u, u', ...), with Jacobians:
u^(m) = -F(x, u, ..., u^(m-1), 0) / a_m, exact where the equation is linear in its highest derivative.

For Poisson's equation every scheme is diagonal in sines; with l_m = -(4/h^2) sin^2(m pi h/2), the symbol of the
second difference, it is
order 2: u_mn = f_mn/(l_m + l_n);   order 4 (compact): the nine-point star, f averaged likewise;
spectral: u_mn = -f_mn/(pi^2 (m^2 + n^2)).
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.fft import dstn, idstn

from gated_xtfc.baselines.surrogate import Surrogate
from gated_xtfc.errors import InputError
from gated_xtfc.operator.linearise import Jets, Operator
from gated_xtfc.problem.problem import Problem, require_interval
from gated_xtfc.types import Array

NAME = "solve_bvp"
PROBES = 201
SCHEMES = ("order 2", "order 4", "spectral")


def solve_bvp(problem: Problem, *, tol: float = 1e-6, nodes: int = 50, max_nodes: int = 100_000) -> Surrogate:
    """One equation, linear in its highest derivative, with conditions at the ends; begins with `nodes` equal ones."""
    from scipy import integrate  # slow to import, and only this one needs it

    begun = time.perf_counter()
    if len(problem.fields) > 1 or problem.unknown:
        raise InputError(f"{NAME} is used here for one equation without unknown constants: use the default solver")
    axis = require_interval(problem, f"{NAME} solves problems")
    system, ends = FirstOrder(problem), EndConditions.of(problem)
    x = np.linspace(axis.left, axis.right, nodes)
    with np.errstate(all="ignore"):
        found = integrate.solve_bvp(
            system.slope,
            lambda left, right: ends.at_left @ left + ends.at_right @ right - ends.values,
            x,
            ends.line(x),
            fun_jac=system.jacobian,
            bc_jac=lambda left, right: (ends.at_left, ends.at_right),
            tol=tol,
            max_nodes=max_nodes,
        )

    def evaluate(points: Array, order: int) -> Array:
        values: Array = found.sol(points)[order] if order < system.order else found.sol(points, 1)[order - 1]
        return values

    return Surrogate(
        name=NAME,
        problem=problem,
        evaluate=evaluate,
        neurons=found.x.size,
        points=found.x.size,
        seconds=time.perf_counter() - begun,
        settings={"tol": tol, "nodes": nodes, "max_nodes": max_nodes},
        details={"success": bool(found.success), "message": str(found.message), "iterations": int(found.niter)},
        status="surrogate" if found.success else "did not converge",
    )


class FirstOrder:
    """The equation as y' = slope(x, y) with y of shape (order, n)."""

    def __init__(self, problem: Problem) -> None:
        self.operator = Operator(problem)
        self.order = problem.order[problem.fields[0]]
        (axis,) = problem.axes
        x = np.linspace(axis.left, axis.right, PROBES)
        probe = np.stack([np.cos(x + j) for j in range(self.order)])
        low, high = (self._coefficients(x, probe, np.full_like(x, top))[-1] for top in (0.0, 1.0))
        if not np.array_equal(low, high, equal_nan=True):
            raise InputError(f"{NAME} needs an equation linear in its highest derivative: use the default solver")
        if problem.linear and not low.all():
            place = x[low == 0.0][0]
            raise InputError(f"{NAME} divides by the leading coefficient, which is zero at {axis.name} = {place:.6g}")

    def slope(self, x: Array, y: Array) -> Array:
        return np.concatenate([y[1:], self._highest(x, y)[None]])

    def jacobian(self, x: Array, y: Array) -> Array:
        """The derivatives of the slope by y, (order, order, n), by the implicit function theorem."""
        result = np.zeros((self.order, self.order, x.size))
        result[range(self.order - 1), range(1, self.order)] = 1.0
        *lower, leading = self._coefficients(x, y, self._highest(x, y))
        for j, a in enumerate(lower):
            result[-1, j] = -a / leading
        return result

    def _highest(self, x: Array, y: Array) -> Array:
        residual = self.operator.residuals((x,), self._jets(y, np.zeros_like(x)))[0]
        highest: Array = -residual.value / self._coefficients(x, y, np.zeros_like(x))[-1]
        return highest

    def _coefficients(self, x: Array, y: Array, highest: Array) -> list[Array]:
        return self.operator.at((x,), self._jets(y, highest)).by_order[0][0]

    @staticmethod
    def _jets(y: Array, highest: Array) -> Jets:
        return [{(j,): values for j, values in enumerate((*y, highest))}]


@dataclass(frozen=True, eq=False)
class EndConditions:
    """The conditions as at_left @ y(a) + at_right @ y(b) = values."""

    at_left: Array  # (conditions, order)
    at_right: Array
    values: Array  # (conditions,)

    @classmethod
    def of(cls, problem: Problem) -> "EndConditions":
        order, (axis,) = problem.order[problem.fields[0]], problem.axes
        sides = {axis.left: np.zeros((order, order)), axis.right: np.zeros((order, order))}
        for other in problem.nonlinear_conditions:
            raise InputError(f'{NAME} has linear conditions only, not "{other.text}"')
        for row, condition in enumerate(problem.conditions):
            if condition.integrals or any(term.point not in sides for term in condition.terms):
                raise InputError(f'{NAME} has conditions at the ends only, not "{condition.text}"')
            for term in condition.terms:
                sides[term.point][row, term.order] += term.weight
        values = np.array([condition.value for condition in problem.conditions])
        return cls(sides[axis.left], sides[axis.right], values)

    def line(self, x: Array) -> Array:
        """The straight line nearest to the conditions, where the solver begins, (order, n)."""
        order, length = self.at_left.shape[1], x[-1] - x[0]
        begin, end = np.zeros((order, 2)), np.zeros((order, 2))  # y of the lines 1 - s and s
        begin[0, 0], end[0, 1] = 1.0, 1.0
        if order > 1:
            begin[1], end[1] = [-1.0 / length, 1.0 / length], [-1.0 / length, 1.0 / length]
        heights, *_ = np.linalg.lstsq(self.at_left @ begin + self.at_right @ end, self.values)
        s = (x - x[0]) / length
        y = np.zeros((order, x.size))
        y[0] = (1.0 - s) * heights[0] + s * heights[1]
        if order > 1:
            y[1] = (heights[1] - heights[0]) / length
        return y


def sine_poisson(
    source: Callable[[Array, Array], Array], intervals: int, scheme: str = "order 2"
) -> tuple[Array, Array]:
    """Nodes of an axis (n + 1,), and u at the nodes (n + 1, n + 1): u_xx + u_yy = source(x, y), u = 0 on the sides."""
    if scheme not in SCHEMES or intervals < 2:
        raise InputError(f"{intervals} intervals by {scheme!r}: give at least 2, and one of {', '.join(SCHEMES)}")
    nodes = np.linspace(0.0, 1.0, intervals + 1)
    h, m = 1.0 / intervals, np.arange(1, intervals)
    right = np.broadcast_to(source(nodes[:, None], nodes), (nodes.size, nodes.size))
    inside = right[1:-1, 1:-1]
    if scheme == "order 4":
        beside = right[:-2, 1:-1] + right[2:, 1:-1] + right[1:-1, :-2] + right[1:-1, 2:]
        inside = (8.0 * inside + beside) / 12.0
    if scheme == "spectral":
        line = -((np.pi * m) ** 2)
        symbol = line[:, None] + line
    else:
        line = -((2.0 / h * np.sin(0.5 * np.pi * h * m)) ** 2)
        symbol = line[:, None] + line
        if scheme == "order 4":
            symbol = symbol + h**2 / 6.0 * np.outer(line, line)
    u = np.zeros((nodes.size, nodes.size))
    u[1:-1, 1:-1] = idstn(dstn(inside, type=1) / symbol, type=1)
    return nodes, u
