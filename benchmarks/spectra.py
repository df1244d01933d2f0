"""Eigenvalues at tol = 1e-8: true errors and estimates, none spurious, none missing; times beside collocation."""

import single_thread  # noqa: F401

# isort: split
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from time import process_time

import numpy as np
from scipy.integrate import solve_bvp

import gated_xtfc as gx
from gated_xtfc.spectra.pencil import Pencil
from measure import table
from spectra_cases import SpectralCase, cases
from spectra_demos import demo_cases
from spectra_peer import agreed, collocated
from spectra_sturm import sturm_cases

TOL = 1e-8
POINTS = (12, 16, 20, 24, 32, 40, 48, 64, 80, 96, 128, 160, 200, 256, 320, 400, 512)
MOST_ROWS = 800  # of the peer's matrices: larger ones take minutes
HEAD = (
    "problem", "found", "status", "true error", "estimate", "true over estimate", "condition", "neurons", "ms",
    "Chebyshev points", "its ms",
)  # fmt: skip


@dataclass
class Tally:
    """What is said below the tables."""

    good: int = 0
    wanted: int = 0
    worst: float = 0.0
    medians: list[float] = field(default_factory=list)
    faster: list[float] = field(default_factory=list)


def cpu_seconds(run: object, repeats: int = 5) -> float:
    """The median of repeats after one that warms up, in seconds of the processor: the machine is shared."""
    times = []
    for number in range(repeats + 1):
        start = process_time()
        run()  # type: ignore[operator]
        times.append(process_time() - start)
        if number and sum(times) > 6.0:
            break
    return statistics.median(times[1:])


def order(near: object, value: complex) -> float:
    """The smaller, the earlier: as `near` has it, which is counted from the smallest where none is given."""
    if isinstance(near, str):
        return -value.real if near == "largest real" else value.real
    return value.real if near is None else abs(value - complex(near))  # type: ignore[call-overload]


def reference(case: SpectralCase) -> tuple[np.ndarray, np.ndarray]:
    """The eigenvalues, and how well each is known."""
    if case.exact is not None:
        exact = np.asarray(case.exact)
        return exact, np.full(exact.size, case.known * float(np.abs(exact).max()))
    values, apart = agreed(case.cut or case.problem, case.points)
    if case.near is None and np.median(values.real) < 0.0 and values.real.min() < -1e3 * abs(values.real.max()):
        values, apart, near = values, apart, "largest real"
    else:
        near = case.near
    chosen = sorted(range(values.size), key=lambda k: order(near, values[k]))[: case.count]
    return values[chosen], apart[chosen]


def paired(found: np.ndarray, exact: np.ndarray) -> list[tuple[int, int]]:
    """Each found one with the nearest exact one, every exact one once: the closest first."""
    gaps = np.abs(found[:, None] - exact[None, :])
    pairs = []
    while len(pairs) < min(found.size, exact.size):
        i, j = np.unravel_index(int(np.argmin(gaps)), gaps.shape)
        pairs.append((int(i), int(j)))
        gaps[i, :], gaps[:, j] = np.inf, np.inf
    return pairs


def scales(exact: np.ndarray) -> np.ndarray:
    """What errors are relative to: the size of each, or a tenth of the distance from the next one."""
    return np.array([max(abs(one), 0.1 * np.abs(exact[exact != one] - one).min(initial=1.0)) for one in exact])


def relative_error(found: np.ndarray, exact: np.ndarray) -> float:
    """The largest relative error; one where some are missing."""
    if found.size < exact.size:
        return 1.0
    return max(abs(found[i] - exact[j]) / scales(exact)[j] for i, j in paired(found, exact))


def peer(case: SpectralCase, exact: np.ndarray, accuracy: float) -> tuple[str, float | None]:
    """Chebyshev collocation with the fewest points that give all eigenvalues to the tolerance, and its time."""
    problem = case.cut or case.problem
    pencil = Pencil.of(problem)
    rows = len(pencil.problem.fields) * pencil.degree
    for count in POINTS:
        if count * rows > MOST_ROWS:
            break
        if relative_error(collocated(pencil, count), exact) <= TOL + accuracy:
            return str(count), cpu_seconds(lambda: collocated(pencil, count))  # noqa: B023
    return "none of those tried", None


def row(case: SpectralCase, tally: Tally) -> tuple:
    exact, known = reference(case)
    accuracy = 3.0 * float((known / scales(exact)).max())
    spectrum = gx.eigen(case.problem, case.count, case.near, TOL)
    seconds = cpu_seconds(lambda: gx.eigen(case.problem, case.count, case.near, TOL), 3)
    pairs = paired(np.asarray(spectrum.values), exact)
    off = np.array([abs(spectrum.values[i] - exact[j]) for i, j in pairs])
    unsure = 3.0 * np.array([known[j] for _, j in pairs])
    estimates = np.array([spectrum.errors[i] for i, _ in pairs])
    size = np.array([scales(exact)[j] for _, j in pairs])
    beyond = float((np.maximum(off - unsure, 0.0) / np.maximum(estimates, 1e-300)).max(initial=0.0))
    whole = len(spectrum) == exact.size == case.count
    error = float((off / size).max(initial=0.0)) if whole else float("nan")
    tally.worst = max(tally.worst, beyond)
    if not case.hopeless:
        tally.wanted += 1
        tally.good += bool(spectrum.converged and whole and error <= TOL + accuracy)
        tally.medians.append(float(np.median(estimates / np.maximum(off, 1e-16 * size))))
    points, rival = peer(case, exact, accuracy)
    if rival is not None:
        tally.faster.append(rival / seconds)
    return (
        case.label,
        f"{len(spectrum)} of {case.count}",
        spectrum.status,
        f"{error:.1e}",
        f"{float((estimates / size).max(initial=0.0)):.1e}",
        f"{beyond:.2g}",
        f"{float(spectrum.conditions.max(initial=0.0)):.0e}",
        spectrum.neurons,
        f"{1e3 * seconds:.0f}",
        points,
        "" if rival is None else f"{1e3 * rival:.2g}",
    )


