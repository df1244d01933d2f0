"""`gated-xtfc sweep`: options -> Problem and Design -> rows in a store, a bar on the way, a summary at the end."""

import time
from argparse import Namespace
from collections.abc import Sequence

import numpy as np

from gated_xtfc.apps.cli import fail
from gated_xtfc.apps.display import SweepBar
from gated_xtfc.apps.output import json_text, tell
from gated_xtfc.apps.statement import amended, named, number, once, solver_options
from gated_xtfc.errors import InputError, quoted
from gated_xtfc.problem.file import Guidance, from_mapping, read
from gated_xtfc.sweeps.design import Design, check_count
from gated_xtfc.sweeps.run import SweepProgress
from gated_xtfc.sweeps.sweep import sweep
from gated_xtfc.sweeps.table import Table
from gated_xtfc.sweeps.workers import dask_client
from gated_xtfc.types import Array

WIDE = 100.0  # ends so far apart, as a factor, that magnitudes are what is swept


def run(arguments: Namespace) -> int:
    begun = time.perf_counter()
    design = designed(arguments)
    # what the sweep gives a value to need not have one in the file
    first = dict(zip(design.names, design.points[0].tolist(), strict=True))
    statement = amended(read(arguments.file), arguments.set, swept=first)
    problem, guidance = from_mapping(statement), Guidance.stated(statement)
    client = None if arguments.scheduler is None else dask_client(arguments.scheduler)
    bar = SweepBar(quiet=arguments.json)
    try:
        with bar:
            table = sweep(
                problem, design, store=arguments.store, executor=client, workers=arguments.workers, tol=arguments.tol,
                quantities=arguments.quantity, solutions=arguments.solutions, time_limit=arguments.time_limit,
                retry=arguments.retry, progress=bar, engine=arguments.engine, dataset=arguments.dataset,
                x=arguments.places, **solver_options(guidance, arguments),
            )  # fmt: skip
    except KeyboardInterrupt:
        there = f"{bar.progress.done} of {len(design)} points are" if bar.progress else "what was finished is"
        return fail(130, f"interrupted: {there} in {arguments.store}; the same command goes on from there")
    finally:
        if client is not None:
            client.close()
    if arguments.csv is not None:
        table.to_csv(arguments.csv)
    if arguments.parquet is not None:
        table.to_parquet(arguments.parquet)
    summarise(table, arguments, bar.progress, time.perf_counter() - begun)
    return 0 if table.converged.all() else 1


def summarise(table: Table, arguments: Namespace, progress: SweepProgress | None, seconds: float) -> None:
    solved = progress.solved if progress is not None else 0
    if arguments.json:
        statuses, counts = np.unique(table["status"], return_counts=True)
        report = {
            "points": len(table), "solved_now": solved,
            "statuses": dict(zip(statuses.tolist(), counts.tolist(), strict=True)),
            "largest_error": float(table["error"].max()), "seconds": seconds, "store": arguments.store,
            "columns": list(table.columns),
        }  # fmt: skip
        tell(json_text(report))
        return
    rate = f", {progress.rate:.0f} a second" if progress is not None else ""
    tell(f"{len(table)} points: {table.tally()}")
    tell(f"{solved} of them solved now in {seconds:.3g} s{rate}; rows in {arguments.store}")
    odd = np.flatnonzero(~table.converged)
    for row in odd[:5].tolist():
        at = ", ".join(f"{name} = {table[name][row]:.6g}" for name in table.names)
        tell(f"  {at}: {table['status'][row]}: {table['message'][row]}")
    if odd.size > 5:
        tell(f"  and {odd.size - 5} more")


def designed(arguments: Namespace) -> Design:
    """The points that --over, --sobol and --random ask for."""
    if arguments.sobol is not None and arguments.random is not None:
        raise InputError("give --sobol or --random, not both")
    takes = "--over takes NAME=FIRST:LAST:COUNT such as nu=1e-8:1:500"
    ranges = once("--over", (named(text, takes) for text in arguments.over))
    if arguments.sobol is None and arguments.random is None:
        return Design.grid({name: values(name, text) for name, text in ranges.items()})
    bounds = {name: bound(name, text) for name, text in ranges.items()}
    if arguments.sobol is not None:
        return Design.sobol(bounds, arguments.sobol, arguments.seed)
    return Design.random(bounds, arguments.random, arguments.seed)


def values(name: str, text: str) -> Sequence[float] | Array:
    """`1e-8:1:500`, `0:1:11:linear`, or `1e-4,1e-3`."""
    if ":" not in text:
        return [finite(name, part) for part in text.split(",")]
    low, high, scale, rest = ends(name, text)
    if len(rest) != 1 or not rest[0].isdigit() or int(rest[0]) < 2:
        raise InputError(
            f"--over {name} needs a number of values, at least 2, such as {name}={text.split(':')[0]}:1:500"
        )
    check_count(int(rest[0]))
    space = np.geomspace if scale == "log" else np.linspace
    return space(low, high, int(rest[0]))


def bound(name: str, text: str) -> tuple[float, float, str]:
    """`1e-8:1` or `1e-8:1:log`."""
    low, high, scale, rest = ends(name, text) if ":" in text else (0.0, 0.0, "", ["?"])
    if rest:
        raise InputError(f"with --sobol or --random, --over takes {name}=LOW:HIGH such as {name}=1e-8:1")
    return low, high, scale


def ends(name: str, text: str) -> tuple[float, float, str, list[str]]:
    """Two ends, the scale between them, and what else there is."""
    first, second, *rest = (part.strip() for part in text.split(":"))
    low, high = finite(name, first), finite(name, second)
    wide = low > 0.0 and high > 0.0 and max(low, high) >= WIDE * min(low, high)
    scale = rest.pop() if rest and rest[-1] in ("log", "linear") else "log" if wide else "linear"
    if scale == "log" and not (low > 0.0 and high > 0.0):
        raise InputError(f"--over {name} on a log scale needs positive ends, not {first} and {second}")
    return low, high, scale, rest


def finite(name: str, text: str) -> float:
    value = number(text, f"the value of {name}")
    if not np.isfinite(value):
        raise InputError(f"the value {quoted(text)} of {name} in --over is not a finite number")
    return value
