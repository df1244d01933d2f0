"""The score board: error over time for this solver and its peers, in the same run; writes docs/scoreboard.md.

`python benchmarks/scoreboard.py` measures and draws everything, with names (linear nonlinear plane) only those.
A run that its own program calls a failure, or that is given up, is drawn as a cross.
"""

import single_thread  # noqa: F401

# isort: split
import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from math import inf, isfinite, sqrt
from pathlib import Path
from statistics import median
from time import process_time

import cases
import chebyshev_peer
import colnew_peer
import gated_xtfc as gx
import nonlinear_cases
import peer
import plane_peers
from measure import machine, table
from native import seconds_of
from work_precision import Panel, Point, Series, draw

DOCS = Path(__file__).parent.parent / "docs"
LIMIT = 5.0  # seconds after which an attempt of a peer is given up
REPEATS, QUICK = 3, 0.2  # times that it is timed, where it takes less than this many seconds
TOLERANCES = tuple(10.0**-digits for digits in range(2, 12))
OURS, COLNEW = "gated-xtfc", "COLNEW"
SIZES = (16, 32, 64, 128, 256, 512, 1024)

LINEAR = (
    "convection-diffusion, nu = 1e-01", "convection-diffusion, nu = 1e-03", "convection-diffusion, nu = 1e-06",
    "twin-layers, nu = 1e-04", "4, eps = 0.5", "9, eps = 0.001", "15, eps = 0.003", "17, eps = 1e-05",
)  # fmt: skip
NONLINEAR = (
    "19, eps = 0.0001", "20, eps = 0.1", "23, eps = 0.2", "23, eps = 0.0667", "25, eps = 0.001", "30, eps = 0.01",
    "31, eps = 0.01", "34, eps = 1",
)  # fmt: skip
INTRODUCTION = """\
# Score board

Error over time, for this solver and its peers, each at tolerances (or sizes) from coarse to fine: lower and further
left is better. Filled points are runs that their own program calls a success; a cross is one that it calls failed,
or that was given up after {limit:.0f} s. A filled point high up is worse than a cross: it is wrong and does not say so.
Chebyshev collocation has no estimate of its error, so it always claims to be right. COLNEW is compiled
Fortran, called with functions that were compiled for each problem beforehand; we read the text in our time.{colnew}

Written by `python benchmarks/scoreboard.py` (part of `make bench`). Times are processor times on one thread (on the
square, times by the clock), errors the largest at the points of the reference, relative to max(1, max|u|). All cases of
all benchmarks, the losses too, are in [the tables](benchmarks.md).
"""

Run = Callable[[], tuple[bool, Callable[[], float]]]  # whether it claims success, and its error when asked for it


def timed_runs(label: str, runs: Iterable[tuple[str, Run]]) -> Series:
    """In processor time, medians of many runs where it is quick; what it takes to tell the error does not count."""
    points = []
    for name, run in runs:
        begun = process_time()
        try:
            claimed, error_of = run()
            seconds = process_time() - begun
            if seconds < QUICK:
                seconds = median(seconds_of(run) for _ in range(REPEATS))
            error = error_of()
        except peer.TimeUpError:
            points.append(Point(name, process_time() - begun, inf, False))
            break  # a tighter tolerance takes longer still
        except Exception:  # what stumbles over its own overflow has failed
            claimed, error, seconds = False, inf, process_time() - begun
        points.append(Point(name, seconds, error if isfinite(error) else inf, claimed))
    return Series(label, tuple(points))


def at_tolerances(run: Callable[[float], tuple[bool, Callable[[], float]]], tolerances: Iterable[float]):
    return ((f"tol {tol:.0e}", lambda tol=tol: run(tol)) for tol in tolerances)


def linear_panel(case: cases.Case) -> Panel:
    system = case.system(case.small)

    def ours(tol: float):
        solution = gx.solve(case.problem, tol=tol)
        return solution.converged, lambda: case.error(solution(case.x))

    def scipy(tol: float, scaling: float):
        result = system.solve(tol, scaling, LIMIT)
        return result.status == 0, lambda: case.error(result.sol(case.x)[0])

    def chebyshev(size: int):
        found = chebyshev_peer.collocate(system, size)
        return True, lambda: case.error(found(case.x))  # it has no estimate: it always claims to be right

    def colnew(tol: float):
        claimed, at = compiled.solve(tol)
        return claimed, lambda: case.error(at(case.x))

    fortran = ()
    if colnew_peer.available() is not None:
        compiled = colnew_peer.Colnew(case.problem)
        compiled.solve(1e-3)  # what its first call loads is not its work
        fortran = (timed_runs(COLNEW, at_tolerances(colnew, TOLERANCES)),)
    return Panel(
        f"problem {case.label}" if case.label[0].isdigit() else case.label,
        (
            timed_runs(OURS, at_tolerances(ours, TOLERANCES)),
            timed_runs("solve_bvp", at_tolerances(lambda tol: scipy(tol, 1.0), peer.TOLERANCES)),
            timed_runs(
                "solve_bvp, rescaled by hand", at_tolerances(lambda tol: scipy(tol, sqrt(case.small)), peer.TOLERANCES)
            ),
            timed_runs("Chebyshev collocation", ((f"n = {n}", lambda n=n: chebyshev(n)) for n in SIZES)),
            *fortran,
        ),
    )


