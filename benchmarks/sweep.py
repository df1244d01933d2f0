"""Sweeps and learned gates: rates with one process, two, and Dask; intervals on held-out points; solves with a model.

`python benchmarks/sweep.py 0.1` does a tenth of the work, for a trial.
"""

import single_thread  # noqa: F401

# isort: split
import json
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np

import gated_xtfc as gx
from gated_xtfc import zoo
from measure import table

TOL = 1e-8
POINTS = 2000
UNSEEN = 200
RATES = (
    "in this process, no file",
    "in this process",
    "pool of one process",
    "pool of two processes",
    "Dask, two processes",
)
# Run in a process of its own, so that workers start from a light main module, as they do from the command line.
SCRIPT = """
import json, sys, time
import numpy as np
import gated_xtfc as gx

def pool(count):
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context
    return ProcessPoolExecutor(count, get_context("spawn"))

def main(kind, count, store):
    problem = gx.Problem("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=1e-4)
    nu = np.geomspace(1e-8, 1, count)
    gx.solve(problem)  # this process is warm
    seen = []
    def report(progress):
        if not seen or progress.solved > seen[-1][1]:
            seen.append((time.perf_counter(), progress.solved, time.process_time()))
    options = {"store": store or None, "tol": 1e-8, "progress": report}
    cluster = client = None
    if kind == "dask":
        from distributed import Client, LocalCluster
        cluster = LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None)
        client = Client(cluster)
    begun = time.perf_counter()
    if kind == "dask":
        table = gx.sweep(problem, {"nu": nu}, executor=client, **options)
    elif kind == "one":
        with pool(1) as executor:
            table = gx.sweep(problem, {"nu": nu}, executor=executor, **options)
    else:
        table = gx.sweep(problem, {"nu": nu}, workers=int(kind), **options)
    wall = time.perf_counter() - begun
    first, last = next((entry for entry in seen if entry[1] >= count // 10), seen[0]), seen[-1]
    rows = max(last[1] - first[1], 1)
    steady, parent = rows / max(last[0] - first[0], 1e-9), (last[2] - first[2]) / rows
    print(json.dumps({"wall": wall, "parent": parent, "steady": steady, "converged": int(table.converged.sum())}))
    if client is not None:
        client.close()
        cluster.close()

if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
"""


@dataclass(frozen=True)
class Rate:
    wall: float  # seconds, start of the workers included
    parent: float  # seconds of the parent's own work for each row
    steady: float  # points a second after the first tenth
    converged: int


