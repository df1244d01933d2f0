"""Nonlinear problems without a guess that take more than plain Newton steps, and long initial value problems."""

import single_thread  # noqa: F401

# isort: split
from collections.abc import Callable
from time import process_time

import numpy as np
from scipy.integrate import solve_bvp, solve_ivp

import gated_xtfc as gx
from measure import table

LINE = {"x": (0, 1)}
ENDS = ["u(0) = 0", "u(1) = 1"]
PELLET = "u'' = p^2*u*exp(g*b*(1 - u)/(1 + b*(1 - u)))"
BOUNDARY = {
    "shock, 0.01 in the text": gx.Problem("0.01*u'' + u*u' - u = 0", LINE, ["u(0) = -7/6", "u(1) = 3/2"]),
    "shock, 0.001 in the text": gx.Problem("0.001*u'' + u*u' - u = 0", LINE, ["u(0) = -7/6", "u(1) = 3/2"]),
    "standing wave, 1e-4 in the text": gx.Problem("1e-4*u'' - u*u' = 0", {"x": (-1, 1)}, ["u(-1) = 1", "u(1) = -1"]),
    "Carrier, 0.01 in the text": gx.Problem("0.01*u'' + 2*(1-x^2)*u + u^2 = 1", {"x": (-1, 1)}, ["u(-1)=0", "u(1)=0"]),
    "Michaelis-Menten, K = 0.01": gx.Problem("u'' = k*u/(K + u)", LINE, ["u'(0) = 0", "u(1) = 1"], k=10, K=0.01),
    "Michaelis-Menten, K = 1e-3": gx.Problem("u'' = k*u/(K + u)", LINE, ["u'(0) = 0", "u(1) = 1"], k=100, K=1e-3),
    "Troesch, 20": gx.Problem("u'' = k*sinh(k*u)", LINE, ENDS, k=20),
    "Troesch, 50": gx.Problem("u'' = k*sinh(k*u)", LINE, ENDS, k=50),
    "electro-osmosis": gx.Problem("u'' = a*sinh(z*u)", LINE, ["u(0) = 10", "u'(1) = 0"], a=1, z=4),
    "van der Pol between two ends, mu = 20": gx.Problem(
        "u'' = mu*(1 - u^2)*u' - u", {"x": (0, 2)}, ["u(0) = 0", "u(2) = 1"], mu=20
    ),
    "exp(u) from 30": gx.Problem("u'' = exp(u)", LINE, ["u(0) = 30", "u(1) = 0"]),
    "u^3 from 100": gx.Problem("u'' = u^3", LINE, ["u(0) = 100", "u(1) = 0"]),
    "catalyst pellet": gx.Problem(PELLET, LINE, ["u'(0) = 0", "u(1) = 1"], p=1, g=20, b=0.2),
    "catalyst pellet, steep": gx.Problem(PELLET, LINE, ["u'(0) = 0", "u(1) = 1"], p=10, g=40, b=0.4),
    "elastica": gx.Problem("u'' = -F*sin(u)", LINE, ["u(0) = 1", "u'(1) = 0"], F=30),
    "pendulum": gx.Problem("u'' = -30*sin(u)", {"x": (0, 3)}, ["u(0) = 1", "u(3) = -1"]),
    "radiating slab": gx.Problem("u'' = 0.1*u", LINE, ["u'(0) = 5*(u(0)^4 - 16)", "u'(1) = -3*u(1)^4"]),
    "Duffing, forced": gx.Problem("u'' + u + 8*u^3 = 40*cos(x)", {"x": (0, 10)}, ["u(0) = 1", "u(10) = 1"]),
    "curvature": gx.Problem("u'' = 30*(1 + u'^2)^1.5*u", LINE, ["u(0) = 1", "u(1) = 1"]),
}


def van_der_pol(mu: float) -> Callable[[float, np.ndarray], list[float]]:
    return lambda t, y: [y[1], mu * (1 - y[0] ** 2) * y[1] - y[0]]


def lorenz(t: float, y: np.ndarray) -> list[float]:
    return [10 * (y[1] - y[0]), y[0] * (28 - y[2]) - y[1], y[0] * y[1] - 8 / 3 * y[2]]


def kepler(t: float, y: np.ndarray) -> list[float]:
    cube = (y[0] ** 2 + y[1] ** 2) ** 1.5
    return [y[2], y[3], -y[0] / cube, -y[1] / cube]


