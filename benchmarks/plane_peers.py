"""The plane, side by side: error against time for our default, scikit-fem, the fast sine transform, the published disk.

`python benchmarks/plane_peers.py --trial` has fewer sizes, no repeats and no search of the disk.
"""

import single_thread  # noqa: F401

# isort: split
import statistics
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import exp, inf, log
from time import perf_counter

import numpy as np

import gated_xtfc as gx
import plane_fem
from gated_xtfc import published, zoo
from gated_xtfc.baselines.classical import SCHEMES, sine_poisson
from measure import milliseconds, repeats_for, table

TARGET = 1e-6
TOLERANCES = (1e-4, 1e-6, 1e-8, 1e-10)
LINES = 400  # test points for each axis, half of them inside the layers
LONG = 0.7  # seconds: what takes longer is not repeated
OURS = "our default"


@dataclass(frozen=True)
class Run:
    size: str
    unknowns: int
    error: float  # relative to max(1, max|u|)
    seconds: float
    note: str = ""


@dataclass(frozen=True)
class Curve:
    method: str
    runs: tuple[Run, ...]  # from small to large
    note: str = ""  # why there are none

    def time_at(self, target: float) -> float:
        """Seconds for this error, between sizes on straight lines of the logarithms; infinite where not reached."""
        found, before = inf, None
        for run in self.runs:
            if run.error <= target:
                found = min(found, run.seconds)
                if before is not None and before.seconds < run.seconds:
                    share = log(before.error / target) / log(before.error / run.error)
                    found = min(found, before.seconds * exp(share * log(run.seconds / before.seconds)))
            before = run if target < run.error < inf else None
        return found


@dataclass(frozen=True)
class Effort:
    """How much is run: all of it, or a trial."""

    trial: bool

    def repeated(self, run: Callable[[], Run]) -> Run:
        """A run, its time the median of several where that does not take long."""
        first = run()
        if self.trial or first.seconds > LONG:
            return first
        times = [run().seconds for _ in range(repeats_for(first.seconds))]
        return Run(first.size, first.unknowns, first.error, statistics.median(times), first.note)

    def some(self, sizes: Sequence[int]) -> Sequence[int]:
        return sizes[:-2] if self.trial else sizes


def grid_error(on_grid: Callable, family: zoo.Family, parameters: dict[str, float]) -> float:
    """On lines dense in the layers, relative to max(1, max|u|)."""
    x, y = family.grid(LINES, **parameters)
    exact = family.problem(**parameters).exact(x[:, None], y)
    return float(np.abs(on_grid(x, y) - exact).max() / max(1.0, np.abs(exact).max()))


def ours(family: zoo.Family, parameters: dict[str, float], effort: Effort) -> Curve:
    problem = family.problem(**parameters)

    def run(tol: float) -> Run:
        start = perf_counter()
        solution = gx.solve(problem, tol=tol)
        seconds = perf_counter() - start
        error = grid_error(lambda x, y: solution(x[:, None], y), family, parameters)
        return Run(f"tol = {tol:.0e}", solution.neurons, error, seconds, solution.status)

    try:
        return Curve(OURS, tuple(effort.repeated(lambda tol=tol: run(tol)) for tol in TOLERANCES))
    except Exception as failure:  # a benchmark reports what went wrong and goes on
        return Curve(OURS, (), f"{type(failure).__name__}: {failure}")


def finite_elements(
    name: str, weak: plane_fem.Weak, meshes: tuple[plane_fem.Mesh, plane_fem.Mesh], sizes: Sequence[int], effort: Effort
) -> Curve:
    if plane_fem.skfem is None:
        return Curve(name, (), plane_fem.MISSING)

    def run(size: int) -> Run:
        found = plane_fem.solve(weak, meshes[0](size), meshes[1](size))
        return Run(f"{size} x {size}", found.unknowns, found.error, found.seconds)

    return Curve(name, tuple(effort.repeated(lambda size=size: run(size)) for size in effort.some(sizes)))


def disk(family: zoo.Family, parameters: dict[str, float], centre: tuple[float, float], effort: Effort) -> Curve:
    """One fit with the disk where the layer is; then the whole search, for the one problem that the paper solves."""
    problem = family.problem(**parameters)

    def run(size: str, gate) -> Run:
        start = perf_counter()
        found = published.solve(problem, gate)
        return Run(size, found.neurons, grid_error(found.on_grid, family, parameters), perf_counter() - start)

    runs = [effort.repeated(lambda: run("one fit", published.Disk(centre)))]
    if not effort.trial and (family.name, parameters) == ("poisson_peak", {"nu": 1e-2}):
        runs += [run("search as in the text", published.DISK), run("search as in the scripts", published.DISK_RELEASED)]
    return Curve("published disk", tuple(runs))