def rate(kind: str, count: int, stored: bool, repeats: int) -> Rate | None:
    """The median of some runs by their time; None where it does not run here."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "run.py"
        script.write_text(SCRIPT)
        for i in range(repeats):
            store = str(Path(folder) / f"{i}.sqlite") if stored else ""
            done = subprocess.run(
                [sys.executable, str(script), kind, str(count), store], capture_output=True, text=True, check=False
            )
            if done.returncode:
                print(done.stderr[-500:], file=sys.stderr)
                return None
            found.append(Rate(**json.loads(done.stdout.splitlines()[-1])))
    return sorted(found, key=lambda one: one.wall)[len(found) // 2]


def rates(part: float) -> tuple[str, dict[str, Rate]]:
    count, repeats = max(100, int(part * POINTS)), 3 if part >= 1.0 else 1
    kinds = (("1", False), ("1", True), ("one", True), ("2", True), ("dask", True))
    found = {name: rate(kind, count, stored, repeats) for name, (kind, stored) in zip(RATES, kinds, strict=True)}
    rows = [
        (name, f"{one.wall:.2f}", f"{count / one.wall:.0f}", f"{one.steady:.0f}", f"{one.converged} of {count}")
        if one
        else (name, "–", "–", "–", "does not run here")
        for name, one in found.items()
    ]
    measured = {name: one for name, one in found.items() if one is not None}
    here, bare, one, two = (measured[name] for name in (RATES[1], RATES[0], RATES[2], RATES[3]))
    text = (
        f"A sweep of `u' - nu*u'' = 0` over {count} values of nu in [1e-8, 1], tol 1e-8, every row into an SQLite "
        "file, each commit flushed to the disk; seconds with the start of the workers, "
        f"{'the median of 3 runs' if repeats > 1 else 'one run'}.\n\n"
        f"{table(('', 's', 'points a second', '... after the first tenth', 'converged'), rows)}\n\n"
        f"Speed-up of two processes: {here.wall / two.wall:.2f} beside no pool, {one.wall / two.wall:.2f} beside a "
        f"pool of one, {two.steady / one.steady:.2f} once started. Overhead of the store: "
        f"{100 * (here.wall / bare.wall - 1):.1f} % of the time in memory."
    )
    return text, measured


def true_errors(part: float) -> str:
    """From the solutions that a sweep kept."""
    count = max(100, int(part * POINTS))
    problem = zoo.problem("convection_diffusion")
    found = gx.sweep(problem, {"nu": np.geomspace(1e-8, 1.0, count)}, solutions=True, workers=1)
    errors = np.array([found.solution(row).true_error() for row in range(count)])
    return (
        f"True errors of {count} solutions that a sweep kept, on 20,000 points each against the exact solution: "
        f"largest {errors.max():.1e}, median {np.median(errors):.1e}; above the tolerance: {(errors > TOL).sum()}; "
        f"above their own estimate: {(errors > found['error']).sum()}."
    )


def million(measured: dict[str, Rate]) -> str:
    """What a million points cost elsewhere, if nothing but the number of cores changes."""
    two, dask = measured[RATES[3]], measured.get(RATES[4])
    rows = []
    for name, one, cores in (
        ("one node of 64 cores, process pool", two, 64),
        ("one node of 64 cores, Dask", dask, 64),
        ("ten nodes of 64 cores, Dask", dask, 640),
    ):
        if one is None:
            rows.append((name, "–", "–", "–", "–"))
            continue
        solved, written = cores * one.steady / 2.0, 1.0 / one.parent
        speed = min(solved, written)
        limit = "the solves" if solved <= written else "the one writer"
        rows.append((name, f"{solved:.0f}", f"{written:.0f}", limit, duration(1e6 / speed)))
    head = ("", "points a second the cores solve", "rows a second one parent takes", "limited by", "a million points")
    return (
        f"{table(head, rows)}\n\n"
        "Assumptions: each core solves at half the rate that two of them reached here after their start; the family is "
        "this one (some 2 ms a solve: slower families are limited by their solves for longer); one parent process "
        "sends the chunks out, takes the rows and writes them, and its own processor time a row, measured after the "
        f"first tenth, stays what it was here ({1e6 * two.parent:.0f} microseconds for the pool; for Dask it "
        "includes the scheduler, which a real cluster keeps elsewhere); the network and the file system keep up. "
        "Extrapolated, not measured."
    )


def duration(seconds: float) -> str:
    return (
        f"{seconds:.0f} s"
        if seconds < 120
        else f"{seconds / 60:.1f} min"
        if seconds < 7200
        else f"{seconds / 3600:.1f} h"
    )


def plain(name: str) -> tuple[gx.Problem, str, tuple[float, float]]:
    """A family of the zoo as text alone, its parameter and its range."""
    family = zoo.family(name)
    return gx.Problem.from_dict(family.problem().statement()), family.small, family.span


def swept(name: str, count: int, seed: int) -> gx.Table:
    """Independent members, evenly in the logarithm of the small parameter."""
    problem, small, span = plain(name)
    design = gx.Design.random({small: (*span, "log")}, count, seed)
    return gx.sweep(problem, design, solutions=not problem.linear, workers=1)


def learned(part: float) -> str:
    """Intervals on held-out points, and solves with and without the model."""
    coverage, solves = [], []
    for name in (
        "convection_diffusion",
        "third_order",
        "oscillation",
        "coupled_reaction",
        "allen_cahn",
        "burgers_shock",
    ):
        held = max(20, int(part * UNSEEN))
        found = swept(name, 3 * held, seed=1)
        model = gx.learn(found, most=2 * held, held_out=1 / 3)
        inside = sum(covered for covered, _ in model.coverage.values())
        of = sum(count for _, count in model.coverage.values())
        each = ", ".join(f"{setting} {covered}/{count}" for setting, (covered, count) in model.coverage.items())
        coverage.append((name, str(held), f"{100 * inside / of:.1f} %" if of else "nothing varies", each))
        solves.append(compared(name, model, held))
    return (
        "Intervals of the learned settings: how many of the held-out values lie in their 95 % interval. The model has "
        "seen twice as many solves. Left out are settings that do not vary, or that follow the parameter to rounding "
        "(the thickness of an outflow layer is 0.6 nu), and held-out points whose gates have another structure than "
        "any group learned.\n\n"
        f"{table(('family', 'held out', 'covered', 'by setting'), coverage)}\n\n"
        "Members never seen, with the model and without: means of rounds and steps, medians of times, and the ratio of "
        "seconds, default over learned, solve by solve. The errors are the largest true ones, against the exact "
        "solution.\n\n"
        + table(
            (
                "family",
                "solves",
                "rounds",
                "... learned",
                "Newton steps",
                "... learned",
                "ms",
                "... learned",
                "ratio: median",
                "smallest",
                "largest",
                "true error",
                "... learned",
                "converged",
                "... learned",
            ),
            solves,
        )
    )


def compared(name: str, model: gx.GateModel, count: int) -> tuple[str, ...]:
    family, (_, small, span) = zoo.family(name), plain(name)
    values = gx.Design.random({small: (*span, "log")}, count, seed=2).points[:, 0]
    problem, _, _ = plain(name)
    usual, better, seconds = [], [], []
    for value in values.tolist():
        member = problem(**{small: value})
        gx.solve(member, TOL, gates=model)  # both are warm
        took = []
        for gates, results in ((None, usual), (model, better)):
            repeats = [gx.solve(member, TOL, gates=gates) for _ in range(1 if took and took[0] > 0.2 else 3)]
            took.append(statistics.median(one.seconds for one in repeats))
            results.append(repeats[0])
        seconds.append(took)
    usual_errors, better_errors = (
        max(error(family.problem(**{small: value}), one) for value, one in zip(values.tolist(), found, strict=True))
        for found in (usual, better)
    )
    times = np.array(seconds)
    ratios = times[:, 0] / times[:, 1]
    mean = lambda found, what: f"{np.mean([what(one) for one in found]):.2f}"  # noqa: E731
    return (
        name, str(count),
        mean(usual, lambda one: one.rounds), mean(better, lambda one: one.rounds),
        mean(usual, steps), mean(better, steps),
        f"{1e3 * np.median(times[:, 0]):.2f}", f"{1e3 * np.median(times[:, 1]):.2f}",
        f"{np.median(ratios):.2f}", f"{ratios.min():.2f}", f"{ratios.max():.1f}",
        f"{usual_errors:.1e}", f"{better_errors:.1e}",
        str(sum(one.converged for one in usual)), str(sum(one.converged for one in better)),
    )  # fmt: skip


def steps(solution: gx.Solution) -> int:
    return sum(entry.steps for entry in solution.history)


def error(exact: gx.Problem, solution: gx.Solution) -> float:
    """The largest true error, relative to max(1, max|u|) of each field, on 2,000 points dense in the layers."""
    x = solution.points(2000)
    scales = dict(zip(solution.problem.fields, solution.scales, strict=True))
    return max(
        float(np.abs(solution[field](x) - function(x)).max()) / scales[field]
        for field, function in exact.exacts.items()
    )


def warm(part: float) -> str:
    """Neighbours that start from one another."""
    rows = []
    for name, count in (("burgers_shock", 40), ("allen_cahn", 40), ("coupled_reaction", 40)):
        problem, small, span = plain(name)
        over = {small: np.geomspace(*span, max(8, int(part * count)))}
        tables, seconds = [], []
        for from_neighbour in (False, True):
            begun = perf_counter()
            tables.append(gx.sweep(problem, over, workers=1, warm=from_neighbour))
            seconds.append(perf_counter() - begun)
        same = (tables[0]["status"] == tables[1]["status"]).all()
        rows.append(
            (name, str(len(tables[0])), f"{seconds[0]:.2f}", f"{seconds[1]:.2f}", f"{seconds[0] / seconds[1]:.2f}",
             "the same" if same else "differ")
        )  # fmt: skip
    head = ("family", "points", "s, each from nothing", "s, from its neighbour", "ratio", "statuses")
    return f"Nonlinear families: each of eight neighbours starts from the one before.\n\n{table(head, rows)}"


def measure(part: float = 1.0) -> str:
    speeds, measured = rates(part)
    parts = [
        f"### Rates\n\n{speeds}",
        true_errors(part),
        f"### A million points elsewhere\n\n{million(measured)}",
        f"### Warm starts\n\n{warm(part)}",
        f"### Learned gates\n\n{learned(part)}",
    ]
    return "\n\n".join(parts)


if __name__ == "__main__":
    print(measure(float(sys.argv[1]) if len(sys.argv) > 1 else 1.0))
