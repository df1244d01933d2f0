"""solve_bvp of ours and of SciPy's, called alike: the same functions, guesses and tolerances, true errors and times.

The problems of SciPy's own tests, and ten of the classical set from a straight line on 50 nodes. Functions are written
once, as users write them, without Jacobians.
"""

import single_thread  # noqa: F401

# isort: split
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import inf, pi
from statistics import median
from time import process_time
from typing import Any

import numpy as np
from scipy.integrate import solve_bvp as theirs
from scipy.special import erf

import nonlinear_cases
from gated_xtfc.scipy import solve_bvp as ours
from measure import table

TOLERANCES = (1e-3, 1e-6, 1e-9)
REPEATS = 3


@dataclass(frozen=True)
class Call:
    """Arguments of solve_bvp, and the error of what it gives."""

    name: str
    arguments: dict[str, Any]
    error: Callable[[Any], float]


def at_points(exact: Callable[[np.ndarray], np.ndarray], left: float, right: float) -> Callable[[Any], float]:
    """The largest error of the first component."""
    x = np.linspace(left, right, 1001)
    return lambda found: float(np.abs(found.sol(x)[0] - exact(x)).max())


def scipys() -> Iterator[Call]:
    five = np.linspace(0, 1, 5)

    def decay(x, y):
        return np.vstack((y[1], y[0]))

    def decayed(x):
        return (np.exp(-x) - np.exp(x - 2)) / (1 - np.exp(-2))

    ends = {"bc": lambda a, b: np.hstack((a[0] - 1, b[0])), "x": five, "y": np.zeros((2, 5))}
    yield Call("no_params", {"fun": decay, **ends}, at_points(decayed, 0, 1))
    turned = {"bc": lambda a, b: np.hstack((a[0] - 1 - 1j, b[0])), "x": five, "y": np.zeros((2, 5), complex)}
    yield Call("complex", {"fun": decay, **turned}, at_points(lambda x: (1 + 1j) * decayed(x), 0, 1))
    x = np.linspace(0, pi, 10)
    string = {
        "fun": lambda x, y, p: np.vstack((y[1], -(p[0] ** 2) * y[0])),
        "bc": lambda a, b, p: np.hstack((a[0], b[0], a[1] - p[0])),
        "x": x,
        "y": np.vstack((np.sin(x), np.zeros(10))),
        "p": [0.5],
    }
    yield Call("with_params", string, at_points(np.sin, 0, pi))
    x = np.linspace(0, 1, 10)
    emden = {
        "fun": lambda x, y: np.vstack((y[1], -(y[0] ** 5))),
        "bc": lambda a, b: np.array([a[1], b[0] - (3 / 4) ** 0.5]),
        "S": np.array([[0.0, 0.0], [0.0, -2.0]]),
        "x": x,
        "y": np.vstack((np.full(10, (3 / 4) ** 0.5), np.full(10, 1e-4))),
    }
    yield Call("singular_term", emden, at_points(lambda x: (1 + x**2 / 3) ** -0.5, 0, 1))
    eps = 1e-3
    shock = {
        "fun": lambda x, y: np.vstack(
            (y[1], -(x * y[1] + eps * pi**2 * np.cos(pi * x) + pi * x * np.sin(pi * x)) / eps)
        ),
        "bc": lambda a, b: np.array([a[0] + 2, b[0]]),
        "x": np.linspace(-1, 1, 5),
        "y": np.zeros((2, 5)),
    }
    layer = at_points(lambda x: np.cos(pi * x) + erf(x / np.sqrt(2 * eps)) / erf(1 / np.sqrt(2 * eps)), -1, 1)
    yield Call("shock_layer", shock, layer)
    yield Call("nonlin_bc", electrodes(), _electrodes_error)

    def pairs(x, y):
        f = np.zeros_like(y)
        f[::2] = y[1::2]
        return f

    big = {"fun": pairs, "bc": lambda a, b: np.hstack((a[::2], b[1::2] - 1)), "x": five, "y": np.zeros((60, 5))}
    yield Call("big_problem, 60 fields", big, at_points(lambda x: x, 0, 1))

    def pendulums(x, y):
        f = np.zeros_like(y)
        f[::2], f[1::2] = y[1::2], -np.sin(y[::2])
        return f

    swing = {"fun": pendulums, "bc": lambda a, b: np.hstack((a[::2], b[::2] - 1)), "x": five, "y": np.zeros((60, 5))}
    one = theirs(
        pendulums, lambda a, b: np.hstack((a[0], b[0] - 1)), five, np.zeros((2, 5)), tol=1e-12, max_nodes=50_000
    )
    yield Call("30 pendulums, 60 fields", swing, at_points(lambda x: one.sol(x)[0], 0, 1))