def sine_curves(nu: float, effort: Effort) -> list[Curve]:
    family = zoo.family("poisson_peak")

    def source(x, y):
        return np.exp(-((x - 0.5) ** 2 + (y - 0.5) ** 2) / (2 * nu**2)) / (2 * np.pi * nu**2)

    def run(size: int, scheme: str) -> Run:
        start = perf_counter()
        nodes, u = sine_poisson(source, size, scheme)
        seconds = perf_counter() - start
        exact = family.exact(nodes[:, None], nodes, nu=nu)
        return Run(
            f"{size} x {size}", (size - 1) ** 2, float(np.abs(u - exact).max() / max(1, np.abs(exact).max())), seconds
        )

    sizes = effort.some((64, 100, 128, 256, 512, 1024, 2048))
    return [
        Curve(f"sine transform, {scheme}", tuple(effort.repeated(lambda n=n, s=scheme: run(n, s)) for n in sizes))
        for scheme in SCHEMES
    ]


def outflow(eps: float, effort: Effort) -> list[Curve]:
    family, parameters = zoo.family("outflow_layers"), {"eps": eps}

    def factors(x, y):
        return x - np.exp(2 * (x - 1) / eps), y**2 - np.exp(3 * (y - 1) / eps)

    def exact(x, y):
        a, b = factors(x, y)
        return a * b

    def source(x, y):
        a, b = factors(x, y)
        return -2 * eps * a + 2 * b + 6 * y * a + a * b

    weak = plane_fem.Weak(eps, (2.0, 3.0), 1.0, source, exact, 1.0)
    sizes = (16, 32, 64, 96, 128, 176)
    meshes = {
        f"scikit-fem, {grading.__name__.capitalize()} mesh": (grading(eps / 2), grading(eps / 3))
        for grading in (plane_fem.shishkin, plane_fem.bakhvalov)
    }
    curves = [ours(family, parameters, effort)]
    curves += [finite_elements(name, weak, pair, sizes, effort) for name, pair in meshes.items()]
    return [*curves, disk(family, parameters, (0.9, 0.9), effort)]


def peak(nu: float, effort: Effort) -> list[Curve]:
    family, parameters = zoo.family("poisson_peak"), {"nu": nu}

    def exact(x, y):
        return family.exact(x, y, nu=nu)

    def source(x, y):
        return -np.exp(-((x - 0.5) ** 2 + (y - 0.5) ** 2) / (2 * nu**2)) / (2 * np.pi * nu**2)

    weak = plane_fem.Weak(1.0, (0.0, 0.0), 0.0, source, exact, max(1.0, abs(float(exact(0.5, 0.5)))))
    mesh = plane_fem.around_middle(nu)
    return [
        ours(family, parameters, effort),
        finite_elements("scikit-fem, graded mesh", weak, (mesh, mesh), (16, 32, 64, 96, 128, 176, 288), effort),
        *sine_curves(nu, effort),
        disk(family, parameters, (0.5, 0.5), effort),
    ]


def told(title: str, curves: list[Curve]) -> str:
    rows = [
        (curve.method, run.size, f"{run.unknowns:,}", f"{run.error:.1e}", milliseconds(run.seconds), run.note)
        for curve in curves
        for run in curve.runs
    ]
    mine = curves[0].time_at(TARGET)
    summary = []
    for curve in curves:
        seconds = curve.time_at(TARGET)
        if seconds < inf:
            reached, ratio = milliseconds(seconds), f"{seconds / mine:.2g}" if mine < inf else ""
        else:
            best = min((run.error for run in curve.runs), default=inf)
            reached, ratio = curve.note or f"not reached, best {best:.0e}", ""
        summary.append((curve.method, reached, ratio))
    return "\n\n".join(
        (
            f"### {title}",
            table(("method", f"ms at error {TARGET:.0e}", "over ours"), summary),
            table(("method", "size", "unknowns", "error", "ms", "status"), rows),
        )
    )


def parts(trial: bool) -> Iterator[str]:
    effort = Effort(trial)
    yield (
        "Errors are the largest, relative to max(1, max|u|): ours and the published method's on 400 x 400 lines, "
        "half of them inside the layers; scikit-fem's at 25 points of every element; the sine transform's at its "
        "own nodes. Times of scikit-fem are for mesh, assembly and solve, with hand-written vectorised data; of "
        "ours for `gx.solve` on equation text, gates and error estimate included. The time at an error is "
        "interpolated between sizes on straight lines of the logarithms. `over ours` above 1: we are faster."
    )
    yield (
        "scikit-fem: nine-node quadrilaterals on tensor meshes; Shishkin and Bakhvalov for the outflow layers, "
        "refined in proportion to the distance for the peak; sparse LU with a symmetric ordering. The sine "
        "transform is the right tool for this peak while a uniform grid can resolve it. The published disk is "
        "made for the peak; on the outflow layers it is one fit, with the disk near the corner."
    )
    for eps in (1e-4,) if trial else (1e-2, 1e-4, 1e-8):
        yield told(f"Outflow layers, eps = {eps:.0e}", outflow(eps, effort))
    for nu in (1e-2, 1e-4) if trial else (1e-2, 1e-3, 1e-4):
        yield told(f"Poisson peak, nu = {nu:.0e}", peak(nu, effort))


def measure(trial: bool = False) -> str:
    return "\n\n".join(parts(trial))


if __name__ == "__main__":
    for part in parts("--trial" in sys.argv[1:]):
        print(part, end="\n\n", flush=True)