def said(some: Sequence[SpectralCase]) -> str:
    """A table, and what it comes to."""
    tally = Tally()
    rows = [row(case, tally) for case in some]
    hopeless = sum(case.hopeless for case in some)
    beside = f"; of {hopeless} more double precision cannot know all" if hopeless else ""
    return (
        f"{table(HEAD, rows)}\n\nConverged, all eigenvalues there, none spurious, within 1e-8: {tally.good} of "
        f"{tally.wanted}{beside}. Largest true error over estimate, all rows: {tally.worst:.2g}. Estimate over true "
        f"error, median over the problems: {np.median(tally.medians):.2g}. Time of the peer over ours, where it gets "
        f"there, median: {np.median(tally.faster):.2g}."
    )


def measure() -> str:
    return "\n\n".join(
        [
            "Errors are relative to each eigenvalue, or to a tenth of its distance from the next one where that is "
            "larger; the estimate is the largest. Where no closed form is known the reference is what Chebyshev "
            "collocation with two resolutions agrees on, and what they do not agree on is not ours. "
            "The peer is Chebyshev collocation with `scipy.linalg.eig`, told the fewest points, of those tried, "
            "with which all eigenvalues asked for are within 1e-8, and where to cut an infinite domain: it does not "
            "know that by itself, nor which of its eigenvalues are spurious, and gives no error. For smooth modes "
            "without layers it is the right tool. Times are those of the processor. Where double precision cannot "
            "know all eigenvalues to the tolerance nothing may be called converged, and what is returned must be "
            "within its estimate: convection as a system (a condition beyond 1e10), a Jordan block, and the middle of "
            "the spectrum of a flow.",
            said(cases()),
            splitting(),
            "Problems of the kind that SLEDGE and SLEIGN2 were tried on:",
            said(sturm_cases()),
            "The twelve eigenvalue problems that Chebfun's window offers as demonstrations:",
            said(demo_cases()),
            one_by_one(),
        ]
    )


def splitting() -> str:
    """The distance of the two lowest eigenvalues of a double well, and what is left of it in double precision."""
    told = []
    for h in (0.05, 0.01, 0.002):
        ends = ["u(-2.5) = 0", "u(2.5) = 0"]
        equation = "-h^2*u'' + (x^2 - 1)^2*u = lam*u"
        found = gx.eigen(gx.Problem(equation, {"x": (-2.5, 2.5)}, ends, unknown="lam", h=h), 2)
        told.append(f"h = {h:g}: {found.values[1] - found.values[0]:.2e} (errors {found.errors.max():.0e})")
    return (
        f"The two lowest of the double well differ by what tunnels, of the order of exp(-4/(3 h)): {'; '.join(told)}. "
        "At h = 0.01 that is 1e-58, below the last digit: both are there, and known to be one as far as numbers go."
    )


def one_by_one() -> str:
    """SciPy's solve_bvp, one eigenvalue at a time, each with its own mode as the guess."""
    free = ["u'(0) = 0", "u'(pi) = 0"]
    problem = gx.Problem("u'' + (lam - 2*q*cos(2*x))*u = 0", {"x": (0, "pi")}, free, unknown="lam", q=5)
    spectrum = gx.eigen(problem, 10)

    def run() -> list[float]:
        found = []
        for k in range(10):
            x = np.linspace(0.0, np.pi, 40)
            guess = np.stack([np.cos(k * x), -k * np.sin(k * x)])
            solution = solve_bvp(
                lambda x, y, p: np.stack([y[1], -(p[0] - 10.0 * np.cos(2.0 * x)) * y[0]]),
                lambda a, b, p: np.array([a[1], b[1], a[0] - 1.0]), x, guess, p=[float(k * k)], tol=1e-9,
                max_nodes=20_000,
            )  # fmt: skip
            found.append(float(solution.p[0]))
        return found

    got = run()
    hit = sum(any(abs(value - one) <= 1e-7 for one in got) for value in spectrum.values)
    ours = cpu_seconds(lambda: gx.eigen(problem, 10))
    return (
        f"Mathieu's first ten by `solve_bvp`, one by one from cos(k x) at tol 1e-9: {hit} of 10 found in "
        f"{1e3 * cpu_seconds(run, 3):.0f} ms of the processor, beside all ten in {1e3 * ours:.0f} ms."
    )


if __name__ == "__main__":
    print(measure())