def nonlinear_panel(case: nonlinear_cases.Case) -> Panel:
    def ours(tol: float):
        solution = gx.solve(case.problem, tol=tol)
        return solution.converged, lambda: case.error(lambda field: solution[field](case.x))

    def scipy(tol: float):
        result = case.system.solve(tol, LIMIT)
        at = result.sol(case.x)
        return result.status == 0, lambda: case.error(lambda field: at[case.system.fields[field]])

    return Panel(
        f"problem {case.label}",
        (
            timed_runs(OURS, at_tolerances(ours, TOLERANCES[:8])),
            timed_runs("solve_bvp", at_tolerances(scipy, peer.TOLERANCES[:7])),
        ),
    )


def plane_panel(title: str, curves: list[plane_peers.Curve]) -> Panel:
    named = {plane_peers.OURS: OURS}
    return Panel(
        title,
        tuple(
            Series(
                named.get(curve.method, curve.method),
                tuple(Point(run.size, run.seconds, run.error, run.note in ("", "converged")) for run in curve.runs),
            )
            for curve in curves
            if curve.runs
        ),
    )


def linear() -> list[Panel]:
    groups = (cases.convection_diffusion, cases.twin_layers, cases.testset)
    known = {case.label: case for group in groups for case in group()}
    return [linear_panel(known[label]) for label in LINEAR]


def nonlinear() -> list[Panel]:
    known = {case.label: case for case in nonlinear_cases.testset()}
    return [nonlinear_panel(known[label]) for label in NONLINEAR]


class AllSizes(plane_peers.Effort):
    """Every size once, and no search of the disk."""

    def some(self, sizes: Sequence[int]) -> Sequence[int]:
        return sizes


def plane() -> list[Panel]:
    effort = AllSizes(trial=True)
    panels = [plane_panel(f"outflow layers, eps = {eps:.0e}", plane_peers.outflow(eps, effort)) for eps in (1e-2, 1e-4)]
    return panels + [plane_panel(f"Poisson peak, nu = {nu:.0e}", plane_peers.peak(nu, effort)) for nu in (1e-2, 1e-3)]


BOARDS = {
    "linear": (linear, "Linear problems: the paper's two, and the classical test set"),
    "nonlinear": (nonlinear, "Nonlinear problems of the classical test set, without a guess"),
    "plane": (plane, "Problems on a square"),
}


def measured(panels: list[Panel]) -> str:
    """Every run as a row, folded."""
    rows = [
        (
            panel.title,
            series.label,
            one.name,
            f"{one.error:.1e}",
            f"{1e3 * one.seconds:.3g}",
            "" if one.claimed else "x",
        )
        for panel in panels
        for series in panel.series
        for one in series.points
    ]
    header = ("problem", "program", "asked for", "error", "ms", "failed")
    return f"<details>\n<summary>All {len(rows)} runs</summary>\n\n{table(header, rows)}\n\n</details>"


def standing(panels: list[Panel], label: str, target: float) -> str:
    """On how many panels a program reaches an error, and on how many it is the quickest to do so."""
    times = [
        {
            series.label: min((p.seconds for p in series.points if p.claimed and p.error <= target), default=inf)
            for series in panel.series
        }
        for panel in panels
        if any(series.label == label for series in panel.series)
    ]
    reached = sum(one[label] < inf for one in times)
    first = sum(one[label] == min(one.values()) < inf for one in times)
    return f"{label}: {reached} of {len(times)}, quickest on {first}"


def section(name: str) -> str:
    """One board: its picture, who reaches an error of 1e-6, and all runs."""
    measure, title = BOARDS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # overflow on the way to a failure is a peer's own business
        panels = measure()
    made = f"{machine()}, {date.today():%Y-%m-%d}"
    draw(panels, DOCS / "images" / f"scoreboard_{name}.svg", made)
    labels = dict.fromkeys(series.label for panel in panels for series in panel.series)
    told = "; ".join(standing(panels, label, 1e-6) for label in labels)
    picture = f"![{title}: error over time](images/scoreboard_{name}.svg)"
    reached = f"An error of 1e-6 is reached by {told}."
    return "\n\n".join((f"## {title}", picture, reached, f"Measured on {made}.", measured(panels)))


def write(names: Iterable[str] = ()) -> None:
    page = DOCS / "scoreboard.md"
    parts = page.read_text(encoding="utf-8").split("\n## ")[1:] if page.exists() else []
    kept = {part.partition("\n")[0]: f"## {part.strip()}" for part in parts}
    for name in names or BOARDS:
        kept[BOARDS[name][1]] = section(name)
        texts = [kept[title] for _, title in BOARDS.values() if title in kept]
        missing = "" if colnew_peer.available() else " It was not found on this machine, and is left out."
        page.write_text(
            "\n\n".join([INTRODUCTION.format(limit=LIMIT, colnew=missing).strip(), *texts]) + "\n", encoding="utf-8"
        )
    print(f"written to {page.relative_to(DOCS.parent)}")


if __name__ == "__main__":
    write(sys.argv[1:])
