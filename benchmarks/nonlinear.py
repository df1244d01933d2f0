"""Nonlinear equations and systems: the test set at tol = 1e-8 without a guess, eigenvalues, branches, and the zoo."""

import single_thread  # noqa: F401

# isort: split
from collections.abc import Callable, Iterator
from math import inf
from time import perf_counter

import numpy as np
from scipy.special import mathieu_a

import gated_xtfc as gx
import nonlinear_cases
from gated_xtfc import zoo
from gated_xtfc.zoo.nonlinear import angle, branch
from measure import median_seconds, milliseconds, table

TOL = 1e-8
FAMILIES = (
    "burgers_shock",
    "twin_scales",
    "coupled_reaction",
    "swirling_flow",
    "allen_cahn",
    "bratu",
    "free_boundary",
)


def solved(run: Callable[[], gx.Solution]) -> tuple[gx.Solution | None, float, str]:
    """What came out, its time (the median of repeats where that is cheap), and what went wrong."""
    try:
        start = perf_counter()
        solution = run()
        seconds = perf_counter() - start
    except Exception as failure:  # a benchmark reports what went wrong and goes on
        return None, inf, f"{type(failure).__name__}: {failure}"
    return solution, median_seconds(run) if seconds < 0.5 else seconds, solution.status


def testset() -> str:
    rows, met, ratios, silent = [], 0, [], []
    for case in nonlinear_cases.testset():
        solution, seconds, status = solved(lambda: gx.solve(case.problem, tol=TOL))  # noqa: B023
        if solution is None:
            rows.append((case.label, "", "", status, "", "", "", "", ""))
            continue
        error = case.error(lambda field: solution[field](case.x))  # noqa: B023
        # what the reference does not know is no error of ours
        ratio = max(0.0, error - 3 * case.accuracy) / solution.error
        ratios.append((ratio, case.label))
        good = solution.converged and error <= case.limit
        met += good
        if solution.converged and error > case.limit:
            silent.append(case.label)
        rows.append(
            (
                case.label,
                f"{error:.1e}",
                f"{solution.error:.1e}",
                f"{ratio:.2g}",
                status if solution.converged else f"**{status}**",
                str(solution.neurons),
                str(solution.rounds),
                str(sum(entry.steps for entry in solution.history)),
                milliseconds(seconds),
            )
        )
    header = ("problem", "true error", "estimate", "true/estimate", "status", "neurons", "fits", "Newton steps", "ms")
    worst, label = max(ratios)
    return (
        "The ten nonlinear problems of the classical test set, default settings, no guess, tol = 1e-8. The error is "
        "the largest at the reference points, relative to max(1, max|u|) of each field; true/estimate leaves out three "
        "times the accuracy of the reference. Fits and Newton steps are those in `history`; a first attempt that "
        "failed before continuation is in the time only.\n\n"
        f"{table(header, rows)}\n\n"
        f"Converged with an error of at most 1e-7 (or 3 x the reference's accuracy): {met} of {len(rows)}. Reported as "
        f"converged with a larger error: {'; '.join(silent) or 'none'}. Largest true/estimate: {worst:.2g} ({label})."
    )


def constants() -> Iterator[tuple[str, Callable[[], gx.Solution], Callable[[gx.Solution], float]]]:
    """Label, solve, and the error of what is known exactly."""
    mathieu = gx.Problem(
        "u'' + (lam - 2*q*cos(2*x))*u = 0",
        {"x": (0, "pi")},
        ["u'(0) = 0", "u'(pi) = 0", "u(0) = 1"],
        unknown=["lam"],
        q=5,
    )
    known = np.array([mathieu_a(k, 5) for k in range(10)])
    for guess in (None, "cos(x)", "cos(2*x)", "cos(3*x)", "cos(4*x)"):
        for tol in (1e-8, 1e-11):
            yield (
                f"Mathieu, q = 5, guess {guess or 'none'}, tol {tol:.0e}",
                lambda guess=guess, tol=tol: gx.solve(mathieu, tol=tol, guess=guess),
                lambda solution: float(np.abs(known - solution.constants["lam"]).min()),
            )
    string = gx.Problem("u'' + lam*u = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0", "u'(0) = 1"], unknown=["lam"])
    for k in (1, 2, 3):
        yield (
            f"Sturm-Liouville u'' + lam u = 0, guess sin({k} pi x)/{3 * k}",
            lambda k=k: gx.solve(string, guess=f"sin({k}*pi*x)/{3 * k}"),
            lambda solution, k=k: abs(solution.constants["lam"] - (k * np.pi) ** 2),
        )
    bratu, x = zoo.problem("bratu", lam=3.5), np.linspace(0, 1, 2001)
    for upper, guess in ((False, None), (True, "3*sin(pi*x)")):
        yield (
            f"Bratu at 3.5, {'upper' if upper else 'lower'} solution, guess {guess or 'none'}",
            lambda guess=guess: gx.solve(bratu, guess=guess),
            lambda solution, upper=upper: float(np.abs(solution(x) - branch(x, angle(3.5, upper))).max()),
        )


def branches() -> str:
    rows = []
    for label, run, error in constants():
        solution, seconds, status = solved(run)
        if solution is None:
            rows.append((label, "", "", "", status, ""))
            continue
        value = f"{solution.constants['lam']:.12f}" if solution.values else f"u(1/2) = {solution(0.5):.10f}"
        rows.append((label, value, f"{error(solution):.1e}", f"{solution.error:.1e}", status, milliseconds(seconds)))
    header = ("problem", "found", "true error", "estimate", "status", "ms")
    return (
        "Unknown constants and different solutions of one problem. The error is that of the constant (Mathieu: "
        f"distance to the nearest characteristic value) or of u (Bratu).\n\n{table(header, rows)}"
    )


def families() -> str:
    rows, ratios = [], []
    for name in FAMILIES:
        family = zoo.family(name)
        for value in family.values:
            problem = family.problem(**{family.small: value})
            solution, seconds, status = solved(lambda: gx.solve(problem, tol=TOL))  # noqa: B023
            label = f"{name}, {family.small} = {value:.0e}"
            if solution is None:
                rows.append((label, "", "", status, "", "", ""))
                continue
            error = solution.true_error()
            ratios.append((error / solution.error, label))
            cost = (str(solution.neurons), str(solution.rounds), milliseconds(seconds))
            rows.append((label, f"{error:.1e}", f"{solution.error:.1e}", status, *cost))
    worst, label = max(ratios)
    return (
        "Families of the zoo, nonlinear or systems, tol = 1e-8, no guess; the error is the largest on 20,000 points, "
        "half of them inside the layers.\n\n"
        f"{table(('problem', 'true error', 'estimate', 'status', 'neurons', 'fits', 'ms'), rows)}\n\n"
        f"Largest true/estimate: {worst:.2g} ({label})."
    )


def measure() -> str:
    return "\n\n".join((testset(), branches(), families()))


if __name__ == "__main__":
    print(measure())