OSCILLATOR, BEGIN = "u'' - mu*(1 - u^2)*u' + u = 0", ["u(0) = 2", "u'(0) = 0"]
LORENZ, ORIGIN = ["x' = 10*(y - x)", "y' = x*(28 - z) - y", "z' = x*y - 8/3*z"], ["x(0)=1", "y(0)=1", "z(0)=1"]
ORBIT = ["x'' = -x/(x^2 + y^2)^1.5", "y'' = -y/(x^2 + y^2)^1.5"]
INITIAL = {
    "van der Pol, mu = 1, 100": (gx.Problem(OSCILLATOR, {"t": (0, 100)}, BEGIN, mu=1), van_der_pol(1), [2, 0]),
    "van der Pol, mu = 10, 50": (gx.Problem(OSCILLATOR, {"t": (0, 50)}, BEGIN, mu=10), van_der_pol(10), [2, 0]),
    "van der Pol, mu = 100, 200": (gx.Problem(OSCILLATOR, {"t": (0, 200)}, BEGIN, mu=100), van_der_pol(100), [2, 0]),
    "pendulum, 50": (
        gx.Problem("u'' = -sin(u)", {"t": (0, 50)}, ["u(0) = 3", "u'(0) = 0"]),
        lambda t, y: [y[1], -np.sin(y[0])],
        [3, 0],
    ),
    "Lorenz, 5": (gx.Problem(LORENZ, {"t": (0, 5)}, ORIGIN), lorenz, [1, 1, 1]),
    "Lorenz, 10": (gx.Problem(LORENZ, {"t": (0, 10)}, ORIGIN), lorenz, [1, 1, 1]),
    "Kepler, eccentricity 0.6, four orbits": (
        gx.Problem(ORBIT, {"t": (0, "8*pi")}, ["x(0) = 0.4", "y(0) = 0", "x'(0) = 0", "y'(0) = 2"]),
        kepler,
        [0.4, 0, 0, 2],
    ),
}


def way(solution: gx.Solution) -> str:
    """How the solution was come by, as its message tells."""
    return solution.message.rpartition("; ")[2] if solution.converged else solution.message[:90]


def collocated(problem: gx.Problem, solution: gx.Solution) -> float | None:
    """The distance from what solve_bvp makes of the solution as a guess; None where it does not converge."""
    (axis,), (name,) = problem.axes, problem.fields
    equation = problem.equations[0]
    state = {(name, (j,)): 0.0 for j in (0, 1, 2)}

    def right(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        known = {**state, (name, (0,)): y[0], (name, (1,)): y[1]}
        rest = equation.residual((x,), known)
        lead = equation.residual((x,), {**known, (name, (2,)): 1.0}) - rest
        return np.stack([y[1], -rest / lead])

    if problem.nonlinear_conditions:
        return None

    def ends(left: np.ndarray, right: np.ndarray) -> np.ndarray:
        sides = {axis.left: left, axis.right: right}
        return np.array(
            [sum(t.weight * sides[t.point][t.order] for t in one.terms) - one.value for one in problem.conditions]
        )

    x = solution.points(2001)
    guess = np.stack([solution(x), solution(x, 1)])
    with np.errstate(all="ignore"):  # where it goes astray it says so
        found = solve_bvp(right, ends, x, guess, tol=1e-9, max_nodes=200_000)
    if not found.success:
        return None
    return float(np.abs(found.sol(x)[0] - solution(x)).max()) / solution.scale


def measure() -> str:
    rows, solved = [], 0
    for label, problem in BOUNDARY.items():
        start = process_time()
        solution = gx.solve(problem, max_seconds=60)
        seconds = process_time() - start
        solved += solution.converged
        gap = collocated(problem, solution) if solution.converged else None
        shown = "" if gap is None else f"{gap:.1e}"
        rows.append((label, solution.status, f"{solution.error:.1e}", shown, way(solution), f"{seconds:.2f}"))
    first = table(("problem", "status", "estimate", "from solve_bvp", "way", "CPU s"), rows)
    rows, worst = [], 0.0
    for label, (problem, slope, begin) in INITIAL.items():
        start = process_time()
        solution = gx.solve(problem, max_seconds=60)
        seconds = process_time() - start
        (axis,), name = problem.axes, problem.fields[0]
        t = np.linspace(axis.left, axis.right, 501)
        method = "Radau" if "100, 200" in label else "DOP853"
        known = solve_ivp(slope, (axis.left, axis.right), begin, method, t, rtol=2.3e-14, atol=1e-14).y[0]
        error = float(np.abs(solution[name](t) - known).max()) / solution.scale
        worst = max(worst, error / solution.error)
        rows.append(
            (label, solution.status, f"{error:.1e}", f"{solution.error:.1e}", str(solution.neurons), f"{seconds:.2f}")
        )
    second = table(("problem", "status", "distance", "estimate", "neurons", "CPU s"), rows)
    return (
        "Nonlinear problems that plain steps from a straight line do not solve, or only just; default settings, no "
        "guess, tol = 1e-8. `from solve_bvp` is the distance from what SciPy's collocation makes of the solution as a "
        "guess, at its tol 1e-9; empty where that does not converge or has no such conditions.\n\n"
        f"{first}\n\nConverged: {solved} of {len(BOUNDARY)}.\n\n"
        "Initial value problems, tol = 1e-8; `distance` is that of the first field from SciPy's DOP853 at rtol 2.3e-14 "
        f"(mu = 100: Radau), relative to the field.\n\n{second}\n\nLargest distance over estimate: {worst:.2g}."
    )


if __name__ == "__main__":
    print(measure())