def electrodes() -> dict[str, Any]:
    def bc(ya, yb):
        rise, fall = -ya[0], 0.5 - yb[0] - 1.0
        left = 0.01 * (np.exp(38.9 * rise) - np.exp(-38.9 * rise)) + 1.64 * ya[1]
        right = 1e-4 * (np.exp(38.9 * fall) - np.exp(-38.9 * fall)) - 1.64 * yb[1]
        return np.array([left, right])

    x = np.linspace(0, 0.1, 2)
    return {"fun": lambda x, y: np.stack([y[1], np.zeros_like(x)]), "bc": bc, "x": x, "y": np.zeros((2, 2))}


def _electrodes_error(found: Any) -> float:
    """The solution is a straight line: what it misses of the conditions."""
    return float(np.abs(electrodes()["bc"](found.sol(0.0), found.sol(0.1))).max())


def classical() -> Iterator[Call]:
    """The mildest member of each of ten problems."""
    first: dict[str, Any] = {}
    for case in nonlinear_cases.testset():
        first.setdefault(case.label.split(",")[0], case)
    for case in first.values():
        system = case.system

        def fun(x, y, system=system):
            return np.stack([row + np.zeros_like(x) for row in system.slope(x, y)])

        def bc(a, b, system=system):
            return np.array([(b if right else a)[row] - value for row, right, value in system.conditions])

        mesh = np.linspace(0, 1, 50)

        def error(found, case=case, system=system):
            values = found.sol(case.x)
            return case.error(lambda field: values[system.fields[field]])

        yield Call(f"classical {case.label}", {"fun": fun, "bc": bc, "x": mesh, "y": system.line(mesh)}, error)


def measured(solver: Callable[..., Any], call: Call, tol: float) -> tuple[float, float, int]:
    """True error, CPU seconds (median), status."""
    times, found = [], None
    for _ in range(REPEATS):
        begun = process_time()
        with np.errstate(all="ignore"):
            found = solver(**call.arguments, tol=tol, max_nodes=20_000)
        times.append(process_time() - begun)
    return (call.error(found) if found.success else inf), median(times), found.status


def measure() -> str:
    rows, totals, better, both = [], {tol: [0.0, 0.0] for tol in TOLERANCES}, 0, 0
    for call in (*scipys(), *classical()):
        ours(**call.arguments, max_nodes=20_000)  # warms up
        for tol in TOLERANCES:
            mine, other = measured(ours, call, tol), measured(theirs, call, tol)
            if np.isfinite(other[0]):
                both += 1
                better += mine[0] <= max(other[0], 1e-12)
            totals[tol][0] += mine[1]
            totals[tol][1] += other[1]
            rows.append(
                (
                    call.name,
                    f"{tol:.0e}",
                    *(f"{one[0]:.1e}" if np.isfinite(one[0]) else f"status {one[2]}" for one in (mine, other)),
                    *(f"{1e3 * one[1]:.1f}" for one in (mine, other)),
                )
            )
    sums = "; ".join(f"tol {tol:.0e}: {1e3 * own:.0f} and {1e3 * peer:.0f} ms" for tol, (own, peer) in totals.items())
    return (
        "`gated_xtfc.scipy.solve_bvp` and `scipy.integrate.solve_bvp`, called with the same functions, guesses and "
        "tolerances, no Jacobians given, at most 20,000 nodes. Errors are true ones, of the first component or of all "
        "fields of the classical set; times are CPU times.\n\n"
        f"{table(('problem', 'tol', 'error', 'error of SciPy', 'ms', 'ms of SciPy'), rows)}\n\n"
        f"Error not larger than SciPy's (or below 1e-12): {better} of the {both} that SciPy solves. Total times, ours "
        f"and SciPy's: {sums}."
    )


if __name__ == "__main__":
    print(measure())
