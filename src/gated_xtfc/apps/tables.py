"""What solve, infer and compare print for the eyes. Only here and in the display rich is imported: JSON needs none."""

import io
import math
import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from gated_xtfc.apps.output import OutputFolder
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solution.base import Solution

if TYPE_CHECKING:
    # neither solve nor infer waits for what compare needs
    from gated_xtfc.inverse.observations import Series
    from gated_xtfc.inverse.posterior import Posterior
    from gated_xtfc.inverse.posterior_modes import PosteriorMode
    from gated_xtfc.paper.comparison import MethodResult

LONGEST = 200  # characters of a title or an equation
SHOWN = 4  # gates

Row = tuple[str, str]


def show(*parts: Table | str, folder: OutputFolder | None = None) -> None:
    """The parts one below the other, and which files were written."""
    console = Console(highlight=False, markup=False, emoji=False)
    # Printed as one text by Python itself: rich would answer a closed pipe with an exit code of its own.
    with console.capture() as printed:
        for part in (*parts, *([folder.written()] if folder is not None else [])):
            console.print(part, soft_wrap=isinstance(part, str))
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a title may hold what the terminal cannot show
    print(printed.get(), end="")  # noqa: T201


def facts(rows: Iterable[Row], colour: str) -> Table:
    """Names and values; the status in a colour."""
    table = Table(show_header=False, pad_edge=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows:
        table.add_row(name, Text(value, style=f"bold {colour}" if name == "status" else ""))
    return table


def solution_table(solution: Solution) -> Table:
    problem, true_error, known = solution.problem, solution.true_error(), math.isfinite(solution.error)
    rows = [
        *stated(problem),
        *([("parameters", shortened(parameters(problem)))] if problem.parameters else []),
        *(("constant", f"{name} = {value:.12g}") for name, value in solution.constants.items()),
        ("neurons", f"{solution.neurons}"),
        ("sites", f"{solution.sites}"),
        ("gates", gates(solution)),
        *([("continuation", path(solution))] if solution.continuation else []),
        ("rounds", f"{solution.rounds}"),
        ("error estimate", f"{f'{solution.error:.1e}' if known else 'none'}  (tolerance {solution.tol:.1e})"),
        *([("true error", f"{true_error:.1e}")] if true_error is not None else []),
        ("seconds", f"{solution.seconds:.3g}"),
        ("status", solution.status),
        ("message", solution.message),
    ]
    return facts(rows, "green" if solution.converged else "yellow" if known else "red")


def measured(series: "Series") -> str:
    """How many there are, and how many rows of the table had none."""
    return f"{series.x.size} of {series.quantity}" + (f" ({series.missing} missing)" if series.missing else "")


def mode_line(mode: "PosteriorMode") -> str:
    ranges = ", ".join(
        "{} {:.6g} .. {:.6g}".format(name, *one.interval(0.95)) for name, one in mode.distributions.items()
    )
    return f"{100 * mode.mass:.0f} %: {ranges}"


def posterior_table(posterior: "Posterior", sites: list[float] | None) -> Table:
    rows = [
        *stated(posterior.problem),
        ("measurements", ", ".join(map(measured, posterior.observations.series))),
        *(("mode", mode_line(mode)) for mode in (posterior.modes if len(posterior.modes) > 1 else ())),
        ("log evidence", f"{posterior.evidence:.2f}"),
        *([("next sites", ", ".join(f"{x:.6g}" for x in sites))] if sites else []),
        ("solves", f"{posterior.solves}"),
        ("seconds", f"{posterior.seconds:.3g}"),
        ("status", posterior.status),
        ("message", posterior.message),
    ]
    return facts(rows, "green" if posterior.status == "determined" else "yellow")


def estimates(posterior: "Posterior") -> Table:
    table = Table(pad_edge=False)
    for name in ("unknown", "mean", "std", "95 % interval"):
        table.add_column(name, overflow="fold")
    for name, one in posterior.distributions.items():
        interval = " .. ".join(f"{end:.6g}" for end in one.interval(0.95))
        table.add_row(name, f"{one.mean:.6g}", f"{one.std:.2g}", interval)
    return table


def comparison_table(lines: "Iterable[MethodResult]") -> Table:
    from gated_xtfc.paper.comparison import OURS
    from gated_xtfc.paper.wording import duration

    table = Table(pad_edge=False)
    table.add_column("method", no_wrap=True)
    for name in ("error", "neurons\nor nodes", "time"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("", overflow="fold")
    for line in lines:
        style = "bold" if line.method == OURS else "" if line.ran else "dim"
        cells = (
            line.method,
            "–" if line.error is None else f"{line.error:.1e}",
            "–" if line.neurons is None else f"{line.neurons}",
            duration(line.seconds),
            line.note,
        )
        table.add_row(*(Text(cell, style=style) for cell in cells))
    return table


def stated(problem: Problem) -> list[Row]:
    title = [("title", shortened(problem.title))] if problem.title else []
    return [*title, *(("equation", shortened(equation.text)) for equation in problem.equations)]


def parameters(problem: Problem) -> str:
    return ", ".join(f"{name} = {value:.6g}" for name, value in problem.parameters.items())


def gates(solution: Solution) -> str:
    """How many, and the first few of them in words."""
    if isinstance(solution.gates, Mapping):  # on a rectangle by axis
        found = [f"{name}: {gate.describe()}" for name, some in solution.gates.items() for gate in some]
    else:
        found = [gate.describe() for gate in solution.gates]
    more = [f"and {len(found) - SHOWN} more"] if len(found) > SHOWN else []
    return f"{len(found)}: {'; '.join(found[:SHOWN] + more)}" if found else "0"


def path(solution: Solution) -> str:
    """How far the parameter was followed: `eps from 1 to 1e-06 in 9 levels`."""
    values = list(dict.fromkeys(entry.value for entry in solution.history if entry.value is not None))
    steps = "1 level" if len(values) == 1 else f"{len(values)} levels"
    return f"{solution.continuation} from {values[0]:.4g} to {values[-1]:.4g} in {steps}"


def shortened(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= LONGEST else f"{flat[: LONGEST - 4]} ..."
