"""Folds, branch points and several solutions: what the literature lists, found or not, and how long it takes."""

import single_thread  # noqa: F401

# isort: split
from collections.abc import Callable, Sequence
from time import perf_counter, process_time

import numpy as np
from scipy.integrate import solve_bvp
from scipy.special import ellipk

import gated_xtfc as gx
from branches_reference import fold, pellet, snaking, swirling
from measure import table

PI = np.pi
LINE, FIXED = {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0"]
BRATU = gx.Problem("u'' + k*exp(u) = 0", LINE, FIXED, k=1)
SYSTEM = gx.Problem(["u' = v", "v' = -k*exp(u)"], LINE, FIXED, k=1)
COLUMN = gx.Problem("u'' + k*sin(u) = 0", LINE, FIXED, k=5)
ELASTICA = gx.Problem(
    ["t'' + k*sin(t) = 0", "X' = cos(t)", "Y' = sin(t)"], LINE, ["t(0) = 0", "t'(1) = 0", "X(0) = 0", "Y(0) = 0"], k=1
)
CUBIC = gx.Problem("u'' + k*(u - u^3) = 0", LINE, FIXED, k=5)
TRANSCRITICAL = gx.Problem("u'' + k*u - u^2 = 0", LINE, FIXED, k=5)
PELLET = gx.Problem(
    "u'' = phi^2*u*exp(g*b*(1 - u)/(1 + b*(1 - u)))", LINE, ["u'(0) = 0", "u(1) = 1"], phi=0.2, g=20, b=0.6
)
DISK = gx.Problem(
    ["f''' + 2*f*f'' - f'^2 + g^2 - s^2 = 0", "g'' + 2*f*g' - 2*g*f' = 0"],
    {"x": (0, 25)},
    ["f(0) = 0", "f'(0) = 0", "g(0) = 1", "f'(25) = 0", "g(25) = s"],
    s=0.5,
)
SNAKE = gx.Problem(
    "u'''' + 2*u'' + (1 - r)*u - b*u^2 + u^3 = 0",
    {"x": (0, 40)},
    ["u'(0) = 0", "u'''(0) = 0", "u'(40) = 0", "u'''(40) = 0"],
    r=-0.28,
    b=1.8,
)
PENDULUM = gx.Problem("u'' + T^2*sin(u) = 0", LINE, ["u(0) = a", "u'(0) = 0", "u(1) = 0"], unknown="T", a=0.5)
CARRIER = gx.Problem("eps*u'' + 2*(1 - x^2)*u + u^2 = 1", {"x": (-1, 1)}, ["u(-1) = 0", "u(1) = 0"], eps=1e-2)
SEARCHED = 120.0  # seconds for Carrier's problem
FOLD = 3.513830719125162

Known = Callable[[gx.Branch], Sequence[float]]


def by_other_means(branch: gx.Branch) -> list[float]:
    """The folds of a branch by collocation or cosines, at a resolution that is told."""
    found = []
    for point in branch.folds:
        solution = point.solution
        if "f" in solution.problem.fields:
            residual, x = swirling(25.0, 64)
            start = np.concatenate([solution[name](x, order) for name, order in zip("fffgg", (0, 1, 2, 0, 1))])  # noqa: B905
        elif "r" in solution.problem.parameters:
            residual, x = snaking(40.0, 112, 1.8)
            start = solution(x)
        else:
            residual, x = pellet(64, 20.0, 0.6)
            start = solution(x)
        found.append(fold(residual, start, point.parameter))
    return found


def unexplained(branch: gx.Branch) -> str:
    """How often stability changes without a fold or a branch point on the way; nothing where it is not told."""
    if all(point.stable is None for point in branch.points):
        return ""
    count = 0
    for number in range(len(branch.reasons)):
        before: bool | None = None
        for point in branch.curve(number):
            if point.kind:
                before = None
                continue
            count += before is not None and point.stable is not None and before != point.stable
            before = point.stable
    return str(count)


def followed(
    label: str, problem: gx.Problem, name: str, between: tuple[float, float], show: str, known: Known, **options: object
) -> tuple:
    """One row: special points with their distance from what is known, and the cost."""
    start = process_time()
    branch = gx.branch(problem, name, between, show=show, max_points=120, **options)  # type: ignore[arg-type]
    seconds = process_time() - start
    special = [*branch.folds, *branch.branch_points]
    found, expected = sorted(point.parameter for point in special), sorted(known(branch))
    gaps = [min((abs(value - one) for one in found), default=1.0) / abs(value) for value in expected]
    return (
        label,
        len(branch.folds),
        len(branch.branch_points),
        f"{len(found)} found" + ("" if known is by_other_means else f", {len(expected)} known"),
        f"{max(gaps):.1e}",
        unexplained(branch),
        len(branch.reasons),
        len(branch),
        f"{max(point.solution.error for point in branch.points):.0e}",
        f"{seconds:.2g}",
    )


def searched(label: str, problem: gx.Problem, listed: str, count: int | None, seconds: float) -> tuple:
    begun, start = process_time(), perf_counter()
    found = gx.solutions(problem, count, seconds)
    largest = max((solution.error for solution in found), default=0.0)
    return (
        label,
        len(found),
        listed,
        found.starts,
        f"{largest:.0e}",
        f"{process_time() - begun:.2g}",
        (f"{perf_counter() - start:.2g}"),
    )


def swings() -> str:
    """The period of the pendulum over its amplitude, beside the elliptic integral."""
    branch = gx.branch(PENDULUM, "a", (0.1, 3.1), show="T", guess={"u": "0.5*cos(pi*x/2)", "T": 1.5})
    off = [abs(p.quantities[0] / ellipk(np.sin(0.5 * p.parameter) ** 2) - 1) for p in branch.points]
    return (
        f"The period of the pendulum from an amplitude of 0.1 to one of 3.1: {len(branch)} points, off by "
        f"{max(off):.1e} at the most, relative to the elliptic integral."
    )


def one_by_one() -> str:
    """SciPy's solve_bvp at the values of the parameter that a branch has, each from the solution before it."""
    start = process_time()
    branch = gx.branch(BRATU, "k", (0.1, 4), show="max(u)")
    ours = process_time() - start
    start, got, guess = process_time(), 0, None
    for point in branch.points:
        x = np.linspace(0.0, 1.0, 21)
        y = np.zeros((2, x.size)) if guess is None else guess.sol(x)
        found = solve_bvp(
            lambda x, y, k=point.parameter: np.stack([y[1], -k * np.exp(y[0])]),
            lambda a, b: np.array([a[0], b[0]]), x, y, tol=1e-8, max_nodes=20_000,
        )  # fmt: skip
        if found.success:
            guess = found
            got += abs(float(found.sol(np.linspace(0, 1, 401))[0].max()) - point.quantities[0]) < 1e-5
    theirs = process_time() - start
    return (
        f"Bratu's {len(branch)} points, past the fold, take `gx.branch` {ours:.2g} s of the processor. `solve_bvp` at "
        f"tol 1e-8 and at the same values of k, each from the solution before it, has {got} of them right in "
        f"{theirs:.2g} s: after the fold it falls back onto the curve it came from."
    )


def measure() -> str:
    n = PI**2 * np.array([1.0, 4.0, 9.0])
    snake = {"switch": False, "guess": "1.2*cos(x)*exp(-x^2/30)"}
    rows = [
        followed("Bratu: the fold", BRATU, "k", (0.1, 4), "max(u)", lambda _: [FOLD]),
        followed("Bratu as a system", SYSTEM, "k", (0.5, 4), "max(u)", lambda _: [FOLD]),
        followed("Euler's column, its ends held", COLUMN, "k", (5, 100), "u(0.3)", lambda _: n),
        followed(
            "Euler's elastica, one end free", ELASTICA, "k", (1, 70), "Y(1)", lambda _: PI**2 / 4 * np.array([1, 9, 25])
        ),
        followed("u'' + k (u - u^3)", CUBIC, "k", (5, 100), "u(0.3)", lambda _: n),
        followed("u'' + k u - u^2", TRANSCRITICAL, "k", (5, 60), "integral(u)", lambda _: n[:2]),
        followed("pellet: two folds", PELLET, "phi", (0.05, 1), "u(0)", by_other_means),
        followed("swirling flow over a disk", DISK, "s", (1, -1), "f''(0)", by_other_means),
        followed("Swift-Hohenberg: snaking", SNAKE, "r", (-0.5, 0.0), "integral(u^2)", by_other_means, **snake),
    ]
    head = ("branch", "folds", "branch points", "special points", "off by", "stability changes unexplained", "curves",
            "solutions", "largest error", "s")  # fmt: skip
    several = [
        searched("Bratu, k = 1", BRATU, "2", 2, 30),
        searched("pellet, phi = 0.2", PELLET, "3", 3, 30),
        searched("u'' + 100 (u - u^3)", CUBIC(k=100), "7", 7, 30),
        searched("Carrier, eps = 1e-2", CARRIER, "at least 10", None, SEARCHED),
        searched("Carrier, eps = 1e-3", CARRIER(eps=1e-3), "at least 10", None, SEARCHED),
    ]
    there = ("problem", "found", "in the literature", "starts", "largest error", "s of the processor", "s")
    return "\n\n".join(
        [
            "`gx.branch` at tol 1e-8. Special points are folds and branch points. They are off by so much, relative to "
            "values with a closed form (Bratu's fold: 3.513830719125162) or, for the pellet, the disk and the snake, "
            "to folds found by collocation or cosines at a resolution that is told (`branches_reference.py`). Where "
            "equations diffuse, stability may change at special points alone. Seconds are those of the processor.",
            table(head, rows),
            swings(),
            one_by_one(),
            f"`gx.solutions` at tol 1e-8, until as many are found as the literature lists, or for {SEARCHED:g} s:",
            table(there, several),
        ]
    )


if __name__ == "__main__":
    print(measure())
